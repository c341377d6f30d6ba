/* SPDX-License-Identifier: BSD-3-Clause */
/* How ranks ended, and what they were in, from their journals: properties of the trace, and lines on stderr. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "base/error_classes.h"
#include "base/intern.h"
#include "analysis/crashes.h"
#include "analysis/source_lines.h"
#include "base/clock.h"
#include "base/try.h"
#include "merge_job.h"
#include "merge_message.h"
#include "recover/recover.h"
#include "recover/thread_classes.h"

enum { RANGES_ALL = 1 << 20, LINES_SHOWN = 30, CALLERS_SHOWN = 7, NUMBER_BYTES = 96, CRASHES_MAX = 1024 };

#define NS_A_SECOND 1000000000

static void put_text(struct bytes *b, const char *text)
{
    bytes_put(b, text, strlen(text));
}

static void put_number(struct bytes *b, const char *before, int64_t number)
{
    char text[NUMBER_BYTES];
    int length = snprintf(text, sizeof text, "%s%" PRId64, before, number);
    bytes_put(b, text, (size_t)length);
}

/* Puts a 0 behind B and hands over its text. errors: PILGRIM_NOMEM */
static enum pilgrim_status take_text(struct bytes *b, char **text)
{
    if (b->length)
        bytes_put_u8(b, 0);
    if (b->failed)
        bytes_free(b);
    *text = (char *)b->data;
    return bytes_status(b);
}

/* Returns the property KEY of the job; NULL: it has none. */
static const char *property(const struct job *job, const char *key)
{
    for (size_t i = 0; i < job->head.property_count; i++)
        if (strcmp(job->head.properties[i].key, key) == 0)
            return job->head.properties[i].value;
    return NULL;
}

/* ---- how ---- */

static bool has_number(const struct read_process *p)
{
    return p->ending == JOURNAL_ABORT || p->ending == JOURNAL_SIGNAL || p->ending == JOURNAL_ERROR;
}

/* True if FILE's rank came to MPI_Finalize and recorded no more before that: it is said to be cut off. */
static bool is_stopped(const struct rank_file *file)
{
    return file->process && file->process->ending == JOURNAL_FINALIZE && recover_stopped(file->process);
}

/* Appends the number of P's end, or the name that it has. */
static void put_end_number(struct bytes *text, const struct job *job, const struct read_process *p)
{
    const char *name = p->ending == JOURNAL_ERROR ? error_class_name(property(job, "library"), p->ending_number) : NULL;
    if (name)
        put_text(text, name);
    else
        put_number(text, "", p->ending_number);
}

/* Appends how FILE's rank ended. pilgrim-decode reads this (decoder/endings_print.c). */
static void put_ending(struct bytes *text, const struct job *job, const struct rank_file *file)
{
    static const char *const names[JOURNAL_ENDING_COUNT] = {
        [JOURNAL_FINALIZE] = "finalize", [JOURNAL_EXIT] = "exit",   [JOURNAL_ABORT] = "abort",
        [JOURNAL_SIGNAL] = "signal",     [JOURNAL_ERROR] = "error",
    };
    const struct read_process *p = file->process;
    put_text(text, p->ending != JOURNAL_RUNNING      ? names[p->ending]
                   : !file->state                    ? "killed"
                   : file->state == PROCESS_NOT_SEEN ? "killed or still running"
                                                     : "still running");
    if (has_number(p)) {
        put_text(text, " ");
        put_end_number(text, job, p);
    }
}

/* Sets TEXT to how FILE's rank ended, 0-terminated; to nothing if it did not end early, or that is told elsewhere. */
static void find_ending(struct bytes *text, const struct job *job, const struct rank_file *file)
{
    text->length = 0;
    if (file->process && !is_stopped(file))
        put_ending(text, job, file);
    bytes_put_u8(text, 0);
}

