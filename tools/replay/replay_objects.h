/* SPDX-License-Identifier: BSD-3-Clause */
/* The live MPI objects and requests of a replay, by their symbolic names. */
#ifndef REPLAY_OBJECTS_H
#define REPLAY_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_block;
struct replay_persistent;

struct replay_object {
    struct replay_object *next;
    const char *kind; /* static */
    int64_t id, offset;
    uint64_t slot;                        /* the handle, whatever its type; it does not move while the object lives */
    uint64_t references;                  /* how often more it was given out */
    uint32_t owner;                       /* the thread that made it */
    bool ready;                           /* it is made: others may use it */
    bool dynamic;                         /* a window whose displacements are addresses */
    uint64_t made;                        /* differs between all objects that had this place */
    struct replay_block *memory;          /* arrays that its call passed */
    struct replay_persistent *persistent; /* a request: a receive with wildcards; from malloc */
};

struct replay_objects {
    struct replay_object **buckets;
    size_t bucket_count, count;
    struct replay_object *unused;
};

/* Returns the kind as a static text; NULL: there is no such kind. */
const char *object_kind(const char *text);

/* Returns the object, or NULL. KIND: from object_kind. Names are given again when objects end, and threads are not in
 * step. So there may be several of a name: what thread OWNER made comes first, then what is ready. */
struct replay_object *object_find(const struct replay_objects *objects, const char *kind, int64_t id, int64_t offset,
                                  uint32_t owner);

/* Returns the object of OWNER, which is made if it is not there; NULL: no memory. */
struct replay_object *object_make(struct replay_objects *objects, const char *kind, int64_t id, int64_t offset,
                                  uint32_t owner);

/* Frees the table and all objects. */
void objects_free(struct replay_objects *objects);

/* Gives up the object. */
void object_drop(struct replay_objects *objects, struct replay_object *o);

#endif
