/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces put together entry by entry, for the tests of the reader: every way to store something, whether the writer
 * chooses it or not, and what is wrong in one place only.
 *
 * All ranks have one thread (or another number, set before the contents are made) and the views 0 (the world) and 1
 * (rank / 2 of SIZE_1, or as built_begin_segment is told). Function 0 is pilgrim_process, function 1 MPI_F with one
 * input; classes 0 to CLASSES - 1, of function 1 but for class 0; LOOP_CLASS is that of loops, CHANGING_CLASS of MPI_G,
 * with one parameter that goes in and comes out; POSTING_CLASS of MPI_H, which begins operations, COMPLETING_CLASS of
 * MPI_I, which completes some. */
#ifndef TESTS_BUILT_TRACE_H
#define TESTS_BUILT_TRACE_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/value.h"
#include "format/section.h"
#include "format/trace_format.h"
#include "rules/rules.h"
#include "pilgrim/reader.h"
#include "read/file/load.h"

enum { CLASSES = 40, LOOP_CLASS = CLASSES, CHANGING_CLASS, POSTING_CLASS, COMPLETING_CLASS, SIZE_1 = 5 };

/* A table that grows. */
struct built_table {
    struct bytes data;
    uint32_t count;
};

struct built {
    uint32_t ranks;
    uint32_t first_rank; /* ranks of the shards before, in its segment */
    bool begins_segment;
    uint32_t threads; /* of each rank */
    struct bytes definitions, calls;
    uint8_t profile_form;             /* the type of the section of the profile; 0: SECTION_PROFILE */
    struct bytes statistics, profile; /* their sections, if not empty; whoever makes the trace puts them there */
    struct built_table shapes, rules, columns, signatures, partitions, group_classes, groups;
};

static uint64_t state;

static uint64_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state >> 33;
}

static uint64_t below(uint64_t limit)
{
    return draw() % limit;
}

/* ---- entries ---- */

static uint64_t put_rule(struct built *b, const struct rules_symbol *symbols, size_t count)
{
    struct bytes *to = &b->rules.data;
    bytes_put_varint(to, count);
    for (size_t i = 0; i < count; i++) {
        bool more = symbols[i].exponent > 1;
        bytes_put_varint(to, symbols[i].value << 2 | (more ? 2 : 0) | symbols[i].is_rule);
        if (more)
            bytes_put_varint(to, (symbols[i].exponent - 2) << 1 | symbols[i].is_ramp);
    }
    return RULES_SEQUENCE(b->rules.count++);
}

/* All terminals as a block. */
static inline uint64_t put_block(struct built *b, const uint64_t *terminals, size_t count)
{
    ck_assert(block_put(&b->rules.data, terminals, (uint32_t)count, below(2), false));
    return RULES_SEQUENCE(b->rules.count++);
}

/* Terminals FROM .. END - 1: one rule of runs, rules of halves, or a block. */
static inline uint64_t put_sequence(struct built *b, const uint64_t *terminals, size_t count)
{
    struct rules_symbol symbols[512];
    size_t used = 0;
    if (count < 2)
        return count ? 2 * terminals[0] + 1 : 0;
    if (count <= BLOCK_COUNT_MAX && below(5) == 0)
        return put_block(b, terminals, count);
    if (count > 4 && (count > 500 || below(4) == 0)) {
        size_t half = 2 + below(count - 3);
        for (int side = 0; side < 2; side++) {
            uint64_t rule = put_sequence(b, terminals + (side ? half : 0), side ? count - half : half);
            symbols[used++] = (struct rules_symbol){.value = rules_start(rule), .exponent = 1, .is_rule = true};
        }
        return put_rule(b, symbols, used);
    }
    for (size_t i = 0; i < count; used++) {
        size_t run = 1;
        while (i + run < count && terminals[i + run] == terminals[i])
            run++;
        symbols[used] = (struct rules_symbol){.value = terminals[i], .exponent = run};
        i += run;
    }
    return put_rule(b, symbols, used);
}

