/* SPDX-License-Identifier: BSD-3-Clause */
/* Time-independent traces, which SimGrid's SMPI replays (smpirun -replay): a folder with a file of actions for each
 * rank, and list.txt, which names them in the order of the ranks. Computing one flop takes 1 ns: with hosts of 1
 * Gflop/s it takes as long as in the run. Sizes are bytes. A tag is the number of a message, so that each wait finds
 * its request, whatever tags the program has. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulated.h"

struct ti {
    struct simulated *simulated;
    struct output out; /* the file of the rank */
    uint32_t next;     /* the first rank that has no file yet */
    bool open;
};

static bool failed(struct convert *c, int why)
{
    if (!c->failure[0])
        snprintf(c->failure, sizeof c->failure, "%s", strerror(why));
    return false;
}

static int create(const struct convert *c, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    unlink(path); /* of a process whose part was dropped */
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Begins an action of the rank that is written. */
static struct output *action(struct convert *c, const char *name)
{
    struct ti *t = c->state;
    out_uint(&t->out, t->next - 1);
    out_char(&t->out, ' ');
    out_text(&t->out, name);
    return &t->out;
}

static bool close_rank(struct convert *c)
{
    struct ti *t = c->state;
    if (!t->open)
        return true;
    t->open = false;
    const bool good = simulated_end_thread(t->simulated, c);
    out_text(action(c, "finalize"), "\n");
    out_flush(&t->out);
    const int closed = close(t->out.descriptor) == 0 ? 0 : errno;
    if (t->out.error || closed)
        failed(c, t->out.error ? t->out.error : closed);
    return good;
}

static bool open_rank(struct convert *c)
{
    struct ti *t = c->state;
    char name[32];
    if (!close_rank(c))
        return false;
    snprintf(name, sizeof name, "rank%u.txt", t->next);
    const int descriptor = create(c, name);
    if (descriptor < 0)
        return failed(c, errno);
    t->out.descriptor = descriptor;
    t->out.error = 0;
    t->out.used = 0;
    t->open = true;
    t->next++;
    out_text(action(c, "init"), "\n");
    return true;
}

/* ---- actions ---- */

static bool ti_compute(struct convert *c, uint64_t ns)
{
    struct output *o = action(c, "compute ");
    out_uint(o, ns);
    out_char(o, '\n');
    return true;
}

static bool put_message(struct convert *c, const char *name, const struct simulated_message *m)
{
    struct output *o = action(c, name);
    out_uint(o, m->peer);
    out_char(o, ' ');
    out_uint(o, m->number & INT32_MAX);
    out_char(o, ' ');
    out_uint(o, m->bytes);
    out_char(o, '\n');
    return true;
}

static bool ti_begin(struct convert *c, const struct simulated_message *m)
{
    return put_message(c, m->send ? "isend " : "irecv ", m);
}

static bool ti_blocking(struct convert *c, const struct simulated_message *m)
{
    return put_message(c, m->send ? "send " : "recv ", m);
}

static bool ti_wait(struct convert *c, const struct simulated_message *m)
{
    struct ti *t = c->state;
    const uint32_t own = t->next - 1;
    struct output *o = action(c, "wait ");
    out_uint(o, m->send ? own : m->peer);
    out_char(o, ' ');
    out_uint(o, m->send ? m->peer : own);
    out_char(o, ' ');
    out_uint(o, m->number & INT32_MAX);
    out_char(o, '\n');
    return true;
}

/* ---- collective operations ---- */

static void put_number(struct output *o, uint64_t value)
{
    out_char(o, ' ');
    out_uint(o, value);
}

static uint64_t put_numbers(struct output *o, const struct collective *c,
                            uint64_t (*bytes)(const struct collective *c, size_t i))
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->members; i++) {
        put_number(o, bytes(c, i));
        sum += bytes(c, i);
    }
    return sum;
}

static uint64_t sum_of(const struct collective *c, uint64_t (*bytes)(const struct collective *c, size_t i))
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->members; i++)
        sum += bytes(c, i);
    return sum;
}

/* The replay keeps counts of single members as int. */
static bool fits(const struct collective *c)
{
    for (size_t i = 0; i < c->members; i++)
        if (collective_bytes_to(c, i) > INT32_MAX || collective_bytes_from(c, i) > INT32_MAX)
            return false;
    return true;
}

