/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that convert parts of a trace; see convert_jobs.h. A process beside the first one is a fork: it has the
 * trace, and what was read of messages. It writes two files without names: a part of the output, and what the first
 * process is to know of it, the last of which is a struct convert_part_end. */
#include "convert_jobs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/analysis_errors.h"
#include "analysis/work_progress.h"

struct convert_part_end {
    enum pilgrim_status status;
    bool good, lacks;
    struct convert_result result;
    struct pilgrim_error error;
    char failure[200];
};

struct convert_part {
    uint32_t first, end; /* ranks */
    pid_t process;       /* 0: none */
    int output, told;
};

/* ---- files ---- */

/* Opens a file without a name, in the folder of the output. -1: it cannot be written */
static int open_nameless(const struct convert *c)
{
    char name[PATH_MAX + 16];
    snprintf(name, sizeof name, "%s.XXXXXX", c->beside);
    const int descriptor = mkstemp(name);
    if (descriptor >= 0)
        unlink(name);
    return descriptor;
}

static void failed(struct convert *c, int why)
{
    if (!c->failure[0])
        snprintf(c->failure, sizeof c->failure, "%s", strerror(why));
}

/* Appends a file to the output. */
static void append(struct convert *c, int descriptor)
{
    ssize_t n = 1;
    out_flush(c->out);
    if (lseek(descriptor, 0, SEEK_SET) != 0)
        failed(c, errno);
    while (n > 0 && !c->out->error) {
        n = read(descriptor, c->out->buffer, sizeof c->out->buffer);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        c->out->used = n > 0 ? (size_t)n : 0;
        out_flush(c->out);
    }
    if (n < 0)
        failed(c, errno);
}

/* ---- a process ---- */

static _Noreturn void work(struct convert *c, const struct convert_format *format, const struct convert_part *part,
                           convert_ranks *ranks, void *context)
{
    static struct output told;
    struct convert_part_end end = {.status = PILGRIM_NOMEM};
    work_progress = NULL;
    told.descriptor = part->told;
    c->out->descriptor = part->output;
    c->told = &told;
    end.good = !format->parts->begin || format->parts->begin(c, part->first);
    if (end.good)
        end.status = ranks(context, part->first, part->end, &end.result, &end.lacks, &end.error);
    const bool whole = end.status == PILGRIM_OK || end.lacks;
    if (format->parts->end && !format->parts->end(c, whole ? part->end : 0))
        end.good = false;
    out_flush(c->out);
    if (c->out->error)
        failed(c, c->out->error);
    memcpy(end.failure, c->failure, sizeof end.failure);
    out_bytes(&told, (const char *)&end, sizeof end);
    out_flush(&told);
    _exit(told.error ? 1 : 0);
}

/* Begins a process. false: it cannot be */
static bool start(struct convert *c, const struct convert_format *format, struct convert_part *part,
                  convert_ranks *ranks, void *context)
{
    part->output = format->folder ? -1 : open_nameless(c);
    part->told = open_nameless(c);
    if (part->told < 0 || (!format->folder && part->output < 0)) {
        failed(c, errno);
        return false;
    }
    const pid_t parent = getpid();
    part->process = fork();
    if (part->process == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
            _exit(1);
        work(c, format, part, ranks, context);
    }
    if (part->process > 0)
        return true;
    part->process = 0;
    failed(c, errno);
    return false;
}

