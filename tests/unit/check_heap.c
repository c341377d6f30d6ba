/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of memory: heap, mappings, stacks, static data. Nothing is intercepted here; the tests report each allocation
 * to the heap. Each test needs a process of its own. */
#define _GNU_SOURCE 1
#include "objects/heap.h"

#include <check.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "objects/sharing.h"
#include "objects/memory.h"
#include "objects/modules.h"

static char released[256];

static void note(const char *name)
{
    strncat(released, name, sizeof released - strlen(released) - 2);
    strcat(released, " ");
}

static void setup(void)
{
    objects_release_hook = note;
    released[0] = 0;
}

/* No assertions here: Check takes a lock for each, which a forked child would never get. */
static char *take(size_t size)
{
    char *p = malloc(size);
    if (!p)
        abort();
    p[0] = 0;
    heap_allocated(p);
    return p;
}

static void give(void *p)
{
    heap_freed(p);
    free(p);
}

/* What is told to who keeps the blocks that he has asked for. */
static struct memory_name cached_name(const void *p)
{
    static _Thread_local struct memory_blocks blocks;
    struct memory_name n;
    uint64_t generation;
    return memory_find_lasting(&blocks, p, &n, &generation) ? n : memory_name_unknown(p);
}

static void expect(const void *p, enum memory_space space, int64_t id, int64_t offset)
{
    for (int i = 0; i < 4; i++) { /* asking again changes nothing */
        struct memory_name n = i % 2 ? cached_name(p) : memory_name_of(p);
        ck_assert_int_eq(n.space, space);
        ck_assert_int_eq(n.id, id);
        ck_assert_int_eq(n.offset, offset);
    }
}

START_TEST(ids_come_with_the_first_name)
{
    char *a = take(100), *b = take(1000), *c = take(10);
    give(c);
    ck_assert_str_eq(released, "");
    expect(b + 64, MEMORY_HEAP, 0, 64);
    expect(a, MEMORY_HEAP, 1, 0);
    expect(a + 99, MEMORY_HEAP, 1, 99);
    expect(b + 999, MEMORY_HEAP, 0, 999);
    give(b);
    ck_assert_str_eq(released, "heap:0 ");
    c = take(5000);
    expect(c + 5000, MEMORY_HEAP, 0, 5000); /* an empty buffer behind the last element */
    expect(a + 1, MEMORY_HEAP, 1, 1);
    give(a);
    give(c);
    ck_assert_str_eq(released, "heap:0 heap:1 heap:0 ");
}
END_TEST

START_TEST(a_named_address_is_forgotten_when_it_is_freed)
{
    char *a = take(64), *other = take(64);
    expect(a, MEMORY_HEAP, 0, 0);
    expect(other, MEMORY_HEAP, 1, 0);
    heap_freed(a);
    heap_allocated(a); /* the allocator gave out the same address again */
    expect(other, MEMORY_HEAP, 1, 0);
    char *third = take(64);
    expect(third, MEMORY_HEAP, 0, 0);
    expect(a, MEMORY_HEAP, 2, 0);
    give(a);
    give(other);
    give(third);
    ck_assert_str_eq(released, "heap:0 heap:2 heap:1 heap:0 ");
}
END_TEST

START_TEST(realloc_keeps_the_id_only_in_place)
{
    char *a = take(64), *b = take(64);
    expect(b, MEMORY_HEAP, 0, 0);
    expect(a, MEMORY_HEAP, 1, 0);
    int64_t id = heap_suspended(b);
    ck_assert_int_eq(id, 0);
    char *c = take(64);
    expect(c, MEMORY_HEAP, 2, 0); /* id 0 is not free meanwhile */
    heap_resumed(b, id);
    expect(b + 3, MEMORY_HEAP, 0, 3);
    ck_assert_str_eq(released, "");
    id = heap_suspended(a);
    heap_resumed(NULL, id);
    ck_assert_str_eq(released, "heap:1 ");
    free(a);
    a = take(64);
    expect(a, MEMORY_HEAP, 1, 0);
    char *unnamed = take(64);
    ck_assert_int_eq(heap_suspended(unnamed), -1);
    heap_resumed(unnamed, -1);
    expect(unnamed + 1, MEMORY_HEAP, 3, 1);
    give(a);
    give(b);
    give(c);
    give(unnamed);
}
END_TEST

