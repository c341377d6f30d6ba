/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the timeline; see report_timeline.h. The calls are read twice: first how many there are in each piece of the
 * run and what threads did in it, which also says which part of the run a page has room for; then that part. */
#include "report_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/print.h"
#include "analysis/analysis_errors.h"
#include "analysis/calls_stream.h"
#include "analysis/class_copies.h"
#include "analysis/match.h"
#include "analysis/thread_loops.h"
#include "analysis/wait_states.h"
#include "../../decoder/site_place.h"

enum { PIECES = 1024, ROWS_MAX = 256, COUNTS = 1 << 16, PATH_MAX_PARTS = 20000, LOOPS_MAX = 100000 };

/* A call of the part that is printed. */
struct shown_call {
    uint64_t start_ns, end_ns, seq;
    uint32_t site;
};

struct timeline {
    struct output *o;
    const struct pilgrim_trace *trace;
    struct source_lines *lines;
    struct timeline_waits *waits;
    struct class_copies copies; /* their `first` is the number of a site, from 1 */
    const struct pilgrim_class **sites;
    size_t site_count, site_capacity;
    size_t *first; /* number of the first thread of a rank, and one more */
    size_t threads;
    uint64_t calls, first_ns, last_ns, from_ns, until_ns;
    uint64_t *end_ns; /* of each thread's last call */
    bool all;
    uint64_t *counts; /* calls by COUNTS-th of the run */
    double *rows;     /* [row][piece]: ns in MPI */
    size_t row_count;
    struct shown_call **shown; /* by thread */
    size_t *shown_count, *shown_capacity;
    uint64_t messages;
    size_t sender;             /* of the message before */
    uint64_t *sent, *received; /* by thread: its call of its message before */
};

/* ---- waits ---- */

bool timeline_take_wait(void *context, const struct cause_event *event)
{
    struct timeline_waits *w = context;
    if (w->more || !event->late)
        return true;
    if (w->count == TIMELINE_WAITS_MAX) {
        w->more = true;
        w->count = 0;
        return true;
    }
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity ? 2 * w->capacity : 1024;
        struct timeline_wait *all = realloc(w->all, capacity * sizeof *all);
        if (!all)
            return false;
        w->all = all;
        w->capacity = capacity;
    }
    w->all[w->count++] = (struct timeline_wait){event->thread,
                                                event->late->thread,
                                                event->seq,
                                                event->leave_ns,
                                                event->wait_ns,
                                                event->late->enter_ns,
                                                wait_pattern_aside(event->kind)};
    return true;
}

