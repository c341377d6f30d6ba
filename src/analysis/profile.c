/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes profiles; see profile.h. The calls of each chosen thread are read once.
 *
 * One file: rows, times and counts are filled in by the same walk. */
#include "analysis/profile.h"
#include "analysis/work_progress.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/key_table.h"
#include "analysis/analysis_errors.h"
#include "analysis/selector.h"

/* A class in the segment that is read. Classes with the same function and call site, such as failed polls and other
 * polls, are one here. */
struct segment_class {
    const struct pilgrim_class *class;
    size_t row;
    uint64_t calls;
    struct pilgrim_statistic *durations, *gaps; /* of the calls of its value group; NULL: not needed */
    struct pilgrim_rank_class rank;             /* of the calls on the thread's rank, if that has no other thread */
};

struct profile_maker {
    struct call_profile *p;
    const struct pilgrim_trace *trace;
    bool all;   /* all threads are chosen */
    bool alone; /* the thread is the only one of its rank */
    struct messages *messages;
    struct selector *selector; /* NULL: all calls of the chosen threads */
    struct segment_class *classes;
    size_t class_count, class_capacity;
    struct key_table class_index; /* indices into `classes`, by class */
    uint32_t segment;
    bool in_segment;
    uint64_t last_end_ns; /* end of the thread's last call in this segment */
    bool has_end;
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

/* ---- the classes of a thread in a segment ---- */

static struct key key_of(const struct pilgrim_class *class)
{
    return (struct key){{(uintptr_t) class}};
}

/* Empties the table of classes and makes room for COUNT. */
static bool clear_classes(struct profile_maker *m, size_t count)
{
    m->class_count = 0;
    key_table_clear(&m->class_index);
    if (count > m->class_capacity) {
        struct segment_class *classes = realloc(m->classes, count * sizeof *classes);
        if (!classes)
            return false;
        m->classes = classes;
        m->class_capacity = count;
    }
    return true;
}

static bool add_class(struct profile_maker *m, const struct pilgrim_class *class, bool with_times,
                      struct segment_class **entry)
{
    const uint64_t *index = key_table_put(&m->class_index, key_of(class), m->class_count);
    if (!index)
        return false;
    if (*index == m->class_count) {
        struct segment_class *k = &m->classes[m->class_count];
        *k = (struct segment_class){.class = class};
        if (!find_row(m->p, class, &k->row))
            return false;
        if (with_times) {
            k->durations = calloc(2, sizeof *k->durations);
            if (!k->durations)
                return false;
            k->gaps = k->durations + 1;
        }
        m->class_count++;
    }
    *entry = &m->classes[*index];
    return true;
}

/* ---- times ---- */

static void add_times(struct call_profile *p, size_t row, const struct pilgrim_statistic *durations,
                      const struct pilgrim_statistic *gaps)
{
    pilgrim_statistic_add(&p->rows[row].durations, durations);
    pilgrim_statistic_add(&p->rows[row].gaps, gaps);
    p->run_ns += durations->total_ns + gaps->total_ns;
    p->mpi_ns += durations->total_ns;
    p->timed |= durations->count > 0;
}

/* Adds the times of class NUMBER to ENTRY; end_segment turns them into those of the thread's calls. */
static enum pilgrim_status take_class(const struct profile_maker *m, const struct pilgrim_cursor *cursor, size_t number,
                                      struct segment_class *entry)
{
    struct pilgrim_statistic durations, gaps;
    enum pilgrim_status status = pilgrim_durations(cursor, number, PILGRIM_VALUE_GROUP, &durations);
    if (status == PILGRIM_OK)
        status = pilgrim_gaps(cursor, number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &gaps);
    if (status == PILGRIM_OK && m->alone)
        status = pilgrim_rank_class(cursor, number, &entry->rank);
    if (status != PILGRIM_OK)
        return status;
    pilgrim_statistic_add(entry->durations, &durations);
    pilgrim_statistic_add(entry->gaps, &gaps);
    return PILGRIM_OK;
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
    for (size_t i = 0; i < m->class_count; i++) {
        struct segment_class *k = &m->classes[i];
        m->p->rows[k->row].calls += k->calls;
        m->p->calls += k->calls;
        if (k->durations && k->calls > 0 && k->durations->count > 0) {
            struct pilgrim_statistic gaps = {0},
                                     durations = estimated(k->durations, k->calls,
                                                           k->rank.has_durations ? k->rank.durations_ns : -1);
            if (k->gaps->count > 0)
                gaps = estimated(k->gaps, k->calls, k->rank.has_gaps ? k->rank.gaps_ns : -1);
            add_times(m->p, k->row, &durations, &gaps);
            m->p->estimated = true;
        }
        free(k->durations);
    }
    m->class_count = 0;
    m->in_segment = false;
}

/* Begins the segment of CALL, the thread's first call there, which CURSOR gave. */
static enum pilgrim_status begin_segment(struct profile_maker *m, const struct pilgrim_cursor *cursor,
                                         const struct pilgrim_call *call, struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    bool estimate = !m->all && !call->timed;
    pilgrim_thread_info(cursor, &thread);
    m->segment = pilgrim_cursor_segment(cursor);
    m->in_segment = true;
    m->has_end = false;
    if (!clear_classes(m, thread.class_count))
        return no_memory(error);
    for (size_t i = 0; i < thread.class_count; i++) {
        struct pilgrim_class_info info;
        struct segment_class *entry;
        enum pilgrim_status status = pilgrim_class_info(cursor, i, &info);
        if (status != PILGRIM_OK)
            return no_group(status, error);
        if (info.body)
            continue;
        if (!add_class(m, info.class_, estimate, &entry))
            return no_memory(error);
        if (estimate)
            status = take_class(m, cursor, i, entry);
        if (status != PILGRIM_OK)
            return no_group(status, error);
    }
    return PILGRIM_OK;
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

/* Counts the messages without a known size of the call that was seen last. */
static void count_unsized(struct profile_maker *m)
{
    size_t count;
    const struct messages_transfer *transfers = messages_transfers(m->messages, &count);
    for (size_t i = 0; i < count; i++)
        m->p->unsized += transfers[i].kind == MESSAGES_SEND && !transfers[i].sized;
}

static enum pilgrim_status take_call(struct profile_maker *m, const struct pilgrim_cursor *cursor,
                                     const struct pilgrim_call *call, struct pilgrim_error *error)
{
    struct messages_count sent;
    if (m->in_segment && pilgrim_cursor_segment(cursor) != m->segment)
        end_segment(m);
    if (!m->in_segment) {
        enum pilgrim_status status = begin_segment(m, cursor, call, error);
        if (status != PILGRIM_OK)
            return status;
    }
    const uint64_t *class_number = key_table_find(&m->class_index, key_of(call->class_));
    if (!class_number)
        return no_group(PILGRIM_DAMAGED, error);
    struct segment_class *entry = &m->classes[*class_number];
    bool counts = true;
    if (m->selector) {
        enum pilgrim_status status = selector_take(m->selector, call, m->segment, &counts, error);
        if (status != PILGRIM_OK)
            return status;
    }
    entry->calls += counts;
    if (!m->all && call->timed &&
        !entry->durations) /* if the segment's first call had no times, all its times are estimated */
        take_call_times(m, call, entry->row, counts);
    if (messages_see(m->messages, call, &sent) != PILGRIM_OK)
        return no_memory(error);
    if (!counts)
        return PILGRIM_OK;
    if (sent.messages > 0)
        count_unsized(m);
    struct profile_row *row = &m->p->rows[entry->row];
    row->sent.messages += sent.messages;
    row->sent.bytes += sent.bytes;
    return PILGRIM_OK;
}

static enum pilgrim_status take_thread(struct profile_maker *m, uint32_t rank, uint32_t thread,
                                       struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    uint64_t before = m->p->calls;
    m->alone = pilgrim_thread_count(m->trace, rank) == 1;
    enum pilgrim_status status = messages_begin(m->messages, rank, thread, error);
    if (status == PILGRIM_OK && m->selector)
        status = selector_begin(m->selector, rank, thread, error);
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_open(m->trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = pilgrim_cursor_next(cursor, &call, error)) == PILGRIM_OK &&
           (status = take_call(m, cursor, &call, error)) == PILGRIM_OK)
        ;
    end_segment(m);
    m->p->threads += m->p->calls > before;
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? PILGRIM_OK : status;
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
            status = take_thread(m, rank, thread, error);
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
    m->messages = messages_new(m->trace);
    enum pilgrim_status status = m->messages ? take_ranks(m, choose, context, error) : no_memory(error);
    if (status == PILGRIM_OK && m->all)
        status = take_all_times(m, error);
    if (status == PILGRIM_OK && m->selector)
        status = selector_end(m->selector, error);
    if (status == PILGRIM_OK && m->selector && !selector_chose(m->selector, error))
        status = PILGRIM_INVALID;
    if (!make_functions(p) && status == PILGRIM_OK)
        status = no_memory(error);
    messages_free(m->messages);
    free(m->classes);
    key_table_clear(&m->class_index);
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
