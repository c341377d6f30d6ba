/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of calls: sizes of datatypes, names that get new meanings, members of groups. The decoder's files are
 * compiled in here. Stand-ins for the reader's functions, and for the counting of calls, read a trace that is written
 * down as an array of calls.
 *
 * One file, as all of it uses these stand-ins. */
#include "../../src/analysis/bindings.c"
#include "../../src/analysis/call_values.c"
#include "../../src/analysis/key_table.c"
#include "../../src/analysis/message_groups.c"
#include "../../src/analysis/message_roles.c"
#include "../../src/analysis/messages.c"
#include "../../src/analysis/type_extents.c"
#include "../../src/analysis/type_sizes.c"
#include "../../src/analysis/world_ranks.c"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

/* ---- a trace ---- */

enum { CALLS_MAX = 16, PARAMETERS_MAX = 10, THREADS = 2, RANKS = 4, COMMUNICATORS_MAX = 4 };

/* A call with its own function. */
struct told_message {
    struct pilgrim_parameter parameters[PARAMETERS_MAX];
    struct pilgrim_function function;
    struct pilgrim_value in[PARAMETERS_MAX], out[PARAMETERS_MAX];
    struct pilgrim_call call;
};

struct pilgrim_trace {
    uint32_t threads;
    struct told_message calls[RANKS][THREADS][CALLS_MAX];
    size_t call_count[RANKS][THREADS];
    struct pilgrim_communicator communicators[RANKS][COMMUNICATORS_MAX];
    size_t communicator_count[RANKS];
};

struct counted_calls {
    const struct pilgrim_trace *trace;
    const struct told_message *calls;
    size_t left;
};

struct pilgrim_communicators {
    const struct pilgrim_communicator *next;
    size_t left;
};

uint32_t pilgrim_rank_count(const struct pilgrim_trace *trace)
{
    (void)trace;
    return RANKS;
}

uint32_t pilgrim_thread_count(const struct pilgrim_trace *trace, uint32_t rank)
{
    (void)rank;
    return trace->threads;
}

struct counted_calls *counted_calls_new(const struct pilgrim_trace *trace)
{
    struct counted_calls *c = calloc(1, sizeof *c);
    if (c)
        c->trace = trace;
    return c;
}

enum pilgrim_status counted_calls_begin(struct counted_calls *c, uint32_t rank, uint32_t thread, enum counted_how how,
                                        struct pilgrim_error *error)
{
    (void)how;
    (void)error;
    *c = (struct counted_calls){c->trace, c->trace->calls[rank][thread], c->trace->call_count[rank][thread]};
    return PILGRIM_OK;
}

enum pilgrim_status counted_calls_next(struct counted_calls *c, uint64_t changes, struct pilgrim_call *call,
                                       uint64_t *count, struct pilgrim_error *error)
{
    (void)changes;
    (void)error;
    if (c->left == 0)
        return PILGRIM_END;
    c->left--;
    *count = 1;
    *call = c->calls++->call;
    return PILGRIM_OK;
}

void counted_calls_free(struct counted_calls *c)
{
    free(c);
}

