/* Columns: sequences of 64-bit integers held as arithmetic runs, so that what is regular over the ranks takes
 * constant space and two neighbouring ranges are joined in constant time.
 *
 * Canonical: equal sequences have equal runs, however they were put together. Arithmetic is modulo 2^64. */
#ifndef PILGRIM_COLUMN_H
#define PILGRIM_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct run {
    int64_t first;
    int64_t step;   /* 0 where count is 1 */
    uint64_t count; /* 1 or more */
};

/* All zero is an empty column. The first run lies inside: most columns have no other. */
struct column {
    struct run one;
    struct run *more;  /* all runs, once there are two */
    uint32_t count;
    uint32_t capacity;
};

enum pilgrim_status column_append(struct column *c, int64_t value) PILGRIM_CHECKED;
enum pilgrim_status column_append_run(struct column *c, struct run run) PILGRIM_CHECKED;

/* Appends FROM with OFFSET added to each value. */
enum pilgrim_status column_append_column(struct column *c, const struct column *from, int64_t offset) PILGRIM_CHECKED;

const struct run *column_runs(const struct column *c);
uint64_t column_length(const struct column *c);

/* The value of a run at position I of it. */
int64_t run_at(const struct run *r, uint64_t i);

/* The column as an expression of the file (docs/FORMAT.md, section 5); RANKS: the world ranks of its members. */
void column_write(const struct column *c, const struct column *ranks, struct bytes *out);

/* For transport: the runs as they are. */
void column_pack(const struct column *c, struct bytes *out);
enum pilgrim_status column_unpack(struct cursor *in, struct column *c) PILGRIM_CHECKED;

void column_free(struct column *c);

#endif