START_TEST(integers_that_are_no_addresses_are_not_named)
{
    struct memory_name n;
    char *a = take(64);
    ck_assert(!memory_find((const void *)(uintptr_t)8, &n));
    ck_assert(!memory_find((const void *)(uintptr_t)123456, &n));
    ck_assert(!memory_find((const void *)UINTPTR_MAX, &n));
    ck_assert(!memory_find((const void *)(uintptr_t)0x7000000000000000, &n));
    heap_freed(a);
    ck_assert(!memory_find(a, &n));
    ck_assert(!memory_find(a + 8, &n));
    heap_allocated(a);
    ck_assert(memory_find(a + 8, &n));
    ck_assert_int_eq(n.id, 0);
    ck_assert_int_eq(n.offset, 8);
    give(a);
}
END_TEST

START_TEST(unknown_addresses_have_ids_of_their_own)
{
    const char *nowhere = (const char *)(uintptr_t)0x1000;
    expect(nowhere, MEMORY_HEAP, 0, 0);
    expect(nowhere + 8, MEMORY_HEAP, 1, 0);
    char *a = take(8);
    expect(a, MEMORY_HEAP, 2, 0);
    expect(nowhere, MEMORY_HEAP, 0, 0);
    give(a);
    ck_assert_str_eq(released, "heap:2 ");
}
END_TEST

