/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a trace: in memory, or in a file that is read piece by piece. */
#ifndef PILGRIM_SOURCE_H
#define PILGRIM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/section.h"
#include "pilgrim/status.h"

struct trace_source {
    const uint8_t *data; /* NULL: they are in the file */
    int descriptor;
    uint64_t length;
    uint64_t memory; /* bytes that a reader may take; UINT64_MAX: as many as a file of its length may need */
};

/* Reads COUNT bytes at OFFSET, or those up to the end. *DATA points to *GOT bytes, borrowed from the source or from
 * ROOM.
 * errors: PILGRIM_IO (errno says why), PILGRIM_NOMEM */
enum pilgrim_status source_read(const struct trace_source *s, uint64_t offset, uint64_t count, struct bytes *room,
                                const uint8_t **data, size_t *got) PILGRIM_CHECKED;

/* Reads the head of the section at OFFSET, as section_read_head. *WHOLE: bytes of the section, with its head.
 * errors: as section_read, source_read; PILGRIM_TRUNCATED if the file ends within the section */
enum pilgrim_status source_head(const struct trace_source *s, uint64_t offset, struct bytes *room,
                                struct section *section, uint64_t *whole) PILGRIM_CHECKED;

/* Reads the section at *OFFSET, as section_read, and moves *OFFSET behind it. The stored bytes are borrowed as in
 * source_read.
 * errors: as section_read, source_read; PILGRIM_LIMIT: it has more bytes than S->memory */
enum pilgrim_status source_section(const struct trace_source *s, uint64_t *offset, struct bytes *room,
                                   struct section *section) PILGRIM_CHECKED;

#endif
