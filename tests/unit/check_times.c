/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of calls, encoded and decoded: exact times are equal, binned times keep their bounds, for every call. The
 * bounds are computed here from the document, from the true times and the decoded ones alone. Damaged blocks are
 * refused, or give other times.
 *
 * One file, as all of it is compared with the same true times and bounds. */
#include "timing/times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/section.h"
#include "format/trace_format.h"
#include "random.h"
#include "timing/times_block.h"

enum { CLASSES = 7, SIGNATURES = 9, SPANS_MAX = 100000, BATCH = 1000, DAY_NS_BITS = 47 };

static const uint32_t bases[] = {BINS_BASE_MIN, 1000, 10000, 100000, 200000, 500000, 1000000, 3000000};
enum { BASES = sizeof bases / sizeof *bases };

static struct span spans[SPANS_MAX];
static struct span decoded[SPANS_MAX];

/* ---- what programs do ---- */

/* A number whose bits are counted evenly, below 2^BITS. */
static uint64_t any_size(unsigned bits)
{
    unsigned size = random_below(bits + 1);
    uint64_t value = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return size ? value >> (64 - size) : 0;
}

/* Around MEAN. */
static uint64_t noisy(uint64_t mean)
{
    return mean * 3 / 4 + random_below((uint32_t)(mean / 2) + 1);
}

/* COUNT calls from START on. Mostly rounds of a loop whose gaps and durations vary a little; now and then anything,
 * from nothing to days. */
static void make_spans(size_t count, uint64_t start)
{
    static const uint64_t gaps[CLASSES] = {0, 120, 90, 50000, 300, 1000000, 7},
                          durations[CLASSES] = {0, 450, 40, 2000, 0, 60000, 9};
    for (size_t i = 0; i < count; i++) {
        uint32_t class = (uint32_t)(i % CLASSES);
        if (random_below(20) == 0)
            class = random_below(CLASSES);
        uint64_t gap = noisy(gaps[class]), duration = noisy(durations[class]);
        if (random_below(50) == 0)
            gap = any_size(random_below(20) ? 20 : DAY_NS_BITS);
        if (random_below(50) == 0)
            duration = any_size(random_below(20) ? 20 : DAY_NS_BITS);
        spans[i] = (struct span){start + gap, start + gap + duration, class,
                                 random_below(3) ? class : random_below(SIGNATURES)};
        start = spans[i].end;
    }
}

/* ---- encoding and decoding ---- */

static void check(enum pilgrim_status status)
{
    ck_assert_int_eq(status, PILGRIM_OK);
}

/* Class 6 has a base of its own. */
static uint32_t base_of(uint32_t base, uint32_t class)
{
    return class == 6 ? 15000 : base;
}

static void announce(struct times *t, uint32_t base)
{
    for (uint32_t class = 0; class < CLASSES; class ++)
        check(times_class(t, class, base_of(base, class), false));
}

/* Decodes a content of the COUNT calls at FIRST. */
static void decode(const struct bytes *content, size_t first, size_t count, uint64_t begin)
{
    struct times_block *block;
    struct cursor c;
    const char *problem = NULL;
    cursor_init(&c, content->data, content->length);
    enum pilgrim_status status = times_block_open(&c, CLASSES, &block, &problem);
    ck_assert_msg(status == PILGRIM_OK, "%s", problem);
    ck_assert_uint_eq(cursor_left(&c), 0);
    ck_assert_uint_eq(times_block_calls(block), count);
    ck_assert_uint_eq(times_block_begin(block), begin);
    for (size_t i = first; i < first + count; i++) {
        decoded[i].class = spans[i].class;
        EXPECT(times_block_next(block, spans[i].class, &decoded[i].start, &decoded[i].end) == PILGRIM_OK, "call %zu",
               i);
    }
    ck_assert_uint_eq(times_block_left(block), 0);
    uint64_t start, end;
    ck_assert_int_eq(times_block_next(block, 0, &start, &end), PILGRIM_END);
    times_block_free(block);
}

