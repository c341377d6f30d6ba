/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters of a function that say which operation a call begins, and which it completes (docs/FORMAT.md, section
 * 5: posted, begun, live). */
#ifndef PILGRIM_REQUEST_PARAMETERS_H
#define PILGRIM_REQUEST_PARAMETERS_H

#include <stdint.h>

#include "pilgrim/reader.h"

/* In-values of the call that began an operation. */
enum begun_item { BEGUN_SOURCE, BEGUN_TAG, BEGUN_COUNT, BEGUN_ITEMS };

#define BEGUN_NOWHERE UINT32_MAX /* the function has no such parameter */

/* Indexes of parameters, or BEGUN_NOWHERE. */
struct begun_parameters {
    uint32_t items[BEGUN_ITEMS]; /* the parameters called `source`, `tag` and `count`, if they go in */
    uint32_t request;            /* the last parameter called `request` that only goes out */
    uint32_t ended;              /* the last in-and-out parameter called `request` or `array_of_requests` */
};

/* Returns the indexes of these parameters in F. */
struct begun_parameters begun_parameters(const struct pilgrim_function *f);

#endif
