/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader gives back what was recorded, value by value. */
#include <check.h>
#include <string.h>

#include "made_trace.h"
#include "pilgrim/reader.h"
#include "read/file/load.h"

struct expected_call {
    struct cursor key;
    unsigned rank, view;
};

static int64_t slot(struct expected_call *e)
{
    return (int64_t)cursor_u64(&e->key);
}

static void check_name(struct expected_call *e, const struct pilgrim_value *v)
{
    uint8_t low = cursor_u8(&e->key);
    cursor_u8(&e->key);
    ck_assert_str_eq(v->text, names[low]);
    ck_assert_uint_eq(v->length, strlen(names[low]));
}

static void check_value(struct expected_call *e, const struct pilgrim_value *v);

static void check_items(struct expected_call *e, const struct pilgrim_value *v, size_t count)
{
    ck_assert_uint_eq(v->count, count);
    for (size_t i = 0; i < count; i++)
        check_value(e, &v->items[i]);
}

static void check_rank(struct expected_call *e, const struct pilgrim_value *v)
{
    int64_t own, size, relative = slot(e);
    base_of(e->rank, e->view, &own, &size);
    __int128 sum = (__int128)relative + own;
    ck_assert_int_eq(v->integer, (int64_t)((sum % size + size) % size));
    ck_assert(2 * v->relative > -size && 2 * v->relative <= size);
    ck_assert_int_eq((v->relative + own - v->integer) % size, 0);
}

static void check_value(struct expected_call *e, const struct pilgrim_value *v)
{
    uint8_t tag = cursor_u8(&e->key);
    uint32_t length;
    int64_t bits;
    switch (tag) {
    case VALUE_NONE:
        ck_assert_int_eq(v->type, PILGRIM_NONE);
        break;
    case VALUE_NAME:
        ck_assert_int_eq(v->type, PILGRIM_NAME);
        check_name(e, v);
        break;
    case VALUE_INT:
    case VALUE_BOOL:
        ck_assert_int_eq(v->type, tag == VALUE_INT ? PILGRIM_INT : PILGRIM_BOOL);
        ck_assert_int_eq(v->integer, slot(e));
        break;
    case VALUE_REAL:
        ck_assert_int_eq(v->type, PILGRIM_REAL);
        bits = slot(e);
        ck_assert_mem_eq(&v->real, &bits, 8);
        break;
    case VALUE_RANK:
        ck_assert_int_eq(v->type, PILGRIM_RANK);
        check_rank(e, v);
        break;
    case VALUE_RANK_BASE:
        e->view = (unsigned)slot(e);
        check_value(e, v);
        break;
    case VALUE_OBJECT:
        ck_assert_int_eq(v->type, PILGRIM_OBJECT);
        check_name(e, v);
        ck_assert_int_eq(v->id, slot(e));
        break;
    case VALUE_REQUEST:
    case VALUE_HEAP:
    case VALUE_STATIC:
        ck_assert_int_eq(v->type, tag == VALUE_REQUEST ? PILGRIM_REQUEST
                                  : tag == VALUE_HEAP  ? PILGRIM_HEAP
                                                       : PILGRIM_STATIC);
        ck_assert_int_eq(v->id, slot(e));
        ck_assert_int_eq(v->offset, slot(e));
        break;
    case VALUE_STACK:
    case VALUE_FUNCTION:
        ck_assert_int_eq(v->type, tag == VALUE_STACK ? PILGRIM_STACK : PILGRIM_FUNCTION);
        ck_assert_int_eq(v->id, slot(e));
        break;
    case VALUE_DEVICE:
        ck_assert_int_eq(v->type, PILGRIM_DEVICE);
        ck_assert_int_eq(v->device, slot(e));
        ck_assert_int_eq(v->id, slot(e));
        ck_assert_int_eq(v->offset, slot(e));
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        ck_assert_int_eq(v->type, tag == VALUE_STRING ? PILGRIM_STRING : PILGRIM_SYMBOL);
        length = cursor_u32(&e->key);
        ck_assert_uint_eq(v->length, length);
        ck_assert(length == 0 || memcmp(v->text, cursor_take(&e->key, length), length) == 0);
        ck_assert_int_eq(v->text[length], 0);
        break;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        ck_assert_int_eq(v->type, tag == VALUE_ARRAY ? PILGRIM_ARRAY : PILGRIM_FLAGS);
        check_items(e, v, cursor_u32(&e->key));
        break;
    case VALUE_STATUS:
        ck_assert_int_eq(v->type, PILGRIM_STATUS);
        length = cursor_u8(&e->key);
        ck_assert_int_eq(v->ignored, length & STATUS_IGNORED);
        check_items(e, v, length & STATUS_ERROR ? 5 : 4);
        break;
    default:
        ck_abort_msg("the test made a tag %u", tag);
    }
}

