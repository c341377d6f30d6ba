/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares two threads call by call; see threads_walk in thread_compare.h. Memory does not grow with the calls. */
#include <stdlib.h>

#include "analysis/analysis_errors.h"
#include "analysis/polls.h"
#include "diff_options.h"
#include "walked.h"

enum {
    EQUAL_MAX = 1 << 16, /* pairs of calls that are known to be equal */
    ROWS_MAX = 10000     /* calls of a thread whose values become rows; beyond, they are not compared */
};

/* Returns the kind of a class; NO_KIND: no memory. */
static uint32_t kind_of(struct comparison *c, unsigned side, const struct pilgrim_class *class, bool failed_poll)
{
    const struct key key = {{side, (uint64_t)(uintptr_t) class, failed_poll}};
    const uint64_t *known = key_table_find(&c->kind_of, key);
    if (known)
        return (uint32_t)*known;
    uint32_t taken = call_kinds_take(c->kinds, side, class, failed_poll);
    uint32_t kind = taken == UINT32_MAX ? NO_KIND : call_kinds_of(c->kinds, taken);
    return kind == NO_KIND || !key_table_put(&c->kind_of, key, kind) ? NO_KIND : kind;
}

/* Classes of one segment may be where those of another one were. */
static void enter_segment(struct comparison *c, struct walked *w)
{
    uint32_t segment = pilgrim_cursor_segment(w->cursor);
    if (segment != w->segment)
        key_table_clear(&c->kind_of);
    w->segment = segment;
}

enum pilgrim_status walked_next(struct comparison *c, unsigned side, struct walked *w, struct pilgrim_error *error)
{
    for (;;) {
        w->kind = NO_KIND;
        enum pilgrim_status status = w->next(w, error);
        if (status != PILGRIM_OK)
            return status == PILGRIM_END ? PILGRIM_OK : status;
        bool failed_poll = call_is_failed_poll(&w->call);
        if (w->cursor)
            enter_segment(c, w);
        else if (pilgrim_segment_count(c->sides[side]->trace) > 1)
            key_table_clear(&c->kind_of);
        if (failed_poll && (c->rules.ignored & IGNORE_POLLS))
            continue;
        if (w->replayed && replay_leaves_out(w->replayed, &w->call, c->rules.not_replayed)) {
            replay_follow(w->replayed, &w->call);
            continue;
        }
        w->kind = kind_of(c, side, w->call.class_, failed_poll);
        uint64_t *count =
            w->counts && w->kind != NO_KIND ? key_table_put(w->counts, (struct key){{w->kind, side}}, 0) : NULL;
        if (count)
            ++*count;
        return w->kind == NO_KIND || (w->counts && !count) ? no_memory(error) : PILGRIM_OK;
    }
}

/* The next call of a cursor. */
static enum pilgrim_status next_of_cursor(struct walked *w, struct pilgrim_error *error)
{
    return pilgrim_cursor_next(w->cursor, &w->call, error);
}