static int compare_waits(const void *a, const void *b)
{
    const struct timeline_wait *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* ---- reading calls ---- */

static size_t thread_number(const struct timeline *t, uint32_t rank, uint32_t thread)
{
    return t->first[rank] + thread;
}

static bool know_threads(struct timeline *t)
{
    const uint32_t ranks = pilgrim_rank_count(t->trace);
    t->first = calloc(ranks + (size_t)1, sizeof *t->first);
    for (uint32_t rank = 0; t->first && rank < ranks; rank++)
        t->first[rank + 1] = t->first[rank] + pilgrim_thread_count(t->trace, rank);
    if (!t->first)
        return false;
    t->threads = t->first[ranks];
    t->row_count = t->threads < ROWS_MAX ? t->threads : ROWS_MAX;
    t->end_ns = calloc(t->threads + 1, sizeof *t->end_ns);
    t->counts = calloc(COUNTS + 1, sizeof *t->counts);
    t->rows = calloc(t->row_count * PIECES + 1, sizeof *t->rows);
    t->shown = calloc(t->threads + 1, sizeof *t->shown);
    t->shown_count = calloc(t->threads + 1, sizeof *t->shown_count);
    t->shown_capacity = calloc(t->threads + 1, sizeof *t->shown_capacity);
    t->sent = calloc(t->threads + 1, sizeof *t->sent);
    t->received = calloc(t->threads + 1, sizeof *t->received);
    return t->sent && t->received && t->end_ns && t->counts && t->rows && t->shown && t->shown_count &&
           t->shown_capacity;
}

/* Calls SEE for each call that has times, on the common axis. */
static enum pilgrim_status read_calls(struct timeline *t, bool (*see)(struct timeline *, const struct pilgrim_call *),
                                      struct pilgrim_error *error)
{
    struct pilgrim_calls *calls;
    struct pilgrim_call call;
    enum pilgrim_status status = calls_open(t->trace, NULL, PILGRIM_BY_RANK, true, t->lines, &calls, error);
    while (status == PILGRIM_OK && (status = pilgrim_calls_next(calls, &call, error)) == PILGRIM_OK)
        if (call.timed && !see(t, &call))
            status = no_memory(error);
    pilgrim_calls_close(calls);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static bool see_extent(struct timeline *t, const struct pilgrim_call *call)
{
    uint64_t *end = &t->end_ns[thread_number(t, call->rank, call->thread)];
    t->first_ns = t->calls && t->first_ns < call->start_ns ? t->first_ns : call->start_ns;
    t->last_ns = t->last_ns > call->end_ns ? t->last_ns : call->end_ns;
    *end = *end > call->end_ns ? *end : call->end_ns;
    t->calls++;
    return true;
}

static double piece_of(const struct timeline *t, uint64_t ns, unsigned pieces)
{
    const double whole = (double)(t->last_ns - t->first_ns);
    return ns <= t->first_ns || whole <= 0 ? 0 : (double)(ns - t->first_ns) / whole * pieces;
}

/* Adds the time of a call to the pieces of the run that it is in. */
static bool see_pieces(struct timeline *t, const struct pilgrim_call *call)
{
    const size_t row = thread_number(t, call->rank, call->thread) * t->row_count / t->threads;
    const double from = piece_of(t, call->start_ns, PIECES), until = piece_of(t, call->end_ns, PIECES);
    t->counts[(size_t)piece_of(t, call->start_ns, COUNTS)]++;
    for (size_t i = (size_t)from; i < PIECES && (double)i < until; i++)
        t->rows[row * PIECES + i] +=
            (until < (double)i + 1 ? until : (double)i + 1) - (from > (double)i ? from : (double)i);
    return true;
}

/* Chooses the part of the run whose calls are printed: as much around its middle as has TIMELINE_CALLS calls. */
static void choose_part(struct timeline *t)
{
    size_t from = COUNTS / 2, until = COUNTS / 2;
    uint64_t calls = 0;
    bool left = true, right = true;
    while (left || right) {
        left = left && from > 0 && calls + t->counts[from - 1] <= TIMELINE_CALLS;
        if (left)
            calls += t->counts[--from];
        right = right && until <= COUNTS && calls + t->counts[until] <= TIMELINE_CALLS;
        if (right)
            calls += t->counts[until++];
    }
    const double piece = (double)(t->last_ns - t->first_ns) / COUNTS;
    t->from_ns = t->first_ns + (uint64_t)((double)from * piece);
    t->until_ns = t->first_ns + (uint64_t)((double)until * piece);
}

static size_t site_number(struct timeline *t, const struct pilgrim_class *class)
{
    struct class_copy *copy = copy_class(&t->copies, class);
    if (!copy)
        return 0;
    if (copy->first)
        return copy->first;
    if (t->site_count == t->site_capacity) {
        const size_t capacity = t->site_capacity ? 2 * t->site_capacity : 64;
        const struct pilgrim_class **sites = realloc(t->sites, capacity * sizeof *sites);
        if (!sites)
            return 0;
        t->sites = sites;
        t->site_capacity = capacity;
    }
    t->sites[t->site_count] = &copy->class;
    copy->first = ++t->site_count;
    return copy->first;
}

static bool see_shown(struct timeline *t, const struct pilgrim_call *call)
{
    const size_t thread = thread_number(t, call->rank, call->thread);
    if (call->start_ns > t->until_ns || call->end_ns < t->from_ns)
        return true;
    const size_t site = site_number(t, call->class_);
    if (t->shown_count[thread] == t->shown_capacity[thread]) {
        const size_t capacity = t->shown_capacity[thread] ? 2 * t->shown_capacity[thread] : 64;
        struct shown_call *shown = realloc(t->shown[thread], capacity * sizeof *shown);
        if (!shown)
            return false;
        t->shown[thread] = shown;
        t->shown_capacity[thread] = capacity;
    }
    t->shown[thread][t->shown_count[thread]++] =
        (struct shown_call){call->start_ns, call->end_ns, call->seq, (uint32_t)site - 1};
    return site != 0;
}

/* ---- printing ---- */

static void print_sites(struct timeline *t)
{
    static struct output place;
    size_t length;
    out_text(t->o, "{\"sites\":[");
    for (size_t i = 0; i < t->site_count; i++) {
        place.used = 0;
        place.flushed = 0;
        place.descriptor = place.error = -1;
        text_place(&place, t->sites[i]->site, t->lines);
        const char *at = out_since(&place, 0, &length);
        out_text(t->o, i ? ",{\"func\":" : "{\"func\":");
        out_json_string(t->o, t->sites[i]->function->name, strlen(t->sites[i]->function->name));
        out_text(t->o, ",\"at\":");
        out_json_string(t->o, at ? at : "?", at ? length : 1);
        out_text(t->o, ",\"site\":");
        if (t->sites[i]->site)
            json_frame(t->o, t->sites[i]->site);
        else
            out_text(t->o, "\"?\"");
        out_char(t->o, '}');
    }
    out_text(t->o, "]}\n");
}

static void print_thread(const struct timeline *t, uint32_t rank, uint32_t thread)
{
    const size_t number = thread_number(t, rank, thread), count = t->shown_count[number];
    const struct shown_call *calls = t->shown[number];
    uint64_t last = t->first_ns;
    out_named(t->o, "{\"rank\":", rank);
    out_json_field(t->o, "thread", thread);
    out_json_field(t->o, "number", (int64_t)number);
    out_json_field(t->o, "seq", count ? (int64_t)calls[0].seq : 0);
    out_text(t->o, ",\"gaps\":["); /* from the end of the call before; of the first one, from the begin of the run */
    for (size_t i = 0; i < count; i++) {
        out_named(t->o, i ? "," : "", (int64_t)(calls[i].start_ns - last));
        last = calls[i].end_ns;
    }
    out_text(t->o, "],\"ns\":[");
    for (size_t i = 0; i < count; i++)
        out_named(t->o, i ? "," : "", (int64_t)(calls[i].end_ns - calls[i].start_ns));
    out_text(t->o, "],\"sites\":[");
    for (size_t i = 0; i < count; i++)
        out_named(t->o, i ? "," : "", calls[i].site);
    out_text(t->o, "]}\n");
}

static bool is_shown(const struct timeline *t, size_t thread, uint64_t seq)
{
    return t->shown_count[thread] && seq >= t->shown[thread][0].seq &&
           seq - t->shown[thread][0].seq < t->shown_count[thread];
}

/* Prints the waits of shown calls, each as five numbers: its thread, from that of the wait before on; its call, from
 * that of the thread's wait before on, at first from the thread's first shown call on; ns; the thread that is waited
 * for, from its own on; when the call began that was waited for, from the end of the wait on. */
static void print_waits(const struct timeline *t)
{
    const char *separator = "";
    uint32_t thread = 0;
    uint64_t seq = t->threads && t->shown_count[0] ? t->shown[0][0].seq : 0;
    out_text(t->o, "{\"waits\":[");
    for (size_t i = 0; i < t->waits->count; i++) {
        const struct timeline_wait *w = &t->waits->all[i];
        if (w->thread >= t->threads || !is_shown(t, w->thread, w->seq))
            continue;
        const struct shown_call *calls = t->shown[w->thread], *call = &calls[w->seq - calls[0].seq];
        seq = w->thread == thread ? seq : calls[0].seq;
        out_named(t->o, separator, (int64_t)w->thread - thread);
        out_named(t->o, ",", (int64_t)(w->seq - seq));
        out_named(t->o, ",", (int64_t)w->wait_ns);
        out_named(t->o, ",", (int64_t)w->late - w->thread);
        out_named(t->o, ",", (int64_t)(w->late_ns - call->start_ns - w->wait_ns));
        thread = w->thread;
        seq = w->seq;
        separator = ",";
    }
    out_text(t->o, "]}\n");
}

/* Returns the last wait of THREAD that ended by NS; NULL: none. */
static const struct timeline_wait *last_wait(const struct timeline_waits *w, uint32_t thread, uint64_t ns)
{
    size_t low = 0, high = w->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct timeline_wait *at = &w->all[middle];
        if (at->thread < thread || (at->thread == thread && at->leave_ns <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low && w->all[low - 1].thread == thread ? &w->all[low - 1] : NULL;
}

/* Prints the critical path from its end: thread, from, until. It goes back along a thread, and at a wait on along the
 * thread that was waited for. */
static void print_path(const struct timeline *t)
{
    uint32_t thread = 0;
    const char *separator = "";
    for (size_t i = 0; i < t->threads; i++)
        if (t->end_ns[i] > t->end_ns[thread])
            thread = (uint32_t)i;
    uint64_t at = t->threads ? t->end_ns[thread] : 0, now = at;
    out_text(t->o, "{\"path\":[");
    for (size_t parts = 0; parts < PATH_MAX_PARTS && now > t->from_ns && now > t->first_ns; parts++) {
        const struct timeline_wait *w = last_wait(t->waits, thread, at);
        while (w && w->aside)
            w = w > t->waits->all && w[-1].thread == thread ? w - 1 : NULL;
        at = w ? w->late_ns : t->first_ns;
        const uint64_t from = at < now ? at : now; /* clocks may contradict each other */
        if (from < now && from <= t->until_ns) {
            out_named(t->o, separator, thread);
            out_named(t->o, ",", (int64_t)(from - t->first_ns));
            out_named(t->o, ",", (int64_t)(now - t->first_ns));
            separator = ",";
        }
        now = from;
        thread = w ? w->late : thread;
    }
    out_text(t->o, "]}\n");
}

/* ---- messages ---- */

static bool take_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct timeline *t = context;
    if (!send || !receive || !send->begun || !receive->ended)
        return true;
    const struct match_call *from = send->begun, *to = receive->ended;
    const size_t sender = thread_number(t, from->rank, from->thread), receiver = thread_number(t, to->rank, to->thread);
    if (!is_shown(t, sender, from->seq) || !is_shown(t, receiver, to->seq))
        return true;
    out_named(t->o, t->messages++ ? "," : "", (int64_t)sender - (int64_t)t->sender);
    out_named(t->o, ",", (int64_t)(from->seq - t->sent[sender]));
    out_named(t->o, ",", (int64_t)receiver - (int64_t)sender);
    out_named(t->o, ",", (int64_t)(to->seq - t->received[receiver]));
    out_named(t->o, ",", send->bytes > INT64_MAX ? -1 : (int64_t)send->bytes);
    t->sender = sender;
    t->sent[sender] = from->seq;
    t->received[receiver] = to->seq;
    return true;
}

/* Prints messages between shown calls, each as five numbers: the thread that sends, from that of the message before on;
 * its call, from that of its message before on; the thread that receives, from the one that sends on; its call, from
 * that of what it received before on; bytes or -1. The first calls are from the thread's first shown call on. */
static enum pilgrim_status print_messages(struct timeline *t, struct pilgrim_error *error)
{
    const struct match_events events = {.context = t, .message = take_message};
    struct match_totals totals;
    struct match *match = match_new(t->trace);
    for (size_t i = 0; i < t->threads; i++)
        t->sent[i] = t->received[i] = t->shown_count[i] ? t->shown[i][0].seq : 0;
    out_text(t->o, "{\"messages\":[");
    const enum pilgrim_status status = match ? match_trace(match, &events, true, &totals, error) : no_memory(error);
    out_text(t->o, "]}\n");
    match_free(match);
    return status;
}

/* ---- loops ---- */

/* Prints the shown calls of a thread that begin an iteration of its loops. */
static enum pilgrim_status print_thread_loops(const struct timeline *t, uint32_t rank, uint32_t thread, size_t *left,
                                              struct pilgrim_error *error)
{
    const size_t number = thread_number(t, rank, thread), count = t->shown_count[number];
    struct loop_places *places = NULL;
    enum pilgrim_status status = count ? loop_places_open(t->trace, rank, thread, &places, error) : PILGRIM_OK;
    for (size_t loop = 1; status == PILGRIM_OK && count && *left && loop <= loop_places_count(places); loop++) {
        uint64_t last = 0, iteration;
        const char *separator = "";
        bool begun = false;
        for (size_t i = 0; status == PILGRIM_OK && i < count && *left; i++) {
            const uint64_t seq = t->shown[number][i].seq;
            status = loop_places_find(places, loop, seq, &iteration, error);
            if (status != PILGRIM_OK || iteration == last)
                continue;
            last = iteration;
            if (!begun) {
                out_named(t->o, "{\"loop\":", (int64_t)loop);
                out_json_field(t->o, "number", (int64_t)number);
                out_text(t->o, ",\"at\":["); /* call and iteration; 0: the loop is left */
                begun = true;
            }
            out_named(t->o, separator, (int64_t)seq);
            out_named(t->o, ",", (int64_t)iteration);
            separator = ",";
            --*left;
        }
        out_text(t->o, begun ? "]}\n" : "");
    }
    loop_places_close(places);
    return status;
}

/* ---- all ---- */

static void print_head(const struct timeline *t)
{
    out_named(t->o, "{\"begin\":", (int64_t)t->first_ns);
    out_json_field(t->o, "length", (int64_t)(t->last_ns - t->first_ns));
    out_json_field(t->o, "threads", (int64_t)t->threads);
    out_json_field(t->o, "calls", (int64_t)t->calls);
    out_json_field(t->o, "from", (int64_t)(t->from_ns - t->first_ns));
    out_json_field(t->o, "until", (int64_t)(t->until_ns - t->first_ns));
    out_text(t->o, t->all ? ",\"all\":true" : ",\"all\":false");
    out_text(t->o, t->waits->more ? ",\"waits_known\":false}\n" : ",\"waits_known\":true}\n");
}

/* Prints which part of each piece of the run threads were in MPI, in 255ths; a row may be several threads. */
static void print_pieces(const struct timeline *t)
{
    for (size_t row = 0; row < t->row_count; row++) {
        const size_t first = (row * t->threads + t->row_count - 1) / t->row_count,
                     behind = ((row + 1) * t->threads + t->row_count - 1) / t->row_count;
        out_named(t->o, "{\"first\":", (int64_t)first);
        out_json_field(t->o, "count", (int64_t)(behind - first));
        out_text(t->o, ",\"in_mpi\":[");
        for (size_t i = 0; i < PIECES; i++) {
            const double part = 255 * t->rows[row * PIECES + i] / (double)(behind > first ? behind - first : 1);
            out_named(t->o, i ? "," : "", part > 255 ? 255 : (int64_t)(part + 0.5));
        }
        out_text(t->o, "]}\n");
    }
}

static enum pilgrim_status print_all(struct timeline *t, struct pilgrim_error *error)
{
    const uint32_t ranks = pilgrim_rank_count(t->trace);
    size_t left = LOOPS_MAX;
    print_head(t);
    if (!t->all)
        print_pieces(t);
    print_sites(t);
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(t->trace, rank); thread++)
            print_thread(t, rank, thread);
    print_waits(t);
    if (!t->waits->more && t->waits->count)
        print_path(t);
    enum pilgrim_status status = print_messages(t, error);
    for (uint32_t rank = 0; rank < ranks && status == PILGRIM_OK; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(t->trace, rank) && status == PILGRIM_OK; thread++)
            status = print_thread_loops(t, rank, thread, &left, error);
    return status;
}

static bool has_times(const struct pilgrim_trace *trace)
{
    const char *timing = pilgrim_property(trace, "timing");
    struct pilgrim_clock clock;
    struct pilgrim_error error;
    if (!timing || (strcmp(timing, "exact") != 0 && strncmp(timing, "bins", 4) != 0))
        return false;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && pilgrim_rank_count(trace) > 1; rank++)
        if (pilgrim_clock_of(trace, rank, &clock, &error) != PILGRIM_OK || !clock.point_count)
            return false;
    return true;
}

static enum pilgrim_status read_and_print(struct timeline *t, const struct timeline_choice *choice,
                                          struct pilgrim_error *error)
{
    struct pilgrim_error first = {.status = PILGRIM_OK};
    enum pilgrim_status damaged = read_calls(t, see_extent, &first), status = damaged;
    t->from_ns = t->first_ns;
    t->until_ns = t->last_ns;
    t->all = choice->all || (!choice->until_ns && t->calls <= TIMELINE_CALLS);
    if (!t->calls || damaged == PILGRIM_NOMEM) {
        *error = first;
        return damaged;
    }
    if (!t->all) {
        status = read_calls(t, see_pieces, error);
        choose_part(t);
        if (choice->until_ns) {
            t->from_ns = choice->from_ns > t->first_ns ? choice->from_ns : t->first_ns;
            t->until_ns = choice->until_ns < t->last_ns ? choice->until_ns : t->last_ns;
        }
    }
    if (status != PILGRIM_NOMEM)
        status = read_calls(t, see_shown, error);
    if (status != PILGRIM_NOMEM) {
        if (t->waits->count)
            qsort(t->waits->all, t->waits->count, sizeof *t->waits->all, compare_waits);
        status = print_all(t, error);
    }
    if (status == PILGRIM_OK && damaged != PILGRIM_OK)
        *error = first;
    return status == PILGRIM_OK ? damaged : status;
}

enum pilgrim_status timeline_print(struct output *o, const struct pilgrim_trace *trace,
                                   const struct timeline_choice *choice, struct timeline_waits *waits,
                                   struct source_lines *lines, struct pilgrim_error *error)
{
    struct timeline t = {.o = o, .trace = trace, .lines = lines, .waits = waits, .copies = {.sites_only = true}};
    if (choice->none || !has_times(trace))
        return PILGRIM_OK;
    const enum pilgrim_status status = know_threads(&t) ? read_and_print(&t, choice, error) : no_memory(error);
    for (size_t i = 0; t.shown && i < t.threads; i++)
        free(t.shown[i]);
    free(t.shown);
    free(t.shown_count);
    free(t.shown_capacity);
    free(t.sent);
    free(t.received);
    free(t.rows);
    free(t.counts);
    free(t.end_ns);
    free(t.first);
    free(t.sites);
    class_copies_free(&t.copies);
    return status;
}
