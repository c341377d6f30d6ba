/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of CUDA memory. Addresses are made up: nothing is read there. */
#define _GNU_SOURCE 1
#include "objects/device.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "objects/sharing.h"
#include "objects/heap.h"
#include "objects/memory.h"

static char released[256];
static const uintptr_t base = UINT64_C(0x700000000000);

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

static void expect(uintptr_t address, int64_t device, int64_t id, int64_t offset)
{
    for (int i = 0; i < 2; i++) { /* the second time from the thread's cache */
        struct memory_name n = memory_name_of((const void *)address);
        ck_assert_int_eq(n.space, device < 0 ? MEMORY_HEAP : MEMORY_DEVICE);
        ck_assert_int_eq(n.device, device < 0 ? 0 : device);
        ck_assert_int_eq(n.id, id);
        ck_assert_int_eq(n.offset, offset);
    }
}

static bool known(uintptr_t address)
{
    struct memory_name n;
    return memory_find((const void *)address, &n);
}

static void give(uintptr_t start)
{
    struct device_range range;
    ck_assert(device_suspended(start, &range));
    device_freed(&range);
}

START_TEST(each_device_has_its_ids)
{
    device_allocated(base, 100, 0, false);
    device_allocated(base + 1000, 100, 7, false);
    device_allocated(base + 2000, 100, 0, false);
    device_allocated(base + 3000, 100, 1000, false);
    device_allocated(base + 4000, 100, 1001, false);
    expect(base + 2099, 0, 0, 99);
    expect(base + 1000, 7, 0, 0);
    expect(base, 0, 1, 0);
    expect(base + 3001, 1000, 0, 1);
    expect(base + 4001, 1001, 1, 1); /* a pool that many share */
    ck_assert(!known(base - 1));
    ck_assert(!known(base + 101));
    give(base + 2000);
    ck_assert(!known(base + 2000));
    ck_assert_str_eq(released, "device:0:0 ");
    device_allocated(base + 2000, 10, 0, false);
    expect(base + 2000, 0, 0, 0);
    for (uintptr_t at = 0; at < 5; at++)
        give(base + 1000 * at);
    ck_assert_str_eq(released, "device:0:0 device:0:1 device:7:0 device:0:0 device:1000:0 device:1001:1 ");
}
END_TEST

START_TEST(the_end_belongs_to_it_unless_something_begins_there)
{
    device_allocated(base, 100, 0, false);
    expect(base + 100, 0, 0, 100);
    device_allocated(base + 100, 100, 0, false);
    expect(base + 100, 0, 1, 0);
    expect(base + 200, 0, 1, 100);
    heap_mapped((const void *)(base + 200), 4096);
    expect(base + 150, 0, 1, 50);
    struct memory_name n = memory_name_of((const void *)(base + 200));
    ck_assert_int_eq(n.space, MEMORY_HEAP);
    heap_unmapped((const void *)(base + 200), 4096);
    give(base);
    give(base + 100);
}
END_TEST

START_TEST(it_lies_in_address_space_that_the_driver_mapped)
{
    heap_mapped((const void *)base, 1 << 20);
    expect(base + 4096, -1, 0, 4096);
    device_allocated(base + 4096, 4096, 2, false);
    expect(base + 4096, 2, 0, 0);
    expect(base + 8192, 2, 0, 4096);
    expect(base + 8193, -1, 0, 8193);
    give(base + 4096);
    expect(base + 4096, -1, 0, 4096);
    heap_unmapped((const void *)base, 1 << 20);
}
END_TEST

START_TEST(page_locked_memory_is_heap)
{
    device_allocated(base, 100, 3, true);
    device_allocated(base + 1000, 100, 3, true);
    char *block = malloc(100);
    heap_allocated(block);
    expect(base + 1001, -1, 0, 1);
    expect((uintptr_t)block, -1, 1, 0);
    expect(base + 2, -1, 2, 2);
    give(base + 1000);
    give(base);
    heap_freed(block);
    free(block);
    ck_assert_str_eq(released, "heap:0 heap:2 heap:1 ");
}
END_TEST

START_TEST(freeing_that_failed_changes_nothing)
{
    struct device_range range;
    device_allocated(base, 100, 0, false);
    device_allocated(base + 1000, 100, 0, false);
    expect(base, 0, 0, 0);
    ck_assert(!device_suspended(base + 1, &range));
    ck_assert(!device_suspended(0, &range));
    ck_assert(device_suspended(base, &range));
    expect(base + 1000, 0, 1, 0); /* its id is not free meanwhile */
    device_resumed(&range);
    expect(base, 0, 0, 0);
    ck_assert_str_eq(released, "");
    ck_assert(device_suspended(base, &range));
    device_allocated(base, 10, 0, false); /* another thread was faster */
    device_resumed(&range);
    ck_assert_str_eq(released, "device:0:0 ");
    expect(base + 5, 0, 0, 5);
    give(base);
    give(base + 1000);
}
END_TEST

