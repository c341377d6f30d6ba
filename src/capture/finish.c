/* The end of recording: fragments travel up a binomial tree over the private communicator, rank 0 writes the file.
 *
 * At step m = 1, 2, 4, ... a rank that is a multiple of 2m takes the fragment of rank + m, which then covers the m
 * ranks after its own, so that neighbours merge. Every rank takes part whatever became of its tracing: a message says
 * whether a fragment follows, and one that is missing makes the whole trace missing; nobody waits in vain.
 * A fragment goes in parts of limited size: MPI counts are ints, and a receiver without memory can still take it. */
#define _GNU_SOURCE 1 /* program_invocation_short_name */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "capture/capture.h"
#include "capture/communicators.h"
#include "capture/output.h"
#include "capture/place.h"
#include "capture/thread.h"
#include "functions.h"
#include "merge/fragment.h"
#include "objects/sharing.h"

enum { TAG_HEAD = 1, TAG_PART = 2, PART_BYTES = 1 << 20, VIEW_CAPACITY_MIN = 64 };

/* What a fragment's message begins with. */
struct head {
    uint64_t length; /* of the packed fragment; 0: none */
    int32_t failed;  /* the lowest rank that has no trace, -1: all have one */
    int32_t unused;
};

/* This rank's subtree so far. */
struct gather {
    struct fragment *fragment; /* NULL once something failed */
    int failed;
};

static void gather_fail(struct gather *g, int rank)
{
    if (g->failed < 0 || rank < g->failed)
        g->failed = rank;
    fragment_free(g->fragment);
    g->fragment = NULL;
}

/* ---- this process ---- */

static void put_integers(struct bytes *key, const struct view *views, size_t count, bool sizes)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        bytes_put_u8(key, VALUE_INT);
        bytes_put_u64(key, (uint64_t)(int64_t)(sizes ? views[i].size : views[i].rank));
    }
}

/* The process's views, all of them; NULL where memory is short. At least the one of MPI_COMM_WORLD. */
static struct view *copy_views(size_t *count)
{
    size_t capacity = VIEW_CAPACITY_MIN;
    for (;;) {
        struct view *views = malloc(capacity * sizeof *views);
        if (!views)
            return NULL;
        *count = objects_views(views, capacity);
        if (*count <= capacity) {
            if (!*count || !capture.initialized)
                views[0] = (struct view){.rank = capture.rank, .size = capture.size};
            *count += !*count;
            return views;
        }
        capacity = *count;
        free(views);
    }
}

/* The pseudo calls that say what belongs to the process rather than to a thread: its communicators, its views. */
static struct stream *process_stream(void)
{
    struct stream *s = communicators_end();
    size_t count = 0;
    struct view *views = copy_views(&count);
    struct bytes key = {0};
    uint32_t class;
    bool good = s && views && stream_class(s, FUNCTION_pilgrim_process, NULL, false, &class) == PILGRIM_OK;
    if (good) {
        put_integers(&key, views, count, false);
        put_integers(&key, views, count, true);
        place_put(&key, capture.settings.system);
        bytes_put_u8(&key, VALUE_NONE);
        good = bytes_status(&key) == PILGRIM_OK && stream_append(s, class, key.data, key.length, 0) == PILGRIM_OK;
    }
    bytes_free(&key);
    free(views);
    if (!good) {
        stream_free(s);
        return NULL;
    }
    return s;
}

static struct fragment *own_fragment(void)
{
    if (objects_failed())
        capture_fail("out of memory for the names of objects");
    if (atomic_load(&capture.off) & OFF_FAILED)
        return NULL;
    size_t count = thread_count();
    const struct stream **streams = malloc((count + 1) * sizeof *streams);
    struct stream *process = process_stream();
    struct fragment *f = fragment_new((uint32_t)capture.rank);
    bool good = streams && process && f;
    if (good) {
        const struct stream **next = streams;
        for (const struct thread *t = thread_first(); t; t = t->next)
            *next++ = t->stream;
        good = fragment_add_rank(f, process, streams, count) == PILGRIM_OK;
    }
    stream_free(process);
    free(streams);
    if (good)
        return f;
    fragment_free(f);
    capture_fail("out of memory");
    return NULL;
}

/* ---- the tree ---- */

static void send_fragment(struct gather *g, int to)
{
    struct bytes packed = {0};
    if (g->fragment) {
        fragment_pack(g->fragment, &packed);
        if (bytes_status(&packed) != PILGRIM_OK)
            gather_fail(g, capture.rank);
    }
    struct head head = {.length = g->fragment ? packed.length : 0, .failed = g->failed};
    PMPI_Send(&head, sizeof head, MPI_BYTE, to, TAG_HEAD, capture.comm);
    for (size_t sent = 0; sent < head.length;) {
        size_t part = head.length - sent < PART_BYTES ? head.length - sent : PART_BYTES;
        PMPI_Send(packed.data + sent, (int)part, MPI_BYTE, to, TAG_PART, capture.comm);
        sent += part;
    }
    bytes_free(&packed);
}

