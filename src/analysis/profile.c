/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes profiles; see profile.h. The calls of each chosen thread are read once.
 *
 * One file: rows, times and counts are filled in by the same walk. */
#include "analysis/profile.h"
#include "analysis/work_progress.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/class_times.h"
#include "analysis/counted_calls.h"
#include "analysis/messages_data.h"
#include "analysis/selector.h"
#include "analysis/thread_twins.h"

/* Counts that are kept of twins, at most. */
enum { TWIN_COUNTS_MAX = 1 << 18 };

/* What a thread adds to a row. */
struct row_counts {
    size_t row;
    uint64_t calls;
    struct messages_count sent;
    uint64_t failed, collective_bytes, window_bytes, file_bytes;
};

/* What each of some twins adds. */
struct twin_counts {
    bool known;
    size_t first, count; /* among the counts that are kept */
    uint64_t unsized;
};

struct profile_maker {
    struct call_profile *p;
    const struct pilgrim_trace *trace;
    bool all;   /* all threads are chosen */
    bool alone; /* the thread is the only one of its rank */
    struct volumes *volumes;
    struct counted_calls *calls;
    struct selector *selector;    /* NULL: all calls of the chosen threads */
    struct classes_timed classes; /* of the segment that is read; `row`: that of the class, if it has calls */
    uint32_t segment;
    bool in_segment;
    uint64_t last_end_ns; /* end of the thread's last call in this segment */
    bool has_end;
    struct thread_twins *twins; /* NULL: each thread is read */
    struct twin_counts *twin_counts;
    size_t twin_count, twin_capacity;
    struct row_counts *counts;
    size_t count_count, count_capacity;
};

/* ---- rows ---- */

/* Sets *ROW to the row of CLASS, which is made if there is none. false: no memory */
static bool find_row(struct call_profile *p, const struct pilgrim_class *class, size_t *row)
{
    struct class_copy *copy = copy_class(&p->classes, class);
    if (!copy)
        return false;
    if (copy->thread == 0) {
        if (p->row_count == p->row_capacity) {
            size_t capacity = 2 * p->row_capacity + 16;
            struct profile_row *grown = realloc(p->rows, capacity * sizeof *grown);
            if (!grown)
                return false;
            p->rows = grown;
            p->row_capacity = capacity;
        }
        copy->thread = 1;
        copy->first = p->row_count;
        p->rows[p->row_count++] = (struct profile_row){.class = &copy->class};
    }
    *row = copy->first;
    return true;
}

/* Rounds a count. A file with wrong counts may give more than 2^63. */
static uint64_t rounded(double count)
{
    return count < 0x1p63 ? (uint64_t)(count + 0.5) : UINT64_MAX;
}

/* Returns the statistic of FACTOR times the calls of FROM, as if all were like those. */
static struct pilgrim_statistic scaled(const struct pilgrim_statistic *from, double factor)
{
    struct pilgrim_statistic s = *from;
    s.count = rounded((double)from->count * factor);
    s.total_ns = from->total_ns * factor;
    for (size_t i = 0; i < PILGRIM_BUCKETS; i++)
        s.histogram[i] = rounded((double)from->histogram[i] * factor);
    return s;
}

static struct pilgrim_statistic single(uint64_t ns, uint32_t rank)
{
    struct pilgrim_statistic s = {.count = 1, .min_ns = ns, .max_ns = ns, .min_rank = rank, .max_rank = rank};
    s.total_ns = s.mean_ns = (double)ns;
    s.histogram[ns ? 64 - __builtin_clzll(ns) : 0] = 1;
    return s;
}

/* ---- times ---- */

static void add_times(struct call_profile *p, size_t row, const struct pilgrim_statistic *durations,
                      const struct pilgrim_statistic *gaps)
{
    bool counts = strcmp(p->rows[row].class->function->name, "MPI_Finalize") != 0;
    const double durations_ns = counts ? durations->total_ns : 0;
    if (counts)
        pilgrim_statistic_add(&p->rows[row].durations, durations);
    pilgrim_statistic_add(&p->rows[row].gaps, gaps);
    p->run_ns += durations_ns + gaps->total_ns;
    p->mpi_ns += durations_ns;
    p->timed |= durations->count > 0;
}

