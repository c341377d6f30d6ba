/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks can go on, and which cannot; see waits.h.
 *
 * A process can go on if a thread of it is not waiting, has not waited for long, or waits for what is not known. It
 * can also go on if a process that it waits for can, or if what it waits for fits to what another one waits for. What
 * remains, when this is applied until nothing changes, is deadlocked. A call that waits for several processes counts as
 * one that each of them can end. So this errs on one side only: it may fail to see a deadlock. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "call_inputs.h"
#include "record/class_signature.h"
#include "record/stream_inline.h"
#include "recover/replay.h"

enum {
    ELEMENTS_A_SECOND = 1000000, /* a large message may take so long */
    REPLAY_STEPS = 20000000,     /* of all threads; more calls are not told one by one */
    PENDING_KNOWN_MAX = 64,
    PASSES_MAX = 64,
    DEADLOCKS_MAX = 16
};

enum fate { GOES_ON, STUCK, ENDED };

struct waiting {
    struct look *look;
    double patience;
    enum fate *fates; /* by process */
    bool *seen;       /* by unit: it is in a deadlock that was found, or was walked through */
    size_t *walk;     /* units of a chain of waits */
    uint64_t steps;   /* that a replay may still take */
    bool no_memory;
};

/* ---- what a unit waits for ---- */

static bool same_pending(const struct pending *a, const struct pending *b)
{
    return a->peer == b->peer && a->sends == b->sends && a->any_tag == b->any_tag && a->tag == b->tag &&
           a->comm == b->comm && a->count == b->count;
}

static bool add_pending(struct unit *u, const struct pending *more, int count)
{
    for (int i = 0; i < count; i++) {
        size_t k = 0;
        while (k < u->pending_count && !same_pending(&u->pending[k], &more[i]))
            k++;
        if (k < u->pending_count)
            continue;
        if (k == PENDING_KNOWN_MAX)
            return false;
        if (!u->pending)
            u->pending = calloc(PENDING_KNOWN_MAX, sizeof *u->pending);
        if (!u->pending)
            return false;
        u->pending[u->pending_count++] = more[i];
    }
    return true;
}

/* Adds what the requests of CLASS of stream S may wait for: what any call of the class began. */
static bool add_begun(const struct look *look, struct unit *u, const struct stream *s, uint64_t class)
{
    struct pending pending[PENDING_MAX];
    if (class >= s->class_count)
        return false;
    const struct stream_class *begun = s->classes[class];
    const struct function_descriptor *f = &s->vocabulary->functions[begun->head.key.function];
    unsigned role = call_role(f);
    if (!(role & (ROLE_SENDS | ROLE_RECEIVES)) || role & ROLE_BLOCKS)
        return false;
    for (uint32_t i = 0; i < begun->signatures.count; i++) {
        const struct class_signature *signature = begun->signatures.by_terminal[i];
        const struct bytes key = {.data = (uint8_t *)(uintptr_t)signature->key, .length = signature->length};
        int count = signature->varying ? -1 : call_pending(look, u->process, f, &key, pending);
        if (count < 0 || !add_pending(u, pending, count))
            return false;
    }
    return true;
}

/* Finds what the requests that U waits for are. The thread's calls are told once more (recover/replay.h). */
static bool find_begun(struct waiting *w, struct unit *u)
{
    struct stream *s;
    uint64_t calls, thread = u->thread->number;
    if (u->pending_count)
        return true; /* an earlier look has found it */
    bool known = u->request_kinds && !u->other_requests && !u->hidden_requests && w->steps;
    for (unsigned i = 0; known && i < u->request_kinds; i++)
        known = (uint64_t)u->requests[i].class >> VALUE_THREAD_SHIFT == thread;
    if (!known)
        return false;
    enum pilgrim_status status =
        replay_thread(u->thread, &u->process->journal->vocabulary, &u->process->facts.modules, &w->steps, &s, &calls);
    known = s && status == PILGRIM_OK && calls >= u->thread->calls;
    for (unsigned i = 0; known && i < u->request_kinds; i++)
        known = add_begun(w->look, u, s, (uint64_t)u->requests[i].class & ((1u << VALUE_THREAD_SHIFT) - 1));
    stream_free(s);
    if (!known)
        u->pending_count = 0;
    return known;
}

/* Finds the communicator of the window or file of U's call, as find_begun does. */
static void find_container(struct waiting *w, struct unit *u)
{
    struct stream *s;
    uint64_t calls;
    if (u->made_on != COMM_UNKNOWN || !w->steps)
        return;
    enum pilgrim_status status =
        replay_thread(u->thread, &u->process->journal->vocabulary, &u->process->facts.modules, &w->steps, &s, &calls);
    if (s && status == PILGRIM_OK && calls >= u->thread->calls)
        u->made_on = call_container_comm(u->process, u->function, &u->thread->in_flight.key, s);
    stream_free(s);
}

