/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments: the file has the same bytes, in whatever order ranks are merged and by however many processes; its size
 * does not grow with the ranks of a regular program. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/value.h"
#include "merge/fragment_data.h"
#include "write/paths_writer.h"
#include "write/trace_writer.h"
#include "record/stream_times.h"
#include "pilgrim/reader.h"

static const struct parameter_descriptor send_parameters[] = {{"dest", DIRECTION_IN}, {"request", DIRECTION_OUT}};
static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN},
                                                                 {"views_size", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_Isend", send_parameters, 2, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Barrier", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE},
};
static const char *const names[] = {"MPI_PROC_NULL", "comm"};
static const struct vocabulary vocabulary = {functions, 3, names, 2};

static const char sites[64];

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module program = {"program", {1, 2, 3, 4}, 4, NULL};
    frames[0] = (struct code_frame){&program, (uint64_t)((const char *)site - sites) * 16};
    return 1;
}

static void put(struct bytes *b, uint8_t tag, int64_t slot)
{
    bytes_put_u8(b, tag);
    if (value_slots(tag))
        bytes_put_u64(b, (uint64_t)slot);
}

static uint64_t now; /* of the stream that is made */

/* Check writes a line for each assertion: too slow for millions. */
static void append(struct stream *s, uint32_t function, unsigned site, struct bytes *key)
{
    now = now * 13 % 100003 + now; /* times of all kinds */
    uint32_t class;
    if (stream_class(s, function, sites + site, site % 2, &class) != PILGRIM_OK ||
        stream_append(s, class, false, key->data, key->length, now, now + 100 + site) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
    key->length = 0;
}

/* What rank RANK of SIZE does: a non-periodic line in steps of 1, some irregular values, different threads. */
static struct stream *thread_of(unsigned rank, unsigned size, unsigned thread, unsigned iterations)
{
    const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    now = rank * 97 + thread;
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (unsigned i = 0; i < iterations; i++) {
        if (rank + 1 < size) {
            put(&key, VALUE_INT, thread ? (int64_t)(rank * rank % 7) : 1);
        } else {
            bytes_put_u8(&key, VALUE_NAME);
            bytes_put(&key, (uint8_t[]){0, 0}, 2);
        }
        put(&key, VALUE_INT, (int64_t)rank);
        put(&key, VALUE_INT, 0);
        append(s, 1, 1 + thread, &key);
        put(&key, VALUE_INT, 0);
        append(s, 2, 9, &key);
    }
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    bytes_free(&key);
    return s;
}

static void add_rank(struct fragment *f, unsigned rank, unsigned size, unsigned iterations, bool with_threads)
{
    struct stream *process = stream_new(&vocabulary, resolve), *threads[2];
    unsigned count = with_threads && rank % 5 == 2 ? 2 : 1;
    struct bytes key = {0};
    for (int i = 0; i < 2; i++) {
        bytes_put_u8(&key, VALUE_ARRAY);
        bytes_put_u32(&key, 1);
        put(&key, VALUE_INT, i ? (int64_t)size : (int64_t)rank);
    }
    put(&key, VALUE_NONE, 0);
    append(process, 0, 0, &key);
    for (unsigned i = 0; i < count; i++)
        threads[i] = thread_of(rank, size, i, iterations);
    ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)threads, count), PILGRIM_OK);
    for (unsigned i = 0; i < count; i++)
        stream_free(threads[i]);
    stream_free(process);
    bytes_free(&key);
}

/* The fragment of ranks FIRST..FIRST+COUNT-1, cut in two at a place that CUT draws, and so on; every BINDING-th upper
 * part is bound, as if it were large. */
static struct fragment *build_bound(unsigned first, unsigned count, unsigned size, unsigned iterations, unsigned *cut,
                                    unsigned binding)
{
    if (count == 1) {
        struct fragment *f = fragment_new(first);
        add_rank(f, first, size, iterations, true);
        return f;
    }
    *cut = *cut * 1103515245u + 12345u;
    unsigned left = 1 + (*cut >> 16) % (count - 1);
    struct fragment *a = build_bound(first, left, size, iterations, cut, binding);
    struct fragment *b = build_bound(first + left, count - left, size, iterations, cut, binding);
    struct bytes packed = {0};
    if (binding && b->rank_count && (*cut >> 8) % binding == 0)
        ck_assert_int_eq(fragment_finalise_now(b, true), PILGRIM_OK);
    fragment_pack(b, &packed);
    fragment_free(b);
    ck_assert_int_eq(fragment_unpack(packed.data, packed.length, &b), PILGRIM_OK);
    bytes_free(&packed);
    ck_assert_int_eq(fragment_merge(a, b), PILGRIM_OK);
    fragment_free(b);
    return a;
}

