/* SPDX-License-Identifier: BSD-3-Clause */
/* One section of a trace file: type, lengths, checksum, bytes; docs/FORMAT.md, section 2.
 *
 * A reader first looks at a section (section_read: nothing is copied), then takes its content. */
#ifndef PILGRIM_SECTION_H
#define PILGRIM_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/trace_format.h"
#include "pilgrim/status.h"

struct section {
    uint8_t type;
    uint64_t offset;       /* in the file, where the section begins */
    uint64_t raw;          /* bytes of the content */
    const uint8_t *stored; /* borrowed from the cursor's data */
    size_t stored_length;
    uint32_t checksum;  /* as it stands in the file */
    const char *damage; /* NULL, or what is wrong with it, a constant */
};

/* The section at FILE, which moves behind it. PILGRIM_OK with section->damage set: its checksum or its lengths are
 * wrong, so that its end was only guessed. errors: PILGRIM_TRUNCATED, PILGRIM_DAMAGED (no section can be made out; also
 * left in file->status) */
enum pilgrim_status section_read(struct cursor *file, struct section *section) PILGRIM_CHECKED;

/* The same of a section's head alone, which FILE moves behind; section->stored is NULL, and nothing is compared.
 * errors: as section_read */
enum pilgrim_status section_read_head(struct cursor *file, struct section *section) PILGRIM_CHECKED;

/* The first COUNT bytes of the content of SECTION, or all of a shorter one, of whose stored bytes the first HELD are at
 * STORED. *LENGTH: how many of them these yield; fewer where more stored bytes are needed. Nothing is checked.
 * *CONTEXT: NULL at first, kept from one section to the next; to be freed by section_peek_free. errors: PILGRIM_NOMEM;
 * PILGRIM_DAMAGED: this cannot be told from the beginning, but maybe from the whole */
enum pilgrim_status section_peek(void **context, const struct section *section, const uint8_t *stored, size_t held,
                                 uint8_t *to, size_t count, size_t *length) PILGRIM_CHECKED;
void section_peek_free(void *context); /* NULL is legal */

/* How many bytes the section takes whose head C reads, its head among them; 0: the head is not one, or not whole. */
uint64_t section_length(struct cursor *c);

/* The content of a section without damage, appended to CONTENT. Memory: section->raw bytes.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status section_content(const struct section *section, struct bytes *content) PILGRIM_CHECKED;

/* Appends a section with CONTENT to OUT, compressed where that is shorter. Equal contents give equal bytes.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (the compressor refuses) */
enum pilgrim_status section_write(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

/* The same, so strongly as takes at most about a third of a microsecond for each of CALLS, which the content is of;
 * what is small is compressed most strongly, unless the section comes AGAIN: in a trace of many segments there are many
 * small ones. */
enum pilgrim_status section_write_bounded(struct bytes *out, uint8_t type, const struct bytes *content, uint64_t calls,
                                          bool again) PILGRIM_CHECKED;

/* The same of what no compressor makes shorter. */
enum pilgrim_status section_write_stored(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

/* The same in little time, for a content of parts that may have little in common, like columns of numbers: where it
 * pays the compressor begins anew to count symbols. ENDS: COUNT places in CONTENT where parts end, which do not
 * decrease; what is behind the last one is another part. *CONTEXT, NULL at first, is what one section may leave to the
 * next one's compressor; to be freed by section_write_free. */
enum pilgrim_status section_write_parts(void **context, struct bytes *out, uint8_t type, const struct bytes *content,
                                        const size_t *ends, size_t count) PILGRIM_CHECKED;
void section_write_free(void *context); /* NULL is legal */

/* The same in little time, for what is soon read again: larger; contents of a few hundred bytes stay as they are. */
enum pilgrim_status section_write_fast(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

#endif
