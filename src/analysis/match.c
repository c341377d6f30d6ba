/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads all threads of a trace at once, and matches what they do; see match.h.
 *
 * A process is read until so many of its operations have no partner yet, then the next one is. Once no process can go
 * on in this way, that number is doubled. So memory holds what was in flight in the run, and a little more; nothing
 * depends on the order in which processes are read. */
#include "analysis/match.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/match_data.h"

enum { OUTSTANDING_ALL = 1 << 20, OUTSTANDING_LEAST = 16, OUTSTANDING_MOST = 1 << 12 };

/* ---- sites ---- */

bool match_same_function(const struct pilgrim_class *a, const struct pilgrim_class *b)
{
    return strcmp(a->function->name, b->function->name) == 0;
}

const struct pilgrim_class *match_site(const struct match *m, uint32_t site)
{
    return site < m->site_count ? &m->sites[site]->class : NULL;
}

uint32_t match_site_count(const struct match *m)
{
    return m->site_count;
}

const struct time_errors *match_time_errors(const struct match *m)
{
    return &m->errors;
}

const struct pilgrim_clock *match_clock(const struct match *m, uint32_t rank)
{
    return rank < m->process_count ? &m->processes[rank].clock : NULL;
}

/* Sets *SITE to the number of CLASS. false: no memory */
static bool number_site(struct match *m, const struct pilgrim_class *class, uint32_t *site)
{
    struct class_copy *copy = copy_class(&m->copies, class);
    if (!copy)
        return false;
    if (copy->first >= m->site_count || m->sites[copy->first] != copy) {
        if (m->site_count == m->site_capacity) {
            size_t capacity = m->site_capacity ? 2 * m->site_capacity : 64;
            const struct class_copy **sites = realloc(m->sites, capacity * sizeof *sites);
            if (!sites)
                return false;
            m->sites = sites;
            m->site_capacity = capacity;
        }
        copy->first = m->site_count;
        m->sites[m->site_count++] = copy;
    }
    *site = (uint32_t)copy->first;
    return true;
}

/* Returns what is known of a class of the thread's segment: its role at least. NULL: no memory */
static struct match_site_cached *find_class(struct match *m, struct match_thread *t, const struct pilgrim_class *class)
{
    const uint32_t segment = pilgrim_cursor_segment(t->cursor);
    if (segment != t->segment)
        memset(t->sites, 0, m->sites_cached * sizeof *t->sites);
    t->segment = segment;
    struct match_site_cached *cached = &t->sites[((uintptr_t) class / sizeof *class) % m->sites_cached];
    if (cached->class_ == class)
        return cached;
    const struct match_role *role = match_role_of(&m->roles, class->function);
    *cached = (struct match_site_cached){role ? class : NULL, role, SITE_UNKNOWN};
    return role ? cached : NULL;
}

/* ---- records ---- */

void *match_record_take(struct match *m, enum match_spare_kind kind)
{
    static const size_t sizes[SPARE_KINDS] = {[SPARE_CALL] = sizeof(struct match_call),
                                              [SPARE_OPERATION] = sizeof(struct match_operation),
                                              [SPARE_REQUEST] = sizeof(struct match_request)};
    struct match_spare *spare = m->spare[kind];
    if (!spare)
        return calloc(1, sizes[kind]);
    m->spare[kind] = spare->next;
    return memset(spare, 0, sizes[kind]);
}

void match_record_drop(struct match *m, enum match_spare_kind kind, void *record)
{
    struct match_spare *spare = record;
    if (!spare)
        return;
    spare->next = m->spare[kind];
    m->spare[kind] = spare;
}

static void free_spare(struct match *m)
{
    for (int kind = 0; kind < SPARE_KINDS; kind++)
        for (struct match_spare *next; m->spare[kind]; m->spare[kind] = next) {
            next = m->spare[kind]->next;
            free(m->spare[kind]);
        }
}

/* ---- a call ---- */

