/* SPDX-License-Identifier: BSD-3-Clause */
/* The communicators of a process; see top_communicators.h. A communicator is known by its parent, how many were made of
 * that parent before, and who leads it, as in read/communicator_list.c. */
#include "top_communicators.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/try.h"
#include "base/value.h"
#include "recover/journal_reader.h"
#include "recover/log_records.h"

/* Indexes of the values of pilgrim_communicator. */
enum { COMMUNICATOR, THREAD, PARENT, INTER, TOPOLOGY, SIZE, RANK, REMOTE_SIZE, LEADER, MEMBERS, VALUES };

enum { COMMS_MAX = 1 << 20 };

struct comm_family {
    uint64_t parent, members;
};

struct comm_family_count {
    struct comm_family family;
    uint64_t made;
    UT_hash_handle hh;
};

bool value_is_name(const struct key_value *v, const struct vocabulary *vocabulary, const char *name)
{
    return v->tag == VALUE_NAME && v->operand < vocabulary->name_count && !strcmp(vocabulary->names[v->operand], name);
}

uint64_t process_comms_identity(const struct process_comms *comms, const struct key_value *v,
                                const struct vocabulary *vocabulary)
{
    if (value_is_name(v, vocabulary, "MPI_COMM_WORLD"))
        return COMM_WORLD_IDENTITY;
    bool known = v->tag == VALUE_OBJECT && v->slots[0] >= 0 && (uint64_t)v->slots[0] < comms->count;
    return known ? comms->items[v->slots[0]].identity : COMM_UNKNOWN;
}

/* Returns how many communicators FAMILY had, and counts one more. -1: no memory. */
static int64_t count_next(struct comm_family_count **counts, struct comm_family family)
{
    struct comm_family_count *found;
    HASH_FIND(hh, *counts, &family, sizeof family, found);
    if (!found) {
        found = calloc(1, sizeof *found);
        if (!found)
            return -1;
        found->family = family;
        HASH_ADD(hh, *counts, family, sizeof found->family, found);
        if (!found->hh.tbl) {
            free(found);
            return -1;
        }
    }
    return (int64_t)found->made++;
}

static enum pilgrim_status add(struct process_comms *comms, int64_t id, const struct process_comm *comm)
{
    if (id < 0 || id >= COMMS_MAX)
        return PILGRIM_OK; /* it stays unknown */
    struct process_comm *items = array_reserve(comms->items, &comms->capacity, (size_t)id, sizeof *items);
    if (!items)
        return PILGRIM_NOMEM;
    comms->items = items;
    items[id] = *comm;
    comms->count = (size_t)id >= comms->count ? (size_t)id + 1 : comms->count;
    return PILGRIM_OK;
}

static enum pilgrim_status take(struct process_comms *comms, struct comm_family_count **counts,
                                const struct cursor *payload, const struct vocabulary *vocabulary)
{
    struct key_reader r = {.c = *payload};
    struct key_value v[VALUES];
    for (unsigned i = 0; i < VALUES; i++)
        if (!key_next(&r, &v[i]))
            return PILGRIM_OK;
    bool root = v[PARENT].tag == VALUE_NONE;
    uint64_t parent = root ? COMM_UNKNOWN : process_comms_identity(comms, &v[PARENT], vocabulary);
    uint64_t members = v[MEMBERS].tag == VALUE_INT ? (uint64_t)v[MEMBERS].slots[0] : 0;
    int64_t before = count_next(counts, (struct comm_family){parent, members});
    if (before < 0)
        return PILGRIM_NOMEM;
    if (v[COMMUNICATOR].tag != VALUE_OBJECT)
        return PILGRIM_OK;
    uint64_t parts[] = {parent, members, (uint64_t)before, (uint64_t)v[LEADER].slots[0]};
    bool known = parent != COMM_UNKNOWN && v[INTER].tag == VALUE_BOOL && !v[INTER].slots[0];
    const struct process_comm comm = {.id = v[COMMUNICATOR].slots[0],
                                      .identity = known ? XXH3_64bits(parts, sizeof parts) : COMM_UNKNOWN,
                                      .rank = v[RANK].slots[0],
                                      .size = v[SIZE].slots[0]};
    return add(comms, comm.id, &comm);
}

enum pilgrim_status process_comms_read(struct process_comms *comms, const struct bytes *records,
                                       const struct vocabulary *vocabulary)
{
    struct cursor log, payload;
    enum journal_record type;
    struct comm_family_count *counts = NULL, *count, *next;
    enum pilgrim_status status = PILGRIM_OK;
    cursor_init(&log, records->data, records->length);
    while (status == PILGRIM_OK && cursor_left(&log) && journal_next_record(&log, &type, &payload))
        if (type == JOURNAL_COMMUNICATOR)
            status = take(comms, &counts, &payload, vocabulary);
    HASH_ITER(hh, counts, count, next)
    {
        HASH_DEL(counts, count);
        free(count);
    }
    return status;
}

void process_comms_free(struct process_comms *comms)
{
    free(comms->items);
    *comms = (struct process_comms){0};
}
