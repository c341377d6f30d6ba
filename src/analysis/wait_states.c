/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds wait states: of messages here, of collective operations in wait_collectives.c; see wait_states.h. */
#include "analysis/wait_states.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_timing.h"
#include "analysis/match_map.h"
#include "analysis/wait_notes.h"

const char *wait_pattern_name(enum wait_pattern pattern)
{
    static const char *const names[] = {
        "late sender",   "late partition",       "polls for a message", "late receiver",  "wait at barrier",
        "wait at n x n", "late broadcast",       "early reduce",        "wait at scan",   "wait at neighbor",
        "late post",     "lock held by another", "early wait",          "wait at fence",  "wait at other collective",
        "wait at init",  "barrier completion",   "n x n completion",    "init completion"};
    return (unsigned)pattern < WAIT_PATTERNS ? names[pattern] : "";
}

bool wait_pattern_aside(enum wait_pattern pattern)
{
    return pattern == WAIT_POLLED || pattern >= WAIT_INIT;
}

bool wait_pattern_completes(enum wait_pattern pattern)
{
    return pattern >= COMPLETE_BARRIER;
}

/* ---- rows ---- */

/* Returns ARRAY with room for one more of SIZE bytes. NULL: no memory */
static void *with_room(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t larger = *capacity ? 2 * *capacity : 64;
    void *moved = realloc(array, larger * size);
    *capacity = moved ? larger : *capacity;
    return moved;
}

/* Sets *NUMBER to that of KEY, COUNT if it is new. false: no memory */
static bool number_of(struct match_map *map, struct match_key key, size_t count, size_t *number)
{
    const void *known = match_map_find(map, key);
    *number = known ? (size_t)((uintptr_t)known - 1) : count;
    return known || match_map_put(map, key, (void *)(uintptr_t)(count + 1)); /* a number, not an address */
}

static struct wait_row *row_of(struct wait_states *w, enum wait_pattern pattern, uint32_t site, uint32_t rank)
{
    size_t number;
    struct wait_row *rows = with_room(w->rows, w->row_count, &w->row_capacity, sizeof *rows);
    if (!rows)
        return NULL;
    w->rows = rows;
    if (!number_of(w->row_numbers, (struct match_key){{pattern, site, rank}}, w->row_count, &number))
        return NULL;
    if (number == w->row_count)
        rows[w->row_count++] = (struct wait_row){.pattern = pattern, .site = site, .rank = rank};
    return &rows[number];
}

static bool add_cause(struct wait_states *w, enum wait_pattern pattern, uint32_t site, uint32_t rank,
                      uint32_t cause_site, uint64_t ns)
{
    size_t number;
    struct wait_cause *causes = with_room(w->causes, w->cause_count, &w->cause_capacity, sizeof *causes);
    if (!causes)
        return false;
    w->causes = causes;
    const struct match_key key = {{pattern, site, (uint64_t)rank << 32 | cause_site}};
    if (!number_of(w->cause_numbers, key, w->cause_count, &number))
        return false;
    if (number == w->cause_count)
        causes[w->cause_count++] =
            (struct wait_cause){.pattern = pattern, .site = site, .rank = rank, .cause_site = cause_site};
    causes[number].total_ns += ns;
    return true;
}

/* ---- the order in which messages are received ---- */

#define NO_ROW SIZE_MAX /* of a wait that is not chosen */

static bool keep_late(struct wait_states *w, const struct cause_event *event, size_t row)
{
    struct late_senders *of = w->late_senders[event->thread];
    if (!of && !(of = w->late_senders[event->thread] = calloc(1, sizeof *of)))
        return false;
    of->last[of->next++ % LATE_SENDERS] =
        (struct late_sender){.sent_ns = event->late_ns > event->error_ns ? event->late_ns - event->error_ns : 0,
                             .wait_ns = event->wait_ns,
                             .row = row};
    return true;
}

/* A call has received a message. What was sent later and waited for before could have been received after it. */
static void put_off(struct wait_states *w, const struct cause_event *event)
{
    struct late_senders *of = w->late_senders[event->thread];
    for (size_t i = 0; of && event->sent_ns && i < LATE_SENDERS; i++) {
        struct late_sender *late = &of->last[i];
        if (!late->wait_ns || late->sent_ns <= event->sent_ns)
            continue;
        if (late->row != NO_ROW) {
            w->rows[late->row].sum.put_off_count++;
            w->rows[late->row].sum.put_off_ns += late->wait_ns;
        }
        late->wait_ns = 0;
    }
}

