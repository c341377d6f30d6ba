/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pointer points to; see memory.h. This file has the stacks, and the order in which the kinds of memory are
 * asked.
 *
 * A thread's own stack comes first, and exactly: it is what lies above its stack pointer, unless the thread runs on
 * a stack that the program made itself (a coroutine's), which is heap memory. The stack of another thread is known
 * once that thread has named a pointer. The main thread's stack is asked last, because the space into which it may
 * still grow can hold other memory. */
#define _GNU_SOURCE 1
#include "objects/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects/device.h"
#include "objects/cuda_driver.h"
#include "objects/heap.h"
#include "objects/modules.h"
#include "objects/pages.h"
#include "objects/sharing.h"
#include "objects/hash_table.h"

/* A thread that has named a pointer; in the list until the thread ends. */
struct thread_memory {
    struct thread_memory *next;
    uintptr_t low, high; /* its stack */
    bool main;
};

static _Thread_local __attribute__((tls_model("initial-exec"))) struct thread_memory *mine;
static atomic_bool main_known; /* the main thread is in the list: no other one checks if it is the main thread */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct thread_memory *threads;
static struct thread_memory *spare; /* of threads that have ended */
static struct hash_table stack_ids; /* address -> id + 1 */
static int64_t next_stack_id;

/* ---- threads ---- */

static void thread_ended(void *data)
{
    struct thread_memory *t = data, **link = &threads;
    mine = NULL;
    if (t->main)
        atomic_store(&main_known, false);
    pthread_mutex_lock(&lock);
    while (*link && *link != t)
        link = &(*link)->next;
    if (*link)
        *link = t->next;
    t->next = spare;
    spare = t;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&memory_generation, 1); /* others may know addresses in this stack */
}

static void fork_prepare(void)
{
    modules_fork_prepare();
    pthread_mutex_lock(&lock);
    device_fork_prepare();
    heap_fork_prepare();
}

static void fork_done(void)
{
    heap_fork_done();
    device_fork_done();
    pthread_mutex_unlock(&lock);
    modules_fork_done();
}

static void start(void)
{
    if (pthread_key_create(&at_thread_end, thread_ended) != 0 ||
        pthread_atfork(fork_prepare, fork_done, fork_done) != 0)
        objects_fail();
}

/* Returns memory for an entry of the list; NULL: memory is short. */
static struct thread_memory *thread_memory_take(void)
{
    enum { TOGETHER = 64 };
    pthread_mutex_lock(&lock);
    if (!spare) {
        struct thread_memory *more = pages_take(TOGETHER * sizeof *more);
        for (unsigned i = 0; more && i < TOGETHER; i++) {
            more[i].next = spare;
            spare = &more[i];
        }
    }
    struct thread_memory *t = spare;
    if (t)
        spare = t->next;
    pthread_mutex_unlock(&lock);
    if (t)
        *t = (struct thread_memory){0};
    return t;
}

/* Returns the calling thread's entry in the list, which the first call makes; NULL: memory is short. */
static struct thread_memory *thread_get(void)
{
    if (mine)
        return mine;
    pthread_once(&once, start);
    struct thread_memory *t = thread_memory_take();
    pthread_attr_t attributes;
    if (!t)
        return NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *low;
        size_t size;
        if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
            t->low = (uintptr_t)low;
            t->high = t->low + size;
        }
        pthread_attr_destroy(&attributes);
    }
    t->main = !atomic_load(&main_known) && getpid() == gettid();
    if (t->main)
        atomic_store(&main_known, true);
    pthread_mutex_lock(&lock);
    t->next = threads;
    threads = t;
    pthread_mutex_unlock(&lock);
    (void)pthread_setspecific(at_thread_end, t);
    mine = t;
    atomic_fetch_add(&memory_generation, 1); /* addresses in this stack were unknown */
    return t;
}

void memory_know_stack(void)
{
    (void)thread_get();
}

/* ---- stacks ---- */

static bool in_other_stack(uintptr_t address, bool main)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct thread_memory *t = threads; t && !found; t = t->next)
        found = t->main == main && address >= t->low && address < t->high;
    pthread_mutex_unlock(&lock);
    return found;
}

/* True if the stack of a thread lies in [START, START + BYTES), with any part of it. */
static bool holds_stack(uintptr_t start, size_t bytes)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct thread_memory *t = threads; t && !found; t = t->next)
        found = t->low < start + bytes && start < t->high;
    pthread_mutex_unlock(&lock);
    return found;
}

bool memory_in_own_stack(const void *address)
{
    const struct thread_memory *t = thread_get();
    return t && (uintptr_t)address >= t->low && (uintptr_t)address < t->high;
}

uintptr_t memory_own_stack(size_t *size)
{
    const struct thread_memory *t = thread_get();
    *size = t ? t->high - t->low : 0;
    return t ? t->low : 0;
}

static int64_t stack_id(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    int64_t id = (int64_t)hash_table_get(&stack_ids, address) - 1;
    if (id < 0 && hash_table_set(&stack_ids, address, (uint64_t)next_stack_id + 1))
        id = next_stack_id++;
    pthread_mutex_unlock(&lock);
    if (id < 0)
        objects_fail();
    return id;
}

