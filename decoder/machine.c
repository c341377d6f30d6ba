/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the tree of machine.h. Nodes are found by parent, kind and name; classes, bottom-up, by their members. */
#define _GNU_SOURCE 1 /* asprintf */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* The key of a node or a class: words, then text. */
struct machine_key {
    UT_hash_handle hh;
    uint32_t number;
    uint32_t words[]; /* and behind them the text */
};

/* Returns the key of COUNT words and LENGTH bytes of text. A new key gets the number NEXT. NULL: no memory. */
static struct machine_key *key_of(struct machine_key **table, const uint32_t *words, size_t count, const char *text,
                                  size_t length, size_t next)
{
    size_t bytes = count * sizeof *words + length;
    struct machine_key *found = NULL, *key = malloc(sizeof *key + bytes + 1);
    if (!key)
        return NULL;
    memcpy(key->words, words, bytes - length);
    memcpy(key->words + count, text, length);
    key->number = (uint32_t)next;
    HASH_FIND(hh, *table, key->words, bytes, found);
    if (!found) {
        HASH_ADD_KEYPTR(hh, *table, key->words, bytes, key);
        if (key->hh.tbl)
            return key;
    }
    free(key);
    return found;
}

static void keys_free(struct machine_key **table)
{
    struct machine_key *key, *next;
    HASH_ITER(hh, *table, key, next)
    {
        HASH_DEL(*table, key);
        free(key);
    }
}

/* Returns ARRAY, of COUNT elements, with room for one more. NULL: no memory, ARRAY is as it was. */
static void *grow(void *array, size_t count, size_t size)
{
    return count & (count - 1) ? array : realloc(array, (count ? 2 * count : 1) * size);
}

/* ---- nodes ---- */

static bool add_node(struct machine *m, uint32_t parent, const struct pilgrim_level *level)
{
    struct machine_node *nodes = grow(m->nodes, m->node_count, sizeof *nodes);
    if (!nodes)
        return false;
    m->nodes = nodes;
    uint32_t number = (uint32_t)m->node_count++;
    nodes[number] = (struct machine_node){.kind = level->kind, .name = level->name, .host = NO_HOST};
    if (number == parent)
        return true; /* the machine */
    if (nodes[parent].first)
        nodes[nodes[parent].last].next = number;
    else
        nodes[parent].first = number;
    nodes[parent].last = number;
    return true;
}

/* Moves *NODE to its child LEVEL, which is added if it is new. False: no memory. */
static bool enter_child(struct machine *m, uint32_t *node, const struct pilgrim_level *level)
{
    char *text;
    int length = asprintf(&text, "%s %s", level->kind, level->name);
    if (length < 0)
        return false;
    uint32_t words[2] = {*node, (uint32_t)strlen(level->kind)};
    struct machine_key *key = key_of(&m->node_keys, words, 2, text, (size_t)length, m->node_count);
    free(text);
    if (!key || (key->number == m->node_count && !add_node(m, *node, level)))
        return false;
    *node = key->number;
    return true;
}

static bool add_host(struct machine *m, uint32_t number)
{
    static const struct pilgrim_level unknown = {"unknown", ""};
    struct pilgrim_host host;
    uint32_t node = 0;
    if (pilgrim_system_host(m->system, number, &host) != PILGRIM_OK)
        return false;
    if (!host.level_count && !enter_child(m, &node, &unknown))
        return false;
    for (size_t i = 0; i < host.level_count; i++)
        if (!enter_child(m, &node, &host.levels[i]))
            return false;
    m->nodes[node].host = number;
    return true;
}

/* ---- classes ---- */

uint32_t machine_threads(const struct machine *m, uint32_t host, uint32_t process, uint32_t *rank)
{
    if (pilgrim_system_rank(m->system, host, process, rank) != PILGRIM_OK)
        return 0;
    return pilgrim_thread_count(m->trace, *rank);
}

uint32_t machine_processes(const struct machine *m, uint32_t node)
{
    struct pilgrim_host host;
    return pilgrim_system_host(m->system, m->nodes[node].host, &host) == PILGRIM_OK ? host.processes : 0;
}

static int compare_members(const void *x, const void *y)
{
    const struct machine_member *a = x, *b = y;
    return (a->what > b->what) - (a->what < b->what);
}

/* Sorts COUNT members and joins equal ones; returns how many are left. */
static size_t count_members(struct machine_member *members, size_t count)
{
    size_t different = 0;
    qsort(members, count, sizeof *members, compare_members);
    for (size_t i = 0; i < count; i++)
        if (different && members[different - 1].what == members[i].what)
            members[different - 1].count += members[i].count;
        else
            members[different++] = members[i];
    return different;
}

/* Gives node NUMBER its class; its children have theirs. ROOM is for all its members and one more. */
static bool classify(struct machine *m, uint32_t number, struct machine_member *room)
{
    struct machine_node *node = &m->nodes[number];
    struct machine_class *classes = grow(m->classes, m->class_count, sizeof *classes);
    if (!classes)
        return false;
    m->classes = classes;
    size_t count = 0, processes = machine_processes(m, number);
    for (uint32_t child = node->first; child; child = m->nodes[child].next)
        room[1 + count++] = (struct machine_member){m->nodes[child].class, 1};
    size_t children = count_members(room + 1, count);
    for (uint32_t p = 0, rank; p < processes; p++)
        room[1 + children + p] = (struct machine_member){machine_threads(m, node->host, p, &rank), 1};
    processes = count_members(room + 1 + children, processes);
    room[0] = (struct machine_member){(uint32_t)children, (uint32_t)processes};
    count = 1 + children + processes;
    struct machine_key *key =
        key_of(&m->class_keys, (const uint32_t *)room, 2 * count, node->kind, strlen(node->kind), m->class_count);
    if (!key)
        return false;
    if (key->number == m->class_count) {
        const struct machine_member *members = (const struct machine_member *)key->words + 1;
        classes[m->class_count++] = (struct machine_class){members, members + children, children, processes};
    }
    node->class = key->number;
    return true;
}

/* Classifies the children first, in their order, so that classes are numbered in the order of the output. */
static bool classify_all(struct machine *m, uint32_t number, struct machine_member *room)
{
    for (uint32_t child = m->nodes[number].first; child; child = m->nodes[child].next)
        if (!classify_all(m, child, room))
            return false;
    return classify(m, number, room);
}

static size_t room_needed(const struct machine *m)
{
    size_t most = 0;
    for (uint32_t n = 0; n < m->node_count; n++) {
        size_t members = machine_processes(m, n);
        for (uint32_t child = m->nodes[n].first; child; child = m->nodes[child].next)
            members++;
        most = members > most ? members : most;
    }
    return most + 1;
}

static bool build(struct machine *m)
{
    static const struct pilgrim_level whole = {"machine", ""};
    bool good = add_node(m, 0, &whole);
    for (uint32_t host = 0; host < pilgrim_system_hosts(m->system) && good; host++)
        good = add_host(m, host);
    struct machine_member *room = good ? malloc(room_needed(m) * sizeof *room) : NULL;
    good = room && classify_all(m, 0, room);
    free(room);
    return good;
}

enum pilgrim_status machine_build(struct machine *m, const struct pilgrim_trace *trace,
                                  const struct pilgrim_system *system)
{
    *m = (struct machine){.trace = trace, .system = system};
    return build(m) ? PILGRIM_OK : PILGRIM_NOMEM;
}

void machine_free(struct machine *m)
{
    keys_free(&m->node_keys);
    keys_free(&m->class_keys);
    free(m->nodes);
    free(m->classes);
}