static bool is_wanted(const struct wait_states *w, const struct cause_event *event)
{
    return !event->left_out && (!w->choice || w->choice->patterns[event->kind]);
}

/* Counts a wait in SUM; false: it is not resolved. */
static bool count(struct wait_sum *sum, const struct cause_event *event)
{
    if (event->wait_ns <= event->error_ns) {
        sum->unresolved++;
        return false;
    }
    sum->count++;
    sum->total_ns += event->wait_ns;
    sum->error_ns += event->error_ns;
    sum->max_ns = event->wait_ns > sum->max_ns ? event->wait_ns : sum->max_ns;
    return true;
}

/* Counts what a call has waited. Sets its wait to 0 if that is not resolved. */
static bool add(struct wait_states *w, struct cause_event *event, const struct match_call *call)
{
    const uint64_t more = event->most_ns - event->wait_ns, less = event->wait_ns - event->least_ns,
                   rounded = more > less ? more : less;
    const bool wanted = is_wanted(w, event);
    struct wait_sum other = {0};
    struct wait_row *row = wanted ? row_of(w, event->kind, call->site, call->rank) : NULL;
    if (wanted && !row)
        return false;
    event->left_out = !wanted;
    event->error_ns = event->error_ns > UINT64_MAX - rounded ? UINT64_MAX : event->error_ns + rounded;
    const bool resolved = count(row ? &row->sum : &other, event);
    (void)count(&w->all, event);
    if (!wait_pattern_aside(event->kind))
        (void)count(&w->in_calls, event);
    if (!resolved) {
        event->wait_ns = 0;
        return true;
    }
    if (!wait_pattern_aside(event->kind))
        w->causes_found.threads[event->thread].counted_ns += event->wait_ns;
    const struct cause_thread *late = &w->causes_found.threads[event->late->thread];
    return (event->kind != WAIT_LATE_SENDER || keep_late(w, event, row ? (size_t)(row - w->rows) : NO_ROW)) &&
           (!row || add_cause(w, event->kind, call->site, late->rank, event->late->site, event->wait_ns));
}

/* ---- messages ---- */