/* Takes what is pending, through a section of a file. Returns the section's bytes. */
static size_t pass_block(struct times *t, size_t first, size_t count)
{
    struct bytes content = {0}, ends = {0}, file = {0}, again = {0};
    ck_assert_uint_eq(times_pending(t), count);
    check(times_take(t, &content, &ends));
    ck_assert_uint_eq(times_pending(t), 0);
    const size_t *starts = (const size_t *)(const void *)ends.data;
    void *context = NULL;
    check(section_write_parts(&context, &file, SECTION_TIMES, &content, starts, ends.length / sizeof(size_t)));
    section_write_free(context);
    struct cursor c;
    struct section section;
    cursor_init(&c, file.data, file.length);
    check(section_read(&c, &section));
    ck_assert_ptr_null(section.damage);
    check(section_content(&section, &again));
    ck_assert_uint_eq(again.length, content.length);
    ck_assert_mem_eq(again.data, content.data, content.length);
    decode(&again, first, count, first ? decoded[first - 1].end : 0);
    size_t bytes = file.length;
    bytes_free(&content);
    bytes_free(&ends);
    bytes_free(&file);
    bytes_free(&again);
    return bytes;
}

/* Spans [first, first + count) in blocks of about BLOCK. Returns the bytes of their sections. */
static size_t pass(struct times *t, size_t first, size_t count, size_t block)
{
    size_t bytes = 0, pending = 0;
    for (size_t i = first; i < first + count;) {
        size_t batch = 1 + random_below(BATCH);
        batch = batch < first + count - i ? batch : first + count - i;
        check(times_add(t, spans + i, NULL, batch));
        i += batch;
        pending += batch;
        if (pending >= block || i == first + count) {
            bytes += pass_block(t, i - pending, pending);
            pending = 0;
        }
    }
    return bytes;
}

/* ---- the bounds ---- */

/* value x 10^6 <= stored x (10^6 + base) */
static bool is_within(uint64_t value, uint64_t stored, uint32_t base)
{
    return stored <= value &&
           (unsigned __int128)value * 1000000 <= (unsigned __int128)stored * (1000000 + (uint64_t)base);
}

/* Of the calls of one segment. */
static void check_bounds(size_t first, size_t count, uint32_t base)
{
    uint64_t starts[CLASSES][SIGNATURES], end = first ? decoded[first - 1].end : 0;
    for (unsigned i = 0; i < CLASSES * SIGNATURES; i++)
        starts[i / SIGNATURES][i % SIGNATURES] = UINT64_MAX;
    for (size_t i = first; i < first + count; i++) {
        const struct span *s = &spans[i], *d = &decoded[i];
        uint64_t *last = &starts[s->class][s->signature], since = *last == UINT64_MAX ? end : *last;
        uint32_t b = base_of(base, s->class);
        EXPECT(d->start >= end && d->end >= d->start && d->end <= s->end, "call %zu: order", i);
        EXPECT(is_within(s->start - since, d->start - since, b), "call %zu: start", i);
        EXPECT(is_within(s->end - s->start, d->end - d->start, b), "call %zu: duration", i);
        *last = d->start;
        end = d->end;
    }
}

START_TEST(bins_keep_their_bounds)
{
    random_state = 1 + (uint64_t)_i;
    make_spans(SPANS_MAX, any_size(40));
    struct times *t = times_new(TIMES_BINS);
    announce(t, bases[_i]);
    pass(t, 0, SPANS_MAX / 2, TIMES_BLOCK_CALLS);
    check_bounds(0, SPANS_MAX / 2, bases[_i]);
    times_renew(t);
    announce(t, bases[_i]);
    pass(t, SPANS_MAX / 2, SPANS_MAX / 2, 5000);
    check_bounds(SPANS_MAX / 2, SPANS_MAX / 2, bases[_i]);
    times_free(t);
}
END_TEST

START_TEST(exact_is_exact)
{
    random_state = 99;
    make_spans(SPANS_MAX, 12345);
    struct times *t = times_new(TIMES_EXACT);
    announce(t, 0);
    pass(t, 0, SPANS_MAX, 20000);
    times_renew(t);
    times_free(t);
    for (size_t i = 0; i < SPANS_MAX; i++)
        EXPECT(decoded[i].start == spans[i].start && decoded[i].end == spans[i].end, "call %zu", i);
}
END_TEST

