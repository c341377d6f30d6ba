/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested runs: a run-length grammar over integers whose rules stand where they are used. It is a sequence of runs v^n
 * and of blocks (...)^n , which nest. Two of them are joined without a table of rules.
 *
 * They store sequences over ranks, which are put together from neighbouring ranges of ranks. A periodic sequence, with
 * nested periods of at most NESTED_RUNS_WINDOW elements each, takes constant space whatever its length, and joining
 * takes time proportional to that space. If nothing repeats, joining copies. The sequence is always exact; its size
 * depends on where the ranges were cut. */
#ifndef PILGRIM_NESTED_RUNS_H
#define PILGRIM_NESTED_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define NESTED_RUNS_WINDOW 16 /* the longest period that is searched for, in runs and blocks */

/* An item. A run is one item; its exponent is the number of times, 1 or more. A block is an item that begins it, the
 * items of its body, and an item that ends it; both outer items have the number of items in the body as value. */
struct nested_run {
    int64_t value;
    uint64_t exponent; /* of the end of a block: how often the block comes */
};

#define NESTED_RUN_BEGIN (UINT64_C(1) << 63) /* exponent of the item that begins a block */
#define NESTED_RUN_END   (UINT64_C(1) << 62) /* added to the exponent of the item that ends a block */

/* A struct of zeros is the empty sequence. */
struct nested_runs {
    struct nested_run *items;
    size_t count;
    size_t capacity;
    struct nested_run open; /* the last run, which may still grow; exponent 0: none */
};

void nested_runs_free(struct nested_runs *r);

/* Appends VALUE, COUNT times (below 2^62 in all). errors: PILGRIM_NOMEM, part of R is then lost */
enum pilgrim_status nested_runs_append(struct nested_runs *r, int64_t value, uint64_t count) PILGRIM_CHECKED;

/* Appends FROM. errors: PILGRIM_NOMEM, part of R is then lost */
enum pilgrim_status nested_runs_join(struct nested_runs *r, const struct nested_runs *from) PILGRIM_CHECKED;

/* Overwrites *R, without freeing it, with a copy of FROM. errors: PILGRIM_NOMEM */
enum pilgrim_status nested_runs_copy(struct nested_runs *r, const struct nested_runs *from) PILGRIM_CHECKED;

/* Ends the last run, so that it can become part of a block. This gives the smallest form, for writing.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status nested_runs_close(struct nested_runs *r) PILGRIM_CHECKED;

/* Serialises R, for transport and as a key. Equal values appended one by one give equal bytes. */
void nested_runs_pack(const struct nested_runs *r, struct bytes *out);

/* Fills *R, which must be empty, from such bytes.
 * errors: PILGRIM_NOMEM, PILGRIM_TRUNCATED, PILGRIM_DAMAGED; *R must be freed even then */
enum pilgrim_status nested_runs_unpack(struct cursor *in, struct nested_runs *r) PILGRIM_CHECKED;

/* Sets *ITEM to the next item. *AT is 0 for the first call. False at the end. */
bool nested_runs_next(const struct nested_runs *r, size_t *at, struct nested_run *item);

#endif
