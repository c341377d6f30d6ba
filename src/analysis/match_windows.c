/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on the memory of other processes, with their epochs; MPI_Win_start with MPI_Win_post; see match_data.h.
 *
 * The k-th MPI_Win_start in which a process names another one goes with the k-th MPI_Win_post in which that names it.
 * Operations are pending in the list of their access (of such an epoch) or of their window. */
#include <stdlib.h>

#include "analysis/call_values.h"
#include "analysis/match_data.h"
#include "analysis/type_sizes.h"

/* A process that has been started to access, or posted. */
struct access {
    struct match_access seen;
    struct match_key key;
    struct access *next_started, *next_posted;
    uint32_t target;
    struct match_remote *first, *last; /* operations */
};

struct lock {
    struct lock *next;
    int64_t target;
    struct match_call *call;
};

/* What a process has open on a window. */
struct window {
    struct match_call *fence, *lock_all; /* NULL: none */
    struct lock *locks;
    struct access *started, *posted;
    struct match_remote *first, *last; /* operations in other epochs */
};

const char *match_epoch_text(enum match_epoch epoch)
{
    static const char *const texts[] = {"unknown", "fence", "start", "lock", "lock all"};
    return (unsigned)epoch < sizeof texts / sizeof *texts ? texts[epoch] : "";
}

/* ---- operations ---- */

static bool give_remote(struct match *m, struct match_remote *op)
{
    m->totals->remotes++;
    const bool good = !m->events->remote || m->events->remote(m->events->context, op);
    match_call_drop(m, op->begun);
    match_call_drop(m, op->ended);
    match_call_drop(m, op->opened);
    match_call_drop(m, op->exposed);
    free(op);
    return good;
}

/* The call ends those of the window that go to TARGET; -1: all. ENDED: false: nothing will end them. */
static bool end_remotes(struct match *m, struct window *w, int64_t target, bool ended)
{
    struct match_remote *last = NULL, **at = &w->first;
    bool good = true;
    while (*at) {
        struct match_remote *op = *at;
        if (target >= 0 && op->peer != target) {
            last = op;
            at = &op->next;
            continue;
        }
        *at = op->next;
        if (ended && good)
            good = (op->ended = match_record(m)) != NULL;
        good = give_remote(m, op) && good;
    }
    w->last = last;
    return good;
}

/* ---- accesses: MPI_Win_start with MPI_Win_post ---- */

static bool let_go(struct match *m, struct match_call *call, bool good)
{
    if (!call)
        return good;
    good = match_call_closed(m, call) && good;
    match_call_drop(m, call);
    return good;
}

static bool give_access(struct match *m, struct access *a)
{
    const struct match_access *seen = &a->seen;
    bool good = !m->events->access || m->events->access(m->events->context, seen);
    for (struct match_remote *op = a->first, *next; op; op = next) {
        next = op->next;
        if ((op->exposed = seen->post))
            match_call_hold(op->exposed);
        good = give_remote(m, op) && good;
    }
    good = let_go(m, seen->start, good);
    good = let_go(m, seen->first, good);
    good = let_go(m, seen->complete, good);
    good = let_go(m, seen->post, good);
    good = let_go(m, seen->wait, good);
    free(a);
    return good;
}

/* Gives the access if both sides have ended it. */
static bool check_access(struct match *m, struct access *a)
{
    if (!a->seen.start || !a->seen.post || !a->seen.complete || !a->seen.wait)
        return true;
    match_map_take(&m->accesses, a->key);
    return give_access(m, a);
}

/* Returns the next access of ORIGIN to TARGET, as this process's side counts. NULL: no memory */
static struct access *next_access(struct match *m, const struct match_container *window, uint32_t origin,
                                  uint32_t target, bool starts)
{
    const uint64_t both = (uint64_t)origin << 32 | target;
    const struct match_key all = {{window->comm.identity, both, window->sub}};
    struct match_access_counts *counts = match_map_find(&m->access_counts, all);
    if (!counts) {
        counts = calloc(1, sizeof *counts);
        if (!counts || !match_map_put(&m->access_counts, all, counts)) {
            free(counts);
            return NULL;
        }
    }
    const uint32_t number = starts ? counts->starts++ : counts->posts++;
    const struct match_key key = {{window->comm.identity, both, window->sub << 32 | number}};
    struct access *a = match_map_find(&m->accesses, key);
    if (a) {
        m->processes[starts ? target : origin].outstanding--;
        return a;
    }
    a = calloc(1, sizeof *a);
    if (!a || !match_map_put(&m->accesses, key, a)) {
        free(a);
        return NULL;
    }
    a->key = key;
    a->target = target;
    m->process->outstanding++;
    return a;
}

