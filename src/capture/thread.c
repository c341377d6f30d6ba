/* Threads: found by a thread-local pointer, kept in a list in order of number.
 *
 * The thread-local pointer is of the initial-exec model: one load, no call into the loader, no allocation. */
#include "capture/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "capture/blocks.h"
#include "capture/capture.h"
#include "capture/shadow_file.h"
#include "capture/spill.h"
#include "capture/stack.h"
#include "functions.h"
#include "objects/memory.h"

enum { KEY_BYTES = 4096 }; /* a first key that is rarely outgrown */

_Thread_local struct thread *thread_now __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *first;
static atomic_size_t count;

static size_t resolve_site(const void *site, struct code_frame *frames)
{
    return memory_frame(site, frames);
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
    shadow_free(t->shadow);
    bytes_free(&t->key);
    keeper_free(&t->keeper);
    live_free(&t->live);
    finding_free(&t->finding);
    free(t);
}

static void thread_register(struct thread *t)
{
    pthread_mutex_lock(&lock);
    struct thread **end = &first;
    while (*end)
        end = &(*end)->next;
    *end = t;
    t->index = (uint32_t)atomic_fetch_add(&count, 1);
    pthread_mutex_unlock(&lock);
}

static enum times_kind times_kind(void)
{
    return capture.settings.timing == TIMING_BINS ? TIMES_BINS : capture.settings.timing == TIMING_EXACT ? TIMES_EXACT : TIMES_NONE;
}

static uint32_t base_of(uint32_t function)
{
    return settings_base(&capture.settings, vocabulary.functions[function].name);
}

static enum pilgrim_status put_block(void *context, uint64_t start, const struct bytes *content, const struct bytes *ends)
{
    return blocks_put(((const struct thread *)context)->index, start, content, ends);
}

static struct thread *thread_new(void)
{
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->keeper.null_name = NAME_MPI_REQUEST_NULL;
    const char *why;
    bool deep = capture.settings.stack > 1 && stacks_available(&why);
    t->stream = stream_new(&vocabulary, deep ? resolve_stack : resolve_site);
    const struct stream_times times = {.kind = times_kind(), .base = base_of, .sink = put_block, .context = t};
    bool good = t->stream && bytes_reserve(&t->key, KEY_BYTES);
    if (good && capture.settings.timing != TIMING_OFF)
        good = stream_keep_times(t->stream, &times) == PILGRIM_OK;
    if (good && deep) {
        t->stacks = stacks_new(capture.settings.stack);
        stream_set_locator(t->stream, locate_stack);
        good = t->stacks;
    }
    if (good && capture.settings.shadow) {
        t->shadow = shadow_new(t);
        good = t->shadowed = t->shadow;
    }
    if (good) {
        t->requests = requests_new();
        good = t->requests;
    }
    if (!good) {
        thread_free(t);
        return NULL;
    }
    thread_register(t);
    spill_watch(t);
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

struct thread *thread_known(void)
{
    return thread_now;
}

void thread_becomes_first(void)
{
    if (!thread_now)
        return;
    pthread_mutex_lock(&lock);
    struct thread **at = &first;
    while (*at != thread_now)
        at = &(*at)->next;
    *at = thread_now->next;
    thread_now->next = first;
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

size_t thread_count(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed);
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
