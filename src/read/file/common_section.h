/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of a times section of several threads (docs/FORMAT.md, section 6). */
#ifndef PILGRIM_COMMON_SECTION_H
#define PILGRIM_COMMON_SECTION_H

#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct common_section {
    uint64_t calls; /* calls of each thread */
    uint64_t thread_count;
    struct cursor order;   /* stands before the class index of each call; the bytes are checked */
    struct cursor numbers; /* stands before the number of each thread, as differences */
    struct cursor starts;  /* stands before the start of each thread's first call, as differences */
};

/* Reads the head. IN stands behind the 0 that takes the place of `calls`; afterwards it stands at `calls` of what the
 * calls of all threads have. The cursors borrow the bytes.
 * errors: PILGRIM_DAMAGED, PILGRIM_TRUNCATED, with *PROBLEM set to a constant */
enum pilgrim_status common_section_read(struct cursor *in, struct common_section *s,
                                        const char **problem) PILGRIM_CHECKED;

#endif
