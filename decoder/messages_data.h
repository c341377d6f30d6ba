/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages.c, message_roles.c and message_groups.c share. */
#ifndef DECODER_MESSAGES_DATA_H
#define DECODER_MESSAGES_DATA_H

#include "bindings.h"
#include "messages.h"

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
    uint64_t identity; /* of the call; 0: none */
    uint64_t changes;  /* of bindings, when it was made */
    size_t first, transfer_count;
    struct messages_count count;
};

struct messages {
    const struct pilgrim_trace *trace;
    uint32_t rank, thread;
    bool begun;   /* some rank */
    bool looking; /* through a thread of several, so that the others know what it makes */
    struct bindings bindings;
    struct world_ranks world;
    struct pilgrim_communicators *created; /* by the rank, behind `next` */
    struct created next;                   /* by the thread */
    bool has_next;
    struct key_table target_numbers;
    struct group_member *targets;
    size_t target_count, target_capacity;
    struct messages_transfer *transfers; /* of calls; those that are kept, then those of the call that was seen last */
    size_t cached, transfer_capacity;
    size_t seen_first, seen_count;
    bool acts; /* the call binds something: it has to be looked at each time */
    struct memo memos[MEMOS];
};

/* ARRAY of COUNT items of SIZE bytes, with room for one more. NULL: no memory; it is as before. */
void *messages_roomy(void *array, size_t count, size_t *capacity, size_t size);

/* ---- message_groups.c ---- */

/* All threads of the rank know from here on the communicators that no recorded call made. errors: as
 * pilgrim_communicators_next */
enum pilgrim_status messages_begin_groups(struct messages *m, struct pilgrim_error *error) PILGRIM_CHECKED;

/* The calls of the thread follow, from the first one on. errors: as pilgrim_communicators_open */
enum pilgrim_status messages_begin_created(struct messages *m, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Group (a) and side (b) of a communicator's or window's value; GROUP_UNKNOWN. */
struct bound messages_group(const struct messages *m, enum bound_kind kind, const struct pilgrim_value *v);

/* The group of the communicator NAME that the thread's next call that creates one made, of PARENT (the caller's, or the
 * local one of two); SAME: it has the same members. The process is one of them from here on. false: no memory */
bool messages_created(struct messages *m, const struct pilgrim_value *name, struct bound parent, bool same,
                      struct bound *group);

/* The place that RANK, an argument in GROUP, names. */
struct group_member messages_group_member(const struct messages *m, struct bound group, int64_t rank);

/* ---- message_roles.c ---- */

/* Adds the parts of CALL, and binds what it makes. false: no memory */
bool messages_act(struct messages *m, const struct pilgrim_call *call);

#endif