/* ---- readings ---- */

enum { READERS = 3 }; /* the first classes read a clock */

static double readings[SPANS_MAX], read_again[SPANS_MAX];

/* A clock that is OFFSET ns ahead and DRIFT ppm faster, as a double that is made like MPI's. */
static double read_clock(int64_t offset, int64_t drift_ppm, uint64_t ns)
{
    int64_t now = (int64_t)ns + offset + (int64_t)(ns / 1000000) * drift_ppm;
    return random_below(2) ? (double)(now / 1000000000) + 1e-9 * (double)(now % 1000000000) : (double)now / 1e9;
}

/* As make_spans, with readings inside of the calls. */
static void make_readings(size_t count, int64_t offset, int64_t drift_ppm)
{
    make_spans(count, 1000000);
    for (size_t i = 0; i < count; i++) {
        uint64_t duration = spans[i].end - spans[i].start;
        readings[i] = read_clock(offset, drift_ppm,
                                 spans[i].start + (duration ? random_below((uint32_t)duration | 1) % duration : 0));
    }
}

/* Encodes COUNT calls, in blocks of BLOCK, and decodes them. Returns the bytes of what was encoded. */
static size_t pass_readings(enum times_kind kind, uint32_t base, size_t count, size_t block_calls)
{
    struct times *t = times_new(kind);
    size_t bytes = 0;
    for (uint32_t class = 0; class < CLASSES; class ++)
        check(times_class(t, class, base, class < READERS));
    for (size_t i = 0, some; i < count; i += some) {
        struct bytes content = {0}, ends = {0};
        struct times_block *block;
        struct cursor c;
        const char *problem = NULL;
        some = block_calls < count - i ? block_calls : count - i;
        check(times_add(t, spans + i, readings + i, some));
        check(times_take(t, &content, &ends));
        cursor_init(&c, content.data, content.length);
        EXPECT(times_block_open(&c, CLASSES, &block, &problem) == PILGRIM_OK, "%s", problem);
        for (size_t k = i; k < i + some; k++) {
            EXPECT(times_block_next(block, spans[k].class, &decoded[k].start, &decoded[k].end) == PILGRIM_OK,
                   "call %zu", k);
            EXPECT(times_block_reading(block, &read_again[k]) == (spans[k].class < READERS), "call %zu", k);
        }
        times_block_free(block);
        bytes += content.length;
        bytes_free(&content);
        bytes_free(&ends);
    }
    times_free(t);
    return bytes;
}

START_TEST(exact_readings_are_exact)
{
    static const int64_t offsets[] = {0, 1, INT64_C(3149602920889), INT64_C(1763000000000000000)};
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        make_readings(20000, offsets[k], k == 2 ? 40 : 0);
        /* What no clock gives has to come back, too. */
        for (size_t i = 0; k == 1 && i < 20000; i += 7)
            readings[i] = (double)any_size(53) / (double)(any_size(60) + 1);
        for (size_t i = 0; k == 1 && i < 20000; i++)
            readings[i] = times_is_reading(readings[i]) ? readings[i] : 4294967295.9999995;
        pass_readings(TIMES_EXACT, 0, 20000, 3000);
        for (size_t i = 0; i < 20000; i++)
            if (spans[i].class < READERS)
                EXPECT(!memcmp(&read_again[i], &readings[i], sizeof *readings), "call %zu: %.17g, not %.17g", i,
                       read_again[i], readings[i]);
    }
}
END_TEST

/* Of the ns of reading I that are stored: not before its call's start nor behind its end, seen from the distance of the
 * clocks; and right from the reading before, LAST, on. */
static void check_reading(size_t i, size_t last, double offset, double base, double slack)
{
    double again = read_again[i] * 1e9, true_ns = readings[i] * 1e9;
    EXPECT(again >= (double)decoded[i].start + offset - slack && again <= (double)decoded[i].end + offset + slack,
           "call %zu", i);
    EXPECT(again <= true_ns + slack, "call %zu: later than it was", i);
    if (last == SIZE_MAX)
        return;
    double before = read_again[last] * 1e9, behind = before - offset - (double)decoded[last].start;
    EXPECT(true_ns - before <= base * (again - before) + (base - 1) * behind + slack, "call %zu: %.9g for %.9g", i,
           again - before, true_ns - before);
}

