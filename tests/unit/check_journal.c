/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream that is made again from its log is the same: its fragment has the same bytes. Calls of all kinds: loops, new
 * and old signatures, values that keep changing (so that classes are unzipped), strings, failed polls, relief, and a
 * stream that is begun anew. A log that is cut off anywhere gives the calls before. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "journal/journal.h"
#include "merge/fragment.h"
#include "random.h"
#include "record/stream_inline.h"
#include "recover/replay.h"
#include "trials.h"

enum {
    FUNCTIONS = 3,
    SITES = 5,
    MODES = 6,
    CALLS = 6000,
    LONG_LOOPS = 12,
    LIMIT_NEEDED = 3000,
    TRIALS = 60,
    KEY_BYTES = 256
};

static const struct parameter_descriptor parameters[] = {
    {"a", DIRECTION_IN}, {"b", DIRECTION_IN}, {"c", DIRECTION_OUT}};
static const struct function_descriptor functions[FUNCTIONS] = {
    {"MPI_Test", parameters, 3, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Send", parameters, 3, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Info_set", parameters, 3, RETURNS_ERROR_CODE, ACTIVITY_OTHER},
};
static const char *const names[] = {"MPI_INT"};
static const struct vocabulary vocabulary = {functions, FUNCTIONS, names, 1};
static const struct code_module program = {"program", {1, 2, 3, 4}, 4, NULL};
static const char sites[SITES];

static size_t resolve(const void *site, struct code_frame *frames)
{
    frames[0] = (struct code_frame){&program, (uint64_t)((const char *)site - sites) * 16};
    return 1;
}

/* A recorded thread. */
struct told_thread {
    struct stream *stream;
    struct journal_log log;
    struct journal_live *live;
};

static void begin(struct told_thread *t)
{
    *t = (struct told_thread){.stream = stream_new(&vocabulary, resolve), .live = journal_live_new()};
    ck_assert(t->stream && t->live);
    t->log.live = t->live;
    stream_set_journal(t->stream, &t->log);
}

static void end(struct told_thread *t)
{
    stream_free(t->stream);
    journal_log_free(&t->log);
    journal_live_free(t->live);
}

/* Fills in KEY for call number I; MODE says how much its values change. Returns its length. */
static size_t make_key(uint8_t *key, unsigned mode, unsigned function, unsigned i)
{
    uint8_t *at = key;
    int64_t first = mode == 0   ? i % 3
                    : mode == 1 ? random_below(5)
                    : mode == 2 ? (int64_t)i * 8
                                : random_below(1u << 30);
    *at++ = VALUE_INT;
    at = store_slot(at, first);
    if (function == 2) {
        char text[16];
        uint32_t length = (uint32_t)snprintf(text, sizeof text, "%u", mode < 2 ? i % 4 : i);
        *at++ = VALUE_STRING;
        at = store_u32(at, length);
        memcpy(at, text, length);
        at += length;
    } else {
        *at++ = VALUE_INT;
        at = store_slot(at, mode == 4 ? (int64_t)i : 7);
    }
    *at++ = VALUE_NAME;
    at = store_u16(at, 0);
    *at++ = VALUE_INT;
    return (size_t)(store_slot(at, 0) - key);
}

/* Records a call as a wrapper does. */
static void record(struct told_thread *t, unsigned function, unsigned site, bool failed, const uint8_t *key,
                   size_t length)
{
    const struct class_head *class = stream_class_head(t->stream, function, sites + site, NULL, false);
    EXPECT(class, "no class");
    if (stream_predicts(t->stream, class, failed, key, length)) {
        if (!stream_step(t->stream, class, length, 0, 0))
            EXPECT(stream_turn(t->stream, class) == PILGRIM_OK, "turn");
    } else {
        EXPECT(stream_append(t->stream, class->number, failed, key, length, 0, 0) == PILGRIM_OK, "append");
    }
    atomic_fetch_add(&t->live->calls, 1);
}

/* Makes COUNT calls: loops of random bodies, some of which repeat. */
static void make_calls(struct told_thread *t, unsigned mode, unsigned count)
{
    static unsigned number;
    for (unsigned done = 0; done < count;) {
        unsigned body = 1 + random_below(6), seed = random_below(1000),
                 times = random_below(3) ? 1 + random_below(random_below(LONG_LOOPS) ? 40 : 3000) : 1;
        for (unsigned k = 0; k < times * body; k++, done++, number++) {
            uint8_t key[KEY_BYTES];
            unsigned function = (seed + k % body) % FUNCTIONS, site = (seed * 7 + k % body) % SITES;
            bool failed = function == 0 && (seed + k % body) % 2;
            record(t, function, site, failed, key, make_key(key, mode == 5 ? k % 4 : mode, function, number));
        }
        if (random_below(40) == 0)
            EXPECT(stream_relieve(t->stream, 1 << 12) == PILGRIM_OK, "relief");
    }
}

