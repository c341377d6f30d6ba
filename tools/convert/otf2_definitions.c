/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes definitions; see otf2_definitions.h. */
#ifdef HAVE_OTF2
#include "otf2_definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "collective_kinds.h"
#include "otf2_objects.h"

enum { MACHINE = 0, GROUP_LOCATIONS = 0, GROUP_WORLD_MEMBERS = 1, GROUP_OF_SELF = 2, NAME_BYTES = 320 };

_Static_assert((int)OTF2_COLLECTIVE_OP_DESTROY_HANDLE == COLLECTIVE_DESTROY, "the numbers are OTF2's");
_Static_assert((int)OTF2_COLLECTIVE_OP_ALLREDUCE == COLLECTIVE_ALLREDUCE, "the numbers are OTF2's");
_Static_assert((int)OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK == COLLECTIVE_REDUCE_SCATTER_BLOCK,
               "the numbers are OTF2's");

struct otf2_text {
    UT_hash_handle hh;
    uint32_t number;
    char text[];
};

static void note(struct otf2_definitions *d, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && d->bad == OTF2_SUCCESS)
        d->bad = code;
}

/* Returns the number of TEXT in a table, and sets *NEW if it was not there. */
static uint32_t number_of(struct otf2_definitions *d, struct otf2_text **table, uint32_t *count, const char *text,
                          bool *new)
{
    struct otf2_text *found = NULL;
    const size_t length = strlen(text);
    HASH_FIND(hh, *table, text, length, found);
    *new = !found;
    if (found)
        return found->number;
    found = calloc(1, sizeof *found + length + 1);
    if (!found) {
        d->short_of_memory = true;
        *new = false;
        return 0;
    }
    memcpy(found->text, text, length + 1);
    found->number = (*count)++;
    HASH_ADD_KEYPTR(hh, *table, found->text, length, found);
    return found->number;
}

static void free_table(struct otf2_text **table)
{
    struct otf2_text *text, *next;
    HASH_ITER(hh, *table, text, next)
    {
        HASH_DEL(*table, text);
        free(text);
    }
}

OTF2_StringRef otf2_define_text(struct otf2_definitions *d, const char *text)
{
    bool new;
    const uint32_t number = number_of(d, &d->texts, &d->text_count, text, &new);
    if (new)
        note(d, OTF2_GlobalDefWriter_WriteString(d->writer, number, text));
    return number;
}

OTF2_ParameterRef otf2_define_parameter(struct otf2_definitions *d, const char *name, OTF2_ParameterType type)
{
    char key[NAME_BYTES + 8];
    bool new;
    snprintf(key, sizeof key, "%d %s", (int)type, name);
    const uint32_t number = number_of(d, &d->parameters, &d->parameter_count, key, &new);
    if (new)
        note(d, OTF2_GlobalDefWriter_WriteParameter(d->writer, number, otf2_define_text(d, name), type));
    return number;
}

OTF2_RegionRef otf2_define_region(struct otf2_definitions *d, const struct pilgrim_function *function,
                                  const struct call_place *place)
{
    char room[CONVERT_MARKER_MAX], key[CONVERT_MARKER_MAX + 1024];
    const char *name = convert_function_name(function, room);
    bool new;
    snprintf(key, sizeof key, "%s %s", name, place->text);
    const uint32_t number = number_of(d, &d->regions, &d->region_count, key, &new);
    if (!new)
        return number;
    const OTF2_StringRef text = otf2_define_text(d, name), at = otf2_define_text(d, place->text),
                         file = place->file ? otf2_define_text(d, place->file) : OTF2_UNDEFINED_STRING;
    note(d, OTF2_GlobalDefWriter_WriteRegion(d->writer, number, text, text, at,
                                             (OTF2_RegionRole)function_role(function->name), OTF2_PARADIGM_MPI,
                                             OTF2_REGION_FLAG_NONE, file, place->line, place->line));
    return number;
}

OTF2_StringRef otf2_define_printable(struct otf2_definitions *d, const char *text)
{
    char printable[CONVERT_NAME_MAX];
    convert_printable(text, printable);
    return otf2_define_text(d, printable);
}

/* ---- the machine ---- */

static uint32_t define_level(struct otf2_definitions *d, uint32_t parent, const struct pilgrim_level *level, bool host)
{
    char key[2 * NAME_BYTES + 32];
    bool new;
    snprintf(key, sizeof key, "%u %.*s %.*s", parent, NAME_BYTES, level->kind, NAME_BYTES, level->name);
    const uint32_t number = number_of(d, &d->nodes, &d->node_count, key, &new);
    if (!new)
        return number;
    note(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, number, otf2_define_printable(d, level->name),
                                                     otf2_define_printable(d, level->kind), parent));
    if (host)
        note(d,
             OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->writer, number, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    return number;
}

/* Returns the node that a rank ran on. */
static uint32_t node_of(struct otf2_definitions *d, uint32_t rank)
{
    struct pilgrim_location location;
    struct pilgrim_host host;
    uint32_t node = MACHINE;
    if (!d->c->system || pilgrim_system_location(d->c->system, rank, &location) != PILGRIM_OK ||
        pilgrim_system_host(d->c->system, location.host, &host) != PILGRIM_OK)
        return node;
    for (size_t i = 0; i < host.level_count; i++)
        node = define_level(d, node, &host.levels[i], i + 1 == host.level_count);
    return node;
}

