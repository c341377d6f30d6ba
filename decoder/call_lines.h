/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of calls, printed one after another. Most calls of a program are those of a iteration before: what was printed
 * of a call's values is kept, up to a bound, and printed again for calls with the same ones. */
#ifndef DECODER_CALL_LINES_H
#define DECODER_CALL_LINES_H

#include <pilgrim/reader.h>

#include "output.h"
#include "source_lines.h"

struct call_lines;

/* SOURCES: where sources are found, for people; may be NULL. OUT and SOURCES are borrowed until it is freed. NULL: no
 * memory */
struct call_lines *call_lines_new(struct output *out, bool json, struct source_lines *sources);
void call_lines_free(struct call_lines *l); /* NULL is legal */

/* The calls that follow are those of another cursor, of a thread of RANK. */
void call_lines_begin(struct call_lines *l, uint32_t rank, uint32_t thread);

/* Prints CALL. */
void call_lines_print(struct call_lines *l, const struct pilgrim_call *call);

#endif