static struct fragment *build(unsigned first, unsigned count, unsigned size, unsigned iterations, unsigned *cut)
{
    return build_bound(first, count, size, iterations, cut, 0);
}

START_TEST(any_tree_gives_the_same_file)
{
    for (unsigned size = 1; size <= 23; size += 11) {
        struct fragment *in_order = fragment_new(0);
        for (unsigned rank = 0; rank < size; rank++)
            add_rank(in_order, rank, size, 6, true);
        struct bytes expected = {0};
        ck_assert_int_eq(trace_write(in_order, true, &expected), PILGRIM_OK);
        for (unsigned cut = 0; cut < 20; cut++) {
            unsigned seed = cut;
            struct bytes written = {0};
            struct fragment *f = build(0, size, size, 6, &seed);
            ck_assert_uint_eq(fragment_ranks(f), size);
            ck_assert_uint_eq(fragment_calls(f), fragment_calls(in_order));
            ck_assert_uint_eq(fragment_plain_bytes(f), fragment_plain_bytes(in_order));
            ck_assert_int_eq(trace_write(f, true, &written), PILGRIM_OK);
            ck_assert_uint_eq(written.length, expected.length);
            ck_assert_mem_eq(written.data, expected.data, expected.length);
            bytes_free(&written);
            fragment_free(f);
        }
        bytes_free(&expected);
        fragment_free(in_order);
    }
}
END_TEST

static void check_same_call(const struct pilgrim_call *a, const struct pilgrim_call *b)
{
    ck_assert_str_eq(a->function->name, b->function->name);
    ck_assert_uint_eq(a->class_->site ? a->class_->site->offset : 0, b->class_->site ? b->class_->site->offset : 0);
    for (size_t i = 0; i < a->function->parameter_count; i++) {
        ck_assert_int_eq(a->in[i].type, b->in[i].type);
        ck_assert_int_eq(a->in[i].integer, b->in[i].integer);
        ck_assert_int_eq(a->out[i].integer, b->out[i].integer);
    }
}

static void check_same_rank(const struct pilgrim_trace *a, const struct pilgrim_trace *b, uint32_t rank)
{
    ck_assert_uint_eq(pilgrim_thread_count(a, rank), pilgrim_thread_count(b, rank));
    for (uint32_t thread = 0; thread < pilgrim_thread_count(a, rank); thread++) {
        struct pilgrim_cursor *x, *y;
        struct pilgrim_call p, q;
        struct pilgrim_error error;
        enum pilgrim_status status;
        ck_assert_int_eq(pilgrim_cursor_open(a, rank, thread, &x, &error), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_cursor_open(b, rank, thread, &y, &error), PILGRIM_OK);
        while ((status = pilgrim_cursor_next(x, &p, &error)) == PILGRIM_OK) {
            ck_assert_int_eq(pilgrim_cursor_next(y, &q, &error), PILGRIM_OK);
            check_same_call(&p, &q);
        }
        ck_assert_int_eq(status, PILGRIM_END);
        ck_assert_int_eq(pilgrim_cursor_next(y, &q, &error), PILGRIM_END);
        pilgrim_cursor_close(x);
        pilgrim_cursor_close(y);
    }
}

static struct pilgrim_trace *load(struct fragment *f)
{
    struct bytes written = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    ck_assert_int_eq(fragment_set_property(f, "program", "made"), PILGRIM_OK);
    ck_assert_int_eq(trace_write(f, true, &written), PILGRIM_OK);
    char path[] = "/tmp/check_fragment-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, written.data, written.length), (ssize_t)written.length);
    close(file);
    enum pilgrim_status status = pilgrim_open(path, &trace, &error);
    unlink(path);
    ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    bytes_free(&written);
    fragment_free(f);
    return trace;
}

/* Ranks that were bound on the way are shards of their own, and nothing else changes. */
START_TEST(volumes_hold_the_same_calls)
{
    enum { SIZE = 23 };
    unsigned seed = 0;
    struct pilgrim_trace *whole = load(build(0, SIZE, SIZE, 6, &seed));
    for (unsigned cut = 0; cut < 40; cut++) {
        seed = cut;
        struct fragment *f = build_bound(0, SIZE, SIZE, 6, &seed, 1 + cut % 4);
        ck_assert_uint_eq(fragment_ranks(f), SIZE);
        ck_assert(cut % 4 || f->shard_ranks);
        struct pilgrim_trace *shards = load(f);
        ck_assert_uint_eq(pilgrim_rank_count(shards), SIZE);
        ck_assert_str_eq(pilgrim_property(shards, "program"), "made");
        for (uint32_t rank = 0; rank < SIZE; rank++)
            check_same_rank(whole, shards, rank);
        pilgrim_close(shards);
    }
    pilgrim_close(whole);
}
END_TEST