/* ---- names ---- */

/* Asks the driver for the name of POINTER, for an allocation that was not seen. False: it does not know. */
static bool find_told(const void *pointer, struct memory_name *name)
{
    struct device_range range;
    if (!memory_followed || !cuda_driver_ask((uintptr_t)pointer, &range))
        return false;
    device_name_found(pointer, &range, name);
    return true;
}

/* Returns the lowest address that the process had mapped when this was asked for the first time; 1: unknown. */
static uintptr_t lowest_mapped(void)
{
    static _Atomic uintptr_t lowest;
    uintptr_t found = atomic_load_explicit(&lowest, memory_order_relaxed);
    if (found)
        return found;
    char line[32] = "";
    const int kept = errno, file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read(file, line, sizeof line - 1) > 0)
        found = strtoul(line, NULL, 16);
    if (file >= 0)
        close(file);
    errno = kept;
    found = found ? found : 1;
    atomic_store_explicit(&lowest, found, memory_order_relaxed);
    return found;
}

/* True if ADDRESS lies below everything but the memory of devices. Most displacements do: arrays of them have 10^5, and
 * to ask for each everywhere takes nine times what MPI does with it. The kernel maps downwards from libraries and
 * stacks, or upwards from where it began, and stays above the program; what is mapped elsewhere on demand is followed.
 */
static bool is_below_all(uintptr_t address)
{
    return address < lowest_mapped() && address < heap_lowest();
}

/* Puts the name of ADDRESS into *NAME. False: it is unknown. *LASTING: the name holds until memory_generation
 * changes. CUDA's driver maps address space for its memory, so the driver is asked before the mappings. */
static bool find_known(const struct thread_memory *t, uintptr_t address, struct memory_name *name, bool *lasting)
{
    const void *pointer = (const void *)address;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    bool own = t && here >= t->low && address >= here && address < t->high;
    *lasting = true;
    if (is_below_all(address)) {
        if (device_name(pointer, name))
            return true;
        *lasting = !find_told(pointer, name);
        return !*lasting;
    }
    if (!own && !in_other_stack(address, false)) {
        if (device_name(pointer, name))
            return true;
        *name = (struct memory_name){.space = MEMORY_HEAP};
        if (heap_name(pointer, &name->id, &name->offset, &name->bytes)) {
            if (device_used() || holds_stack(address - (uintptr_t)name->offset, name->bytes))
                name->bytes = 0;
            return true;
        }
        name->bytes = 0;
        name->space = MEMORY_STATIC;
        if (modules_name(pointer, &name->id, &name->offset))
            return true;
        *lasting = !find_told(pointer, name);
        if (!*lasting)
            return true;
        name->space = MEMORY_HEAP;
        if (heap_name_mapping(pointer, &name->id, &name->offset))
            return true;
        if (!in_other_stack(address, true))
            return false;
    }
    *name = (struct memory_name){.space = MEMORY_STACK, .id = stack_id(address)};
    return true;
}

static bool find_in_blocks(const struct memory_blocks *b, uintptr_t address, uint64_t generation,
                           struct memory_name *name)
{
    for (size_t i = 0; i < MEMORY_BLOCKS; i++)
        if (address - b->blocks[i].start < b->blocks[i].bytes && b->blocks[i].generation == generation) {
            const int64_t offset = (int64_t)(address - b->blocks[i].start);
            *name = (struct memory_name){.space = MEMORY_HEAP, .id = b->blocks[i].id, .offset = offset};
            return true;
        }
    return false;
}

bool memory_find_lasting(struct memory_blocks *blocks, const void *pointer, struct memory_name *name,
                         uint64_t *generation)
{
    const struct thread_memory *t = thread_get();
    bool lasting;
    /* Read first: what is freed during the look-up makes the name out of date. */
    *generation = atomic_load(&memory_generation);
    if (find_in_blocks(blocks, (uintptr_t)pointer, *generation, name))
        return true;
    bool found = find_known(t, (uintptr_t)pointer, name, &lasting);
    if (found && lasting && name->bytes) {
        unsigned i = blocks->next++ % MEMORY_BLOCKS;
        blocks->blocks[i].start = (uintptr_t)pointer - (uintptr_t)name->offset;
        blocks->blocks[i].bytes = name->bytes;
        blocks->blocks[i].generation = *generation;
        blocks->blocks[i].id = name->id;
    }
    if (!found)
        lasting = !memory_followed; /* an allocation may come to hold the address */
    if (!lasting)
        *generation = 0;
    return found;
}

bool memory_find(const void *pointer, struct memory_name *name)
{
    struct memory_blocks none = {.next = 0};
    uint64_t generation;
    return memory_find_lasting(&none, pointer, name, &generation);
}

struct memory_name memory_name_unknown(const void *pointer)
{
    return (struct memory_name){.space = MEMORY_HEAP, .id = heap_name_unknown(pointer)};
}

struct memory_name memory_name_of(const void *pointer)
{
    struct memory_name name;
    return memory_find(pointer, &name) ? name : memory_name_unknown(pointer);
}