static void check_call(const struct pilgrim_call *call, unsigned rank, unsigned thread, unsigned i)
{
    uint32_t function;
    unsigned site;
    struct bytes key = {0};
    make_call(rank, thread, i, &function, &site, &key);
    const struct function_descriptor *f = &functions[function];
    ck_assert_uint_eq(call->rank, rank);
    ck_assert_uint_eq(call->thread, thread);
    ck_assert_uint_eq(call->seq, i);
    ck_assert_str_eq(call->function->name, f->name);
    ck_assert_uint_eq(call->function->parameter_count, f->parameter_count);
    ck_assert_int_eq(call->function->returns_error_code, f->returns == RETURNS_ERROR_CODE);
    ck_assert(call->class_->function == call->function);
    ck_assert_int_eq(call->class_->fortran, site % 2);
    const struct pilgrim_frame *frame = call->class_->site;
    for (size_t k = 0; k < frame_count(site); k++, frame = frame->caller) {
        const struct code_frame made = frame_of(site, k);
        ck_assert_ptr_nonnull(frame);
        ck_assert_str_eq(frame->module, made.module->name);
        ck_assert_uint_eq(frame->offset, made.offset);
        ck_assert_uint_eq(frame->build_id_length, made.module->build_id_length);
        ck_assert_mem_eq(frame->build_id, made.module->build_id, frame->build_id_length);
    }
    ck_assert_ptr_null(frame);
    struct expected_call e = {.rank = rank};
    cursor_init(&e.key, key.data, key.length);
    for (unsigned direction = DIRECTION_IN; direction <= DIRECTION_OUT; direction++)
        for (unsigned p = 0; p < f->parameter_count; p++) {
            const struct pilgrim_value *v = direction == DIRECTION_IN ? &call->in[p] : &call->out[p];
            ck_assert_str_eq(call->function->parameters[p].name, f->parameters[p].name);
            if (f->parameters[p].direction & direction)
                check_value(&e, v);
            else
                ck_assert_int_eq(v->type, PILGRIM_NONE);
        }
    check_value(&e, &call->ret);
    ck_assert_uint_eq(cursor_left(&e.key), 0);
    bytes_free(&key);
}

static struct pilgrim_trace *load(const struct bytes *file)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    ck_assert_msg(trace_load(file->data, file->length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    ck_assert_int_eq(error.status, PILGRIM_OK);
    return trace;
}

START_TEST(calls_come_back)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_call call;
    ck_assert_uint_eq(pilgrim_rank_count(trace), RANKS);
    ck_assert_str_eq(pilgrim_property(trace, "program"), "check_reader");
    ck_assert_ptr_null(pilgrim_property(trace, "programs"));
    for (unsigned rank = 0; rank < RANKS; rank++) {
        ck_assert_uint_eq(pilgrim_thread_count(trace, rank), threads_of(rank));
        for (unsigned t = 0; t < threads_of(rank); t++) {
            struct pilgrim_cursor *cursor;
            ck_assert_int_eq(pilgrim_cursor_open(trace, rank, t, &cursor, &error), PILGRIM_OK);
            unsigned count = calls_of(rank, t);
            ck_assert_uint_eq(pilgrim_call_count(trace, rank, t), count);
            for (unsigned i = 0; i < count; i++) {
                ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_OK);
                check_call(&call, rank, t, i);
            }
            ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
            pilgrim_cursor_close(cursor);
        }
    }
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

/* Functions are known of frames and of copies of frames, and of no other address. */
START_TEST(functions_are_named)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct pilgrim_call call;
    unsigned known = 0;
    ck_assert_int_eq(pilgrim_cursor_open(trace, 0, 0, &cursor, &error), PILGRIM_OK);
    while (pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK)
        for (const struct pilgrim_frame *f = call.class_->site; f; f = f->caller) {
            const bool in_program = strcmp(f->module, "program") == 0;
            const char *name = in_program ? made_function(f->offset) : NULL;
            struct pilgrim_frame copy = *f;
            uint64_t offset = 99;
            const char *found = pilgrim_frame_function(trace, &copy, &offset);
            ck_assert_int_eq(found != NULL, name != NULL);
            ck_assert_uint_eq(offset, name ? (f->offset - 1) % 0x1000 + 1 : 99);
            ck_assert(!found || (strcmp(found, name) == 0 && found == pilgrim_frame_function(trace, f, &offset)));
            known += name != NULL;
            copy.offset++;
            ck_assert_ptr_null(pilgrim_frame_function(trace, &copy, &offset));
            copy = *f;
            copy.build_id_length--;
            ck_assert(f->build_id_length == 0 || !pilgrim_frame_function(trace, &copy, &offset));
            copy = *f;
            copy.module = "programs";
            ck_assert_ptr_null(pilgrim_frame_function(trace, &copy, &offset));
        }
    ck_assert_uint_gt(known, 20);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