START_TEST(a_new_allocation_replaces_what_it_overlaps)
{
    for (uintptr_t at = 0; at < 10; at++)
        device_allocated(base + 100 * at, 100, 0, false);
    expect(base + 350, 0, 0, 50);
    device_allocated(base + 150, 500, 1, false);
    ck_assert_str_eq(released, "device:0:0 ");
    expect(base + 99, 0, 0, 99);
    ck_assert(!known(base + 120));
    expect(base + 350, 1, 0, 200);
    expect(base + 700, 0, 1, 0);
    device_gone(base, base + 1000, -1, device_moment());
    ck_assert(!known(base + 350));
    device_allocated(base, SIZE_MAX, 0, false); /* nonsense */
    ck_assert(!known(base));
    device_allocated(base, 0, 0, false);
    expect(base, 0, 0, 0);
    give(base);
}
END_TEST

START_TEST(a_reset_takes_what_there_was_on_the_device)
{
    device_allocated(base, 100, 0, false);
    device_allocated(base + 1000, 100, 1, false);
    device_allocated(base + 2000, 100, 1, true);
    uint64_t moment = device_moment();
    device_allocated(base + 3000, 100, 1, false); /* while the reset ran */
    expect(base + 1000, 1, 0, 0);
    expect(base + 2000, -1, 0, 0);
    device_gone(0, UINTPTR_MAX, 1, moment);
    ck_assert_str_eq(released, "device:1:0 heap:0 ");
    ck_assert(known(base) && known(base + 3000) && !known(base + 1000) && !known(base + 2000));
    give(base);
    give(base + 3000);
}
END_TEST

static struct memory_name found(uintptr_t address, uintptr_t start, uintptr_t end, int64_t device, uint64_t buffer)
{
    struct device_range range = {.start = start, .end = end, .device = device, .id = -1, .buffer = buffer};
    struct memory_name name;
    device_name_found((const void *)address, &range, &name);
    ck_assert_int_eq(name.space, MEMORY_DEVICE);
    ck_assert_int_eq(name.device, device);
    ck_assert_int_eq(name.offset, (int64_t)(address - start));
    return name;
}

START_TEST(what_the_driver_tells_is_told_apart_by_its_number)
{
    ck_assert_int_eq(found(base + 5, base, base + 100, 2, 11).id, 0);
    ck_assert_int_eq(found(base + 200, base + 200, base + 300, 2, 12).id, 1);
    ck_assert_int_eq(found(base + 6, base, base + 100, 2, 11).id, 0);
    ck_assert_str_eq(released, "");
    ck_assert(!known(base + 6)); /* it may be gone: only the driver knows */
    ck_assert_int_eq(found(base + 6, base, base + 100, 2, 13).id, 0);
    ck_assert_str_eq(released, "device:2:0 ");
    device_allocated(base, 50, 2, false);
    ck_assert_str_eq(released, "device:2:0 device:2:0 ");
    expect(base + 1, 2, 0, 1);
    give(base);
    give(base + 200);
}
END_TEST

enum { THREADS = 4, STEPS = 20000 };

static void *churn(void *number)
{
    uintptr_t mine = base + ((uintptr_t)number << 30);
    int64_t wrong = 0;
    for (uintptr_t i = 0; i < STEPS; i++) {
        uintptr_t at = mine + i % 100 * 1000;
        struct device_range range;
        device_allocated(at, 1000, (int64_t)(i % 3), false);
        struct memory_name n = memory_name_of((const void *)(at + 77));
        wrong += n.space != MEMORY_DEVICE || n.device != (int64_t)(i % 3) || n.offset != 77;
        bool there = device_suspended(at, &range);
        wrong += !there || range.id != n.id;
        if (there)
            device_freed(&range);
    }
    return (void *)(uintptr_t)wrong;
}

START_TEST(threads_at_the_same_time)
{
    pthread_t t[THREADS];
    objects_release_hook = NULL;
    for (size_t i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&t[i], NULL, churn, (void *)(uintptr_t)(i + 1)));
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert(!pthread_join(t[i], &wrong));
        ck_assert_ptr_null(wrong);
    }
    device_allocated(base, 10, 0, false);
    expect(base, 0, 0, 0); /* all ids are back */
    give(base);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("device");
    TCase *c = tcase_create("device");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, NULL);
    tcase_add_test(c, each_device_has_its_ids);
    tcase_add_test(c, the_end_belongs_to_it_unless_something_begins_there);
    tcase_add_test(c, it_lies_in_address_space_that_the_driver_mapped);
    tcase_add_test(c, page_locked_memory_is_heap);
    tcase_add_test(c, freeing_that_failed_changes_nothing);
    tcase_add_test(c, a_new_allocation_replaces_what_it_overlaps);
    tcase_add_test(c, a_reset_takes_what_there_was_on_the_device);
    tcase_add_test(c, what_the_driver_tells_is_told_apart_by_its_number);
    tcase_add_test(c, threads_at_the_same_time);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
