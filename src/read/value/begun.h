/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a thread that began its requests (docs/FORMAT.md, section 5: posted), and the requests that are live
 * (begun, live). */
#ifndef PILGRIM_BEGUN_H
#define PILGRIM_BEGUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "base/live_requests.h"
#include "format/trace_format.h"
#include "read/table/request_parameters.h"
#include "pilgrim/reader.h"

struct begun_call;

/* All zero but LIMIT: there are none. */
struct begun {
    struct begun_call *calls;
    uint32_t capacity;       /* length of CALLS */
    struct hash_index index; /* finds a request: index in CALLS + 1 */
    uint64_t bytes;          /* memory of CALLS */
    uint64_t limit;          /* the limit of BYTES */
    bool full;               /* some calls are missing because BYTES would exceed LIMIT */
};

/* Sets *ITEMS to the in-values (an array of BEGUN_ITEMS) of the last call that began the request, or NULL: unknown. If
 * the call lacks one of the parameters, its count is PILGRIM_NONE. Borrowed until the request is begun again.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status begun_get(struct begun *b, int64_t class_number, int64_t request_index,
                              const struct pilgrim_value **items) PILGRIM_CHECKED;

/* Returns an identity that only calls with the same values have, or 0: unknown. */
uint64_t begun_identity(const struct begun *b, int64_t class_number, int64_t request_index);

/* Records a call with these values. P: the parameters of its function, which has a request. IDENTITY: as
 * begun_identity returns it; if it is not 0, P and IN must stay valid until begun_settle. If memory is used up the
 * call is unknown from then on.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status begun_note(struct begun *b, const struct begun_parameters *p, const struct pilgrim_value *in,
                               const struct pilgrim_value *out, uint64_t identity) PILGRIM_CHECKED;

/* Copies all borrowed values, which are about to be freed. */
void begun_settle(struct begun *b);

/* Updates the live requests after a call with these values.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status begun_follow(struct live_requests *l, const struct begun_parameters *p,
                                 const struct pilgrim_value *in, const struct pilgrim_value *out) PILGRIM_CHECKED;
void begun_free(struct begun *b);

#endif