static uint32_t put_column(struct built *b, enum expression_kind kind, int64_t c)
{
    bytes_put_varint(&b->columns.data, kind);
    bytes_put_svarint(&b->columns.data, c);
    return b->columns.count++;
}

static inline uint32_t put_modulo(struct built *b, int64_t c, uint64_t modulus)
{
    uint32_t number = put_column(b, EXPRESSION_MODULO, c);
    bytes_put_varint(&b->columns.data, modulus);
    return number;
}

static uint32_t put_sums(struct built *b, int64_t first, uint64_t sequence)
{
    uint32_t number = put_column(b, EXPRESSION_SUMS, first);
    bytes_put_varint(&b->columns.data, sequence);
    return number;
}

static uint32_t put_list(struct built *b, const int64_t *values, size_t count)
{
    bytes_put_varint(&b->columns.data, EXPRESSION_LIST);
    bytes_put_varint(&b->columns.data, count);
    for (size_t i = 0; i < count; i++)
        bytes_put_svarint(&b->columns.data, values[i]);
    return b->columns.count++;
}

static uint32_t put_shape(struct built *b, const uint8_t *tokens, size_t length)
{
    bytes_put_varint(&b->shapes.data, length);
    bytes_put(&b->shapes.data, tokens, length);
    return b->shapes.count++;
}

/* References are written as numbers. */
static void put_references(struct bytes *to, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_put_varint(to, (uint64_t)numbers[i] + 1);
}

/* VECTOR: of so many calls' values, 0: of one's. */
static uint32_t put_signature(struct built *b, uint32_t shape, uint64_t vector, const uint32_t *columns, size_t count)
{
    bytes_put_varint(&b->signatures.data, ((uint64_t)shape + 1) << 1 | (vector > 0));
    if (vector)
        bytes_put_varint(&b->signatures.data, vector);
    put_references(&b->signatures.data, columns, count);
    return b->signatures.count++;
}

static inline uint32_t put_partition(struct built *b, const uint32_t *columns, size_t count)
{
    bytes_put_varint(&b->partitions.data, count);
    put_references(&b->partitions.data, columns, count);
    return b->partitions.count++;
}

/* A partition of COUNT value groups, by the column LABELS. */
static inline uint32_t put_labels(struct built *b, uint32_t labels, size_t count)
{
    bytes_put_varint(&b->partitions.data, 0);
    bytes_put_varint(&b->partitions.data, count);
    put_references(&b->partitions.data, &labels, 1);
    return b->partitions.count++;
}

/* PARTITION: its number + 1, or 0. The parts follow, by put_value_group. */
static uint32_t put_group_class(struct built *b, uint32_t class, uint32_t partition)
{
    bytes_put_varint(&b->group_classes.data, (uint64_t) class + 1);
    bytes_put_varint(&b->group_classes.data, partition ? (uint64_t)partition + 1 : 0);
    return b->group_classes.count++;
}

static void put_value_group(struct built *b, uint64_t sequence, const uint32_t *signatures, size_t count)
{
    bytes_put_varint(&b->group_classes.data, sequence);
    bytes_put_varint(&b->group_classes.data, count);
    put_references(&b->group_classes.data, signatures, count);
}

static void put_group(struct built *b, bool process, uint64_t sequence, const uint32_t *classes, size_t count,
                      uint32_t members)
{
    bytes_put_varint(&b->groups.data, sequence << 1 | process);
    bytes_put_varint(&b->groups.data, count);
    put_references(&b->groups.data, classes, count);
    put_references(&b->groups.data, &members, 1);
    b->groups.count++;
}

/* An unzipped one: three columns a slot. */
static inline uint32_t put_unzipped(struct built *b, uint32_t shape, const uint32_t *columns, size_t count)
{
    bytes_put_varint(&b->signatures.data, ((uint64_t)shape + 1) << 1 | 1);
    bytes_put_varint(&b->signatures.data, 0);
    put_references(&b->signatures.data, columns, count);
    return b->signatures.count++;
}

