/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of short threads that have ended, those of several in one times section (docs/FORMAT.md, section 6): of
 * threads whose calls are of the same classes in the same order. A section for each of them would be ten times what it
 * says.
 *
 * Few kinds of threads are gathered at a time; the one that was met longest ago makes room for another. Used by one
 * thread at a time. */
#ifndef PILGRIM_COMMON_TIMES_H
#define PILGRIM_COMMON_TIMES_H

#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"
#include "timing/times.h"

enum {
    COMMON_CALLS_MAX = 128,      /* of a thread that is gathered */
    COMMON_SECTION_CALLS = 1024, /* of a section, about: a reader goes through all before those that it wants */
    COMMON_ORDER_MAX = 4096      /* n x threads of a section that a reader takes */
};

/* Takes a section, CONTENT from `calls` on and ENDS as times_take has them, borrowed. */
typedef enum pilgrim_status common_sink(void *context, const struct bytes *content, const struct bytes *ends);

/* What there is to know of a thread's class: as times_class. */
struct common_class {
    uint32_t base;
    uint32_t reads;
};

struct common_times;

/* KIND: TIMES_BINS or TIMES_EXACT. NULL: no memory. */
struct common_times *common_times_new(enum times_kind kind, common_sink *sink, void *context);
void common_times_free(struct common_times *c); /* what is pending is lost; NULL is legal */

/* All calls of thread NUMBER, COUNT of them (1 to COMMON_CALLS_MAX), as times_add, of CLASSES, of which all are called.
 * errors: as times_add and times_class, and those of the sink; C can then only be freed */
enum pilgrim_status common_times_add(struct common_times *c, uint32_t number, const struct common_class *classes,
                                     uint32_t class_count, const struct span *spans, const double *readings,
                                     size_t count) PILGRIM_CHECKED;

/* What is pending goes to the sink. errors: PILGRIM_NOMEM, those of the sink */
enum pilgrim_status common_times_flush(struct common_times *c) PILGRIM_CHECKED;

#endif
