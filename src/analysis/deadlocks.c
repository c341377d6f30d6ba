/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks after the run; see deadlocks.h.
 *
 * A rank is taken to be stuck if all of its threads are in calls, and one of these waits for what has not come: a
 * message that nobody has sent, a receive that nobody has posted, ranks that are missing in a collective operation.
 * Then those are let go who wait for a rank that goes on, until nothing changes. What remains is certain. */
#include "analysis/deadlocks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_values.h"
#include "analysis/in_flight.h"

enum {
    AWAITED_MOST = 64,   /* requests that a call waits for */
    MISSING_MOST = 64,   /* ranks that a collective call waits for */
    SEARCHED_MOST = 4096 /* calls of a collective operation that wait for different ranks */
};

#define ANYONE UINT32_MAX

/* A send may end by itself; one that has taken so long does not. */
#define SEND_SECONDS 1

/* The call that a rank was in. */
struct last_call {
    bool there, any, satisfied; /* any: one of what it waits for is enough; satisfied: that may have come */
    bool cut;                   /* it waits for more than `awaited` */
    bool sent_to;               /* there is a message for the rank that it has not received */
    uint32_t site, thread;
    uint64_t seq, awaited[AWAITED_MOST];
    size_t awaited_count;
    struct in_flight in_flight;
};

/* RANK waits for PEER. */
struct need {
    uint32_t rank, peer;
    bool missing;
};

struct deadlock_search {
    struct match *match;
    const struct pilgrim_trace *trace;
    uint32_t rank_count;
    struct last_call **calls; /* by rank; NULL: it was in none */
    struct need *needs;
    size_t need_count, need_capacity;
};

static struct last_call *call_of(struct deadlock_search *s, uint32_t rank)
{
    if (!s->calls[rank])
        s->calls[rank] = calloc(1, sizeof *s->calls[rank]);
    if (s->calls[rank] && !s->calls[rank]->in_flight.since_us)
        s->calls[rank]->in_flight = (struct in_flight){.since_us = -1, .seconds = -1};
    return s->calls[rank];
}

static bool add_need(struct deadlock_search *s, uint32_t rank, uint32_t peer, bool missing)
{
    if (s->need_count == s->need_capacity) {
        const size_t capacity = s->need_capacity ? 2 * s->need_capacity : 64;
        struct need *needs = realloc(s->needs, capacity * sizeof *needs);
        if (!needs)
            return false;
        s->needs = needs;
        s->need_capacity = capacity;
    }
    s->needs[s->need_count++] = (struct need){rank, peer, missing};
    return true;
}

/* ---- what match tells ---- */

static bool is_call_of(const struct pilgrim_class *class, const char *name)
{
    return class && strncmp(class->function->name, name, strlen(name)) == 0; /* or of NAME_c, NAME_init */
}

/* Returns what is kept of CALL, which never returned. NULL: no memory */
static struct last_call *begin(struct deadlock_search *s, const struct pilgrim_call *call)
{
    struct last_call *last = call_of(s, call->rank); /* MPI_Finalize is not among those in flight */
    if (last)
        last->any = is_call_of(call->class_, "MPI_Waitany") || is_call_of(call->class_, "MPI_Waitsome");
    return last;
}

static bool seen(void *context, const struct match_seen *call)
{
    struct deadlock_search *s = context;
    if (call->call->ret.type != PILGRIM_NONE || !call->call->function->returns_error_code)
        return true;
    struct last_call *last = begin(s, call->call);
    if (!last)
        return false;
    last->there = true;
    last->site = call->site;
    last->thread = call->thread;
    last->seq = call->call->seq;
    return true;
}

static bool awaited(void *context, const struct pilgrim_call *call, uint64_t number)
{
    struct last_call *last = begin(context, call);
    if (!last)
        return false;
    if (last->awaited_count < AWAITED_MOST)
        last->awaited[last->awaited_count++] = number;
    else
        last->cut = true;
    return true;
}