/* Returns the statistic of CALLS calls like those of FROM; they took TOTAL_NS together, unless that is negative. */
static struct pilgrim_statistic estimated(const struct pilgrim_statistic *from, uint64_t calls, double total_ns)
{
    struct pilgrim_statistic s = scaled(from, (double)calls / (double)from->count);
    if (total_ns >= 0) {
        s.total_ns = total_ns;
        s.mean_ns = total_ns / (double)calls;
    }
    return s;
}

/* Ends a segment: adds its calls, and their estimated times, to the rows. */
static void end_segment(struct profile_maker *m)
{
    for (size_t i = 0; i < m->classes.count; i++) {
        const struct class_time *k = &m->classes.classes[i];
        m->p->rows[k->row].calls += k->calls;
        m->p->calls += k->calls;
        if (!k->timed || k->calls == 0 || k->durations.count == 0)
            continue;
        struct pilgrim_statistic gaps = {0}, durations = estimated(&k->durations, k->calls,
                                                                   k->rank.has_durations ? k->rank.durations_ns : -1);
        if (k->gaps.count > 0)
            gaps = estimated(&k->gaps, k->calls, k->rank.has_gaps ? k->rank.gaps_ns : -1);
        add_times(m->p, k->row, &durations, &gaps);
        m->p->estimated = true;
    }
    m->classes.count = 0;
    m->in_segment = false;
}

/* Begins the segment of CALL, the thread's first call there, which CURSOR gave. */
static enum pilgrim_status begin_segment(struct profile_maker *m, const struct pilgrim_cursor *cursor,
                                         const struct pilgrim_call *call, struct pilgrim_error *error)
{
    bool estimate = !m->all && !call->timed;
    m->segment = pilgrim_cursor_segment(cursor);
    m->has_end = false;
    enum pilgrim_status status = class_times_begin(&m->classes, cursor, estimate, m->alone, error);
    for (size_t i = 0; i < m->classes.count && status == PILGRIM_OK; i++)
        if (!find_row(m->p, m->classes.classes[i].class, &m->classes.classes[i].row))
            status = no_memory(error);
    m->in_segment = status == PILGRIM_OK;
    if (status != PILGRIM_OK)
        m->classes.count = 0;
    return status;
}

/* ---- calls ---- */

/* Adds the times of a call that COUNTS; any other one ends a gap, too. */
static void take_call_times(struct profile_maker *m, const struct pilgrim_call *call, size_t row, bool counts)
{
    struct pilgrim_statistic gap = {0}, duration = single(call->end_ns - call->start_ns, call->rank);
    if (m->has_end && call->start_ns >= m->last_end_ns)
        gap = single(call->start_ns - m->last_end_ns, call->rank);
    m->has_end = true;
    m->last_end_ns = call->end_ns;
    if (counts)
        add_times(m->p, row, &duration, &gap);
}

/* Takes a call that stands for COUNT calls. */
static enum pilgrim_status take_call(struct profile_maker *m, const struct pilgrim_call *call, uint64_t count,
                                     struct pilgrim_error *error)
{
    const struct pilgrim_cursor *cursor = counted_calls_cursor(m->calls);
    if (m->in_segment && pilgrim_cursor_segment(cursor) != m->segment)
        end_segment(m);
    if (!m->in_segment) {
        enum pilgrim_status status = begin_segment(m, cursor, call, error);
        if (status != PILGRIM_OK)
            return status;
    }
    struct class_time *entry = class_times_find(&m->classes, call->class_);
    if (!entry)
        return no_group(PILGRIM_DAMAGED, error);
    bool counts = true;
    if (m->selector) {
        enum pilgrim_status status = selector_take(m->selector, call, m->segment, &counts, error);
        if (status != PILGRIM_OK)
            return status;
    }
    entry->calls += counts ? count : 0;
    if (!m->all && call->timed &&
        !entry->timed) /* if the segment's first call had no times, all its times are estimated */
        take_call_times(m, call, entry->row, counts);
    if (volumes_see(m->volumes, call, error) != PILGRIM_OK)
        return no_memory(error);
    if (!counts)
        return PILGRIM_OK;
    const struct volume_parts *moved = volumes_parts(m->volumes, call);
    struct profile_row *row = &m->p->rows[entry->row];
    m->p->unsized += count * moved->unsized;
    row->sent.messages += count * moved->messages;
    row->sent.bytes += count * moved->message_bytes;
    row->failed += count * moved->failed;
    row->collective_bytes += count * moved->collective_bytes;
    row->window_bytes += count * moved->window_bytes;
    row->file_bytes += count * moved->file_bytes;
    return PILGRIM_OK;
}

