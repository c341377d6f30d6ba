/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of calls as cursors read them: complete, behind calls that were passed over, in loops and later segments,
 * from files and from memory; and what is left of them if sections are damaged.
 *
 * One file, because one made trace serves all. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "built_trace.h"
#include "read/file/load.h"
#include "read/file/shards.h"
#include "timing/times.h"
#include "trials.h"

/* ---- the trace: two ranks of one thread, two segments; the second one has a loop ---- */

enum {
    WORLD = 2,
    ROUNDS = 2,
    PLACES = 3,
    LOOP_PLACE = 3,
    REPEATS = 700,
    ENTRIES = 90,
    TRIPS = 7,
    SECTIONS_MAX = 200,
    BASE = 200000
};
enum { SEGMENT_CALLS = 4 * REPEATS, LOOP_CALLS = ENTRIES * (1 + 3 * TRIPS), CALLS = SEGMENT_CALLS + LOOP_CALLS };

/* Round 0 is 0 1 1 2, REPEATS times; segment 1 is 2 and TRIPS times 0 1 0, ENTRIES times. */
static uint32_t class_index_of(uint64_t number)
{
    static const uint32_t round_0[] = {0, 1, 1, 2}, body[] = {0, 1, 0};
    if (number < SEGMENT_CALLS)
        return round_0[number % 4];
    number = (number - SEGMENT_CALLS) % (1 + 3 * TRIPS);
    return number == 0 ? 2 : body[(number - 1) % 3];
}

struct call_time {
    uint64_t start, end;
    bool known;
};

static struct call_time expected[WORLD][CALLS];

/* Gaps and durations of 0 ns up to some days. */
static uint64_t draw_ns(void)
{
    return below(4) == 0 ? 0 : (draw() << 31 | draw()) >> below(60) & ((UINT64_C(1) << 48) - 1);
}

static uint64_t put_repeated(struct built *b, const uint64_t *terminals, size_t count, uint64_t times)
{
    struct rules_symbol symbols[8];
    for (size_t i = 0; i < count; i++)
        symbols[i] = (struct rules_symbol){.value = terminals[i], .exponent = 1};
    uint64_t once = put_rule(b, symbols, count);
    const struct rules_symbol all = {.value = rules_start(once), .exponent = times, .is_rule = true};
    return times == 1 ? once : put_rule(b, &all, 1);
}

static void build_segment(struct built *b, uint32_t segment)
{
    const uint64_t first = segment ? SEGMENT_CALLS : 0, end = segment ? CALLS : SEGMENT_CALLS;
    uint32_t rows[PLACES + 1];
    uint64_t bodies[PLACES + 1] = {0};
    built_begin_segment(b, segment, WORLD, 0, SIZE_1);
    for (uint32_t class_index = 0; class_index < PLACES; class_index++) {
        uint64_t calls = 0;
        for (uint64_t i = first; i < end; i++)
            calls += class_index_of(i) == class_index;
        const uint32_t column = put_column(b, EXPRESSION_CONSTANT, class_index);
        const uint32_t signature = put_signature(b, put_shape(b, int_tokens, sizeof int_tokens), 0, &column, 1);
        rows[class_index] = put_group_class(b, 1 + class_index, 0);
        put_value_group(b, put_repeated(b, (uint64_t[]){0}, 1, calls), &signature, 1);
    }
    if (segment) {
        const uint32_t trips = put_column(b, EXPRESSION_CONSTANT, TRIPS);
        const uint32_t signature = put_signature(b, put_shape(b, trips_tokens, sizeof trips_tokens), 0, &trips, 1);
        rows[LOOP_PLACE] = put_group_class(b, LOOP_CLASS, 0);
        put_value_group(b, put_repeated(b, (uint64_t[]){0}, 1, ENTRIES), &signature, 1);
        bodies[LOOP_PLACE] = put_repeated(b, (uint64_t[]){0, 1, 0}, 3, 1);
    }
    uint64_t sequence = segment ? put_repeated(b, (uint64_t[]){2, LOOP_PLACE}, 2, ENTRIES)
                                : put_repeated(b, (uint64_t[]){0, 1, 1, 2}, 4, REPEATS);
    put_loop_group(b, false, sequence, rows, bodies, PLACES + segment, put_counting(b, WORLD));
    built_contents(b);
}

