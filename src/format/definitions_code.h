/* SPDX-License-Identifier: BSD-3-Clause */
/* Coded definitions: the content of a definitions section in fewer bytes than a general compressor needs
 * (docs/FORMAT.md, section 3, "Coded definitions").
 *
 * As with calls (calls_code.h), the content is walked through as a parser would, and the parser checks what comes out.
 * Most traces are so small that there is little to learn from. So the coder first walks through an example, which is
 * part of the format. */
#ifndef PILGRIM_DEFINITIONS_CODE_H
#define PILGRIM_DEFINITIONS_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { CODED_DEFINITIONS_MAX = 1 << 18 }; /* bytes of the content */

/* Returns the bytes of memory that coding a content of LENGTH bytes takes, about. */
uint64_t definitions_code_memory(size_t length);

/* Appends CONTENT, coded, to OUT. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (not a content that can be coded) */
enum pilgrim_status definitions_encode(const struct bytes *content, struct bytes *out) PILGRIM_CHECKED;

/* Appends the content of RAW bytes, of which STORED is the coded form, to CONTENT. TYPE: of the section,
 * SECTION_CODED_DEFINITIONS or an older one.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status definitions_decode(uint8_t type, const uint8_t *stored, size_t length, size_t raw,
                                       struct bytes *content) PILGRIM_CHECKED;

#endif
