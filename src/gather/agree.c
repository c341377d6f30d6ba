/* SPDX-License-Identifier: BSD-3-Clause */
/* What all processes of a run agree on in MPI_Init: rank 0 decides, and tells the others.
 *
 * The trace's path is looked at now and not at the end of the run: if no file can be made there, one line says so at
 * once, and the trace goes to a folder for temporary files. */
#define _GNU_SOURCE 1 /* gethostname */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/try.h"
#include "format/trace_path.h"
#include "process/capture.h"
#include "process/launcher.h"
#include "process/program_name.h"

enum { HOST_BYTES = 256 };

static uint64_t random_number(void)
{
    uint64_t number;
    struct timespec t;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec) * (uint64_t)getpid();
}

/* Sets PATH to the trace's path, which may be relative. */
static enum pilgrim_status expand(const struct trace_path_job *job, time_t now, struct bytes *path)
{
    TRY(trace_path_expand(capture.settings.trace, program_name(), job, now, path));
    if (!trace_path_is_device((const char *)path->data))
        return PILGRIM_OK;
    capture_say("PILGRIM_TRACE=%s is ignored: it is neither a file nor a folder", (const char *)path->data);
    path->length = 0;
    return trace_path_expand(NULL, program_name(), job, now, path);
}

/* Makes PATH absolute. Returns how many bytes are put before it; 0 also if the working directory is not known. */
static size_t make_absolute(struct bytes *path)
{
    char *here = *path->data == '/' ? NULL : getcwd(NULL, 0);
    struct bytes whole = {0};
    size_t length = 0;
    if (here && trace_path_put(&whole, here) == PILGRIM_OK &&
        (!strcmp(here, "/") || trace_path_put(&whole, "/") == PILGRIM_OK)) {
        length = whole.length;
        if (trace_path_put(&whole, (const char *)path->data) == PILGRIM_OK) {
            struct bytes before = *path;
            *path = whole;
            whole = before;
        }
    }
    bytes_free(&whole);
    free(here);
    return length;
}

/* Sets the run's trace to PATH, absolute if possible. */
static void set_trace(struct bytes *path)
{
    size_t here = make_absolute(path);
    snprintf(capture.run.trace, sizeof capture.run.trace, "%s", (const char *)path->data);
    capture.run.here_length = (uint32_t)(here < sizeof capture.run.trace ? here : 0);
}

/* If no file can be made where the trace shall go, chooses another place. A folder that PILGRIM_TRACE asks for is made.
 */
static void check_place(void)
{
    struct bytes other = {0};
    char host[HOST_BYTES] = "";
    const char *trace = capture_shown(capture.run.trace);
    const size_t length = capture.settings.trace ? strlen(capture.settings.trace) : 0;
    int problem = trace_path_problem(capture.run.trace);
    if (problem == ENOENT && length && capture.settings.trace[length - 1] == '/' &&
        !trace_path_make_folder(capture.run.trace))
        problem = trace_path_problem(capture.run.trace);
    if (!problem)
        return;
    gethostname(host, sizeof host - 1);
    if (trace_path_elsewhere(capture.run.trace, problem, &other)) {
        capture_say("%s: %s; the trace goes to %s on %s", trace, strerror(problem), (const char *)other.data, host);
        set_trace(&other);
    } else {
        capture.run.no_place = true;
        capture_say("%s: %s; there may be no trace", trace, strerror(problem));
    }
    bytes_free(&other);
}

static void decide(void)
{
    struct run *run = &capture.run;
    struct bytes path = {0};
    struct trace_path_job job;
    const time_t now = time(NULL);
    const bool batch = trace_path_job(&job);
    run->id = random_number();
    run->meeting = random_number();
    run->merge_limit_s = capture.settings.merge_limit_s;
    run->timing = capture.settings.timing;
    run->local_count_known = launcher_local_count() > 0;
    if (capture.settings.system)
        snprintf(run->began, sizeof run->began, "%lld", (long long)now);
    if (capture.settings.system && batch)
        snprintf(run->job, sizeof run->job, "%s", job.id);
    if (expand(&job, now, &path) == PILGRIM_OK) {
        set_trace(&path);
        check_place();
    }
    bytes_free(&path);
}

void capture_agree(void)
{
    if (capture.rank == 0)
        decide();
    if (capture.comm != MPI_COMM_NULL)
        PMPI_Bcast(&capture.run, sizeof capture.run, MPI_BYTE, 0, capture.comm);
}
