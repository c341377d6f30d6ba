/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments outside of a process: encoded, as they travel, and as the files that are left where they could not;
 * docs/FORMAT.md, appendix.
 *
 * Sealed: packed, compressed, with a checksum (one section), and times sections as they are in the trace. A fragment
 * file has the encoded fragments of one rank's segments and what else is needed to write the trace that the run itself
 * would have written. It may be written piece by piece: a head, segments and times as they come, an end once the rank
 * has recorded all. */
#ifndef PILGRIM_FRAGMENT_FILE_H
#define PILGRIM_FRAGMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "merge/fragment.h"
#include "pilgrim/status.h"

#define FRAGMENT_FILE_SUFFIX ".fragment"

enum { FRAGMENT_PROPERTIES_MAX = 16, FRAGMENT_HEAD_BYTES_MAX = 1 << 14 };

struct fragment_property {
    const char *key;
    const char *value;
};

/* What a fragment file says of itself. Texts are borrowed. */
struct fragment_head {
    uint64_t run; /* a number that only the files of this run have */
    uint32_t rank;
    uint32_t ranks;     /* of the run */
    bool times;         /* fragment_write's WITH_TIMES */
    const char *tracer; /* what wrote it: nothing else understands the fragment */
    const char *trace;  /* path of the trace that was not written */
    size_t property_count;
    struct fragment_property properties[FRAGMENT_PROPERTIES_MAX]; /* of the trace */
};

/* Appends F, encoded, to OUT; its times stand behind it. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status fragment_encode(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* The same, and frees F on the way, which takes less memory. */
enum pilgrim_status fragment_encode_last(struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* The fragment in exactly these bytes, to be freed. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_TRUNCATED */
enum pilgrim_status fragment_decode(const void *data, size_t length, struct fragment **f) PILGRIM_CHECKED;

/* Appends a file's beginning to OUT, which encoded fragments follow.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (texts of more than FRAGMENT_HEAD_BYTES_MAX bytes) */
enum pilgrim_status fragment_file_begin(const struct fragment_head *head, struct bytes *out) PILGRIM_CHECKED;

/* Appends what stands after the last segment. errors: PILGRIM_NOMEM */
enum pilgrim_status fragment_file_end(struct bytes *out) PILGRIM_CHECKED;

/* Reads the head from the beginning of a file: its first FRAGMENT_HEAD_BYTES_MAX bytes, or all, are enough.
 * TEXTS: where HEAD's texts are (empty at first, to be freed after HEAD is used). *SEGMENTS: how many bytes come before
 * the first segment. errors: PILGRIM_NOT_TRACE (no fragment file), PILGRIM_VERSION, PILGRIM_DAMAGED, PILGRIM_TRUNCATED,
 * PILGRIM_NOMEM */
enum pilgrim_status fragment_file_head(const void *data, size_t length, struct fragment_head *head, struct bytes *texts,
                                       size_t *segments) PILGRIM_CHECKED;

/* How many whole segments there are from C on, which moves behind them and the end. Contents are not looked at.
 * errors: as fragment_file_next; *SEGMENTS, and where C is, count all the same */
enum pilgrim_status fragment_file_scan(struct cursor *c, uint32_t *segments) PILGRIM_CHECKED;

/* The next segment's fragment at C, without times, to be freed; NULL: there is none, the rank has recorded to its end.
 * PILGRIM_TRUNCATED: it has not, or the file was cut off. errors: as above */
enum pilgrim_status fragment_file_next(struct cursor *c, struct fragment **f) PILGRIM_CHECKED;

/* The next times section at C, whole, LENGTH bytes, borrowed; NULL: there is none. errors: as fragment_file_next */
enum pilgrim_status fragment_file_times(struct cursor *c, const uint8_t **times, size_t *length) PILGRIM_CHECKED;

#endif
