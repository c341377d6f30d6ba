/* SPDX-License-Identifier: BSD-3-Clause */
/* The communicators of a process: which ones they are across processes, and who is in them. */
#ifndef PILGRIM_TOP_COMMUNICATORS_H
#define PILGRIM_TOP_COMMUNICATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "key_values.h"
#include "pilgrim/status.h"

/* What a communicator is (read/communicator_list.c). COMM_UNKNOWN: another one, of which nothing can be said. */
enum { COMM_UNKNOWN, COMM_WORLD_IDENTITY };

struct process_comm {
    int64_t id;        /* its name in the process is comm:ID */
    uint64_t identity; /* the same in all its processes */
    int64_t rank, size;
};

struct process_comms {
    struct process_comm *items; /* those that are live, or were last, by id */
    size_t count, capacity;
};

/* Adds the communicators that RECORDS, the log JOURNAL_SHARED, tells. errors: PILGRIM_NOMEM */
enum pilgrim_status process_comms_read(struct process_comms *comms, const struct bytes *records,
                                       const struct vocabulary *vocabulary) PILGRIM_CHECKED;
void process_comms_free(struct process_comms *comms);

/* Returns the identity of the communicator that V names; COMM_UNKNOWN. */
uint64_t process_comms_identity(const struct process_comms *comms, const struct key_value *v,
                                const struct vocabulary *vocabulary);

/* True if V is the name NAME. */
bool value_is_name(const struct key_value *v, const struct vocabulary *vocabulary, const char *name);

#endif
