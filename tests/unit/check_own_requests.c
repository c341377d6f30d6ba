/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests without the number of their class: what the reader counts gives the names that the ranks recorded, whatever
 * the ranks leave out, over threads and segments, and where the numbers that were recorded are no own numbers. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/live_requests.h"
#include "join_laid.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"
#include "pilgrim/reader.h"
#include "program_family.h"
#include "template/template.h"
#include "trials.h"
#include "write/own_requests.h"
#include "write/trace_writer.h"

enum { RANKS = 8, THREADS = 2, SEGMENTS = 2, CALLS_MAX = 250, REQUESTS = 2 * CALLS_MAX };

static const struct parameter_descriptor receive_parameters[] = {{"count", DIRECTION_IN}, {"request", DIRECTION_OUT}};
static const struct parameter_descriptor wait_parameters[] = {{"request", DIRECTION_INOUT}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_Irecv", receive_parameters, 2, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Wait", wait_parameters, 1, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
};
static const char *const names[] = {"MPI_REQUEST_NULL"};
static const struct vocabulary vocabulary = {functions, 3, names, 1};

/* ---- what ranks do ---- */

struct named {
    int64_t class_number, request_index; /* -1: no request */
};

struct done {
    uint32_t call;
    struct named request; /* that it begins or ends */
};

/* A rank while it records: its requests in flight, the oldest first. */
struct recorder {
    struct named flying[REQUESTS];
    uint32_t thread_of[REQUESTS]; /* which one began it */
    uint32_t count;
    struct live_requests live[THREADS];
    int64_t wrong; /* added to each class number: then it is that of another class, or of none */
};

/* By segment, rank and thread. */
static struct done done[SEGMENTS][RANKS][THREADS][CALLS_MAX];
static uint32_t done_count[SEGMENTS][RANKS][THREADS];

/* A call of CALL begins a request, or ends one: the oldest of the thread, its youngest, or the oldest of the other. */
enum call_kind { BEGINS, ENDS_OLDEST, ENDS_YOUNGEST, ENDS_OTHERS };

static enum call_kind kind_of(uint32_t call)
{
    static const uint8_t kinds[] = {BEGINS, BEGINS, ENDS_OLDEST, BEGINS, ENDS_OLDEST, ENDS_YOUNGEST, ENDS_OTHERS};
    return kinds[call % sizeof kinds];
}

static struct named begin(struct recorder *r, uint32_t thread, int64_t class_number)
{
    struct named name = {class_number, 0};
    for (uint32_t i = 0; i < r->count;) {
        bool taken = r->flying[i].class_number == name.class_number && r->flying[i].request_index == name.request_index;
        name.request_index += taken;
        i = taken ? 0 : i + 1;
    }
    ck_assert_uint_lt(r->count, REQUESTS);
    r->thread_of[r->count] = thread;
    r->flying[r->count++] = name;
    return name;
}

static struct named end(struct recorder *r, uint32_t thread, enum call_kind kind)
{
    uint32_t found = r->count;
    for (uint32_t i = 0; i < r->count; i++)
        if ((r->thread_of[i] == thread) == (kind != ENDS_OTHERS) && (found == r->count || kind == ENDS_YOUNGEST))
            found = i;
    if (found == r->count)
        return (struct named){-1, -1};
    const struct named name = r->flying[found];
    r->count--;
    memmove(&r->flying[found], &r->flying[found + 1], (r->count - found) * sizeof *r->flying);
    memmove(&r->thread_of[found], &r->thread_of[found + 1], (r->count - found) * sizeof *r->thread_of);
    return name;
}

static void put_null(struct bytes *key)
{
    bytes_put_u8(key, VALUE_NAME);
    bytes_put(key, (const uint8_t[2]){0}, 2); /* the first of `names` */
}

static void put_name(struct bytes *key, struct named name)
{
    put(key, VALUE_REQUEST, name.class_number);
    bytes_put_u64(key, (uint64_t)name.request_index);
}

/* Stores the request as the recorder does: by the list of live requests, where that knows it. */
static void put_request(struct bytes *key, struct live_requests *live, struct named name, bool begins)
{
    if (name.class_number < 0) {
        put_null(key);
    } else if (begins) {
        bool predicted = live_request_index(live, name.class_number) == name.request_index;
        ck_assert_int_eq(live_begin(live, name.class_number, name.request_index), PILGRIM_OK);
        if (predicted)
            put(key, VALUE_BEGUN, name.class_number);
        else
            put_name(key, name);
    } else {
        const int64_t age = live_rank(live, name.class_number, name.request_index);
        live_end(live, name.class_number, name.request_index);
        if (age < 0) {
            put_name(key, name);
        } else {
            put(key, VALUE_LIVE, name.class_number);
            bytes_put_u64(key, (uint64_t)age);
        }
    }
}

