/* SPDX-License-Identifier: BSD-3-Clause */
/* The communicators of a rank: the calls of pilgrim_communicator in its process stream, and the counts from which
 * identities are made.
 *
 * An identity is a hash of the parent's identity, the members' key, the number of earlier communicators with the same
 * parent and key, and the leader. A name that no call has introduced, or a value of a wrong type, has no identity: the
 * file may be damaged. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "read/cursor/cursor_open.h"
#include "read/table/trace_error.h"

enum { NAME_BYTES = 32 };

/* Indexes of the parameters of pilgrim_communicator. */
enum { COMMUNICATOR, THREAD, PARENT, INTER, TOPOLOGY, SIZE, RANK, REMOTE_SIZE, LEADER, KEY, PARAMETER_COUNT };

struct live {
    int64_t id;
    uint64_t identity;
    UT_hash_handle hh;
};

struct family {
    uint64_t parent, key;
};

struct count {
    struct family family;
    uint64_t created;
    UT_hash_handle hh;
};

struct pilgrim_communicators {
    const struct pilgrim_trace *trace;
    struct pilgrim_cursor *cursor; /* NULL: there are none */
    uint64_t self;                 /* the identity of MPI_COMM_SELF */
    struct live *live;
    struct count *counts;
    char name[NAME_BYTES], parent[NAME_BYTES];
};

static const uint64_t world = 1;

enum pilgrim_status pilgrim_communicators_open(const struct pilgrim_trace *trace, uint32_t rank,
                                               struct pilgrim_communicators **list, struct pilgrim_error *error)
{
    if (list)
        *list = NULL;
    if (!trace || !list)
        return trace_null(error);
    struct pilgrim_communicators *l = calloc(1, sizeof *l);
    if (!l)
        return trace_no_memory(error);
    l->trace = trace;
    l->self = XXH3_64bits_withSeed(&rank, sizeof rank, world);
    enum pilgrim_status status = process_cursor_open(trace, rank, COMMUNICATOR_FUNCTION, &l->cursor, error);
    if (status != PILGRIM_OK && status != PILGRIM_END) {
        free(l);
        return status;
    }
    *list = l;
    return PILGRIM_OK;
}

void pilgrim_communicators_close(struct pilgrim_communicators *l)
{
    struct live *live, *next_live;
    struct count *count, *next_count;
    if (!l)
        return;
    HASH_ITER(hh, l->live, live, next_live)
    {
        HASH_DEL(l->live, live);
        free(live);
    }
    HASH_ITER(hh, l->counts, count, next_count)
    {
        HASH_DEL(l->counts, count);
        free(count);
    }
    pilgrim_cursor_close(l->cursor);
    free(l);
}

/* Returns the identity of the communicator that a handle's value names. 0: unknown. */
static uint64_t identity_of(const struct pilgrim_communicators *l, const struct pilgrim_value *v)
{
    struct live *found = NULL;
    if (v->type == PILGRIM_NAME)
        return !strcmp(v->text, "MPI_COMM_WORLD") ? world : !strcmp(v->text, "MPI_COMM_SELF") ? l->self : 0;
    if (v->type == PILGRIM_OBJECT)
        HASH_FIND(hh, l->live, &v->id, sizeof v->id, found);
    return found ? found->identity : 0;
}

/* Makes ID the name of IDENTITY. False: no memory. */
static bool bind(struct pilgrim_communicators *l, int64_t id, uint64_t identity)
{
    struct live *found;
    HASH_FIND(hh, l->live, &id, sizeof id, found);
    if (!found) {
        found = calloc(1, sizeof *found);
        if (!found)
            return false;
        found->id = id;
        HASH_ADD(hh, l->live, id, sizeof found->id, found);
        if (!found->hh.tbl) {
            free(found);
            return false;
        }
    }
    found->identity = identity;
    return true;
}

/* Returns the number of earlier communicators with this parent and key, and counts one more. -1: no memory. */
static int64_t count_next(struct pilgrim_communicators *l, uint64_t parent, uint64_t key)
{
    struct family family = {parent, key};
    struct count *found;
    HASH_FIND(hh, l->counts, &family, sizeof family, found);
    if (!found) {
        found = calloc(1, sizeof *found);
        if (!found)
            return -1;
        found->family = family;
        HASH_ADD(hh, l->counts, family, sizeof found->family, found);
        if (!found->hh.tbl) {
            free(found);
            return -1;
        }
    }
    return (int64_t)found->created++;
}

static const char *name_text(char *room, const struct pilgrim_value *v)
{
    if (v->type == PILGRIM_NAME)
        return v->text;
    if (v->type != PILGRIM_OBJECT)
        return NULL;
    snprintf(room, NAME_BYTES, "%.8s:%" PRId64, v->text, v->id);
    return room;
}

static enum pilgrim_status convert(struct pilgrim_communicators *l, const struct pilgrim_value *in,
                                   struct pilgrim_communicator *out, struct pilgrim_error *error)
{
    bool has_parent = in[PARENT].type != PILGRIM_NONE;
    uint64_t parent = has_parent ? identity_of(l, &in[PARENT]) : 0;
    uint64_t key = in[KEY].type == PILGRIM_INT ? (uint64_t)in[KEY].integer : 0;
    int64_t before = count_next(l, parent, key);
    const char *name = name_text(l->name, &in[COMMUNICATOR]);
    *out = (struct pilgrim_communicator){.name = name ? name : "?",
                                         .thread = in[THREAD].integer,
                                         .inter = in[INTER].integer != 0,
                                         .topology = in[TOPOLOGY].type == PILGRIM_NAME ? in[TOPOLOGY].text : "?",
                                         .size = in[SIZE].integer,
                                         .rank = in[RANK].integer,
                                         .remote_size = in[REMOTE_SIZE].integer,
                                         .leader = in[LEADER].integer,
                                         .parent = has_parent ? name_text(l->parent, &in[PARENT]) : NULL,
                                         .sequence = (uint64_t)before};
    if (in[COMMUNICATOR].type == PILGRIM_OBJECT && (parent || !has_parent)) {
        uint64_t parts[4] = {parent, key, out->sequence, (uint64_t)out->leader};
        out->identity = XXH3_64bits(parts, sizeof parts);
    }
    bool good = before >= 0;
    if (good && in[COMMUNICATOR].type == PILGRIM_OBJECT)
        good = bind(l, in[COMMUNICATOR].id, out->identity);
    return good ? PILGRIM_OK : trace_no_memory(error);
}

enum pilgrim_status pilgrim_communicators_next(struct pilgrim_communicators *l,
                                               struct pilgrim_communicator *communicator, struct pilgrim_error *error)
{
    if (!l || !communicator)
        return trace_null(error);
    if (!l->cursor)
        return PILGRIM_END;
    for (;;) {
        struct pilgrim_call call;
        enum pilgrim_status status = pilgrim_cursor_next(l->cursor, &call, error);
        if (status != PILGRIM_OK)
            return status;
        if (call.function->parameter_count == PARAMETER_COUNT && !strcmp(call.function->name, COMMUNICATOR_FUNCTION))
            return convert(l, call.in, communicator, error);
    }
}