START_TEST(only_what_is_large_is_bound)
{
    unsigned seed = 1;
    bool bound;
    struct fragment *f = build(0, 9, 9, 4, &seed);
    ck_assert_int_eq(fragment_finalise(f, true, &bound), PILGRIM_OK);
    ck_assert(!bound && f->rank_count == 9);
    fragment_free(f);
}
END_TEST

/* One rank with calls whose numbers are disorder; SEED draws them. */
static struct fragment *disorder(unsigned rank, uint64_t seed)
{
    enum { CALLS = 400000 };
    struct stream *process = stream_new(&vocabulary, resolve), *thread = stream_new(&vocabulary, resolve);
    const struct stream *threads[] = {thread};
    struct fragment *f = fragment_new(rank);
    struct bytes key = {0};
    for (unsigned i = 0; i < CALLS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        put(&key, VALUE_INT, (int64_t)(seed >> 30));
        put(&key, VALUE_INT, (int64_t)rank);
        put(&key, VALUE_INT, 0);
        append(thread, 1, 1, &key);
    }
    ck_assert_int_eq(fragment_add_rank(f, process, threads, 1), PILGRIM_OK);
    stream_free(process);
    stream_free(thread);
    bytes_free(&key);
    return f;
}

/* Ranks that say much and the same are worth merging; others are bound, if they were merged so far. */
START_TEST(what_has_little_in_common_is_bound)
{
    for (unsigned unlike = 0; unlike < 2; unlike++) {
        struct fragment *a = disorder(0, 1), *b = disorder(1, 1 + unlike);
        bool bound;
        ck_assert_int_eq(fragment_finalise(a, true, &bound), PILGRIM_OK);
        ck_assert(!bound && a->weight > SHARD_BYTES_ALONE);
        ck_assert_int_eq(fragment_finalise(b, true, &bound), PILGRIM_OK);
        ck_assert(!bound);
        ck_assert_int_eq(fragment_merge(a, b), PILGRIM_OK);
        ck_assert_int_eq(fragment_finalise(a, true, &bound), PILGRIM_OK);
        ck_assert(bound == unlike);
        fragment_free(a);
        fragment_free(b);
    }
}
END_TEST

static size_t file_bytes(unsigned size, unsigned iterations)
{
    struct fragment *f = fragment_new(0);
    struct bytes out = {0};
    for (unsigned rank = 0; rank < size; rank++)
        add_rank(f, rank, size, iterations, false);
    ck_assert_int_eq(trace_write(f, false, &out), PILGRIM_OK);
    size_t length = out.length;
    bytes_free(&out);
    fragment_free(f);
    return length;
}

START_TEST(regular_programs_take_constant_space)
{
    size_t small = file_bytes(200, 10);
    ck_assert_uint_le(file_bytes(8000, 10), small + 8);
    ck_assert_uint_le(file_bytes(200, 20000), small + 8);
}
END_TEST

/* How often rank RANK sends in a segment. */
static unsigned trips_of(unsigned rank, unsigned round)
{
    uint64_t x = (rank * 1000 + round) * UINT64_C(6364136223846793005);
    return (unsigned)(x >> 40) % 9;
}

enum { LOOP_RANKS = 7, LOOP_ROUNDS = 600 };

static void add_looping_rank(struct fragment *f, unsigned rank)
{
    struct stream *process = stream_new(&vocabulary, resolve), *thread = stream_new(&vocabulary, resolve);
    const struct stream *threads[] = {thread};
    struct bytes key = {0};
    for (unsigned round = 0; round < LOOP_ROUNDS; round++) {
        put(&key, VALUE_INT, 0);
        append(thread, 2, 9, &key);
        for (unsigned k = round ? trips_of(rank, round) : 1; k > 0; k--) {
            put(&key, VALUE_INT, 1);
            put(&key, VALUE_INT, 0);
            put(&key, VALUE_INT, 0);
            append(thread, 1, 1, &key);
        }
    }
    ck_assert_int_eq(fragment_add_rank(f, process, threads, 1), PILGRIM_OK);
    stream_free(process);
    stream_free(thread);
    bytes_free(&key);
}

static void expect_call(struct pilgrim_cursor *c, const char *function)
{
    struct pilgrim_call call;
    struct pilgrim_error error;
    ck_assert_int_eq(pilgrim_cursor_next(c, &call, &error), PILGRIM_OK);
    ck_assert_str_eq(call.function->name, function);
}

