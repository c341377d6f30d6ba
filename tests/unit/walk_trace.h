/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking what may be a trace: asks the reader for all that it has. For the tests with hostile bytes, and the fuzzers.
 */
#ifndef TESTS_WALK_TRACE_H
#define TESTS_WALK_TRACE_H

#include <check.h>
#include <string.h>

#include "pilgrim/reader.h"

enum { CALLS_WALKED = 120, RANKS_WALKED = 7, SYSTEM_RANKS_MAX = 64 };

static uint64_t touched;

static void touch(const struct pilgrim_value *v)
{
    touched += (uint64_t)v->integer + (uint64_t)v->id + (uint64_t)v->offset;
    for (size_t i = 0; v->text && i < v->length; i++)
        touched += (uint8_t)v->text[i];
    for (size_t i = 0; i < v->count; i++)
        touch(&v->items[i]);
}

static void touch_call(const struct pilgrim_call *call)
{
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        touch(&call->in[i]);
        touch(&call->out[i]);
        touched += strlen(call->function->parameters[i].name);
    }
    touch(&call->ret);
    for (const struct pilgrim_frame *f = call->class_->site; f; f = f->caller) {
        touched += strlen(f->module) + f->offset;
        for (size_t i = 0; i < f->build_id_length; i++)
            touched += f->build_id[i];
    }
}

static void touch_functions(const struct pilgrim_trace *trace, const struct pilgrim_frame *f)
{
    for (uint64_t offset = 0; f; f = f->caller) {
        const char *function = pilgrim_frame_function(trace, f, &offset);
        ck_assert(!function || (*function && offset <= f->offset));
        touched += offset + (function ? strlen(function) : 0);
    }
}

/* What may go wrong behind the checks of opening: a rank's own values, and too much memory for them. */
static void expect_status(enum pilgrim_status status)
{
    ck_assert_msg(status == PILGRIM_OK || status == PILGRIM_END || status == PILGRIM_DAMAGED ||
                      status == PILGRIM_LIMIT || status == PILGRIM_NOMEM,
                  "status %d", status);
}

static void walk_grammar(const struct pilgrim_cursor *cursor, uint64_t sequence)
{
    struct pilgrim_grammar *grammar;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_grammar_open(cursor, sequence, &grammar, &error);
    expect_status(status);
    if (status != PILGRIM_OK)
        return;
    for (uint32_t r = 0; r < pilgrim_grammar_rules(grammar); r++)
        for (size_t i = 0; i < pilgrim_grammar_symbols(grammar, r); i++)
            touched += pilgrim_grammar_symbol(grammar, r, i).exponent;
    pilgrim_grammar_close(grammar);
}

static void check_statistic(const struct pilgrim_statistic *s)
{
    uint64_t count = 0;
    for (size_t i = 0; i < PILGRIM_BUCKETS; i++)
        count += s->histogram[i];
    ck_assert(s->brief ? count <= s->count : count == s->count);
    touched += s->min_ns + s->max_ns + s->min_rank + s->max_rank;
}

/* Of calls, not of a loop. */
static void walk_statistics(const struct pilgrim_cursor *cursor, size_t class, uint64_t signatures)
{
    struct pilgrim_statistic s;
    ck_assert_int_eq(pilgrim_durations(cursor, class, signatures, &s), PILGRIM_OK);
    check_statistic(&s);
    ck_assert_int_eq(pilgrim_gaps(cursor, class, signatures, PILGRIM_ANY_CALL, &s), PILGRIM_OK);
    check_statistic(&s);
    uint64_t before = PILGRIM_ANY_CALL;
    for (unsigned i = 0; i < 64 && pilgrim_class_before(cursor, class, signatures, &before) == PILGRIM_OK; i++) {
        ck_assert_int_eq(pilgrim_gaps(cursor, class, signatures, before, &s), PILGRIM_OK);
        check_statistic(&s);
    }
}

/* What is stored of the segment that CURSOR is in. */
static void walk_stored(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    pilgrim_thread_info(cursor, &info);
    walk_grammar(cursor, info.structure);
    touched += pilgrim_cursor_segment_calls(cursor);
    for (size_t c = 0; c < info.class_count && c < 64; c++) {
        ck_assert_int_eq(pilgrim_class_info(cursor, c, &class), PILGRIM_OK);
        walk_grammar(cursor, class.values);
        if (class.body) {
            struct pilgrim_trips trips;
            walk_grammar(cursor, class.body);
            expect_status(pilgrim_loop_trips(cursor, c, &trips, &error));
        } else {
            struct pilgrim_rank_class own;
            ck_assert_int_eq(pilgrim_rank_class(cursor, c, &own), PILGRIM_OK);
            touched += own.rank_count + own.has_durations + own.has_gaps;
            walk_statistics(cursor, c, PILGRIM_STRUCTURE_GROUP);
            walk_statistics(cursor, c, PILGRIM_VALUE_GROUP);
        }
        for (uint64_t s = 0; s < class.signature_count && s < 64; s++) {
            if (pilgrim_signature(cursor, c, s, &call, &error) == PILGRIM_OK)
                touch_call(&call);
            if (!class.body)
                walk_statistics(cursor, c, s);
        }
    }
}