/* BODIES: of each row, 0 if it is no loop. */
static inline void put_loop_group(struct built *b, bool process, uint64_t sequence, const uint32_t *classes,
                                  const uint64_t *bodies, size_t count, uint32_t members)
{
    bytes_put_varint(&b->groups.data, sequence << 1 | process);
    bytes_put_varint(&b->groups.data, count);
    for (size_t i = 0; i < count; i++) {
        put_references(&b->groups.data, &classes[i], 1);
        if (bodies[i])
            bytes_put_varint(&b->groups.data, bodies[i]);
    }
    put_references(&b->groups.data, &members, 1);
    b->groups.count++;
}

/* ---- common parts ---- */

/* 0, STEP, 2 STEP, ...; COUNT of them */
static uint32_t put_multiples(struct built *b, uint64_t count, uint64_t step)
{
    struct rules_symbol one = {.value = 2 * step, .exponent = count - 1};
    return put_sums(b, 0, count < 2 ? 0 : count == 2 ? 2 * one.value + 1 : put_rule(b, &one, 1));
}

/* 0, 1, ... COUNT - 1 */
static uint32_t put_counting(struct built *b, uint64_t count)
{
    return put_multiples(b, count, 1);
}

/* The group of all process streams. SIZE_OF_1: of view 1; 0: the streams have no calls. */
static void put_processes(struct built *b, int64_t size_of_1)
{
    static const uint8_t tokens[] = {VALUE_ARRAY, 2,         VALUE_INT, VALUE_INT, VALUE_ARRAY,
                                     2,           VALUE_INT, VALUE_INT, VALUE_NONE};
    if (size_of_1 == 0) {
        put_group(b, true, 0, NULL, 0, put_counting(b, b->ranks));
        return;
    }
    int64_t *ranks = calloc(b->ranks + 1, sizeof *ranks);
    for (uint32_t i = 0; i < b->ranks && b->ranks < 1000; i++)
        ranks[i] = (b->first_rank + i) / 2 % size_of_1;
    const uint32_t columns[] = {put_column(b, EXPRESSION_PLUS, 0),
                                b->ranks < 1000 ? put_list(b, ranks, b->ranks) : put_column(b, EXPRESSION_CONSTANT, 0),
                                put_column(b, EXPRESSION_CONSTANT, (int64_t)b->first_rank + b->ranks),
                                put_column(b, EXPRESSION_CONSTANT, size_of_1)};
    const uint32_t signature = put_signature(b, put_shape(b, tokens, sizeof tokens), 0, columns, 4);
    const uint32_t row = put_group_class(b, 0, 0);
    put_value_group(b, 1, &signature, 1);
    put_group(b, true, 1, &row, 1, put_counting(b, b->ranks));
    free(ranks);
}

/* FIRST_RANK 0 begins a segment, but for the first one. */
static void built_begin_segment(struct built *b, uint32_t segment, uint32_t ranks, uint32_t first_rank,
                                int64_t size_of_1)
{
    *b = (struct built){
        .ranks = ranks, .first_rank = first_rank, .begins_segment = segment > 0 && first_rank == 0, .threads = 1};
    put_processes(b, size_of_1);
}

static inline void built_begin(struct built *b, uint32_t ranks, uint32_t first_rank)
{
    built_begin_segment(b, 0, ranks, first_rank, SIZE_1);
}

static void put_table(struct bytes *to, const struct built_table *t)
{
    bytes_put_varint(to, t->count);
    bytes_put(to, t->data.data, t->data.length);
}

static void put_text(struct bytes *to, const char *text)
{
    bytes_put(to, text, strlen(text) + 1);
}

