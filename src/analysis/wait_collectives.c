/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states of collective operations; see wait_states.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/wait_notes.h"

/* ENTRY waits until UNTIL begins, or others do up to LATER_NS later; not longer than its own call takes. */
static bool wait_for(struct wait_states *w, enum wait_pattern pattern, const struct match_entry *entry,
                     const struct match_entry *until, uint64_t later_ns)
{
    if (!until || until == entry || !entry->ended || !wait_blocks(w, entry->ended))
        return true;
    struct match_call *call = entry->ended, *other = until->begun;
    return wait_depends(w, call, other) &&
           wait_note(w, call, pattern, wait_until(call, other->enter_ns, later_ns), other);
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

/* Returns by how much the last beginning may be later than that of LAST: times are rounded down. */
static uint64_t later_than(const struct match_collective *c, bool all, const struct match_entry *last)
{
    uint64_t most = last->begun->enter_ns;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if ((all || e->sends) && e->begun->enter_ns + e->begun->enter_error_ns > most)
            most = e->begun->enter_ns + e->begun->enter_error_ns;
    return most - last->begun->enter_ns;
}

/* Returns those that send something; all: all. NULL: no memory */
static struct cause_hub *hub_of(struct wait_states *w, const struct match_collective *c, bool all)
{
    struct cause_hub *hub = cause_hub_new();
    for (const struct match_entry *e = c->entries; e && hub; e = e->next) {
        struct cause_event *event = all || e->sends ? wait_event_of(w, e->begun) : NULL;
        if ((all || e->sends) && (!event || !cause_hub_add(hub, event))) {
            cause_hub_drop(&w->causes_found, hub);
            return NULL;
        }
    }
    return hub;
}

static bool depends_on_all(struct wait_states *w, const struct match_entry *entry, struct cause_hub *hub)
{
    if (!hub || !entry->ended || !entry->ended->timed || entry->ended->given)
        return true;
    struct cause_event *event = wait_event_of(w, entry->ended);
    return event && cause_depends(event, NULL, hub);
}

static bool all_wait(struct wait_states *w, const struct match_collective *c, enum wait_pattern pattern, bool all)
{
    const struct match_entry *last = last_of(c, all);
    struct cause_hub *hub = last && last->begun ? hub_of(w, c, all) : NULL;
    const uint64_t later = last ? later_than(c, all, last) : 0;
    bool good = hub != NULL || !last;
    for (const struct match_entry *e = c->entries; e && good; e = e->next)
        if (all || e->receives)
            good = wait_for(w, pattern, e, last, later) && depends_on_all(w, e, hub);
    cause_hub_drop(&w->causes_found, hub);
    return good;
}

/* How long ENTRY stayed when all had come and the first one had left. INIT: when the first one had left. */
static bool completed(struct wait_states *w, const struct match_entry *entry, enum wait_pattern pattern,
                      const struct match_entry *first, const struct match_entry *last)
{
    const struct match_call *call = entry->ended, *since = first->ended, *came = last ? last->begun : NULL;
    uint64_t from = since->leave_ns, latest = since->leave_ns + since->leave_error_ns;
    const struct match_call *other = since;
    if (came && came->enter_ns > from) {
        other = came;
        from = came->enter_ns;
    }
    if (came && came->enter_ns + came->enter_error_ns > latest)
        latest = came->enter_ns + came->enter_error_ns;
    if (call->leave_ns <= from)
        return true;
    struct cause_event *event = wait_event_of(w, entry->ended);
    if (!event)
        return false;
    const uint64_t clocks = wait_clocks(w, call, call->local_leave_ns, other,
                                        other == since ? other->local_leave_ns : other->local_enter_ns),
                   rounded = (latest - from) / 2 + call->leave_error_ns / 2;
    /* the middle of what both may be */
    const uint64_t ns = call->leave_ns + call->leave_error_ns / 2, since_ns = from + (latest - from) / 2;
    event->completes = pattern;
    event->complete_ns = ns > since_ns ? ns - since_ns : 0;
    event->complete_error_ns = clocks > UINT64_MAX - rounded ? UINT64_MAX : clocks + rounded;
    return true;
}

static bool stays(struct wait_states *w, const struct match_entry *e, bool all)
{
    return e->ended && !e->nonblocking && e->begun == e->ended && wait_blocks(w, e->ended) &&
           (all || (e->sends && e->receives));
}

/* Notes completions of those that do both: send and receive something; all: all. */
static bool completions(struct wait_states *w, const struct match_collective *c, enum wait_pattern pattern, bool all)
{
    const struct match_entry *first = NULL, *last = NULL;
    for (const struct match_entry *e = c->entries; e; e = e->next) {
        if (!all && (!e->sends || !e->receives))
            continue;
        if (!stays(w, e, all))
            return true; /* not all are known */
        first = !first || e->ended->leave_ns < first->ended->leave_ns ? e : first;
        last = !last || e->begun->enter_ns > last->begun->enter_ns ? e : last;
    }
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (stays(w, e, all) && !completed(w, e, pattern, first, pattern == COMPLETE_INIT ? NULL : last))
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
        if (e->receives && e->root != -3 &&
            !wait_for(w, WAIT_BROADCAST, e, root, root ? root->begun->enter_error_ns : 0))
            return false;
    return true;
}

static bool to_root(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry *root = root_of(c), *first = NULL;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (e != root && e->sends && e->root != -3 && (!first || e->begun->enter_ns < first->begun->enter_ns))
            first = e;
    return !root || wait_for(w, WAIT_REDUCE, root, first, first ? first->begun->enter_error_ns : 0);
}

static int by_rank(const void *a, const void *b)
{
    const struct match_entry *x = *(const struct match_entry *const *)a, *y = *(const struct match_entry *const *)b;
    return (x->comm_rank > y->comm_rank) - (x->comm_rank < y->comm_rank);
}

/* Returns the entries by rank, C->entered of them; to be freed. NULL: no memory */
static const struct match_entry **entries_by_rank(const struct match_collective *c)
{
    const struct match_entry **entries = malloc(c->entered * sizeof *entries);
    size_t count = 0;
    for (const struct match_entry *e = c->entries; e && entries; e = e->next)
        entries[count++] = e;
    if (entries)
        qsort(entries, count, sizeof *entries, by_rank);
    return entries;
}

static bool scan(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry **entries = entries_by_rank(c), *last = NULL;
    uint64_t latest = 0; /* that the last one may have begun */
    bool good = entries != NULL;
    for (size_t i = 0; i < c->entered && good; i++) {
        good = wait_for(w, WAIT_SCAN, entries[i], last, last ? latest - last->begun->enter_ns : 0);
        const uint64_t here = entries[i]->begun->enter_ns + entries[i]->begun->enter_error_ns;
        latest = here > latest ? here : latest;
        last = !last || entries[i]->begun->enter_ns > last->begun->enter_ns ? entries[i] : last;
    }
    free(entries);
    return good;
}

/* Each waits for those that it receives from. With counts of its own for each of them it may receive nothing from the
 * last one, and leave before that comes. */
static bool neighbors(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry **entries = entries_by_rank(c);
    bool good = entries != NULL;
    for (const struct match_entry *e = c->entries; e && good; e = e->next) {
        const struct match_entry *last = NULL;
        uint64_t latest = 0;
        for (size_t i = 0; e->receives && i < e->source_count; i++) {
            const uint64_t rank = (uint64_t)e->sources[i];
            const struct match_entry *other =
                rank < c->entered && entries[rank]->comm_rank == e->sources[i] ? entries[rank] : NULL;
            if (!other || other == e || !other->sends)
                continue;
            const uint64_t at = other->begun->enter_ns + other->begun->enter_error_ns;
            latest = at > latest ? at : latest;
            last = !last || other->begun->enter_ns > last->begun->enter_ns ? other : last;
        }
        if (last && e->ended && e->ended->timed && !wait_ended_before(w, e->ended, last->begun))
            good = wait_for(w, WAIT_NEIGHBOR, e, last, latest - last->begun->enter_ns);
    }
    free(entries);
    return good;
}

/* True if nobody left before all had come. */
static bool met(const struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry *last = last_of(c, true);
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (!e->ended || !e->ended->timed || !e->ended->returned || e->nonblocking ||
            wait_ended_before(w, e->ended, last->begun))
            return false;
    return true;
}

/* The beginning of the run: who came last is known, but not what it did before. */
static bool init(struct wait_states *w, const struct match_collective *c)
{
    const struct match_entry *last = last_of(c, true);
    const uint64_t later = later_than(c, true, last);
    if (!met(w, c))
        return true;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (e != last && last->begun->enter_ns > e->begun->enter_ns &&
            !wait_note(w, e->ended, WAIT_INIT, wait_until(e->ended, last->begun->enter_ns, later), last->begun))
            return false;
    return completions(w, c, COMPLETE_INIT, true);
}

/* An operation that need not bring all together, but has done so. */
static bool if_met(struct wait_states *w, const struct match_collective *c)
{
    const char *name = match_site(w->match, c->entries->begun->site)->function->name;
    const enum wait_pattern pattern = c->entries->pattern == MATCH_PAIRS   ? WAIT_ALL
                                      : strcmp(name, "MPI_Win_fence") == 0 ? WAIT_FENCE
                                                                           : WAIT_OTHER;
    if (strncmp(name, "MPI_Init", strlen("MPI_Init")) == 0)
        return init(w, c);
    return c->entries->finalize || !met(w, c) || all_wait(w, c, pattern, true);
}

bool wait_collective(void *context, const struct match_collective *c)
{
    struct wait_states *w = context;
    if (!findings_collective(&w->findings, c))
        return false;
    if (c->entered < c->expected || c->differs || c->failed)
        return true;
    for (const struct match_entry *e = c->entries; e; e = e->next)
        if (!e->begun->timed)
            return true;
    switch (c->entries->pattern) {
    case MATCH_BARRIER:
        return all_wait(w, c, WAIT_BARRIER, true) && completions(w, c, COMPLETE_BARRIER, true);
    case MATCH_ALL:
        return all_wait(w, c, WAIT_ALL, false) && completions(w, c, COMPLETE_ALL, false);
    case MATCH_FROM:
        return from_root(w, c);
    case MATCH_TO:
        return to_root(w, c);
    case MATCH_SCAN:
        return scan(w, c);
    case MATCH_NEIGHBORS:
        return neighbors(w, c);
    case MATCH_PAIRS:
    case MATCH_OTHER:
        return if_met(w, c);
    default:
        return true;
    }
}