enum pilgrim_status pilgrim_communicators_open(const struct pilgrim_trace *trace, uint32_t rank,
                                               struct pilgrim_communicators **list, struct pilgrim_error *error)
{
    (void)error;
    *list = malloc(sizeof **list);
    **list = (struct pilgrim_communicators){trace->communicators[rank], trace->communicator_count[rank]};
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_communicators_next(struct pilgrim_communicators *list, struct pilgrim_communicator *c,
                                               struct pilgrim_error *error)
{
    (void)error;
    if (list->left == 0)
        return PILGRIM_END;
    list->left--;
    *c = *list->next++;
    return PILGRIM_OK;
}

void pilgrim_communicators_close(struct pilgrim_communicators *list)
{
    free(list); /* NULL is legal */
}

/* ---- calls ---- */

static struct pilgrim_value int_value(int64_t n)
{
    return (struct pilgrim_value){.type = PILGRIM_INT, .integer = n};
}

static struct pilgrim_value rank_value(int64_t rank)
{
    return (struct pilgrim_value){.type = PILGRIM_RANK, .integer = rank};
}

static struct pilgrim_value name(const char *text)
{
    return (struct pilgrim_value){.type = PILGRIM_NAME, .text = text};
}

static struct pilgrim_value object(int64_t id)
{
    return (struct pilgrim_value){.type = PILGRIM_OBJECT, .text = "it", .id = id};
}

static struct pilgrim_value request(int64_t class, int64_t request_index)
{
    return (struct pilgrim_value){.type = PILGRIM_REQUEST, .id = class, .offset = request_index};
}

static struct pilgrim_value array(const struct pilgrim_value *items, size_t count)
{
    return (struct pilgrim_value){.type = PILGRIM_ARRAY, .items = items, .count = count};
}

static struct told_message *tell(struct told_message *t, const char *function)
{
    *t = (struct told_message){0};
    t->function = (struct pilgrim_function){function, t->parameters, 0, true};
    t->call = (struct pilgrim_call){.function = &t->function, .in = t->in, .out = t->out, .ret = int_value(0)};
    return t;
}

static void give(struct told_message *t, const char *parameter, enum pilgrim_direction direction,
                 struct pilgrim_value value)
{
    size_t i = t->function.parameter_count++;
    ck_assert_uint_lt(i, PARAMETERS_MAX);
    t->parameters[i] = (struct pilgrim_parameter){parameter, direction};
    if (direction & PILGRIM_IN)
        t->in[i] = value;
    if (direction & PILGRIM_OUT)
        t->out[i] = value;
}

static struct told_message *tell_send(struct told_message *t, const char *function, int64_t count,
                                      struct pilgrim_value type, struct pilgrim_value dest, struct pilgrim_value comm)
{
    tell(t, function);
    give(t, "count", PILGRIM_IN, int_value(count));
    give(t, "datatype", PILGRIM_IN, type);
    give(t, "dest", PILGRIM_IN, dest);
    give(t, "comm", PILGRIM_IN, comm);
    return t;
}

static struct told_message *tell_contiguous(struct told_message *t, int64_t count, struct pilgrim_value old,
                                            struct pilgrim_value new)
{
    tell(t, "MPI_Type_contiguous");
    give(t, "count", PILGRIM_IN, int_value(count));
    give(t, "oldtype", PILGRIM_IN, old);
    give(t, "newtype", PILGRIM_OUT, new);
    return t;
}

static struct told_message *tell_free(struct told_message *t, const char *function, const char *parameter,
                                      struct pilgrim_value what)
{
    give(tell(t, function), parameter, PILGRIM_INOUT, what);
    return t;
}

static struct told_message *tell_new(struct told_message *t, const char *function, const char *from,
                                     struct pilgrim_value parent, const char *to, struct pilgrim_value new)
{
    tell(t, function);
    give(t, from, PILGRIM_IN, parent);
    give(t, to, PILGRIM_OUT, new);
    return t;
}

/* ---- the fixture: a trace, and messages that stand at its rank 1 ---- */

static struct pilgrim_trace *trace;
static struct messages *m;

static void begin(uint32_t rank, uint32_t thread)
{
    struct pilgrim_error error;
    ck_assert_int_eq(messages_begin(m, rank, thread, &error), PILGRIM_OK);
}

static void setup(void)
{
    trace = calloc(1, sizeof *trace);
    trace->threads = 1;
    m = messages_new(trace);
    begin(1, 0);
}

static void teardown(void)
{
    messages_free(m);
    free(trace);
}

static void expect_parts(size_t count)
{
    size_t found;
    messages_transfers(m, &found);
    ck_assert_uint_eq(found, count);
}

static void see(const struct told_message *t, uint64_t identity, uint64_t messages, uint64_t bytes)
{
    struct messages_count count;
    struct pilgrim_call call = t->call;
    call.identity = identity;
    ck_assert_int_eq(messages_see(m, &call, &count), PILGRIM_OK);
    ck_assert_msg(count.messages == messages && count.bytes == bytes, "%s: %d messages, %d bytes, not %d, %d",
                  t->function.name, (int)count.messages, (int)count.bytes, (int)messages, (int)bytes);
}

/* Where part I of the call that was seen last goes. */
static int64_t goes_to(size_t i)
{
    size_t count;
    const struct messages_transfer *parts = messages_transfers(m, &count);
    ck_assert_uint_lt(i, count);
    ck_assert_uint_lt(parts[i].target, messages_targets(m));
    struct group_member member = messages_target(m, parts[i].target);
    return messages_world_rank(m, &member);
}

#define WORLD name("MPI_COMM_WORLD")

/* ---- sizes ---- */

START_TEST(predefined)
{
    const struct {
        const char *type;
        size_t size;
    } known[] = {{"MPI_CHAR", 1},
                 {"MPI_WCHAR", sizeof(wchar_t)},
                 {"MPI_SHORT", sizeof(short)},
                 {"MPI_INT", sizeof(int)},
                 {"MPI_LONG", sizeof(long)},
                 {"MPI_UNSIGNED_LONG_LONG", sizeof(long long)},
                 {"MPI_LONG_DOUBLE", sizeof(long double)},
                 {"MPI_DOUBLE_INT", sizeof(double) + sizeof(int)},
                 {"MPI_2INT", 2 * sizeof(int)},
                 {"MPI_2DOUBLE_PRECISION", 16},
                 {"MPI_UB", 0}};
    for (size_t i = 0; i < COUNT(known); i++)
        ck_assert_uint_eq(type_size_predefined(known[i].type), known[i].size);
    const char *const unknown[] = {"MPI_DATATYPE_NULL", "INT", "MPI_", "", "MPI_IN"};
    for (size_t i = 0; i < COUNT(unknown); i++)
        ck_assert(type_size_predefined(unknown[i]) == TYPE_SIZE_UNKNOWN);
}
END_TEST

START_TEST(sizes_that_are_none)
{
    struct told_message t;
    const int64_t counts[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 4 + 1};
    for (size_t i = 0; i < COUNT(counts); i++) {
        tell_contiguous(&t, counts[i], name("MPI_INT"), object(3));
        ck_assert(type_size_made(&t.call, messages_size_of, m) == TYPE_SIZE_UNKNOWN);
    }
    tell_contiguous(&t, INT64_MAX / 4, name("MPI_INT"), object(3));
    ck_assert_uint_eq(type_size_made(&t.call, messages_size_of, m), INT64_MAX / 4 * 4);
    tell_contiguous(&t, 1, object(9), object(3)); /* of which nothing is known */
    ck_assert(type_size_made(&t.call, messages_size_of, m) == TYPE_SIZE_UNKNOWN);
    const struct pilgrim_value two[] = {int_value(2), int_value(3)},
                               types[] = {name("MPI_INT"), name("MPI_CHAR"), name("MPI_CHAR")};
    tell(&t, "MPI_Type_create_struct");
    give(&t, "array_of_blocklengths", PILGRIM_IN, array(two, 2));
    give(&t, "array_of_types", PILGRIM_IN, array(types, 3)); /* not as many */
    ck_assert(type_size_made(&t.call, messages_size_of, m) == TYPE_SIZE_UNKNOWN);
    t.in[1].count = 2;
    ck_assert_uint_eq(type_size_made(&t.call, messages_size_of, m), 11);
    tell(&t, "MPI_Type_create_darray");
    ck_assert(type_size_made(&t.call, messages_size_of, m) == TYPE_SIZE_UNKNOWN);
    tell(&t, "MPI_Type_commit");
    ck_assert(type_size_made(&t.call, messages_size_of, m) == TYPE_SIZE_UNKNOWN);
}
END_TEST

/* The parts that all processes have are the array. */
START_TEST(distributed_arrays)
{
    const char *const how[] = {"MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC"};
    uint64_t state = 17;
    for (int round = 0; round < 2000; round++) {
        struct pilgrim_value lengths[2], ways[2], arguments[2], distribution[2];
        uint64_t processes = 1, whole = 4, sum = 0;
        for (int d = 0; d < 2; d++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint64_t size = 1 + (state >> 33) % 40, count = 1 + (state >> 40) % 5, cyclic = state >> 50 & 1;
            uint64_t block = (cyclic ? 1 : (size + count - 1) / count) + (state >> 52) % 7;
            lengths[d] = int_value((int64_t)size);
            distribution[d] = int_value((int64_t)count);
            ways[d] = name(how[cyclic]);
            arguments[d] = state >> 51 & 1 ? name("MPI_DISTRIBUTE_DFLT_DARG") : int_value((int64_t)block);
            processes *= count;
            whole *= size;
        }
        for (uint64_t rank = 0; rank < processes; rank++) {
            struct told_message t;
            tell(&t, "MPI_Type_create_darray_c");
            give(&t, "rank", PILGRIM_IN, int_value((int64_t)rank));
            give(&t, "array_of_gsizes", PILGRIM_IN, array(lengths, 2));
            give(&t, "array_of_distribs", PILGRIM_IN, array(ways, 2));
            give(&t, "array_of_dargs", PILGRIM_IN, array(arguments, 2));
            give(&t, "array_of_psizes", PILGRIM_IN, array(distribution, 2));
            give(&t, "oldtype", PILGRIM_IN, name("MPI_INT"));
            sum += type_size_made(&t.call, messages_size_of, m);
        }
        ck_assert_uint_eq(sum, whole);
    }
}
END_TEST

/* ---- what is a message ---- */

START_TEST(sends)
{
    struct told_message t;
    see(tell_send(&t, "MPI_Isend_c", 3, name("MPI_INT"), rank_value(2), WORLD), 0, 1, 12);
    ck_assert_int_eq(goes_to(0), 2);
    see(tell_send(&t, "MPI_Send", 3, name("MPI_INT"), name("MPI_PROC_NULL"), WORLD), 0, 0, 0);
    see(tell_send(&t, "MPI_Recv", 3, name("MPI_INT"), rank_value(2), WORLD), 0, 0, 0);
    see(tell_send(&t, "MPI_Sen", 3, name("MPI_INT"), rank_value(2), WORLD), 0, 0, 0);
    see(tell_send(&t, "MPI_Sends", 3, name("MPI_INT"), rank_value(2), WORLD), 0, 0, 0);
    tell_send(&t, "MPI_Send", 3, name("MPI_INT"), rank_value(2), WORLD)->call.ret = int_value(6);
    see(&t, 0, 0, 0);
    see(tell_send(&t, "MPI_Send", 3, name("MPI_INT"), rank_value(0), name("MPI_COMM_SELF")), 0, 1, 12);
    ck_assert_int_eq(goes_to(0), 1);
    see(tell_send(&t, "MPI_Send", 3, name("MPI_INT"), rank_value(RANKS), WORLD), 0, 1, 12);
    ck_assert_int_eq(goes_to(0), -1);
    see(tell_send(&t, "MPI_Send", 3, name("MPI_INT"), rank_value(0), object(5)), 0, 1,
        12); /* a communicator that nobody made */
    ck_assert_int_eq(goes_to(0), -1);
}
END_TEST

START_TEST(unsized)
{
    struct told_message t;
    size_t count;
    see(tell_send(&t, "MPI_Send", 3, object(1), rank_value(2), WORLD), 0, 1, 0);
    ck_assert(!messages_transfers(m, &count)[0].sized);
    tell(&t, "MPI_Type_size"); /* MPI says it */
    give(&t, "datatype", PILGRIM_IN, object(1));
    give(&t, "size", PILGRIM_OUT, int_value(10));
    see(&t, 7, 0, 0);
    see(tell_send(&t, "MPI_Send", 3, object(1), rank_value(2), WORLD), 0, 1, 30);
    ck_assert(messages_transfers(m, &count)[0].sized);
    see(tell_free(&t, "MPI_Type_free", "datatype", object(1)), 8, 0, 0);
    see(tell_send(&t, "MPI_Send", 3, object(1), rank_value(2), WORLD), 0, 1, 0);
}
END_TEST

/* Equal calls are looked at once, unless a name in them has come to mean something else. */
START_TEST(equal_calls)
{
    struct told_message type, gone, t;
    tell_send(&t, "MPI_Send", 2, object(1), rank_value(3), WORLD);
    tell_free(&gone, "MPI_Type_free", "datatype", object(1));
    for (int64_t size = 1; size < 6; size++) {
        see(tell_contiguous(&type, size, name("MPI_SHORT"), object(1)), 1, 0, 0);
        see(&t, 2, 1, 4 * (uint64_t)size);
        see(&t, 2, 1, 4 * (uint64_t)size);
        see(&gone, 3, 0, 0);
    }
    see(&type, 1, 0, 0);
    see(&t, 2, 1, 20);
    t.in[0] = int_value(1000); /* not looked at */
    see(&gone, 3, 0, 0);
    see(&type, 1, 0, 0);
    see(&t, 2, 1, 20);
    ck_assert_int_eq(goes_to(0), 3);
    begin(1, 0); /* another cursor's numbers */
    see(&type, 1, 0, 0);
    see(&t, 2, 1, 10000);
}
END_TEST

START_TEST(many_different_calls)
{
    struct told_message t;
    for (int64_t i = 0; i < 3 * CACHED_TRANSFERS_MAX; i++) {
        see(tell_send(&t, "MPI_Send", i, name("MPI_CHAR"), rank_value(i % RANKS), WORLD), (uint64_t)i + 1, 1,
            (uint64_t)i);
        see(&t, (uint64_t)i + 1, 1, (uint64_t)i);
        ck_assert_int_eq(goes_to(0), i % RANKS);
    }
    ck_assert_uint_eq(messages_targets(m), RANKS);
}
END_TEST

static struct told_message *tell_exchange(struct told_message *t, int64_t count, int64_t back)
{
    tell(t, "MPI_Get_accumulate");
    give(t, "origin_count", PILGRIM_IN, int_value(count));
    give(t, "origin_datatype", PILGRIM_IN, name("MPI_INT"));
    give(t, "result_count", PILGRIM_IN, int_value(back));
    give(t, "result_datatype", PILGRIM_IN, name("MPI_INT"));
    give(t, "target_rank", PILGRIM_IN, rank_value(3));
    give(t, "win", PILGRIM_IN, object(0));
    return t;
}

/* What was kept is dropped from time to time: what was known of a call then is not what stands there now. */
START_TEST(dropped)
{
    enum { BACK = CACHED_TRANSFERS_MAX * 3 / 4 };
    struct told_message t;
    size_t count;
    for (int64_t i = 0; i < 3 * CACHED_TRANSFERS_MAX; i++) {
        see(tell_exchange(&t, i, i), (uint64_t)i + 1, 0, 0);
        int64_t before = i < BACK ? i : i - BACK;
        see(tell_exchange(&t, before, before), (uint64_t)before + 1, 0, 0);
        ck_assert(messages_transfers(m, &count)[0].bytes == 4 * (uint64_t)before && count == 2);
    }
}
END_TEST

START_TEST(persistent)
{
    struct told_message t;
    struct pilgrim_value requests[3] = {request(4, 0), request(4, 1), request(5, 0)};
    for (int64_t i = 0; i < 2; i++) {
        tell_send(&t, "MPI_Ssend_init", 10 + i, name("MPI_INT"), rank_value(i), WORLD);
        give(&t, "request", PILGRIM_OUT, requests[i]);
        see(&t, 1, 0, 0);
        expect_parts(0);
    }
    tell(&t, "MPI_Startall"); /* one of them is a receive */
    give(&t, "array_of_requests", PILGRIM_INOUT, array(requests, 3));
    see(&t, 2, 2, 84);
    expect_parts(2);
    ck_assert_int_eq(goes_to(0), 0);
    ck_assert_int_eq(goes_to(1), 1);
    tell_send(&t, "MPI_Psend_init", 10, name("MPI_INT"), rank_value(2), WORLD);
    give(&t, "partitions", PILGRIM_IN, int_value(3));
    give(&t, "request", PILGRIM_OUT, requests[1]);
    see(&t, 3, 0, 0);
    see(tell_free(&t, "MPI_Start", "request", requests[1]), 4, 1, 120);
    see(tell_free(&t, "MPI_Start", "request", requests[0]), 5, 1, 40);
    tell_send(&t, "MPI_Send_init", 10, name("MPI_INT"), name("MPI_PROC_NULL"), WORLD); /* the same name, for nobody */
    give(&t, "request", PILGRIM_OUT, requests[0]);
    see(&t, 6, 0, 0);
    see(tell_free(&t, "MPI_Start", "request", requests[0]), 5, 0, 0);
    expect_parts(0);
}
END_TEST

/* Operations on windows are no messages. */
START_TEST(windows)
{
    struct told_message t;
    size_t count;
    see(tell_new(&t, "MPI_Win_create", "comm", WORLD, "win", object(0)), 0, 0, 0);
    see(tell_exchange(&t, 2, 3), 0, 0, 0);
    const struct messages_transfer *parts = messages_transfers(m, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert(parts[0].kind == MESSAGES_PUT && parts[0].bytes == 8 && parts[1].kind == MESSAGES_GET &&
              parts[1].bytes == 12);
    ck_assert_int_eq(goes_to(1), 3);
}
END_TEST

/* ---- who is who ---- */

static void list_made(uint32_t rank, int64_t thread, const char *text, uint64_t identity, int64_t size, int64_t own,
                      bool inter)
{
    trace->communicators[rank][trace->communicator_count[rank]++] =
        (struct pilgrim_communicator){.name = text,
                                      .thread = thread,
                                      .size = size,
                                      .rank = own,
                                      .inter = inter,
                                      .topology = "MPI_UNDEFINED",
                                      .identity = identity};
}

/* Ranks 3 and 1, in this order, the others alone; then the same name for 2 and 1. A null one between. */
START_TEST(communicators)
{
    struct told_message split, null, gone, t;
    tell_new(&split, "MPI_Comm_split", "comm", WORLD, "newcomm", object(0));
    tell_new(&null, "MPI_Comm_split", "comm", WORLD, "newcomm", name("MPI_COMM_NULL"));
    tell_free(&gone, "MPI_Comm_free", "comm", object(0));
    tell_send(&t, "MPI_Send", 1, name("MPI_INT"), rank_value(0), object(0));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        list_made(rank, 0, "comm:0", rank & 1 ? 1000 : 2000 + rank, rank & 1 ? 2 : 1, rank == 1, false);
        if (rank == 1)
            list_made(rank, 0, "MPI_COMM_NULL", 0, 0, -1, false);
        if (rank == 1 || rank == 2)
            list_made(rank, 0, "comm:0", 3000, 2, rank == 1, false);
    }
    uint32_t targets[2] = {0, 0};
    struct group_member members[2];
    for (uint32_t rank = RANKS; rank-- > 0;) {
        begin(rank, 0);
        see(&split, 1, 0, 0);
        if (rank == 1) {
            size_t count;
            see(&t, 2, 1, 4);
            targets[0] = messages_transfers(m, &count)[0].target;
            see(&gone, 3, 0, 0);
            see(&null, 4, 0, 0);
        }
        if (rank == 1 || rank == 2)
            see(&split, 1, 0, 0);
        if (rank == 1) {
            size_t count;
            see(&t, 2, 1, 4);
            targets[1] = messages_transfers(m, &count)[0].target;
            for (int i = 0; i < 2; i++)
                members[i] = messages_target(m, targets[i]);
        }
    }
    ck_assert_int_eq(messages_world_rank(m, &members[0]), 3);
    ck_assert_int_eq(messages_world_rank(m, &members[1]), 2);
}
END_TEST

/* 0 and 1 on one side, 2 and 3 on the other, which has as many, in another order; and a duplicate of it. */
START_TEST(inter_communicators)
{
    struct told_message local, inter, copy, t;
    struct group_member members[RANKS];
    tell_new(&local, "MPI_Comm_split", "comm", WORLD, "newcomm", object(0));
    tell_new(&inter, "MPI_Intercomm_create", "local_comm", object(0), "newintercomm", object(1));
    tell_new(&copy, "MPI_Comm_dup", "comm", object(1), "newcomm", object(2));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        int64_t own = rank < 2 ? rank : 3 - rank;
        list_made(rank, 0, "comm:0", rank < 2 ? 1000 : 2000, 2, own, false);
        list_made(rank, 0, "comm:1", 3000, 2, own, true);
        list_made(rank, 0, "comm:2", 4000, 2, own, true);
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        size_t count;
        begin(rank, 0);
        see(&local, 1, 0, 0);
        see(&inter, 2, 0, 0);
        see(&copy, 3, 0, 0);
        see(tell_send(&t, "MPI_Send", 1, name("MPI_INT"), rank_value(0), object(rank % 2 ? 1 : 2)), 4, 1, 4);
        members[rank] = messages_target(m, messages_transfers(m, &count)[0].target);
    }
    for (uint32_t rank = 0; rank < RANKS; rank++)
        ck_assert_int_eq(messages_world_rank(m, &members[rank]), rank < 2 ? 3 : 0);
}
END_TEST

