/* Fragments outside of a process: sealed, as they travel, and as the files that are left where they could not; docs/FORMAT.md,
 * appendix.
 *
 * Sealed: packed, compressed, with a checksum (one section). A fragment file is the sealed fragment of one rank and what
 * else is needed to write the trace that the run itself would have written. */
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
    uint64_t run;       /* a number that only the files of this run have */
    uint32_t rank;
    uint32_t ranks;     /* of the run */
    bool times;         /* fragment_write's WITH_TIMES */
    const char *tracer; /* what wrote it: nothing else understands the fragment */
    const char *trace;  /* path of the trace that was not written */
    size_t property_count;
    struct fragment_property properties[FRAGMENT_PROPERTIES_MAX]; /* of the trace */
};

/* Appends F, sealed, to OUT. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status fragment_seal(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* The fragment in exactly these bytes, to be freed. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_TRUNCATED */
enum pilgrim_status fragment_unseal(const void *data, size_t length, struct fragment **f) PILGRIM_CHECKED;

/* Appends the file of HEAD and the sealed fragment to OUT.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (texts of more than FRAGMENT_HEAD_BYTES_MAX bytes) */
enum pilgrim_status fragment_file_write(const struct fragment_head *head, const struct bytes *sealed,
                                        struct bytes *out) PILGRIM_CHECKED;

/* Reads the head from the beginning of a file: its first FRAGMENT_HEAD_BYTES_MAX bytes, or all, are enough.
 * TEXTS: where HEAD's texts are (empty at first, to be freed after HEAD is used).
 * errors: PILGRIM_NOT_TRACE (no fragment file), PILGRIM_VERSION, PILGRIM_DAMAGED, PILGRIM_TRUNCATED, PILGRIM_NOMEM */
enum pilgrim_status fragment_file_head(const void *data, size_t length, struct fragment_head *head,
                                       struct bytes *texts) PILGRIM_CHECKED;

/* Reads the fragment from a whole file whose head was read. errors: as above */
enum pilgrim_status fragment_file_read(const void *data, size_t length, struct fragment **f) PILGRIM_CHECKED;

#endif
