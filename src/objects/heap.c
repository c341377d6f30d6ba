/* SPDX-License-Identifier: BSD-3-Clause */
/* Which heap memory there is, and its names; see heap.h.
 *
 * Allocations: a bitmap with a bit for each 16 bytes of address space, set where an allocation starts. It lies in
 * leaves of 64 MiB of address space under one root. A leaf is made when it is needed, and kept. malloc and free set
 * and clear a bit with one atomic instruction: no lock, no list, no memory of their own. Sizes come from the
 * allocator (malloc_usable_size).
 *
 * A look-up scans back to the nearest start. Two summaries make this fast in large allocations: a bit for each word
 * of 64 starts, and a bit for each 64 of those. They are set with the start, and cleared only when a look-up finds
 * nothing there. So they may be set for an empty word, but are never clear for a word with a start. That holds
 * because both sides first change one level with an atomic read-modify-write and then read the other one.
 *
 * The owner: the process's first thread changes a bitmap of its own without atomic instructions; a start is where
 * that bitmap and the shared one differ. A look-up of another thread makes up for it with membarrier(2).
 *
 * Names: a table from start to id under a lock, and a bitmap `named` with a summary, which free reads first. A
 * look-up marks a start as named, then checks that it is still there, and only then reads the allocation's size. A
 * concurrent free either has cleared the start by then, or sees the mark and waits for the lock.
 *
 * The file is longer than 400 lines: the bitmap and the names depend on each other's memory order. */
#define _GNU_SOURCE 1
#include "objects/heap.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "objects/mappings.h"
#include "objects/pages.h"
#include "objects/pool.h"
#include "objects/sharing.h"
#include "objects/hash_table.h"

enum { UNIT_BITS = 4, LEAF_BITS = 26, ADDRESS_BITS = 48 };
enum { WORDS = 1 << (LEAF_BITS - UNIT_BITS - 6), BLOCKS = WORDS / 64, GROUPS = BLOCKS / 64 };
#define LEAVES ((size_t)1 << (ADDRESS_BITS - LEAF_BITS))

/* The starts are the bits in which the two differ. */
struct starts {
    _Atomic uint64_t owners; /* written by the owner */
    _Atomic uint64_t others; /* written by all other threads, atomically */
};

struct leaf {
    struct starts starts[WORDS];
    _Atomic uint64_t words[BLOCKS];       /* summary of starts */
    _Atomic uint64_t blocks[GROUPS];      /* summary of words */
    _Atomic uint64_t named[WORDS];        /* changed under the lock only, as is its summary */
    _Atomic uint64_t named_words[BLOCKS]; /* exact: set where a word of `named` is not 0 */
};

_Static_assert(sizeof(uintptr_t) == 8, "the bitmap needs 64-bit addresses");

bool memory_followed = true;
bool (*heap_short_hook)(size_t wanted);
_Atomic uint64_t memory_generation = 1;

static _Atomic(_Atomic(struct leaf *) *) root;

static atomic_bool owned;                                                   /* there is an owner */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool owner; /* this thread is it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static uint32_t *leaf_numbers; /* of the leaves there are, ascending */
static size_t leaf_count, leaf_capacity;
static struct pool ids;           /* of allocations, mappings and unknown addresses */
static struct hash_table names;   /* start of an allocation -> id + 1 */
static struct hash_table unknown; /* address -> id + 1 */
static struct mappings mappings;

/* ---- the bitmap ---- */

struct bit_position {
    struct leaf *leaf;
    size_t word;
    uint64_t bit;
};

static inline bool followable(uintptr_t address)
{
    return (address & ((1 << UNIT_BITS) - 1)) == 0 && address >> ADDRESS_BITS == 0;
}

static inline uint64_t starts_in(const struct starts *s)
{
    return atomic_load_explicit(&s->owners, memory_order_relaxed) ^ atomic_load(&s->others);
}

/* Makes BIT a start, or clears it. Later stores of this thread are not done before it, nor seen before it by a
 * look-up behind its barrier. */
