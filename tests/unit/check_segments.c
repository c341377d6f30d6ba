/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of several segments, read from memory, and from files of which only a part is in memory.
 *
 * One file, as one maker makes all traces and knows what they hold. Each test needs a process of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "built_trace.h"
#include "hostile_trace.h"
#include "read/file/load.h"
#include "read/file/shards.h"

/* ---- the trace: what each thread calls in each segment ---- */

enum { WORLD = 3, ROUNDS = 4, SHARDS = 7, PLACES = 4, LOOP_PLACE = 3, TRIPS = 3, CALLS_MAX = 64, CHANGES = 80 };

/* size: of view 1; 0: the process streams have no calls. silent: one of the threads of the one rank, if not 0: it has
 * no calls. */
static const struct {
    uint32_t segment, first, ranks, threads;
    int64_t size;
    uint32_t silent;
} plan[SHARDS] = {{0, 0, 2, 1, 99, 0}, {0, 2, 1, 1, 99, 0}, {1, 0, 3, 2, 0, 0}, {2, 0, 1, 0, 98, 0},
                  {2, 1, 2, 1, 4, 0},  {3, 0, 2, 1, 7, 0},  {3, 2, 1, 4, 0, 2}};

/* The sequences of places; in segment 1 LOOP_PLACE stands for 1 2, TRIPS times. */
static const uint64_t order[ROUNDS][8] = {
    {0, 1, 2, 0, 1, 2, 2, 0}, {0, 3, 1, 0, 3, 2, 2, 2}, {2}, {0, 0, 0, 1, 0, 2, 1, 1}};
static const size_t lengths[ROUNDS] = {8, 8, 1, 8};

static uint32_t class_of(uint32_t segment, uint64_t class_index)
{
    return 1 + ((uint32_t)class_index + segment) % 5;
}

/* Those of the segment as they are called. */
static size_t unrolled(uint32_t segment, uint64_t *class_indices)
{
    size_t count = 0;
    for (size_t i = 0; i < lengths[segment]; i++) {
        bool loop = order[segment][i] == LOOP_PLACE;
        for (unsigned k = 0; k < (loop ? TRIPS : 1); k++) {
            class_indices[count++] = loop ? 1 : order[segment][i];
            if (loop)
                class_indices[count++] = 2;
        }
    }
    return count;
}

struct expected_segment_call {
    uint32_t segment;
    uint64_t class_index;
    int64_t value, rank;
};

static int64_t value_of(size_t shard, uint64_t class_index, uint64_t member)
{
    return 10000 * (int64_t)(shard + 1) + 100 * (int64_t)class_index + (int64_t)member;
}

static size_t shard_of(uint32_t segment, uint32_t rank)
{
    size_t v = 0;
    while (plan[v].segment != segment || rank < plan[v].first || rank >= plan[v].first + plan[v].ranks)
        v++;
    return v;
}

/* By the last segment whose process stream has calls. */
static int64_t expected_rank(uint32_t rank)
{
    int64_t size = rank == 2 ? 4 : 7;
    return (1 + rank / 2 % size) % size;
}

/* Which member of its group a thread is; false: of none, or of one without calls. */
static bool member_of(size_t shard, uint32_t rank, uint32_t thread, uint64_t *member)
{
    *member = (uint64_t)(rank - plan[shard].first) * plan[shard].threads + thread;
    if (plan[shard].silent && thread >= plan[shard].silent)
        --*member;
    return thread < plan[shard].threads && !(plan[shard].silent && thread == plan[shard].silent);
}

/* The calls of a thread in segments up to END. */
static size_t expect_calls(uint32_t rank, uint32_t thread, uint32_t end, struct expected_segment_call *calls)
{
    size_t count = 0;
    for (uint32_t segment = 0; segment < end; segment++) {
        size_t v = shard_of(segment, rank);
        uint64_t class_indices[CALLS_MAX], member;
        size_t length = member_of(v, rank, thread, &member) ? unrolled(segment, class_indices) : 0;
        for (size_t i = 0; i < length; i++)
            calls[count++] = (struct expected_segment_call){segment, class_indices[i],
                                                            value_of(v, class_indices[i], member), expected_rank(rank)};
    }
    return count;
}

