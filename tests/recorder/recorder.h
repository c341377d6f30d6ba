/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of recorder share. */
#ifndef PILGRIM_RECORDER_H
#define PILGRIM_RECORDER_H

#include "made_program.h"
#include "pilgrim/reader.h"

/* Ends the program with a line FAIL that says WHAT unless GOOD. */
void require(bool good, const char *what, uint64_t seed);

/* Where calls of a kind come from. */
static inline uint64_t made_site(unsigned kind)
{
    return 0x1000 + 8 * kind;
}

/* Appends the trace of P to OUT. */
void record(const struct program *p, struct bytes *out);

/* Whether the thread's calls are those of P; a line FAIL says where they are not. WRONG: those of P with another return
 * value at the end; then nothing is said. */
bool compare_thread(const struct program *p, struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, bool wrong);

#endif