/* Ranks that differ in how often they do things are one group, and decoded they are what they were. */
START_TEST(trips_differ_within_a_group)
{
    struct fragment *f = fragment_new(0);
    for (unsigned rank = 0; rank < LOOP_RANKS; rank++) {
        struct fragment *one = fragment_new(rank);
        add_looping_rank(one, rank);
        ck_assert_int_eq(fragment_merge(f, one), PILGRIM_OK);
        fragment_free(one);
    }
    struct bytes packed = {0};
    fragment_pack(f, &packed);
    fragment_free(f);
    ck_assert_int_eq(fragment_unpack(packed.data, packed.length, &f), PILGRIM_OK);
    bytes_free(&packed);
    ck_assert_uint_eq(f->group_keys.count, 2);
    ck_assert_uint_eq(f->groups[0].classes.loop_count, 0);
    ck_assert_uint_eq(f->groups[1].classes.loop_count, 2);
    ck_assert_uint_eq(f->groups[1].member_count, LOOP_RANKS);
    struct pilgrim_trace *trace = load(f);
    for (unsigned rank = 0; rank < LOOP_RANKS; rank++) {
        struct pilgrim_cursor *c;
        struct pilgrim_error error;
        struct pilgrim_call call;
        ck_assert_int_eq(pilgrim_cursor_open(trace, rank, 0, &c, &error), PILGRIM_OK);
        for (unsigned round = 0; round < LOOP_ROUNDS; round++) {
            expect_call(c, "MPI_Barrier");
            for (unsigned k = round ? trips_of(rank, round) : 1; k > 0; k--)
                expect_call(c, "MPI_Isend");
        }
        ck_assert_int_eq(pilgrim_cursor_next(c, &call, &error), PILGRIM_END);
        pilgrim_cursor_close(c);
    }
    pilgrim_close(trace);
}
END_TEST

START_TEST(only_neighbours_merge)
{
    struct fragment *a = fragment_new(0), *b = fragment_new(2);
    add_rank(a, 0, 3, 1, false);
    add_rank(b, 2, 3, 1, false);
    ck_assert_int_eq(fragment_merge(a, b), PILGRIM_INVALID);
    fragment_free(a);
    fragment_free(b);
}
END_TEST

START_TEST(broken_messages_are_refused)
{
    unsigned seed = 1;
    struct fragment *f = build(0, 9, 9, 4, &seed), *back;
    struct bytes packed = {0};
    fragment_pack(f, &packed);
    for (size_t length = 0; length < packed.length; length++) {
        uint8_t *copy = malloc(length + 1); /* exact, so that a sanitizer sees a read beyond */
        memcpy(copy, packed.data, length);
        ck_assert_int_ne(fragment_unpack(copy, length, &back), PILGRIM_OK);
        free(copy);
    }
    bytes_free(&packed);
    fragment_free(f);
}
END_TEST

static bool find_nothing(const char *module, const uint8_t *build_id, size_t build_id_length,
                         struct elf_address *addresses, size_t count, struct bytes *found)
{
    ck_abort_msg("symbols of %s", module);
    return build_id && build_id_length && addresses && count && found;
}

/* One class with a path of one address, which is in MODULE; the only module has the string NAME as its name. */
static enum pilgrim_status write_paths(uint8_t module, uint8_t name)
{
    const uint8_t class[] = {0, 1, module, 5}, described[] = {name, 1, 'i'};
    struct fragment *f = fragment_new(0);
    struct bytes out = {0};
    uint32_t number;
    ck_assert_int_eq(intern_add(&f->modules, described, sizeof described, &number), PILGRIM_OK);
    ck_assert_int_eq(intern_add(&f->classes, class, sizeof class, &number), PILGRIM_OK);
    enum pilgrim_status status = paths_write(f, &out);
    bytes_free(&out);
    fragment_free(f);
    return status;
}

START_TEST(broken_paths_are_refused)
{
    paths_name_functions(find_nothing);
    ck_assert_int_eq(write_paths(0, 3), PILGRIM_OK); /* without names of functions */
    ck_assert_int_eq(write_paths(1, 0), PILGRIM_DAMAGED);
    ck_assert_int_eq(write_paths(127, 0), PILGRIM_DAMAGED);
    paths_name_functions(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fragment");
    TCase *tests = tcase_create("fragment");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, any_tree_gives_the_same_file);
    tcase_add_test(tests, volumes_hold_the_same_calls);
    tcase_add_test(tests, only_what_is_large_is_bound);
    tcase_add_test(tests, what_has_little_in_common_is_bound);
    tcase_add_test(tests, regular_programs_take_constant_space);
    tcase_add_test(tests, trips_differ_within_a_group);
    tcase_add_test(tests, only_neighbours_merge);
    tcase_add_test(tests, broken_messages_are_refused);
    tcase_add_test(tests, broken_paths_are_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
