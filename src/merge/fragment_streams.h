/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds streams of threads to a fragment. */
#ifndef PILGRIM_FRAGMENT_STREAMS_H
#define PILGRIM_FRAGMENT_STREAMS_H

#include "merge/fragment.h"
#include "merge/value_group.h"

/* Where fragment_add_thread has put a stream. */
struct stream_placement {
    uint32_t group;
    uint32_t *value_groups; /* NULL, or an array for the caller to provide: the value group of each class */
    uint32_t loops;         /* number of loops found in the stream */
};

/* Adds S as the next thread of F. It belongs to RANK. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_add_thread(struct fragment *f, const struct stream *s, uint32_t rank,
                                        const struct rank_bases *bases,
                                        struct stream_placement *placement) PILGRIM_CHECKED;

#endif