static void define_processes(struct otf2_definitions *d)
{
    const struct pilgrim_level machine = {"machine", "machine"};
    const struct mpi_records *r = d->c->records;
    char name[CONVERT_NAME_MAX];
    define_level(d, OTF2_UNDEFINED_SYSTEM_TREE_NODE, &machine, false);
    note(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->writer, MACHINE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    for (uint32_t rank = 0; rank < r->ranks; rank++) {
        const uint32_t node = node_of(d, rank);
        snprintf(name, sizeof name, "rank %u", rank);
        note(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, rank, otf2_define_text(d, name),
                                                        OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                                        OTF2_UNDEFINED_LOCATION_GROUP));
        for (size_t i = r->first[rank]; i < r->first[rank + 1]; i++) {
            if (i > r->first[rank])
                snprintf(name, sizeof name, "rank %u thread %u", rank, (unsigned)(i - r->first[rank]));
            note(d, OTF2_GlobalDefWriter_WriteLocation(d->writer, i, otf2_define_text(d, name),
                                                       OTF2_LOCATION_TYPE_CPU_THREAD, d->events[i], rank));
        }
    }
}

/* ---- groups and communicators ---- */

static void define_group(struct otf2_definitions *d, uint32_t number, const char *name, OTF2_GroupType type,
                         const uint64_t *members, size_t count)
{
    note(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, number, otf2_define_text(d, name), type, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, (uint32_t)count, members));
}

/* Defines the group of those members of a communicator who are on SIDE. ROOM has room for all of them. */
static uint32_t define_side(struct otf2_definitions *d, const struct comm_table_entry *entry, uint64_t side,
                            uint64_t *room)
{
    const uint32_t number = d->group_count++;
    size_t count = 0;
    for (size_t i = 0; i < entry->count; i++)
        if (entry->members[i].side == side) {
            room[entry->members[i].rank] = entry->members[i].world;
            count++;
        }
    define_group(d, number, "", OTF2_GROUP_TYPE_COMM_GROUP, room, count);
    return number;
}

static void define_made(struct otf2_definitions *d, uint32_t number, const struct comm_table_entry *entry,
                        uint64_t *room)
{
    char text[32];
    snprintf(text, sizeof text, "comm:%lld", (long long)entry->number);
    const OTF2_StringRef name = otf2_define_printable(d, entry->name ? entry->name : text);
    const uint32_t first = define_side(d, entry, entry->members[0].side, room);
    if (!entry->inter) {
        note(d, OTF2_GlobalDefWriter_WriteComm(d->writer, number, name, first, OTF2_UNDEFINED_COMM,
                                               OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS));
        return;
    }
    size_t other = 0;
    while (entry->members[other].side == entry->members[0].side)
        other++;
    const uint32_t second = define_side(d, entry, entry->members[other].side, room);
    note(d, OTF2_GlobalDefWriter_WriteInterComm(d->writer, number, name, first, second, COMM_TABLE_WORLD,
                                                OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS));
}

static void define_communicators(struct otf2_definitions *d)
{
    const struct mpi_records *r = d->c->records;
    uint64_t *room = calloc(r->ranks + (size_t)1, sizeof *room);
    if (!room) {
        d->short_of_memory = true;
        return;
    }
    for (uint32_t rank = 0; rank < r->ranks; rank++)
        room[rank] = r->first[rank]; /* its first thread */
    define_group(d, GROUP_LOCATIONS, "MPI processes", OTF2_GROUP_TYPE_COMM_LOCATIONS, room, r->ranks);
    for (uint32_t rank = 0; rank < r->ranks; rank++)
        room[rank] = rank;
    define_group(d, GROUP_WORLD_MEMBERS, "MPI_COMM_WORLD", OTF2_GROUP_TYPE_COMM_GROUP, room, r->ranks);
    define_group(d, GROUP_OF_SELF, "MPI_COMM_SELF", OTF2_GROUP_TYPE_COMM_SELF, NULL, 0);
    note(d, OTF2_GlobalDefWriter_WriteComm(d->writer, COMM_TABLE_WORLD, otf2_define_text(d, "MPI_COMM_WORLD"),
                                           GROUP_WORLD_MEMBERS, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    note(d, OTF2_GlobalDefWriter_WriteComm(d->writer, COMM_TABLE_SELF, otf2_define_text(d, "MPI_COMM_SELF"),
                                           GROUP_OF_SELF, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    d->group_count = OTF2_GROUP_OF_RANKS;
    for (const struct rank_group *group = r->groups_of_ranks.first; group; group = group->next)
        define_group(d, d->group_count++, "", OTF2_GROUP_TYPE_COMM_GROUP, group->members, group->count);
    for (size_t i = 0; i < r->comms.count; i++)
        if (r->comms.entries[i].whole)
            define_made(d, (uint32_t)(COMM_TABLE_FIRST + i), &r->comms.entries[i], room);
    free(room);
}

void otf2_define_all(struct otf2_definitions *d, uint64_t first_ns, uint64_t last_ns)
{
    note(d, OTF2_GlobalDefWriter_WriteClockProperties(d->writer, 1000000000, first_ns, last_ns - first_ns,
                                                      OTF2_UNDEFINED_TIMESTAMP));
    note(d, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_MPI, otf2_define_text(d, "MPI"),
                                               OTF2_PARADIGM_CLASS_PROCESS));
    define_processes(d);
    define_communicators(d);
    otf2_define_objects(d, d->opened);
}

void otf2_definitions_free(struct otf2_definitions *d)
{
    free_table(&d->texts);
    free_table(&d->nodes);
    free_table(&d->parameters);
    free_table(&d->regions);
}
#else
typedef int otf2_is_not_there; /* a file is not empty */
#endif