START_TEST(binned_readings_keep_their_bounds)
{
    double base = 1 + (double)bases[_i] / BINS_UNIT;
    make_readings(20000, INT64_C(3149602920889), 0);
    pass_readings(TIMES_BINS, bases[_i], 20000, 3000);
    /* The distance that the first reading says is right but for where in its call that was. */
    size_t first = 0, last = SIZE_MAX;
    while (spans[first].class >= READERS)
        first++;
    double distance = readings[first] * 1e9 - (double)spans[first].start;
    for (size_t i = first; i < 20000; i++) {
        if (spans[i].class >= READERS)
            continue;
        check_reading(i, last, distance, base, 3);
        last = i;
    }
}
END_TEST

/* All calls of the first block read the clock long after they begin, and those of the next one sooner. */
START_TEST(no_reading_is_late)
{
    static const uint64_t sooner[] = {100, 3999, 5000, 150000};
    for (size_t k = 0; k < sizeof sooner / sizeof *sooner; k++) {
        uint64_t now = 0;
        for (size_t i = 0; i < 6000; i++) {
            spans[i] = (struct span){.start = now + 100, .end = now + 300100, .class = 0};
            readings[i] = read_clock(INT64_C(3149602920889), 0, spans[i].start + 200000 - (i < 3000 ? 0 : sooner[k]));
            now = spans[i].end;
        }
        pass_readings(TIMES_BINS, bases[_i], 6000, 3000);
        for (size_t i = 0; i < 6000; i++)
            EXPECT(read_again[i] <= readings[i] + 3e-9, "call %zu, %" PRIu64 " ns sooner: %g ns late", i, sooner[k],
                   (read_again[i] - readings[i]) * 1e9);
    }
}
END_TEST

/* A clock that is set, and one that drifts, are followed. */
START_TEST(anchors_follow_the_clock)
{
    make_readings(20000, INT64_C(5000000000000), 50);
    for (size_t i = 10000; i < 20000; i++)
        readings[i] += 3600;
    pass_readings(TIMES_BINS, 200000, 20000, 3000);
    for (size_t i = 0; i < 20000; i++) {
        if (spans[i].class >= READERS)
            continue;
        double lags = (double)(spans[i].start - decoded[i].start), off = (readings[i] - read_again[i]) * 1e9;
        double bound = lags + (double)(spans[i].end - spans[i].start) + 2e6 + (double)spans[i].end * 1e-4;
        EXPECT(off >= -2e6 - (double)spans[i].end * 1e-4 && off <= bound, "call %zu: %g of %g", i, off, bound);
    }
}
END_TEST

/* A reading that moves with its call takes next to nothing. */
START_TEST(steady_readings_are_small)
{
    uint64_t now = 0;
    for (size_t i = 0; i < 20000; i++) {
        spans[i] = (struct span){.start = now + 100, .end = now + 140, .class = 0};
        readings[i] = (double)(spans[i].start + 20 + UINT64_C(86400000000000)) / 1e9;
        now = spans[i].end;
    }
    size_t bytes = pass_readings(TIMES_EXACT, 0, 20000, 20000);
    ck_assert_uint_le(bytes, 20000 * 4 + 20000 * 6 / 8 + 40);
}
END_TEST

START_TEST(what_is_no_reading)
{
    ck_assert(times_is_reading(0) && times_is_reading(5e-324) && times_is_reading(4294967295.9999995));
    ck_assert(!times_is_reading(-0.0) && !times_is_reading(-1) && !times_is_reading(4294967296.0) &&
              !times_is_reading((double)INFINITY) && !times_is_reading((double)NAN));
}
END_TEST