START_TEST(large_allocations_are_found_from_far_inside)
{
    enum { SMALL = 20000 };
    size_t huge = (size_t)3 << 30; /* more than a leaf of the bitmap, untouched */
    char *p = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(p != MAP_FAILED);
    /* Starts that come and go all over it leave summaries that say "perhaps". */
    for (size_t i = 0; i < SMALL; i++)
        heap_allocated(p + huge / SMALL / 16 * 16 * i);
    for (size_t i = 0; i < SMALL; i++)
        heap_freed(p + huge / SMALL / 16 * 16 * i);
    ck_assert(!munmap(p, huge));
    p = take(huge);
    expect(p + huge - 1, MEMORY_HEAP, 0, (int64_t)huge - 1);
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    int wrong = 0;
    for (size_t i = 0; i < 1000; i++) {
        struct memory_name n = memory_name_of(p + huge / 1000 * i);
        wrong += n.offset != (int64_t)(huge / 1000 * i) || n.id != 0;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    ck_assert_int_eq(wrong, 0);
    double ns = (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
    printf("%.0f ns a look-up inside 3 GiB\n", ns / 1000);
    /* Word by word it would be 200,000 ns and more, and ten times that under the thread sanitizer. */
    ck_assert_msg(ns / 1000 < 120000, "%.0f ns a look-up", ns / 1000);
    give(p);
    ck_assert_str_eq(released, "heap:0 ");
}
END_TEST

START_TEST(a_mapping_right_behind_an_allocation_has_its_own_name)
{
    char *p = take(64);
    size_t usable = malloc_usable_size(p);
    expect(p + usable, MEMORY_HEAP, 0, (int64_t)usable);
    heap_mapped(p + usable, 4096); /* only said: nothing is read there */
    expect(p, MEMORY_HEAP, 0, 0);
    struct memory_name n;
    ck_assert(memory_find(p + usable, &n));
    ck_assert_int_eq(n.id, 1);
    ck_assert_int_eq(n.offset, 0);
    heap_unmapped(p + usable, 4096);
    ck_assert_str_eq(released, "heap:1 ");
    char *q = take(64);
    size_t behind = malloc_usable_size(q);
    heap_mapped(q + behind, 4096);
    expect(q + behind, MEMORY_HEAP, 1, 0);
    heap_unmapped(q + behind, 4096);
    give(q);
    give(p);
}
END_TEST

START_TEST(heap_is_a_model)
{
    enum { BLOCKS = 3000, STEPS = 200000 };
    static struct {
        char *p;
        size_t size;
        int64_t id;
    } b[BLOCKS];
    uint32_t state = 5;
    int64_t wrong = 0;
    objects_release_hook = NULL;
    for (int i = 0; i < BLOCKS; i++)
        b[i].id = -1;
    for (int i = 0; i < STEPS; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t k = state >> 8;
        uint32_t at = k % BLOCKS;
        if (!b[at].p) {
            b[at].size = 1 + k % (k % 50 ? 300 : 300000);
            b[at].p = take(b[at].size);
        } else if (k / BLOCKS % 3 == 0) {
            give(b[at].p);
            b[at].p = NULL;
            b[at].id = -1;
        } else {
            size_t offset = (k / 7) % b[at].size;
            struct memory_name n = k & 64 ? cached_name(b[at].p + offset) : memory_name_of(b[at].p + offset);
            wrong += n.space != MEMORY_HEAP || n.offset != (int64_t)offset;
            wrong += b[at].id >= 0 && n.id != b[at].id;
            for (int j = 0; b[at].id < 0 && j < BLOCKS; j++)
                wrong += b[j].id == n.id; /* one to one */
            b[at].id = n.id;
        }
    }
    ck_assert_int_eq(wrong, 0);
    for (int i = 0; i < BLOCKS; i++)
        if (b[i].p)
            give(b[i].p);
    char *last = take(8);
    expect(last, MEMORY_HEAP, 0, 0); /* all ids are back */
    give(last);
}
END_TEST

START_TEST(mapped_memory)
{
    size_t page = (size_t)getpagesize();
    char *p = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(p != MAP_FAILED);
    heap_mapped(p, 16 * page);
    expect(p + 5, MEMORY_HEAP, 0, 5);
    heap_unmapped(p + 4 * page, page);
    expect(p + 3 * page, MEMORY_HEAP, 0, (int64_t)(3 * page));
    expect(p + 5 * page, MEMORY_HEAP, 0, (int64_t)(5 * page));
    expect(p + 4 * page, MEMORY_HEAP, 1, 0); /* unknown now */
    ck_assert_str_eq(released, "");
    heap_mapped(p + 5 * page, page); /* MAP_FIXED over a part */
    expect(p + 5 * page + 1, MEMORY_HEAP, 2, 1);
    heap_unmapped(p, 16 * page);
    ck_assert_str_eq(released, "heap:2 heap:0 ");
    munmap(p, 16 * page);
}
END_TEST

static char data[100];
static char zeroes[100000];

START_TEST(static_data)
{
    struct memory_name n = memory_name_of(data), m = memory_name_of(zeroes + 77), l = memory_name_of(stdout);
    ck_assert_int_eq(n.space, MEMORY_STATIC);
    ck_assert_int_eq(n.id, 0);
    ck_assert_int_eq(m.space, MEMORY_STATIC);
    ck_assert_int_eq(m.id, 0);
    ck_assert_int_eq(m.offset - n.offset, (zeroes + 77) - data);
    ck_assert_int_eq(l.space, MEMORY_STATIC);
    ck_assert_int_eq(l.id, 1);
    struct code_frame own, library;
    ck_assert(modules_frame(data, &own));
    ck_assert_str_eq(own.module->name, program_invocation_short_name);
    ck_assert_uint_eq(own.offset, (uint64_t)n.offset);
    ck_assert(modules_frame(stdout, &library));
    ck_assert_ptr_nonnull(strstr(library.module->name, "libc"));
    ck_assert_uint_eq(library.offset, (uint64_t)l.offset);
    int local;
    ck_assert(!modules_frame(&local, &own));
}
END_TEST

static const char *shared;
static struct memory_name seen;

static void *look(void *unused)
{
    (void)unused;
    char local = 0;
    ck_assert_int_eq(memory_name_of(&local).space, MEMORY_STACK);
    seen = memory_name_of(shared);
    return NULL;
}

START_TEST(stacks)
{
    char local[200] = {0};
    expect(local, MEMORY_STACK, 0, 0);
    expect(local + 100, MEMORY_STACK, 1, 0);
    expect(local, MEMORY_STACK, 0, 0);
    shared = local;
    pthread_t t;
    ck_assert(!pthread_create(&t, NULL, look, NULL));
    ck_assert(!pthread_join(t, NULL));
    ck_assert_int_eq(seen.space, MEMORY_STACK);
    ck_assert_int_eq(seen.id, 0);
    expect(local + 50, MEMORY_STACK, 3, 0);
}
END_TEST

static sem_t told, done;

static void *live(void *unused)
{
    char local = 0;
    (void)unused;
    memory_know_stack();
    shared = &local;
    (void)sem_post(&told);
    while (sem_wait(&done) != 0)
        ;
    return NULL;
}

START_TEST(a_stack_inside_an_allocation_has_names_of_its_own)
{
    enum { STACK = 1 << 22, BEFORE = 1 << 16 }; /* sanitizers need a large stack */
    char *block = take(BEFORE + STACK + BEFORE), *stack = block + BEFORE;
    expect(block + 1, MEMORY_HEAP, 0, 1);
    expect(stack + 1, MEMORY_HEAP, 0, BEFORE + 1);
    pthread_t t;
    pthread_attr_t attributes;
    ck_assert(!sem_init(&told, 0, 0) && !sem_init(&done, 0, 0) && !pthread_attr_init(&attributes));
    ck_assert(!pthread_attr_setstack(&attributes, stack, STACK));
    ck_assert(!pthread_create(&t, &attributes, live, NULL));
    while (sem_wait(&told) != 0)
        ;
    expect(block + 1, MEMORY_HEAP, 0, 1);
    ck_assert_int_eq(cached_name(shared).space, MEMORY_STACK);
    ck_assert_int_eq(cached_name(stack + 64).space, MEMORY_STACK);
    expect(block + BEFORE + STACK, MEMORY_HEAP, 0, BEFORE + STACK);
    ck_assert(!sem_post(&done) && !pthread_join(t, NULL));
    expect(stack + 1, MEMORY_HEAP, 0, BEFORE + 1);
    give(block);
}
END_TEST

/* What memory_find_lasting says of an address. */
struct answer {
    const void *address;
    struct memory_name name;
    uint64_t generation;
    bool found;
};

static void *ask(void *answer)
{
    struct memory_blocks blocks = {.next = 0};
    struct answer *a = answer;
    a->found = memory_find_lasting(&blocks, a->address, &a->name, &a->generation);
    return NULL;
}

static void ask_in_thread(struct answer *a)
{
    pthread_t t;
    ck_assert(!pthread_create(&t, NULL, ask, a));
    ck_assert(!pthread_join(t, NULL));
}

START_TEST(the_first_threads_stack_is_known_to_others_and_lasts)
{
    char local = 0;
    struct answer a = {.address = &local};
    ask_in_thread(&a);
    ck_assert(!a.found);
    ck_assert_uint_eq(a.generation, 0);
    uint64_t before = memory_generation;
    memory_know_stack();
    ck_assert_uint_ne(memory_generation, before);
    ask_in_thread(&a);
    ck_assert(a.found);
    ck_assert_int_eq(a.name.space, MEMORY_STACK);
    ck_assert_uint_ne(a.generation, 0);
}
END_TEST

START_TEST(unknown_memory_lasts_if_nothing_is_followed)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct answer a = {.address = page};
    ck_assert_ptr_ne(page, MAP_FAILED);
    ask(&a);
    ck_assert(!a.found);
    ck_assert_uint_eq(a.generation, 0);
    memory_followed = false;
    ask(&a);
    ck_assert(!a.found);
    ck_assert_uint_eq(a.generation, memory_generation);
    memory_followed = true;
    munmap(page, 4096);
}
END_TEST

START_TEST(nothing_is_followed_with_buffers_off)
{
    char *a = take(64);
    memory_followed = false;
    expect(a, MEMORY_HEAP, 0, 0);
    expect(a + 8, MEMORY_HEAP, 1, 0);
    expect(data, MEMORY_STATIC, 0, memory_name_of(data).offset);
    memory_followed = true;
    free(a);
}
END_TEST

/* Threads that allocate, name and free in the same arenas; and pointers just behind each other's blocks. */
static void *churn(void *number)
{
    uint32_t state = (uint32_t)(uintptr_t)number;
    int64_t wrong = 0;
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525u + 1013904223u;
        size_t size = 1 + (state >> 8) % 2000;
        char *p = take(size), *q = take(size);
        struct memory_name n = memory_name_of(p + size / 2), m = memory_name_of(p);
        wrong += n.space != MEMORY_HEAP || n.offset != (int64_t)(size / 2) || m.id != n.id || m.offset != 0;
        uintptr_t behind = (uintptr_t)q + size;
        give(q);
        struct memory_name stale; /* its name may be anything, but looking must not crash */
        (void)memory_find((const void *)behind, &stale);
        n = memory_name_of(p);
        wrong += n.id != m.id;
        give(p);
    }
    return (void *)(uintptr_t)wrong;
}

