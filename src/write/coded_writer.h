/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes sections that are coded: calls and definitions. */
#ifndef PILGRIM_CODED_WRITER_H
#define PILGRIM_CODED_WRITER_H

#include "base/bytes.h"
#include "base/intern.h"
#include "merge/fragment.h"

/* Appends the calls section with CONTENT, of the calls of F with SHAPES, to OUT: coded, if that takes little time and
 * fewer bytes, and PLAIN is false. AGAIN: it is one of many.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (a table of F), PILGRIM_LIMIT (likewise; the compressor refuses) */
enum pilgrim_status calls_section_write(const struct fragment *f, const struct intern *shapes,
                                        const struct bytes *content, bool again, bool plain,
                                        struct bytes *out) PILGRIM_CHECKED;

/* Appends the definitions section with CONTENT, of so many CALLS, to OUT: coded, if that takes little time and PLAIN is
 * false. errors: PILGRIM_NOMEM, PILGRIM_LIMIT (the compressor refuses) */
enum pilgrim_status definitions_section_write(const struct bytes *content, uint64_t calls, bool again, bool plain,
                                              struct bytes *out) PILGRIM_CHECKED;

#endif