/* The fragment of S, packed; to be freed. */
static struct bytes packed(const struct stream *s)
{
    struct bytes out = {0};
    struct stream *process = stream_new(&vocabulary, NULL);
    struct fragment *f = fragment_new(0);
    ck_assert(process && f);
    ck_assert_int_eq(fragment_add_rank(f, process, &s, 1), PILGRIM_OK);
    fragment_pack(f, &out);
    fragment_free(f);
    stream_free(process);
    return out;
}

/* What a reader of the journal finds of T: the first LENGTH bytes of its log. */
static struct read_thread found(const struct told_thread *t, struct bytes *records, size_t length)
{
    journal_log_copy(&t->log, records);
    records->length = records->length < length ? records->length : length;
    return (struct read_thread){.calls = atomic_load(&t->live->calls),
                                .log = {.epoch = t->log.epoch, .records = *records},
                                .in_flight = {.class = JOURNAL_NO_CLASS}};
}

static const struct replay_modules modules = {.items = (struct code_module *)(uintptr_t)&program, .count = 1};

static void compare(const struct told_thread *t)
{
    struct bytes records = {0};
    struct stream *again;
    uint64_t calls, steps = UINT64_MAX;
    struct read_thread read = found(t, &records, SIZE_MAX);
    ck_assert_int_eq(replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls), PILGRIM_OK);
    ck_assert_uint_eq(calls, atomic_load(&t->live->calls));
    ck_assert_uint_eq(stream_calls(again), stream_calls(t->stream));
    again->key_bytes = t->stream->key_bytes; /* not counted where calls are told at once */
    struct bytes one = packed(t->stream), other = packed(again);
    ck_assert_uint_eq(one.length, other.length);
    ck_assert(!memcmp(one.data, other.data, one.length));
    bytes_free(&one);
    bytes_free(&other);
    bytes_free(&records);
    stream_free(again);
}

START_TEST(streams_are_made_again)
{
    unsigned count = trials(TRIALS);
    for (unsigned trial = 0; trial < count; trial++) {
        struct told_thread t;
        random_state = trial * MODES + (unsigned)_i + 1;
        begin(&t);
        make_calls(&t, (unsigned)_i, 1 + random_below(CALLS));
        compare(&t);
        if (trial % 3 == 0) { /* a segment ends */
            journal_log_renew(&t.log, 1000 + trial, &t.live->epoch);
            stream_renew(t.stream);
            make_calls(&t, (unsigned)_i, 1 + random_below(CALLS));
            compare(&t);
        }
        end(&t);
    }
}
END_TEST

/* Makes COUNT calls of a loop with BODY calls in it, which has values of MODE. */
static void make_loop(struct told_thread *t, unsigned mode, unsigned body, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t key[KEY_BYTES];
        unsigned of_body = i % body;
        record(t, of_body % 2, of_body, false, key, make_key(key, mode, of_body % 2, of_body == 1 ? i / body : 0));
    }
}

/* What is told at once is what was recorded, also where values rise and what comes behind it. */
START_TEST(steady_loops_are_made_again)
{
    for (unsigned body = 1; body < 4; body++)
        for (unsigned mode = 0; mode <= 2; mode += 2) {
            struct told_thread t;
            begin(&t);
            make_loop(&t, mode, body, 6000 + (unsigned)_i);
            uint64_t calls, steps = LIMIT_NEEDED + 1000;
            struct bytes records = {0};
            struct stream *again;
            struct read_thread read = found(&t, &records, SIZE_MAX);
            ck_assert_int_eq(replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls), PILGRIM_OK);
            ck_assert(steps > 0);
            stream_free(again);
            bytes_free(&records);
            compare(&t);
            random_state = body;
            make_calls(&t, mode, 500);
            compare(&t);
            end(&t);
        }
}
END_TEST

