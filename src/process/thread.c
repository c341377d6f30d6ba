/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: found by a thread-local pointer, kept in a list in order of number.
 *
 * The thread-local pointer is of the initial-exec model: one load, no call into the loader, no allocation. That a
 * thread ends is told by the destructor of its thread-specific data; recording takes no lock, beginning and ending do.
 */
#include "process/thread.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "process/blocks.h"
#include "process/capture.h"
#include "process/spill.h"
#include "process/stack.h"
#include "functions.h"
#include "objects/modules.h"
#include "timing/common_times.h"
#include "record/statistics.h"
#include "record/stream_times.h"

enum { KEY_BYTES = 4096 }; /* a first key that is rarely outgrown */

_Thread_local struct thread *thread_now __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct thread *first, *last;
static struct thread *spare; /* of threads that have ended: by `next` */
static atomic_size_t count, shares;

static pthread_mutex_t end_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock of the end, which comes before the other one: */
static struct ended_threads *ended;
static bool numbered; /* it is settled which thread is number 0, and so are the numbers of all */
static bool keeps_all;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static bool tells_end; /* there is that key */

static size_t resolve_site(const void *site, struct code_frame *frames)
{
    return modules_frame(site, frames);
}

static size_t resolve_stack(const void *site, struct code_frame *frames)
{
    return stack_frames(site, frames);
}

static const void *locate_stack(const void *site)
{
    return stacks_here(thread_now->stacks, site);
}

static void thread_free(struct thread *t)
{
    stream_free(t->stream);
    stacks_free(t->stacks);
    bytes_free(&t->key);
    array_delta_free(&t->request_delta);
    live_free(&t->live);
    finding_free(&t->finding);
    free(t);
}

/* ---- the registry; under the lock ---- */

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

/* ---- the end of a thread ---- */

static enum pilgrim_status put_common(void *context, const struct bytes *content, const struct bytes *ends)
{
    (void)context;
    return blocks_put(0, 0, content, ends); /* 0: the content says of which threads */
}

static enum times_kind times_kind(void)
{
    return capture.settings.timing == TIMING_BINS    ? TIMES_BINS
           : capture.settings.timing == TIMING_EXACT ? TIMES_EXACT
                                                     : TIMES_NONE;
}

/* NULL: no memory. */
static struct ended_threads *make_ended(void)
{
    struct ended_threads *e = ended_new(&vocabulary);
    enum times_kind kind = times_kind();
    if (!e || kind == TIMES_NONE || ended_share_times(e, common_times_new(kind, put_common, NULL)) == PILGRIM_OK)
        return e;
    ended_free(e);
    return NULL;
}

/* What T recorded is among that of ended threads, and its stream is as if it were new. False: not, T is to be kept. */
static bool hand_over(struct thread *t)
{
    enum pilgrim_status status = PILGRIM_OK;
    if (stream_calls(t->stream)) {
        if (!ended) {
            ended = make_ended();
            atomic_fetch_add(&shares, ended != NULL);
        }
        status = ended ? ended_add(ended, t->index, &t->stream) : PILGRIM_NOMEM;
    }
    if (status != PILGRIM_OK) {
        capture_fail("out of memory");
        return false;
    }
    if (t->stream)
        stream_restart(t->stream);
    spill_consider_ended(ended);
    return true;
}

/* What T has of its own is for the next thread. */
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
    t->patience = (struct patience){0};
    t->calls = 0;
    t->passes = 0;
    pthread_mutex_lock(&lock);
    list_remove(t);
    atomic_fetch_sub(&shares, 1);
    t->next = spare;
    spare = t;
    pthread_mutex_unlock(&lock);
}

/* Is called again while there may be other data that is destroyed later, and MPI called there; but not in the last pass
 * of all: that is where the thread sanitizer ends its part of the thread, after which it may not be asked for a lock.
 */