uint64_t wait_clocks(const struct wait_states *w, const struct match_call *a, uint64_t a_ns, const struct match_call *b,
                     uint64_t b_ns)
{
    if (a->rank == b->rank)
        return 0;
    const uint64_t x = pilgrim_clock_error(match_clock(w->match, a->rank), a_ns),
                   y = pilgrim_clock_error(match_clock(w->match, b->rank), b_ns);
    return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

/* The same of the beginnings of both. */
static uint64_t error_of(const struct wait_states *w, const struct match_call *a, const struct match_call *b)
{
    return wait_clocks(w, a, a->local_enter_ns, b, b->local_enter_ns);
}

bool wait_ended_before(const struct wait_states *w, const struct match_call *call, const struct match_call *other)
{
    const uint64_t left = call->leave_ns + call->leave_error_ns;
    if (left > other->enter_ns)
        return false;
    const uint64_t clocks = wait_clocks(w, call, call->local_leave_ns, other, other->local_enter_ns);
    return other->enter_ns - left >= clocks || (call->leave_ns - call->enter_ns) / 2 <= clocks;
}

static bool site_blocks(const struct wait_states *w, uint32_t site)
{
    const char *name = match_site(w->match, site)->function->name;
    return strncmp(name, "MPI_Test", strlen("MPI_Test")) != 0 && strcmp(name, "MPI_Win_test") != 0;
}

bool wait_blocks(struct wait_states *w, const struct match_call *call)
{
    if (!call->timed || !call->returned)
        return false;
    while (w->blocking_count <= call->site) { /* once for each site */
        bool *blocking = with_room(w->blocking, w->blocking_count, &w->blocking_capacity, sizeof *blocking);
        if (!blocking)
            return site_blocks(w, call->site);
        w->blocking = blocking;
        blocking[w->blocking_count] = site_blocks(w, (uint32_t)w->blocking_count);
        w->blocking_count++;
    }
    return w->blocking[call->site];
}

struct cause_event *wait_event_of(struct wait_states *w, struct match_call *call)
{
    struct cause_event *event = call->user;
    if (!event && (event = call->user = cause_event_new()) != NULL) {
        event->thread = w->causes_found.first_thread[call->rank] + call->thread;
        event->site = call->site;
        event->seq = call->seq;
    }
    return event;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of a time that is stored as X and was up to E later, X + E / 2 is as often too early as too late. */
struct wait_span wait_until(const struct match_call *call, uint64_t at_ns, uint64_t later_ns)
{
    const uint64_t from = call->enter_ns, until = at_ns > from ? at_ns - from : 0, early = call->enter_error_ns,
                   took = call->leave_ns - from, longer = call->leave_error_ns - early;
    const uint64_t middle = least_of(at_ns + later_ns / 2, call->leave_ns + call->leave_error_ns / 2);
    struct wait_span span = {.ns = until && middle > from + early / 2 ? middle - from - early / 2 : 0,
                             .least_ns = least_of(until > early ? until - early : 0, took),
                             .most_ns = least_of(at_ns + later_ns > from ? at_ns + later_ns - from : 0, took + longer)};
    span.ns = span.ns > span.most_ns ? span.most_ns : span.ns < span.least_ns ? span.least_ns : span.ns;
    return span;
}

bool wait_note(struct wait_states *w, struct match_call *call, enum wait_pattern pattern, struct wait_span span,
               struct match_call *other)
{
    if (!span.ns)
        return true;
    struct cause_event *event = wait_event_of(w, call), *late = wait_event_of(w, other);
    if (!event || !late)
        return false;
    const bool other_kind = event->wait_ns && (event->kind == WAIT_LATE_RECEIVER) != (pattern == WAIT_LATE_RECEIVER);
    if (other_kind && pattern == WAIT_LATE_RECEIVER)
        return true;
    if (other_kind || span.most_ns > event->most_ns)
        event->most_ns = span.most_ns;
    if (other_kind || span.least_ns > event->least_ns)
        event->least_ns = span.least_ns;
    if (!other_kind && span.ns <= event->wait_ns)
        return true;
    event->kind = pattern;
    event->wait_ns = span.ns;
    event->error_ns = error_of(w, call, other);
    late->references++;
    cause_event_drop(&w->causes_found, event->late);
    event->late = late;
    event->late_ns = other->enter_ns;
    return true;
}

bool wait_depends(struct wait_states *w, struct match_call *call, struct match_call *other)
{
    struct cause_event *event = wait_event_of(w, call), *on = wait_event_of(w, other);
    return event && on && (call->given || cause_depends(event, on, NULL));
}

/* Counts a receive that ended before its send began. */
static void check_clocks(struct wait_states *w, const struct match_call *received, const struct match_call *sent)
{
    const uint64_t left = received->leave_ns + received->leave_error_ns;
    if (left >= sent->enter_ns)
        return;
    const uint64_t early = sent->enter_ns - left;
    if (early <= error_of(w, received, sent))
        return;
    w->backward++;
    w->backward_max_ns = early > w->backward_max_ns ? early : w->backward_max_ns;
}

/* CALL has received what SENT has sent. */
static bool note_sent(struct wait_states *w, struct match_call *call, const struct match_call *sent)
{
    struct cause_event *event = wait_event_of(w, call);
    const uint64_t clock = pilgrim_clock_error(match_clock(w->match, sent->rank), sent->local_enter_ns),
                   error = clock > UINT64_MAX - sent->enter_error_ns ? UINT64_MAX : clock + sent->enter_error_ns,
                   latest = error > UINT64_MAX - sent->enter_ns ? UINT64_MAX : sent->enter_ns + error;
    if (event && !call->given && (!event->sent_ns || latest < event->sent_ns))
        event->sent_ns = latest;
    return event != NULL;
}

/* Tells of a wait that is counted aside. */
static bool tell(const struct wait_states *w, const struct cause_event *event)
{
    struct cause_event wait = *event;
    wait.wait_ns = event->aside_ns;
    return event->left_out || !w->each || w->each(w->each_context, &wait);
}

/* Notes a message whose receiver asked for it, again and again and doing nothing else, until it was there. */
static bool note_polled(struct wait_states *w, const struct match_operation *receive, struct match_call *sent)
{
    struct match_call *call = receive->ended;
    struct cause_event *event = wait_event_of(w, call), *late = wait_event_of(w, sent);
    const uint64_t until = sent->enter_ns < receive->polled.until_ns ? sent->enter_ns : receive->polled.until_ns;
    if (!event || !late)
        return false;
    const uint64_t asked = receive->polled.since_ns + receive->polled.busy_ns;
    if (call->given || until <= asked || until - asked <= event->wait_ns)
        return true;
    const uint64_t clocks = error_of(w, call, sent), from = receive->polled.error_ns, to = sent->enter_error_ns;
    event->kind = WAIT_POLLED;
    event->wait_ns = event->most_ns = event->least_ns = until - asked;
    event->error_ns = clocks > UINT64_MAX - from - to ? UINT64_MAX : clocks + (from > to ? from : to);
    event->enter_ns = call->enter_ns;
    late->enter_ns = sent->enter_ns;
    late->references++;
    cause_event_drop(&w->causes_found, event->late);
    event->late = late;
    return true;
}

/* Counts a wait that nothing is said of what it is due to. */
static bool count_aside(struct wait_states *w, struct cause_event *event, const struct match_call *call)
{
    const bool good = add(w, event, call);
    event->aside_ns = event->wait_ns;
    event->wait_ns = event->most_ns = event->least_ns = 0;
    return good && (!event->left || !event->aside_ns || tell(w, event));
}

/* Counts what an operation took when nobody was late any more. */
static bool count_completion(struct wait_states *w, const struct cause_event *event, const struct match_call *call)
{
    const struct cause_event completion = {.wait_ns = event->complete_ns, .error_ns = event->complete_error_ns};
    if (event->left_out || (w->choice && !w->choice->patterns[event->completes]))
        return true;
    struct wait_row *row = row_of(w, event->completes, call->site, call->rank);
    if (row)
        (void)count(&row->sum, &completion);
    return row != NULL;
}

static bool see_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct wait_states *w = context;
    if (!findings_message(&w->findings, send, receive))
        return false;
    if (!send || !receive || !send->begun->timed || !receive->begun->timed)
        return true;
    struct match_call *received = receive->ended, *sent = send->ended;
    struct match_call *from =
        send->ready && send->ready->timed ? send->ready : send->begun; /* it may begin only then */
    const uint64_t began = from->enter_ns, posted = receive->begun->enter_ns;
    if (received && received->timed) {
        check_clocks(w, received, send->begun);
        if (!wait_depends(w, received, from) || !note_sent(w, received, send->begun))
            return false;
    }
    if (received && received->timed && receive->polled.since_ns && !note_polled(w, receive, from))
        return false;
    if (received && !received->given && wait_blocks(w, received)) {
        if (!wait_note(w, received, from == send->begun ? WAIT_LATE_SENDER : WAIT_PARTITION,
                       wait_until(received, began, from->enter_error_ns), from))
            return false;
    }
    if (sent && !sent->given && !send->buffered && wait_blocks(w, sent) && posted > sent->enter_ns &&
        (send->synchronous || posted < sent->leave_ns + sent->leave_error_ns)) /* the clocks may err */
        return wait_depends(w, sent, receive->begun) &&
               wait_note(w, sent, WAIT_LATE_RECEIVER, wait_until(sent, posted, receive->begun->enter_error_ns),
                         receive->begun);
    return true;
}

static bool see_overlap(void *context, const struct match_operation *pending, const struct match_operation *later)
{
    struct wait_states *w = context;
    return findings_overlap(&w->findings, pending, later);
}

static bool see_kept(void *context, const struct match_made *made)
{
    struct wait_states *w = context;
    return findings_kept(&w->findings, made);
}

static bool see_call(void *context, struct match_call *call)
{
    struct wait_states *w = context;
    struct cause_event *event = call->user;
    if (!event)
        return true;
    put_off(w, event);
    if (event->complete_ns && !count_completion(w, event, call))
        return false;
    if (event->wait_ns && wait_pattern_aside(event->kind) && !count_aside(w, event, call))
        return false;
    return (!event->wait_ns || add(w, event, call)) && causes_resolve(&w->causes_found, event);
}

/* Each call, as it is read. */
static bool see(void *context, const struct match_seen *seen)
{
    struct wait_states *w = context;
    struct cause_event *event = NULL;
    bool wanted = true;
    if (w->choice && w->choice->call && !w->choice->call(w->choice->context, seen, &wanted))
        return false;
    if (!seen->call->timed)
        return true;
    w->first_ns = seen->enter_ns < w->first_ns ? seen->enter_ns : w->first_ns;
    w->last_ns = seen->leave_ns > w->last_ns ? seen->leave_ns : w->last_ns;
    if (seen->record) {
        if (!(event = wait_event_of(w, seen->record)))
            return false;
        event->resolved = !seen->ends;
        event->left_out = !wanted;
    }
    return causes_call(&w->causes_found, seen->rank, seen->thread, seen->site, seen->enter_ns, seen->leave_ns, event);
}

static void forget(void *context, struct match_call *call)
{
    struct wait_states *w = context;
    cause_event_drop(&w->causes_found, call->user);
    call->user = NULL;
}

/* ---- all ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct wait_row *x = a, *y = b;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_causes(const void *a, const void *b)
{
    const struct wait_cause *x = a, *y = b;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds up what waits are due to. */
static bool see_roots(void *context, const struct cause_event *event, const struct delay_roots *roots)
{
    struct wait_states *w = context;
    if (!roots)
        return tell(w, event);
    if (event->left_out)
        return true;
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct delay_root *root = &roots->roots[i];
        size_t number;
        struct wait_root *all = with_room(w->roots, w->root_count, &w->root_capacity, sizeof *all);
        if (!all)
            return false;
        w->roots = all;
        const struct match_key key = {{(uint64_t)event->kind << 32 | event->site, root->thread, root->class}};
        if (!number_of(w->root_numbers, key, w->root_count, &number))
            return false;
        if (number == w->root_count)
            all[w->root_count++] = (struct wait_root){
                .pattern = event->kind, .site = event->site, .thread = root->thread, .class = root->class};
        *(root->direct ? &all[number].direct_ns : &all[number].indirect_ns) += root->ns;
        all[number].error_ns += root->ns / (double)event->wait_ns * (double)event->error_ns;
    }
    return !w->each || w->each(w->each_context, event);
}