/* Shows the call that is being examined to the caller. */
static bool see(struct match *m, struct match_call *record)
{
    const struct pilgrim_call *call = m->call;
    struct match_seen seen = {.call = call,
                              .rank = m->process->rank,
                              .thread = m->thread,
                              .site = m->site,
                              .segment = m->process->threads[m->thread].segment,
                              .enter_ns = call->start_ns,
                              .leave_ns = call->end_ns,
                              .record = record,
                              .ends = m->ends};
    if (call->timed) {
        seen.enter_ns = record ? record->enter_ns : match_on_axis(m, m->process, call->start_ns);
        seen.leave_ns = record ? record->leave_ns : match_on_axis(m, m->process, call->end_ns);
    }
    return m->events->seen(m->events->context, &seen);
}

/* Examines the next call of a thread. */
static bool examine(struct match *m, struct match_process *p, uint32_t thread)
{
    struct match_thread *t = &p->threads[thread];
    m->totals->calls++;
    m->process = p;
    m->thread = thread;
    m->call = &t->call;
    m->record = NULL;
    m->ends = false;
    struct match_site_cached *class = find_class(m, t, t->call.class_);
    if (!class)
        return false;
    m->role = class->role;
    if (m->role->act == ACT_NONE && !m->events->seen && !time_errors_any(&m->errors))
        return true;
    bool good = class->site != SITE_UNKNOWN || number_site(m, class->class_, &class->site);
    m->site = class->site;
    good =
        good && time_errors_of(&m->errors, &t->errors, m->call, m->site, pilgrim_cursor_segment(t->cursor),
                               m->role->act != ACT_NONE || m->role->poll >= 0, &m->enter_error_ns, &m->leave_error_ns);
    if (m->events->polls)
        match_polls_follow(m, t);
    good = good && match_act(m);
    struct match_call *record = m->record;
    good = good && (!m->events->seen || see(m, record));
    m->record = NULL;
    if (!record)
        return good;
    good = good && (!m->ends || match_call_examined(m, record));
    match_call_drop(m, record);
    return good;
}

/* Reads the next call of a thread. false: there is none, or *STATUS is an error */
static bool read_next(struct match_thread *t, enum pilgrim_status *status, struct pilgrim_error *error)
{
    struct pilgrim_error found;
    enum pilgrim_status got = pilgrim_cursor_next(t->cursor, &t->call, &found);
    t->has = got == PILGRIM_OK;
    t->late = false;
    if (!t->has && got != PILGRIM_END && *status == PILGRIM_OK) {
        *status = got;
        *error = found;
    }
    return t->has;
}

/* Returns when the next call of a thread counts. */
static uint64_t counts_from(const struct match_thread *t)
{
    return t->late ? t->call.end_ns : t->call.start_ns;
}

/* Returns the thread whose next call is first; where times are not known, the one with fewest calls so far. */
static uint32_t first_thread(const struct match_process *p)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < p->thread_count; i++) {
        const struct match_thread *t = &p->threads[i], *best = first == UINT32_MAX ? NULL : &p->threads[first];
        if (!t->has)
            continue;
        if (!best ||
            (t->call.timed && best->call.timed ? counts_from(t) < counts_from(best) : t->call.seq < best->call.seq))
            first = i;
    }
    return first;
}

/* ---- a process ---- */