static uint64_t put_terminals(struct built *b, const uint64_t *terminals, size_t count)
{
    struct rules_symbol symbols[CALLS_MAX];
    if (count < 2)
        return count ? 2 * terminals[0] + 1 : 0;
    for (size_t i = 0; i < count; i++)
        symbols[i] = (struct rules_symbol){.value = terminals[i], .exponent = 1};
    return put_rule(b, symbols, count);
}

/* The same terminal COUNT times. */
static uint64_t put_zeros(struct built *b, size_t count)
{
    static const uint64_t zeros[CALLS_MAX];
    return put_terminals(b, zeros, count);
}

static void put_class(struct built *b, size_t shard, uint64_t class_index, size_t calls, uint32_t members,
                      uint32_t *row)
{
    static const uint8_t tokens[] = {VALUE_ARRAY, 2, VALUE_INT, VALUE_RANK_BASE, VALUE_RANK, VALUE_NONE};
    int64_t *values = calloc(members + 1, sizeof *values);
    for (uint64_t m = 0; m < members; m++)
        values[m] = value_of(shard, class_index, m);
    const uint32_t columns[] = {put_list(b, values, members), put_column(b, EXPRESSION_CONSTANT, 1),
                                put_column(b, EXPRESSION_CONSTANT, 1)};
    const uint32_t signature = put_signature(b, put_shape(b, tokens, sizeof tokens), 0, columns, 3);
    *row = put_group_class(b, class_of(plan[shard].segment, class_index), 0);
    put_value_group(b, put_zeros(b, calls), &signature, 1);
    free(values);
}

static void build_shard(struct built *b, size_t shard)
{
    const uint32_t segment = plan[shard].segment, silent = plan[shard].silent;
    const uint32_t members = plan[shard].ranks * plan[shard].threads - (silent > 0);
    uint64_t class_indices[CALLS_MAX], bodies[PLACES] = {0};
    uint32_t rows[PLACES], row_count = segment == 1 ? PLACES : PLACES - 1;
    built_begin_segment(b, segment, plan[shard].ranks, plan[shard].first, plan[shard].size);
    b->threads = plan[shard].threads;
    size_t length = unrolled(segment, class_indices);
    for (uint64_t class_index = 0; class_index < PLACES - 1; class_index++) {
        size_t calls = 0;
        for (size_t i = 0; i < length; i++)
            calls += class_indices[i] == class_index;
        put_class(b, shard, class_index, calls, members, &rows[class_index]);
    }
    if (segment == 1) {
        const uint32_t trips = put_column(b, EXPRESSION_CONSTANT, TRIPS);
        const uint32_t signature = put_signature(b, put_shape(b, trips_tokens, sizeof trips_tokens), 0, &trips, 1);
        rows[LOOP_PLACE] = put_group_class(b, LOOP_CLASS, 0);
        put_value_group(b, put_zeros(b, 2), &signature, 1);
        bodies[LOOP_PLACE] = put_terminals(b, (uint64_t[]){1, 2}, 2);
    }
    int64_t numbers[CALLS_MAX] = {0};
    for (uint32_t m = 0; m < members; m++)
        numbers[m] = m + (silent && m >= silent);
    if (members > 0)
        put_loop_group(b, false, put_terminals(b, order[segment], lengths[segment]), rows, bodies, row_count,
                       put_list(b, numbers, members));
    if (silent)
        put_group(b, false, 0, NULL, 0, put_column(b, EXPRESSION_CONSTANT, silent));
    built_contents(b);
}

/* The shards of the plan, which are to be freed, and the file. */
static void build(struct built *shards, struct bytes *file)
{
    for (size_t v = 0; v < SHARDS; v++)
        build_shard(&shards[v], v);
    built_file(shards, SHARDS, file);
}