/* Returns the last call of the rank that made BEGUN if it cannot end before NUMBER, which BEGUN began; NULL. */
static struct last_call *keeps(struct deadlock_search *s, const struct match_call *begun, uint64_t number)
{
    struct last_call *last = begun ? s->calls[begun->rank] : NULL;
    if (begun && !begun->returned)
        return call_of(s, begun->rank);
    for (size_t i = 0; last && i < last->awaited_count; i++)
        if (last->awaited[i] == number)
            return last;
    return NULL;
}

static bool one_side(struct deadlock_search *s, const struct match_operation *op, bool met)
{
    struct last_call *last = keeps(s, op->begun, op->number);
    if (!last || op->ended)
        return true;
    const bool waits = !op->send || op->synchronous || last->in_flight.seconds >= SEND_SECONDS;
    if (!met && waits && !op->buffered && (op->reason == MATCH_NO_PARTNER || op->reason == MATCH_PENDING))
        return add_need(s, op->begun->rank, op->peer < 0 ? ANYONE : (uint32_t)op->peer, false);
    last->satisfied |= last->any;
    return true;
}

static bool message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct deadlock_search *s = context;
    const bool met = send && receive;
    if (send && !met && send->peer >= 0 && send->peer < (int64_t)s->rank_count) {
        struct last_call *last = call_of(s, (uint32_t)send->peer);
        if (!last)
            return false;
        last->sent_to = true; /* its receive from anyone may get it */
    }
    return (!send || one_side(s, send, met)) && (!receive || one_side(s, receive, met));
}

/* Returns the rank of RANK in the communicator IDENTITY, which has SIZE ranks; -1: it is not in it. */
static int64_t rank_in(const struct deadlock_search *s, uint64_t identity, uint64_t size, uint32_t rank)
{
    struct match_member member;
    for (size_t i = 0; match_member_at(s->match, rank, i, &member); i++)
        if (member.identity == identity && member.number >= 0)
            return member.rank;
    return size == s->rank_count ? (int64_t)rank : -1; /* of MPI_COMM_WORLD, which is not listed */
}

/* True if E cannot end before RANK of its communicator comes. */
static bool waits_for(const struct match_entry *e, int64_t rank)
{
    switch (e->pattern) {
    case MATCH_BARRIER:
    case MATCH_ALL:
    case MATCH_OTHER:
        return true;
    case MATCH_TO:
        return e->root == e->comm_rank || e->root == -2;
    case MATCH_FROM:
        return e->root == rank;
    case MATCH_NEIGHBORS:
        for (size_t i = 0; e->sources && i < e->source_count; i++)
            if (e->sources[i] == rank)
                return true;
        return false;
    default:
        return false;
    }
}

/* True if both wait for the same ranks, as far as these have not come. */
static bool wait_alike(const struct deadlock_search *s, const struct match_entry *a, const struct match_entry *b)
{
    return a->pattern == b->pattern && a->root == b->root && a->pattern != MATCH_TO && a->pattern != MATCH_NEIGHBORS &&
           match_same_function(match_site(s->match, a->begun->site), match_site(s->match, b->begun->site));
}

/* Sets MISSING to ranks that E, of C, waits for, and that have not come to C with the same function and root. CAME: the
 * entries by rank. Returns how many there are. */
static size_t find_missing(const struct deadlock_search *s, const struct match_collective *c,
                           const struct match_entry *e, const struct match_entry *const *came,
                           uint32_t missing[MISSING_MOST])
{
    size_t count = 0;
    if (e->pattern == MATCH_TO && e->root != e->comm_rank && e->root != -2)
        return 0;
    for (uint32_t rank = 0; rank < s->rank_count && count < MISSING_MOST; rank++) {
        const struct match_entry *o = came[rank];
        if (rank == e->begun->rank ||
            (o && o->root == e->root &&
             match_same_function(match_site(s->match, o->begun->site), match_site(s->match, e->begun->site))))
            continue;
        const int64_t in_comm = rank_in(s, c->identity, c->expected, rank);
        if (in_comm >= 0 && waits_for(e, in_comm))
            missing[count++] = rank;
    }
    return count;
}

