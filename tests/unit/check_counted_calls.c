/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are counted are those that are read one by one: of random programs of loops in loops, and of a trace with
 * every kind of value. */
#include "../../src/analysis/counted_calls.c"
#include "../../src/analysis/flat_grammar.c"
#include "../../src/analysis/repeats.c"
#include "made_trace.h"

#include "pilgrim/reader.h"
#include "read/file/load.h"
#include "trials.h"

enum { LOOP_DEPTH_MAX = 4, BODY_MAX = 4, CALLS_MAX = 20000, TRIPS_MAX = 60 };

/* ---- what is compared ---- */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of_value(uint64_t hash, const struct pilgrim_value *v)
{
    hash = mix(mix(mix(hash, v->type), (uint64_t)v->integer), (uint64_t)v->id);
    hash = mix(mix(hash, (uint64_t)v->offset), v->count);
    for (size_t i = 0; v->text && i < v->length; i++)
        hash = mix(hash, (uint8_t)v->text[i]);
    for (size_t i = 0; i < v->count; i++)
        hash = hash_of_value(hash, &v->items[i]);
    return hash;
}

static uint64_t hash_of(const struct pilgrim_call *call)
{
    uint64_t hash = mix(1, (uintptr_t)call->class_);
    for (size_t i = 0; i < call->function->parameter_count; i++)
        hash = hash_of_value(hash_of_value(hash, &call->in[i]), &call->out[i]);
    return hash_of_value(hash, &call->ret);
}

/* Calls of a thread: how many, and the sum of their hashes, which says which. */
struct sums {
    uint64_t calls, hashes, read;
};

static struct sums counted(struct counted_calls *c, uint32_t rank, uint32_t thread, enum counted_how how)
{
    struct sums sums = {0};
    struct pilgrim_error error;
    struct pilgrim_call call;
    uint64_t count;
    enum pilgrim_status status = counted_calls_begin(c, rank, thread, how, &error);
    while (status == PILGRIM_OK && (status = counted_calls_next(c, 0, &call, &count, &error)) == PILGRIM_OK) {
        sums.calls += count;
        sums.hashes += count * hash_of(&call);
        sums.read++;
    }
    ck_assert_int_eq(status, PILGRIM_END);
    return sums;
}

static struct sums one_by_one(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct sums sums = {0};
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, &error);
    for (; status == PILGRIM_OK && (status = pilgrim_cursor_next(cursor, &call, &error)) == PILGRIM_OK; sums.read++)
        sums.hashes += hash_of(&call);
    ck_assert_int_eq(status, PILGRIM_END);
    pilgrim_cursor_close(cursor);
    sums.calls = sums.read;
    return sums;
}

/* Returns how many calls were read to count those of the trace. */
static uint64_t compare(const struct bytes *file, uint64_t *calls)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    uint64_t read = 0;
    ck_assert_msg(trace_load(file->data, file->length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    struct counted_calls *c = counted_calls_new(trace);
    ck_assert_ptr_nonnull(c);
    for (int pass = 0; pass < 2; pass++) /* what was found for the first rank is used for others */
        for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
            for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank); thread++) {
                const struct sums found = counted(c, rank, thread, COUNTED), wanted = one_by_one(trace, rank, thread);
                ck_assert_uint_eq(found.calls, wanted.calls);
                ck_assert_uint_eq(found.hashes, wanted.hashes);
                ck_assert_uint_eq(counted(c, rank, thread, ONE_BY_ONE).read, wanted.read);
                read += found.read;
                *calls += wanted.read;
            }
    counted_calls_free(c);
    pilgrim_close(trace);
    return read;
}

/* ---- random programs ---- */

struct program {
    struct stream *stream;
    struct bytes key;
    uint64_t seed, calls;
    uint64_t iteration[LOOP_DEPTH_MAX + 1];
};

/* Calls function 3, or 1 with a value that is the same, that of an iteration, or its rest. */
static void do_call(struct program *p, uint64_t how)
{
    static const uint64_t moduli[] = {1, 1, 1, 2, 3, 5, 7, 1000};
    const uint64_t turn = p->iteration[how / 8 % (LOOP_DEPTH_MAX + 1)];
    p->key.length = 0;
    if (how % 5 == 0) {
        put_ints(&p->key, 1, (int64_t[]){0});
        append(p->stream, 3, 1 + (unsigned)(how / 64 % 3), &p->key);
    } else {
        const int64_t value = (int64_t)(turn % moduli[how % 8]);
        put_ints(&p->key, 5, (int64_t[]){value, 2, (int64_t)(how / 512 % 2), value, 0});
        append(p->stream, 1, 1 + (unsigned)(how / 64 % 6), &p->key);
    }
    p->calls++;
}

/* Runs the loop that SEED stands for. */
static void do_loop(struct program *p, uint64_t seed, unsigned depth)
{
    static const uint64_t changes[] = {1, 1, 1, 1, 2, 11};
    state = seed;
    const uint64_t body = 1 + draw() % BODY_MAX, change = changes[draw() % 6];
    const uint64_t trips = 1 + (draw() + p->iteration[depth ? depth - 1 : 0] % change) % TRIPS_MAX;
    uint64_t hows[BODY_MAX];
    for (uint64_t i = 0; i < body; i++)
        hows[i] = draw();
    for (uint64_t trip = 0; trip < trips && p->calls < CALLS_MAX; trip++) {
        p->iteration[depth] = trip;
        for (uint64_t i = 0; i < body; i++) {
            if (depth < LOOP_DEPTH_MAX && hows[i] % 16 < 5)
                do_loop(p, hows[i] | 1, depth + 1);
            else
                do_call(p, hows[i] >> 4);
        }
    }
}

static void make_program(uint64_t seed, struct bytes *out)
{
    struct fragment *f = fragment_new(0);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct stream *process = process_stream(rank);
        struct program p = {.stream = thread_stream(), .seed = seed};
        for (uint64_t part = 0; part < 3; part++)
            do_loop(&p, (p.seed + part + (rank == 5)) * UINT64_C(0x9e3779b97f4a7c15) | 1, 0);
        ck_assert_int_eq(stream_flush_times(p.stream), PILGRIM_OK);
        ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)&p.stream, 1), PILGRIM_OK);
        stream_free(process);
        stream_free(p.stream);
        bytes_free(&p.key);
    }
    ck_assert_int_eq(fragment_set_property(f, "program", "check_counted_calls"), PILGRIM_OK);
    ck_assert_int_eq(trace_write(f, true, out), PILGRIM_OK);
    fragment_free(f);
}

START_TEST(random_programs)
{
    uint64_t read = 0, calls = 0;
    for (unsigned i = 0; i < trials(150); i++) {
        struct bytes file = {0};
        make_program(1 + (uint64_t)_i * 1000 + i, &file);
        read += compare(&file, &calls);
        bytes_free(&file);
    }
    ck_assert_uint_lt(read, calls); /* some are counted */
}
END_TEST

START_TEST(all_values)
{
    struct bytes file = {0};
    uint64_t calls = 0;
    make_trace(&file);
    compare(&file, &calls);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counted_calls");
    TCase *tests = tcase_create("counted_calls");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, random_programs, 0, 4);
    tcase_add_test(tests, all_values);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
