/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop of a thread: the part of the trace that --loop repeats. */
#ifndef REPLAY_LOOP_H
#define REPLAY_LOOP_H

#include <stdint.h>

#include "pilgrim/reader.h"

/* The calls of the first time that the loop is entered. */
struct replay_loop {
    uint64_t first;  /* its first call */
    uint64_t passes; /* so many times all of its trips are made, */
    uint64_t end;    /* up to this call; */
    uint64_t rest;   /* and once those up to this one; `first`: none */
};

/* Finds loop NUMBER of `pilgrim-decode --loops` in thread 0 of RANK, and how TRIPS trips are made of those that the
 * trace has. *ERROR is set if there is none.
 * errors: as pilgrim_calls_next; PILGRIM_INVALID: the thread has no such loop */
enum pilgrim_status loop_find(const struct pilgrim_trace *trace, uint32_t rank, uint64_t number, uint64_t trips,
                              struct replay_loop *loop, struct pilgrim_error *error);

#endif
