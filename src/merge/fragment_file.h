/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments outside of a process: encoded for a message, and in fragment files (docs/FORMAT.md, appendix).
 *
 * An encoded fragment is one section with the packed fragment, compressed and with a checksum. Its times sections
 * follow, as they are in the trace. A fragment file has the encoded fragments of one rank, one for each segment, and
 * what else is needed to write the same trace as the run would have written. It can be written piece by piece: the
 * head, then segments and times as they come, then the end once the rank has recorded everything. */
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

/* The head of a fragment file. Texts are borrowed. */
struct fragment_head {
    uint64_t run; /* a number that only the files of this run have */
    uint32_t rank;
    uint32_t ranks;     /* of the run */
    bool times;         /* WITH_TIMES of trace_write */
    const char *tracer; /* the version of Pilgrim that wrote it; no other version can read the fragment */
    const char *trace;  /* path of the trace that was not written */
    size_t property_count;
    struct fragment_property properties[FRAGMENT_PROPERTIES_MAX]; /* of the trace */
};

/* Appends F, encoded, and its times sections to OUT. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status fragment_encode(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* Does the same and frees F on the way, which takes less memory. */
enum pilgrim_status fragment_encode_last(struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* Decodes the fragment that takes exactly these bytes. The caller frees *F. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED,
 * PILGRIM_TRUNCATED */
enum pilgrim_status fragment_decode(const void *data, size_t length, struct fragment **f) PILGRIM_CHECKED;

/* Appends the beginning of a file to OUT; encoded fragments follow it. errors: PILGRIM_NOMEM, PILGRIM_LIMIT (a head of
 * more than FRAGMENT_HEAD_BYTES_MAX / 2 bytes) */
enum pilgrim_status fragment_file_begin(const struct fragment_head *head, struct bytes *out) PILGRIM_CHECKED;

/* Appends the end of a file, which follows the last segment. errors: PILGRIM_NOMEM */
enum pilgrim_status fragment_file_end(struct bytes *out) PILGRIM_CHECKED;

/* Reads the head from the beginning of a file. DATA is all of the file, or at least its first FRAGMENT_HEAD_BYTES_MAX
 * bytes. TEXTS, empty before the call, receives HEAD's texts; the caller frees it after the last use of HEAD.
 * *SEGMENTS: offset of the first segment. errors: PILGRIM_NOT_TRACE (not a fragment file), PILGRIM_VERSION,
 * PILGRIM_DAMAGED, PILGRIM_TRUNCATED, PILGRIM_NOMEM */
enum pilgrim_status fragment_file_head(const void *data, size_t length, struct fragment_head *head, struct bytes *texts,
                                       size_t *segments) PILGRIM_CHECKED;

/* Counts the whole segments from C to the end, and moves C past the end. Does not decode them. errors: as
 * fragment_file_next; *SEGMENTS and C are then valid up to the error */
enum pilgrim_status fragment_file_scan(struct cursor *c, uint32_t *segments) PILGRIM_CHECKED;

/* Decodes the fragment of the next segment at C, without its times; the caller frees *F. *F is NULL if there is no
 * further segment and the rank recorded to its end. errors: PILGRIM_TRUNCATED (the file ends before its rank did, or
 * was cut off), PILGRIM_DAMAGED, PILGRIM_NOMEM */
enum pilgrim_status fragment_file_next(struct cursor *c, struct fragment **f) PILGRIM_CHECKED;

/* Finds the next times section at C: LENGTH bytes, borrowed. *TIMES is NULL if there is none. errors: as
 * fragment_file_next */
enum pilgrim_status fragment_file_times(struct cursor *c, const uint8_t **times, size_t *length) PILGRIM_CHECKED;

#endif