static void thread_ends(void *data)
{
    struct thread *t = data;
    if (++t->passes < PTHREAD_DESTRUCTOR_ITERATIONS - 1 && pthread_setspecific(at_thread_end, t) == 0)
        return;
    if (atomic_load(&capture.off) & ~(unsigned)(OFF_PAUSED | OFF_MOVED))
        return;
    pthread_mutex_lock(&end_lock);
    if (numbered && !keeps_all && hand_over(t)) {
        thread_now = NULL;
        thread_retire(t);
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

struct ended_threads *thread_ended(void)
{
    return ended;
}

/* ---- new ones ---- */

static uint32_t base_of(uint32_t function)
{
    return settings_base(&capture.settings, vocabulary.functions[function].name);
}

static enum pilgrim_status put_block(void *context, uint64_t start, const struct bytes *content,
                                     const struct bytes *ends)
{
    return blocks_put(((const struct thread *)context)->index, start, content, ends);
}

/* So many that the statistics of CLASSES classes take a tenth of PILGRIM_MEMORY at most: where that is little, segments
 * would else be full of them. */
static uint32_t statistics_cells(void)
{
    enum { CLASSES = 32, CELLS_MIN = 4 };
    uint64_t cells = capture.settings.memory_bytes / 10 / CLASSES / sizeof(struct statistics_cell);
    return cells < CELLS_MIN ? CELLS_MIN : cells < STATISTICS_CELLS ? (uint32_t)cells : STATISTICS_CELLS;
}

/* T has what a thread needs that it does not have yet. False: no memory. */
static bool thread_equip(struct thread *t)
{
    const char *why;
    bool deep = capture.settings.stack > 1 && stacks_available(&why);
    const struct stream_times times = {
        .kind = times_kind(), .cells = statistics_cells(), .base = base_of, .sink = put_block, .context = t};
    if (!t->stream) {
        t->stream = stream_new(&vocabulary, deep ? resolve_stack : resolve_site);
        if (!t->stream || (capture.settings.timing != TIMING_OFF && stream_keep_times(t->stream, &times) != PILGRIM_OK))
            return false;
        if (deep)
            stream_set_locator(t->stream, locate_stack);
    }
    if (deep && !t->stacks)
        t->stacks = stacks_new(capture.settings.stack);
    if (!t->requests)
        t->requests = requests_new();
    return (t->stacks || !deep) && t->requests;
}

static struct thread *thread_make(void)
{
    struct thread *t = calloc(1, sizeof *t);
    if (t && !bytes_reserve(&t->key, KEY_BYTES)) {
        free(t);
        return NULL;
    }
    if (t)
        t->request_delta.null_name = NAME_MPI_REQUEST_NULL;
    return t;
}

static struct thread *thread_new(void)
{
    struct thread *t = take_spare();
    if (!t)
        t = thread_make();
    if (t && !thread_equip(t)) {
        thread_free(t);
        return NULL;
    }
    if (!t)
        return NULL;
    thread_register(t);
    spill_watch(t);
    pthread_once(&once, make_key);
    if (tells_end)
        (void)pthread_setspecific(at_thread_end, t); /* else it is taken to live on */
    return t;
}

struct thread *thread_self(void)
{
    if (__builtin_expect(!thread_now, 0)) {
        thread_now = thread_new();
        if (!thread_now)
            capture_fail("out of memory");
    }
    return thread_now;
}

/* NESTED is T's: it names what T names. */
static void thread_follow(struct thread *nested, const struct thread *t)
{
    nested->index = t->index;
    nested->requests = t->requests;
}

struct thread *thread_nested(struct thread *t)
{
    while (t && t->inside) {
        if (!t->nested) {
            t->nested = calloc(1, sizeof *t);
            if (t->nested && !bytes_reserve(&t->nested->key, KEY_BYTES)) {
                free(t->nested);
                t->nested = NULL;
            }
        }
        if (!t->nested)
            capture_fail("out of memory");
        else
            thread_follow(t->nested, t);
        t = t->nested;
    }
    return t;
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
    pthread_mutex_lock(&lock);
    list_remove(thread_now);
    thread_now->previous = NULL;
    thread_now->next = first;
    *(first ? &first->previous : &last) = thread_now;
    first = thread_now;
    uint32_t index = 0;
    for (struct thread *t = first; t; t = t->next)
        t->index = index++;
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

/* At least COUNT, with room to spare. 0: too many. */
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