/* Sets *TEXT to the ends of all ranks: "signal 11: 0-2; killed: 3". */
static enum pilgrim_status find_endings(const struct job *job, char **text)
{
    struct bytes all = {0}, own = {0};
    struct intern ways = {0};
    uint32_t *way = calloc(job->count + 1, sizeof *way); /* of each file: how its rank ended; UINT32_MAX: well */
    enum pilgrim_status status = way ? PILGRIM_OK : PILGRIM_NOMEM;
    for (size_t i = 0; status == PILGRIM_OK && i < job->count; i++) {
        find_ending(&own, job, &job->files[i]);
        way[i] = UINT32_MAX;
        status = bytes_status(&own);
        if (status == PILGRIM_OK && own.length > 1)
            status = intern_add(&ways, own.data, own.length - 1, &way[i]);
    }
    for (uint32_t number = 0; status == PILGRIM_OK && number < ways.count; number++) {
        struct ranges ranks = {.shown = RANGES_ALL};
        for (size_t i = 0; i < job->count; i++)
            if (way[i] == number)
                ranges_add(&ranks, job->files[i].rank, job->files[i].rank + 1);
        ranges_end(&ranks);
        put_text(&all, all.length ? "; " : "");
        put_text(&all, (const char *)intern_get(&ways, number, NULL));
        put_text(&all, ": ");
        bytes_put(&all, ranks.text.data, ranks.text.length);
        bytes_free(&ranks.text);
    }
    bytes_free(&own);
    intern_free(&ways);
    free(way);
    enum pilgrim_status taken = take_text(&all, text);
    return status == PILGRIM_OK ? taken : status;
}

/* ---- in which call ---- */

/* The thread whose call is told: the one that got the signal or the error, or the first that is in a call, or the first
 * one. */
static size_t thread_of_end(const struct read_process *p)
{
    size_t in_call = p->thread_count;
    for (size_t i = p->thread_count; i > 0; i--) {
        const struct read_thread *t = &p->threads[i - 1];
        if ((p->ending == JOURNAL_SIGNAL || p->ending == JOURNAL_ERROR) && t->number == p->ending_thread)
            return i - 1;
        if (t->in_flight.class != JOURNAL_NO_CLASS)
            in_call = i - 1;
    }
    return in_call < p->thread_count ? in_call : 0;
}

static void put_frame(struct bytes *text, const struct code_frame *f, struct source_lines *lines)
{
    const struct code_module *m = f->module;
    const struct pilgrim_frame frame = {.module = m->name,
                                        .build_id = m->build_id,
                                        .build_id_length = m->build_id_length,
                                        .offset = f->offset,
                                        .python = m->python};
    const char *line = lines ? source_lines_find(lines, &frame) : NULL;
    put_text(text, line ? line : m->name);
    if (!line) {
        char offset[NUMBER_BYTES];
        snprintf(offset, sizeof offset, "+0x%" PRIx64, f->offset);
        put_text(text, offset);
    }
}

static void put_path(struct bytes *text, const struct class_site *class, struct source_lines *lines)
{
    if (!class->has_site)
        return;
    put_text(text, " at ");
    put_frame(text, &class->site, lines);
    for (size_t i = 0; i < class->caller_count && i < CALLERS_SHOWN; i++) {
        put_text(text, " < ");
        put_frame(text, &class->callers[i], lines);
    }
    put_text(text, class->caller_count > CALLERS_SHOWN ? " < ..." : "");
}

/* Appends "app[1f2e3d4c]+0x1189", as src/analysis/crashes.h reads it. */
static void put_crash_frame(struct bytes *text, const struct crash_stack *crash, const struct crash_frame *frame)
{
    char number[NUMBER_BYTES];
    if (frame->module == CRASH_MODULES_MAX) {
        put_text(text, " ?");
        return;
    }
    const struct crash_module *m = &crash->modules[frame->module];
    bytes_put_u8(text, ' ');
    for (const char *at = m->name; *at; at++)
        bytes_put_u8(text, strchr("[+; ?", *at) ? '_' : (uint8_t)*at);
    for (uint32_t i = 0; i < m->build_id_length; i++) {
        snprintf(number, sizeof number, "%s%02x", i ? "" : "[", m->build_id[i]);
        put_text(text, number);
    }
    snprintf(number, sizeof number, "%s+0x%" PRIx64, m->build_id_length ? "]" : "", frame->offset);
    put_text(text, number);
}

/* Appends the signal that P crashed by, and where. */
static void put_crash(struct bytes *text, const struct read_process *p)
{
    char number[NUMBER_BYTES];
    put_number(text, "", p->rank);
    if (p->ending_thread != UINT32_MAX)
        put_number(text, ".", p->ending_thread);
    put_number(text, " ", p->ending_number);
    snprintf(number, sizeof number, p->crash.has_address ? " 0x%" PRIx64 : " -", p->crash.address);
    put_text(text, number);
    for (uint32_t i = 0; i < p->crash.frame_count; i++)
        put_crash_frame(text, &p->crash, &p->crash.frames[i]);
}