/* Waits for a process, and takes what it wrote. Returns its status. */
static enum pilgrim_status join(struct convert *c, const struct convert_format *format, struct convert_part *part,
                                struct convert_result *result, bool *lacks, struct pilgrim_error *error)
{
    int how = 0;
    struct stat file;
    struct convert_part_end end;
    while (waitpid(part->process, &how, 0) < 0 && errno == EINTR)
        ;
    part->process = 0;
    const bool ended = WIFEXITED(how) && WEXITSTATUS(how) == 0 && fstat(part->told, &file) == 0;
    if (!ended || (size_t)file.st_size < sizeof end) {
        if (!c->failure[0] && WIFSIGNALED(how))
            snprintf(c->failure, sizeof c->failure, "signal %d ended a process of --jobs", WTERMSIG(how));
        return no_memory(error);
    }
    const size_t length = (size_t)file.st_size;
    unsigned char *told = mmap(NULL, length, PROT_READ, MAP_PRIVATE, part->told, 0);
    if (told == MAP_FAILED)
        return no_memory(error);
    memcpy(&end, told + length - sizeof end, sizeof end);
    if (end.failure[0] && !c->failure[0])
        memcpy(c->failure, end.failure, sizeof c->failure);
    if (part->output >= 0)
        append(c, part->output);
    if (format->parts->join && !format->parts->join(c, told, length - sizeof end))
        end.good = false;
    munmap(told, length);
    result->calls += end.result.calls;
    result->untimed += end.result.untimed;
    if (result->times.status == PILGRIM_OK)
        result->times = end.result.times;
    *lacks = end.lacks;
    if (!end.good)
        return no_memory(error);
    *error = end.error;
    return end.status;
}

/* Ends a process whose part is not wanted. */
static void drop(struct convert_part *part)
{
    if (part->process > 0) {
        kill(part->process, SIGKILL);
        while (waitpid(part->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (part->output >= 0)
        close(part->output);
    if (part->told >= 0)
        close(part->told);
}

/* ---- all ---- */

/* Divides the ranks, so that each part has as many calls as can be. Returns how many parts there are. */
static unsigned divide(const struct pilgrim_trace *trace, struct convert_part *parts, unsigned jobs)
{
    const uint32_t ranks = pilgrim_rank_count(trace);
    uint64_t calls = 0, before = 0;
    unsigned count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t i = 0; i < pilgrim_thread_count(trace, rank); i++)
            calls += pilgrim_call_count(trace, rank, i);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        /* the part that the rank's first call is in, if calls are divided evenly */
        const unsigned at = calls ? (unsigned)((double)before / (double)calls * jobs) : 0;
        if (!count || (at > count - 1 && count < jobs))
            parts[count++] = (struct convert_part){.first = rank, .output = -1, .told = -1};
        parts[count - 1].end = rank + 1;
        for (uint32_t i = 0; i < pilgrim_thread_count(trace, rank); i++)
            before += pilgrim_call_count(trace, rank, i);
    }
    return count;
}

enum pilgrim_status convert_jobs(struct convert *c, const struct convert_format *format, unsigned jobs,
                                 convert_ranks *ranks, void *context, struct convert_result *result,
                                 struct pilgrim_error *error)
{
    struct convert_part *parts = calloc(jobs + 1, sizeof *parts);
    if (!parts)
        return no_memory(error);
    const unsigned count = divide(c->trace, parts, jobs);
    bool lacks = true, part_lacks, good = true;
    enum pilgrim_status status = PILGRIM_OK;
    out_flush(c->out);
    for (unsigned i = 1; i < count && good; i++)
        good = start(c, format, &parts[i], ranks, context);
    for (unsigned i = 0; i < count && good && status == PILGRIM_OK; i++) {
        part_lacks = false;
        if (i > 0) {
            status = join(c, format, &parts[i], result, &part_lacks, error);
        } else {
            status = ranks(context, parts[i].first, parts[i].end, result, &part_lacks, error);
            if (format->parts->end && !format->parts->end(c, status == PILGRIM_OK || part_lacks ? parts[i].end : 0))
                status = no_memory(error);
        }
        lacks &= part_lacks;
        if (part_lacks)
            status = PILGRIM_OK;
        good = !c->failure[0];
    }
    for (unsigned i = 1; i < count; i++)
        drop(&parts[i]);
    free(parts);
    if (!good)
        return no_memory(error);
    if (count > 0 && lacks) { /* nothing was written: what there is in place of it, all ranks say */
        status = ranks(context, 0, pilgrim_rank_count(c->trace), result, &part_lacks, error);
        return status;
    }
    return status;
}