static void build_file(struct bytes *file)
{
    struct built shards[SHARDS];
    build(shards, file);
    for (size_t v = 0; v < SHARDS; v++)
        built_free(&shards[v]);
}

/* ---- what is read ---- */

static struct pilgrim_cursor *cursor_of(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, &error);
    ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    return cursor;
}

static void expect_call(struct pilgrim_cursor *cursor, const struct expected_segment_call *e, uint64_t seq)
{
    struct pilgrim_call call = next_call(cursor);
    struct pilgrim_class_info info;
    ck_assert_uint_eq(call.seq, seq);
    ck_assert_uint_eq(pilgrim_cursor_segment(cursor), e->segment);
    ck_assert_int_eq(call.in[0].items[0].integer, e->value);
    ck_assert_int_eq(call.in[0].items[1].integer, e->rank);
    ck_assert_int_eq(pilgrim_class_info(cursor, (size_t)e->class_index, &info), PILGRIM_OK);
    ck_assert_ptr_eq(call.class_, info.class_);
}

static void expect_end(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    size_t class;
    uint64_t count;
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
        ck_assert_int_eq(pilgrim_cursor_pass(cursor, &class, &count, &error), PILGRIM_END);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, 5), PILGRIM_OK);
    }
}

/* All calls, from each on. */
static void expect_thread(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint32_t segments)
{
    struct expected_segment_call calls[CALLS_MAX];
    size_t count = expect_calls(rank, thread, segments, calls);
    ck_assert_uint_eq(pilgrim_call_count(trace, rank, thread), count);
    for (size_t from = 0; from <= count; from++) {
        struct pilgrim_cursor *cursor = cursor_of(trace, rank, thread);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, from), PILGRIM_OK);
        for (size_t i = from; i < count; i++)
            expect_call(cursor, &calls[i], i);
        expect_end(cursor);
        pilgrim_cursor_close(cursor);
    }
}

static uint32_t threads_of(uint32_t rank, uint32_t segments)
{
    uint32_t most = 0;
    for (uint32_t segment = 0; segment < segments; segment++)
        most = plan[shard_of(segment, rank)].threads > most ? plan[shard_of(segment, rank)].threads : most;
    return most;
}

static void expect_all(const struct pilgrim_trace *trace)
{
    ck_assert_uint_eq(pilgrim_rank_count(trace), WORLD);
    ck_assert_uint_eq(pilgrim_segment_count(trace), ROUNDS);
    for (uint32_t rank = 0; rank < WORLD; rank++) {
        ck_assert_uint_eq(pilgrim_thread_count(trace, rank), threads_of(rank, ROUNDS));
        for (uint32_t thread = 0; thread < threads_of(rank, ROUNDS); thread++)
            expect_thread(trace, rank, thread, ROUNDS);
    }
}