static bool add_missing(struct deadlock_search *s, const struct match_collective *c, const struct match_entry **came)
{
    const struct match_entry *known = NULL; /* whose missing ranks these are */
    uint32_t missing[MISSING_MOST];
    size_t count = 0, searched = 0;
    for (const struct match_entry *e = c->entries; e; e = e->next) {
        struct last_call *last = keeps(s, e->begun, e->number);
        if (!last || e->ended)
            continue;
        if (!known || !wait_alike(s, known, e)) {
            if (++searched > SEARCHED_MOST)
                break;
            count = find_missing(s, c, e, came, missing);
            known = e;
        }
        for (size_t i = 0; i < count; i++)
            if (missing[i] != e->begun->rank && !add_need(s, e->begun->rank, missing[i], true))
                return false;
        last->satisfied |= !count && last->any;
    }
    return true;
}

static bool collective(void *context, const struct match_collective *c)
{
    struct deadlock_search *s = context;
    if (c->entered >= c->expected && !c->differs)
        return true;
    const struct match_entry **came = calloc(s->rank_count + 1, sizeof(struct match_entry *));
    for (const struct match_entry *e = c->entries; came && e; e = e->next)
        if (e->begun)
            came[e->begun->rank] = e;
    const bool good = came && add_missing(s, c, came);
    free(came);
    return good;
}

/* ---- who cannot go on ---- */

/* True if NEED is for one that cannot go on, by STUCK. Anyone: all others. */
static bool is_hopeless(const struct deadlock_search *s, const struct need *need, const bool *stuck)
{
    if (need->peer == ANYONE && s->calls[need->rank]->sent_to)
        return false;
    if (need->peer != ANYONE)
        return need->peer < s->rank_count && stuck[need->peer];
    for (uint32_t rank = 0; rank < s->rank_count; rank++)
        if (rank != need->rank && !stuck[rank])
            return false;
    return true;
}

static int by_rank(const void *one, const void *other)
{
    const struct need *a = one, *b = other;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->peer > b->peer) - (a->peer < b->peer);
}

/* Returns the first of COUNT needs of a rank that keeps it from going on, by STUCK; COUNT: none does. ANY: all must. */
static size_t find_hopeless(const struct deadlock_search *s, const struct need *needs, size_t count, bool any,
                            const bool *stuck)
{
    size_t first = count;
    for (size_t i = 0; i < count && (any || first == count); i++) {
        const bool hopeless = is_hopeless(s, &needs[i], stuck);
        if (any && !hopeless)
            return count;
        if (hopeless && first == count)
            first = i;
    }
    return first;
}

/* Sets STUCK to who cannot go on, and FIRST to what each of these waits for: number of a need, plus 1. ENDS: room for a
 * number for each rank. Ranks are gone through in both directions in turn, as those that wait for each other are mostly
 * neighbours. */
static void settle(struct deadlock_search *s, bool *stuck, size_t *ends, size_t *first)
{
    if (s->need_count)
        qsort(s->needs, s->need_count, sizeof *s->needs, by_rank);
    for (uint32_t rank = 0; rank < s->rank_count; rank++) {
        const struct last_call *last = s->calls[rank];
        stuck[rank] = last && last->there && !last->satisfied && !(last->any && last->cut) &&
                      pilgrim_thread_count(s->trace, rank) == 1;
        ends[rank] = rank ? ends[rank - 1] : 0;
        while (ends[rank] < s->need_count && s->needs[ends[rank]].rank == rank)
            ends[rank]++;
    }
    bool changed = true;
    for (bool backwards = false; changed; backwards = !backwards) {
        changed = false;
        for (uint32_t i = 0; i < s->rank_count; i++) {
            const uint32_t rank = backwards ? s->rank_count - 1 - i : i;
            const size_t begin = rank ? ends[rank - 1] : 0, count = ends[rank] - begin;
            if (!stuck[rank] || find_hopeless(s, s->needs + begin, count, s->calls[rank]->any, stuck) < count)
                continue;
            stuck[rank] = false;
            changed = true;
        }
    }
    for (uint32_t rank = 0; rank < s->rank_count; rank++) {
        const size_t begin = rank ? ends[rank - 1] : 0, count = ends[rank] - begin;
        if (stuck[rank])
            first[rank] = begin + find_hopeless(s, s->needs + begin, count, s->calls[rank]->any, stuck) + 1;
    }
}