/* True if U waits, and it is known for what. */
static bool find_waits(struct waiting *w, struct unit *u)
{
    struct pending pending[PENDING_MAX];
    unsigned role = call_role(u->function);
    const struct bytes *key = &u->thread->in_flight.key;
    if (role & ROLE_COLLECTIVE) {
        call_collective(u->process, u->function, key, &u->comm, &u->root);
        if (role & ROLE_CONTAINER) {
            find_container(w, u);
            u->comm = u->made_on;
        }
        u->collective = u->comm != COMM_UNKNOWN;
        return u->collective;
    }
    if (role & ROLE_WAITS)
        return find_begun(w, u) && u->pending_count;
    if (!(role & ROLE_BLOCKS))
        return false;
    u->pending_count = 0;
    int count = call_pending(w->look, u->process, u->function, key, pending);
    return count > 0 && add_pending(u, pending, count);
}

static double longest_transfer(const struct unit *u)
{
    uint64_t most = 0;
    for (size_t i = 0; i < u->pending_count; i++)
        most = u->pending[i].count > most ? u->pending[i].count : most;
    return (double)most / ELEMENTS_A_SECOND;
}

static enum fate fate_of(struct waiting *w, struct unit *u)
{
    if (unit_ended(u))
        return u->process->gone || !u->process->seen ? ENDED : GOES_ON;
    if (u->state == UNIT_FINALIZE)
        return ENDED; /* it sends nothing more */
    u->stuck = u->state == UNIT_IN_CALL && !u->process->stopped && u->function && u->thread->in_flight.has_key &&
               u->seconds >= w->patience && find_waits(w, u) && u->seconds >= w->patience + longest_transfer(u);
    return u->stuck ? STUCK : GOES_ON;
}

static size_t process_of(const struct look *look, const struct unit *u)
{
    return (size_t)(u->process - look->processes);
}

/* ---- who can go on ---- */

/* True if process RANK can go on, or nothing is known of it. */
static bool goes_on(const struct waiting *w, uint32_t rank)
{
    size_t count;
    const struct unit *units = look_units_of(w->look, rank, &count);
    for (size_t i = 0; i < count; i++)
        if (w->fates[process_of(w->look, &units[i])] == GOES_ON)
            return true;
    return !count;
}

/* The members of a communicator, one after another. */
struct members {
    const struct comm_member *list; /* NULL: all ranks */
    size_t count;
};

static struct members members_of(const struct look *look, uint64_t comm)
{
    struct members m = {NULL, look->ranks};
    if (comm != COMM_WORLD_IDENTITY)
        m.list = look_members(look, comm, &m.count);
    return m;
}

static uint32_t member(const struct members *m, size_t i)
{
    return m->list ? m->list[i].rank : (uint32_t)i;
}

static int64_t comm_size(const struct unit *u)
{
    if (u->comm == COMM_WORLD_IDENTITY)
        return u->process->read->ranks;
    for (size_t i = 0; i < u->process->comms.count; i++)
        if (u->process->comms.items[i].identity == u->comm)
            return u->process->comms.items[i].size;
    return -1;
}

/* True if all of U's communicator is known. */
static bool all_known(const struct look *look, const struct unit *u, const struct members *m)
{
    return m->list ? (int64_t)m->count == comm_size(u) : look->process_count >= look->ranks;
}

static bool same_function(const struct unit *u, const struct unit *v)
{
    size_t a = function_name_length(u->function->name), b = function_name_length(v->function->name);
    return a == b && !strncmp(u->function->name, v->function->name, a);
}

static bool same_collective(const struct unit *u, const struct unit *v)
{
    return same_function(u, v) && u->root == v->root;
}

/* Returns the unit of RANK that is in a collective call on U's communicator; NULL: none is. */
static struct unit *in_collective(const struct look *look, uint32_t rank, const struct unit *u)
{
    size_t count;
    struct unit *units = look_units_of(look, rank, &count);
    for (size_t i = 0; i < count; i++)
        if (units[i].stuck && units[i].collective && units[i].comm == u->comm)
            return &units[i];
    return NULL;
}

