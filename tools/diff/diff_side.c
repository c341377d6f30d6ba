/* SPDX-License-Identifier: BSD-3-Clause */
/* One of two traces; see diff_side.h. */
#include "diff_side.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/polls.h"

#define NONE UINT32_MAX

/* Returns the entry of structure group NUMBER. NULL: no memory. */
static struct side_group *find_group(struct diff_side *s, uint32_t number)
{
    if (number >= s->group_count) {
        size_t count = (size_t)number + 1 + s->group_count;
        struct side_group *grown = realloc(s->groups, count * sizeof *grown);
        if (!grown)
            return NULL;
        memset(grown + s->group_count, 0, (count - s->group_count) * sizeof *grown);
        s->groups = grown;
        s->group_count = count;
    }
    return &s->groups[number];
}

/* Takes class NUMBER of CURSOR's thread. *TAKEN: its number for call_kinds_of. */
static enum pilgrim_status take_class(struct diff_side *s, struct pilgrim_cursor *cursor, size_t number,
                                      const struct pilgrim_class_info *info, uint32_t *taken, bool *failed_poll,
                                      struct pilgrim_error *error)
{
    struct pilgrim_call call;
    enum pilgrim_status status = PILGRIM_OK;
    *failed_poll = false;
    if (info->signature_count > 0) {
        status = pilgrim_signature(cursor, number, 0, &call, error);
        *failed_poll = status == PILGRIM_OK && call_is_failed_poll(&call);
        if (status == PILGRIM_DAMAGED) /* it may be one that the thread never calls: its calls are read later */
            status = PILGRIM_OK;
    }
    *taken = status == PILGRIM_OK ? call_kinds_take(s->kinds, s->number, info->class_, *failed_poll) : NONE;
    return status == PILGRIM_OK && *taken == NONE ? no_memory(error) : status;
}

/* Takes the classes of CURSOR's segment. G: where they are kept; NULL: nowhere. */
static enum pilgrim_status take_classes(struct diff_side *s, struct pilgrim_cursor *cursor, struct side_group *g,
                                        struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    struct pilgrim_class_info info;
    pilgrim_thread_info(cursor, &thread);
    enum pilgrim_status status = PILGRIM_OK;
    if (g) {
        g->known = true;
        g->plain = thread.loop_count == 0 && thread.class_count < NONE;
        g->class_count = (uint32_t)thread.class_count;
        g->classes = calloc(thread.class_count + 1, sizeof *g->classes);
        g->kinds = calloc(thread.class_count + 1, sizeof *g->kinds);
        g->dropped = calloc(thread.class_count + 1, sizeof *g->dropped);
        if (!g->classes || !g->kinds || !g->dropped)
            return no_memory(error);
    }
    for (size_t i = 0; i < thread.class_count && status == PILGRIM_OK; i++) {
        uint32_t taken;
        bool failed_poll;
        status = pilgrim_class_info(cursor, i, &info);
        if (status != PILGRIM_OK)
            return no_group(status, error);
        if (info.body)
            continue;
        status = take_class(s, cursor, i, &info, &taken, &failed_poll, error);
        if (g && status == PILGRIM_OK) {
            g->classes[i] = taken;
            g->dropped[i] = failed_poll && s->ignore_polls;
        }
    }
    return status;
}

static struct side_thread *add_thread(struct diff_side *s)
{
    if (s->thread_count == s->thread_capacity) {
        size_t capacity = 2 * s->thread_capacity + 64;
        struct side_thread *grown = realloc(s->threads, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        s->threads = grown;
        s->thread_capacity = capacity;
    }
    return &s->threads[s->thread_count++];
}

/* Reads what CURSOR's thread does; moves the cursor. */
static enum pilgrim_status read_thread(struct diff_side *s, struct side_thread *t, struct pilgrim_cursor *cursor,
                                       struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    enum pilgrim_status status = PILGRIM_OK;
    pilgrim_thread_info(cursor, &info);
    if (pilgrim_segment_count(s->trace) == 1) {
        struct side_group *g = find_group(s, info.structure_group);
        if (!g)
            return no_memory(error);
        if (!g->known)
            status = take_classes(s, cursor, g, error);
        t->group = g->plain ? info.structure_group : NONE;
        return status;
    }
    for (t->group = NONE; status == PILGRIM_OK;) {
        status = take_classes(s, cursor, NULL, error);
        if (status == PILGRIM_OK)
            status = pilgrim_cursor_next_segment(cursor, error);
    }
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Sets T->group and returns true if that group was read already, so that no cursor is needed. */
static bool group_is_known(const struct diff_side *s, struct side_thread *t)
{
    uint32_t number;
    if (pilgrim_segment_count(s->trace) != 1 ||
        pilgrim_thread_group(s->trace, t->rank, t->thread, &number, NULL) != PILGRIM_OK || number >= s->group_count ||
        !s->groups[number].known)
        return false;
    t->group = s->groups[number].plain ? number : NONE;
    return true;
}

enum pilgrim_status side_read(struct diff_side *s, uint32_t rank, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    uint32_t ranks = pilgrim_rank_count(s->trace);
    for (uint32_t r = rank == NONE ? 0 : rank; r < ranks && status == PILGRIM_OK && (rank == NONE || r == rank); r++) {
        uint32_t threads = pilgrim_thread_count(s->trace, r);
        for (uint32_t t = 0; t < threads && status == PILGRIM_OK; t++) {
            struct pilgrim_cursor *cursor;
            struct side_thread *thread = add_thread(s);
            if (!thread)
                return no_memory(error);
            *thread = (struct side_thread){.rank = r, .thread = t};
            if (group_is_known(s, thread))
                continue;
            status = pilgrim_cursor_open(s->trace, r, t, &cursor, error);
            if (status == PILGRIM_OK)
                status = read_thread(s, thread, cursor, error);
            pilgrim_cursor_close(cursor);
        }
    }
    return status;
}

void side_free(struct diff_side *s)
{
    for (size_t i = 0; i < s->group_count; i++) {
        free(s->groups[i].classes);
        free(s->groups[i].kinds);
        free(s->groups[i].dropped);
        hashed_sequence_free(&s->groups[i].structure);
    }
    free(s->groups);
    free(s->threads);
}

/* True if each kind is one class. */
static bool kinds_are_apart(const struct diff_side *s, struct side_group *g)
{
    bool apart = true;
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->class_count; i++) {
        g->kinds[i] = call_kinds_of(s->kinds, g->classes[i]);
        most = g->kinds[i] > most ? g->kinds[i] : most;
    }
    bool *met = calloc((size_t)most + 1, sizeof *met);
    for (uint32_t i = 0; i < g->class_count && met && apart; i++) {
        apart = !met[g->kinds[i]];
        met[g->kinds[i]] = true;
    }
    apart = apart && met;
    free(met);
    return apart;
}

struct side_group *side_group(struct diff_side *s, uint32_t number, const struct pilgrim_cursor *cursor,
                              struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    struct side_group *g = &s->groups[number];
    if (g->read)
        return g;
    g->read = true;
    g->plain = kinds_are_apart(s, g);
    pilgrim_thread_info(cursor, &info);
    return hashed_sequence_read(&g->structure, cursor, info.structure, g->kinds, g->dropped, g->class_count, error) ==
                   PILGRIM_OK
               ? g
               : NULL;
}

size_t side_rank(const struct diff_side *s, uint32_t rank)
{
    size_t low = 0, high = s->thread_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->threads[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->thread_count && s->threads[low].rank == rank ? low : s->thread_count;
}
