/* SPDX-License-Identifier: BSD-3-Clause */
/* Times sections that several short threads share (docs/FORMAT.md, section 6).
 *
 * Threads share a section if they have ended and their calls are of the same classes in the same order: they are of
 * one *kind*. A section for each thread would be ten times as large as what it says. A few kinds have an open
 * section at a time. A new kind replaces the one that was used longest ago. Used by one thread at a time. */
#ifndef PILGRIM_COMMON_TIMES_H
#define PILGRIM_COMMON_TIMES_H

#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"
#include "timing/times.h"

enum {
    COMMON_CALLS_MAX = 128,      /* most calls of a thread that shares a section */
    COMMON_SECTION_CALLS = 1024, /* of a section, about: a reader goes through all calls before those that it wants */
    COMMON_ORDER_MAX = 4096      /* most calls of a thread x threads of a section that a reader accepts */
};

/* Takes a section: CONTENT from `calls` on, and ENDS, as times_take makes them. Both are borrowed. */
typedef enum pilgrim_status common_sink(void *context, const struct bytes *content, const struct bytes *ends);

/* A class of a thread, as for times_class. */
struct common_class {
    uint32_t base;
    uint32_t reads;
};

struct common_times;

/* Returns an object without times, or NULL without memory. KIND is TIMES_BINS or TIMES_EXACT. */
struct common_times *common_times_new(enum times_kind kind, common_sink *sink, void *context);
void common_times_free(struct common_times *c); /* C may be NULL. Pending times are lost */

/* Adds all calls of thread NUMBER, COUNT of them, from 1 to COMMON_CALLS_MAX. Each of CLASSES is called. SPANS and
 * READINGS are as for times_add. errors: as times_add and times_class, and those of the sink; C can then only be
 * freed */
enum pilgrim_status common_times_add(struct common_times *c, uint32_t number, const struct common_class *classes,
                                     uint32_t class_count, const struct span *spans, const double *readings,
                                     size_t count) PILGRIM_CHECKED;

/* Sends all pending times to the sink. errors: PILGRIM_NOMEM, those of the sink */
enum pilgrim_status common_times_flush(struct common_times *c) PILGRIM_CHECKED;

#endif