/* True if the collective call U may end: someone may still come, or all are in it. */
static bool collective_ends(const struct waiting *w, const struct unit *u)
{
    const struct members m = members_of(w->look, u->comm);
    const bool near = call_role(u->function) & ROLE_NEIGHBORS; /* any other one may be a neighbor */
    bool all = true;
    if (!all_known(w->look, u, &m))
        return true;
    for (size_t i = 0; i < m.count; i++) {
        const struct unit *other = in_collective(w->look, member(&m, i), u);
        if (goes_on(w, member(&m, i)) || (near && other && other != u))
            return true;
        all = all && other && same_collective(u, other);
    }
    return all;
}

static bool fits(const struct unit *u, const struct pending *a, const struct unit *v, const struct pending *b)
{
    int64_t from = u->process->read->rank, to = v->process->read->rank;
    return a->sends != b->sends && a->comm == b->comm && (a->peer == PENDING_ANYONE || a->peer == to) &&
           (b->peer == PENDING_ANYONE || b->peer == from) && (a->any_tag || b->any_tag || a->tag == b->tag);
}

/* True if the message A of U may still come, or go, because of process RANK. */
static bool peer_ends(const struct waiting *w, const struct unit *u, const struct pending *a, uint32_t rank)
{
    size_t count;
    if (goes_on(w, rank))
        return true;
    const struct unit *units = look_units_of(w->look, rank, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; units[i].stuck && &units[i] != u && k < units[i].pending_count; k++)
            if (fits(u, a, &units[i], &units[i].pending[k]))
                return true;
    return false;
}

static bool message_ends(const struct waiting *w, const struct unit *u, const struct pending *a)
{
    if (a->peer != PENDING_ANYONE)
        return peer_ends(w, u, a, (uint32_t)a->peer);
    const struct members m = members_of(w->look, a->comm);
    if (!m.list && w->look->process_count < w->look->ranks)
        return true;
    for (size_t i = 0; i < m.count; i++)
        if (member(&m, i) != u->process->read->rank && peer_ends(w, u, a, member(&m, i)))
            return true;
    return !m.count;
}

/* What was found of the collective calls of a communicator in this pass. It is the same for all that are in one: all of
 * them are in the same one, or not. */
struct collective_answer {
    const struct unit *unit;
    bool ends;
};

static bool may_end(const struct waiting *w, const struct unit *u, struct collective_answer *last)
{
    if (u->collective) {
        if (!last->unit || last->unit->comm != u->comm)
            *last = (struct collective_answer){u, collective_ends(w, u)};
        return last->ends;
    }
    for (size_t i = 0; i < u->pending_count; i++)
        if (message_ends(w, u, &u->pending[i]))
            return true;
    return false;
}

/* Returns how many processes turned out to go on. */
static size_t pass(struct waiting *w, bool backwards)
{
    size_t changes = 0;
    struct collective_answer last = {NULL, false};
    for (size_t i = 0; i < w->look->unit_count; i++) {
        const struct unit *u = &w->look->units[backwards ? w->look->unit_count - 1 - i : i];
        enum fate *fate = &w->fates[process_of(w->look, u)];
        if (*fate != STUCK || !u->stuck || !may_end(w, u, &last))
            continue;
        *fate = GOES_ON;
        changes++;
    }
    return changes;
}

/* Sets the fates. False: nothing is certain. */
static bool find_fates(struct waiting *w)
{
    struct look *look = w->look;
    for (size_t i = 0; i < look->process_count; i++)
        w->fates[i] = ENDED;
    for (size_t i = 0; i < look->unit_count; i++) {
        enum fate *fate = &w->fates[process_of(look, &look->units[i])], mine = fate_of(w, &look->units[i]);
        *fate = mine < *fate ? mine : *fate;
    }
    for (int i = 0; i < PASSES_MAX; i++)
        if (!pass(w, i % 2))
            return true;
    return false;
}

/* ---- deadlocks ---- */

static bool is_stuck(const struct waiting *w, const struct unit *u)
{
    return u->stuck && w->fates[process_of(w->look, u)] == STUCK;
}

static struct deadlock *deadlock_new(struct deadlocks *found, enum deadlock_kind kind, size_t room)
{
    if (found->count == DEADLOCKS_MAX) {
        found->more = true;
        return NULL;
    }
    struct deadlock *f = &found->items[found->count];
    *f = (struct deadlock){.kind = kind, .units = malloc((room + 1) * sizeof(struct unit *))};
    found->count += f->units != NULL;
    return f->units ? f : NULL;
}