static int compare_roots(const void *a, const void *b)
{
    const struct wait_root *x = a, *y = b;
    const double all_x = x->direct_ns + x->indirect_ns, all_y = y->direct_ns + y->indirect_ns;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (all_x != all_y)
        return all_x > all_y ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

static void sort_all(struct wait_states *w)
{
    findings_sort(&w->findings);
    if (w->row_count)
        qsort(w->rows, w->row_count, sizeof *w->rows, compare_rows);
    if (w->cause_count)
        qsort(w->causes, w->cause_count, sizeof *w->causes, compare_causes);
    if (w->root_count)
        qsort(w->roots, w->root_count, sizeof *w->roots, compare_roots);
}

const char *wait_states_unknown(const struct pilgrim_trace *trace)
{
    struct pilgrim_clock clock;
    struct pilgrim_error error;
    if (!calls_have_times(trace))
        return "it has no times, so waits are not known; run the program again with PILGRIM_TIMING=exact";
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && pilgrim_rank_count(trace) > 1; rank++)
        if (pilgrim_clock_of(trace, rank, &clock, &error) != PILGRIM_OK || !clock.point_count)
            return "it has no clock measurement for all ranks";
    return NULL;
}

enum pilgrim_status wait_states_find(struct wait_states *w, const struct pilgrim_trace *trace,
                                     const struct wait_choice *choice, wait_each each, void *context,
                                     struct pilgrim_error *error)
{
    struct match_map rows = {0}, causes = {0}, roots = {0};
    const struct match_events events = {.context = w,
                                        .polls = true,
                                        .seen = see,
                                        .freed = forget,
                                        .message = see_message,
                                        .overlap = see_overlap,
                                        .kept = see_kept,
                                        .access = wait_access,
                                        .lock = wait_lock,
                                        .collective = wait_collective,
                                        .call = see_call};
    *w = (struct wait_states){.choice = choice,
                              .each = each,
                              .each_context = context,
                              .match = match_new(trace),
                              .process_count = pilgrim_rank_count(trace),
                              .first_ns = UINT64_MAX};
    if (!causes_begin(&w->causes_found, trace, see_roots, w) || !w->match ||
        !(w->late_senders = calloc((size_t)w->causes_found.thread_count + 1, sizeof(struct late_senders *))))
        return no_memory(error);
    w->findings.match = w->match;
    w->row_numbers = &rows;
    w->cause_numbers = &causes;
    w->root_numbers = &roots;
    enum pilgrim_status status = match_trace(w->match, &events, true, &w->totals, error);
    if (status != PILGRIM_NOMEM && !causes_end(&w->causes_found))
        status = no_memory(error);
    match_map_free(&rows);
    match_map_free(&causes);
    match_map_free(&roots);
    w->row_numbers = w->cause_numbers = w->root_numbers = NULL;
    sort_all(w);
    return status;
}

void wait_states_free(struct wait_states *w)
{
    match_free(w->match);
    for (uint32_t i = 0; w->late_senders && i < w->causes_found.thread_count; i++)
        free(w->late_senders[i]);
    free(w->late_senders);
    causes_free(&w->causes_found);
    findings_free(&w->findings);
    free(w->rows);
    free(w->causes);
    free(w->roots);
    free(w->blocking);
    *w = (struct wait_states){0};
}
