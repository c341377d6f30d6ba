/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning of a times section of several threads (docs/FORMAT.md, section 6). */
#ifndef PILGRIM_COMMON_SECTION_H
#define PILGRIM_COMMON_SECTION_H

#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct common_section {
    uint64_t calls; /* of each of the threads */
    uint64_t thread_count;
    struct cursor order;   /* before the place of each of the calls; what the three cursors read is there */
    struct cursor numbers; /* before the number of each thread, as differences */
    struct cursor starts;  /* before where each thread's first call starts, as differences */
};

/* Reads it; IN is behind the 0 in the place of `calls`, and then at `calls` of what all threads' calls have. The bytes
 * are borrowed. errors: PILGRIM_DAMAGED, PILGRIM_TRUNCATED; *PROBLEM: a constant */
enum pilgrim_status common_section_read(struct cursor *in, struct common_section *s,
                                        const char **problem) PILGRIM_CHECKED;

#endif