static enum pilgrim_status take_thread(struct profile_maker *m, uint32_t rank, uint32_t thread,
                                       struct pilgrim_error *error)
{
    struct pilgrim_call call;
    uint64_t before = m->p->calls, count;
    const enum counted_how how = m->selector ? ONE_BY_ONE : m->all ? COUNTED : COUNTED_UNTIMED;
    m->alone = pilgrim_thread_count(m->trace, rank) == 1;
    enum pilgrim_status status = volumes_begin_thread(m->volumes, rank, thread, error);
    if (status == PILGRIM_OK && m->selector)
        status = selector_begin(m->selector, rank, thread, error);
    if (status == PILGRIM_OK)
        status = counted_calls_begin(m->calls, rank, thread, how, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = counted_calls_next(m->calls, messages_changes(volumes_messages(m->volumes)), &call, &count,
                                        error)) == PILGRIM_OK &&
           (status = take_call(m, &call, count, error)) == PILGRIM_OK)
        ;
    end_segment(m);
    m->p->threads += m->p->calls > before;
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- twins ---- */

static struct row_counts counts_of(const struct call_profile *p, size_t row)
{
    const struct profile_row *r = &p->rows[row];
    return (struct row_counts){row, r->calls, r->sent, r->failed, r->collective_bytes, r->window_bytes, r->file_bytes};
}

/* Subtracts: what came to a row since it had BEFORE. */
static struct row_counts added(struct row_counts now, const struct row_counts *before)
{
    now.calls -= before->calls;
    now.sent.messages -= before->sent.messages;
    now.sent.bytes -= before->sent.bytes;
    now.failed -= before->failed;
    now.collective_bytes -= before->collective_bytes;
    now.window_bytes -= before->window_bytes;
    now.file_bytes -= before->file_bytes;
    return now;
}

static void add_twin(struct profile_maker *m, const struct twin_counts *twin)
{
    const uint64_t before = m->p->calls;
    for (size_t i = 0; i < twin->count; i++) {
        const struct row_counts *c = &m->counts[twin->first + i];
        struct profile_row *row = &m->p->rows[c->row];
        m->p->calls += c->calls;
        row->calls += c->calls;
        row->sent.messages += c->sent.messages;
        row->sent.bytes += c->sent.bytes;
        row->failed += c->failed;
        row->collective_bytes += c->collective_bytes;
        row->window_bytes += c->window_bytes;
        row->file_bytes += c->file_bytes;
    }
    m->p->unsized += twin->unsized;
    m->p->threads += m->p->calls > before;
}

/* Takes thread 0 of RANK, the first of the twins NUMBER, and keeps what it adds. */
static enum pilgrim_status take_first(struct profile_maker *m, uint32_t rank, size_t number,
                                      struct pilgrim_error *error)
{
    struct call_profile *p = m->p;
    const size_t rows = p->row_count;
    const uint64_t unsized = p->unsized;
    struct row_counts *before = malloc((rows + 1) * sizeof *before);
    struct twin_counts *twins =
        messages_roomy(m->twin_counts, m->twin_count, &m->twin_capacity, sizeof *m->twin_counts);
    m->twin_counts = twins ? twins : m->twin_counts;
    for (size_t i = 0; before && i < rows; i++)
        before[i] = counts_of(p, i);
    enum pilgrim_status status = before && twins ? take_thread(m, rank, 0, error) : no_memory(error);
    struct twin_counts twin = {.known = m->count_count < TWIN_COUNTS_MAX, .first = m->count_count};
    for (size_t i = 0; status == PILGRIM_OK && twin.known && i < p->row_count; i++) {
        static const struct row_counts none = {0};
        const struct row_counts more = added(counts_of(p, i), i < rows ? &before[i] : &none);
        struct row_counts *counts = messages_roomy(m->counts, m->count_count, &m->count_capacity, sizeof *counts);
        if (!counts) {
            status = no_memory(error);
            break;
        }
        m->counts = counts;
        if (more.calls > 0)
            m->counts[m->count_count++] = more;
    }
    twin.count = m->count_count - twin.first;
    twin.unsized = p->unsized - unsized;
    if (status == PILGRIM_OK && number == m->twin_count)
        m->twin_counts[m->twin_count++] = twin;
    free(before);
    return status;
}

