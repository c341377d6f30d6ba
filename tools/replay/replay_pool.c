/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a process; see replay_pool.h. */
#define _GNU_SOURCE
#include "replay_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "replay_thread.h"
#include "replay_uses.h"

enum { WAIT_NS = 50000000, STACK_MARGIN = 8 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Under the lock, where there are several threads: */
static uint32_t begun;    /* so many threads have come to their first calls */
static uint32_t live;     /* threads that were begun and have not ended; the starting one counts */
static uint32_t waiting;  /* of these, those that wait for others of this process */
static uint64_t changes;  /* how often something changed */
static bool initialized;  /* MPI is, by the trace */
static uint64_t began_ns; /* then: the time here, and in the trace */
static uint64_t traced_began_ns;

void pool_lock(struct replay_process *r)
{
    if (r->thread_count > 1)
        pthread_mutex_lock(&lock);
}

void pool_unlock(struct replay_process *r)
{
    if (r->thread_count > 1)
        pthread_mutex_unlock(&lock);
}

void pool_changed(struct replay_process *r)
{
    if (r->thread_count <= 1)
        return;
    changes++;
    pthread_cond_broadcast(&changed);
}

/* Waits until something has changed, or a moment. Under the lock. */
static void wait_a_moment(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&changed, &lock, &until);
}

uint64_t pool_still_since(const struct replay_process *r)
{
    uint64_t latest = atomic_load(&r->changed_ns);
    for (size_t i = 0; i < POOL_THREADS_MAX; i++) {
        uint64_t since = r->threads[i] ? atomic_load(&r->threads[i]->since_ns) : 1;
        if (!since)
            return 0;
        latest = since > latest ? since : latest;
    }
    return latest;
}

/* True if some thread has ended a call in the last LIMIT_NS, or is in none. Under the lock. */
static bool goes_on(const struct replay_process *r, uint64_t limit_ns)
{
    const uint64_t since = pool_still_since(r);
    return !since || replay_now() - since < limit_ns;
}

bool pool_wait(struct replay_process *r, uint64_t limit_ns)
{
    const uint64_t before = changes;
    bool hope = true;
    if (r->thread_count <= 1)
        return false;
    waiting++;
    while (changes == before && hope) {
        hope = waiting < live && (!limit_ns || goes_on(r, limit_ns));
        if (hope)
            wait_a_moment();
    }
    waiting--;
    if (!hope)
        pthread_cond_broadcast(&changed);
    return changes != before;
}

/* Waits until COUNT threads are left, the calling one among them. Under the lock. */
static void wait_for_end(uint32_t count)
{
    waiting++;
    while (live > count)
        wait_a_moment();
    waiting--;
}

void pool_thread_began(struct replay_thread *t)
{
    pool_lock(t->replay);
    begun++;
    pool_changed(t->replay);
    pool_unlock(t->replay);
}

void pool_initialized(struct replay_thread *t, uint64_t traced_ns)
{
    pool_lock(t->replay);
    if (!initialized) {
        initialized = true;
        began_ns = replay_now();
        traced_began_ns = traced_ns;
    }
    pool_changed(t->replay);
    pool_unlock(t->replay);
}

static struct replay_thread *thread_new(struct replay_process *r, uint32_t number)
{
    struct replay_thread *t = calloc(1, sizeof *t);
    if (!t)
        replay_fail("rank %d: no memory", r->rank);
    t->replay = r;
    t->number = number;
    t->segment = UINT32_MAX;
    t->gaps.ended_ns = began_ns;
    t->gaps.traced_end_ns = traced_began_ns;
    pool_lock(r);
    for (t->place = 0; t->place < POOL_THREADS_MAX && r->threads[t->place];)
        t->place++;
    r->threads[t->place] = t;
    atomic_store(&r->changed_ns, replay_now());
    pool_unlock(r);
    return t;
}

static void thread_end(struct replay_thread *t)
{
    struct replay_process *r = t->replay;
    const struct replay_counts *c = &t->counts;
    struct replay_counts *sum = &r->counts;
    pool_lock(r);
    r->threads[t->place] = NULL;
    atomic_store(&r->changed_ns, replay_now());
    sum->calls += c->calls;
    sum->failed += c->failed;
    sum->not_replayed += c->not_replayed;
    sum->impossible += c->impossible;
    sum->free_wildcards += c->free_wildcards;
    sum->new_errors += c->new_errors;
    sum->parted += c->parted;
    if (c->first_problem && !sum->first_problem) {
        sum->first_problem = c->first_problem;
        __builtin_memcpy(sum->first_name, c->first_name, sizeof sum->first_name);
    }
    live--;
    pool_changed(r);
    pool_unlock(r);
    free(t);
}

/* Runs the thread's calls on a stack with room for what the program had on its own. */
static __attribute__((noinline)) void run_on_stack(struct replay_thread *t)
{
    char room[STACK_AREAS * (size_t)STACK_AREA_BYTES];
    t->stack = room;
    __asm__ volatile("" : : "r"(room) : "memory"); /* so that the array is there */
    replay_thread_run(t);
}

static void *run_thread(void *argument)
{
    struct replay_thread *t = argument;
    run_on_stack(t);
    thread_end(t);
    return NULL;
}

bool pool_start(pthread_t *id, void *(*function)(void *), void *argument, bool detached)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int error = pthread_attr_setstacksize(&attributes, STACK_AREAS * (size_t)STACK_AREA_BYTES + STACK_MARGIN);
    if (!error && detached)
        error = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (!error)
        error = pthread_create(id, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    return !error;
}

/* Begins threads 1 and above. */
static void *begin_threads(void *argument)
{
    struct replay_process *r = argument;
    pthread_t id;
    for (uint32_t i = 1; i < r->thread_count; i++) {
        pthread_mutex_lock(&lock);
        waiting++;
        while (!initialized || begun < i || live >= POOL_THREADS_MAX)
            wait_a_moment();
        waiting--;
        live++;
        pthread_mutex_unlock(&lock);
        struct replay_thread *t = thread_new(r, i);
        r->last_begun = i;
        if (!pool_start(&id, run_thread, t, true))
            replay_fail("rank %d: no thread with a stack of 520 MiB", r->rank);
    }
    pthread_mutex_lock(&lock);
    live--;
    pool_changed(r);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void pool_finalize(struct replay_thread *t)
{
    if (t->replay->thread_count <= 1 || t->number)
        return;
    pool_initialized(t, 0);
    atomic_store(&t->in, "MPI_Finalize");
    atomic_store(&t->peer, INT64_MIN);
    atomic_store(&t->since_ns, replay_now());
    pool_lock(t->replay);
    wait_for_end(1);
    pool_unlock(t->replay);
}

void pool_run(struct replay_process *r)
{
    pthread_t starter;
    r->thread_count = pilgrim_thread_count(r->trace, (uint32_t)r->rank);
    if (!r->thread_count) {
        replay_begin(r);
        return;
    }
    live = r->thread_count > 1 ? 2 : 1;
    uses_read(r);
    struct replay_thread *first = thread_new(r, 0);
    if (r->thread_count > 1 && pthread_create(&starter, NULL, begin_threads, r))
        replay_fail("rank %d: no thread", r->rank);
    run_on_stack(first);
    pool_finalize(first);
    if (r->thread_count > 1)
        pthread_join(starter, NULL);
    thread_end(first);
}