static void record(struct recorder *r, struct stream *s, uint32_t thread, struct done *d)
{
    const enum call_kind kind = kind_of(d->call);
    struct bytes key = {0};
    uint32_t class;
    EXPECT(stream_class(s, kind == BEGINS ? 1 : 2, sites + d->call + 1, 0, &class) == PILGRIM_OK, "a class");
    d->request = kind == BEGINS ? begin(r, thread, ((int64_t)thread << 16) + class + r->wrong) : end(r, thread, kind);
    if (kind == BEGINS)
        put(&key, VALUE_INT, d->call % 3);
    put_request(&key, &r->live[thread], d->request, kind == BEGINS);
    if (kind != BEGINS)
        put_null(&key);
    put(&key, VALUE_INT, 0);
    EXPECT(stream_append(s, class, false, key.data, key.length, 0, 0) == PILGRIM_OK, "a call");
    bytes_free(&key);
}

/* Adds RANK, whose threads do what is in `done`, in turns. */
static void add_recorded(struct fragment *f, struct recorder *r, uint32_t segment, uint32_t rank, uint32_t ranks,
                         uint32_t threads)
{
    static const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *process = make_process(&vocabulary, rank, ranks), *streams[THREADS];
    for (uint32_t t = 0; t < threads; t++) {
        streams[t] = stream_new(&vocabulary, resolve);
        ck_assert_int_eq(stream_keep_times(streams[t], &times), PILGRIM_OK);
        live_restart(&r->live[t]);
    }
    for (uint32_t i = 0; i < CALLS_MAX; i++)
        for (uint32_t t = 0; t < threads; t++)
            if (i < done_count[segment][rank][t])
                record(r, streams[t], t, &done[segment][rank][t][i]);
    for (uint32_t t = 0; t < threads; t++)
        ck_assert_int_eq(stream_flush_times(streams[t]), PILGRIM_OK);
    ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)streams, threads), PILGRIM_OK);
    for (uint32_t t = 0; t < threads; t++)
        stream_free(streams[t]);
    stream_free(process);
}

/* ---- what is read ---- */

static struct pilgrim_trace *open_written(const struct bytes *written)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    char path[] = "/tmp/check_own_requests-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, written->data, written->length), (ssize_t)written->length);
    close(file);
    enum pilgrim_status status = pilgrim_open(path, &trace, &error);
    unlink(path);
    ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    return trace;
}

static void check_thread(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread, uint32_t segments)
{
    struct pilgrim_cursor *c;
    struct pilgrim_call call;
    struct pilgrim_error error;
    ck_assert_int_eq(pilgrim_cursor_open(t, rank, thread, &c, &error), PILGRIM_OK);
    for (uint32_t segment = 0; segment < segments; segment++)
        for (uint32_t i = 0; i < done_count[segment][rank][thread]; i++) {
            const struct done *d = &done[segment][rank][thread][i];
            EXPECT(pilgrim_cursor_next(c, &call, &error) == PILGRIM_OK, "rank %u, call %u: %s", rank, i, error.message);
            const struct pilgrim_value *v = kind_of(d->call) == BEGINS ? &call.out[1] : &call.in[0];
            EXPECT(call.class_->site->offset == (d->call + UINT64_C(1)) * 16, "another site");
            if (d->request.class_number < 0)
                EXPECT(v->type == PILGRIM_NAME, "rank %u, call %u: a request", rank, i);
            else
                EXPECT(v->type == PILGRIM_REQUEST && v->id == d->request.class_number &&
                           v->offset == d->request.request_index,
                       "rank %u, call %u: request %lld.%lld, not %lld.%lld", rank, i, (long long)v->id,
                       (long long)v->offset, (long long)d->request.class_number, (long long)d->request.request_index);
        }
    ck_assert_int_eq(pilgrim_cursor_next(c, &call, &error), PILGRIM_END);
    pilgrim_cursor_close(c);
}

