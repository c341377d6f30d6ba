/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of random families of programs, for the tests of templates: calls with numbers. */
#ifndef TESTS_TEMPLATE_FAMILY_H
#define TESTS_TEMPLATE_FAMILY_H

#include "program_family.h"

static const struct parameter_descriptor call_parameters[] = {{"dest", DIRECTION_IN}, {"count", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_Send", call_parameters, 2, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
};
static const struct vocabulary vocabulary = {functions, 2, NULL, 0};

/* What values calls have, by call: functions of the rank, and some that differ from call to call; functions of the rank
 * only; or others on each rank. */
static enum { VALUES_MIXED, VALUES_OF_RANK, VALUES_IN_DISORDER } values;

static int64_t value_of(uint32_t rank, uint32_t call, uint32_t number)
{
    if (values == VALUES_IN_DISORDER)
        return (rank * 7919 + call * 10007) % 997;
    if (call % 4 == 3 && values == VALUES_MIXED)
        return number % (2 + rank % 3);
    return call % 4 == 1 ? rank + 1 : call % 4 == 2 ? rank * rank % 5 : 7;
}

static struct stream *make_stream(uint32_t rank, const uint32_t *calls, uint32_t length)
{
    static const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t class;
        key.length = 0;
        put(&key, VALUE_INT, value_of(rank, calls[i], i));
        put(&key, VALUE_INT, calls[i]);
        put(&key, VALUE_INT, 0);
        EXPECT(stream_class(s, 1, sites + calls[i] + 1, 0, &class) == PILGRIM_OK, "a class");
        EXPECT(stream_append(s, class, false, key.data, key.length, 100 * i, 100 * i + calls[i] + 1) == PILGRIM_OK,
               "a call");
    }
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    bytes_free(&key);
    return s;
}

static void add_rank(struct fragment *f, uint32_t rank, uint32_t size, const uint32_t *calls, uint32_t length)
{
    struct stream *process = make_process(&vocabulary, rank, size), *thread = make_stream(rank, calls, length);
    const struct stream *threads[] = {thread};
    ck_assert_int_eq(fragment_add_rank(f, process, threads, 1), PILGRIM_OK);
    stream_free(process);
    stream_free(thread);
}

#endif