START_TEST(threads_at_the_same_time)
{
    enum { THREADS = 4 };
    pthread_t t[THREADS];
    objects_release_hook = NULL;
    for (size_t i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&t[i], NULL, churn, (void *)(uintptr_t)(i + 1)));
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert(!pthread_join(t[i], &wrong));
        ck_assert_ptr_null(wrong);
    }
    char *last = take(8);
    expect(last, MEMORY_HEAP, 0, 0); /* all ids are back */
    give(last);
}
END_TEST

static void *allocate_until(void *stop)
{
    while (!atomic_load((atomic_bool *)stop)) {
        char *p = take(64);
        (void)memory_name_of(p);
        give(p);
    }
    return NULL;
}

START_TEST(a_forked_child_can_allocate)
{
    static atomic_bool stop;
    pthread_t t;
    objects_release_hook = NULL;
    char *first = take(8);
    expect(first, MEMORY_HEAP, 0, 0);
    ck_assert(!pthread_create(&t, NULL, allocate_until, &stop));
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            char *p = take(100);
            bool good = memory_name_of(p).id == memory_name_of(p + 1).id;
            give(p);
            _exit(good ? 0 : 1);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(t, NULL);
    give(first);
}
END_TEST

static void setup_owner(void)
{
    setup();
    heap_own();
}