/* Appends where P crashed: "; stack: kernel.c:12 < solver.c:31". */
static void put_stack(struct bytes *text, const struct read_process *p, struct source_lines *lines)
{
    struct bytes item = {0};
    struct crash crash;
    put_crash(&item, p);
    bytes_put_u8(&item, 0);
    const char *at = item.failed ? "" : (const char *)item.data;
    if (crash_take(&at, &crash)) {
        char *stack = crash_stack_text(&crash, lines);
        put_text(text, "; stack: ");
        put_text(text, stack ? stack : "");
        text->failed = text->failed || !stack;
        free(stack);
    }
    bytes_free(&item);
}

/* Appends what P was in when it ended: "in MPI_Recv at halo.c:88 < solver.c:31". */
static enum pilgrim_status put_call(struct bytes *text, const struct rank_file *file, struct source_lines *lines)
{
    const struct vocabulary *v = &file->journal->vocabulary;
    const struct read_process *p = file->process;
    struct shared_facts facts;
    struct thread_classes *classes;
    enum pilgrim_status status = process_facts_read(p, v->function_count, &facts, &classes);
    size_t thread = thread_of_end(p);
    if (status == PILGRIM_OK && p->thread_count && p->ending != JOURNAL_FINALIZE) {
        const struct class_site *class = thread_last_class(&p->threads[thread], &classes[thread]);
        bool inside = p->threads[thread].in_flight.class != JOURNAL_NO_CLASS;
        if (p->crash.frame_count && !inside)
            put_stack(text, p, lines);
        if (class && p->ending != JOURNAL_ABORT) {
            put_text(text, inside ? " in " : "; last call ");
            put_text(text, v->functions[class->function].name);
        }
        if (class)
            put_path(text, class, lines);
        if (p->crash.frame_count && inside)
            put_stack(text, p, lines);
    }
    process_facts_free(p, &facts, classes);
    return status;
}

static enum pilgrim_status put_end(struct bytes *text, const struct job *job, const struct rank_file *file,
                                   struct source_lines *lines)
{
    static const char *const says[JOURNAL_ENDING_COUNT] = {[JOURNAL_FINALIZE] = "ended in MPI_Finalize",
                                                           [JOURNAL_EXIT] = "ended without MPI_Finalize",
                                                           [JOURNAL_ABORT] = "ended by MPI_Abort with error code ",
                                                           [JOURNAL_SIGNAL] = "ended by signal ",
                                                           [JOURNAL_ERROR] = "ended by a fatal MPI error: "};
    put_text(text, file->process->ending != JOURNAL_RUNNING ? says[file->process->ending]
                   : !file->state                           ? "killed (or ended by _exit)"
                   : file->state == PROCESS_NOT_SEEN        ? "killed or still running (known only on its machine)"
                                                            : "still running");
    if (has_number(file->process))
        put_end_number(text, job, file->process);
    if (file->process->crash.frame_count && file->process->crash.has_address) {
        char address[NUMBER_BYTES];
        snprintf(address, sizeof address, " at address 0x%" PRIx64, file->process->crash.address);
        put_text(text, address);
    }
    return put_call(text, file, lines);
}

/* ---- lines on stderr ---- */

/* A rank's end, in words. */
struct told_end {
    uint32_t rank;
    char *text;
};