/* Two that say that they are the same one: neither is believed. */
START_TEST(contradiction)
{
    struct world_ranks w = {0};
    ck_assert(world_ranks_add(&w, 1000, 0, 0, 2));
    ck_assert(world_ranks_add(&w, 1000, 0, 0, 2));
    ck_assert_int_eq(world_ranks_find(&w, &(struct group_member){1000, 0, 0}, RANKS), 2);
    ck_assert(world_ranks_add(&w, 1000, 0, 0, 3));
    ck_assert_int_eq(world_ranks_find(&w, &(struct group_member){1000, 0, 0}, RANKS), -1);
    ck_assert(world_ranks_add(&w, 1001, 7, 0, 3)); /* the other side is in another world */
    ck_assert_int_eq(world_ranks_find(&w, &(struct group_member){1001, 7, 0}, RANKS), -1);
    ck_assert_int_eq(world_ranks_find(&w, &(struct group_member){1001, 8, 0}, RANKS), 3);
    world_ranks_free(&w);
}
END_TEST

/* ---- threads ---- */

static struct told_message *next_of(uint32_t thread)
{
    return &trace->calls[0][thread][trace->call_count[0][thread]++];
}

/* What one thread makes others use, if it is the only thing of that name; what a thread makes itself it uses in any
 * case. */