/* Receives LENGTH bytes into DATA, or nowhere if that is NULL. */
static bool receive_parts(uint8_t *data, uint64_t length, int from)
{
    static uint8_t nowhere[PART_BYTES];
    bool good = true;
    for (uint64_t received = 0; received < length;) {
        size_t part = length - received < PART_BYTES ? (size_t)(length - received) : PART_BYTES;
        good &= PMPI_Recv(data ? data + received : nowhere, (int)part, MPI_BYTE, from, TAG_PART, capture.comm,
                          MPI_STATUS_IGNORE) == MPI_SUCCESS;
        received += part;
    }
    return good && data;
}

static void receive_fragment(struct gather *g, int from)
{
    struct head head = {0};
    if (PMPI_Recv(&head, sizeof head, MPI_BYTE, from, TAG_HEAD, capture.comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        gather_fail(g, from);
        return;
    }
    uint8_t *data = g->fragment && head.length ? malloc(head.length) : NULL;
    bool good = receive_parts(data, head.length, from);
    if (head.failed >= 0) {
        gather_fail(g, head.failed);
    } else if (g->fragment) {
        struct fragment *other = NULL;
        good = good && fragment_unpack(data, head.length, &other) == PILGRIM_OK &&
               fragment_merge(g->fragment, other) == PILGRIM_OK;
        fragment_free(other);
        if (!good)
            gather_fail(g, capture.rank);
    }
    free(data);
}

static void gather_tree(struct gather *g)
{
    for (int64_t step = 1; step < capture.size; step *= 2) {
        if (capture.rank & step) {
            send_fragment(g, (int)(capture.rank - step));
            return;
        }
        if (capture.rank + step < capture.size)
            receive_fragment(g, (int)(capture.rank + step));
    }
}

/* ---- the file ---- */

static enum pilgrim_status set_properties(struct fragment *f)
{
    const char *properties[][2] = {
        {"program", program_invocation_short_name},
        {"library", capture.library},
        {"timing", capture.settings.times ? "aggregate" : "off"},
        {"tracer", CAPTURE_TRACER},
    };
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        enum pilgrim_status status = fragment_set_property(f, properties[i][0], properties[i][1]);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

static void say_summary(const struct fragment *f, const char *path, size_t length)
{
    uint64_t plain = fragment_plain_bytes(f);
    uint32_t ranks = fragment_ranks(f);
    capture_say("%" PRIu64 " calls of %" PRIu32 " rank%s in %s, %zu bytes, %" PRIu64
                " times smaller than plain records (%" PRIu64 " bytes)",
                fragment_calls(f), ranks, ranks == 1 ? "" : "s", path, length, length ? plain / length : 0, plain);
}

static void write_trace(struct fragment *f)
{
    struct bytes file = {0}, path = {0}, written = {0};
    char job[256];
    if (set_properties(f) != PILGRIM_OK || fragment_write(f, capture.settings.times, &file) != PILGRIM_OK ||
        bytes_status(&file) != PILGRIM_OK ||
        output_expand(capture.settings.trace, program_invocation_short_name, output_job(job, sizeof job), time(NULL),
                      &path) != PILGRIM_OK) {
        capture_say("out of memory; no trace is written");
    } else {
        enum pilgrim_status status = output_write((const char *)path.data, file.data, file.length, &written);
        if (status == PILGRIM_OK && !capture.settings.quiet)
            say_summary(f, (const char *)written.data, file.length);
        else if (status == PILGRIM_IO)
            capture_say("%s: %s; no trace is written", (const char *)written.data, strerror(errno));
        else if (status != PILGRIM_OK)
            capture_say("out of memory; no trace is written");
    }
    bytes_free(&file);
    bytes_free(&path);
    bytes_free(&written);
}

void capture_finish(void)
{
    struct gather g = {.fragment = own_fragment(), .failed = -1};
    if (!g.fragment)
        g.failed = capture.rank;
    if (capture.comm != MPI_COMM_NULL) {
        gather_tree(&g);
        PMPI_Comm_free(&capture.comm);
    }
    if (capture.rank == 0) {
        if (g.fragment)
            write_trace(g.fragment);
        else
            capture_say("no trace is written: rank %d could not record its calls", g.failed);
    }
    fragment_free(g.fragment);
}
