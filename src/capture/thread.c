/* Threads: found by a thread-local pointer, kept in a list in order of number.
 *
 * The thread-local pointer is of the initial-exec model: one load, no call into the loader, no allocation. */
#include "capture/thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "capture/shadow_file.h"
#include "capture/stack.h"
#include "functions.h"
#include "objects/memory.h"

enum { KEY_BYTES = 4096 }; /* a first key that is rarely outgrown */

static _Thread_local struct thread *self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *first;
static size_t count;

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
    return stacks_here(self->stacks, site);
}

static void thread_free(struct thread *t)
{
    stream_free(t->stream);
    stacks_free(t->stacks);
    shadow_free(t->shadow);
    bytes_free(&t->key);
    keeper_free(&t->keeper);
    free(t);
}

static void thread_register(struct thread *t)
{
    pthread_mutex_lock(&lock);
    struct thread **end = &first;
    while (*end)
        end = &(*end)->next;
    *end = t;
    t->index = (uint32_t)count++;
    pthread_mutex_unlock(&lock);
}

static struct thread *thread_new(void)
{
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    const char *why;
    bool deep = capture.settings.stack > 1 && stacks_available(&why);
    t->stream = stream_new(&vocabulary, deep ? resolve_stack : resolve_site);
    bool good = t->stream && bytes_reserve(&t->key, KEY_BYTES);
    if (good && deep) {
        t->stacks = stacks_new(capture.settings.stack);
        stream_set_locator(t->stream, locate_stack);
        good = t->stacks;
    }
    if (good && capture.settings.shadow) {
        t->shadow = shadow_new(t);
        good = t->shadow;
    }
    if (!good) {
        thread_free(t);
        return NULL;
    }
    thread_register(t);
    return t;
}

struct thread *thread_self(void)
{
    if (__builtin_expect(!self, 0)) {
        self = thread_new();
        if (!self)
            capture_fail("out of memory");
    }
    return self;
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
            t->nested->index = t->index;
        t = t->nested;
    }
    return t;
}

struct thread *thread_known(void)
{
    return self;
}

void thread_becomes_first(void)
{
    if (!self)
        return;
    pthread_mutex_lock(&lock);
    struct thread **at = &first;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    self->next = first;
    first = self;
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
    return count;
}

/* At least COUNT, with room to spare. 0: too many. */
static size_t roomy(int64_t wanted)
{
    return wanted > INT32_MAX ? 0 : (size_t)wanted + (size_t)wanted / 2 + 16;
}

bool thread_reserve_operations(struct thread *t, int64_t wanted)
{
    if (wanted <= t->operation_capacity)
        return true;
    size_t capacity = roomy(wanted);
    struct operation *operations = capacity ? realloc(t->operations, capacity * sizeof *operations) : NULL;
    if (operations)
        t->operations = operations;
    uint64_t *handles = operations ? realloc(t->handles, capacity * sizeof *handles) : NULL;
    if (!handles) {
        capture_fail("out of memory");
        return false;
    }
    t->handles = handles;
    t->operation_capacity = (int64_t)capacity;
    return true;
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
