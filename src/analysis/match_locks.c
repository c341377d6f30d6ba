/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings together the locks of one process's part of a window (MPI_Win_lock); see match_data.h.
 *
 * Which process has a lock first is not recorded. Of two that cannot have it at once, the one whose MPI_Win_unlock ends
 * first has had it first: that call does not end before the lock is given back, and the other one's not before it was
 * had. Where times are rounded so much that this is not certain, it is the one whose MPI_Win_lock ended first. So a
 * lock is dealt with when all processes were read up to the end of its MPI_Win_unlock. Until then it counts as
 * outstanding, so that no process is read far ahead of the others. */
#include <stdlib.h>

#include "analysis/call_values.h"
#include "analysis/match_data.h"

/* A lock that a process has on a target, or had. */
struct match_lock {
    struct match_lock *next;
    bool exclusive, over; /* over: it was dealt with */
    struct match_call *lock, *unlock;
};

struct match_locks {
    struct match_lock *first;
};

/* Returns the locks on a target. NULL: no memory */
static struct match_locks *locks_of(struct match *m, const struct match_container *window, int64_t target)
{
    const struct match_key key = {{window->comm.identity, window->sub, (uint64_t)target}};
    struct match_locks *found = match_map_find(&m->locks, key);
    if (found)
        return found;
    found = calloc(1, sizeof *found);
    if (found && match_map_put(&m->locks, key, found))
        return found;
    free(found);
    return NULL;
}

bool match_lock_begin(struct match *m, const struct match_container *window, int64_t target)
{
    if (!m->events->lock || target < 0 || !m->call->timed)
        return true;
    struct match_locks *locks = locks_of(m, window, target);
    struct match_lock *lock = locks ? calloc(1, sizeof *lock) : NULL;
    if (!lock || !match_record_open(m, &lock->lock)) {
        free(lock);
        return false;
    }
    lock->exclusive = value_is_name(role_in(m->role, m->call, P_LOCK), "MPI_LOCK_EXCLUSIVE");
    lock->next = locks->first;
    locks->first = lock;
    m->process->outstanding++;
    return true;
}

bool match_lock_end(struct match *m, const struct match_container *window, int64_t target)
{
    const struct match_key key = {{window->comm.identity, window->sub, (uint64_t)target}};
    const struct match_locks *locks = match_map_find(&m->locks, key);
    for (struct match_lock *lock = locks ? locks->first : NULL; lock; lock = lock->next)
        if (!lock->unlock && lock->lock->rank == m->process->rank)
            return match_record_open(m, &lock->unlock);
    return true;
}

/* Returns when a call ended at the latest. */
static uint64_t latest_end(const struct match_call *call)
{
    return call->leave_ns + call->leave_error_ns;
}

static bool was_first(const struct match_lock *a, const struct match_lock *b)
{
    const struct match_call *one = a->unlock, *two = b->unlock;
    if (latest_end(one) < two->leave_ns || latest_end(two) < one->leave_ns ||
        (!one->leave_error_ns && !two->leave_error_ns))
        return one->leave_ns < two->leave_ns;
    return a->lock->leave_ns + latest_end(a->lock) < b->lock->leave_ns + latest_end(b->lock);
}

/* Returns who had what LOCK needs last before it; NULL: nobody. */
static const struct match_lock *holder_before(const struct match_locks *locks, const struct match_lock *lock)
{
    const struct match_lock *found = NULL;
    for (const struct match_lock *other = locks->first; other; other = other->next)
        if (other->unlock && other->lock->rank != lock->lock->rank && (other->exclusive || lock->exclusive) &&
            was_first(other, lock) && (!found || other->unlock->enter_ns > found->unlock->enter_ns))
            found = other;
    return found;
}

static bool close_call(struct match *m, struct match_call *call, bool good)
{
    return (!call || match_call_closed(m, call)) && good;
}

static bool deal_with(struct match *m, const struct match_locks *locks, struct match_lock *lock)
{
    const struct match_lock *before = lock->unlock ? holder_before(locks, lock) : NULL;
    bool good =
        !before || !m->events->lock || m->events->lock(m->events->context, lock->lock, lock->unlock, before->unlock);
    lock->over = true;
    m->processes[lock->lock->rank].outstanding--;
    good = close_call(m, lock->lock, good);
    return close_call(m, lock->unlock, good);
}

/* Takes away what no other lock can have waited for: before all that are still to be dealt with began. */
static void drop_old(struct match *m, struct match_locks *locks, uint64_t horizon_ns)
{
    uint64_t first_ns = horizon_ns;
    for (const struct match_lock *lock = locks->first; lock; lock = lock->next)
        if (!lock->over && lock->lock->enter_ns < first_ns)
            first_ns = lock->lock->enter_ns;
    for (struct match_lock **at = &locks->first; *at;) {
        struct match_lock *lock = *at;
        if (!lock->over || (lock->unlock && lock->unlock->enter_ns >= first_ns)) {
            at = &lock->next;
            continue;
        }
        *at = lock->next;
        match_call_drop(m, lock->lock);
        match_call_drop(m, lock->unlock);
        free(lock);
    }
}

bool match_locks_deal(struct match *m, uint64_t horizon_ns)
{
    bool good = true;
    for (size_t i = 0; i < m->locks.capacity; i++) {
        struct match_locks *locks = m->locks.slots[i].value;
        for (struct match_lock *lock = locks ? locks->first : NULL; lock; lock = lock->next)
            if (!lock->over && lock->unlock && latest_end(lock->unlock) <= horizon_ns)
                good = deal_with(m, locks, lock) && good;
        if (locks)
            drop_old(m, locks, horizon_ns);
    }
    return good;
}

bool match_flush_locks(struct match *m)
{
    bool good = match_locks_deal(m, UINT64_MAX);
    for (size_t i = 0; i < m->locks.capacity; i++) {
        struct match_locks *locks = m->locks.slots[i].value;
        for (struct match_lock *lock = locks ? locks->first : NULL; lock; lock = lock->next)
            if (!lock->over)
                good = deal_with(m, locks, lock) && good; /* it was never given back */
        if (locks)
            drop_old(m, locks, UINT64_MAX);
        free(locks);
    }
    match_map_free(&m->locks);
    return good;
}
