/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a tool is: one line on stderr, if that is a terminal, which is refreshed in place. */
#ifndef DECODER_PROGRESS_H
#define DECODER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins work of PROGRAM, which is WHOLE of something: bytes, or ranks. IS_AT_ONCE: the line is shown from the
 * beginning; else only if the work takes longer than a second. */
void progress_begin(const char *program, uint64_t whole, bool is_bytes, bool is_at_once);

/* So much is done in all. progress_add: so much more. */
void progress_at(uint64_t done);
void progress_add(uint64_t more);

/* Removes the line; it comes back with the next progress_at. Call it before anything else is printed. */
void progress_clear(void);

/* Removes the line; nothing is shown until progress_begin. */
void progress_end(void);

#endif