/* A section of the file: COUNT calls of RANK from FIRST on. */
struct made_section {
    uint32_t rank, thread;
    uint64_t first;
    size_t count;
    struct bytes content;
    uint64_t offset; /* once it is in a file */
};

struct made_times {
    struct bytes shards; /* the file up to the times */
    struct made_section sections[SECTIONS_MAX];
    size_t count;
};

static void make_section(struct made_section *s, const struct call_time *calls, struct times *times)
{
    struct bytes ends = {0};
    for (size_t i = 0; i < s->count; i++) {
        const struct span span = {calls[i].start, calls[i].end, class_index_of(s->first + i), 0};
        ck_assert_int_eq(times_add(times, &span, NULL, 1), PILGRIM_OK);
    }
    bytes_put_varint(&s->content, s->rank);
    bytes_put_varint(&s->content, s->thread);
    bytes_put_varint(&s->content, s->first);
    ck_assert_int_eq(times_take(times, &s->content, &ends), PILGRIM_OK);
    bytes_free(&ends);
}

/* The times of RANK's calls: sections of up to MOST calls each, and some calls, or none, between them that are in no
 * section. */
static void make_rank(struct made_times *m, uint32_t rank, enum times_kind kind, size_t most)
{
    struct times *times = times_new(kind);
    uint64_t now = 0;
    for (size_t first = 0, count; first < CALLS; first += count) {
        if (first == 0 || first == SEGMENT_CALLS) {
            times_renew(times);
            for (uint32_t class_index = 0; class_index < PLACES; class_index++)
                ck_assert_int_eq(times_class(times, class_index, BASE, false), PILGRIM_OK);
        }
        size_t left = (first < SEGMENT_CALLS ? SEGMENT_CALLS : CALLS) - first;
        bool known = below(4) > 0;
        count = known ? 1 + below(most) : 1 + below(most / 4);
        count = count < left ? count : left;
        for (size_t i = first; i < first + count; i++) {
            uint64_t start = now + draw_ns();
            now = start + draw_ns();
            expected[rank][i] = (struct call_time){start, now, known};
        }
        if (!known)
            continue;
        ck_assert_uint_lt(m->count, SECTIONS_MAX - 10);
        struct made_section *s = &m->sections[m->count++];
        *s = (struct made_section){.rank = rank, .first = first, .count = count};
        make_section(s, &expected[rank][first], times);
    }
    times_free(times);
}

/* Those of the ranks stand in any order. */
static void shuffle(struct made_times *m)
{
    struct made_section found[SECTIONS_MAX];
    size_t next[WORLD] = {0}, count = 0;
    while (count < m->count) {
        size_t *at = &next[below(WORLD)];
        while (*at < m->count && m->sections[*at].rank != (uint32_t)(at - next))
            ++*at;
        if (*at < m->count)
            found[count++] = m->sections[(*at)++];
    }
    memcpy(m->sections, found, count * sizeof *found);
}

/* MOST: calls of a section; 0: there are none. */
static void make(struct made_times *m, enum times_kind kind, size_t most)
{
    struct built segments[ROUNDS];
    *m = (struct made_times){0};
    for (uint32_t segment = 0; segment < ROUNDS; segment++)
        build_segment(&segments[segment], segment);
    built_file(segments, ROUNDS, &m->shards);
    struct bytes end = {0};
    ck_assert_int_eq(section_write(&end, SECTION_END, &(struct bytes){0}), PILGRIM_OK);
    m->shards.length -= end.length;
    bytes_free(&end);
    for (uint32_t segment = 0; segment < ROUNDS; segment++)
        built_free(&segments[segment]);
    for (uint32_t rank = 0; rank < WORLD && most > 0; rank++)
        make_rank(m, rank, kind, most);
    shuffle(m);
}