/* Sets *CANCELS if the thread calls MPI_Cancel. */
static enum pilgrim_status look_for_cancel(const struct match *m, uint32_t rank, uint32_t thread, bool *cancels,
                                           struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    enum pilgrim_status status = pilgrim_cursor_open(m->trace, rank, thread, &cursor, error);
    while (status == PILGRIM_OK && !*cancels) {
        pilgrim_thread_info(cursor, &info);
        for (size_t i = 0; i < info.class_count && !*cancels; i++)
            *cancels = pilgrim_class_info(cursor, i, &class) == PILGRIM_OK && !class.body && class.class_ &&
                       strcmp(class.class_->function->name, "MPI_Cancel") == 0;
        status = pilgrim_cursor_next_segment(cursor, error);
    }
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Opens the threads of a process. What cannot be read has no calls; the first such error is kept. */
static bool begin_process(struct match *m, uint32_t rank, enum pilgrim_status *status, struct pilgrim_error *error)
{
    struct match_process *p = &m->processes[rank];
    struct pilgrim_error found;
    p->rank = rank;
    p->thread_count = pilgrim_thread_count(m->trace, rank);
    p->threads = calloc(p->thread_count + !p->thread_count, sizeof *p->threads);
    if (!p->threads)
        return false;
    for (uint32_t i = 0; i < p->thread_count; i++) {
        p->threads[i].sites = calloc(m->sites_cached, sizeof *p->threads[i].sites);
        if (!p->threads[i].sites)
            return false;
    }
    m->process = p;
    enum pilgrim_status got = match_read_created(m, p, &found);
    if (got == PILGRIM_OK)
        got = pilgrim_clock_of(m->trace, rank, &p->clock, &found);
    for (uint32_t i = 0; i < p->thread_count && got == PILGRIM_OK; i++)
        got = look_for_cancel(m, rank, i, &p->cancels, &found);
    for (uint32_t i = 0; i < p->thread_count && got == PILGRIM_OK; i++) {
        got = pilgrim_cursor_open(m->trace, rank, i, &p->threads[i].cursor, &found);
        if (got == PILGRIM_OK && read_next(&p->threads[i], status, error))
            p->threads_left++;
    }
    p->done = p->threads_left == 0;
    if (got != PILGRIM_OK && *status == PILGRIM_OK) {
        *status = got;
        *error = found;
    }
    return got != PILGRIM_NOMEM;
}

/* Sets T->late if the next call of the thread counts from its end. false: no memory */
static bool note_late(struct match *m, const struct match_process *p, struct match_thread *t)
{
    const struct match_site_cached *class = find_class(m, t, t->call.class_);
    if (class)
        t->late = t->call.timed && match_takes_number(p, class->role, &t->call);
    return class != NULL;
}

/* Reads on until LIMIT operations have no partner. Sets *READ if there was a call. */
static bool read_process(struct match *m, struct match_process *p, uint64_t limit, bool *read,
                         enum pilgrim_status *status, struct pilgrim_error *error)
{
    while (!p->done && p->outstanding < limit) {
        const uint32_t thread = p->thread_count == 1 ? 0 : first_thread(p);
        *read = true;
        if (p->thread_count > 1 && !p->threads[thread].late) {
            if (!note_late(m, p, &p->threads[thread]))
                return false;
            if (p->threads[thread].late)
                continue;
        }
        if (!examine(m, p, thread))
            return false;
        if (!read_next(&p->threads[thread], status, error))
            p->done = --p->threads_left == 0;
    }
    return true;
}

/* Lets go of what the process still has: it will not end. */
static bool end_process(struct match *m, struct match_process *p)
{
    bool good = true;
    m->process = p;
    for (size_t i = 0; i < p->requests.capacity && good; i++)
        if (p->requests.slots[i].value)
            good = match_request_over(m, p->requests.slots[i].value);
    for (size_t i = 0; i < p->objects.capacity && good; i++) {
        struct match_operation *op = p->objects.slots[i].value;
        if (op && p->objects.slots[i].key.part[0] == KIND_MESSAGE) { /* a probe took it, and nobody received it */
            p->objects.slots[i].value = NULL;
            p->objects.count--;
            op->over = true;
            good = match_over(m, op);
        }
    }
    return good && match_flush_windows(m, p) && match_flush_held(m, p);
}

static bool flush(struct match *m)
{
    bool good = true;
    for (uint32_t rank = 0; rank < m->process_count && good; rank++)
        good = !m->processes[rank].threads || end_process(m, &m->processes[rank]);
    good = match_flush_channels(m) && good;
    good = match_flush_collectives(m) && good;
    good = match_flush_accesses(m) && good;
    good = match_flush_locks(m) && good;
    for (uint32_t rank = 0; rank < m->process_count; rank++)
        for (uint32_t i = 0; m->processes[rank].threads && i < m->processes[rank].thread_count; i++)
            for (struct match_call *call = m->processes[rank].threads[i].first, *next; call; call = next) {
                next = call->next;
                m->processes[rank].threads[i].first = next;
                if (good && !call->given && m->events->call)
                    good = m->events->call(m->events->context, call);
                call->given = true;
                match_call_drop(m, call);
            }
    return good;
}

/* Returns how far all processes were read. */
static uint64_t horizon(const struct match *m)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t rank = 0; rank < m->process_count; rank++) {
        const struct match_process *p = &m->processes[rank];
        const uint32_t thread = p->done ? UINT32_MAX : first_thread(p);
        if (thread == UINT32_MAX || !p->threads[thread].call.timed)
            continue;
        const uint64_t at = match_on_axis(m, p, p->threads[thread].call.start_ns);
        least = at < least ? at : least;
    }
    return least;
}

