/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the fragments of all ranks, segment by segment, and writes the trace; see merge_job.h.
 *
 * The order is that of the tree at MPI_Finalize, which is that of a binary counter: after rank r, as many pairs merge
 * as r has 1 bits at its end. So at most one fragment for each bit is in memory, and the trace has the same bytes.
 * Ranks that do nothing come in blocks of 2^n, each merged from two copies of the next smaller one. Times sections are
 * copied unchanged, behind all segments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "format/trace_output.h"
#include "merge_job.h"
#include "merge_message.h"
#include "../../decoder/progress.h"
#include "recover/recover.h"
#include "write/trace_writer.h"

enum { LEVELS = 34 };

/* Blocks of ranks that do nothing in a segment: number n is of 2^n ranks. They are made when they are needed first. */
struct idle_blocks {
    struct fragment *blocks[LEVELS];
};

/* Fragments that wait for their neighbours. */
struct merge_stack {
    struct fragment *fragments[LEVELS];
    unsigned count;
};

/* Reads the next segment of FILE. */
static enum pilgrim_status read_fragment(struct rank_file *file, struct fragment **f)
{
    struct cursor c;
    *f = NULL;
    if (file->process && file->segments == 1) {
        file->segments--;
        return recover_fragment(file->journal, file->process, f, &file->whole);
    }
    TRY(open_file(file->path, file->at, &c));
    enum pilgrim_status status = fragment_file_next(&c, f);
    progress_add(c.position - file->at);
    file->at = c.position;
    file->segments--;
    close_file(&c);
    if (status == PILGRIM_OK && *f && file->segments)
        status = fragment_drop_process(f);
    return status == PILGRIM_OK && !*f ? PILGRIM_DAMAGED : status;
}

enum pilgrim_status make_idle(struct fragment **f)
{
    static const struct vocabulary nothing;
    struct stream *process = stream_new(&nothing, NULL);
    enum pilgrim_status status = PILGRIM_NOMEM;
    *f = fragment_new(0);
    if (process && *f)
        status = fragment_add_rank(*f, process, NULL, 0);
    stream_free(process);
    return status;
}

/* Joins two blocks of 2^LEVEL ranks to *BOTH. */
static enum pilgrim_status join_idle(const struct fragment *block, unsigned level, struct fragment **both)
{
    struct fragment *second = NULL;
    TRY(fragment_copy(block, 0, both));
    enum pilgrim_status status = fragment_copy(block, UINT32_C(1) << level, &second);
    if (status == PILGRIM_OK)
        status = fragment_merge(*both, second);
    fragment_free(second);
    return status;
}

/* Makes the fragment of 2^LEVEL ranks from RANK on that do nothing in a segment. */
static enum pilgrim_status idle_ranks(struct idle_blocks *idle, uint32_t rank, unsigned level, struct fragment **f)
{
    *f = NULL;
    if (!idle->blocks[0])
        TRY(make_idle(&idle->blocks[0]));
    for (unsigned i = 1; i <= level; i++)
        if (!idle->blocks[i])
            TRY(join_idle(idle->blocks[i - 1], i - 1, &idle->blocks[i]));
    return fragment_copy(idle->blocks[level], rank, f);
}

static void idle_free(struct idle_blocks *idle)
{
    for (unsigned i = 0; i < LEVELS; i++)
        fragment_free(idle->blocks[i]);
}

static void note_problem(struct job *job, const struct fragment *f)
{
    if (*fragment_problem(f) && !job->problem)
        job->problem = strdup(fragment_problem(f));
}

/* True if STATUS means that the trace could not be read and write_trace will be called again with each rank as a shard
 * of its own. It is no failure then. */
static bool tries_apart(const struct job *job, enum pilgrim_status status)
{
    return status == PILGRIM_DAMAGED && job->problem && !job->apart;
}

/* Returns true if STATUS is PILGRIM_OK, else prints what happened to NAME, unless it will be tried again. */
static bool came_well(const struct job *job, const char *name, enum pilgrim_status status)
{
    if (status == PILGRIM_OK)
        return true;
    if (tries_apart(job, status))
        return false;
    if (status == PILGRIM_DAMAGED && job->problem)
        return fail("%s: the trace could not be read back (%s), so none is written; the fragment files stay", name,
                    job->problem);
    return fail_status(name, status);
}

/* Merges the last two fragments of S. */
static enum pilgrim_status merge_last(struct job *job, struct merge_stack *s)
{
    struct fragment *last = s->fragments[--s->count], *into = s->fragments[s->count - 1];
    bool finalised;
    enum pilgrim_status status = job->apart ? fragment_finalise_now(last, job->head.times)
                                            : fragment_finalise(last, job->head.times, &finalised);
    note_problem(job, last);
    if (status == PILGRIM_OK)
        status = fragment_merge(into, last);
    note_problem(job, into);
    fragment_free(last);
    return status;
}