static void *take_some(void *blocks)
{
    for (int i = 0; i < 2; i++)
        ((char **)blocks)[i] = take(100);
    return NULL;
}

static void *give_some(void *blocks)
{
    for (int i = 0; i < 2; i++)
        heap_freed(((char **)blocks)[i]);
    return NULL;
}

static void in_other_thread(void *(*run)(void *), void *argument)
{
    pthread_t t;
    ck_assert(!pthread_create(&t, NULL, run, argument));
    ck_assert(!pthread_join(t, NULL));
}

START_TEST(blocks_go_from_the_owner_to_others_and_back)
{
    char *own[2], *others[2];
    struct memory_name n;
    take_some(own);
    in_other_thread(take_some, others);
    for (int i = 0; i < 2; i++)
        ck_assert(heap_begins(own[i]) && heap_begins(others[i]));
    expect(own[0], MEMORY_HEAP, 0, 0);
    in_other_thread(give_some, own);
    give_some(others);
    for (int i = 0; i < 2; i++) {
        ck_assert(!heap_begins(own[i]) && !heap_begins(others[i]));
        ck_assert(!memory_find(own[i], &n) && !memory_find(others[i], &n));
    }
    /* The same addresses once more, the other way round; twice, as some allocators' blocks are only seen when they
     * are freed. */
    for (int round = 0; round < 2; round++) {
        heap_freed(own[0]);
        heap_allocated(own[0]);
        heap_allocated(own[0]);
        expect(own[0] + 5, MEMORY_HEAP, 0, 5);
        heap_freed(own[0]);
        ck_assert(!heap_begins(own[0]));
    }
    for (int i = 0; i < 2; i++) {
        free(own[i]);
        free(others[i]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("heap");
    TCase *c = tcase_create("heap");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, NULL);
    tcase_add_test(c, ids_come_with_the_first_name);
    tcase_add_test(c, a_named_address_is_forgotten_when_it_is_freed);
    tcase_add_test(c, realloc_keeps_the_id_only_in_place);
    tcase_add_test(c, integers_that_are_no_addresses_are_not_named);
    tcase_add_test(c, unknown_addresses_have_ids_of_their_own);
    tcase_add_test(c, large_allocations_are_found_from_far_inside);
    tcase_add_test(c, a_mapping_right_behind_an_allocation_has_its_own_name);
    tcase_add_test(c, heap_is_a_model);
    tcase_add_test(c, mapped_memory);
    tcase_add_test(c, static_data);
    tcase_add_test(c, stacks);
    tcase_add_test(c, a_stack_inside_an_allocation_has_names_of_its_own);
    tcase_add_test(c, the_first_threads_stack_is_known_to_others_and_lasts);
    tcase_add_test(c, unknown_memory_lasts_if_nothing_is_followed);
    tcase_add_test(c, nothing_is_followed_with_buffers_off);
    tcase_add_test(c, threads_at_the_same_time);
    tcase_add_test(c, a_forked_child_can_allocate);
    suite_add_tcase(s, c);
    TCase *owned = tcase_create("owned");
    tcase_set_timeout(owned, 60);
    tcase_add_checked_fixture(owned, setup_owner, NULL);
    tcase_add_test(owned, blocks_go_from_the_owner_to_others_and_back);
    tcase_add_test(owned, large_allocations_are_found_from_far_inside);
    tcase_add_test(owned, heap_is_a_model);
    tcase_add_test(owned, threads_at_the_same_time);
    tcase_add_test(owned, a_forked_child_can_allocate);
    suite_add_tcase(s, owned);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