static bool read_all(struct match *m, enum pilgrim_status *status, struct pilgrim_error *error)
{
    uint64_t limit = OUTSTANDING_ALL / (m->process_count + 1);
    limit = limit < OUTSTANDING_LEAST ? OUTSTANDING_LEAST : limit > OUTSTANDING_MOST ? OUTSTANDING_MOST : limit;
    for (bool left = true; left;) {
        bool read = false;
        left = false;
        for (uint32_t rank = 0; rank < m->process_count; rank++) {
            struct match_process *p = &m->processes[rank];
            if (!read_process(m, p, limit, &read, status, error))
                return false;
            left |= !p->done;
        }
        if (m->locks.count && !match_locks_deal(m, horizon(m)))
            return false;
        if (left && !read)
            limit *= 2;
    }
    return true;
}

enum pilgrim_status match_trace(struct match *m, const struct match_events *events, bool common,
                                struct match_totals *totals, struct pilgrim_error *error)
{
    static const struct match_events silent = {0};
    enum pilgrim_status status = PILGRIM_OK;
    *totals = (struct match_totals){0};
    m->events = events;
    m->freed = events->freed;
    m->freed_context = events->context;
    m->common = common;
    m->totals = totals;
    bool good = true;
    for (uint32_t rank = 0; rank < m->process_count && good; rank++)
        good = begin_process(m, rank, &status, error);
    good = good && read_all(m, &status, error) && flush(m);
    if (good)
        return status;
    m->events = &silent; /* what is left is only freed */
    (void)flush(m);
    return no_memory(error);
}

struct match *match_new(const struct pilgrim_trace *trace)
{
    struct match *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->trace = trace;
    m->copies.sites_only = true;
    m->all_recorded = !pilgrim_property(trace, "filter");
    time_errors_begin(&m->errors, pilgrim_property(trace, "timing"));
    m->process_count = pilgrim_rank_count(trace);
    m->sites_cached = m->process_count < PROCESSES_MANY ? SITES_CACHED : SITES_CACHED_MANY;
    m->processes = calloc(m->process_count + 1, sizeof *m->processes);
    if (m->processes)
        return m;
    free(m);
    return NULL;
}

static void free_process(struct match *m, struct match_process *p)
{
    for (uint32_t i = 0; p->threads && i < p->thread_count; i++) {
        pilgrim_cursor_close(p->threads[i].cursor);
        free(p->threads[i].sites);
        time_errors_free(&p->threads[i].errors);
    }
    for (size_t i = 0; i < p->objects.capacity; i++)
        if (p->objects.slots[i].key.part[0] != KIND_MESSAGE && p->objects.slots[i].key.part[0] != KIND_COMM)
            free(p->objects.slots[i].value);
    for (size_t i = 0; i < p->requests.capacity; i++)
        if (p->requests.slots[i].value)
            match_request_free(m, p->requests.slots[i].value);
    match_kept_free(p);
    match_map_free(&p->objects);
    match_map_free(&p->requests);
    match_map_free(&p->windows);
    free(p->threads);
    free(p->created);
}

void match_free(struct match *m)
{
    if (!m)
        return;
    for (uint32_t rank = 0; rank < m->process_count; rank++)
        free_process(m, &m->processes[rank]);
    for (size_t i = 0; i < m->pairs.capacity; i++)
        free(m->pairs.slots[i].value);
    match_map_free(&m->pairs);
    for (size_t i = 0; i < m->access_counts.capacity; i++)
        free(m->access_counts.slots[i].value);
    match_map_free(&m->access_counts);
    match_map_free(&m->channels);
    match_map_free(&m->collectives);
    match_topologies_free(&m->topologies);
    match_roles_free(&m->roles);
    world_ranks_free(&m->world_ranks);
    class_copies_free(&m->copies);
    free(m->processes);
    free(m->sites);
    free_spare(m);
    free(m);
}