/* If a signature is said to be the same on all threads of its value group, it is the same on RANKS first threads. */
static void check_uniform(const struct pilgrim_trace *t, uint32_t ranks)
{
    struct pilgrim_cursor *cursors[RANKS];
    struct pilgrim_error error;
    struct pilgrim_thread_info thread, other;
    struct pilgrim_class_info class, same;
    struct pilgrim_call one, two;
    for (uint32_t i = 0; i < ranks; i++)
        ck_assert_int_eq(pilgrim_cursor_open(t, i, 0, &cursors[i], &error), PILGRIM_OK);
    for (uint32_t i = 1; i < ranks; i++) {
        pilgrim_thread_info(cursors[0], &thread);
        pilgrim_thread_info(cursors[i], &other);
        const bool together = pilgrim_cursor_tables(cursors[0]) == pilgrim_cursor_tables(cursors[i]) &&
                              thread.structure_group == other.structure_group;
        for (size_t k = 0; together && k < thread.class_count; k++) {
            ck_assert_int_eq(pilgrim_class_info(cursors[0], k, &class), PILGRIM_OK);
            ck_assert_int_eq(pilgrim_class_info(cursors[i], k, &same), PILGRIM_OK);
            for (uint64_t n = 0; !class.body && class.value_group == same.value_group && n < class.signature_count;
                 n++) {
                if (!pilgrim_signature_uniform(cursors[0], k, n))
                    continue;
                ck_assert_int_eq(pilgrim_signature(cursors[0], k, n, &one, &error), PILGRIM_OK);
                ck_assert_int_eq(pilgrim_signature(cursors[i], k, n, &two, &error), PILGRIM_OK);
                const bool begins = one.class_->function->parameter_count == 2;
                EXPECT((begins ? one.out[1].id : one.in[0].id) == (begins ? two.out[1].id : two.in[0].id),
                       "not the same request");
            }
        }
    }
    for (uint32_t i = 0; i < ranks; i++)
        pilgrim_cursor_close(cursors[i]);
}

/* Counts the names with a class (WITH), and the others, that F's shapes have. */
static uint32_t count_names(const struct fragment *f, uint32_t *with)
{
    uint32_t without = 0;
    *with = 0;
    for (uint32_t i = 0; i < f->shapes.count; i++) {
        size_t length;
        const uint8_t *shape = intern_get(&f->shapes, i, &length);
        struct shape_request requests[8];
        uint32_t count;
        ck_assert_uint_lt(length, 8);
        ck_assert_int_eq(shape_requests(shape, length, requests, &count), PILGRIM_OK);
        *with += count;
        without += memchr(shape, VALUE_OWN, length) || memchr(shape, VALUE_LIVE_BACK, length);
    }
    return without;
}

/* Returns whether names lose their class, of F or of what templates make of it. F stays as it is. */
static bool changes(struct fragment *f)
{
    struct own_requests own;
    struct bytes before = {0}, after = {0};
    uint32_t with;
    fragment_pack_content(f, &before);
    own_requests_begin(f, &own);
    bool any = own.fragment != NULL;
    EXPECT(any == (count_names(f, &with) > 0), "it has changed, or has not");
    own_requests_end(&own, NULL);
    fragment_pack_content(f, &after);
    ck_assert_uint_eq(before.length, after.length);
    EXPECT(!memcmp(before.data, after.data, before.length), "the fragment is another one");
    bytes_free(&before);
    bytes_free(&after);
    return any;
}

/* ---- random families ---- */

/* Which class numbers are wrong: none; all; those of a rank; those of a rank, or not, at random. */
static int64_t wrong_by(uint32_t kind, uint32_t rank)
{
    return kind == 1 || (kind == 2 && rank == 1) ? 1 : kind == 3 ? random_below(3) : 0;
}

/* Returns whether some names lose their class. */
static bool try_requests(uint64_t seed, const struct differences *d, uint32_t wrong, uint32_t threads)
{
    static struct recorder recorders[RANKS];
    static uint32_t calls[LENGTH_MAX + 2];
    const uint32_t ranks = 2 + (uint32_t)(seed % (RANKS - 1)), segments = 1 + seed % SEGMENTS;
    struct bytes written = {0};
    bool any = false;
    memset(recorders, 0, sizeof recorders);
    ck_assert_int_eq(trace_write_begin(&written), PILGRIM_OK);
    random_state = seed;
    for (uint32_t segment = 0; segment < segments; segment++) {
        struct program p = {.count = 0};
        struct fragment *f = fragment_new(0);
        make_body(&p, 4 + random_below(NODES - 4), 0);
        for (uint32_t rank = 0; rank < ranks; rank++) {
            if (segment == 0)
                recorders[rank].wrong = wrong_by(wrong, rank);
            for (uint32_t t = 0; t < threads; t++) {
                const uint32_t length = perform(&p, 0, p.count, d, seed * RANKS + rank / 2 + 5 * t, calls, 0);
                done_count[segment][rank][t] = length < CALLS_MAX ? length : CALLS_MAX;
                for (uint32_t i = 0; i < done_count[segment][rank][t]; i++)
                    done[segment][rank][t][i].call = calls[i];
            }
            add_recorded(f, &recorders[rank], segment, rank, ranks, threads);
        }
        any |= changes(f);
        ck_assert_int_eq(trace_write_segment(f, true, segment > 0, &written), PILGRIM_OK);
        fragment_free(f);
    }
    ck_assert_int_eq(trace_write_end(&written), PILGRIM_OK);
    struct pilgrim_trace *t = open_written(&written);
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t thread = 0; thread < threads; thread++)
            check_thread(t, rank, thread, segments);
    check_uniform(t, ranks);
    pilgrim_close(t);
    bytes_free(&written);
    for (uint32_t i = 0; i < RANKS * THREADS; i++)
        live_free(&recorders[i / THREADS].live[i % THREADS]);
    return any;
}