static bool begin_accesses(struct match *m, struct window *w, const struct match_container *window)
{
    const bool starts = m->role->sync == SYNC_START;
    const struct match_group *group = match_group_of(m, role_in(m->role, m->call, P_GROUP));
    const uint32_t me = m->process->rank;
    for (size_t i = 0; group && i < group->count; i++) {
        const int64_t other = match_group_member(m, group, i);
        if (other < 0)
            continue;
        struct access *a = next_access(m, window, starts ? me : (uint32_t)other, starts ? (uint32_t)other : me, starts);
        if (!a || !match_record_open(m, starts ? &a->seen.start : &a->seen.post))
            return false;
        if (starts) {
            a->next_started = w->started;
            w->started = a;
        } else {
            a->next_posted = w->posted;
            w->posted = a;
        }
    }
    return true;
}

static bool end_accesses(struct match *m, struct window *w, bool started)
{
    struct access *a = started ? w->started : w->posted;
    if (started)
        w->started = NULL;
    else
        w->posted = NULL;
    for (struct access *next; a; a = next) {
        next = started ? a->next_started : a->next_posted;
        if (!match_record_open(m, started ? &a->seen.complete : &a->seen.wait))
            return false;
        for (struct match_remote *op = started ? a->first : NULL; op; op = op->next)
            if (!(op->ended = match_record(m)))
                return false;
        if (!check_access(m, a))
            return false;
    }
    return true;
}

bool match_flush_accesses(struct match *m)
{
    bool good = true;
    for (size_t i = 0; i < m->accesses.capacity; i++)
        if (m->accesses.slots[i].value)
            good = give_access(m, m->accesses.slots[i].value) && good;
    match_map_free(&m->accesses);
    return good;
}

/* ---- windows ---- */

static struct match_key window_key(const struct match_container *window)
{
    return (struct match_key){{window->comm.identity, window->sub, 0}};
}

static void free_window(struct match *m, struct window *w)
{
    for (struct lock *lock = w->locks, *next; lock; lock = next) {
        next = lock->next;
        match_call_drop(m, lock->call);
        free(lock);
    }
    match_call_drop(m, w->fence);
    match_call_drop(m, w->lock_all);
    free(w);
}

static struct window *window_of(const struct match *m, const struct match_container *container)
{
    struct match_map *map = &m->process->windows;
    struct window *w = match_map_find(map, window_key(container));
    if (w)
        return w;
    w = calloc(1, sizeof *w);
    if (w && match_map_put(map, window_key(container), w))
        return w;
    free(w);
    return NULL;
}

/* Returns the world rank that the call names; -1: none, or not known. */
static int64_t rank_of(const struct match *m, const struct match_container *container)
{
    const struct pilgrim_value *rank = role_in(m->role, m->call, P_RANK);
    const bool named = rank->type == PILGRIM_RANK || rank->type == PILGRIM_INT;
    return named ? match_world_rank(m, &container->comm, rank->integer) : -1;
}

static bool lock(struct match *m, struct window *w, const struct match_container *container)
{
    if (m->role->index[P_RANK] < 0) {
        match_call_drop(m, w->lock_all);
        return (w->lock_all = match_record(m)) != NULL;
    }
    struct lock *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    *made = (struct lock){w->locks, rank_of(m, container), match_record(m)};
    w->locks = made;
    return made->call && match_lock_begin(m, container, made->target);
}

static bool unlock(struct match *m, struct window *w, const struct match_container *container)
{
    const int64_t target = rank_of(m, container);
    if (!end_remotes(m, w, target, true))
        return false;
    if (m->role->index[P_RANK] < 0) {
        match_call_drop(m, w->lock_all);
        w->lock_all = NULL;
        return true;
    }
    for (struct lock **at = &w->locks; *at; at = &(*at)->next)
        if ((*at)->target == target) {
            struct lock *gone = *at;
            *at = gone->next;
            match_call_drop(m, gone->call);
            free(gone);
            return match_lock_end(m, container, target);
        }
    return true;
}

static bool follows(const struct match *m)
{
    return m->events->remote || m->events->access || m->events->lock;
}