/* Merges what is complete, after a block of 2^LEVEL ranks from RANK on has come on S. */
static enum pilgrim_status merge_complete(struct job *job, uint32_t rank, unsigned level, struct merge_stack *s)
{
    for (uint32_t bits = rank >> level; bits & 1; bits >>= 1)
        TRY(merge_last(job, s));
    return PILGRIM_OK;
}

/* Adds the ranks from RANK to END - 1, which have no further segment, in blocks that the tree has, too. */
static bool merge_idle(struct job *job, struct idle_blocks *idle, uint32_t rank, uint32_t end, struct merge_stack *s)
{
    enum pilgrim_status status = PILGRIM_OK;
    while (rank < end && status == PILGRIM_OK) {
        unsigned level = 0;
        while (!(rank >> level & 1) && (end - rank) >> level >= 2)
            level++;
        status = idle_ranks(idle, rank, level, &s->fragments[s->count]);
        s->count += s->fragments[s->count] != NULL;
        if (status == PILGRIM_OK)
            status = merge_complete(job, rank, level, s);
        rank += UINT32_C(1) << level;
    }
    return came_well(job, "ranks without calls", status);
}

/* Adds the next segment of FILE. */
static bool merge_file(struct job *job, struct rank_file *file, struct merge_stack *s)
{
    enum pilgrim_status status = read_fragment(file, &s->fragments[s->count]);
    s->count += s->fragments[s->count] != NULL;
    if (status == PILGRIM_OK)
        status = merge_complete(job, file->rank, 0, s);
    return came_well(job, file->path, status);
}

/* Returns the fragment of all ranks of the next segment, for the caller to free, or NULL after a message. */
static struct fragment *merge_segment(struct job *job, struct idle_blocks *idle)
{
    struct merge_stack s = {0};
    uint32_t next = 0; /* rank */
    bool good = true;
    for (size_t i = 0; good && i < job->count; i++)
        if (job->files[i].segments) {
            good = merge_idle(job, idle, next, job->files[i].rank, &s) && merge_file(job, &job->files[i], &s);
            next = job->files[i].rank + 1;
        }
    good = good && merge_idle(job, idle, next, job->head.ranks, &s);
    while (good && s.count > 1)
        good = came_well(job, "all ranks", merge_last(job, &s));
    while (!good && s.count)
        fragment_free(s.fragments[--s.count]);
    return good ? s.fragments[0] : NULL;
}

/* ---- the trace ---- */

/* A trace that is being written. */
struct trace {
    struct trace_output file;
    struct idle_blocks idle;
    uint64_t calls;
    uint32_t segments;
};

/* Begins the trace. Its first segment has the properties of the run. */
static enum pilgrim_status begin_trace(const struct job *job, struct fragment *f, struct bytes *out)
{
    for (size_t i = 0; i < job->head.property_count; i++)
        TRY(fragment_set_property(f, job->head.properties[i].key, job->head.properties[i].value));
    if (job->missing)
        TRY(fragment_set_property(f, "missing", job->missing));
    if (job->cut)
        TRY(fragment_set_property(f, "cut", job->cut));
    if (job->endings)
        TRY(fragment_set_property(f, "endings", job->endings));
    if (job->crashes)
        TRY(fragment_set_property(f, "crashes", job->crashes));
    if (job->in_flight)
        TRY(fragment_set_property(f, "in_flight", job->in_flight));
    return trace_write_begin(out);
}

static enum pilgrim_status make_segment(const struct job *job, const struct trace *trace, struct fragment *f,
                                        struct bytes *out)
{
    if (!trace->segments)
        TRY(begin_trace(job, f, out));
    return trace_write_segment(f, job->head.times, trace->segments > 0, out);
}

static bool has_segments(const struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->files[i].segments)
            return true;
    return false;
}

/* Merges and writes the next segment. */
static bool write_segment(struct job *job, struct trace *trace)
{
    struct bytes made = {0};
    struct fragment *f = merge_segment(job, &trace->idle);
    if (!f)
        return false;
    enum pilgrim_status status = make_segment(job, trace, f, &made);
    trace->calls += fragment_calls(f);
    trace->segments++;
    note_problem(job, f);
    fragment_free(f);
    if (status == PILGRIM_OK)
        status = output_append(&trace->file, made.data, made.length);
    bytes_free(&made);
    return came_well(job, (const char *)trace->file.path.data, status);
}