static bool ti_collective(struct convert *c, const struct collective *o, bool *said)
{
    static const char *const names[] = {[COLLECTIVE_BARRIER] = "barrier",       [COLLECTIVE_CREATE] = "barrier",
                                        [COLLECTIVE_BCAST] = "bcast",           [COLLECTIVE_REDUCE] = "reduce",
                                        [COLLECTIVE_ALLREDUCE] = "allreduce",   [COLLECTIVE_GATHER] = "gather",
                                        [COLLECTIVE_SCATTER] = "scatter",       [COLLECTIVE_ALLGATHER] = "allgather",
                                        [COLLECTIVE_ALLGATHERV] = "allgatherv", [COLLECTIVE_GATHERV] = "gatherv",
                                        [COLLECTIVE_SCATTERV] = "scatterv",     [COLLECTIVE_ALLTOALL] = "alltoall",
                                        [COLLECTIVE_ALLTOALLV] = "alltoallv",   [COLLECTIVE_ALLTOALLW] = "alltoallv"};
    if ((size_t)o->kind >= sizeof names / sizeof *names || !names[o->kind] || !fits(o))
        return true;
    struct output *out = action(c, names[o->kind]);
    switch (o->kind) {
    case COLLECTIVE_BCAST:
        put_number(out, o->to_each);
        put_number(out, o->root);
        break;
    case COLLECTIVE_REDUCE:
        put_number(out, o->to_each);
        put_number(out, 0);
        put_number(out, o->root);
        break;
    case COLLECTIVE_ALLREDUCE:
        put_number(out, o->to_each);
        put_number(out, 0);
        break;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_SCATTER:
        put_number(out, o->to_each);
        put_number(out, o->from_each);
        put_number(out, o->root);
        break;
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_ALLTOALL:
        put_number(out, o->to_each);
        put_number(out, o->from_each);
        break;
    case COLLECTIVE_ALLGATHERV:
    case COLLECTIVE_GATHERV:
        put_number(out, o->to_each);
        put_numbers(out, o, collective_bytes_from);
        if (o->kind == COLLECTIVE_GATHERV)
            put_number(out, o->root);
        break;
    case COLLECTIVE_SCATTERV:
        put_numbers(out, o, collective_bytes_to);
        put_number(out, o->from_each);
        put_number(out, o->root);
        break;
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
        put_number(out, sum_of(o, collective_bytes_to));
        put_numbers(out, o, collective_bytes_to);
        put_number(out, sum_of(o, collective_bytes_from));
        put_numbers(out, o, collective_bytes_from);
        break;
    default:
        break;
    }
    out_char(out, '\n');
    *said = true;
    return true;
}

static const struct simulated_sink sink = {
    .compute = ti_compute, .begin = ti_begin, .wait = ti_wait, .blocking = ti_blocking, .collective = ti_collective};

/* ---- the format ---- */

static bool ti_start(struct convert *c)
{
    struct ti *t = c->state = calloc(1, sizeof *t);
    if (t)
        t->simulated = simulated_new(&sink);
    return t && t->simulated;
}

static bool ti_thread(struct convert *c, uint32_t rank, uint32_t thread)
{
    struct ti *t = c->state;
    (void)thread;
    if (rank < t->next) {
        snprintf(c->failure, sizeof c->failure,
                 "rank %u has calls of several threads, and a time-independent trace has one sequence for each rank: "
                 "choose one with --thread",
                 rank);
        return false;
    }
    while (t->next <= rank)
        if (!open_rank(c))
            return false;
    return simulated_thread(t->simulated, c, rank);
}

static bool ti_call(struct convert *c, const struct convert_call *call)
{
    struct ti *t = c->state;
    return simulated_call(t->simulated, c, call) && !c->failure[0];
}

static bool put_list(struct convert *c)
{
    struct ti *t = c->state;
    t->out.descriptor = create(c, c->anchor);
    if (t->out.descriptor < 0)
        return failed(c, errno);
    t->out.error = 0;
    t->out.used = 0;
    for (uint32_t rank = 0; rank < t->next; rank++) {
        out_named(&t->out, "rank", rank);
        out_text(&t->out, ".txt\n");
    }
    out_flush(&t->out);
    const int closed = close(t->out.descriptor) == 0 ? 0 : errno;
    return t->out.error || closed ? failed(c, t->out.error ? t->out.error : closed) : true;
}

/* Writes files for the ranks below END that have none yet, and ends the last one. */
static bool close_ranks(struct convert *c, uint32_t end)
{
    struct ti *t = c->state;
    bool good = true;
    while (good && !c->failure[0] && t->next < end)
        good = open_rank(c);
    return close_rank(c) && good;
}

static bool ti_end(struct convert *c)
{
    struct ti *t = c->state;
    bool good = t && t->simulated;
    if (good) {
        good = close_ranks(c, pilgrim_rank_count(c->trace)) && put_list(c);
        simulated_unsaid(t->simulated, c->unsaid, sizeof c->unsaid);
    }
    if (t)
        simulated_free(t->simulated);
    free(t);
    c->state = NULL;
    return good;
}

/* ---- parts ---- */

static bool ti_begin_part(struct convert *c, uint32_t first)
{
    struct ti *t = c->state;
    t->next = first;
    return true;
}

static bool ti_end_part(struct convert *c, uint32_t end)
{
    struct ti *t = c->state;
    const bool good = close_ranks(c, end);
    if (c->told) {
        simulated_tell(t->simulated, c->told);
        out_bytes(c->told, (const char *)&t->next, sizeof t->next);
    }
    return good;
}

static bool ti_join(struct convert *c, const unsigned char *told, size_t length)
{
    struct ti *t = c->state;
    (void)length;
    memcpy(&t->next, told + simulated_join(t->simulated, told), sizeof t->next);
    return true;
}

static const struct convert_parts parts = {.begin = ti_begin_part, .end = ti_end_part, .join = ti_join};

const struct convert_format convert_ti = {.name = "ti",
                                          .suffix = ".ti",
                                          .begin = ti_start,
                                          .thread = ti_thread,
                                          .call = ti_call,
                                          .end = ti_end,
                                          .parts = &parts,
                                          .what = CONVERT_WHOLE_RECORDS,
                                          .anchor = "list.txt",
                                          .folder = true};