/* 0 ns, 1 ns, powers of two and what is beside them, up to the last time there is. */
START_TEST(extreme_times)
{
    size_t count = 0;
    uint64_t at = 0;
    for (unsigned bits = 0; bits < 61; bits++)
        for (int beside = -1; beside <= 1; beside++) {
            uint64_t gap = (UINT64_C(1) << bits) + (uint64_t)beside;
            spans[count] =
                (struct span){.start = at + gap / (1 + bits % 2), .class = (uint32_t)count % CLASSES, .signature = 0};
            at = spans[count].end = spans[count].start + (bits % 3 ? gap : 0);
            ck_assert_uint_le(at, INT64_MAX);
            count++;
        }
    spans[count++] = (struct span){.start = at, .end = INT64_MAX, .class = 0};
    spans[count++] = (struct span){.start = INT64_MAX, .end = INT64_MAX, .class = 1};
    spans[count++] = (struct span){.start = INT64_MAX, .end = INT64_MAX, .class = 0};
    uint32_t base = _i < BASES ? bases[_i] : 0;
    struct times *t = times_new(base ? TIMES_BINS : TIMES_EXACT);
    announce(t, base);
    pass(t, 0, count, 100000);
    times_free(t);
    if (base)
        check_bounds(0, count, base);
    for (size_t i = 0; i < count && !base; i++)
        EXPECT(decoded[i].start == spans[i].start && decoded[i].end == spans[i].end, "call %zu", i);
}
END_TEST

/* A loop whose times repeat costs next to nothing, also if they are not multiples of the bins, and they stay where they
 * are. */
START_TEST(steady_times_are_small)
{
    uint64_t at = 0;
    for (size_t i = 0; i < SPANS_MAX; i++) {
        spans[i] = (struct span){at + 333, at + 333 + 77, (uint32_t)i % 3, 0};
        at = spans[i].end;
    }
    struct times *t = times_new(_i ? TIMES_EXACT : TIMES_BINS);
    announce(t, 200000);
    size_t bytes = pass(t, 0, SPANS_MAX, TIMES_BLOCK_CALLS);
    /* The bits of exact times are not looked at for what repeats. */
    ck_assert_uint_lt(bytes, _i ? SPANS_MAX : SPANS_MAX / 25);
    times_free(t);
    if (!_i)
        check_bounds(0, SPANS_MAX, 200000);
}
END_TEST

/* Many classes that are busy in turns do not each keep room for a whole block. */
START_TEST(memory_is_bounded)
{
    enum { MANY = 50 };
    struct times *t = times_new(TIMES_BINS);
    for (uint32_t class = 0; class < MANY; class ++)
        check(times_class(t, class, 200000, false));
    uint64_t at = 0;
    size_t largest = 0;
    for (uint32_t class = 0; class < MANY; class ++) {
        for (uint32_t i = 0; i < TIMES_BLOCK_CALLS; i++, at += 100 + i % 64)
            spans[i] = (struct span){at, at + 50, class, i % 5};
        check(times_add(t, spans, NULL, TIMES_BLOCK_CALLS));
        largest = times_memory_bytes(t) > largest ? times_memory_bytes(t) : largest;
        struct bytes content = {0}, ends = {0};
        check(times_take(t, &content, &ends));
        bytes_free(&content);
        bytes_free(&ends);
    }
    ck_assert_uint_gt(largest, 2 * TIMES_BLOCK_CALLS);
    ck_assert_uint_lt(largest, 8 * TIMES_BLOCK_CALLS);
    times_free(t);
}
END_TEST

START_TEST(what_is_not_a_span_is_refused)
{
    static const struct span wrong[] = {
        {99, 200, 0, 0},                      /* before the end of the call before */
        {200, 199, 0, 0},                     /* ends before it starts */
        {200, (uint64_t)INT64_MAX + 1, 0, 0}, /* too late */
        {200, 200, 5, 0},                     /* no such class */
        {200, 200, 1000000, 0},
    };
    for (enum times_kind kind = TIMES_BINS; kind <= TIMES_EXACT; kind++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            const struct span first = {10, 100, 0, 0};
            struct times *t = times_new(kind);
            check(times_class(t, 0, 200000, false));
            check(times_add(t, &first, NULL, 1));
            /* In bins it is the stored end that counts. */
            enum pilgrim_status status = times_add(t, &wrong[i], NULL, 1);
            ck_assert_int_eq(status, kind == TIMES_BINS && i == 0 ? PILGRIM_OK : PILGRIM_INVALID);
            times_free(t);
        }
}
END_TEST

