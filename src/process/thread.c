/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of threads: a thread-local pointer finds a thread's state, a list has all states in order of number.
 *
 * The thread-local pointer uses the initial-exec model: one load, no call into the loader, no allocation. The
 * destructor of the thread's thread-specific data tells that the thread ends. Recording takes no lock; creating and
 * ending a thread does. */
#define _GNU_SOURCE 1 /* syscall */
#include "process/thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/times_sections.h"
#include "process/capture.h"
#include "process/spill.h"
#include "process/stack.h"
#include "process/told_site.h"
#include "functions.h"
#include "journal/journal_mappings.h"
#include "objects/modules.h"
#include "timing/common_times.h"
#include "record/statistics.h"
#include "record/stream_times.h"

enum { PAUSE_NS = 200000, PAUSES = 2500 };

/* MEMBARRIER_CMD_PRIVATE_EXPEDITED, which old headers lack, and the command that registers for it. */
enum { BARRIER = 1 << 3, BARRIER_REGISTER = 1 << 4 };
#ifndef SYS_membarrier
#define SYS_membarrier (-1)
#endif

_Thread_local struct thread *thread_now __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`: */
static struct thread *first, *last;
static struct thread *spare; /* of ended threads, for new ones; linked by `next` */
static atomic_size_t count, shares;

static pthread_mutex_t end_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `end_lock`. A thread that needs both locks takes this one first. */
static struct ended_threads *ended;
static bool numbered; /* it is known which thread is number 0, so all numbers are final */
static bool keeps_all;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static bool tells_end; /* the key exists */

static size_t resolve(const void *site, struct code_frame *frames)
{
    const size_t told = told_frames(site, frames);
    return told ? told : modules_frame(site, frames);
}

static const struct call_path *find_path(const void *site, const void *frame, const struct path_walk **walk)
{
    return stacks_path(thread_now->stacks, site, frame, walk);
}

static void thread_free(struct thread *t)
{
    stream_free(t->stream);
    stacks_free(t->stacks);
    bytes_free(&t->key);
    journal_log_free(&t->log);
    journal_live_free(t->journal);
    array_delta_free(&t->request_delta);
    live_free(&t->live);
    finding_free(&t->finding);
    free(t);
}

/* ---- registry; under the lock ---- */

static void list_append(struct thread *t)
{
    t->next = NULL;
    t->previous = last;
    *(last ? &last->next : &first) = t;
    last = t;
}

static void list_remove(const struct thread *t)
{
    *(t->previous ? &t->previous->next : &first) = t->next;
    *(t->next ? &t->next->previous : &last) = t->previous;
}

static void thread_register(struct thread *t)
{
    pthread_mutex_lock(&lock);
    list_append(t);
    t->index = (uint32_t)atomic_fetch_add(&count, 1);
    atomic_fetch_add(&shares, 1);
    pthread_mutex_unlock(&lock);
}

static struct thread *take_spare(void)
{
    pthread_mutex_lock(&lock);
    struct thread *t = spare;
    if (t)
        spare = t->next;
    pthread_mutex_unlock(&lock);
    return t;
}

/* ---- end of a thread ---- */

static enum pilgrim_status put_common(void *context, const struct bytes *content, const struct bytes *ends)
{
    (void)context;
    return times_sections_put(0, 0, content, ends); /* thread 0: the content itself says which threads it is of */
}

static enum times_kind times_kind(void)
{
    return capture.settings.timing == TIMING_BINS    ? TIMES_BINS
           : capture.settings.timing == TIMING_EXACT ? TIMES_EXACT
                                                     : TIMES_NONE;
}

/* NULL: out of memory. */
static struct ended_threads *make_ended(void)
{
    struct ended_threads *e = ended_new(&vocabulary);
    enum times_kind kind = times_kind();
    if (!e || kind == TIMES_NONE || ended_share_times(e, common_times_new(kind, put_common, NULL)) == PILGRIM_OK)
        return e;
    ended_free(e);
    return NULL;
}

/* Moves the calls of T to those of ended threads and makes its stream empty. False: it could not; T must be kept. */
static bool hand_over(struct thread *t)
{
    enum pilgrim_status status = PILGRIM_OK;
    if (stream_calls(t->stream)) {
        if (!ended) {
            ended = make_ended();
            atomic_fetch_add(&shares, ended != NULL);
        }
        stream_set_journal(t->stream, NULL); /* which may stay with the ended threads */
        status = ended ? ended_add(ended, t->index, &t->stream) : PILGRIM_NOMEM;
    }
    if (status != PILGRIM_OK) {
        capture_fail("out of memory");
        return false;
    }
    journal_thread_ended(t->journal, &t->log, t->index);
    if (t->stream)
        stream_restart(t->stream);
    spill_consider_ended(ended);
    return true;
}

/* Makes T's state available to the next new thread. */
static void thread_retire(struct thread *t)
{
    if (!requests_thread_ended(t->requests))
        t->requests = NULL;
    array_delta_free(&t->request_delta);
    live_restart(&t->live);
    t->key.length = 0;
    t->key.failed = false;
    t->inside = t->pause = t->grown = t->error_in_status = false;
    t->class = NULL;
    t->created = NULL;
    t->segment = 0;
    t->wait = (struct segment_wait){0};
    t->passes = 0;
    pthread_mutex_lock(&lock);
    list_remove(t);
    atomic_fetch_sub(&shares, 1);
    t->next = spare;
    spare = t;
    pthread_mutex_unlock(&lock);
}

/* Destructor of the thread-specific data. Other destructors may still call MPI, so it asks to run again, until the last
 * pass but one. It does not use the last pass: there the thread sanitizer ends its state of the thread, and no lock may
 * be taken after that. */
static void thread_ends(void *data)
{
    struct thread *t = data;
    if (++t->passes < PTHREAD_DESTRUCTOR_ITERATIONS - 1 && pthread_setspecific(at_thread_end, t) == 0)
        return;
    if (atomic_load(&capture.off) & ~(unsigned)(OFF_PAUSED | OFF_HINTS))
        return;
    bool inside = t->inside;
    thread_enter(t);
    pthread_mutex_lock(&end_lock);
    if (numbered && !keeps_all && hand_over(t)) {
        thread_now = NULL;
        thread_retire(t);
    } else if (!inside) {
        thread_leave(t);
    }
    pthread_mutex_unlock(&end_lock);
}

static void make_key(void)
{
    tells_end = pthread_key_create(&at_thread_end, thread_ends) == 0;
}

void thread_keep_all(void)
{
    pthread_mutex_lock(&end_lock);
    keeps_all = true;
    pthread_mutex_unlock(&end_lock);
}

/* Makes each running thread pass a memory barrier. A thread that has not seen OFF_FINISHED by then has entered its call
 * where this thread can see it. Without the system call, stores need some time to arrive. */
static void pass_barriers(void)
{
    if (syscall(SYS_membarrier, BARRIER_REGISTER, 0) || syscall(SYS_membarrier, BARRIER, 0))
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* True if another thread is inside a call. GIVE_UP: marks such calls, so that they are looked at when they end, and are
 * not recorded. */
static bool others_inside(bool give_up)
{
    bool some = false;
    pthread_mutex_lock(&lock);
    for (struct thread *t = first; t; t = t->next)
        if (t != thread_now && __atomic_load_n(&t->inside, __ATOMIC_ACQUIRE)) {
            some = true;
            if (give_up)
                __atomic_store_n(&t->grown, true, __ATOMIC_RELAXED);
        }
    pthread_mutex_unlock(&lock);
    return some;
}

void threads_settle(void)
{
    int error = errno;
    pass_barriers();
    for (unsigned i = 0; i < PAUSES && others_inside(i == PAUSES - 1); i++)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    errno = error;
}

struct ended_threads *thread_ended(void)
{
    return ended;
}

/* ---- new threads ---- */

static uint32_t base_of(uint32_t function)
{
    return settings_base(&capture.settings, vocabulary.functions[function].name);
}

static enum pilgrim_status put_section(void *context, uint64_t start, const struct bytes *content,
                                       const struct bytes *ends)
{
    return times_sections_put(((const struct thread *)context)->index, start, content, ends);
}

/* Returns how many cells the statistics of a class may have: so many that CLASSES classes take at most a tenth of
 * PILGRIM_MEMORY. If memory is small, statistics would otherwise fill the segments. */
static uint32_t statistics_cells(void)
{
    enum { CLASSES = 32, CELLS_MIN = 4 };
    uint64_t cells = capture.settings.memory_bytes / 10 / CLASSES / sizeof(struct statistics_cell);
    return cells < CELLS_MIN ? CELLS_MIN : cells < STATISTICS_CELLS ? (uint32_t)cells : STATISTICS_CELLS;
}

/* Creates what T needs and does not have yet. False: out of memory. */
static bool thread_equip(struct thread *t)
{
    bool deep = capture.settings.stack > 1;
    const struct stream_times times = {
        .kind = times_kind(), .cells = statistics_cells(), .base = base_of, .sink = put_section, .context = t};
    if (!t->stream) {
        t->stream = stream_new(&vocabulary, resolve);
        if (!t->stream || (capture.settings.timing != TIMING_OFF && stream_keep_times(t->stream, &times) != PILGRIM_OK))
            return false;
        if (deep)
            stream_set_paths(t->stream, find_path);
    }
    stream_set_journal(t->stream, journal_wanted() ? &t->log : NULL);
    stacks_free(t->stacks); /* of the thread before */
    t->stacks = deep ? stacks_new() : NULL;
    if (!t->requests)
        t->requests = requests_new();
    return (t->stacks || !deep) && t->requests;
}

/* The key of the current call lies behind LIVE: large enough for nearly all calls. */
static void thread_set_live(struct thread *t, struct journal_live *live)
{
    bytes_free(&t->key);
    t->journal = t->log.live = live;
    t->key = (struct bytes){.data = (uint8_t *)(live + 1), .capacity = JOURNAL_KEY_BYTES, .borrowed = true};
    live->key = t->key.data;
}

static struct thread *thread_make(void)
{
    struct thread *t = calloc(1, sizeof *t);
    struct journal_live *live = t ? journal_live_new() : NULL;
    if (!live) {
        free(t);
        return NULL;
    }
    thread_set_live(t, live);
    return t;
}

/* Moves a key that has grown out of its memory into the journal's file. If there is no room, the inputs of calls in
 * progress are not known if the process dies. */
static void move_key(struct thread *t)
{
    uint8_t *room = journal_key_room(t->journal, t->key.capacity);
    t->journal->key = t->key.data;
    if (!room)
        return;
    size_t capacity = t->key.capacity;
    bytes_free(&t->key);
    t->key = (struct bytes){.data = room, .capacity = capacity, .borrowed = true};
    t->journal->key = room;
}

void thread_join_journal(struct thread *t)
{
    if (!t->log.count && !t->log.stopped && journal_started()) {
        struct journal_live *live = journal_thread(t->journal, &t->log, t->index);
        if (live)
            thread_set_live(t, live);
    }
    if (!t->key.borrowed && t->journal->key != t->key.data)
        move_key(t);
    static atomic_bool said;
    if (journal_was_cut() && journal_started() && capture.rank == 0 && !atomic_exchange(&said, true))
        capture_say("there is no room for the journal; if the run dies, calls from here on may be lost");
    if (t->log.grown || t->log.full) {
        t->log.grown = false;
        t->grown |= spill_journal_full(t);
    }
}

static struct thread *thread_new(void)
{
    struct thread *t = take_spare();
    if (!t) {
        t = thread_make();
        if (t)
            t->request_delta.null_name = NAME_MPI_REQUEST_NULL;
    }
    if (t && !thread_equip(t)) {
        thread_free(t);
        return NULL;
    }
    if (!t)
        return NULL;
    thread_register(t);
    thread_join_journal(t);
    journal_thread_begins(t->journal, t->index);
    spill_watch(t);
    pthread_once(&once, make_key);
    if (tells_end)
        (void)pthread_setspecific(at_thread_end, t); /* without it the thread is assumed to live on */
    return t;
}

bool threads_none(void)
{
    return !atomic_load(&count);
}

struct thread *thread_self(void)
{
    static _Thread_local __attribute__((tls_model("initial-exec"))) bool making;
    if (__builtin_expect(!thread_now, 0)) {
        if (making) /* a tool's malloc calls MPI */
            return NULL;
        making = true;
        thread_now = thread_new();
        making = false;
        if (!thread_now)
            capture_fail("out of memory");
    }
    return thread_now;
}

/* NESTED is for calls inside one of T. */
static void thread_follow(struct thread *nested, struct thread *t)
{
    nested->index = t->index;
    nested->requests = t->requests;
    nested->outer = t;
    nested->grown = true; /* so that no call takes the quick way */
}

struct thread *thread_nested(struct thread *t)
{
    while (t && t->inside) {
        if (!t->nested) {
            t->nested = thread_make();
        }
        if (!t->nested)
            capture_fail("out of memory");
        else
            thread_follow(t->nested, t);
        t = t->nested;
    }
    return t;
}

struct thread *thread_recorded_outside(const struct thread *t)
{
    struct thread *outer = t->outer;
    while (outer->outer && !outer->stream)
        outer = outer->outer;
    return outer;
}

bool thread_begin_inside(struct thread *t)
{
    struct thread *outer = thread_recorded_outside(t);
    if (!t->stacks)
        t->stacks = stacks_new();
    if (!t->stacks) {
        capture_fail("out of memory");
        return false;
    }
    t->request_delta.null_name = thread_now->request_delta.null_name;
    t->segment = thread_now->segment;
    t->stream = thread_now->stream;
    t->live = outer->live;
    outer->live = (struct live_requests){0};
    return true;
}

void thread_end_inside(struct thread *t, bool recorded)
{
    struct thread *own = thread_now;
    thread_recorded_outside(t)->live = t->live;
    t->live = (struct live_requests){0};
    t->stream = NULL;
    if (!recorded)
        return;
    thread_call_recorded(t);
    const uint64_t call = thread_calls(own);
    thread_call_recorded(own);
    if (own->finding.call == call) /* the outer call has another number now */
        own->finding.call++;
    atomic_store_explicit(&own->journal->entered, call + 2, memory_order_release);
}

void thread_stops(struct thread *t)
{
    if (!t || !t->stream)
        return;
    if (journal_damaged())
        (void)spill_now(t);
    journal_thread_stops(t->journal, &t->log);
    stream_free(t->stream);
    stacks_free(t->stacks);
    t->stream = NULL;
    t->stacks = NULL;
    array_delta_free(&t->request_delta);
    live_free(&t->live);
    thread_set_live(t, t->journal);
    times_sections_forget();
    pthread_mutex_lock(&end_lock);
    if (journal_damaged())
        spill_ended_now(ended);
    ended_free(ended);
    ended = NULL;
    pthread_mutex_unlock(&end_lock);
}

void threads_stop(void)
{
    for (struct thread *t = first; t; t = t->next)
        if (t == thread_now || !__atomic_load_n(&t->inside, __ATOMIC_ACQUIRE))
            thread_stops(t);
}

struct thread *thread_registered(void)
{
    return thread_now;
}

void thread_becomes_first(void)
{
    pthread_mutex_lock(&end_lock);
    numbered = true;
    pthread_mutex_unlock(&end_lock);
    if (!thread_now)
        return;
    stream_settle_early(thread_now->stream);
    pthread_mutex_lock(&lock);
    list_remove(thread_now);
    thread_now->previous = NULL;
    thread_now->next = first;
    *(first ? &first->previous : &last) = thread_now;
    first = thread_now;
    uint32_t index = 0;
    for (struct thread *t = first; t; t = t->next)
        t->journal->number = t->index = index++;
    pthread_mutex_unlock(&lock);
}

struct thread *thread_first(void)
{
    return first;
}

void thread_visit(void (*each)(const struct thread *t, void *context), void *context)
{
    pthread_mutex_lock(&lock);
    for (const struct thread *t = first; t; t = t->next)
        each(t, context);
    pthread_mutex_unlock(&lock);
}

size_t thread_count(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed);
}

size_t thread_shares(void)
{
    return atomic_load_explicit(&shares, memory_order_relaxed);
}

/* Returns a capacity of at least COUNT, with some room to grow; 0 if COUNT is too large. */
static size_t roomy(int64_t wanted)
{
    return wanted > INT32_MAX ? 0 : (size_t)wanted + (size_t)wanted / 2 + 16;
}

bool thread_reserve_operations(struct thread *t, int64_t wanted)
{
    if (finding_reserve(&t->finding, wanted))
        return true;
    capture_fail("out of memory");
    return false;
}

bool thread_reserve_statuses(struct thread *t, int64_t wanted)
{
    if (wanted <= t->status_capacity)
        return true;
    size_t capacity = roomy(wanted);
    MPI_Status *statuses = capacity ? realloc(t->statuses, capacity * sizeof *statuses) : NULL;
    if (!statuses) {
        capture_fail("out of memory");
        return false;
    }
    t->statuses = statuses;
    t->status_capacity = (int64_t)capacity;
    return true;
}