static void put_file(struct made_times *m, struct bytes *file)
{
    file->length = 0;
    bytes_put(file, m->shards.data, m->shards.length);
    for (size_t i = 0; i < m->count; i++) {
        m->sections[i].offset = file->length;
        ck_assert_int_eq(section_write_fast(file, SECTION_TIMES, &m->sections[i].content), PILGRIM_OK);
    }
    ck_assert_int_eq(section_write(file, SECTION_END, &(struct bytes){0}), PILGRIM_OK);
}

static void made_free(struct made_times *m)
{
    for (size_t i = 0; i < m->count; i++)
        bytes_free(&m->sections[i].content);
    bytes_free(&m->shards);
}

static struct pilgrim_trace *load(const struct bytes *file, struct pilgrim_error *error)
{
    struct pilgrim_trace *trace;
    ck_assert_msg(trace_load(file->data, file->length, &trace, error) == PILGRIM_OK, "%s", error->message);
    return trace;
}

/* ---- what is read ---- */

static void expect_times(const struct pilgrim_call *call, uint32_t rank, uint64_t number)
{
    const struct call_time *e = &expected[rank][number];
    ck_assert_uint_eq(call->seq, number);
    ck_assert_int_eq(call->in[0].integer, class_index_of(number));
    ck_assert_msg(call->timed == e->known, "rank %u call %llu", rank, (unsigned long long)number);
    if (e->known) {
        ck_assert_uint_eq(call->start_ns, e->start);
        ck_assert_uint_eq(call->end_ns, e->end);
    }
}

static void expect_all(const struct pilgrim_trace *trace)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    for (uint32_t rank = 0; rank < WORLD; rank++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        for (uint64_t i = 0; i < CALLS; i++) {
            call = next_call(cursor);
            expect_times(&call, rank, i);
        }
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
        ck_assert_int_eq(pilgrim_cursor_times(cursor, &error), PILGRIM_OK);
        pilgrim_cursor_close(cursor);
    }
}

START_TEST(every_call_has_its_times)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    state = 7 + (uint64_t)_i;
    make(&m, TIMES_EXACT, _i == 0 ? CALLS : 500);
    put_file(&m, &file);
    struct pilgrim_trace *trace = load(&file, &error);
    ck_assert_msg(error.status == PILGRIM_OK, "%s", error.message);
    memset(file.data, 0, file.length); /* it was borrowed for the time of the call */
    expect_all(trace);
    pilgrim_close(trace);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* Calls read, passed and skipped in turns, near and far. */
