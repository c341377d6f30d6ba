/* SPDX-License-Identifier: BSD-3-Clause */
/* One section of a trace file: type, lengths, checksum, bytes (docs/FORMAT.md, section 2).
 *
 * A reader first finds a section (section_read, which copies nothing), then takes its content (section_content). */
#ifndef PILGRIM_SECTION_H
#define PILGRIM_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/trace_format.h"
#include "pilgrim/status.h"

struct section {
    uint8_t type;
    uint64_t offset;       /* of the section in the file */
    uint64_t raw;          /* length of the content in bytes */
    const uint8_t *stored; /* borrowed from the cursor's data */
    size_t stored_length;
    uint32_t checksum;   /* as the file has it */
    uint8_t stored_type; /* as in the file; for SECTION_CODED_CALLS, `type` is SECTION_CALLS, and so on */
    const char *damage;  /* NULL, or a constant that says what is wrong */
};

/* Reads the section at FILE, which moves behind it. If its checksum or its lengths are wrong, returns PILGRIM_OK with
 * section->damage set; where it ends is then a guess.
 * errors: PILGRIM_TRUNCATED, PILGRIM_DAMAGED (there is no section; also in file->status) */
enum pilgrim_status section_read(struct cursor *file, struct section *section) PILGRIM_CHECKED;

/* Reads only the head of a section, and moves FILE behind that. section->stored is NULL, and nothing is checked.
 * errors: as section_read */
enum pilgrim_status section_read_head(struct cursor *file, struct section *section) PILGRIM_CHECKED;

/* Reads the first COUNT bytes of the content of SECTION, or all of it if it is shorter, into TO. STORED has the first
 * HELD of its stored bytes. *LENGTH is how many bytes were read: fewer than COUNT if more stored bytes are needed.
 * Nothing is checked. *CONTEXT is NULL at first, and is passed on from one section to the next; section_peek_free frees
 * it.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (the content cannot be told from its beginning; perhaps from the whole) */
enum pilgrim_status section_peek(void **context, const struct section *section, const uint8_t *stored, size_t held,
                                 uint8_t *to, size_t count, size_t *length) PILGRIM_CHECKED;
void section_peek_free(void *context); /* CONTEXT may be NULL */

/* Returns the bytes of the section whose head C reads, including the head; 0 if there is no whole head. */
uint64_t section_length(struct cursor *c);

/* Appends the content of a section without damage to CONTENT, but not of coded calls. Takes section->raw bytes.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status section_content(const struct section *section, struct bytes *content) PILGRIM_CHECKED;

/* Appends a section with CONTENT to OUT, compressed if that is shorter. Equal contents give equal bytes.
 * errors of this function and the next ones: PILGRIM_NOMEM, PILGRIM_LIMIT (the compressor refuses) */
enum pilgrim_status section_write(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

/* As section_write, but compresses only as strongly as takes about 0.2 us for each of CALLS, which the content is
 * of. A small content is compressed most strongly, unless it is one of many (AGAIN), as in a trace of many segments. */
enum pilgrim_status section_write_bounded(struct bytes *out, uint8_t type, const struct bytes *content, uint64_t calls,
                                          bool again) PILGRIM_CHECKED;

/* Appends CODED, coded calls or definitions as TYPE says, whose content has RAW bytes. */
enum pilgrim_status section_write_coded(struct bytes *out, uint8_t type, const struct bytes *coded,
                                        size_t raw) PILGRIM_CHECKED;

/* As section_write, without trying to compress. */
enum pilgrim_status section_write_stored(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

/* As section_write, in little time, for a content whose parts may have little in common, such as columns of numbers.
 * The compressor starts a new table of symbols where that pays. ENDS has the COUNT offsets in CONTENT where parts
 * end, in order; what is behind the last one is another part. *CONTEXT is NULL at first, and is passed on from one
 * section to the next; section_write_free frees it. */
enum pilgrim_status section_write_parts(void **context, struct bytes *out, uint8_t type, const struct bytes *content,
                                        const size_t *ends, size_t count) PILGRIM_CHECKED;
void section_write_free(void *context); /* CONTEXT may be NULL */

/* As section_write, in little time, for what is soon read again. The result is larger; contents of a few hundred
 * bytes are not compressed. */
enum pilgrim_status section_write_fast(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

#endif
