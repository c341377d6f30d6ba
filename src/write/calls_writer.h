/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace's section of calls. */
#ifndef PILGRIM_CALLS_WRITER_H
#define PILGRIM_CALLS_WRITER_H

#include "base/bytes.h"
#include "merge/fragment.h"

/* Appends the section's content to OUT. PLAIN: without what makes it small. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED,
 * PILGRIM_LIMIT */
enum pilgrim_status calls_write(const struct fragment *f, bool another, bool plain, struct bytes *out) PILGRIM_CHECKED;

#endif