START_TEST(times_behind_calls_that_were_passed)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    state = 77;
    make(&m, TIMES_EXACT, 1500);
    put_file(&m, &file);
    struct pilgrim_trace *trace = load(&file, &error);
    for (unsigned turn = 0; turn < 60; turn++) {
        uint32_t rank = (uint32_t)below(WORLD);
        uint64_t far = below(2) ? 2500 : 40, number = 0;
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        while (number < CALLS) {
            uint64_t way = below(4), count = below(far);
            size_t class;
            if (way == 0) {
                ck_assert_int_eq(pilgrim_cursor_skip(cursor, count), PILGRIM_OK);
                number += count;
            } else if (way == 1) {
                ck_assert_int_eq(pilgrim_cursor_pass(cursor, &class, &count, &error), PILGRIM_OK);
                number += count;
            } else if (way == 2 && number < SEGMENT_CALLS && below(20) == 0) {
                ck_assert_int_eq(pilgrim_cursor_next_segment(cursor, &error), PILGRIM_OK);
                number = SEGMENT_CALLS;
            }
            for (unsigned i = 0; i < 3 && number < CALLS; i++, number++) {
                struct pilgrim_call call = next_call(cursor);
                expect_times(&call, rank, number);
            }
        }
        ck_assert_int_eq(pilgrim_cursor_times(cursor, &error), PILGRIM_OK);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* Limit 1: shards are read anew, too. */
START_TEST(times_from_files)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    struct pilgrim_trace *trace;
    char path[] = "/tmp/check_call_times.XXXXXX";
    state = 99;
    make(&m, TIMES_EXACT, 700);
    put_file(&m, &file);
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, file.data, file.length), (ssize_t)file.length);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_msg(trace_open(path, i ? 1 : SHARDS_BYTES_MAX, PILGRIM_MEMORY_DEFAULT, &trace, &error) == PILGRIM_OK,
                      "%s", error.message);
        ck_assert_int_eq(error.status, PILGRIM_OK);
        expect_all(trace);
        pilgrim_close(trace);
    }
    ck_assert_int_eq(trace_open(path, SHARDS_BYTES_MAX, PILGRIM_MEMORY_DEFAULT, &trace, &error), PILGRIM_OK);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    size_t last = m.count - 1;
    while (m.sections[last].rank != 0)
        last--;
    ck_assert_int_eq(pwrite(descriptor, "xxxx", 4, (off_t)m.sections[last].offset + 20), 4);
    for (uint64_t i = 0; i < CALLS; i++) {
        struct pilgrim_call call = next_call(cursor);
        ck_assert_uint_eq(call.seq, i);
        ck_assert(i < m.sections[last].first || i >= m.sections[last].first + m.sections[last].count || !call.timed);
    }
    ck_assert_int_eq(pilgrim_cursor_times(cursor, &error), PILGRIM_DAMAGED);
    ck_assert_uint_eq(error.offset, m.sections[last].offset);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    close(descriptor);
    unlink(path);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* Bins: what is read is never later than what was, and a tenth of a duration more is never lost. */
START_TEST(bins_come_near)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    state = 5;
    make(&m, TIMES_BINS, 900);
    put_file(&m, &file);
    struct pilgrim_trace *trace = load(&file, &error);
    struct pilgrim_cursor *cursor = open_cursor(trace, 1);
    uint64_t before = 0;
    for (uint64_t i = 0; i < CALLS; i++) {
        const struct call_time *e = &expected[1][i];
        struct pilgrim_call call = next_call(cursor);
        ck_assert(call.timed == e->known);
        if (!e->known)
            continue;
        uint64_t duration = e->end - e->start, stored = call.end_ns - call.start_ns;
        ck_assert(call.start_ns >= before && call.start_ns <= e->start && stored <= duration);
        ck_assert_msg(duration == stored || (double)duration < 1.2 * (double)stored + 1, "%llu %llu",
                      (unsigned long long)duration, (unsigned long long)stored);
        before = call.end_ns;
    }
    ck_assert_int_eq(pilgrim_cursor_times(cursor, &error), PILGRIM_OK);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* ---- damage ---- */

/* All calls are there; in exact mode they have their times, but for those of section WRONG. Returns what is said of the
 * times of RANK. */
static enum pilgrim_status expect_but(const struct pilgrim_trace *trace, uint32_t rank,
                                      const struct made_section *wrong, bool exact, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor = open_cursor(trace, rank);
    struct pilgrim_call call;
    for (uint64_t i = 0; i < CALLS; i++) {
        call = next_call(cursor);
        if (!exact || (wrong->rank == rank && i >= wrong->first && i < wrong->first + wrong->count))
            ck_assert_uint_eq(call.seq, i);
        else
            expect_times(&call, rank, i);
    }
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, error), PILGRIM_END);
    enum pilgrim_status status = pilgrim_cursor_times(cursor, error);
    pilgrim_cursor_close(cursor);
    return status;
}

