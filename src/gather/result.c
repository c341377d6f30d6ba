/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace that rank 0 writes; see result.h. */
#define _GNU_SOURCE 1 /* gethostname */
#include "gather/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"
#include "format/trace_format.h"
#include "format/trace_path.h"
#include "process/capture.h"
#include "process/rank_fragment.h"
#include "write/trace_writer.h"

enum { SEGMENTS_TEXT_BYTES = 32, HOST_BYTES = 256 };

static void say_summary(const struct result *r, const char *path, uint64_t length)
{
    char segments[SEGMENTS_TEXT_BYTES] = "";
    if (r->segments > 1)
        snprintf(segments, sizeof segments, " in %" PRIu32 " segments", r->segments);
    const bool inside = r->inside.length > 0 && !r->inside.failed;
    capture_say("%" PRIu64 " calls of %" PRIu32 " rank%s in %s, %" PRIu64 " bytes%s, %" PRIu64
                " times smaller than plain records (%" PRIu64 " bytes)%s%.*s",
                r->calls, r->ranks, r->ranks == 1 ? "" : "s", capture_shown(path), length, segments,
                length ? r->plain_bytes / length : 0, r->plain_bytes,
                inside ? "; without some that callbacks or signal handlers made inside other calls: " : "",
                inside ? (int)r->inside.length : 0, inside ? (const char *)r->inside.data : "");
}

/* Begins the trace. Its first segment has the properties of the run. */
static enum pilgrim_status begin(struct fragment *f, struct bytes *out)
{
    struct fragment_property properties[FRAGMENT_PROPERTIES_MAX];
    size_t count = run_properties(properties);
    for (size_t i = 0; i < count; i++)
        TRY(fragment_set_property(f, properties[i].key, properties[i].value));
    return trace_write_begin(out);
}

static enum pilgrim_status make(const struct result *r, struct fragment *f, struct bytes *out)
{
    if (!r->segments)
        TRY(begin(f, out));
    return trace_write_segment(f, capture.settings.timing != TIMING_OFF, r->segments > 0, out);
}

/* Prints once, for all processes, which functions are not recorded because their calls are hidden: by another tool, or
 * as MPI's Fortran library makes none (Open MPI 5: MPI_Info_get). */
static void say_hidden(struct result *r)
{
    bytes_put_u8(&r->hidden, 0);
    if (r->hidden.length > 1 && !r->hidden.failed)
        capture_say(
            "this MPI's Fortran library, or another tool, hides calls from Fortran; the trace has no calls of %s",
            (const char *)r->hidden.data);
    bytes_free(&r->hidden);
}

static void say_failure(const char *path)
{
    capture_say("%s: %s; no trace is written", capture_shown(path), strerror(errno));
}

/* Removes the file if STATUS is an error, and prints the reason if that is PILGRIM_IO. Returns STATUS. */
static enum pilgrim_status checked(struct result *r, enum pilgrim_status status)
{
    if (status == PILGRIM_IO)
        say_failure((const char *)r->file.path.data);
    if (status != PILGRIM_OK)
        result_cancel(r);
    return status;
}

static enum pilgrim_status put(struct result *r, const char *trace, const struct bytes *made)
{
    if (!r->segments)
        TRY(*trace ? output_begin(&r->file, trace) : PILGRIM_NOMEM);
    return output_append(&r->file, made->data, made->length);
}

/* As put, for the first segment of a trace that cannot be written to its folder: in a folder for temporary files. Keeps
 * the errno of that failure if this fails, too. A limit on the length of files holds everywhere. */
static enum pilgrim_status put_elsewhere(struct result *r, const struct bytes *made)
{
    struct bytes other = {0};
    struct trace_output failed = r->file;
    char host[HOST_BYTES] = "";
    int error = errno;
    enum pilgrim_status status = PILGRIM_IO;
    if (error != EFBIG && trace_path_elsewhere(capture.run.trace, error, &other)) {
        status = put(r, (const char *)other.data, made);
        struct trace_output *gone = status == PILGRIM_OK ? &failed : &r->file;
        output_cancel(gone);
    }
    if (status == PILGRIM_OK) {
        gethostname(host, sizeof host - 1);
        capture_say("%s: %s; the trace goes to %s on %s", capture_shown(capture.run.trace), strerror(error),
                    (const char *)other.data, host);
    } else {
        r->file = failed;
    }
    bytes_free(&other);
    errno = error;
    return status;
}

enum pilgrim_status result_add(struct result *r, struct fragment *f)
{
    struct bytes made = {0};
    fragment_list_properties(f, PROPERTY_UNSEEN, &r->hidden);
    fragment_list_properties(f, PROPERTY_INSIDE, &r->inside);
    enum pilgrim_status status = make(r, f, &made);
    if (status == PILGRIM_OK)
        status = put(r, capture.run.trace, &made);
    if (status == PILGRIM_IO && !r->segments)
        status = put_elsewhere(r, &made);
    bytes_free(&made);
    r->segments++;
    r->ranks = fragment_ranks(f);
    r->calls += fragment_calls(f);
    r->plain_bytes += fragment_plain_bytes(f);
    return checked(r, status);
}

enum pilgrim_status result_add_times(struct result *r, const uint8_t *data, size_t length)
{
    return checked(r, output_append(&r->file, data, length));
}

enum pilgrim_status result_share(struct result *r, struct bytes *path)
{
    return checked(r, output_share(&r->file, path));
}

enum pilgrim_status result_take_over(struct result *r, uint64_t length)
{
    return checked(r, output_take_over(&r->file, length));
}

enum pilgrim_status result_end(struct result *r)
{
    struct bytes end = {0}, written = {0};
    enum pilgrim_status status = trace_write_end(&end);
    if (status == PILGRIM_OK)
        status = output_append(&r->file, end.data, end.length);
    bytes_free(&end);
    TRY(checked(r, status));
    uint64_t length = r->file.length;
    say_hidden(r);
    status = output_end(&r->file, &written);
    if (status == PILGRIM_OK && !capture.settings.quiet)
        say_summary(r, (const char *)written.data, length);
    else if (status == PILGRIM_IO)
        say_failure((const char *)written.data);
    bytes_free(&written);
    bytes_free(&r->inside);
    return status;
}

void result_cancel(struct result *r)
{
    output_cancel(&r->file);
}