/* Takes the only thread of RANK. */
static enum pilgrim_status take_alone(struct profile_maker *m, uint32_t rank, struct pilgrim_error *error)
{
    size_t number;
    enum pilgrim_status status = thread_twins_find(m->twins, rank, &number, error);
    if (status != PILGRIM_OK)
        return status;
    if (number < m->twin_count && m->twin_counts[number].known) {
        add_twin(m, &m->twin_counts[number]);
        return PILGRIM_OK;
    }
    return number == m->twin_count ? take_first(m, rank, number, error) : take_thread(m, rank, 0, error);
}

/* ---- functions ---- */

static int compare_rows(const struct profile_row *a, const struct profile_row *b)
{
    if (a->durations.total_ns != b->durations.total_ns)
        return a->durations.total_ns > b->durations.total_ns ? -1 : 1;
    return (a->calls < b->calls) - (a->calls > b->calls);
}

/* Compares by function first, so that the rows of a function become neighbours. */
static int compare_sites(const void *x, const void *y)
{
    const struct profile_row *a = x, *b = y;
    int order = strcmp(a->class->function->name, b->class->function->name);
    return order ? order : compare_rows(a, b);
}

static int compare_functions(const void *x, const void *y)
{
    const struct profile_function *a = x, *b = y;
    int order = compare_rows(&a->all, &b->all);
    return order ? order : strcmp(a->all.class->function->name, b->all.class->function->name);
}

static void add_row(struct profile_row *to, const struct profile_row *from)
{
    to->calls += from->calls;
    to->sent.messages += from->sent.messages;
    to->sent.bytes += from->sent.bytes;
    to->failed += from->failed;
    to->collective_bytes += from->collective_bytes;
    to->window_bytes += from->window_bytes;
    to->file_bytes += from->file_bytes;
    pilgrim_statistic_add(&to->durations, &from->durations);
    pilgrim_statistic_add(&to->gaps, &from->gaps);
}

/* Makes the functions of the rows. Drops rows without calls: those of damaged threads. */
static bool make_functions(struct call_profile *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].calls > 0)
            p->rows[count++] = p->rows[i];
    p->row_count = count;
    p->functions = calloc(count + 1, sizeof *p->functions);
    if (!p->functions)
        return false;
    if (count > 0)
        qsort(p->rows, count, sizeof *p->rows, compare_sites);
    for (size_t i = 0; i < count; i++) {
        const struct profile_row *row = &p->rows[i];
        bool same = i > 0 && strcmp(row->class->function->name, row[-1].class->function->name) == 0;
        if (!same)
            p->functions[p->function_count++] = (struct profile_function){.all.class = row->class, .sites = row};
        struct profile_function *f = &p->functions[p->function_count - 1];
        f->site_count++;
        add_row(&f->all, row);
        p->sent.messages += row->sent.messages;
        p->sent.bytes += row->sent.bytes;
        p->failed += row->failed;
        p->collective_bytes += row->collective_bytes;
        p->window_bytes += row->window_bytes;
        p->file_bytes += row->file_bytes;
    }
    if (p->function_count > 0)
        qsort(p->functions, p->function_count, sizeof *p->functions, compare_functions);
    return true;
}

/* ---- ranks ---- */

static void add_rank(struct call_profile *p, const struct pilgrim_rank_profile *rank)
{
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        struct profile_activity *a = &p->activities[i];
        if (p->profiled_ranks == 0 || rank->ns[i] < a->least_ns) {
            a->least_ns = rank->ns[i];
            a->least_rank = rank->first_rank;
        }
        if (p->profiled_ranks == 0 || rank->most_ns[i] > a->most_ns) {
            a->most_ns = rank->most_ns[i];
            a->most_rank = rank->most_rank[i];
        }
        a->total_ns += rank->ns[i];
    }
    p->blocks |= rank->rank_count > 1;
    p->profiled_ranks++;
}

