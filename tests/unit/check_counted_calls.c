/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are counted are those that are read one by one: of random programs of loops in loops, and of a trace with
 * every kind of value. */
#include "../../src/analysis/counted_calls.c"
#include "../../src/analysis/flat_grammar.c"
#include "../../src/analysis/repeats.c"
#include "looping_trace.h"

#include "pilgrim/reader.h"
#include "read/file/load.h"
#include "trials.h"

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

/* ---- all ---- */

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
