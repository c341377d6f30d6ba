/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments of what this process recorded; see rank_fragment.h. */
#include "process/rank_fragment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/try.h"
#include "base/value.h"
#include "format/trace_format.h"
#include "process/times_sections.h"
#include "process/capture.h"
#include "process/filter.h"
#include "process/host_location.h"
#include "process/launcher.h"
#include "process/process_stream.h"
#include "process/program_name.h"
#include "process/clock_sync.h"
#include "functions.h"
#include "objects/sharing.h"
#include "record/stream_times.h"

enum { RANK_BASE_CAPACITY_MIN = 64 };

/* Returns the value of the property of a process that only has sessions, or NULL for any other process. */
static const char *session_rank(void)
{
    const char *rank = launcher_rank();
    return capture.initialized || !capture.session ? NULL : rank ? rank : "unknown";
}

size_t run_properties(struct fragment_property *properties)
{
    const struct fragment_property all[] = {
        {"program", program_name()},
        {"library", capture.library},
        {"timing", capture.settings.timing_text},
        {"tracer", CAPTURE_TRACER},
        {"clock", capture.settings.timing != TIMING_OFF ? clock_name() : NULL},
        {"clock_method", clock_sync_known() ? clock_sync_method : NULL},
        {"values", capture.settings.keeps_readings ? "wtime" : NULL},
        {"filter", capture.settings.filter},
        {"stack", capture.settings.stack_text},
        {"folder", *capture.folder ? capture.folder : NULL},
        {"began", *capture.run.began ? capture.run.began : NULL},
        {"job", *capture.run.job ? capture.run.job : NULL},
        {PROPERTY_SESSION, session_rank()},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].value)
            properties[count++] = all[i];
    return count;
}

/* ---- the process stream ---- */

static void put_integers(struct bytes *key, const struct rank_base *bases, size_t count, bool sizes)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        bytes_put_u8(key, VALUE_INT);
        bytes_put_u64(key, (uint64_t)(int64_t)(sizes ? bases[i].size : bases[i].rank));
    }
}

/* Returns a copy of all rank bases of the process, at least that of MPI_COMM_WORLD. NULL: out of memory. */
static struct rank_base *copy_rank_bases(size_t *count)
{
    size_t capacity = RANK_BASE_CAPACITY_MIN;
    for (;;) {
        struct rank_base *bases = malloc(capacity * sizeof *bases);
        if (!bases)
            return NULL;
        *count = objects_rank_bases(bases, capacity);
        if (*count <= capacity) {
            if (!*count || !capture.initialized)
                bases[0] = (struct rank_base){.rank = capture.rank, .size = capture.size};
            *count += !*count;
            return bases;
        }
        capacity = *count;
        free(bases);
    }
}

/* Appends to S the pseudo call that describes the process. False: out of memory. */
static bool put_process(struct stream *s)
{
    size_t count = 0;
    struct rank_base *bases = copy_rank_bases(&count);
    struct bytes key = {0};
    uint32_t class, function = clock_sync_known() ? FUNCTION_pilgrim_process_clock : FUNCTION_pilgrim_process;
    bool good = bases && stream_class(s, function, NULL, false, &class) == PILGRIM_OK;
    if (good) {
        put_integers(&key, bases, count, false);
        put_integers(&key, bases, count, true);
        host_location_put(&key, capture.settings.system);
        if (clock_sync_known())
            clock_sync_put(&key);
        bytes_put_u8(&key, VALUE_NONE);
        good = bytes_status(&key) == PILGRIM_OK &&
               stream_append(s, class, false, key.data, key.length, 0, 0) == PILGRIM_OK;
    }
    bytes_free(&key);
    free(bases);
    return good;
}

/* ---- fragments ---- */

/* Adds the functions of which calls were not recorded so far to F, as properties. */
static enum pilgrim_status put_hidden(struct fragment *f)
{
    static const char *const keys[FILTER_REASONS] = {PROPERTY_UNSEEN, PROPERTY_INSIDE};
    const char *name;
    for (unsigned reason = 0; reason < FILTER_REASONS; reason++)
        for (size_t i = 0; (name = filter_noted_name(reason, i)); i++)
            TRY(fragment_set_property(f, keys[reason], name));
    return PILGRIM_OK;
}

/* Adds what F must know of the run's settings. */
static void put_timing(struct fragment *f)
{
    if (capture.settings.timing >= TIMING_BINS)
        fragment_has_call_times(f);
}

/* Returns F if STATUS is PILGRIM_OK; else frees F and returns NULL. */
static struct fragment *checked(struct fragment *f, enum pilgrim_status status)
{
    if (status == PILGRIM_OK)
        return f;
    fragment_free(f);
    return NULL;
}

struct fragment *rank_fragment_make(void)
{
    if (objects_failed())
        capture_fail("out of memory for the names of MPI objects");
    if (atomic_load(&capture.off) & OFF_FAILED)
        return NULL;
    size_t count = thread_count();
    const struct stream **streams = calloc(count + 1, sizeof *streams);
    struct stream *process = process_stream_end();
    struct fragment *f = fragment_new((uint32_t)capture.rank);
    enum pilgrim_status status = streams && process && put_process(process) && f ? PILGRIM_OK : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        put_timing(f);
        for (const struct thread *t = thread_first(); t && status == PILGRIM_OK; t = t->next) {
            streams[t->index] = t->stream;
            status = stream_flush_times(t->stream);
        }
        if (status == PILGRIM_OK)
            status = fragment_add_rank_so_far(f, process, NULL, streams, count, thread_ended());
        if (status == PILGRIM_OK)
            status = put_hidden(f);
        if (status == PILGRIM_OK && !times_sections_stay())
            status = times_sections_take(fragment_times(f));
    }
    stream_free(process);
    free(streams);
    f = checked(f, status);
    if (!f)
        capture_fail("out of memory");
    return f;
}

/* Returns a segment of the first COUNT threads: S is the stream of thread COUNT - 1, or NULL; E has the calls of ended
 * threads, or is NULL. */
static struct fragment *segment_of(const struct stream *s, size_t count, struct ended_threads *e)
{
    const struct stream **streams = calloc(count + 1, sizeof *streams);
    struct stream *last = stream_new(&vocabulary, NULL);
    struct fragment *f = fragment_new((uint32_t)capture.rank);
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (streams && last && f && put_process(last)) {
        const struct stream *process = process_stream_so_far();
        put_timing(f);
        if (count)
            streams[count - 1] = s;
        if (process) {
            status = fragment_add_rank_so_far(f, process, last, streams, count, e);
            process_stream_resume();
        }
        if (status == PILGRIM_OK)
            status = put_hidden(f);
    }
    stream_free(last);
    free(streams);
    return checked(f, status);
}

struct fragment *rank_fragment_segment(const struct thread *t)
{
    return stream_flush_times(t->stream) == PILGRIM_OK ? segment_of(t->stream, (size_t)t->index + 1, NULL) : NULL;
}

struct fragment *rank_fragment_segment_ended(struct ended_threads *e)
{
    return segment_of(NULL, thread_count(), e);
}

struct fragment *rank_fragment_absence(void)
{
    struct stream *process = stream_new(&vocabulary, NULL);
    struct fragment *f = fragment_new((uint32_t)capture.rank);
    enum pilgrim_status status = process && f ? fragment_add_rank(f, process, NULL, 0) : PILGRIM_NOMEM;
    stream_free(process);
    return checked(f, status);
}