/* Counts the calls of each kind: COUNTS, by kind, two each. */
static enum pilgrim_status count_kinds(struct comparison *c, unsigned side, const struct side_thread *thread,
                                       struct key_table *counts, struct pilgrim_error *error)
{
    struct walked w = {0};
    enum pilgrim_status status =
        pilgrim_cursor_open(c->sides[side]->trace, thread->rank, thread->thread, &w.cursor, error);
    size_t number;
    uint64_t count;
    while (status == PILGRIM_OK && (status = pilgrim_cursor_pass(w.cursor, &number, &count, error)) == PILGRIM_OK) {
        struct pilgrim_class_info info;
        struct pilgrim_call call;
        enter_segment(c, &w);
        status = pilgrim_class_info(w.cursor, number, &info);
        if (status != PILGRIM_OK || info.body)
            continue;
        bool failed_poll = info.signature_count > 0 &&
                           pilgrim_signature(w.cursor, number, 0, &call, NULL) == PILGRIM_OK &&
                           call_is_failed_poll(&call);
        uint32_t kind = kind_of(c, side, info.class_, failed_poll);
        uint64_t *sum = kind == NO_KIND ? NULL : key_table_put(counts, (struct key){{kind, side}}, 0);
        status = sum ? PILGRIM_OK : no_memory(error);
        if (sum && !(failed_poll && (c->rules.ignored & IGNORE_POLLS)))
            *sum += count;
    }
    pilgrim_cursor_close(w.cursor);
    key_table_clear(&c->kind_of);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Adds the calls of which one thread makes more. */
static enum pilgrim_status compare_counts(struct comparison *c, const struct side_thread *const threads[2],
                                          const struct diff_where *where, struct pilgrim_error *error)
{
    struct key_table counts = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (unsigned side = 0; side < 2 && status == PILGRIM_OK; side++)
        status = count_kinds(c, side, threads[side], &counts, error);
    for (uint32_t kind = 0; call_kinds_at(c->kinds, kind) && status == PILGRIM_OK; kind++) {
        uint64_t sums[2];
        for (unsigned side = 0; side < 2; side++) {
            const uint64_t *sum = key_table_find(&counts, (struct key){{kind, side}});
            sums[side] = sum ? *sum : 0;
        }
        if (sums[0] != sums[1])
            differ_count(c->found, where, kind, sums);
    }
    key_table_clear(&counts);
    return status;
}

/* Compares the values of two calls of one kind. EQUAL: pairs of calls that are known to be. */
static void compare_calls(struct comparison *c, const struct walked w[2], const struct diff_where *where,
                          const uint32_t ranks[2], struct key_table *equal, size_t *equal_count, size_t *rows)
{
    struct value_difference found[VALUE_DIFFERENCES_MAX];
    const struct key key = {{w[0].call.identity, w[1].call.identity, (uint64_t)w[0].segment << 32 | w[1].segment}};
    bool known = w[0].call.identity && w[1].call.identity && !c->rules.not_replayed;
    if (c->structure_only || *rows > ROWS_MAX || (known && key_table_find(equal, key)))
        return;
    unsigned count = values_compare(&c->rules, &w[0].call, &w[1].call, found);
    for (unsigned i = 0; i < count; i++)
        differ_value(c->found, where, w[0].kind, &found[i], 1, ranks);
    *rows += count > 0;
    if (count > 0 || !known)
        return;
    if (++*equal_count > EQUAL_MAX) {
        key_table_clear(equal);
        *equal_count = 1;
    }
    (void)key_table_put(equal, key, 1); /* without memory, it is compared again */
}

enum pilgrim_status walked_compare(struct comparison *c, struct walked w[2], struct diff_where *where,
                                   const uint32_t ranks[2], bool *differs, struct pilgrim_error *error)
{
    struct key_table equal = {0};
    size_t equal_count = 0, rows = 0;
    enum pilgrim_status status = PILGRIM_OK;
    for (*differs = false; status == PILGRIM_OK;) {
        for (unsigned side = 0; side < 2 && status == PILGRIM_OK; side++) {
            status = walked_next(c, side, &w[side], error);
            where->call[side] = w[side].kind == NO_KIND ? NO_CALL : w[side].call.seq;
            where->at[side] = w[side].place;
        }
        *differs = status == PILGRIM_OK && w[0].kind != w[1].kind;
        if (*differs || status != PILGRIM_OK || w[0].kind == NO_KIND)
            break;
        for (unsigned side = 0; side < 2 && w[side].replayed; side++)
            replay_follow(w[side].replayed, &w[side].call);
        compare_calls(c, w, where, ranks, &equal, &equal_count, &rows);
    }
    key_table_clear(&equal);
    return status;
}

enum pilgrim_status threads_walk(struct comparison *c, const struct side_thread *a, const struct side_thread *b,
                                 uint32_t rank, struct pilgrim_error *error)
{
    const struct side_thread *threads[2] = {a, b};
    struct walked w[2] = {{.next = next_of_cursor}, {.next = next_of_cursor}};
    const uint32_t ranks[2] = {a->rank, b->rank};
    struct replayed_thread replayed[2] = {{.begun = 0}, {.begun = 0}};
    struct diff_where where = {
        .rank = rank, .thread = a->thread, .group = {NO_GROUP, NO_GROUP}, .ranks = {a->rank, b->rank}, .walked = true};
    enum pilgrim_status status = PILGRIM_OK;
    bool differs = false;
    for (unsigned side = 0; side < 2 && status == PILGRIM_OK; side++)
        status = pilgrim_cursor_open(c->sides[side]->trace, threads[side]->rank, threads[side]->thread, &w[side].cursor,
                                     error);
    for (int side = 0; side < 2 && c->rules.not_replayed; side++)
        w[side].replayed = &replayed[side];
    c->rules.threads = replayed;
    if (status == PILGRIM_OK)
        status = walked_compare(c, w, &where, ranks, &differs, error);
    if (status == PILGRIM_OK && differs) {
        const uint32_t kinds[2] = {w[0].kind, w[1].kind};
        uint64_t calls[2];
        for (int side = 0; side < 2; side++)
            calls[side] = pilgrim_call_count(c->sides[side]->trace, threads[side]->rank, threads[side]->thread);
        differ_first(c->found, &where, kinds, calls, NO_CALL);
        if (!c->rules.not_replayed)
            status = compare_counts(c, threads, &where, error);
    }
    for (int side = 0; side < 2; side++)
        replayed_thread_free(&replayed[side]);
    pilgrim_cursor_close(w[0].cursor);
    pilgrim_cursor_close(w[1].cursor);
    key_table_clear(&c->kind_of);
    return status;
}
