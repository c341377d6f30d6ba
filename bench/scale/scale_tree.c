/* SPDX-License-Identifier: BSD-3-Clause */
/* Time and memory are those of the process that the work would be done on. A node of the tree knows when its fragment
 * is ready, if all ranks begin at 0, and what memory its process has; all that is allocated beyond that while it works
 * is its process's, too. */
#include "scale_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "merge/fragment_file.h"
#include "write/trace_writer.h"
#include "scale_memory.h"
#include "scale_record.h"

/* The fragment of a rank and the COUNT - 1 after it. */
struct node {
    struct fragment *fragment;
    struct bytes own; /* the rank's own fragment, encoded: what a process keeps until all is well */
    uint32_t count;
    size_t bytes; /* of both */
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
    require(fragment_encode(n.fragment, &n.own) == PILGRIM_OK, "sealing");
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

static void note_level(struct tree_result *result, unsigned level, double seconds, size_t sealed)
{
    struct tree_level *l = &result->level[level];
    l->merges++;
    l->total_s += seconds;
    raise_time(&l->longest_s, seconds);
    raise_to(&l->sealed_bytes, sealed);
    if (level >= result->levels)
        result->levels = level + 1;
}

/* What the process of FROM does when all below it have come in. SEALED: what it sends, to be freed. */
static void send(struct node *from, struct bytes *sealed, struct tree_result *result)
{
    size_t before = memory_live();
    memory_mark();
    double began = cpu_seconds();
    bool bound;
    require(fragment_finalise(from->fragment, true, &bound) == PILGRIM_OK, "binding");
    if (bound || from->count > 1)
        require(fragment_encode(from->fragment, sealed) == PILGRIM_OK, "sealing");
    fragment_free(from->fragment);
    from->ready_s += cpu_seconds() - began;
    raise_to(&result->peak_bytes, from->bytes + memory_peak() - before);
    if (!sealed->data)
        *sealed = from->own;
    else
        bytes_free(&from->own);
}

/* What the process of INTO does with what it receives. */
static void receive(struct node *into, struct bytes *sealed, size_t message, struct tree_result *result)
{
    struct fragment *other;
    size_t before = memory_live();
    memory_mark();
    double began = cpu_seconds();
    require(fragment_decode(sealed->data, sealed->length, &other) == PILGRIM_OK, "unsealing");
    bytes_free(sealed);
    require(fragment_merge(into->fragment, other) == PILGRIM_OK, "merging");
    fragment_free(other);
    into->ready_s += cpu_seconds() - began;
    raise_to(&result->peak_bytes, into->bytes + message + memory_peak() - before);
    into->bytes += message + memory_live() - before;
}

/* Step 2^LEVEL of INTO. */
static void take(struct node *into, struct node *from, unsigned level, struct tree_result *result)
{
    struct bytes sealed = {0};
    double seconds = -from->ready_s;
    size_t others = memory_live() - from->bytes;
    send(from, &sealed, result);
    size_t length = sealed.length, message = memory_live() - others;
    seconds += from->ready_s;
    raise_time(&into->ready_s, from->ready_s);
    seconds -= into->ready_s;
    receive(into, &sealed, message, result);
    seconds += into->ready_s;
    into->count += from->count;
    note_level(result, level, seconds, length);
}

/* Depth first: neighbours merge as soon as both are there. NODES: those that wait, lower ranks first. */
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
                trace_write(root->fragment, true, file) == PILGRIM_OK,
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