START_TEST(cursors_skip)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_call call;
    for (unsigned skip = 1; skip < CALLS + 2; skip++) {
        struct pilgrim_cursor *cursor;
        ck_assert_int_eq(pilgrim_cursor_open(trace, 6, 0, &cursor, &error), PILGRIM_OK);
        for (unsigned i = 0; i < calls_of(6, 0); i += skip + 1) {
            ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_OK);
            check_call(&call, 6, 0, i);
            ck_assert_int_eq(pilgrim_cursor_skip(cursor, skip), PILGRIM_OK);
        }
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

START_TEST(communicators_are_told_apart)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    static const uint64_t sequence[COMMUNICATORS] = {0, 0, 0, 0, 1, 0};
    uint64_t identity[2 * COMMUNICATORS] = {0};
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        ck_assert_int_eq(pilgrim_communicators_open(trace, rank, &list, &error), PILGRIM_OK);
        for (unsigned i = 0; i < COMMUNICATORS; i++) {
            ck_assert_int_eq(pilgrim_communicators_next(list, &c, &error), PILGRIM_OK);
            ck_assert_str_eq(c.name, i % 2 ? "comm:1" : "comm:0");
            ck_assert_str_eq(c.parent, i % 2 ? "comm:0" : "MPI_COMM_WORLD");
            ck_assert_str_eq(c.topology, "MPI_CART");
            ck_assert_int_eq(c.rank, i % 2 ? rank / 2 : rank);
            ck_assert_int_eq(c.leader, i % 2 ? rank % 2 : 0);
            ck_assert_uint_eq(c.sequence, sequence[i]);
            uint64_t *known = &identity[2 * i + (i % 2 ? rank % 2 : 0)];
            ck_assert(c.identity != 0 && (*known == 0 || *known == c.identity));
            *known = c.identity;
        }
        ck_assert_int_eq(pilgrim_communicators_next(list, &c, &error), PILGRIM_END);
        pilgrim_communicators_close(list);
    }
    for (unsigned i = 0; i < 2 * COMMUNICATORS; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert(identity[i] == 0 || identity[i] != identity[j]);
    ck_assert_int_eq(pilgrim_communicators_open(trace, RANKS, &list, &error), PILGRIM_INVALID);
    ck_assert_ptr_null(list);
    pilgrim_communicators_close(NULL);
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

START_TEST(what_does_not_exist)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_call call;
    struct pilgrim_cursor *cursor;
    struct pilgrim_thread_info thread;
    struct pilgrim_class_info class;
    struct pilgrim_statistic durations;
    static const uint32_t nowhere[][2] = {{3, 0}, {0, 1}, {RANKS, 0}, {UINT32_MAX, UINT32_MAX}};
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(pilgrim_cursor_open(trace, nowhere[i][0], nowhere[i][1], &cursor, &error), PILGRIM_INVALID);
        ck_assert_ptr_null(cursor);
        ck_assert_uint_eq(pilgrim_call_count(trace, nowhere[i][0], nowhere[i][1]), 0);
    }
    ck_assert_int_eq(pilgrim_cursor_open(trace, 0, 0, &cursor, &error), PILGRIM_OK);
    pilgrim_thread_info(cursor, &thread);
    ck_assert_int_eq(pilgrim_class_info(cursor, thread.class_count, &class), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_class_info(cursor, 0, &class), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_durations(cursor, 0, PILGRIM_STRUCTURE_GROUP, &durations), PILGRIM_OK);
    ck_assert(durations.count > 0 && durations.min_ns <= durations.max_ns && durations.min_ns >= 50);
    ck_assert_int_eq(pilgrim_durations(cursor, 0, class.signature_count, &durations), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_durations(cursor, thread.class_count, PILGRIM_VALUE_GROUP, &durations), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_gaps(cursor, thread.class_count, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &durations),
                     PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_signature(cursor, 0, class.signature_count, &call, &error), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_signature(cursor, thread.class_count, 0, &call, &error), PILGRIM_INVALID);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    ck_assert_int_eq(pilgrim_open("/nowhere/to/be/found", &trace, &error), PILGRIM_IO);
    ck_assert_ptr_null(trace);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reader");
    TCase *tests = tcase_create("reader");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, calls_come_back);
    tcase_add_test(tests, functions_are_named);
    tcase_add_test(tests, cursors_skip);
    tcase_add_test(tests, communicators_are_told_apart);
    tcase_add_test(tests, what_does_not_exist);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