/* Changes under right checksums, which opening does not see. */
START_TEST(damage_takes_times_only)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    unsigned found = 0;
    state = 1234;
    make(&m, _i ? TIMES_EXACT : TIMES_BINS, 300);
    for (unsigned turn = 0; turn < trials(100); turn++) {
        struct made_section *wrong = &m.sections[below(m.count)];
        struct bytes right = wrong->content;
        wrong->content = (struct bytes){0};
        bytes_put(&wrong->content, right.data, right.length);
        size_t from = 8 + below(40); /* behind what the section is found by */
        for (unsigned i = 0; i < 8 && from + i < wrong->content.length; i++)
            wrong->content.data[from + i] = (uint8_t)draw();
        put_file(&m, &file);
        struct pilgrim_trace *trace = load(&file, &error);
        ck_assert_msg(error.status == PILGRIM_OK, "%s", error.message);
        for (uint32_t rank = 0; rank < WORLD; rank++) {
            enum pilgrim_status status = expect_but(trace, rank, wrong, _i > 0, &error);
            ck_assert(status == PILGRIM_OK || (status == PILGRIM_DAMAGED && rank == wrong->rank));
            ck_assert(status == PILGRIM_OK || error.offset == wrong->offset);
            found += status == PILGRIM_DAMAGED;
        }
        pilgrim_close(trace);
        bytes_free(&wrong->content);
        wrong->content = right;
    }
    ck_assert_uint_gt(found, trials(100) / 5);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* A checksum that is wrong, for each byte of a small file. */
START_TEST(every_byte_of_times)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    struct pilgrim_trace *trace;
    state = 31;
    make(&m, TIMES_EXACT, 1200);
    put_file(&m, &file);
    for (size_t i = m.sections[0].offset; i < file.length;
         i += i < m.sections[0].offset + 60 ? 1 : 1 + below(900 * (900 / trials(900)))) {
        file.data[i] ^= (uint8_t)(1u << below(8));
        ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
        enum pilgrim_status status = error.status;
        for (uint32_t rank = 0; rank < WORLD && status == PILGRIM_OK; rank++) {
            struct pilgrim_call call;
            struct pilgrim_cursor *cursor = open_cursor(trace, rank);
            for (uint64_t k = 0; k < CALLS; k++)
                call = next_call(cursor);
            ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
            status = pilgrim_cursor_times(cursor, &error);
            pilgrim_cursor_close(cursor);
        }
        ck_assert_msg(status != PILGRIM_OK, "byte %zu", i);
        pilgrim_close(trace);
        put_file(&m, &file);
    }
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* COUNT calls of a thread from FIRST on that took no time. */
static void add_section(struct made_times *m, uint32_t rank, uint32_t thread, uint64_t first, size_t count)
{
    struct call_time *calls = calloc(count, sizeof *calls);
    struct times *times = times_new(TIMES_EXACT);
    struct made_section *s = &m->sections[m->count++];
    for (uint32_t class_index = 0; class_index < PLACES; class_index++)
        ck_assert_int_eq(times_class(times, class_index, BASE, false), PILGRIM_OK);
    *s = (struct made_section){.rank = rank, .thread = thread, .first = first, .count = count};
    make_section(s, calls, times);
    times_free(times);
    free(calls);
}

/* What is said of calls that are not there has no meaning, and harms nobody. */
START_TEST(times_of_nobody)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    state = 4;
    make(&m, TIMES_EXACT, 2000);
    add_section(&m, WORLD, 0, 0, 9);
    add_section(&m, 0, 1, 0, 9);
    add_section(&m, UINT32_MAX, UINT32_MAX, 0, 9);
    add_section(&m, 0, 0, CALLS, 9);
    add_section(&m, 0, 0, CALLS + 100, 9);
    put_file(&m, &file);
    struct pilgrim_trace *trace = load(&file, &error);
    ck_assert_msg(error.status == PILGRIM_OK, "%s", error.message);
    expect_all(trace);
    pilgrim_close(trace);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