/* The contents of the sections. */
static void built_contents(struct built *b)
{
    struct bytes *d = &b->definitions, *c = &b->calls;
    static const uint8_t none;
    uint32_t threads = put_multiples(b, (uint64_t)b->ranks + 1, b->threads);
    bytes_put(d, &none, 1); /* strings */
    bytes_put(d, &none, 1); /* properties */
    bytes_put_varint(d, 6);
    put_text(d, "pilgrim_process,views_rank,views_size:");
    put_text(d, "MPI_F,a");
    put_text(d, LOOP_FUNCTION ":");
    put_text(d, "MPI_G&a");
    put_text(d, "MPI_H,count,source,tag>request");
    put_text(d, "MPI_I&requests>places>statuses");
    bytes_put(d, &none, 1); /* modules */
    bytes_put(d, &none, 1); /* symbols */
    bytes_put_varint(d, COMPLETING_CLASS + 1);
    for (unsigned i = 0; i <= COMPLETING_CLASS; i++)
        bytes_put_varint(d, (uint64_t)((i > 0) + (i >= LOOP_CLASS ? i - LOOP_CLASS + 1 : 0)) << 1);
    for (unsigned i = 0; i < 2 * (COMPLETING_CLASS + 1); i++)
        bytes_put(d, &none, 1); /* frames: dropped, added */
    put_table(d, &b->shapes);
    put_table(c, &b->rules);
    put_table(c, &b->columns);
    put_table(c, &b->signatures);
    put_table(c, &b->partitions);
    bytes_put_varint(c, (uint64_t)b->ranks << 1 | b->begins_segment);
    put_references(c, &threads, 1);
    put_table(c, &b->group_classes);
    put_table(c, &b->groups);
}

static void built_free(struct built *b)
{
    struct built_table *tables[] = {&b->shapes,     &b->rules,         &b->columns, &b->signatures,
                                    &b->partitions, &b->group_classes, &b->groups};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        bytes_free(&tables[i]->data);
    bytes_free(&b->definitions);
    bytes_free(&b->calls);
    bytes_free(&b->statistics);
    bytes_free(&b->profile);
}

/* The file of COUNT shards. */
static void built_file(const struct built *shards, size_t count, struct bytes *file)
{
    static const struct bytes nothing;
    bytes_put(file, trace_magic, sizeof trace_magic);
    bytes_put_u8(file, TRACE_VERSION);
    bytes_put_u8(file, 0);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(section_write(file, SECTION_DEFINITIONS, &shards[i].definitions), PILGRIM_OK);
        ck_assert_int_eq(section_write(file, SECTION_CALLS, &shards[i].calls), PILGRIM_OK);
        if (shards[i].statistics.length > 0)
            ck_assert_int_eq(section_write(file, SECTION_STATISTICS, &shards[i].statistics), PILGRIM_OK);
        if (shards[i].profile.length > 0)
            ck_assert_int_eq(section_write(file, shards[i].profile_form ? shards[i].profile_form : SECTION_PROFILE,
                                           &shards[i].profile),
                             PILGRIM_OK);
    }
    ck_assert_int_eq(section_write(file, SECTION_END, &nothing), PILGRIM_OK);
}

/* ---- the trace ---- */

/* Finishes B and opens it. NULL: `error` says why not. */
static struct pilgrim_trace *built_open(struct built *b, struct pilgrim_error *error)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    built_contents(b);
    built_file(b, 1, &file);
    enum pilgrim_status status = trace_load(file.data, file.length, &trace, error);
    ck_assert_int_eq(status, error->status);
    bytes_free(&file);
    built_free(b);
    return trace;
}

static inline struct pilgrim_trace *open_good(struct built *b)
{
    struct pilgrim_error error;
    struct pilgrim_trace *trace = built_open(b, &error);
    ck_assert_msg(trace != NULL, "%s", error.message);
    return trace;
}

static inline struct pilgrim_cursor *open_cursor(const struct pilgrim_trace *trace, uint32_t rank)
{
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor;
    ck_assert_uint_eq(pilgrim_thread_count(trace, rank), 1);
    ck_assert_msg(pilgrim_cursor_open(trace, rank, 0, &cursor, &error) == PILGRIM_OK, "%s", error.message);
    return cursor;
}

static inline struct pilgrim_call next_call(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    ck_assert_msg(pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK, "%s", error.message);
    return call;
}

static const uint8_t int_tokens[] = {VALUE_INT, VALUE_NONE};
static const uint8_t trips_tokens[] = {VALUE_INT};

#endif
