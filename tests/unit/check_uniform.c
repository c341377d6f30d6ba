/* SPDX-License-Identifier: BSD-3-Clause */
/* Signatures that are said to be the same for all members of a value group are the same, in a trace with every kind of
 * value. */
#include "made_trace.h"

#include "pilgrim/reader.h"
#include "read/file/load.h"

enum { CURSORS = RANKS + 2 };

/* Signatures of two threads: that are said to be the same, and that are not. */
struct tally {
    unsigned all, said, said_apart, differ;
};

static bool may_differ(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_RANK || v->type == PILGRIM_HEAP || v->type == PILGRIM_STACK ||
           v->type == PILGRIM_STATIC || v->type == PILGRIM_DEVICE;
}

/* APART: ranks and places in memory may differ. Else ranks are at the same distance. */
static bool same_value(const struct pilgrim_value *a, const struct pilgrim_value *b, bool apart)
{
    if (a->type != b->type || a->count != b->count || a->length != b->length || a->ignored != b->ignored)
        return false;
    if (apart && may_differ(a))
        return true;
    if (a->type == PILGRIM_RANK ? a->relative != b->relative : a->integer != b->integer)
        return false;
    if (memcmp(&a->real, &b->real, sizeof a->real) != 0 || a->device != b->device || a->id != b->id ||
        a->offset != b->offset || (a->text && memcmp(a->text, b->text, a->length) != 0))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_value(&a->items[i], &b->items[i], apart))
            return false;
    return true;
}

static bool same_call(const struct pilgrim_call *a, const struct pilgrim_call *b, bool apart)
{
    ck_assert_ptr_eq(a->class_, b->class_);
    for (size_t i = 0; i < a->function->parameter_count; i++)
        if (!same_value(&a->in[i], &b->in[i], apart) || !same_value(&a->out[i], &b->out[i], apart))
            return false;
    return same_value(&a->ret, &b->ret, apart);
}

static bool in_one_group(const struct pilgrim_cursor *a, const struct pilgrim_cursor *b, size_t class)
{
    struct pilgrim_thread_info of_a, of_b;
    struct pilgrim_class_info class_a, class_b;
    pilgrim_thread_info(a, &of_a);
    pilgrim_thread_info(b, &of_b);
    return of_a.structure_group == of_b.structure_group && pilgrim_class_info(a, class, &class_a) == PILGRIM_OK &&
           pilgrim_class_info(b, class, &class_b) == PILGRIM_OK && class_a.value_group == class_b.value_group;
}

static void compare(struct pilgrim_cursor *a, struct pilgrim_cursor *b, size_t class, struct tally *tally)
{
    struct pilgrim_class_info info;
    struct pilgrim_error error;
    ck_assert_int_eq(pilgrim_class_info(a, class, &info), PILGRIM_OK);
    for (uint64_t i = 0; i < info.signature_count; i++) {
        struct pilgrim_call of_a, of_b;
        ck_assert_int_eq(pilgrim_signature(a, class, i, &of_a, &error), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_signature(b, class, i, &of_b, &error), PILGRIM_OK);
        const bool uniform = pilgrim_signature_uniform(a, class, i),
                   apart = pilgrim_signature_uniform_apart(a, class, i);
        ck_assert(pilgrim_signature_uniform(b, class, i) == uniform);
        ck_assert(pilgrim_signature_uniform_apart(b, class, i) == apart);
        ck_assert_msg(!uniform || same_call(&of_a, &of_b, false), "class %zu, signature %d: not the same", class,
                      (int)i);
        ck_assert_msg(!apart || same_call(&of_a, &of_b, true), "class %zu, signature %d: not the same", class, (int)i);
        tally->all++;
        tally->said += uniform;
        tally->said_apart += apart;
        tally->differ += !same_call(&of_a, &of_b, true);
    }
}

/* ---- a trace with many values a call ---- */

/* Values of a call, in arrays: numbers and ranks, most of them the same on all ranks. The others are in no order. */
static void put_wide(struct bytes *key, unsigned rank, bool differs)
{
    enum { WIDTH = 6 };
    const unsigned power = rank * rank * rank * rank * rank; /* another number on each rank, modulo 7 */
    put_array(key, WIDTH);
    for (unsigned i = 0; i < WIDTH; i++) {
        const uint64_t drawn = draw();
        const bool is_rank = drawn % 4 == 0, is_list = drawn / 4 % 8 == 0 && (is_rank || differs);
        bytes_put_u8(key, is_rank ? VALUE_RANK : VALUE_INT);
        bytes_put_u64(key, (drawn / 64 + (is_list ? power : 0)) % RANKS);
    }
}

static void make_wide_trace(struct bytes *out)
{
    struct fragment *f = fragment_new(0);
    struct bytes key = {0};
    paths_name_functions(made_symbols);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct stream *process = process_stream(rank), *thread = thread_stream();
        for (unsigned i = 0; i < CALLS; i++) {
            key.length = 0;
            state = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
            for (unsigned value = 0; value < 5; value++) /* of MPI_One: two in, two out, and what it returns */
                put_wide(&key, rank, i % 2);
            append(thread, 1, i % SITES, &key);
        }
        ck_assert_int_eq(stream_flush_times(thread), PILGRIM_OK);
        ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)&thread, 1), PILGRIM_OK);
        stream_free(process);
        stream_free(thread);
    }
    ck_assert_int_eq(trace_write(f, true, out), PILGRIM_OK);
    fragment_free(f);
    bytes_free(&key);
}

/* ---- the tests ---- */

static struct tally compare_all(const struct bytes *file)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct pilgrim_cursor *cursors[CURSORS] = {NULL};
    struct tally tally = {0};
    size_t count = 0;
    ck_assert_int_eq(trace_load(file->data, file->length, &trace, &error), PILGRIM_OK);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        for (uint32_t t = 0; t < pilgrim_thread_count(trace, rank); t++, count++)
            ck_assert_int_eq(pilgrim_cursor_open(trace, rank, t, &cursors[count], &error), PILGRIM_OK);
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++) {
            struct pilgrim_thread_info info;
            pilgrim_thread_info(cursors[a], &info);
            for (size_t class = 0; class < info.class_count; class ++)
                if (in_one_group(cursors[a], cursors[b], class))
                    compare(cursors[a], cursors[b], class, &tally);
        }
    for (size_t i = 0; i < count; i++)
        pilgrim_cursor_close(cursors[i]);
    pilgrim_close(trace);
    ck_assert_uint_gt(tally.said, 0);
    ck_assert_uint_gt(tally.said_apart, tally.said);
    ck_assert_uint_gt(tally.differ, 0);
    return tally;
}

START_TEST(every_kind_of_value)
{
    struct bytes file = {0};
    make_trace(&file);
    compare_all(&file);
    bytes_free(&file);
}
END_TEST

/* What is the same is said to be: nothing depends on other calls. */
START_TEST(many_values)
{
    struct bytes file = {0};
    make_wide_trace(&file);
    const struct tally tally = compare_all(&file);
    ck_assert_uint_eq(tally.said_apart + tally.differ, tally.all);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("uniform");
    TCase *tests = tcase_create("uniform");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_kind_of_value);
    tcase_add_test(tests, many_values);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
