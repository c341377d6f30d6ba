/* SPDX-License-Identifier: BSD-3-Clause */
/* The trails of a stream: where its calls came from. In a loop a call has the path of the expected class, or of another
 * class at the same call site. That one is found here by a compare of words, without a walk over the stack. */
#ifndef PILGRIM_STREAM_TRAILS_H
#define PILGRIM_STREAM_TRAILS_H

#include "record/stream_inline.h"

enum {
    TRAIL_SLOTS = 64, /* trails of late, by call site and frame */
    TRAIL_WAYS = 4,   /* in a slot, or in a set */
    TRAIL_SETS = 1024 /* sets of all trails, at most */
};

/* The trail of classes that have a path, but none of a call. */
extern const struct path_trail no_trail;

/* Returns the class with the function and the site of KEY whose path a call with FRAME has. NULL: it is not known. */
struct stream_class *trails_find(struct stream *s, const struct class_key *key, const void *frame);

/* Notes that a call of CLASS was found by WALK, if that can be compared and there is memory. */
void trails_add(struct stream *s, struct stream_class *class, const struct path_walk *walk);

/* Forgets all trails. */
void trails_forget(struct stream *s);

/* Forgets them, and frees the table. */
void trails_free(struct stream *s);

#endif
