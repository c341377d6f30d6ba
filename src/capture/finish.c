/* The end of recording: this process's fragment is made, those of all come together in rank 0 (gather.c), which writes the
 * trace. Where they do not come together, each process leaves its own in a file, and pilgrim-merge does the rest. */
#define _GNU_SOURCE 1 /* program_invocation_short_name */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/try.h"
#include "base/value.h"
#include "capture/capture.h"
#include "capture/communicators.h"
#include "capture/gather.h"
#include "capture/place.h"
#include "capture/thread.h"
#include "format/output.h"
#include "functions.h"
#include "merge/fragment_file.h"
#include "objects/sharing.h"

enum { VIEW_CAPACITY_MIN = 64, LINE_BYTES = 128 };

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
        good = bytes_status(&key) == PILGRIM_OK && stream_append(s, class, false, key.data, key.length, 0) == PILGRIM_OK;
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

/* ---- what all processes agree on ---- */

static uint64_t random_number(void)
{
    uint64_t number;
    struct timespec t;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec) * (uint64_t)getpid();
}

void capture_agree(void)
{
    struct run *run = &capture.run;
    if (capture.rank == 0) {
        struct bytes path = {0};
        char job[256];
        run->id = random_number();
        run->merge_limit_s = capture.settings.merge_limit_s;
        if (output_expand(capture.settings.trace, program_invocation_short_name, output_job(job, sizeof job), time(NULL),
                          &path) == PILGRIM_OK)
            snprintf(run->trace, sizeof run->trace, "%s", (const char *)path.data);
        bytes_free(&path);
    }
    if (capture.comm != MPI_COMM_NULL)
        PMPI_Bcast(run, sizeof *run, MPI_BYTE, 0, capture.comm);
}

/* ---- the trace ---- */

/* Fills PROPERTIES, room for FRAGMENT_PROPERTIES_MAX; returns how many there are. */
static size_t properties_of_run(struct fragment_property *properties)
{
    const struct fragment_property all[] = {
        {"program", program_invocation_short_name},
        {"library", capture.library},
        {"timing", capture.settings.times ? "aggregate" : "off"},
        {"tracer", CAPTURE_TRACER},
    };
    memcpy(properties, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void say_summary(const struct fragment *f, const char *path, size_t length)
{
    uint64_t plain = fragment_plain_bytes(f);
    uint32_t ranks = fragment_ranks(f);
    capture_say("%" PRIu64 " calls of %" PRIu32 " rank%s in %s, %zu bytes, %" PRIu64
                " times smaller than plain records (%" PRIu64 " bytes)",
                fragment_calls(f), ranks, ranks == 1 ? "" : "s", path, length, length ? plain / length : 0, plain);
}

/* The trace's bytes. */
static enum pilgrim_status make_trace(struct fragment *f, struct bytes *file)
{
    struct fragment_property properties[FRAGMENT_PROPERTIES_MAX];
    size_t count = properties_of_run(properties);
    for (size_t i = 0; i < count; i++)
        TRY(fragment_set_property(f, properties[i].key, properties[i].value));
    TRY(fragment_write(f, capture.settings.times, file));
    return bytes_status(file);
}

/* False where memory is short; all else is said. */
static bool write_trace(struct fragment *f)
{
    struct bytes file = {0}, written = {0};
    enum pilgrim_status status = *capture.run.trace ? make_trace(f, &file) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = output_write(capture.run.trace, file.data, file.length, &written);
    if (status == PILGRIM_OK && !capture.settings.quiet)
        say_summary(f, (const char *)written.data, file.length);
    else if (status == PILGRIM_IO)
        capture_say("%s: %s; no trace is written", (const char *)written.data, strerror(errno));
    bytes_free(&file);
    bytes_free(&written);
    return status == PILGRIM_OK || status == PILGRIM_IO;
}

/* ---- a fragment that is left ---- */

static void say_left(const struct gather_letter *state, const char *folder)
{
    char why[LINE_BYTES] = "";
    if (state->outcome == GATHER_SHORT)
        snprintf(why, sizeof why, "rank %d has too little memory to merge; ", (int)state->rank);
    else if (capture.run.merge_limit_s)
        snprintf(why, sizeof why, "the calls of all ranks did not come together within %" PRIu32 " s; ",
                 capture.run.merge_limit_s);
    if (*why || !capture.settings.quiet)
        capture_say("%seach rank leaves its own in %s, to be finished with: pilgrim-merge %s", why, folder, folder);
}

/* Writes this process's file. PATH (empty at first, to be freed) is the path it was about where that fails;
 * FIRST: no process has been here before. */
static enum pilgrim_status write_fragment(const struct bytes *sealed, struct bytes *file, struct bytes *path, bool *first)
{
    struct fragment_head head = {
        .run = capture.run.id,
        .rank = (uint32_t)capture.rank,
        .ranks = (uint32_t)capture.size,
        .times = capture.settings.times,
        .tracer = CAPTURE_TRACER,
        .trace = capture.run.trace,
    };
    char name[LINE_BYTES];
    head.property_count = properties_of_run(head.properties);
    TRY(fragment_file_write(&head, sealed, file));
    TRY(output_folder(capture.run.trace, capture.run.id, path, first));
    size_t folder = path->length;
    int length = snprintf(name, sizeof name, "/%d" FRAGMENT_FILE_SUFFIX, capture.rank);
    bytes_put(path, name, (size_t)length + 1);
    TRY(bytes_status(path));
    TRY(output_place((const char *)path->data, file->data, file->length));
    path->data[folder] = 0;
    return PILGRIM_OK;
}

/* One process for all says so: the one that was first. Of failures rank 0 has to speak, too: there may be no first one. */
static void leave_fragment(const struct gather *g)
{
    struct bytes file = {0}, path = {0};
    bool first = false;
    enum pilgrim_status status = write_fragment(&g->own, &file, &path, &first);
    if (status == PILGRIM_OK && first)
        say_left(&g->state, (const char *)path.data);
    else if (status != PILGRIM_OK && (first || capture.rank == 0))
        capture_say("%s: %s; the calls of rank %d are lost", path.data ? (const char *)path.data : "a fragment",
                    status == PILGRIM_IO ? strerror(errno) : "out of memory", capture.rank);
    bytes_free(&file);
    bytes_free(&path);
}

void capture_finish(void)
{
    static struct gather g;
    bool apart = capture.size > 1 && !capture.run.merge_limit_s;
    gather_begin(&g, own_fragment(), capture.run.merge_limit_s);
    if (apart)
        gather_note(&g, GATHER_LATE, capture.rank);
    else
        gather_up(&g);
    if (capture.rank == 0 && g.state.outcome == GATHER_WHOLE && !write_trace(g.fragment))
        gather_note(&g, GATHER_SHORT, capture.rank);
    if (!apart)
        gather_tell(&g);
    if (g.own.length && (g.state.outcome == GATHER_LATE || g.state.outcome == GATHER_SHORT))
        leave_fragment(&g);
    else if (capture.rank == 0 && g.state.outcome == GATHER_LOST)
        capture_say("no trace is written: rank %d could not record its calls", (int)g.state.rank);
    else if (g.state.outcome == GATHER_SHORT)
        capture_say("out of memory; no trace is written");
    gather_end(&g);
}
