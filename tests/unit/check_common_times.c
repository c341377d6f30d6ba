/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of several threads in one section: all are read back, whatever the order of the threads, and a changed section
 * does no harm. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "read/file/common_section.h"
#include "timing/common_times.h"
#include "timing/times_block.h"

enum { THREADS = 3000, PLACES = 5, BASE = 200000, ORDERS = 25, LONGEST = 20 };

struct short_thread {
    struct span spans[COMMON_CALLS_MAX];
    double readings[COMMON_CALLS_MAX];
    uint32_t count, kind;
    bool found;
};

static struct short_thread threads[THREADS];
static enum times_kind kind;
static uint32_t section_count;
static uint64_t section_bytes;
static bool is_changed; /* sections are read with a byte changed */

/* Of each order, the classes: place 1 reads a clock in some. */
static bool reads_clock(uint32_t order, uint32_t place)
{
    return order % 4 == 3 && place == 1;
}

static uint32_t place_in(uint32_t order, uint32_t call)
{
    uint32_t places = 1 + order % PLACES;
    return call < places ? call : (call * (order + 3) + call / 3) % places;
}

static void make_thread(struct short_thread *t, uint32_t number, uint32_t order)
{
    uint64_t now = 20000 * (uint64_t)number + random_below(10000);
    t->kind = order;
    t->found = false;
    t->count = order == 7 ? COMMON_CALLS_MAX : 1 + order % PLACES + order % LONGEST;
    for (uint32_t i = 0; i < t->count; i++) {
        struct span *s = &t->spans[i];
        s->start = now;
        s->end = now += random_below(4) ? random_below(500) : (uint64_t)random_below(1 << 30) << random_below(9);
        s->class = place_in(order, i);
        s->signature = i % 2;
        t->readings[i] =
            1000.5 + 1e-9 * (double)(s->start +
                                     random_below(1 + (uint32_t)(s->end - s->start < 1000 ? s->end - s->start : 1000)));
        now += random_below(3) ? random_below(300) : 0;
    }
}

/* Stored times of a thread's calls so far. */
struct stored {
    uint64_t end;
    uint64_t starts[PLACES][2]; /* of the last call of each signature, or UINT64_MAX */
};

/* Whether STORED is within the bound of bins, measured from BEFORE, which is stored, too. */
static bool is_near(uint64_t stored, uint64_t time, uint64_t before)
{
    return stored <= time && 1e6 * (double)(time - before) <= (1e6 + BASE) * (double)(stored - before) + 1e6;
}

static void check_call(const struct times_block *block, const struct short_thread *t, uint32_t i, uint64_t start,
                       uint64_t end, struct stored *stored)
{
    const struct span *s = &t->spans[i];
    uint64_t *last = &stored->starts[s->class][s->signature], before = *last == UINT64_MAX ? stored->end : *last;
    double reading;
    bool reads = reads_clock(t->kind, s->class);
    EXPECT(i > 0 || start == s->start, "the first start");
    EXPECT(times_block_reading(block, &reading) == reads, "a reading");
    if (kind == TIMES_BINS) {
        EXPECT(reads || is_near(start, s->start, before), "call %u: start %" PRIu64 " for %" PRIu64, i, start,
               s->start);
        EXPECT(is_near(end - start, s->end - s->start, 0), "call %u: a duration", i);
        EXPECT(!reads || reading <= t->readings[i] + 2e-9, "a reading of %.17g for %.17g", reading, t->readings[i]);
    } else {
        EXPECT(start == s->start && end == s->end, "call %u", i);
        EXPECT(!reads || !memcmp(&reading, &t->readings[i], sizeof reading), "reading %.17g", reading);
    }
    *last = start;
    stored->end = end;
}