static const struct differences families[] = {
    {.dropped = 0},
    {.dropped = 8},
    {.dropped = 16, .other_trips = 16},
    {.dropped = 4, .inserted = 4, .repeated = 4, .other_trips = 8, .swapped = 4},
};
enum { FAMILIES = sizeof families / sizeof families[0], WRONG = 4 };

START_TEST(names_are_exact)
{
    const uint32_t wrong = (uint32_t)_i % WRONG, threads = 1 + (uint32_t)_i / WRONG % THREADS;
    uint32_t tried = 0, changed = 0;
    for (uint32_t i = 0; i < trials(2400) / (WRONG * THREADS); i++) {
        changed += try_requests(i + 1, &families[i % FAMILIES], wrong, threads);
        tried++;
    }
    if (wrong == 0)
        ck_assert_uint_gt(changed, tried / 2);
}
END_TEST

/* ---- a line ---- */

enum { STEPS = 9, ROUNDS = 25 };

/* Makes a line of ranks whose threads do STEPS in each round, but not those for a neighbour that they lack, which are
 * steps 2 and 6, and 3 and 7. HALVES: half of the ranks lack step 0. Templates join them. Sets *WITH and *WITHOUT to
 * how many names have a class, and not. Returns how many columns name a class by an index that members differ in. */
static size_t try_line(const uint32_t *steps, uint32_t threads, int64_t wrong, bool halves, uint32_t *with,
                       uint32_t *without)
{
    struct fragment *f = fragment_new(0), *joined;
    struct own_requests own;
    struct bytes written = {0};
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct recorder r = {.wrong = wrong};
        uint32_t length = 0;
        for (uint32_t i = 0; i < ROUNDS; i++)
            for (uint32_t k = 0; k < STEPS; k++)
                if ((rank > 0 || (k != 2 && k != 6)) && (rank + 1 < RANKS || (k != 3 && k != 7)) &&
                    (rank < RANKS / 2 || k > 0 || !halves)) {
                    for (uint32_t t = 0; t < threads; t++)
                        done[0][rank][t][length].call = steps[k];
                    length++;
                }
        for (uint32_t t = 0; t < threads; t++)
            done_count[0][rank][t] = length;
        add_recorded(f, &r, 0, rank, RANKS, threads);
        for (uint32_t t = 0; t < threads; t++)
            live_free(&r.live[t]);
    }
    join_laid(f, UINT64_MAX, &joined);
    ck_assert_ptr_nonnull(joined);
    changes(joined);
    own_requests_begin(joined, &own);
    *without = count_names(joined, with);
    const size_t indices = own.made_count;
    own_requests_end(&own, NULL);
    fragment_has_call_times(joined); /* so that it stays as it is */
    ck_assert_int_eq(trace_write(joined, true, &written), PILGRIM_OK);
    struct pilgrim_trace *t = open_written(&written);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t thread = 0; thread < threads; thread++)
            check_thread(t, rank, thread, 1);
    check_uniform(t, RANKS);
    pilgrim_close(t);
    bytes_free(&written);
    templates_free(joined);
    fragment_free(f);
    return indices;
}

/* No name has a class, if it is that of the same call each time. A class number that no class has stays. */
START_TEST(a_line_needs_no_classes)
{
    /* the last four end what those before them begin */
    static const uint32_t apart[STEPS] = {16, 0, 7, 1, 3, 2, 4, 9, 11};
    static const uint32_t together[STEPS] = {16, 0, 7, 1, 3, 2, 2, 2, 2};
    uint32_t with, without;
    for (uint32_t threads = 1; threads <= THREADS; threads++) {
        ck_assert_uint_eq(try_line(apart, threads, 0, false, &with, &without), 0);
        ck_assert_uint_eq(with, 0);
        ck_assert_uint_gt(without, 1);
        try_line(apart, threads, 100, false, &with, &without);
        ck_assert_uint_gt(with, 1);
        ck_assert_uint_eq(without, 0);
        try_line(together, threads, 0, false, &with, &without);
        ck_assert_uint_gt(without, 0);
        ck_assert_uint_gt(try_line(together, threads, 0, true, &with, &without), 0);
        ck_assert_uint_eq(with, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("own_requests");
    TCase *tests = tcase_create("names");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, names_are_exact, 0, WRONG * THREADS);
    tcase_add_test(tests, a_line_needs_no_classes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
