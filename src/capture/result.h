/* The trace that rank 0 writes, round by round. */
#ifndef PILGRIM_RESULT_H
#define PILGRIM_RESULT_H

#include "format/output.h"
#include "merge/fragment.h"

/* All zero: nothing is written. */
struct result {
    struct output file;
    uint32_t rounds, ranks;
    uint64_t calls, plain_bytes;
};

/* Appends F, the next round of all ranks. LAST: there is none behind it: the file gets its name, and that is said.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED, PILGRIM_IO (it was said what): nothing is left */
enum pilgrim_status result_add(struct result *r, struct fragment *f, bool last) PILGRIM_CHECKED;

/* There is no trace: removes what was written. */
void result_cancel(struct result *r);

#endif
