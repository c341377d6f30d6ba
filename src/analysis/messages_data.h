/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that messages.c, message_roles.c and message_groups.c share.
 *
 * What names stand for (struct bound): a datatype for its size (a) and the number of its extent, from
 * 1, 0: not known (b); a communicator or window for its group (a) and side
 * (b), as in world_ranks.h; a persistent request for a target's number (a) and bytes (b). */
#ifndef ANALYSIS_MESSAGES_DATA_H
#define ANALYSIS_MESSAGES_DATA_H

#include "analysis/bindings.h"
#include "analysis/counted_calls.h"
#include "analysis/messages.h"
#include "analysis/type_extents.h"

enum { MEMOS = 4096 };

/* A communicator that the rank created. */
struct created {
    int64_t thread;
    uint64_t identity;
    int64_t size, rank;
    bool inter, null;
    struct pilgrim_value name;
};

struct memo {
    uint64_t identity; /* of the call; 0: the entry is empty */
    uint64_t changes;  /* value of bindings.changes when it was made */
    size_t first, transfer_count;
    struct messages_count count;
};

struct messages {
    const struct pilgrim_trace *trace;
    uint32_t rank, thread;
    bool begun;                  /* a rank was begun */
    bool looking;                /* the threads of the rank are being read for the first time, for what they make */
    struct counted_calls *calls; /* of the threads that are looked through */
    struct bindings bindings;
    struct world_ranks world;
    struct pilgrim_communicators *created; /* communicators of the rank, behind `next` */
    struct created next;                   /* the next one that the thread creates, if has_next */
    bool has_next;
    struct key_table sizes; /* of groups, by number: see messages_know_members */
    struct key_table target_numbers;
    struct key_table extent_numbers; /* by ends and alignment */
    struct type_extent *extents;     /* different ones of the rank's datatypes */
    size_t extent_count, extent_capacity;
    struct group_member *targets;
    size_t target_count, target_capacity;
    struct messages_transfer *transfers; /* first the cached transfers, then those of the call that was seen last */
    size_t cached, transfer_capacity;
    size_t seen_first, seen_count;
    bool acts; /* the call binds something, so it must be examined each time */
    struct memo memos[MEMOS];
};

/* Returns ARRAY, of COUNT items of SIZE bytes, with room for one more. NULL: no memory; it is as before. */
void *messages_roomy(void *array, size_t count, size_t *capacity, size_t size);

/* ---- message_groups.c ---- */

/* Binds, for all threads of the rank, the communicators that no recorded call made. errors: as
 * pilgrim_communicators_next */
enum pilgrim_status messages_begin_groups(struct messages *m, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Begins the list of the communicators that the thread created; its calls follow from the first one on. errors: as
 * pilgrim_communicators_open */
enum pilgrim_status messages_begin_created(struct messages *m, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the group (a) and side (b) of a communicator's or window's value; group GROUP_UNKNOWN if not known. */
struct bound messages_group(const struct messages *m, enum bound_kind kind, const struct pilgrim_value *v);

/* Sets *GROUP to the group of communicator NAME, which the thread's next call that creates one made of PARENT (for an
 * inter-communicator, the local one). SAME: it has the same members as PARENT. Also notes that this process is a
 * member. false: no memory */
bool messages_created(struct messages *m, const struct pilgrim_value *name, struct bound parent, bool same,
                      struct bound *group);

/* Returns the process that RANK, an argument, names in GROUP. */
struct group_member messages_group_member(const struct messages *m, struct bound group, int64_t rank);

/* ---- message_roles.c ---- */

/* Returns the size of a datatype; CONTEXT: the struct messages. */
uint64_t messages_size_of(void *context, const struct pilgrim_value *datatype);

/* Returns the extent of a datatype; CONTEXT: the struct messages. */
struct type_extent messages_extent_of(void *context, const struct pilgrim_value *datatype);

/* Adds the transfers of CALL, and binds what it makes. false: no memory */
bool messages_act(struct messages *m, const struct pilgrim_call *call);

#endif
