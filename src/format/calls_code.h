/* SPDX-License-Identifier: BSD-3-Clause */
/* Coded calls: the content of a calls section in fewer bytes than a general compressor needs (docs/FORMAT.md,
 * section 4, "Coded calls").
 *
 * The content is the same as that of a section that is not coded. It is walked through as a parser would, so that each
 * number is coded as what it is. The walk checks only what it needs; the parser checks what comes out. */
#ifndef PILGRIM_CALLS_CODE_H
#define PILGRIM_CALLS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { CODED_CALLS_MAX = 1 << 18 }; /* bytes of the content */

/* What the definitions say, which stand before the calls. */
struct calls_known {
    struct {
        uint32_t function;
        bool is_loop;
    } * classes;
    struct {
        const uint8_t *tokens;
        size_t length;
        uint32_t columns; /* of a signature that stands for one call */
    } * shapes;
    size_t class_count, shape_count, function_count;
};

/* Returns the bytes of memory that coding a content of LENGTH bytes takes. */
uint64_t calls_code_memory(const struct calls_known *known, size_t length);

/* Appends CONTENT, coded, to OUT. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (not a content that can be coded) */
enum pilgrim_status calls_encode(const struct calls_known *known, const struct bytes *content,
                                 struct bytes *out) PILGRIM_CHECKED;

/* Appends the content of RAW bytes, of which STORED is the coded form, to CONTENT. TYPE: of the section,
 * SECTION_CODED_CALLS or an older one. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status calls_decode(const struct calls_known *known, uint8_t type, const uint8_t *stored, size_t length,
                                 size_t raw, struct bytes *content) PILGRIM_CHECKED;

#endif