static int by_text(const void *one, const void *other)
{
    const struct told_end *a = one, *b = other;
    int order = strcmp(a->text, b->text);
    return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static void print_ranks(const struct told_end *ends, size_t count)
{
    struct ranges ranks = {.shown = LINES_SHOWN};
    for (size_t i = 0; i < count; i++)
        ranges_add(&ranks, ends[i].rank, ends[i].rank + 1);
    ranges_end(&ranks);
    bytes_put_u8(&ranks.text, 0);
    if (!ranks.text.failed)
        (void)fail("%s %s: %s", count == 1 ? "rank" : "ranks", (const char *)ranks.text.data, ends->text);
    bytes_free(&ranks.text);
}

/* Prints the ends, which are sorted: ranks with the same one on a line. */
static void print_groups(const struct told_end *ends, size_t count)
{
    size_t lines = 0;
    for (size_t i = 0, end; i < count; i = end, lines++) {
        for (end = i + 1; end < count && !strcmp(ends[end].text, ends[i].text);)
            end++;
        if (lines < LINES_SHOWN)
            print_ranks(ends + i, end - i);
    }
    if (lines > LINES_SHOWN)
        (void)fail("... and %zu more lines; pilgrim-decode --endings prints all", lines - LINES_SHOWN);
}

const char *job_folder(const struct job *job)
{
    return property(job, "folder");
}

void job_print_endings(const struct job *job)
{
    struct told_end *ends = calloc(job->count + 1, sizeof *ends);
    struct source_lines *lines = source_lines_new(job->head.trace, NULL);
    if (lines) {
        source_lines_warn(lines, complain);
        source_lines_ran_in(lines, job_folder(job));
    }
    size_t count = 0;
    bool good = ends;
    for (size_t i = 0; good && i < job->count; i++) {
        const struct rank_file *file = &job->files[i];
        struct bytes text = {0};
        if (file->process)
            good = put_end(&text, job, file, lines) == PILGRIM_OK;
        else
            put_text(&text, "complete");
        if (file->cut || is_stopped(file)) /* is told elsewhere */
            bytes_free(&text);
        good = take_text(&text, &ends[count].text) == PILGRIM_OK && good;
        ends[count].rank = file->rank;
        count += ends[count].text != NULL;
    }
    if (good) {
        qsort(ends, count, sizeof *ends, by_text);
        print_groups(ends, count);
    }
    for (size_t i = 0; i < count; i++)
        free(ends[i].text);
    free(ends);
    source_lines_free(lines);
}

/* ---- since when ---- */

/* Returns when the call that T is in began, by CLOCK_REALTIME; 0: unknown. */
static uint64_t began_ns(const struct read_thread *t, const struct journal_clock *clock)
{
    if (!clock->rate || !t->in_flight.start)
        return 0;
    double tick = (double)clock->rate / (double)(UINT64_C(1) << CLOCK_RATE_BITS);
    double after = (double)(int64_t)(t->in_flight.start - clock->ticks) * tick;
    double began = (double)clock->realtime_ns + after;
    return began > 0 && began < (double)INT64_MAX ? clock->realtime_ns + (uint64_t)(int64_t)after : 0;
}

/* Appends "3.0 1795415281.123456 4.500000": rank, thread, when the call began that thread T is in, and how long it
 * took; the last two if they are known. */
static void put_since(struct bytes *text, const struct read_process *p, const struct read_thread *t, uint64_t began)
{
    char number[NUMBER_BYTES];
    bool ended = (has_number(p) || p->ending == JOURNAL_EXIT) && p->ending_ns >= began;
    put_text(text, text->length ? "; " : "");
    put_number(text, "", p->rank);
    put_number(text, ".", t->number);
    snprintf(number, sizeof number, " %" PRIu64 ".%06" PRIu64, began / NS_A_SECOND, began % NS_A_SECOND / 1000);
    if (began)
        put_text(text, number);
    snprintf(number, sizeof number, " %.6f", (double)(p->ending_ns - began) / NS_A_SECOND);
    if (began && ended)
        put_text(text, number);
}

static enum pilgrim_status put_threads(struct bytes *text, const struct read_process *p, uint32_t functions)
{
    struct shared_facts facts;
    struct thread_classes *classes;
    enum pilgrim_status status = process_facts_read(p, functions, &facts, &classes);
    for (size_t i = 0; status == PILGRIM_OK && i < p->thread_count; i++)
        if (p->threads[i].in_flight.class != JOURNAL_NO_CLASS)
            put_since(text, p, &p->threads[i], began_ns(&p->threads[i], &facts.clock));
    process_facts_free(p, &facts, classes);
    return status;
}

/* Sets *TEXT to when the calls began that threads were in, in the order of ranks. pilgrim-decode reads this
 * (src/analysis/in_flight.h). */
static enum pilgrim_status find_in_flight(const struct job *job, char **text)
{
    struct bytes all = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (size_t i = 0; status == PILGRIM_OK && i < job->count; i++)
        if (job->files[i].process)
            status = put_threads(&all, job->files[i].process, job->files[i].journal->vocabulary.function_count);
    enum pilgrim_status taken = take_text(&all, text);
    return status == PILGRIM_OK ? taken : status;
}

/* Sets *TEXT to where processes crashed, in the order of ranks. */
static enum pilgrim_status find_crashes(const struct job *job, char **text)
{
    struct bytes all = {0};
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct read_process *p = job->files[i].process;
        if (!p || !p->crash.frame_count)
            continue;
        put_text(&all, count ? "; " : "");
        if (count++ == CRASHES_MAX) {
            put_text(&all, "...");
            break;
        }
        put_crash(&all, p);
    }
    return take_text(&all, text);
}

enum pilgrim_status job_find_endings(struct job *job)
{
    TRY(find_endings(job, &job->endings));
    TRY(find_crashes(job, &job->crashes));
    return find_in_flight(job, &job->in_flight);
}