/* Adds what is wrong in the communicator of U, which is in a collective call. */
static void find_collective(struct waiting *w, struct deadlocks *found, struct unit *u)
{
    const struct members m = members_of(w->look, u->comm);
    struct deadlock *f = deadlock_new(found, DEADLOCK_MISSING, w->look->unit_count);
    bool functions = false, roots = false;
    if (!f)
        return;
    f->collective = u;
    for (size_t i = 0; i < m.count; i++) {
        size_t count;
        struct unit *units = look_units_of(w->look, member(&m, i), &count),
                    *in = in_collective(w->look, member(&m, i), u);
        for (size_t k = 0; k < count && f->count < w->look->unit_count; k++)
            if (!in || in == &units[k])
                f->units[f->count++] = &units[k];
        if (!in)
            continue;
        w->seen[in - w->look->units] = true;
        functions |= !same_function(in, u);
        roots |= in->root != u->root;
    }
    f->kind = functions ? DEADLOCK_FUNCTIONS : roots ? DEADLOCK_ROOTS : DEADLOCK_MISSING;
}

/* Returns a unit that U waits for, and that is stuck or has ended. */
static struct unit *waits_for(const struct waiting *w, const struct unit *u)
{
    for (size_t i = 0; i < u->pending_count; i++) {
        const struct pending *a = &u->pending[i];
        const struct members m = members_of(w->look, a->comm);
        bool anyone = a->peer == PENDING_ANYONE;
        for (size_t k = 0; k < (anyone ? m.count : 1); k++) {
            size_t count;
            uint32_t rank = anyone ? member(&m, k) : (uint32_t)a->peer;
            struct unit *units = look_units_of(w->look, rank, &count);
            if (count && !(anyone && rank == u->process->read->rank))
                return units;
        }
    }
    return NULL;
}

static void add_chain(struct waiting *w, struct deadlocks *found, enum deadlock_kind kind, size_t first, size_t end)
{
    struct deadlock *f = deadlock_new(found, kind, end - first);
    for (size_t i = first; f && i < end; i++)
        f->units[f->count++] = &w->look->units[w->walk[i]];
}

/* Follows the waits from unit START, as long as they are of messages. */
static void find_chain(struct waiting *w, struct deadlocks *found, size_t start)
{
    size_t length = 0;
    for (struct unit *u = &w->look->units[start]; u; u = waits_for(w, u)) {
        size_t at = (size_t)(u - w->look->units), before = 0;
        if (!u->stuck && length) {
            w->walk[length] = at;
            add_chain(w, found, DEADLOCK_ENDED, length - 1, length + 1);
            return;
        }
        while (w->seen[at] && before < length && w->walk[before] != at)
            before++;
        if (w->seen[at] && before < length)
            add_chain(w, found, DEADLOCK_CYCLE, before, length);
        if (w->seen[at] || u->collective)
            return;
        w->seen[at] = true;
        w->walk[length++] = at;
    }
}

/* Says since when nothing at all has moved. */
static double find_stalled(const struct look *look, double patience)
{
    double least = -1;
    for (size_t i = 0; i < look->unit_count; i++) {
        const struct unit *u = &look->units[i];
        if (unit_ended(u))
            continue;
        if (u->state != UNIT_IN_CALL || u->seconds < patience)
            return -1;
        least = least < 0 || u->seconds < least ? u->seconds : least;
    }
    return look->process_count >= look->ranks ? least : -1;
}

bool deadlocks_find(struct look *look, double patience, struct deadlocks *found)
{
    struct waiting w = {.look = look,
                        .patience = patience,
                        .steps = REPLAY_STEPS,
                        .fates = calloc(look->process_count + 1, sizeof *w.fates),
                        .seen = calloc(look->unit_count + 1, sizeof *w.seen),
                        .walk = calloc(look->unit_count + 2, sizeof *w.walk)};
    *found = (struct deadlocks){.items = calloc(DEADLOCKS_MAX, sizeof *found->items), .stalled = -1};
    bool good = w.fates && w.seen && w.walk && found->items;
    bool certain = good && find_fates(&w);
    for (size_t i = 0; certain && i < look->unit_count; i++)
        if (is_stuck(&w, &look->units[i]) && look->units[i].collective && !w.seen[i])
            find_collective(&w, found, &look->units[i]);
    for (size_t i = 0; certain && i < look->unit_count; i++)
        if (is_stuck(&w, &look->units[i]) && !look->units[i].collective && !w.seen[i])
            find_chain(&w, found, i);
    if (good && !found->count)
        found->stalled = find_stalled(look, patience);
    free(w.fates);
    free(w.seen);
    free(w.walk);
    return good;
}

void deadlocks_free(struct deadlocks *found)
{
    for (size_t i = 0; i < found->count; i++)
        free(found->items[i].units);
    free(found->items);
    *found = (struct deadlocks){0};
}