static void walk_thread(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, &error);
    expect_status(status);
    if (status != PILGRIM_OK)
        return;
    walk_stored(cursor);
    for (unsigned i = 0; i < CALLS_WALKED && status == PILGRIM_OK; i++) {
        status = pilgrim_cursor_next(cursor, &call, &error);
        expect_status(status);
        if (status == PILGRIM_OK)
            touch_call(&call);
        if (status == PILGRIM_OK)
            touch_functions(trace, call.class_->site);
    }
    ck_assert_int_eq(pilgrim_cursor_skip(cursor, 3), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_cursor_skip_repeats(cursor, 70), PILGRIM_OK);
    expect_status(pilgrim_cursor_next(cursor, &call, &error));
    size_t passed;
    uint64_t passed_count;
    expect_status(pilgrim_cursor_pass(cursor, &passed, &passed_count, &error));
    touched += pilgrim_call_count(trace, rank, thread);
    do {
        walk_stored(cursor);
        status = pilgrim_cursor_next_segment(cursor, &error);
        expect_status(status);
    } while (status == PILGRIM_OK);
    pilgrim_cursor_close(cursor);
}

static void walk_communicators(const struct pilgrim_trace *trace, uint32_t rank)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_communicators_open(trace, rank, &list, &error);
    expect_status(status);
    for (unsigned i = 0; i < CALLS_WALKED && status == PILGRIM_OK; i++) {
        status = pilgrim_communicators_next(list, &c, &error);
        expect_status(status);
        if (status == PILGRIM_OK)
            touched += strlen(c.name) + strlen(c.topology) + (c.parent ? strlen(c.parent) : 0) + c.identity;
    }
    pilgrim_communicators_close(list);
}

/* All classes, and where the time of some ranks went. */
static void walk_profile(const struct pilgrim_trace *trace)
{
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class;
    struct pilgrim_rank_profile rank;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_profile_open(trace, &profile, &error);
    for (expect_status(status); status == PILGRIM_OK;) {
        status = pilgrim_profile_next(profile, &class, &error);
        expect_status(status);
        if (status != PILGRIM_OK)
            break;
        touched += strlen(class.class_->function->name);
        check_statistic(&class.durations);
        check_statistic(&class.gaps);
        check_statistic(&class.first_gaps);
    }
    pilgrim_profile_close(profile);
    for (uint32_t i = 0; i < pilgrim_rank_count(trace) && i < RANKS_WALKED; i++) {
        status = pilgrim_rank_profile(trace, i, &rank, &error);
        expect_status(status);
        for (unsigned k = 0; k < PILGRIM_ACTIVITIES && status == PILGRIM_OK; k++) {
            ck_assert(rank.first_rank <= i && i - rank.first_rank < rank.rank_count &&
                      rank.most_rank[k] < pilgrim_rank_count(trace));
            ck_assert(rank.ns[k] >= 0 && rank.most_ns[k] >= 0);
        }
    }
}

static void walk_system(const struct pilgrim_trace *trace)
{
    struct pilgrim_system *system;
    struct pilgrim_error error;
    struct pilgrim_host host;
    struct pilgrim_location at;
    uint32_t ranks = pilgrim_rank_count(trace), rank;
    if (ranks > SYSTEM_RANKS_MAX)
        return;
    enum pilgrim_status status = pilgrim_system_open(trace, &system, &error);
    expect_status(status);
    if (status != PILGRIM_OK)
        return;
    for (uint32_t i = 0; i < ranks; i++) {
        ck_assert_int_eq(pilgrim_system_location(system, i, &at), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_system_host(system, at.host, &host), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_system_rank(system, at.host, at.process, &rank), PILGRIM_OK);
        ck_assert_uint_eq(rank, i);
        for (size_t l = 0; l < host.level_count; l++)
            touched += strlen(host.levels[l].kind) + strlen(host.levels[l].name);
    }
    pilgrim_system_close(system);
}

/* Walks some of the calls of TRACE, and all that is stored of them. */
static void walk_trace(const struct pilgrim_trace *trace)
{
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && rank < RANKS_WALKED; rank++) {
        walk_communicators(trace, rank);
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank) && thread < 3; thread++)
            walk_thread(trace, rank, thread);
    }
    walk_system(trace);
    walk_profile(trace);
}

#endif
