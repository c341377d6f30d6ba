/* The calls of a thread that began operations, by their requests (docs/FORMAT.md, section 5: posted). */
#ifndef PILGRIM_BEGUN_H
#define PILGRIM_BEGUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/reader.h"

#define BEGUN_MAX (1u << 20) /* requests: fewer */

/* What is known of such a call, if it has them all: an array of the in-values of these parameters. Where it has not, nothing is known but
 * that the count is PILGRIM_NONE. */
enum begun_item { BEGUN_SOURCE, BEGUN_TAG, BEGUN_COUNT, BEGUN_ITEMS };

/* Which parameters of a function these are, and the one called `request` that only goes out: the last one. BEGUN_NOWHERE: it has none. */
#define BEGUN_NOWHERE UINT32_MAX
struct begun_parameters {
    uint32_t items[BEGUN_ITEMS];
    uint32_t request;
};

struct begun_call;

/* All zero but `limit` is none. */
struct begun {
    struct begun_call *calls; /* a hash table, open */
    uint32_t capacity, count;
    uint64_t bytes; /* that they take */
    uint64_t limit; /* that they may take */
    bool full;      /* some are missing for lack of room */
};

struct begun_parameters begun_parameters(const struct pilgrim_function *f);

/* What the last call had that began the request CLASS.PLACE, or NULL. Borrowed until that request is begun again. */
const struct pilgrim_value *begun_get(const struct begun *b, int64_t class_number, int64_t place);

/* A call with these values has been made. P: of its function, with a request. Where there is no room it is not known from then on.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status begun_note(struct begun *b, const struct begun_parameters *p, const struct pilgrim_value *in,
                               const struct pilgrim_value *out) PILGRIM_CHECKED;
void begun_free(struct begun *b);

#endif
