/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds wait states; see wait_states.h. */
#include "analysis/wait_states.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/match_map.h"

/* What one call waited for, so far. */
struct call_waiting {
    uint64_t ns[2],
        error_ns[2]; /* for the sender of a message that it receives, for the receiver of one that it sent */
    uint32_t rank[2], site[2];
};

const char *wait_pattern_name(enum wait_pattern pattern)
{
    static const char *const names[] = {"late sender",    "late receiver", "wait at barrier", "wait at n x n",
                                        "late broadcast", "early reduce",  "wait at scan"};
    return (unsigned)pattern < WAIT_PATTERNS ? names[pattern] : "";
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

static bool add(struct wait_states *w, enum wait_pattern pattern, const struct match_call *call, uint64_t ns,
                uint64_t error_ns, uint32_t cause, uint32_t cause_site)
{
    struct wait_row *row = row_of(w, pattern, call->site, call->rank);
    if (!row)
        return false;
    if (ns <= error_ns) {
        row->sum.unresolved++;
        return true;
    }
    row->sum.count++;
    row->sum.total_ns += ns;
    row->sum.error_ns += error_ns;
    row->sum.max_ns = ns > row->sum.max_ns ? ns : row->sum.max_ns;
    return add_cause(w, pattern, call->site, cause, cause_site, ns);
}

/* ---- messages ---- */

/* Returns by how much the difference of the two calls' beginnings may be wrong. */
static uint64_t error_of(const struct wait_states *w, const struct match_call *a, const struct match_call *b)
{
    if (a->rank == b->rank)
        return 0;
    const uint64_t x = pilgrim_clock_error(match_clock(w->match, a->rank), a->local_enter_ns),
                   y = pilgrim_clock_error(match_clock(w->match, b->rank), b->local_enter_ns);
    return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

/* True if the call waits until something has happened. */
static bool blocks(const struct wait_states *w, const struct match_call *call)
{
    return call->timed && call->returned &&
           strncmp(match_site(w->match, call->site)->function->name, "MPI_Test", strlen("MPI_Test")) != 0;
}

/* CALL waited NS for OTHER to begin: WHICH is the index in struct call_waiting. */
static bool note(struct wait_states *w, struct match_call *call, int which, uint64_t ns, const struct match_call *other)
{
    struct call_waiting *waiting = call->user;
    if (!waiting && !(waiting = call->user = calloc(1, sizeof *waiting)))
        return false;
    if (ns <= waiting->ns[which])
        return true;
    waiting->ns[which] = ns;
    waiting->error_ns[which] = error_of(w, call, other);
    waiting->rank[which] = other->rank;
    waiting->site[which] = other->site;
    return true;
}

/* Counts a receive that ended before its send began. */
static void check_clocks(struct wait_states *w, const struct match_call *received, const struct match_call *sent)
{
    if (received->leave_ns >= sent->enter_ns)
        return;
    const uint64_t early = sent->enter_ns - received->leave_ns;
    if (early <= error_of(w, received, sent))
        return;
    w->backward++;
    w->backward_max_ns = early > w->backward_max_ns ? early : w->backward_max_ns;
}

static bool see_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct wait_states *w = context;
    if (!send || !receive || !send->begun->timed || !receive->begun->timed)
        return true;
    struct match_call *received = receive->ended, *sent = send->ended;
    const uint64_t began = send->begun->enter_ns, posted = receive->begun->enter_ns;
    if (received && received->timed)
        check_clocks(w, received, send->begun);
    if (received && !received->given && blocks(w, received)) {
        const uint64_t until = began < received->leave_ns ? began : received->leave_ns;
        if (until > received->enter_ns && !note(w, received, 0, until - received->enter_ns, send->begun))
            return false;
    }
    if (sent && !sent->given && !send->buffered && blocks(w, sent) && posted > sent->enter_ns &&
        posted < sent->leave_ns)
        return note(w, sent, 1, posted - sent->enter_ns, receive->begun);
    return true;
}

static bool see_call(void *context, struct match_call *call)
{
    struct wait_states *w = context;
    struct call_waiting *waiting = call->user;
    bool good = true;
    if (call->timed) {
        w->first_ns = call->enter_ns < w->first_ns ? call->enter_ns : w->first_ns;
        w->last_ns = call->leave_ns > w->last_ns ? call->leave_ns : w->last_ns;
    }
    if (!waiting)
        return true;
    const int which = waiting->ns[0] ? 0 : 1; /* a call that waits for a sender does not wait for a receiver as well */
    good = add(w, which ? WAIT_LATE_RECEIVER : WAIT_LATE_SENDER, call, waiting->ns[which], waiting->error_ns[which],
               waiting->rank[which], waiting->site[which]);
    free(waiting);
    call->user = NULL;
    return good;
}

/* ---- collective operations ---- */

/* ENTRY waits until UNTIL begins; not longer than its own call takes. */
static bool wait_for(struct wait_states *w, enum wait_pattern pattern, const struct match_entry *entry,
                     const struct match_entry *until)
{
    if (!until || until == entry || !entry->ended || !blocks(w, entry->ended))
        return true;
    const struct match_call *call = entry->ended, *other = until->begun;
    const uint64_t end = other->enter_ns < call->leave_ns ? other->enter_ns : call->leave_ns;
    return end <= call->enter_ns ||
           add(w, pattern, call, end - call->enter_ns, error_of(w, call, other), other->rank, other->site);
}

static bool is_root(const struct match_entry *entry)
{
    return entry->root == -2 || (entry->root >= 0 && entry->comm_rank == entry->root);
}

/* Returns the entry that began last, of those that send something; all: of all. */
static const struct match_entry *last_of(const struct match_collective *c, bool all)
{
    const struct match_entry *last = NULL;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if ((all || e->sends) && (!last || e->begun->enter_ns > last->begun->enter_ns))
            last = e;
    return last;
}

static bool all_wait(struct wait_states *w, const struct match_collective *c, enum wait_pattern pattern, bool all)
{
    const struct match_entry *last = last_of(c, all);
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if ((all || e->receives) && !wait_for(w, pattern, e, last))
            return false;
    return true;
}

static const struct match_entry *root_of(const struct match_collective *c)
{
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (is_root(e))
            return e;
    return NULL;
}

static bool from_root(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry *root = root_of(c);
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (e->receives && e->root != -3 && !wait_for(w, WAIT_BROADCAST, e, root))
            return false;
    return true;
}

static bool to_root(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry *root = root_of(c), *first = NULL;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (e != root && e->sends && e->root != -3 && (!first || e->begun->enter_ns < first->begun->enter_ns))
            first = e;
    return !root || wait_for(w, WAIT_REDUCE, root, first);
}

static int by_rank(const void *a, const void *b)
{
    const struct match_entry *x = *(const struct match_entry *const *)a, *y = *(const struct match_entry *const *)b;
    return (x->comm_rank > y->comm_rank) - (x->comm_rank < y->comm_rank);
}

static bool scan(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry **entries = malloc(c->entered * sizeof *entries), *last = NULL;
    size_t count = 0;
    bool good = entries != NULL;
    for (const struct match_entry *e = c->entries; e && good; e = e->next)
        entries[count++] = e;
    if (good)
        qsort(entries, count, sizeof *entries, by_rank);
    for (size_t i = 0; i < count && good; i++) {
        good = wait_for(w, WAIT_SCAN, entries[i], last);
        last = !last || entries[i]->begun->enter_ns > last->begun->enter_ns ? entries[i] : last;
    }
    free(entries);
    return good;
}

static bool see_collective(void *context, const struct match_collective *c)
{
    struct wait_states *w = context;
    if (c->entered < c->expected || c->differs)
        return true;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (!e->begun->timed)
            return true;
    switch (c->entries->pattern) {
    case MATCH_BARRIER:
        return all_wait(w, c, WAIT_BARRIER, true);
    case MATCH_ALL:
        return all_wait(w, c, WAIT_ALL, false);
    case MATCH_FROM:
        return from_root(w, c);
    case MATCH_TO:
        return to_root(w, c);
    case MATCH_SCAN:
        return scan(w, c);
    default:
        return true;
    }
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

enum pilgrim_status wait_states_find(struct wait_states *w, const struct pilgrim_trace *trace,
                                     struct pilgrim_error *error)
{
    struct match_map rows = {0}, causes = {0};
    const struct match_events events = {
        .context = w, .message = see_message, .collective = see_collective, .call = see_call};
    *w = (struct wait_states){
        .match = match_new(trace), .process_count = pilgrim_rank_count(trace), .first_ns = UINT64_MAX};
    if (!w->match)
        return no_memory(error);
    w->row_numbers = &rows;
    w->cause_numbers = &causes;
    enum pilgrim_status status = match_trace(w->match, &events, true, &w->totals, error);
    match_map_free(&rows);
    match_map_free(&causes);
    w->row_numbers = w->cause_numbers = NULL;
    if (w->row_count)
        qsort(w->rows, w->row_count, sizeof *w->rows, compare_rows);
    if (w->cause_count)
        qsort(w->causes, w->cause_count, sizeof *w->causes, compare_causes);
    return status;
}

void wait_states_free(struct wait_states *w)
{
    match_free(w->match);
    free(w->rows);
    free(w->causes);
    *w = (struct wait_states){0};
}
