/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests without the number of the call class that began them, where a reader finds it: docs/FORMAT.md, section 5,
 * own and live back.
 *
 * While recording, a request is named with this number. Ranks that lack some of the calls before number their classes
 * differently, so this would be a column in no order. Most often it follows from the calls. */
#ifndef PILGRIM_OWN_REQUESTS_H
#define PILGRIM_OWN_REQUESTS_H

#include "merge/fragment_data.h"

struct own_requests {
    struct fragment *fragment;  /* NULL: nothing has changed */
    struct value_group *before; /* the value groups of the fragment as they were */
    struct intern shapes;       /* likewise */
    struct column *made;        /* columns that value groups have until the end */
    size_t made_count, made_room;
};

/* Changes the shapes and the value groups of F until own_requests_end. Keys of value groups stay, so nothing may be
 * added to F meanwhile. If memory is short, nothing changes. */
void own_requests_begin(struct fragment *f, struct own_requests *o);

/* Makes the fragment what it was. Does nothing if nothing has changed. CHANGED, unless it is NULL, gets the changed
 * shapes, for the caller to free. */
void own_requests_end(struct own_requests *o, struct intern *changed);

#endif