START_TEST(names_of_other_threads)
{
    struct told_message t;
    trace->threads = 2;
    list_made(0, 0, "comm:0", 1000, 1, 0, false);
    tell_contiguous(next_of(0), 5, name("MPI_INT"), object(0));
    tell_new(next_of(0), "MPI_Comm_split", "comm", WORLD, "newcomm", object(0));
    tell_contiguous(next_of(0), 6, name("MPI_INT"), object(1));
    tell_free(next_of(0), "MPI_Type_free", "datatype", object(1));
    for (int i = 0; i < 2; i++)
        tell_contiguous(next_of(0), 7, name("MPI_INT"), object(1));
    tell_contiguous(next_of(1), 8, name("MPI_INT"), object(2));
    begin(0, 0);
    see(tell_send(&t, "MPI_Send", 1, object(2), rank_value(2), WORLD), 0, 1, 32); /* the other thread's */
    for (size_t i = 0; i < trace->call_count[0][0]; i++)
        see(&trace->calls[0][0][i], 0, 0, 0);
    see(tell_send(&t, "MPI_Send", 1, object(1), rank_value(2), WORLD), 0, 1, 28);
    begin(0, 1);
    see(tell_send(&t, "MPI_Send", 1, object(0), rank_value(0), object(0)), 0, 1, 20);
    ck_assert_int_eq(goes_to(0), 0);
    see(tell_send(&t, "MPI_Send", 1, object(1), rank_value(2), WORLD), 9, 1, 0); /* 24 or 28 */
    see(tell_contiguous(&t, 1, name("MPI_INT"), object(1)), 0, 0, 0);
    see(tell_send(&t, "MPI_Send", 1, object(1), rank_value(2), WORLD), 9, 1, 4);
    see(tell_free(&t, "MPI_Type_free", "datatype", object(1)), 0, 0, 0);
    see(tell_send(&t, "MPI_Send", 1, object(1), rank_value(2), WORLD), 9, 1, 0);
    see(tell_contiguous(&t, 1, name("MPI_INT"), object(1)), 0, 0, 0); /* as its own before */
    see(tell_send(&t, "MPI_Send", 1, object(1), rank_value(2), WORLD), 9, 1, 4);
}
END_TEST