/* Calls in a loop are told at once, whatever their number. */
START_TEST(loops_cost_nothing)
{
    static const uint64_t all = UINT64_C(1000000000007);
    struct told_thread t;
    begin(&t);
    make_loop(&t, 0, 3, 300);
    struct bytes records = {0};
    struct stream *again;
    uint64_t calls, steps = LIMIT_NEEDED;
    struct read_thread read = found(&t, &records, SIZE_MAX);
    read.calls = all;
    ck_assert_int_eq(replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls), PILGRIM_OK);
    ck_assert(calls == all && stream_calls(again) == all);
    stream_free(again);
    steps = 5;
    ck_assert_int_eq(replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls), PILGRIM_LIMIT);
    ck_assert(calls < 300);
    bytes_free(&records);
    stream_free(again);
    end(&t);
}
END_TEST

START_TEST(cut_logs_give_the_calls_before)
{
    struct told_thread t;
    random_state = 99;
    begin(&t);
    make_calls(&t, 3, 300);
    uint64_t before = 0;
    for (size_t length = 0; length <= t.log.bytes; length += 7) {
        struct bytes records = {0};
        struct stream *again;
        uint64_t calls, steps = UINT64_MAX;
        struct read_thread read = found(&t, &records, length);
        read.calls = 0;
        (void)!replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls);
        EXPECT(again && calls >= before && calls <= 300 + 240, "%u calls of %u bytes", (unsigned)calls,
               (unsigned)length);
        before = calls;
        bytes_free(&records);
        stream_free(again);
    }
    end(&t);
}
END_TEST

/* The log has no room for a record behind a steady loop: nothing was stored for the loop's calls, but they are known.
 */
START_TEST(a_log_without_room_has_all_calls_before)
{
    enum { STEADY = 500, LOST = 10 };
    static uint8_t key[16] = {VALUE_NONE};
    struct told_thread t;
    struct bytes records = {0};
    struct stream *again;
    uint64_t calls, steps = UINT64_MAX;
    begin(&t);
    for (unsigned i = 0; i < STEADY; i++)
        record(&t, 1, 1, false, key, sizeof key);
    journal_record_begin(&t.log)->failed = true;
    journal_record_end(&t.log, JOURNAL_CALL);
    atomic_fetch_add(&t.live->calls, LOST);
    struct read_thread read = found(&t, &records, SIZE_MAX);
    read.cut = atomic_load(&t.live->state) == JOURNAL_THREAD_CUT;
    read.cut_calls = atomic_load(&t.live->cut_calls);
    ck_assert(read.cut);
    ck_assert_int_eq(replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls), PILGRIM_OK);
    ck_assert_uint_eq(calls, STEADY);
    ck_assert_uint_eq(stream_calls(again), STEADY);
    bytes_free(&records);
    stream_free(again);
    end(&t);
}
END_TEST

/* Gives all records of LOG the check bytes that they must have. */
static void mend(struct bytes *log)
{
    struct cursor c;
    cursor_init(&c, log->data, log->length);
    while (cursor_left(&c)) {
        uint64_t length = cursor_varint(&c);
        uint8_t type = cursor_u8(&c);
        const uint8_t *payload = length < cursor_left(&c) ? cursor_take(&c, (size_t)length) : NULL;
        if (!payload)
            return;
        log->data[c.position] = journal_check(payload, (size_t)length, type);
        (void)cursor_u8(&c);
    }
}

START_TEST(changed_logs_do_no_harm)
{
    struct told_thread t;
    unsigned count = trials(3000);
    random_state = 7;
    begin(&t);
    make_calls(&t, 5, 400);
    for (unsigned trial = 0; trial < count; trial++) {
        struct bytes records = {0};
        struct stream *again;
        uint64_t calls, steps = LIMIT_NEEDED;
        struct read_thread read = found(&t, &records, SIZE_MAX);
        for (unsigned changes = 1 + random_below(4); changes; changes--)
            records.data[random_below((uint32_t)records.length)] ^= (uint8_t)(1 + random_below(255));
        mend(&records);
        read.log.records = records;
        read.calls = random_below(4) ? random_below(2000) : (uint64_t)random_below(1 << 30) << random_below(35);
        (void)!replay_thread(&read, &vocabulary, &modules, &steps, &again, &calls);
        bytes_free(&records);
        stream_free(again);
    }
    end(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal");
    TCase *c = tcase_create("logs");
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, streams_are_made_again, 0, MODES);
    tcase_add_loop_test(c, steady_loops_are_made_again, 0, 5);
    tcase_add_test(c, loops_cost_nothing);
    tcase_add_test(c, cut_logs_give_the_calls_before);
    tcase_add_test(c, a_log_without_room_has_all_calls_before);
    tcase_add_test(c, changed_logs_do_no_harm);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