static bool tell(struct deadlock_search *s, struct deadlocks_found *found)
{
    bool *stuck = calloc(s->rank_count + 1, sizeof *stuck);
    size_t *first = calloc(s->rank_count + 1, sizeof *first), *ends = calloc(s->rank_count + 1, sizeof *ends);
    found->ranks = calloc(s->rank_count + 1, sizeof *found->ranks);
    const bool good = stuck && first && ends && found->ranks;
    if (good)
        settle(s, stuck, ends, first);
    for (uint32_t rank = 0; good && rank < s->rank_count; rank++) {
        if (!stuck[rank])
            continue;
        const struct last_call *last = s->calls[rank];
        const struct need *need = &s->needs[first[rank] - 1];
        found->ranks[found->count++] = (struct stuck_rank){.rank = rank,
                                                           .thread = last->thread,
                                                           .site = last->site,
                                                           .seq = last->seq,
                                                           .waits_for = need->peer,
                                                           .missing = need->missing,
                                                           .since_us = last->in_flight.since_us};
        if (last->in_flight.since_us > found->since_us)
            found->since_us = last->in_flight.since_us;
    }
    free(stuck);
    free(first);
    free(ends);
    return good;
}

/* Notes which ranks were in a call when they ended. Sets *SOME if any was. false: no memory */
static bool find_calls(struct deadlock_search *s, bool *some)
{
    struct in_flight_list list = in_flight_begin(s->trace);
    for (uint32_t rank = 0; rank < s->rank_count; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(s->trace, rank); thread++) {
            struct in_flight call;
            if (!in_flight_find(&list, rank, thread, &call))
                continue;
            struct last_call *last = call_of(s, rank);
            if (!last)
                return false;
            last->in_flight = call;
            *some = true;
        }
    return true;
}

enum pilgrim_status deadlocks_in(const struct pilgrim_trace *trace, struct deadlocks_found *found,
                                 struct pilgrim_error *error)
{
    struct deadlock_search s = {.trace = trace, .rank_count = pilgrim_rank_count(trace)};
    const struct match_events events = {
        .context = &s, .seen = seen, .awaited = awaited, .message = message, .collective = collective};
    struct match_totals totals;
    enum pilgrim_status status = PILGRIM_OK;
    bool some = false;
    *found = (struct deadlocks_found){.since_us = -1};
    if (!pilgrim_property(trace, "in_flight"))
        return PILGRIM_OK;
    s.calls = calloc(s.rank_count + 1, sizeof *s.calls);
    s.match = found->match = match_new(trace);
    if (!s.calls || !s.match || !find_calls(&s, &some))
        status = no_memory(error);
    if (status == PILGRIM_OK && some)
        status = match_trace(s.match, &events, false, &totals, error);
    if (status == PILGRIM_OK && some && !tell(&s, found))
        status = no_memory(error);
    for (uint32_t rank = 0; s.calls && rank < s.rank_count; rank++)
        free(s.calls[rank]);
    free(s.calls);
    free(s.needs);
    return status;
}

void deadlocks_drop(struct deadlocks_found *found)
{
    free(found->ranks);
    match_free(found->match);
    *found = (struct deadlocks_found){0};
}
