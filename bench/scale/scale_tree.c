/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the merge tree. Time and memory are those of the process that would do the work. A node of the tree
 * knows when its fragment is ready, if all ranks begin at 0, and how much memory its process has. What is allocated
 * beyond that while the node works also belongs to its process. */
#include "scale_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "merge/fragment_file.h"
#include "scale_memory.h"
#include "scale_record.h"

/* The fragment of a rank and the COUNT - 1 ranks after it. */
struct node {
    struct fragment *fragment;
    struct bytes own; /* the rank's own fragment, encoded; a process keeps it until the merge has succeeded */
    uint32_t count;
    size_t bytes; /* of both fragments */
    double ready_s;
};

static void require(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "scale: %s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void raise_to(size_t *most, size_t bytes)
{
    if (bytes > *most)
        *most = bytes;
}

static void raise_time(double *most, double seconds)
{
    if (seconds > *most)
        *most = seconds;
}

/* ---- one rank ---- */

static struct node own_node(const struct world *w, uint32_t rank, struct tree_result *result)
{
    double began = cpu_seconds();
    struct stream *thread = record_thread(w, rank);
    struct stream *process = record_process(w, rank);
    double recorded = cpu_seconds();
    size_t streams = memory_live();
    memory_mark();
    struct node n = {.fragment = fragment_new(rank), .count = 1};
    const struct stream *threads[] = {thread};
    require(n.fragment && fragment_add_rank(n.fragment, process, threads, 1) == PILGRIM_OK, "a rank's fragment");
    double made = cpu_seconds();
    raise_to(&result->own_bytes, memory_peak() - streams);
    require(fragment_encode(n.fragment, &n.own) == PILGRIM_OK, "encoding");
    n.ready_s = cpu_seconds() - made;
    size_t all = memory_live();
    n.bytes = all - streams;
    stream_free(process);
    stream_free(thread);
    raise_to(&result->record_bytes, all - memory_live());
    result->record_s += recorded - began;
    raise_time(&result->own_longest_s, made - recorded);
    return n;
}

/* ---- two neighbours ---- */

static void note_level(struct tree_result *result, unsigned level, double seconds, size_t encoded)
{
    struct tree_level *l = &result->level[level];
    l->merges++;
    l->total_s += seconds;
    raise_time(&l->longest_s, seconds);
    raise_to(&l->longest_bytes, encoded);
    if (level >= result->levels)
        result->levels = level + 1;
}

/* Does what the process of FROM does when all fragments below it have arrived. ENCODED: the message that it sends;
 * the caller frees it. */
static void send(struct node *from, struct bytes *encoded, struct tree_result *result)
{
    size_t before = memory_live();
    memory_mark();
    double began = cpu_seconds();
    bool bound;
    require(fragment_finalise(from->fragment, true, &bound) == PILGRIM_OK, "finalising");
    if (bound || from->count > 1)
        require(fragment_encode(from->fragment, encoded) == PILGRIM_OK, "encoding");
    fragment_free(from->fragment);
    from->ready_s += cpu_seconds() - began;
    raise_to(&result->peak_bytes, from->bytes + memory_peak() - before);
    if (!encoded->data)
        *encoded = from->own;
    else
        bytes_free(&from->own);
}

/* Does what the process of INTO does with the message that it receives. */
static void receive(struct node *into, struct bytes *encoded, size_t message, struct tree_result *result)
{
    struct fragment *other;
    size_t before = memory_live();
    memory_mark();
    double began = cpu_seconds();
    require(fragment_decode(encoded->data, encoded->length, &other) == PILGRIM_OK, "decoding");
    bytes_free(encoded);
    require(fragment_merge(into->fragment, other) == PILGRIM_OK, "merging");
    fragment_free(other);
    into->ready_s += cpu_seconds() - began;
    raise_to(&result->peak_bytes, into->bytes + message + memory_peak() - before);
    into->bytes += message + memory_live() - before;
}

/* Does step 2^LEVEL of INTO. */
static void take(struct node *into, struct node *from, unsigned level, struct tree_result *result)
{
    struct bytes encoded = {0};
    double seconds = -from->ready_s;
    size_t others = memory_live() - from->bytes;
    send(from, &encoded, result);
    size_t length = encoded.length, message = memory_live() - others;
    seconds += from->ready_s;
    raise_time(&into->ready_s, from->ready_s);
    seconds -= into->ready_s;
    receive(into, &encoded, message, result);
    seconds += into->ready_s;
    into->count += from->count;
    note_level(result, level, seconds, length);
}

/* Merges depth first: neighbours merge as soon as both are there. NODES: the waiting nodes, lower ranks first. */
static unsigned merge_waiting(struct node *nodes, unsigned count, bool all, struct tree_result *result)
{
    while (count > 1 && (all || nodes[count - 2].count == nodes[count - 1].count)) {
        unsigned level = 0;
        while (UINT32_C(1) << level < nodes[count - 2].count)
            level++;
        take(&nodes[count - 2], &nodes[count - 1], level, result);
        count--;
    }
    return count;
}

static void write_file(struct node *root, struct tree_result *result, struct bytes *file)
{
    size_t before = memory_live();
    memory_mark();
    double began = cpu_seconds();
    require(fragment_set_property(root->fragment, "program", "application") == PILGRIM_OK &&
                fragment_write(root->fragment, true, file) == PILGRIM_OK,
            "writing");
    result->write_s = cpu_seconds() - began;
    result->write_bytes = root->bytes + memory_peak() - before;
}

void tree_run(const struct world *w, struct tree_result *result, struct bytes *file)
{
    struct node nodes[TREE_LEVELS_MAX + 1];
    unsigned count = 0;
    *result = (struct tree_result){0};
    for (uint32_t rank = 0; rank < w->ranks; rank++) {
        nodes[count++] = own_node(w, rank, result);
        count = merge_waiting(nodes, count, false, result);
    }
    merge_waiting(nodes, count, true, result);
    result->path_s = nodes[0].ready_s;
    result->calls = fragment_calls(nodes[0].fragment);
    write_file(&nodes[0], result, file);
    fragment_free(nodes[0].fragment);
    bytes_free(&nodes[0].own);
}
