/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a thread that began operations, by their requests (docs/FORMAT.md, section 5: posted). */
#ifndef PILGRIM_BEGUN_H
#define PILGRIM_BEGUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "base/live.h"
#include "format/trace_format.h"
#include "read/table/request_parameters.h"
#include "pilgrim/reader.h"

struct begun_call;

/* All zero but `limit` is none. */
struct begun {
    struct begun_call *calls;
    uint32_t capacity;       /* of CALLS */
    struct hash_index index; /* of those that there are: place in CALLS + 1 */
    uint64_t bytes;          /* that they take */
    uint64_t limit;          /* that they may take */
    bool full;               /* some are missing for lack of room */
};

/* What the last call had that began the request CLASS.REQUEST_INDEX, in *ITEMS, or NULL. Borrowed until that request is
 * begun again. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status begun_get(struct begun *b, int64_t class_number, int64_t request_index,
                              const struct pilgrim_value **items) PILGRIM_CHECKED;

/* Which call that was: 0, or an identity that only calls with the same values have. */
uint64_t begun_identity(const struct begun *b, int64_t class_number, int64_t request_index);

/* A call with these values has been made. P: of its function, with a request. IDENTITY: as begun_identity has it; if it
 * is not 0, P and IN stay as they are until begun_settle. Where there is no room it is not known from then on. errors:
 * PILGRIM_NOMEM */
enum pilgrim_status begun_note(struct begun *b, const struct begun_parameters *p, const struct pilgrim_value *in,
                               const struct pilgrim_value *out, uint64_t identity) PILGRIM_CHECKED;

/* Values that were borrowed from calls will be gone. */
void begun_settle(struct begun *b);

/* The same for which requests are live.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status begun_follow(struct live_requests *l, const struct begun_parameters *p,
                                 const struct pilgrim_value *in, const struct pilgrim_value *out) PILGRIM_CHECKED;
void begun_free(struct begun *b);

#endif
