/* SPDX-License-Identifier: BSD-3-Clause */
/* A GOAL schedule, which LogGOPSim simulates: for each rank the computing, sends and receives, and which of them must
 * have ended (requires) or begun (irequires) before which. A thread is a CPU of its rank. A tag is the number of a
 * message. Times are ns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"

struct goal_need {
    uint64_t label;
    bool begun; /* it is enough that it has begun */
};

struct goal {
    struct simulated *simulated;
    struct match_map labels; /* of messages that have begun, of the rank; label + 1 */
    struct goal_need *needs; /* of the next operation of the thread */
    size_t need_count, need_capacity;
    uint64_t next_label;
    uint32_t next; /* the first rank that has no block yet */
    uint32_t thread;
    bool open;       /* the block of rank next - 1 has not ended */
    uint64_t others; /* requests that another thread began */
};

/* ---- operations ---- */

static struct match_key key_of(const struct simulated_message *m)
{
    return (struct match_key){{m->number, (uint64_t)m->peer << 1 | m->send, 0}};
}

static bool need(struct goal *g, uint64_t label, bool begun)
{
    if (g->need_count == g->need_capacity) {
        const size_t capacity = g->need_capacity ? 2 * g->need_capacity : 16;
        struct goal_need *needs = realloc(g->needs, capacity * sizeof *needs);
        if (!needs)
            return false;
        g->needs = needs;
        g->need_capacity = capacity;
    }
    g->needs[g->need_count++] = (struct goal_need){label, begun};
    return true;
}

static struct output *begin_operation(struct convert *c)
{
    struct goal *g = c->state;
    out_named(c->out, "l", (int64_t)g->next_label);
    out_text(c->out, ": ");
    return c->out;
}

/* Ends the line of an operation, and writes what it needs. */
static void end_operation(struct convert *c)
{
    struct goal *g = c->state;
    if (g->thread)
        out_named(c->out, " cpu ", g->thread);
    out_char(c->out, '\n');
    for (size_t i = 0; i < g->need_count; i++) {
        out_named(c->out, "l", (int64_t)g->next_label);
        out_text(c->out, g->needs[i].begun ? " irequires l" : " requires l");
        out_uint(c->out, g->needs[i].label);
        out_char(c->out, '\n');
    }
    g->need_count = 0;
    g->next_label++;
}

static bool goal_compute(struct convert *c, uint64_t ns)
{
    struct goal *g = c->state;
    struct output *o = begin_operation(c);
    out_named(o, "calc ", (int64_t)ns);
    end_operation(c);
    return need(g, g->next_label - 1, false);
}

static bool goal_begin(struct convert *c, const struct simulated_message *m)
{
    struct goal *g = c->state;
    struct output *o = begin_operation(c);
    out_text(o, m->send ? "send " : "recv ");
    out_uint(o, m->bytes);
    out_named(o, m->send ? "b to " : "b from ", m->peer);
    out_named(o, " tag ", (int64_t)(m->number & INT32_MAX));
    end_operation(c);
    return need(g, g->next_label - 1, true) && match_map_put(&g->labels, key_of(m), (void *)(uintptr_t)g->next_label);
}

static bool goal_wait(struct convert *c, const struct simulated_message *m)
{
    struct goal *g = c->state;
    const uintptr_t label = (uintptr_t)match_map_take(&g->labels, key_of(m));
    g->others += !label;
    return !label || need(g, label - 1, false);
}

static const struct simulated_sink sink = {.compute = goal_compute, .begin = goal_begin, .wait = goal_wait};

/* ---- the format ---- */

static bool goal_start(struct convert *c)
{
    struct goal *g = c->state = calloc(1, sizeof *g);
    if (!g || !(g->simulated = simulated_new(&sink)))
        return false;
    out_named(c->out, "num_ranks ", pilgrim_rank_count(c->trace));
    out_text(c->out, "\n");
    return true;
}

static bool end_rank(struct convert *c)
{
    struct goal *g = c->state;
    const bool good = simulated_end_thread(g->simulated, c);
    if (g->open)
        out_text(c->out, "}\n");
    match_map_free(&g->labels);
    g->need_count = 0;
    return good;
}

static bool begin_rank(struct convert *c)
{
    struct goal *g = c->state;
    const bool good = end_rank(c);
    out_named(c->out, "\nrank ", g->next++);
    g->open = true;
    out_text(c->out, " {\n");
    g->next_label = 0;
    return good;
}

static bool goal_thread(struct convert *c, uint32_t rank, uint32_t thread)
{
    struct goal *g = c->state;
    bool good = true;
    while (good && g->next <= rank)
        good = begin_rank(c);
    good = good && simulated_thread(g->simulated, c, rank);
    g->need_count = 0;
    g->thread = thread;
    return good;
}

static bool goal_call(struct convert *c, const struct convert_call *call)
{
    struct goal *g = c->state;
    return simulated_call(g->simulated, c, call);
}

/* Begins the ranks below END that have no block yet, and ends the last one. */
static bool close_ranks(struct convert *c, uint32_t end)
{
    struct goal *g = c->state;
    bool good = true;
    while (good && g->next < end)
        good = begin_rank(c);
    good = end_rank(c) && good;
    g->open = false;
    return good;
}

static bool goal_end(struct convert *c)
{
    struct goal *g = c->state;
    bool good = g && g->simulated;
    if (good) {
        good = close_ranks(c, pilgrim_rank_count(c->trace));
        simulated_unsaid(g->simulated, c->unsaid, sizeof c->unsaid);
        const size_t used = strlen(c->unsaid);
        if (g->others)
            snprintf(c->unsaid + used, sizeof c->unsaid - used, "%swaits for requests of other threads %" PRIu64,
                     used ? ", " : "", g->others);
    }
    if (g) {
        simulated_free(g->simulated);
        match_map_free(&g->labels);
        free(g->needs);
    }
    free(g);
    c->state = NULL;
    return good;
}

/* ---- parts ---- */

static bool goal_begin_part(struct convert *c, uint32_t first)
{
    struct goal *g = c->state;
    g->next = first;
    return true;
}

static bool goal_end_part(struct convert *c, uint32_t end)
{
    struct goal *g = c->state;
    const bool good = close_ranks(c, end);
    if (c->told) {
        simulated_tell(g->simulated, c->told);
        out_bytes(c->told, (const char *)&g->others, sizeof g->others);
        out_bytes(c->told, (const char *)&g->next, sizeof g->next);
    }
    return good;
}

static bool goal_join(struct convert *c, const unsigned char *told, size_t length)
{
    struct goal *g = c->state;
    uint64_t others;
    (void)length;
    const size_t at = simulated_join(g->simulated, told);
    memcpy(&others, told + at, sizeof others);
    memcpy(&g->next, told + at + sizeof others, sizeof g->next);
    g->others += others;
    return true;
}

static const struct convert_parts parts = {.begin = goal_begin_part, .end = goal_end_part, .join = goal_join};

const struct convert_format convert_goal = {.name = "goal",
                                            .suffix = ".goal",
                                            .begin = goal_start,
                                            .thread = goal_thread,
                                            .call = goal_call,
                                            .end = goal_end,
                                            .parts = &parts,
                                            .what = CONVERT_WHOLE_RECORDS};