START_TEST(bases_are_limited)
{
    struct times *t = times_new(TIMES_BINS);
    ck_assert_int_eq(times_class(t, 0, 0, false), PILGRIM_LIMIT);
    ck_assert_int_eq(times_class(t, 0, BINS_BASE_MIN - 1, false), PILGRIM_LIMIT);
    ck_assert_int_eq(times_class(t, 0, BINS_BASE_MAX + 1, false), PILGRIM_LIMIT);
    for (uint32_t i = 0; i < TIMES_BASES_MAX; i++)
        check(times_class(t, i, 1000 + i, false));
    ck_assert_int_eq(times_class(t, 100, 7777777, false), PILGRIM_LIMIT);
    check(times_class(t, 100, 1010, false));
    times_free(t);
}
END_TEST

/* ---- damage ---- */

/* Walks a content; the times that come out are in order. Returns whether it is one. */
static bool walk(const uint8_t *data, size_t length, size_t count, uint64_t class_count)
{
    struct times_block *block;
    struct cursor c;
    const char *problem = NULL;
    cursor_init(&c, data, length);
    enum pilgrim_status status = times_block_open(&c, class_count, &block, &problem);
    if (status != PILGRIM_OK) {
        ck_assert(status == PILGRIM_DAMAGED || status == PILGRIM_TRUNCATED);
        ck_assert_ptr_nonnull(problem);
        return false;
    }
    uint64_t before = times_block_begin(block), start, end;
    size_t calls = 0;
    while (calls < count && times_block_next(block, spans[calls].class, &start, &end) == PILGRIM_OK) {
        EXPECT(before <= start && start <= end && end <= INT64_MAX, "call %zu: order", calls);
        before = end;
        calls++;
    }
    bool is_whole = calls == count && times_block_left(block) == 0;
    times_block_free(block);
    return is_whole;
}

/* With readings if READS; a clock that is set on the way. */
static void make_content(enum times_kind kind, bool reads, size_t count, struct bytes *content)
{
    struct bytes ends = {0};
    make_readings(count, 5000000000, 0);
    for (size_t i = count / 2; i < count; i++)
        readings[i] += 100;
    struct times *t = times_new(kind);
    for (uint32_t class = 0; class < CLASSES; class ++)
        check(times_class(t, class, base_of(200000, class), reads && class < READERS));
    check(times_add(t, spans, readings, count));
    check(times_take(t, content, &ends));
    times_free(t);
    bytes_free(&ends);
    ck_assert(walk(content->data, content->length, count, CLASSES));
}

START_TEST(cut_off)
{
    enum { COUNT = 300 };
    struct bytes content = {0};
    random_state = 4;
    make_content(_i % 2 ? TIMES_EXACT : TIMES_BINS, _i > 1, COUNT, &content);
    for (size_t length = 0; length < content.length; length++) {
        uint8_t *data = malloc(length + 1); /* of its own, for the sanitizer */
        memcpy(data, content.data, length);
        EXPECT(!walk(data, length, COUNT, CLASSES), "%zu of %zu bytes", length, content.length);
        free(data);
    }
    bytes_put_u8(&content, 0);
    ck_assert(!walk(content.data, content.length, COUNT, CLASSES));
    ck_assert(!walk(content.data, content.length - 1, COUNT, CLASSES - 1));
    bytes_free(&content);
}
END_TEST