/* What was made by no recorded call is known by the list alone. */
START_TEST(unrecorded)
{
    struct told_message t;
    list_made(2, -1, "comm:0", 1000, 2, 1, false);
    list_made(3, -1, "comm:0", 1000, 2, 0, false);
    struct group_member member;
    size_t count;
    begin(2, 0);
    see(tell_send(&t, "MPI_Send", 1, name("MPI_INT"), rank_value(0), object(0)), 0, 1, 4);
    member = messages_target(m, messages_transfers(m, &count)[0].target);
    ck_assert_int_eq(messages_world_rank(m, &member), -1); /* not yet */
    begin(3, 0);
    ck_assert_int_eq(messages_world_rank(m, &member), 3);
}
END_TEST

/* ---- tables ---- */

START_TEST(keys)
{
    enum { KEYS = 3000 };
    struct key_table t = {0};
    ck_assert_ptr_null(key_table_find(&t, (struct key){{0, 0, 0}}));
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < KEYS; i++) {
            struct key key = {{i % 7, i / 7 % 11 << 60, i / 77}};
            ck_assert_ptr_null(key_table_find(&t, key));
            ck_assert_uint_eq(*key_table_put(&t, key, i), i);
            ck_assert_uint_eq(*key_table_put(&t, key, i + 1), i);
        }
        ck_assert_uint_eq(HASH_COUNT(t.entries), KEYS);
        for (uint64_t i = 0; i < KEYS; i++)
            ck_assert_uint_eq(*key_table_find(&t, (struct key){{i % 7, i / 7 % 11 << 60, i / 77}}), i);
        key_table_clear(&t);
        ck_assert_ptr_null(t.entries);
    }
    key_table_clear(&t);
}
END_TEST

