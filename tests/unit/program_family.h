/* SPDX-License-Identifier: BSD-3-Clause */
/* Random families of programs: a program whose members leave out, repeat, insert and swap some of its calls, and have
 * other trips; and what their streams need. */
#ifndef TESTS_PROGRAM_FAMILY_H
#define TESTS_PROGRAM_FAMILY_H

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

static inline void make_body(struct program *p, uint32_t limit, uint32_t depth)
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
static inline uint32_t perform(const struct program *p, uint32_t first, uint32_t end, const struct differences *d,
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

/* ---- streams ---- */

static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN},
                                                                 {"views_size", DIRECTION_IN}};
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

/* Makes the process stream of RANK of SIZE. Function 0 of VOCABULARY: pilgrim_process. */
static struct stream *make_process(const struct vocabulary *vocabulary, uint32_t rank, uint32_t size)
{
    struct stream *process = stream_new(vocabulary, resolve);
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
    bytes_free(&key);
    return process;
}

#endif