static enum pilgrim_status copy_sections(struct trace *trace, const struct rank_file *file, struct cursor *c)
{
    const uint8_t *times;
    size_t length;
    for (;;) {
        enum pilgrim_status status = fragment_file_times(c, &times, &length);
        if (status == PILGRIM_TRUNCATED && (file->cut || file->process))
            return PILGRIM_OK;
        TRY(status);
        if (!times)
            return PILGRIM_OK;
        TRY(output_append(&trace->file, times, length));
        progress_add(length);
    }
}

/* Copies all times sections of FILE. Some may be of calls that the file does not have. */
static enum pilgrim_status copy_file_times(struct trace *trace, const struct rank_file *file)
{
    struct cursor c;
    if (file->only_journal)
        return PILGRIM_OK;
    TRY(open_file(file->path, file->begin, &c));
    size_t length = c.length;
    if (file->process && recover_times_length(file->process) < length)
        c.length = recover_times_length(file->process);
    c.position = c.position < c.length ? c.position : c.length;
    enum pilgrim_status status = copy_sections(trace, file, &c);
    c.length = length;
    close_file(&c);
    return status;
}

/* Copies all times sections of the rank: those of its file, then those of its journal. */
static enum pilgrim_status copy_times(struct trace *trace, const struct rank_file *file)
{
    struct bytes sections = {0};
    TRY(copy_file_times(trace, file));
    if (!file->process)
        return PILGRIM_OK;
    enum pilgrim_status status = recover_times(file->process, &sections);
    if (status == PILGRIM_OK)
        status = output_append(&trace->file, sections.data, sections.length);
    bytes_free(&sections);
    return status;
}

/* Writes what follows the segments: times and the end. */
static bool write_rest(const struct job *job, struct trace *trace)
{
    struct bytes end = {0};
    for (size_t i = 0; i < job->count; i++) {
        enum pilgrim_status status = copy_times(trace, &job->files[i]);
        if (status != PILGRIM_OK)
            return fail_status(job->files[i].path, status);
    }
    enum pilgrim_status status = trace_write_end(&end);
    if (status == PILGRIM_OK)
        status = output_append(&trace->file, end.data, end.length);
    bytes_free(&end);
    return status == PILGRIM_OK || fail_status((const char *)trace->file.path.data, status);
}

static bool end_trace(const struct job *job, struct trace *trace)
{
    struct bytes written = {0};
    uint64_t length = trace->file.length;
    progress_end();
    enum pilgrim_status status = output_end(&trace->file, &written);
    bool good =
        status == PILGRIM_OK || fail_status(status == PILGRIM_IO ? (const char *)written.data : "the trace", status);
    if (good && job->missing)
        (void)fail_ranks(job, job->missing, job->missing_count, "missing; the trace has none of their calls");
    if (good && job->cut)
        (void)fail_ranks(job, job->cut, job->cut_count, "cut off; the trace has only their first calls");
    for (size_t i = 0; good && i < job->count; i++)
        if (job->files[i].process && !job->files[i].whole)
            (void)fail("rank %" PRIu32 ": its journal ends before its calls; the trace has the calls before",
                       job->files[i].rank);
    if (good && job->endings)
        job_print_endings(job);
    if (good)
        report("%" PRIu64 " calls of %" PRIu32 " ranks in %s, %" PRIu64 " bytes", trace->calls, job->head.ranks,
               (const char *)written.data, length);
    bytes_free(&written);
    return good;
}

/* Starts again with the first segment, with each rank as a shard of its own. */
static void begin_apart(struct job *job)
{
    (void)fail("the merged trace could not be read back (%s); now each rank is written as a shard of its own",
               job->problem);
    free(job->problem);
    job->problem = NULL;
    job->apart = true;
    for (size_t i = 0; i < job->count; i++) {
        job->files[i].at = job->files[i].begin;
        job->files[i].segments = job->files[i].all_segments;
    }
}

static bool write_trace(struct job *job, const char *path)
{
    struct trace trace = {0};
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->count; i++)
        bytes += job->files[i].end - job->files[i].begin;
    progress_begin("pilgrim-merge", bytes, true, true);
    enum pilgrim_status status = output_begin_locked(&trace.file, path);
    bool good = status == PILGRIM_OK || fail_status(path, status);
    do
        good = good && write_segment(job, &trace);
    while (good && has_segments(job));
    good = good && write_rest(job, &trace) && end_trace(job, &trace);
    output_cancel(&trace.file);
    idle_free(&trace.idle);
    progress_end();
    if (good && job->problem)
        (void)fail("a shard could not be read back (%s), so it is written in another form; please report this",
                   job->problem);
    return good;
}

bool job_write(struct job *job, const char *path)
{
    if (write_trace(job, path))
        return true;
    if (!tries_apart(job, PILGRIM_DAMAGED))
        return false;
    begin_apart(job);
    return write_trace(job, path);
}