bool match_window_sync(struct match *m, const struct pilgrim_value *win)
{
    const struct match_container *container = match_object(m, KIND_CONTAINER, win);
    if (!follows(m) || !container)
        return true;
    struct window *w = window_of(m, container);
    if (!w)
        return false;
    switch (m->role->sync) {
    case SYNC_FENCE:
        if (!end_remotes(m, w, -1, true))
            return false;
        match_call_drop(m, w->fence);
        return (w->fence = match_record(m)) != NULL;
    case SYNC_START:
    case SYNC_POST:
        return begin_accesses(m, w, container);
    case SYNC_COMPLETE:
        return end_accesses(m, w, true);
    case SYNC_WAIT: {
        bool done = true;
        const bool known = m->role->index[P_FLAG] < 0 || value_truth(role_out(m->role, m->call, P_FLAG), &done);
        return !known || !done || end_accesses(m, w, false);
    }
    case SYNC_LOCK:
        return lock(m, w, container);
    case SYNC_UNLOCK:
        return unlock(m, w, container);
    case SYNC_FLUSH:
        return m->call->ret.type == PILGRIM_NONE || end_remotes(m, w, rank_of(m, container), true);
    case SYNC_FREE: {
        const bool good = end_remotes(m, w, -1, true);
        match_map_take(&m->process->windows, window_key(container));
        free_window(m, w);
        return good;
    }
    default:
        return true;
    }
}

/* Returns what the operation moves, one way; the larger one of what goes and what comes back. */
static uint64_t bytes_of(struct match *m)
{
    const struct match_role *role = m->role;
    const struct pilgrim_value *there = role_in(role, m->call, P_SENDCOUNT),
                               *back = role_in(role, m->call, P_RECVCOUNT);
    if (role->index[P_SENDCOUNT] < 0)
        return match_type_size(m, role_in(role, m->call, P_TYPE));
    const uint64_t sent = match_bytes(m, there, role_in(role, m->call, P_SENDTYPE)),
                   got = role->index[P_RECVCOUNT] < 0 ? 0 : match_bytes(m, back, role_in(role, m->call, P_RECVTYPE));
    return sent > got ? sent : got;
}

static void append(struct match_remote **first, struct match_remote **last, struct match_remote *op)
{
    if (*first)
        (*last)->next = op;
    else
        *first = op;
    *last = op;
}

/* Makes an operation of the call; it is pending in the lists of A, or of W. false: no memory */
static bool add_remote(struct match *m, struct window *w, const struct match_container *container, struct access *a,
                       int64_t target)
{
    struct match_remote *op = calloc(1, sizeof *op);
    if (!op || !(op->begun = match_record(m))) {
        free(op);
        return false;
    }
    struct lock *lock = w->locks;
    while (lock && lock->target != target)
        lock = lock->next;
    op->epoch = a             ? EPOCH_START
                : lock        ? EPOCH_LOCK
                : w->lock_all ? EPOCH_LOCK_ALL
                : w->fence    ? EPOCH_FENCE
                              : EPOCH_NONE;
    op->opened = a ? a->seen.start : lock ? lock->call : w->lock_all ? w->lock_all : w->fence;
    if (op->opened)
        match_call_hold(op->opened);
    op->comm = container->comm.number;
    op->window = role_in(m->role, m->call, P_CONTAINER)->id;
    op->peer = target;
    op->bytes = bytes_of(m);
    append(a ? &a->first : &w->first, a ? &a->last : &w->last, op);
    return true;
}

bool match_window_remote(struct match *m)
{
    const struct match_container *container = match_object(m, KIND_CONTAINER, role_in(m->role, m->call, P_CONTAINER));
    const struct pilgrim_value *rank = role_in(m->role, m->call, P_RANK);
    if (!follows(m) || !container || !(rank->type == PILGRIM_RANK || rank->type == PILGRIM_INT)) /* MPI_PROC_NULL */
        return true;
    struct window *w = window_of(m, container);
    if (!w)
        return false;
    const int64_t target = rank_of(m, container);
    struct access *a = w->started;
    while (a && a->target != target)
        a = a->next_started;
    if (a && !a->seen.first && !match_record_open(m, &a->seen.first))
        return false;
    return !m->events->remote || add_remote(m, w, container, a, target);
}

bool match_flush_windows(struct match *m, struct match_process *p)
{
    bool good = true;
    m->process = p;
    for (size_t i = 0; i < p->windows.capacity; i++)
        if (p->windows.slots[i].value) {
            good = end_remotes(m, p->windows.slots[i].value, -1, false) && good;
            free_window(m, p->windows.slots[i].value);
        }
    match_map_free(&p->windows);
    return good;
}
