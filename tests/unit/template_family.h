/* SPDX-License-Identifier: BSD-3-Clause */
/* Random families of programs, for the tests of templates: a program whose members leave out, repeat, insert and swap
 * some of its calls, and have other trips; and streams of what they do. */
#ifndef TESTS_TEMPLATE_FAMILY_H
#define TESTS_TEMPLATE_FAMILY_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/value.h"
#include "merge/fragment.h"
#include "random.h"
#include "record/stream_times.h"

enum { CALLS = 40, NODES = 60, LENGTH_MAX = 20000, DEPTH = 4 };

/* ---- programs ---- */

/* A program: a tree of calls and loops, as an array in which a loop is followed by its body. */
struct node {
    uint32_t call;  /* below CALLS; or CALLS: a loop */
    uint32_t trips; /* of a loop */
    uint32_t size;  /* of its body, in nodes */
};

struct program {
    struct node nodes[2 * NODES];
    uint32_t count;
};

static void make_body(struct program *p, uint32_t limit, uint32_t depth)
{
    uint32_t items = 1 + random_below(6);
    for (uint32_t i = 0; i < items && p->count < limit; i++) {
        struct node *n = &p->nodes[p->count++];
        *n = (struct node){.call = random_below(CALLS)};
        if (depth == DEPTH || random_below(3))
            continue;
        uint32_t first = p->count;
        *n = (struct node){.call = CALLS, .trips = 2 + random_below(6)};
        make_body(p, limit, depth + 1);
        n->size = p->count - first;
    }
}

/* How members differ, in 64ths for each node. */
struct differences {
    uint32_t dropped, inserted, repeated, other_trips, swapped;
};

/* What a member does at a node. */
struct decision {
    bool drop, insert, repeat, swap;
    uint32_t trips, more; /* MORE: the call that it inserts */
};

/* The same each time that the member comes to node I. */
static struct decision decide(const struct program *p, const struct differences *d, uint64_t member, uint32_t i)
{
    uint64_t outer = random_state;
    struct decision it;
    random_state = member * 1000003 + i;
    random_below(2);
    it.drop = random_below(64) < d->dropped;
    it.insert = random_below(64) < d->inserted;
    it.repeat = random_below(64) < d->repeated;
    it.swap = random_below(64) < d->swapped;
    it.trips = random_below(64) < d->other_trips ? random_below(9) : p->nodes[i].trips;
    it.more = random_below(CALLS);
    random_state = outer;
    return it;
}

/* True if node I, before END, and the next one are calls, so that they can be swapped. */
static bool can_swap(const struct program *p, uint32_t i, uint32_t end)
{
    return i + 1 < end && p->nodes[i].call < CALLS && p->nodes[i + 1].call < CALLS;
}

/* Appends what a member does in nodes FIRST to END - 1 of P to CALLS_OUT. Returns the new length. */
static uint32_t perform(const struct program *p, uint32_t first, uint32_t end, const struct differences *d,
                        uint64_t member, uint32_t *out, uint32_t length)
{
    for (uint32_t i = first; i < end && length + 4 < LENGTH_MAX; i++) {
        const struct node *n = &p->nodes[i];
        struct decision it = decide(p, d, member, i);
        if (it.insert)
            out[length++] = it.more;
        for (uint32_t k = 0; n->call == CALLS && !it.drop && k < it.trips; k++)
            length = perform(p, i + 1, i + 1 + n->size, d, member, out, length);
        if (it.swap && can_swap(p, i, end)) {
            out[length++] = p->nodes[i + 1].call;
            out[length++] = n->call;
            i++;
        } else if (n->call < CALLS && !it.drop) {
            for (uint32_t k = 0; k < 1 + 2 * (uint32_t)it.repeat; k++)
                out[length++] = n->call;
        }
        i += n->call == CALLS ? n->size : 0;
    }
    return length;
}

/* ---- traces ---- */

static const struct parameter_descriptor call_parameters[] = {{"dest", DIRECTION_IN}, {"count", DIRECTION_IN}};
static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN},
                                                                 {"views_size", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_Send", call_parameters, 2, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
};
static const struct vocabulary vocabulary = {functions, 2, NULL, 0};
static const char sites[CALLS + 1];

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module program = {.name = "program", .build_id = {1, 2, 3, 4}, .build_id_length = 4};
    frames[0] = (struct code_frame){&program, (uint64_t)((const char *)site - sites) * 16};
    return 1;
}

static void put(struct bytes *b, uint8_t tag, int64_t slot)
{
    bytes_put_u8(b, tag);
    bytes_put_u64(b, (uint64_t)slot);
}

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
    struct stream *process = stream_new(&vocabulary, resolve), *thread = make_stream(rank, calls, length);
    const struct stream *threads[] = {thread};
    struct bytes key = {0};
    uint32_t class;
    for (unsigned i = 0; i < 2; i++) {
        bytes_put_u8(&key, VALUE_ARRAY);
        bytes_put_u32(&key, 1);
        put(&key, VALUE_INT, i ? size : rank);
    }
    bytes_put_u8(&key, VALUE_NONE);
    ck_assert_int_eq(stream_class(process, 0, sites, 0, &class), PILGRIM_OK);
    ck_assert_int_eq(stream_append(process, class, false, key.data, key.length, 0, 0), PILGRIM_OK);
    ck_assert_int_eq(fragment_add_rank(f, process, threads, 1), PILGRIM_OK);
    stream_free(process);
    stream_free(thread);
    bytes_free(&key);
}

#endif