/* Roles are looked up by halves. */
START_TEST(roles_are_sorted)
{
    for (size_t i = 0; i < COUNT(roles); i++) {
        char function[64];
        ck_assert(i == 0 || strcmp(roles[i - 1].function, roles[i].function) < 0);
        snprintf(function, sizeof function, "MPI_%s_c", roles[i].function);
        ck_assert_ptr_eq(role_of(function), &roles[i]);
    }
    for (size_t i = 1; i < COUNT(sizes); i++)
        ck_assert_int_lt(strcmp(sizes[i - 1].name, sizes[i].name), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("messages");
    TCase *tests = tcase_create("messages");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, predefined);
    tcase_add_test(tests, sizes_that_are_none);
    tcase_add_test(tests, distributed_arrays);
    tcase_add_test(tests, sends);
    tcase_add_test(tests, unsized);
    tcase_add_test(tests, equal_calls);
    tcase_add_test(tests, many_different_calls);
    tcase_add_test(tests, dropped);
    tcase_add_test(tests, persistent);
    tcase_add_test(tests, windows);
    tcase_add_test(tests, communicators);
    tcase_add_test(tests, inter_communicators);
    tcase_add_test(tests, contradiction);
    tcase_add_test(tests, names_of_other_threads);
    tcase_add_test(tests, unrecorded);
    tcase_add_test(tests, keys);
    tcase_add_test(tests, roles_are_sorted);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
