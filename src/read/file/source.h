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
};

/* The COUNT bytes at OFFSET, or those that there are up to the end: *DATA, *GOT of them, borrowed from the source or
 * from ROOM. errors: PILGRIM_IO (errno says why), PILGRIM_NOMEM */
enum pilgrim_status source_read(const struct trace_source *s, uint64_t offset, uint64_t count, struct bytes *room,
                                const uint8_t **data, size_t *got) PILGRIM_CHECKED;

/* The head of the section at OFFSET, as section_read_head; *WHOLE: how many bytes the section takes.
 * errors: as section_read, source_read; PILGRIM_TRUNCATED where not all of the section is there */
enum pilgrim_status source_head(const struct trace_source *s, uint64_t offset, struct bytes *room,
                                struct section *section, uint64_t *whole) PILGRIM_CHECKED;

/* The section at *OFFSET, as section_read; *OFFSET moves behind it. What is stored is borrowed like the bytes.
 * errors: as section_read, source_read */
enum pilgrim_status source_section(const struct trace_source *s, uint64_t *offset, struct bytes *room,
                                   struct section *section) PILGRIM_CHECKED;

#endif
