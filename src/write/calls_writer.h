/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the calls section of a trace. */
#ifndef PILGRIM_CALLS_WRITER_H
#define PILGRIM_CALLS_WRITER_H

#include "base/bytes.h"
#include "merge/fragment.h"

/* Appends the content of the section to OUT. ANOTHER: F begins another segment. PLAIN: use no functions of the rank,
 * and pack nothing. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status calls_write(const struct fragment *f, bool another, bool plain, struct bytes *out) PILGRIM_CHECKED;

#endif
