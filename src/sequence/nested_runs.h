/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeats: a run-length grammar over integers whose rules stand where they are used, so that two of them are joined
 * without a table: a sequence of runs  v^n  and of blocks  (...)^n , which nest.
 *
 * For sequences over ranks, which are put together from neighbouring ranges. What is periodic, with nested periods of
 * at most NESTED_RUNS_WINDOW elements each, takes constant space whatever its length, and joining takes time
 * proportional to that space. Where nothing repeats, joining copies. Exact always; how small it is depends on where the
 * ranges were cut. */
#ifndef PILGRIM_NESTED_RUNS_H
#define PILGRIM_NESTED_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define NESTED_RUNS_WINDOW 16 /* runs and blocks; the longest period that is looked for */

/* A run:   value, exponent: how often, 1 or more.
 * A block: an item that begins it, the runs and blocks of its body, an item that ends it. Both have the number of items
 * in between for a value. */
struct nested_run {
    int64_t value;
    uint64_t exponent; /* of the end: how often the block is repeated */
};

#define NESTED_RUN_BEGIN (UINT64_C(1) << 63) /* the exponent of the item that begins a block */
#define NESTED_RUN_END   (UINT64_C(1) << 62) /* added to the exponent of the one that ends it */

/* All zero is the empty sequence. */
struct nested_runs {
    struct nested_run *items;
    size_t count;
    size_t capacity;
    struct nested_run open; /* the last run, which may still grow; exponent 0: none */
};

void nested_runs_free(struct nested_runs *r);

/* Appends VALUE, COUNT times (below 2^62 in all). errors: PILGRIM_NOMEM, R is then without some of it */
enum pilgrim_status nested_runs_append(struct nested_runs *r, int64_t value, uint64_t count) PILGRIM_CHECKED;

/* Appends FROM. errors: PILGRIM_NOMEM, R is then without some of it */
enum pilgrim_status nested_runs_join(struct nested_runs *r, const struct nested_runs *from) PILGRIM_CHECKED;

/* *R, whatever it was: a copy. errors: PILGRIM_NOMEM */
enum pilgrim_status nested_runs_copy(struct nested_runs *r, const struct nested_runs *from) PILGRIM_CHECKED;

/* Takes the last run for complete, so that it becomes part of a block if it can: the smallest form, before it is
 * written. errors: PILGRIM_NOMEM */
enum pilgrim_status nested_runs_close(struct nested_runs *r) PILGRIM_CHECKED;

/* For transport and as a key: equal values appended one by one give equal bytes. */
void nested_runs_pack(const struct nested_runs *r, struct bytes *out);

/* *R must be empty. errors: PILGRIM_NOMEM, PILGRIM_TRUNCATED, PILGRIM_DAMAGED; R is to be freed all the same */
enum pilgrim_status nested_runs_unpack(struct cursor *in, struct nested_runs *r) PILGRIM_CHECKED;

/* Each item in turn: *AT begins at 0; false at the end. */
bool nested_runs_next(const struct nested_runs *r, size_t *at, struct nested_run *item);

#endif