/* Which calls of rank 0 have times: from FROM up to END. */
static void expect_known(const struct pilgrim_trace *trace, uint64_t from, uint64_t end, enum pilgrim_status status)
{
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    for (uint64_t i = 0; i < CALLS; i++) {
        struct pilgrim_call call = next_call(cursor);
        ck_assert_msg(call.timed == (i >= from && i < end), "call %llu", (unsigned long long)i);
    }
    ck_assert_int_eq(pilgrim_cursor_times(cursor, &error), status);
    pilgrim_cursor_close(cursor);
}

/* One section of very many threads, none of which exists, with a large content: it is read once, not for each of them.
 */
START_TEST(times_of_many_nobodies)
{
    enum { THREADS = 4096, CONTENT = 4 << 20 };
    struct made_times m;
    struct bytes file = {0}, content = {0};
    struct pilgrim_error error;
    state = 5;
    make(&m, TIMES_EXACT, 700);
    put_file(&m, &file);
    file.length = m.count ? m.sections[0].offset : file.length;
    bytes_put_varint(&content, 77777); /* the rank */
    for (unsigned i = 0; i < 3; i++)
        bytes_put_varint(&content, 0); /* of several threads */
    bytes_put_varint(&content, 1);
    bytes_put_varint(&content, 0); /* one call each, of class 0 */
    bytes_put_varint(&content, THREADS);
    for (unsigned i = 0; i < 2 * THREADS; i++)
        bytes_put_svarint(&content, 1); /* their numbers, then their starts */
    while (content.length < CONTENT)
        bytes_put_u64(&content, 0);
    ck_assert_int_eq(section_write_fast(&file, SECTION_TIMES, &content), PILGRIM_OK);
    ck_assert_int_eq(section_write(&file, SECTION_END, &(struct bytes){0}), PILGRIM_OK);
    const clock_t begin = clock();
    pilgrim_close(load(&file, &error));
    ck_assert_msg(clock() - begin < 2 * CLOCKS_PER_SEC, "%ld us", (long)(clock() - begin));
    made_free(&m);
    bytes_free(&content);
    bytes_free(&file);
}
END_TEST

START_TEST(times_twice)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    make(&m, TIMES_EXACT, 0);
    add_section(&m, 0, 0, 50, 100);
    add_section(&m, 0, 0, 149, 100);
    add_section(&m, 0, 0, 150, 20);
    add_section(&m, 0, 0, 40, 2);
    put_file(&m, &file);
    struct pilgrim_trace *trace = load(&file, &error);
    ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
    ck_assert_uint_eq(error.offset, m.sections[1].offset);
    expect_known(trace, 50, 170, PILGRIM_OK);
    pilgrim_close(trace);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

START_TEST(times_of_two_rounds)
{
    struct made_times m;
    struct bytes file = {0};
    struct pilgrim_error error;
    make(&m, TIMES_EXACT, 0);
    add_section(&m, 0, 0, SEGMENT_CALLS - 5, 9);
    put_file(&m, &file);
    struct pilgrim_trace *trace = load(&file, &error);
    ck_assert_int_eq(error.status, PILGRIM_OK);
    expect_known(trace, SEGMENT_CALLS - 5, SEGMENT_CALLS, PILGRIM_DAMAGED);
    pilgrim_close(trace);
    made_free(&m);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("call_times");
    TCase *tests = tcase_create("call_times");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, every_call_has_its_times, 0, 4);
    tcase_add_test(tests, times_behind_calls_that_were_passed);
    tcase_add_test(tests, times_from_files);
    tcase_add_test(tests, bins_come_near);
    tcase_add_loop_test(tests, damage_takes_times_only, 0, 2);
    tcase_add_test(tests, every_byte_of_times);
    tcase_add_test(tests, times_of_nobody);
    tcase_add_test(tests, times_of_many_nobodies);
    tcase_add_test(tests, times_twice);
    tcase_add_test(tests, times_of_two_rounds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
