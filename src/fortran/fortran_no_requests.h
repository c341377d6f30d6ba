/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that complete or start no requests. */
#ifndef PILGRIM_FORTRAN_NO_REQUESTS_H
#define PILGRIM_FORTRAN_NO_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* If WORDS are those of a call of FUNCTION that completes or starts no requests, calls FUNCTION's wrapper in the same
 * way. A Fortran layer need not call MPI for that. False: WORDS are of another call. */
bool fortran_replay_no_requests(uint32_t function, const intptr_t *words);

#endif