START_TEST(changed)
{
    enum { COUNT = 300, CHANGES = 20000 };
    struct bytes content = {0};
    unsigned whole = 0, refused = 0;
    random_state = 5;
    make_content(_i % 2 ? TIMES_EXACT : TIMES_BINS, _i > 1, COUNT, &content);
    uint8_t *data = malloc(content.length);
    for (unsigned i = 0; i < CHANGES; i++) {
        memcpy(data, content.data, content.length);
        /* The head is short: every other change is there. */
        size_t at = random_below(i % 2 ? 60 : (uint32_t)content.length);
        data[at] = (uint8_t)random_below(256);
        if (random_below(3) == 0)
            data[random_below((uint32_t)content.length)] ^= (uint8_t)(1 << random_below(8));
        if (walk(data, content.length, COUNT, CLASSES))
            whole++;
        else
            refused++;
    }
    ck_assert_uint_gt(whole, CHANGES / 100);
    ck_assert_uint_gt(refused, CHANGES / 10);
    free(data);
    bytes_free(&content);
}
END_TEST

enum { WRONG_CONTENTS = 50 };

/* Contents that a byte or two make wrong, each for another reason. */
START_TEST(wrong_contents)
{
    static const struct {
        const char *bytes;
        size_t length;
        bool is_right;
    } contents[] = {
#define CONTENT(text, right) {text, sizeof text - 1, right}
        /* calls, begin, kind, bases, classes: place, calls, base, widths; gaps, durations */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\0\1\1\5\7", true), CONTENT("\0\0\1\1\xc0\x9a\x0c\0", false), /* no calls */
        CONTENT("\2\0\1\1\xc0\x9a\x0c\1\0\1\0\1\1\5\7", false), /* classes have fewer */
        CONTENT("\1\0\0\1\xc0\x9a\x0c\1\0\1\0\1\1\5\7", false), /* kind */
        CONTENT("\1\0\5\1\xc0\x9a\x0c\1\0\1\0\1\1\5\7", false),
        CONTENT("\1\0\1\0\1\0\1\0\1\1\5\7", false),                   /* no bases */
        CONTENT("\1\0\1\1\x63\1\0\1\0\1\1\5\7", false),               /* base 1.000099 */
        CONTENT("\1\0\1\1\x64\1\0\1\0\1\1\5\7", true),                /* base 1.0001 */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\7\1\0\1\1\5\7", false),       /* place 7 of 7 */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\1\1\1\5\7", false),       /* base 1 of 1 */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\0\0\1\7", false),         /* width 0 */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\0\4\1\5\0\0\0\7", false), /* width 4 */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\0\3\1\5\0\0\7", true),    /* wider than it need be */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\0\2\1\xff\xff\7", false), /* no such bin */
        CONTENT("\1\0\1\1\xc0\x9a\x0c\1\0\1\0\1\1\5\7\0", false),     /* a byte more */
        CONTENT("\1\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1\1\xc0\x9a\x0c\1\0\1\0\1\1\0\0", true),    /* begin 2^63 - 1 */
        CONTENT("\1\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1\1\xc0\x9a\x0c\1\0\1\0\1\1\0\1", false),   /* end 2^63 */
        CONTENT("\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\1\1\1\xc0\x9a\x0c\1\0\1\0\1\1\0\0", false), /* begin 2^63 */
        /* exact: place, calls, high gaps, high durations; gaps, durations, bits */
        CONTENT("\1\0\2\1\0\1\0\0\3\2", true), CONTENT("\1\0\2\1\0\1\0\1\3\2", false), /* a high one behind the first */
        CONTENT("\1\0\2\1\0\1\1\0\3\2", false), CONTENT("\1\0\2\1\0\1\2\0\3\2", false), /* more than calls */
        CONTENT("\1\0\2\1\0\1\0\0\x10\2\1", true),                                      /* one bit */
        CONTENT("\1\0\2\1\0\1\0\0\x10\2\2", false),                                     /* and one left over */
        CONTENT("\1\0\2\1\0\1\0\0\x10\2", false),                                       /* no bit */
        CONTENT("\1\0\2\1\0\1\0\0\x10\2\1\0", false),                                   /* a byte more */
        CONTENT("\1\0\2\1\0\1\0\0\xde\0\0\0\0\0\0\0\0\0", false),                       /* code 222 */
        CONTENT("\1\0\2\1\0\1\0\0\xdd\0\0\0\0\0\0\0\0\0", true),
        CONTENT("\1\0\2\1\0\0\0\0\3\2", false), /* a class without calls */
    /* bins with readings: readers: number, width; anchors: reading, ns; columns */
