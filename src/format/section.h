/* One section of a trace file: type, lengths, checksum, bytes; docs/FORMAT.md, section 2.
 *
 * A reader first looks at a section (section_read: nothing is copied), then takes its content. */
#ifndef PILGRIM_SECTION_H
#define PILGRIM_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define SECTION_RATIO_MAX 256 /* a content is at most this many times as long as the bytes stored for it */

struct section {
    uint8_t type;
    uint64_t offset;       /* in the file, where the section begins */
    uint64_t raw;          /* bytes of the content */
    const uint8_t *stored; /* borrowed from the cursor's data */
    size_t stored_length;
    uint32_t checksum;     /* as it stands in the file */
    const char *damage;    /* NULL, or what is wrong with it, a constant */
};

/* The section at FILE, which moves behind it. PILGRIM_OK with section->damage set: its checksum or its lengths are wrong,
 * so that its end was only guessed.
 * errors: PILGRIM_TRUNCATED, PILGRIM_DAMAGED (no section can be made out; also left in file->status) */
enum pilgrim_status section_read(struct cursor *file, struct section *section) PILGRIM_CHECKED;

/* How many bytes the section takes whose head C reads, its head among them; 0: the head is not one, or not whole. */
uint64_t section_length(struct cursor *c);

/* The content of a section without damage, appended to CONTENT. Memory: section->raw bytes.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status section_content(const struct section *section, struct bytes *content) PILGRIM_CHECKED;

/* Appends a section with CONTENT to OUT, compressed where that is shorter. Equal contents give equal bytes.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (the compressor refuses) */
enum pilgrim_status section_write(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

/* The same in little time, for what is soon read again: larger; contents of a few hundred bytes stay as they are. */
enum pilgrim_status section_write_fast(struct bytes *out, uint8_t type, const struct bytes *content) PILGRIM_CHECKED;

#endif