START_TEST(rounds_follow_each_other)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    build_file(&file);
    ck_assert_msg(trace_load(file.data, file.length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    ck_assert_msg(error.status == PILGRIM_OK, "%s", error.message);
    expect_all(trace);
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

/* Calls read, passed and skipped in turns. */
START_TEST(calls_are_passed)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct expected_segment_call calls[CALLS_MAX];
    build_file(&file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    for (state = 1; state < 300; state++) {
        uint32_t rank = (uint32_t)below(WORLD), thread = (uint32_t)below(threads_of(rank, ROUNDS));
        size_t count = expect_calls(rank, thread, ROUNDS, calls), class, i = 0;
        struct pilgrim_cursor *cursor = cursor_of(trace, rank, thread);
        while (i < count) {
            uint64_t way = below(3), some = below(9), same;
            if (way == 0) {
                ck_assert_int_eq(pilgrim_cursor_skip(cursor, some), PILGRIM_OK);
                i = i + some < count ? i + some : count;
            } else if (way == 1) {
                expect_call(cursor, &calls[i], i);
                i++;
            } else {
                ck_assert_int_eq(pilgrim_cursor_pass(cursor, &class, &same, &error), PILGRIM_OK);
                ck_assert_uint_le(i + same, count);
                for (; same > 0; same--, i++)
                    ck_assert(class == calls[i].class_index && pilgrim_cursor_segment(cursor) == calls[i].segment);
            }
        }
        expect_end(cursor);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

START_TEST(rounds_are_told_of)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct pilgrim_thread_info info;
    struct pilgrim_trips trips;
    struct pilgrim_grammar *grammar;
    struct expected_segment_call calls[CALLS_MAX];
    build_file(&file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    struct pilgrim_cursor *cursor = cursor_of(trace, 2, 0);
    for (uint32_t segment = 0; segment < ROUNDS; segment++) {
        ck_assert_uint_eq(pilgrim_cursor_segment(cursor), segment);
        size_t before = expect_calls(2, 0, segment, calls), count = expect_calls(2, 0, segment + 1, calls);
        ck_assert_uint_eq(pilgrim_cursor_segment_calls(cursor), count - before);
        pilgrim_thread_info(cursor, &info);
        ck_assert_uint_eq(info.class_count, segment == 1 ? PLACES : PLACES - 1);
        ck_assert_uint_eq(info.structure_group, segment == 1 ? 1 : segment == 2 ? 2 : 3);
        ck_assert_uint_eq(info.structure_group_size, segment == 1 ? 6 : segment == 2 ? 2 : segment == 3 ? 3 : 1);
        ck_assert_int_eq(pilgrim_grammar_open(cursor, info.structure, &grammar, &error), PILGRIM_OK);
        ck_assert_uint_eq(pilgrim_grammar_length(grammar), lengths[segment]);
        pilgrim_grammar_close(grammar);
        enum pilgrim_status status = pilgrim_loop_trips(cursor, LOOP_PLACE, &trips, &error);
        ck_assert_int_eq(status, segment == 1 ? PILGRIM_OK : PILGRIM_INVALID);
        ck_assert(segment != 1 || (trips.entered == 2 && trips.total == 2 * TRIPS));
        if (segment % 2)
            expect_call(cursor, &calls[before], before);
        ck_assert_int_eq(pilgrim_cursor_next_segment(cursor, &error), segment + 1 < ROUNDS ? PILGRIM_OK : PILGRIM_END);
    }
    expect_call(cursor, &calls[expect_calls(2, 0, ROUNDS - 1, calls) + 1], expect_calls(2, 0, ROUNDS - 1, calls) + 1);
    pilgrim_cursor_close(cursor);
    /* Threads that come later, or never. */
    for (uint32_t thread = 2; thread < 4; thread++) {
        cursor = cursor_of(trace, 2, thread);
        ck_assert_uint_eq(pilgrim_cursor_segment(cursor), 3);
        ck_assert_int_eq(pilgrim_cursor_next_segment(cursor, &error), PILGRIM_END);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

/* ---- what is damaged ---- */

/* Without its end: as many shards as are whole. The views are those of the last segment that is there. */
START_TEST(rounds_cut_off)
{
    struct bytes file = {0};
    struct built shards[SHARDS];
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct expected_segment_call calls[CALLS_MAX];
    size_t ends[SHARDS];
    build(shards, &file);
    for (size_t v = 0; v < SHARDS; v++) {
        struct bytes part = {0};
        built_file(shards, v + 1, &part);
        ends[v] = part.length - 7; /* an end section */
        bytes_free(&part);
    }
    for (size_t length = ends[1]; length < file.length; length++) {
        ck_assert_int_eq(trace_load(file.data, length, &trace, &error), PILGRIM_OK);
        ck_assert_int_eq(error.status, PILGRIM_TRUNCATED);
        ck_assert_uint_eq(pilgrim_rank_count(trace), WORLD);
        size_t whole = 0;
        while (whole < SHARDS && ends[whole] <= length)
            whole++;
        for (uint32_t rank = 0; rank < WORLD; rank++) {
            uint32_t segments = 0;
            while (segments < ROUNDS && shard_of(segments, rank) < whole)
                segments++;
            size_t count = expect_calls(rank, 0, segments, calls);
            ck_assert_uint_eq(pilgrim_thread_count(trace, rank), threads_of(rank, segments));
            struct pilgrim_cursor *cursor = cursor_of(trace, rank, 0);
            for (size_t i = 0; i < count; i++)
                ck_assert_int_eq(next_call(cursor).in[0].items[0].integer, calls[i].value);
            expect_end(cursor);
            pilgrim_cursor_close(cursor);
        }
        pilgrim_close(trace);
    }
    for (size_t v = 0; v < SHARDS; v++)
        built_free(&shards[v]);
    bytes_free(&file);
}
END_TEST

static const struct {
    const char *message;
    uint32_t segments, ranks; /* that can be read */
    struct {
        uint32_t ranks;
        bool begins;
    } volumes[5];
} wrong[] = {
    {"without one before it", 0, 0, {{2, true}, {2, true}}},
    {"before all ranks of segment 1", 2, 3, {{2, false}, {1, false}, {2, true}}},
    {"before all ranks of the last one", 2, 3, {{2, false}, {1, false}, {2, true}, {3, true}}},
    {"more ranks than the first one", 1, 2, {{2, false}, {3, true}}},
    {"more ranks than the first one", 2, 2, {{2, false}, {1, true}, {2, false}}},
    {"more ranks than the first one", 2, 1, {{1, false}, {1, true}, {1, false}}},
};

START_TEST(rounds_that_do_not_fit)
{
    struct built shards[5];
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    size_t count = 0;
    for (; count < 5 && wrong[_i].volumes[count].ranks; count++) {
        built_begin(&shards[count], wrong[_i].volumes[count].ranks, 0);
        shards[count].begins_segment = wrong[_i].volumes[count].begins;
        shards[count].threads = 0;
        built_contents(&shards[count]);
    }
    built_file(shards, count, &file);
    enum pilgrim_status status = trace_load(file.data, file.length, &trace, &error);
    ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
    ck_assert_msg(strstr(error.message, wrong[_i].message) != NULL, "%s", error.message);
    ck_assert_int_eq(status, wrong[_i].segments ? PILGRIM_OK : PILGRIM_DAMAGED);
    if (status == PILGRIM_OK) {
        ck_assert_uint_eq(pilgrim_segment_count(trace), wrong[_i].segments);
        ck_assert_uint_eq(pilgrim_rank_count(trace), wrong[_i].ranks);
    }
    pilgrim_close(trace);
    while (count > 0)
        built_free(&shards[--count]);
    bytes_free(&file);
}
END_TEST

START_TEST(bytes_changed)
{
    struct built shards[SHARDS];
    struct bytes file = {0};
    unsigned opened = 0;
    state = (uint64_t)_i + 1;
    build(shards, &file);
    limit_memory();
    for (unsigned i = 0; i < CHANGES; i++) {
        struct built *b = &shards[below(SHARDS)];
        struct bytes *content = below(4) ? &b->calls : &b->definitions, kept = *content;
        uint8_t *copy = malloc(kept.length);
        memcpy(copy, kept.data, kept.length);
        mutate(content);
        file.length = 0;
        built_file(shards, SHARDS, &file);
        opened += walk(file.data, file.length) == PILGRIM_OK;
        memcpy(kept.data, copy, kept.length);
        *content = kept;
        free(copy);
    }
    ck_assert_uint_gt(opened, 2);
    for (size_t v = 0; v < SHARDS; v++)
        built_free(&shards[v]);
    bytes_free(&file);
}
END_TEST

/* ---- what calls keep is forgotten ---- */

/* One call a shard: the first keeps an array, that of the second one is a change of it. */
static void build_keeping(struct built *shards, bool keeps)
{
    static const uint8_t keeping[] = {VALUE_REGISTER, 0, VALUE_ARRAY, 1, VALUE_INT, VALUE_NONE, VALUE_NONE},
                         editing[] = {VALUE_EDITED, 1, 0, VALUE_NONE, VALUE_NONE};
    for (uint32_t segment = 0; segment < 2; segment++) {
        struct built *b = &shards[segment];
        bool first = segment == 0 || keeps;
        built_begin_segment(b, segment, 1, 0, SIZE_1);
        const uint32_t column = put_column(b, EXPRESSION_CONSTANT, 5);
        const uint32_t shape = first ? put_shape(b, keeping, sizeof keeping) : put_shape(b, editing, sizeof editing);
        const uint32_t signature = put_signature(b, shape, 0, &column, first);
        const uint32_t row = put_group_class(b, CHANGING_CLASS, 0);
        put_value_group(b, 1, &signature, 1);
        put_group(b, false, 1, &row, 1, put_counting(b, 1));
        built_contents(b);
    }
}

START_TEST(registers_are_empty_in_a_new_round)
{
    struct built shards[2];
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct pilgrim_call call;
    size_t class;
    uint64_t count;
    build_keeping(shards, _i);
    built_file(shards, 2, &file);
    ck_assert_msg(trace_load(file.data, file.length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_OK);
    enum pilgrim_status status = pilgrim_cursor_next(cursor, &call, &error);
    ck_assert_int_eq(status, _i ? PILGRIM_OK : PILGRIM_DAMAGED);
    ck_assert_msg(_i || strstr(error.message, "call 1,"), "%s", error.message);
    pilgrim_cursor_close(cursor);
    /* What was passed over in a segment is of no account in the next one. */
    cursor = open_cursor(trace, 0);
    ck_assert_int_eq(pilgrim_cursor_pass(cursor, &class, &count, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_cursor_next_segment(cursor, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), status);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    for (unsigned i = 0; i < 2; i++)
        built_free(&shards[i]);
    bytes_free(&file);
}
END_TEST

enum { PAIRS = 1500 };

/* PAIRS times two calls: one keeps an array, that of the other one is what was kept. */
static void build_pairs(struct built *b, uint32_t segment)
{
    static const uint8_t keeping[] = {VALUE_REGISTER, 0, VALUE_ARRAY, 1, VALUE_INT, VALUE_NONE, VALUE_NONE},
                         editing[] = {VALUE_EDITED, 1, 0, VALUE_NONE, VALUE_NONE};
    built_begin_segment(b, segment, 1, 0, SIZE_1);
    const uint32_t column = put_column(b, EXPRESSION_CONSTANT, 10 * (int64_t)segment);
    const uint32_t signatures[] = {put_signature(b, put_shape(b, keeping, sizeof keeping), 0, &column, 1),
                                   put_signature(b, put_shape(b, editing, sizeof editing), 0, NULL, 0)};
    const struct rules_symbol zeros = {.value = 0, .exponent = PAIRS};
    const uint64_t values = put_rule(b, &zeros, 1), pair = put_terminals(b, (uint64_t[]){0, 1}, 2);
    const struct rules_symbol pairs = {.value = rules_start(pair), .exponent = PAIRS, .is_rule = true};
    uint32_t rows[2];
    for (unsigned k = 0; k < 2; k++) {
        rows[k] = put_group_class(b, CHANGING_CLASS, 0);
        put_value_group(b, values, &signatures[k], 1);
    }
    put_group(b, false, put_rule(b, &pairs, 1), rows, 2, put_counting(b, 1));
    built_contents(b);
}

/* Whole segments may be skipped without a look at what their calls keep. */
START_TEST(rounds_are_skipped)
{
    static const uint64_t begins[] = {0, 1, 1025, 2999, 3000, 3001, 4500, 6000, 6001, 8999};
    struct built shards[3];
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    for (uint32_t segment = 0; segment < 3; segment++)
        build_pairs(&shards[segment], segment);
    built_file(shards, 3, &file);
    ck_assert_msg(trace_load(file.data, file.length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, 0);
        if (i % 2)
            ck_assert_uint_eq(next_call(cursor).seq, 0);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, begins[i] - i % 2), PILGRIM_OK);
        for (uint64_t seq = begins[i]; seq < 6 * PAIRS && seq < begins[i] + 5; seq++) {
            struct pilgrim_call call = next_call(cursor);
            ck_assert_uint_eq(call.seq, seq);
            ck_assert_int_eq(call.in[0].items[0].integer, (int64_t)(seq / (2 * PAIRS) * 10));
        }
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, 10000), PILGRIM_OK);
        expect_end(cursor);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
    for (unsigned i = 0; i < 3; i++)
        built_free(&shards[i]);
    bytes_free(&file);
}
END_TEST

/* ---- files ---- */

static char path[64];
static uint64_t offsets[SHARDS]; /* of the shards in the file */

static struct pilgrim_trace *open_file(uint64_t limit)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    build_file(&file);
    strcpy(path, "/tmp/check_segments.XXXXXX");
    int descriptor = mkstemp(path);
    ck_assert(descriptor >= 0 && write(descriptor, file.data, file.length) == (ssize_t)file.length);
    close(descriptor);
    bytes_free(&file);
    ck_assert_msg(trace_open(path, limit, PILGRIM_MEMORY_DEFAULT, &trace, &error) == PILGRIM_OK, "%s", error.message);
    ck_assert_msg(error.status == PILGRIM_OK, "%s", error.message);
    for (size_t v = 0; v < SHARDS; v++)
        offsets[v] = trace->entries[v].sections[SECTION_CALLS].offset;
    return trace;
}

START_TEST(volumes_come_and_go)
{
    struct pilgrim_trace *trace = open_file(_i ? 40000 : 1);
    ck_assert_ptr_nonnull(trace->cache);
    expect_all(trace);
    /* No more than may be kept, and one for each cursor: there is none. */
    uint64_t most = 0, sum = 0;
    for (size_t v = 0; v < SHARDS; v++) {
        most = trace->entries[v].bytes > most ? trace->entries[v].bytes : most;
        sum += trace->entries[v].shard ? trace->entries[v].bytes : 0;
        ck_assert_uint_eq(trace->entries[v].users, 0);
    }
    ck_assert_uint_eq(sum, trace->cache->bytes);
    ck_assert(sum <= trace->cache->limit || sum <= most);
    pilgrim_close(trace);
    unlink(path);
}
END_TEST

START_TEST(small_traces_stay_in_memory)
{
    struct pilgrim_trace *trace = open_file(UINT64_C(1) << 20);
    unlink(path);
    ck_assert_ptr_null(trace->cache);
    expect_all(trace);
    pilgrim_close(trace);
}
END_TEST

/* The memory that is allowed is enough, or the message says how to allow more. Shards that are dropped give theirs
 * back: less than all shards together suffices. */
START_TEST(memory_is_limited)
{
    struct pilgrim_trace *trace = open_file(UINT64_C(1) << 20);
    struct pilgrim_error error;
    uint64_t all = 0, least = 0;
    for (size_t v = 0; v < SHARDS; v++)
        all += trace->entries[v].bytes;
    pilgrim_close(trace);
    for (uint64_t memory = 0; memory <= all; memory += 500) {
        enum pilgrim_status status = pilgrim_open_limited(path, memory, &trace, &error);
        ck_assert_int_eq(status == PILGRIM_OK, trace != NULL);
        if (status == PILGRIM_OK && error.status == PILGRIM_OK) {
            least = least ? least : memory;
            if (memory >= all / 2)
                expect_all(trace);
        } else {
            ck_assert_msg(!least, "%llu bytes suffice, %llu do not", (unsigned long long)least,
                          (unsigned long long)memory);
            ck_assert_int_eq(error.status, PILGRIM_LIMIT);
            ck_assert_msg(strstr(error.message, "--memory=SIZE") && strstr(error.message, "byte "), "%s",
                          error.message);
        }
        pilgrim_close(trace);
    }
    ck_assert_msg(least > 0 && least < all / 2, "%llu of %llu bytes", (unsigned long long)least,
                  (unsigned long long)all);
    ck_assert_int_eq(pilgrim_open_limited(path, UINT64_MAX, &trace, &error), PILGRIM_OK);
    pilgrim_close(trace);
    unlink(path);
}
END_TEST

/* A grammar stays when its cursor has gone, and other shards have come. */
START_TEST(grammars_stay)
{
    struct pilgrim_trace *trace = open_file(1);
    struct pilgrim_error error;
    struct pilgrim_thread_info info;
    struct pilgrim_grammar *grammar;
    struct pilgrim_cursor *cursor = cursor_of(trace, 0, 0);
    pilgrim_thread_info(cursor, &info);
    ck_assert_int_eq(pilgrim_grammar_open(cursor, info.structure, &grammar, &error), PILGRIM_OK);
    pilgrim_cursor_close(cursor);
    expect_thread(trace, 2, 0, ROUNDS);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 0), lengths[0]);
    for (size_t i = 0; i < lengths[0]; i++)
        ck_assert_uint_eq(pilgrim_grammar_symbol(grammar, 0, i).value, order[0][i]);
    pilgrim_grammar_close(grammar);
    pilgrim_close(trace);
    unlink(path);
}
END_TEST

static void *walk_all(void *trace)
{
    for (unsigned i = 0; i < 3; i++)
        expect_all(trace);
    return NULL;
}

START_TEST(threads_share_a_trace)
{
    enum { WALKERS = 4 };
    pthread_t walkers[WALKERS];
    struct pilgrim_trace *trace = open_file(_i ? 40000 : 1);
    for (unsigned i = 0; i < WALKERS; i++)
        ck_assert_int_eq(pthread_create(&walkers[i], NULL, walk_all, trace), 0);
    for (unsigned i = 0; i < WALKERS; i++)
        pthread_join(walkers[i], NULL);
    pilgrim_close(trace);
    unlink(path);
}
END_TEST

/* A file that changes, or becomes shorter, is not believed; what does not need it can still be read. */
START_TEST(files_that_change)
{
    struct pilgrim_trace *trace = open_file(1);
    struct pilgrim_error error;
    struct pilgrim_call call;
    struct pilgrim_cursor *cursor = cursor_of(trace, 1, 0);
    struct expected_segment_call calls[CALLS_MAX];
    size_t count = expect_calls(1, 0, 2, calls);
    if (_i == 0) {
        ck_assert_int_eq(truncate(path, (off_t)offsets[4] + 3), 0);
    } else {
        FILE *file = fopen(path, "r+b");
        uint8_t byte;
        ck_assert(file && fseek(file, (long)offsets[4] + 12, SEEK_SET) == 0 && fread(&byte, 1, 1, file) == 1);
        byte ^= 1;
        ck_assert(fseek(file, (long)offsets[4] + 12, SEEK_SET) == 0 && fwrite(&byte, 1, 1, file) == 1);
        fclose(file);
    }
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(next_call(cursor).in[0].items[0].integer, calls[i].value);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_DAMAGED);
        ck_assert_msg(strstr(error.message, "has changed") != NULL, "%s", error.message);
        ck_assert_uint_eq(error.offset, offsets[4]);
    }
    ck_assert_int_eq(pilgrim_cursor_skip(cursor, 1), PILGRIM_OK);
    ck_assert_uint_eq(pilgrim_call_count(trace, 1, 0), 0);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("segments");
    TCase *tests = tcase_create("segments");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, rounds_follow_each_other);
    tcase_add_test(tests, calls_are_passed);
    tcase_add_test(tests, rounds_are_told_of);
    tcase_add_test(tests, rounds_cut_off);
    tcase_add_loop_test(tests, rounds_that_do_not_fit, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_loop_test(tests, bytes_changed, 0, 4);
    tcase_add_loop_test(tests, registers_are_empty_in_a_new_round, 0, 2);
    tcase_add_test(tests, rounds_are_skipped);
    tcase_add_loop_test(tests, volumes_come_and_go, 0, 2);
    tcase_add_test(tests, small_traces_stay_in_memory);
    tcase_add_test(tests, memory_is_limited);
    tcase_add_test(tests, grammars_stay);
    tcase_add_loop_test(tests, threads_share_a_trace, 0, 2);
    tcase_add_loop_test(tests, files_that_change, 0, 2);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
