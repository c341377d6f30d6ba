/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of random programs of loops in loops, whose values follow the iterations. */
#ifndef TESTS_LOOPING_TRACE_H
#define TESTS_LOOPING_TRACE_H

#include "made_trace.h"

enum { LOOP_DEPTH_MAX = 4, BODY_MAX = 4, CALLS_MAX = 20000, TRIPS_MAX = 60 };

struct program {
    struct stream *stream;
    struct bytes key;
    uint64_t seed, calls;
    uint64_t iteration[LOOP_DEPTH_MAX + 1];
};

/* Calls function 3, or 1 with a value that is the same, that of an iteration, or its rest. */
static void do_call(struct program *p, uint64_t how)
{
    static const uint64_t moduli[] = {1, 1, 1, 2, 3, 5, 7, 1000};
    const uint64_t turn = p->iteration[how / 8 % (LOOP_DEPTH_MAX + 1)];
    p->key.length = 0;
    if (how % 5 == 0) {
        put_ints(&p->key, 1, (int64_t[]){0});
        append(p->stream, 3, 1 + (unsigned)(how / 64 % 3), &p->key);
    } else {
        const int64_t value = (int64_t)(turn % moduli[how % 8]);
        put_ints(&p->key, 5, (int64_t[]){value, 2, (int64_t)(how / 512 % 2), value, 0});
        append(p->stream, 1, 1 + (unsigned)(how / 64 % 6), &p->key);
    }
    p->calls++;
}

/* Runs the loop that SEED stands for. */
static void do_loop(struct program *p, uint64_t seed, unsigned depth)
{
    static const uint64_t changes[] = {1, 1, 1, 1, 2, 11};
    state = seed;
    const uint64_t body = 1 + draw() % BODY_MAX, change = changes[draw() % 6];
    const uint64_t trips = 1 + (draw() + p->iteration[depth ? depth - 1 : 0] % change) % TRIPS_MAX;
    uint64_t hows[BODY_MAX];
    for (uint64_t i = 0; i < body; i++)
        hows[i] = draw();
    for (uint64_t trip = 0; trip < trips && p->calls < CALLS_MAX; trip++) {
        p->iteration[depth] = trip;
        for (uint64_t i = 0; i < body; i++) {
            if (depth < LOOP_DEPTH_MAX && hows[i] % 16 < 5)
                do_loop(p, hows[i] | 1, depth + 1);
            else
                do_call(p, hows[i] >> 4);
        }
    }
}

/* Makes a trace of the program that SEED stands for, on RANKS ranks. */
static void make_program(uint64_t seed, struct bytes *out)
{
    struct fragment *f = fragment_new(0);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct stream *process = process_stream(rank);
        struct program p = {.stream = thread_stream(), .seed = seed};
        for (uint64_t part = 0; part < 3; part++)
            do_loop(&p, (p.seed + part + (rank == 5)) * UINT64_C(0x9e3779b97f4a7c15) | 1, 0);
        ck_assert_int_eq(stream_flush_times(p.stream), PILGRIM_OK);
        ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)&p.stream, 1), PILGRIM_OK);
        stream_free(process);
        stream_free(p.stream);
        bytes_free(&p.key);
    }
    ck_assert_int_eq(fragment_set_property(f, "program", "made"), PILGRIM_OK);
    ck_assert_int_eq(trace_write(f, true, out), PILGRIM_OK);
    fragment_free(f);
}

#endif