static enum pilgrim_status take_rank(struct profile_maker *m, uint32_t rank, struct pilgrim_error *error)
{
    struct pilgrim_rank_profile found;
    enum pilgrim_status status = pilgrim_rank_profile(m->trace, rank, &found, error);
    if (status == PILGRIM_OK)
        add_rank(m->p, &found);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Adds the times of all calls of the trace. */
static enum pilgrim_status take_all_times(struct profile_maker *m, struct pilgrim_error *error)
{
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class;
    enum pilgrim_status status = pilgrim_profile_open(m->trace, &profile, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = pilgrim_profile_next(profile, &class, error)) == PILGRIM_OK) {
        size_t row;
        if (!find_row(m->p, class.class_, &row)) {
            status = no_memory(error);
            break;
        }
        add_times(m->p, row, &class.durations, &class.gaps);
    }
    pilgrim_profile_close(profile);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- all ---- */

static enum pilgrim_status take_ranks(struct profile_maker *m, bool (*choose)(const void *, uint32_t, uint32_t),
                                      const void *context, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(m->trace) && status == PILGRIM_OK; rank++) {
        uint32_t threads = pilgrim_thread_count(m->trace, rank);
        bool chosen = false;
        for (uint32_t thread = 0; thread < threads && status == PILGRIM_OK; thread++) {
            if ((choose && !choose(context, rank, thread)) ||
                (m->selector && !selector_has_thread(m->selector, rank, thread)))
                continue;
            chosen = true;
            status = m->twins && threads == 1 ? take_alone(m, rank, error) : take_thread(m, rank, thread, error);
        }
        if (chosen && status == PILGRIM_OK && !m->selector)
            status = take_rank(m, rank, error);
        m->p->ranks += chosen;
        work_done(rank + 1);
    }
    return status;
}

static enum pilgrim_status make(struct profile_maker *m, struct call_profile *p,
                                bool (*choose)(const void *context, uint32_t rank, uint32_t thread),
                                const void *context, bool by_path, struct pilgrim_error *error)
{
    *p = (struct call_profile){.classes.sites_only = !by_path};
    m->p = p;
    m->volumes = volumes_new(m->trace);
    m->calls = counted_calls_new(m->trace);
    m->twins = m->all ? thread_twins_new(m->trace) : NULL;
    enum pilgrim_status status =
        m->volumes && m->calls && (m->twins || !m->all) ? take_ranks(m, choose, context, error) : no_memory(error);
    if (status == PILGRIM_OK && m->all)
        status = take_all_times(m, error);
    if (status == PILGRIM_OK && m->selector)
        status = selector_end(m->selector, error);
    if (status == PILGRIM_OK && m->selector && !selector_chose(m->selector, error))
        status = PILGRIM_INVALID;
    if (!make_functions(p) && status == PILGRIM_OK)
        status = no_memory(error);
    volumes_free(m->volumes);
    counted_calls_free(m->calls);
    class_times_free(&m->classes);
    thread_twins_free(m->twins);
    free(m->twin_counts);
    free(m->counts);
    return status;
}

enum pilgrim_status profile_make_selected(struct call_profile *p, const struct pilgrim_trace *trace,
                                          struct selector *selector, bool by_path, struct pilgrim_error *error)
{
    struct profile_maker m = {.trace = trace, .selector = selector};
    return make(&m, p, NULL, NULL, by_path, error);
}

enum pilgrim_status profile_make(struct call_profile *p, const struct pilgrim_trace *trace,
                                 bool (*choose)(const void *context, uint32_t rank, uint32_t thread),
                                 const void *context, bool by_path, struct pilgrim_error *error)
{
    struct profile_maker m = {.trace = trace, .all = !choose};
    return make(&m, p, choose, context, by_path, error);
}

void profile_free(struct call_profile *p)
{
    free(p->rows);
    free(p->functions);
    class_copies_free(&p->classes);
}