/* Reads it all. False: it is damaged. */
static bool read_section(const struct bytes *content, bool compare)
{
    struct cursor in;
    struct common_section common;
    struct times_block *block = NULL;
    const char *problem;
    uint64_t start, end, now = 0, number = 0;
    cursor_init(&in, content->data, content->length);
    bool good = cursor_varint(&in) == 0 && common_section_read(&in, &common, &problem) == PILGRIM_OK &&
                times_block_open(&in, PLACES, &block, &problem) == PILGRIM_OK &&
                times_block_calls(block) == common.calls * common.thread_count;
    for (uint64_t k = 0; good && k < common.thread_count; k++) {
        struct cursor order = common.order;
        number += (uint64_t)cursor_svarint(&common.numbers);
        now += (uint64_t)cursor_svarint(&common.starts);
        struct short_thread *t = compare ? &threads[number] : NULL;
        struct stored stored = {.end = now};
        memset(stored.starts, 0xff, sizeof stored.starts);
        good = now <= TIMES_NS_MAX;
        times_block_jump(block, now);
        for (uint32_t i = 0; good && i < common.calls; i++) {
            uint32_t place = (uint32_t)cursor_varint(&order);
            good = times_block_next(block, place, &start, &end) == PILGRIM_OK;
            if (!good || !t)
                continue;
            EXPECT(place == t->spans[i].class, "call %u of place %u", i, place);
            check_call(block, t, i, start, end, &stored);
        }
        if (t) {
            EXPECT(!t->found && t->count == common.calls, "thread %" PRIu64, number);
            t->found = true;
        }
    }
    times_block_free(block);
    return good;
}

static enum pilgrim_status sink(void *context, const struct bytes *content, const struct bytes *ends)
{
    size_t last = 0;
    for (size_t i = 0; i < ends->length / sizeof last; i++) {
        size_t end;
        memcpy(&end, ends->data + i * sizeof end, sizeof end);
        ck_assert_uint_le(last, end);
        ck_assert_uint_le(end, content->length);
        last = end;
    }
    section_count++;
    section_bytes += content->length;
    ck_assert_ptr_eq(context, &section_count);
    ck_assert(read_section(content, true));
    struct bytes changed = {0};
    bytes_put(&changed, content->data, content->length);
    for (size_t i = 0; is_changed && i < content->length; i++) {
        changed.data[i] ^= (uint8_t)(1 + random_below(255));
        (void)read_section(&changed, false);
        changed.data[i] = content->data[i];
        const struct bytes cut = {.data = changed.data, .length = i};
        EXPECT(!read_section(&cut, false), "%zu of %zu bytes", i, content->length);
    }
    bytes_free(&changed);
    return PILGRIM_OK;
}

static void add(struct common_times *c, uint32_t number)
{
    const struct short_thread *t = &threads[number];
    struct common_class classes[PLACES];
    uint32_t count = 1 + t->kind % PLACES;
    for (uint32_t i = 0; i < count; i++)
        classes[i] = (struct common_class){.base = BASE, .reads = reads_clock(t->kind, i)};
    ck_assert_int_eq(common_times_add(c, number, classes, count, t->spans, t->readings, t->count), PILGRIM_OK);
}

/* ORDERS kinds of threads, more than are gathered at a time; or one. In a random order, a little. */
static void run_threads(uint32_t orders, uint32_t count)
{
    struct common_times *c = common_times_new(kind, sink, &section_count);
    section_count = 0;
    section_bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        make_thread(&threads[i], i, orders == 1 ? 2 : random_below(orders));
    for (uint32_t i = 0; i < count; i += 2) {
        if (i + 1 < count)
            add(c, i + 1);
        add(c, i);
    }
    ck_assert_int_eq(common_times_flush(c), PILGRIM_OK);
    ck_assert_int_eq(common_times_flush(c), PILGRIM_OK);
    common_times_free(c);
    for (uint32_t i = 0; i < count; i++)
        EXPECT(threads[i].found, "thread %u", i);
}

START_TEST(all_are_there)
{
    kind = _i % 2 ? TIMES_BINS : TIMES_EXACT;
    is_changed = false;
    random_state = (uint64_t)_i + 1;
    run_threads(_i < 2 ? 1 : _i < 8 ? 10 : ORDERS, THREADS);
    if (_i < 2) {
        ck_assert_uint_lt(section_count, 20);
        ck_assert_uint_lt(section_bytes, THREADS * 25);
    }
}
END_TEST

START_TEST(changed)
{
    kind = _i % 2 ? TIMES_BINS : TIMES_EXACT;
    is_changed = true;
    random_state = (uint64_t)_i + 1;
    run_threads(4, 60);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("common_times");
    TCase *tc = tcase_create("common_times");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, all_are_there, 0, 12);
    tcase_add_loop_test(tc, changed, 0, 6);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