#define HEAD "\1\0\3\1\xc0\x9a\x0c\1\0\1\0\1\1"
        CONTENT(HEAD "\1\0\1\1\0\2\5\7\1", true), CONTENT(HEAD "\0\1\0\2\5\7", false), /* no reader */
        CONTENT(HEAD "\1\1\1\1\0\2\5\7\1", false),                                     /* class 1 of 1 */
        CONTENT(HEAD "\1\0\0\1\0\2\5\7", false),                                       /* width 0 */
        CONTENT(HEAD "\1\0\4\1\0\2\5\7\1\0\0\0", false),                               /* width 4 */
        CONTENT(HEAD "\1\0\1\0\5\7\1", false),                                         /* no anchor */
        CONTENT(HEAD "\1\0\1\1\1\2\5\7\1", false),                                     /* none for the first reading */
        CONTENT(HEAD "\1\0\1\2\0\2\0\2\5\7\1", false),                                 /* two for it */
        CONTENT(HEAD "\1\0\1\2\0\2\1\2\5\7\1", false),                                 /* one behind the last call */
        CONTENT(HEAD "\1\0\1\1\0\1\5\7\1", true),                                      /* before 0: it is 0 */
        CONTENT(HEAD "\1\0\1\1\0\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\5\7\1", false),   /* 2^62 - 1 and more */
        CONTENT(HEAD "\1\0\1\1\0\2\5\7", false),
        CONTENT(HEAD "\1\0\1\1\0\2\5\7\xff", false), /* no column; no such bin */
#undef HEAD
    /* exact with readings: readers: number; gaps, durations, readings, corrections, bits */
#define HEAD "\1\0\4\1\0\1\0\0"
        CONTENT(HEAD "\1\0\3\2\4\0", true), CONTENT(HEAD "\1\0\3\2\4", false),               /* no corrections */
        CONTENT(HEAD "\1\0\3\2\5\0", true),                                                  /* at 0 */
        CONTENT(HEAD "\1\0\3\2\7\0", false),                                                 /* before 0 */
        CONTENT(HEAD "\1\0\3\2\5\1", false),                                                 /* 0, corrected to less */
        CONTENT(HEAD "\1\0\3\2\x10\x10\2", true), CONTENT(HEAD "\1\0\3\2\x10\x10\4", false), /* two bits; left over */
        CONTENT(HEAD "\1\0\3\2\xde\0\0\0\0\0\0\0\0\0", false),                               /* code 222 */
#undef HEAD
    };
    ck_assert_uint_eq(sizeof contents / sizeof *contents, WRONG_CONTENTS);
    random_state = 6;
    spans[0].class = 0;
    uint8_t *data = malloc(contents[_i].length);
    memcpy(data, contents[_i].bytes, contents[_i].length);
    ck_assert_int_eq(walk(data, contents[_i].length, 1, CLASSES), contents[_i].is_right);
    free(data);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("times");
    TCase *tests = tcase_create("times");
    tcase_add_loop_test(tests, bins_keep_their_bounds, 0, BASES);
    tcase_add_test(tests, exact_is_exact);
    tcase_add_test(tests, exact_readings_are_exact);
    tcase_add_loop_test(tests, binned_readings_keep_their_bounds, 0, BASES);
    tcase_add_loop_test(tests, no_reading_is_late, 0, BASES);
    tcase_add_test(tests, anchors_follow_the_clock);
    tcase_add_test(tests, steady_readings_are_small);
    tcase_add_test(tests, what_is_no_reading);
    tcase_add_loop_test(tests, extreme_times, 0, BASES + 1);
    tcase_add_loop_test(tests, steady_times_are_small, 0, 2);
    tcase_add_test(tests, memory_is_bounded);
    tcase_add_test(tests, what_is_not_a_span_is_refused);
    tcase_add_test(tests, bases_are_limited);
    tcase_add_loop_test(tests, cut_off, 0, 4);
    tcase_add_loop_test(tests, changed, 0, 4);
    tcase_add_loop_test(tests, wrong_contents, 0, WRONG_CONTENTS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