static inline void starts_change(struct starts *s, uint64_t bit, bool start)
{
    if (!(starts_in(s) & bit) != start)
        return;
    if (__builtin_expect(owner, 1)) {
        atomic_store_explicit(&s->owners, atomic_load_explicit(&s->owners, memory_order_relaxed) ^ bit,
                              memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
    } else {
        atomic_fetch_xor(&s->others, bit);
    }
}

/* The barrier of look-ups. What other threads stored before it is seen from here on. What was stored here is seen by
 * what they do next. */
static void barrier(void)
{
    if (atomic_load(&owned) && !owner)
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

void heap_own(void)
{
    if (!atomic_load(&owned) && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0) {
        owner = true;
        atomic_store(&owned, true);
    }
}

static inline struct leaf *leaf_of(uintptr_t address)
{
    _Atomic(struct leaf *) *leaves = atomic_load_explicit(&root, memory_order_acquire);
    return leaves ? atomic_load_explicit(&leaves[address >> LEAF_BITS], memory_order_acquire) : NULL;
}

static inline struct bit_position bit_in(struct leaf *leaf, uintptr_t address)
{
    size_t unit = (address & (((uintptr_t)1 << LEAF_BITS) - 1)) >> UNIT_BITS;
    return (struct bit_position){leaf, unit / 64, (uint64_t)1 << (unit % 64)};
}

/* Inserts NUMBER into leaf_numbers, in order. False: memory is short. */
static bool remember_leaf(uint32_t number)
{
    enum { FIRST_BYTES = 4096 };
    if (leaf_count == leaf_capacity) {
        size_t before = leaf_capacity * sizeof *leaf_numbers, bytes = before ? 2 * before : FIRST_BYTES;
        uint32_t *numbers = before ? pages_grow(leaf_numbers, before, bytes) : pages_take(bytes);
        if (!numbers)
            return false;
        leaf_numbers = numbers;
        leaf_capacity = bytes / sizeof *leaf_numbers;
    }
    size_t at = leaf_count;
    for (; at > 0 && leaf_numbers[at - 1] > number; at--)
        leaf_numbers[at] = leaf_numbers[at - 1];
    leaf_numbers[at] = number;
    leaf_count++;
    return true;
}

static _Atomic uintptr_t lowest = UINTPTR_MAX; /* changed under the lock */

uintptr_t heap_lowest(void)
{
    return atomic_load(&lowest);
}

static void note_lowest(uintptr_t address)
{
    if (address < atomic_load(&lowest))
        atomic_store(&lowest, address);
}

/* Makes the leaf of ADDRESS. NULL: memory is short; its allocations then count as unknown memory. */
static __attribute__((noinline)) struct leaf *leaf_make(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    note_lowest(address >> LEAF_BITS << LEAF_BITS);
    struct leaf *leaf = leaf_of(address);
    if (!leaf && !atomic_load(&root))
        atomic_store(&root, pages_take(LEAVES * sizeof(struct leaf *)));
    if (!leaf && atomic_load(&root)) {
        leaf = pages_take(sizeof *leaf);
        if (leaf && !remember_leaf((uint32_t)(address >> LEAF_BITS))) {
            pages_give(leaf, sizeof *leaf);
            leaf = NULL;
        }
        if (leaf)
            atomic_store(&atomic_load(&root)[address >> LEAF_BITS], leaf);
    }
    pthread_mutex_unlock(&lock);
    return leaf;
}

void heap_allocated(const void *start)
{
    uintptr_t address = (uintptr_t)start;
    if (!followable(address))
        return;
    struct leaf *leaf = leaf_of(address);
    if (__builtin_expect(!leaf, 0) && !(leaf = leaf_make(address)))
        return;
    struct bit_position p = bit_in(leaf, address);
    uint64_t word_bit = (uint64_t)1 << (p.word % 64), block_bit = (uint64_t)1 << (p.word / 64 % 64);
    starts_change(&leaf->starts[p.word], p.bit, true);
    if (!(atomic_load(&leaf->words[p.word / 64]) & word_bit))
        atomic_fetch_or(&leaf->words[p.word / 64], word_bit);
    if (!(atomic_load(&leaf->blocks[p.word / 4096]) & block_bit))
        atomic_fetch_or(&leaf->blocks[p.word / 4096], block_bit);
}

/* Returns the number of the last bit set in WORD at or below bit LAST, or -1. */
static int last_bit(uint64_t word, size_t last)
{
    word &= UINT64_MAX >> (63 - last);
    return word ? 63 - __builtin_clzll(word) : -1;
}

/* Returns the last word with a start in it among 0..WORD, or -1. Corrects the summaries. Under the lock. */
static int64_t last_word(struct leaf *leaf, int64_t word)
{
    while (word >= 0) {
        size_t w = (size_t)word, block = w / 64, group = block / 64;
        if (starts_in(&leaf->starts[w]))
            return word;
        int i = last_bit(atomic_load(&leaf->words[block]), w % 64);
        if (i == (int)(w % 64)) {
            uint64_t bit = (uint64_t)1 << i;
            atomic_fetch_and(&leaf->words[block], ~bit);
            barrier();
            if (starts_in(&leaf->starts[w]))
                atomic_fetch_or(&leaf->words[block], bit);
        } else if (i >= 0) {
            word = (int64_t)(block * 64 + (size_t)i);
        } else {
            if (!atomic_load(&leaf->words[block])) {
                uint64_t bit = (uint64_t)1 << (block % 64);
                atomic_fetch_and(&leaf->blocks[group], ~bit);
                barrier();
                if (atomic_load(&leaf->words[block]))
                    atomic_fetch_or(&leaf->blocks[group], bit);
            }
            int64_t before = (int64_t)block - 1;
            while (before >= 0) {
                i = last_bit(atomic_load(&leaf->blocks[before / 64]), (size_t)before % 64);
                if (i >= 0)
                    break;
                before = before / 64 * 64 - 1;
            }
            word = before < 0 ? -1 : (before / 64 * 64 + i) * 64 + 63;
        }
    }
    return -1;
}

/* Returns the nearest start at or below ADDRESS; 0: none. Under the lock. */
static uintptr_t start_below(uintptr_t address)
{
    size_t low = 0, high = leaf_count; /* leaf_numbers[0..low-1] are at or below it */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (leaf_numbers[middle] <= address >> LEAF_BITS)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0) {
        uintptr_t base = (uintptr_t)leaf_numbers[low] << LEAF_BITS;
        struct leaf *leaf = leaf_of(base);
        uintptr_t last = ((uintptr_t)1 << LEAF_BITS) - 1;
        if (address - base < last)
            last = address - base;
        size_t unit = last >> UNIT_BITS;
        int64_t word = (int64_t)(unit / 64);
        int i = last_bit(starts_in(&leaf->starts[word]), unit % 64);
        while (i < 0 && (word = last_word(leaf, word - 1)) >= 0)
            i = last_bit(starts_in(&leaf->starts[word]), 63); /* -1: freed meanwhile */
        if (i >= 0)
            return base + (((uintptr_t)word * 64 + (uintptr_t)i) << UNIT_BITS);
    }
    return 0;
}

/* ---- names ---- */

static void mark_named(const struct bit_position *p)
{
    atomic_fetch_or(&p->leaf->named[p->word], p->bit);
    atomic_fetch_or(&p->leaf->named_words[p->word / 64], (uint64_t)1 << (p->word % 64));
}

static void unmark_named(const struct bit_position *p)
{
    if (atomic_fetch_and(&p->leaf->named[p->word], ~p->bit) == p->bit)
        atomic_fetch_and(&p->leaf->named_words[p->word / 64], ~((uint64_t)1 << (p->word % 64)));
}

static int64_t id_take(void)
{
    int64_t id = pool_take(&ids);
    if (id < 0)
        objects_fail();
    return id;
}

/* Returns the id of KEY in TABLE; a key without an id gets one. -1: memory is short. */
static int64_t id_in(struct hash_table *table, uint64_t key)
{
    int64_t id = (int64_t)hash_table_get(table, key) - 1;
    if (id >= 0 || (id = id_take()) < 0)
        return id;
    if (hash_table_set(table, key, (uint64_t)id + 1))
        return id;
    pool_give(&ids, id);
    objects_fail();
    return -1;
}

/* True if the allocation at START, of *SIZE bytes, reaches to ADDRESS. An allocation that ends at ADDRESS counts, for
 * an empty buffer behind the last element, unless a mapping begins there. */
static bool reaches(uintptr_t start, uintptr_t address, size_t *size)
{
    *size = malloc_usable_size((void *)start);
    return address - start < *size || (address - start == *size && !mappings_find(&mappings, address));
}

/* Marks the start before it looks; see the head of this file. */
static bool name_allocation(uintptr_t address, int64_t *id, int64_t *offset, size_t *bytes)
{
    if (address >> ADDRESS_BITS)
        return false;
    uintptr_t start = start_below(address);
    if (!start)
        return false;
    struct bit_position p = bit_in(leaf_of(start), start);
    bool named_before = atomic_load(&p.leaf->named[p.word]) & p.bit;
    if (!named_before) {
        mark_named(&p);
        barrier();
    }
    bool inside = (starts_in(&p.leaf->starts[p.word]) & p.bit) && reaches(start, address, bytes);
    if (!inside) {
        if (!named_before)
            unmark_named(&p);
        return false;
    }
    *id = id_in(&names, start);
    *offset = (int64_t)(address - start);
    return true;
}

static bool name_mapping(uintptr_t address, int64_t *id, int64_t *offset)
{
    struct memory_mapping *range = mappings_find(&mappings, address);
    if (!range)
        return false;
    if (range->id < 0)
        mappings_name(&mappings, range, id_take());
    *id = range->id;
    *offset = (int64_t)(address - range->base);
    return true;
}

bool heap_name(const void *address, int64_t *id, int64_t *offset, size_t *bytes)
{
    if (!memory_followed)
        return false;
    pthread_mutex_lock(&lock);
    bool found = name_allocation((uintptr_t)address, id, offset, bytes);
    pthread_mutex_unlock(&lock);
    return found;
}

bool heap_name_mapping(const void *address, int64_t *id, int64_t *offset)
{
    if (!memory_followed)
        return false;
    pthread_mutex_lock(&lock);
    bool found = name_mapping((uintptr_t)address, id, offset);
    pthread_mutex_unlock(&lock);
    return found;
}

bool heap_begins(const void *address)
{
    uintptr_t start = (uintptr_t)address;
    struct leaf *leaf = followable(start) ? leaf_of(start) : NULL;
    struct bit_position p = leaf ? bit_in(leaf, start) : (struct bit_position){0};
    if (leaf && starts_in(&leaf->starts[p.word]) & p.bit)
        return true;
    pthread_mutex_lock(&lock);
    struct memory_mapping *range = mappings_find(&mappings, start);
    bool begins = range && range->start == start;
    pthread_mutex_unlock(&lock);
    return begins;
}

int64_t heap_id_take(void)
{
    pthread_mutex_lock(&lock);
    int64_t id = id_take();
    pthread_mutex_unlock(&lock);
    return id;
}

int64_t heap_name_unknown(const void *address)
{
    pthread_mutex_lock(&lock);
    int64_t id = id_in(&unknown, (uintptr_t)address);
    pthread_mutex_unlock(&lock);
    return id;
}

/* ---- freeing ---- */

void heap_id_give(int64_t id)
{
    pthread_mutex_lock(&lock);
    pool_give(&ids, id);
    pthread_mutex_unlock(&lock);
}

/* Removes the name of an allocation that is marked as named, and returns its id, which stays out of the pool. */
static __attribute__((noinline)) int64_t unname(const struct bit_position *p, uintptr_t start)
{
    pthread_mutex_lock(&lock);
    int64_t id = (int64_t)hash_table_remove(&names, start) - 1;
    unmark_named(p);
    atomic_fetch_add(&memory_generation, 1);
    pthread_mutex_unlock(&lock);
    return id;
}

int64_t heap_suspended(const void *start)
{
    uintptr_t address = (uintptr_t)start;
    struct leaf *leaf;
    if (!followable(address) || !(leaf = leaf_of(address)))
        return -1;
    struct bit_position p = bit_in(leaf, address);
    starts_change(&leaf->starts[p.word], p.bit, false);
    if (__builtin_expect(!(atomic_load(&leaf->named_words[p.word / 64]) >> (p.word % 64) & 1), 1) ||
        !(atomic_load(&leaf->named[p.word]) & p.bit))
        return -1;
    return unname(&p, address);
}

/* errno belongs to the program, which calls free; the release hook may change it. */
static __attribute__((noinline)) void release(int64_t id)
{
    int saved = errno;
    objects_tell_released("heap", id);
    heap_id_give(id);
    errno = saved;
}

void heap_freed(const void *start)
{
    int64_t id = heap_suspended(start);
    if (__builtin_expect(id >= 0, 0))
        release(id);
}

void heap_resumed(const void *start, int64_t id)
{
    if (start)
        heap_allocated(start);
    if (id < 0)
        return;
    struct leaf *leaf = start ? leaf_of((uintptr_t)start) : NULL;
    if (!leaf) {
        release(id);
        return;
    }
    struct bit_position p = bit_in(leaf, (uintptr_t)start);
    pthread_mutex_lock(&lock);
    mark_named(&p);
    bool kept = hash_table_set(&names, (uintptr_t)start, (uint64_t)id + 1);
    pthread_mutex_unlock(&lock);
    if (!kept)
        release(id);
}

/* ---- mapped memory ---- */

uint64_t heap_mappings_made(void)
{
    pthread_mutex_lock(&lock);
    uint64_t made = mappings.made;
    pthread_mutex_unlock(&lock);
    return made;
}

void heap_unmapped(const void *start, size_t length)
{
    heap_unmapped_old(start, length, UINT64_MAX);
}

void heap_unmapped_old(const void *start, size_t length, uint64_t made)
{
    uintptr_t from = (uintptr_t)start, to = from + length;
    for (bool more = to > from; more;) {
        int64_t id = -1;
        pthread_mutex_lock(&lock);
        more = mappings_cut_old(&mappings, from, to, made, &id);
        if (more)
            atomic_fetch_add(&memory_generation, 1);
        pthread_mutex_unlock(&lock);
        if (id >= 0)
            release(id);
    }
}

void heap_mapped(const void *start, size_t length)
{
    uintptr_t from = (uintptr_t)start, to = from + length;
    if (to <= from)
        return;
    heap_unmapped(start, length); /* MAP_FIXED over another mapping */
    pthread_mutex_lock(&lock);
    note_lowest(from);
    (void)mappings_add(&mappings, from, to); /* if memory is short, the mapping counts as unknown memory */
    atomic_fetch_add(&memory_generation, 1); /* START may have had a name as the end of what lies before it */
    pthread_mutex_unlock(&lock);
}

bool heap_mapping_serial(const void *start, uint64_t *serial)
{
    pthread_mutex_lock(&lock);
    const struct memory_mapping *range = mappings_find(&mappings, (uintptr_t)start);
    bool found = range && range->start == (uintptr_t)start;
    if (found)
        *serial = range->serial;
    pthread_mutex_unlock(&lock);
    return found;
}

void heap_mapping_gone(uint64_t serial)
{
    for (bool more = true; more;) {
        int64_t id = -1;
        pthread_mutex_lock(&lock);
        const struct memory_mapping *range = mappings_of(&mappings, serial);
        more = range;
        if (more) {
            (void)mappings_cut(&mappings, range->start, range->end, &id);
            atomic_fetch_add(&memory_generation, 1);
        }
        pthread_mutex_unlock(&lock);
        if (id >= 0)
            release(id);
    }
}

void heap_fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

void heap_fork_done(void)
{
    pthread_mutex_unlock(&lock);
}
