/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures what recording a call costs, in loops and where nothing repeats. Calls as irregular codes make them are
 * appended to a stream, without MPI.
 *
 * usage: irregular_cost [CALLS]    (1000000) Prints a line for each pattern: nanoseconds an append; bytes of memory
 * a call; nanoseconds a call that MPI_Finalize takes to make a fragment of the stream and to write it; bytes of the
 * trace a call. Times are CPU times, without the making of the keys. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/value.h"
#include "merge/fragment.h"
#include "write/trace_writer.h"
#include "record/stream.h"

enum { RANKS = 9, BATCH = 1024, KEY_BYTES = 512 };

enum made_function { PROCESS, IRECV, ISEND, WAITALL, WAITANY, FUNCTIONS };
enum made_name { WORLD, INTS, REQUEST_NULL, SUCCESS, NAMES };

#define PARAMETER(name, direction)                                                                                     \
    {                                                                                                                  \
        name, direction                                                                                                \
    }
static const struct parameter_descriptor process[] = {PARAMETER("views_rank", DIRECTION_IN),
                                                      PARAMETER("views_size", DIRECTION_IN)};
static const struct parameter_descriptor irecv[] = {
    PARAMETER("buf", DIRECTION_IN),     PARAMETER("count", DIRECTION_IN), PARAMETER("datatype", DIRECTION_IN),
    PARAMETER("source", DIRECTION_IN),  PARAMETER("tag", DIRECTION_IN),   PARAMETER("comm", DIRECTION_IN),
    PARAMETER("request", DIRECTION_OUT)};
static const struct parameter_descriptor waitall[] = {PARAMETER("count", DIRECTION_IN),
                                                      PARAMETER("array_of_requests", DIRECTION_INOUT),
                                                      PARAMETER("array_of_statuses", DIRECTION_OUT)};
static const struct parameter_descriptor waitany[] = {
    PARAMETER("count", DIRECTION_IN), PARAMETER("array_of_requests", DIRECTION_INOUT),
    PARAMETER("index", DIRECTION_OUT), PARAMETER("status", DIRECTION_OUT)};
static const struct function_descriptor functions[FUNCTIONS] = {
    [PROCESS] = {"pilgrim_process", process, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    [IRECV] = {"MPI_Irecv", irecv, 7, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [ISEND] = {"MPI_Isend", irecv, 7, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [WAITALL] = {"MPI_Waitall", waitall, 3, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [WAITANY] = {"MPI_Waitany", waitany, 4, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT}};
static const char *const names[NAMES] = {"MPI_COMM_WORLD", "MPI_INT", "MPI_REQUEST_NULL", "MPI_SUCCESS"};
static const struct vocabulary vocabulary = {functions, FUNCTIONS, names, NAMES};

struct call {
    enum made_function function;
    size_t length;
    uint8_t key[KEY_BYTES];
};

static void require(bool good)
{
    if (!good) {
        fprintf(stderr, "irregular_cost: no memory, or no room\n");
        exit(EXIT_FAILURE);
    }
}

static uint32_t draw(uint32_t limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

/* ---- keys (base/value.h) ---- */

static void put(struct call *c, uint64_t value, unsigned bytes)
{
    require(c->length + bytes <= sizeof c->key);
    value = htole64(value);
    memcpy(c->key + c->length, &value, bytes);
    c->length += bytes;
}

static void put_value(struct call *c, enum value_tag tag, int64_t slot)
{
    put(c, tag, 1);
    put(c, (uint64_t)slot, 8);
}

static void put_operand(struct call *c, enum value_tag tag, uint32_t operand, unsigned bytes)
{
    put(c, tag, 1);
    put(c, operand, bytes);
}

static void put_pair(struct call *c, enum value_tag tag, int64_t a, int64_t b)
{
    put_value(c, tag, a);
    put(c, (uint64_t)b, 8);
}

static void begin(struct call *c, enum made_function function)
{
    c->function = function;
    c->length = 0;
}

static void put_status(struct call *c, int64_t source, int64_t tag, int64_t bytes)
{
    put_operand(c, VALUE_STATUS, 0, 1);
    put_value(c, VALUE_RANK, source);
    put_value(c, VALUE_INT, tag);
    put_value(c, VALUE_INT, bytes);
    put_value(c, VALUE_BOOL, 0);
}

static void put_success(struct call *c)
{
    put_operand(c, VALUE_NAME, SUCCESS, 2);
}

/* MPI_Irecv or MPI_Isend. */
static void make_message(struct call *c, enum made_function function, int64_t partner, int64_t tag, int64_t count,
                         int64_t place)
{
    begin(c, function);
    put_pair(c, VALUE_HEAP, function, 0);
    put_value(c, VALUE_INT, count);
    put_operand(c, VALUE_NAME, INTS, 2);
    put_value(c, VALUE_RANK, partner);
    put_value(c, VALUE_INT, tag);
    put_operand(c, VALUE_NAME, WORLD, 2);
    put_pair(c, VALUE_REQUEST, function, place);
    put_success(c);
}

/* ---- patterns: call number I ---- */

static void make_same(uint64_t i, struct call *c)
{
    (void)i;
    make_message(c, IRECV, 1, 7, 100, 0);
}

/* Four partners in turn. */
static void make_turns(uint64_t i, struct call *c)
{
    make_message(c, IRECV, 1 + (int64_t)(i % 4), 7, 100, (int64_t)(i % 4));
}

/* A stencil's exchange: a loop over four MPI_Irecv, a loop over four MPI_Isend, MPI_Waitall. */
static void make_stencil(uint64_t i, struct call *c)
{
    unsigned k = (unsigned)(i % 9);
    if (k < 8) {
        make_message(c, k < 4 ? IRECV : ISEND, 1 + (int64_t)(k % 4), 7, 100, (int64_t)(k % 4));
        return;
    }
    begin(c, WAITALL);
    put_value(c, VALUE_INT, 8);
    put_operand(c, VALUE_ARRAY, 8, 4);
    for (k = 0; k < 8; k++)
        put_pair(c, VALUE_REQUEST, k < 4 ? IRECV : ISEND, k % 4);
    put(c, VALUE_NONE, 1);
    put_success(c);
}

static void make_drawn(uint64_t i, struct call *c)
{
    (void)i;
    make_message(c, IRECV, 1 + draw(RANKS - 1), draw(30000), draw(4000), draw(16));
}

/* MPI_Irecv, MPI_Isend, MPI_Waitall, as in examples/irregular.c. */
static void make_exchange(uint64_t i, struct call *c)
{
    static int64_t shift, tag, count;
    if (i % 3 == 0) {
        shift = 1 + draw(RANKS - 1);
        tag = draw(30000);
        count = draw(4000);
    }
    if (i % 3 < 2) {
        make_message(c, i % 3 ? ISEND : IRECV, i % 3 ? shift : -shift, tag, count, 0);
        return;
    }
    begin(c, WAITALL);
    put_value(c, VALUE_INT, 2);
    put_operand(c, VALUE_ARRAY, 2, 4);
    put_pair(c, VALUE_REQUEST, IRECV, 0);
    put_pair(c, VALUE_REQUEST, ISEND, 0);
    put_operand(c, VALUE_ARRAY, 2, 4);
    put_operand(c, VALUE_NAME, REQUEST_NULL, 2);
    put_operand(c, VALUE_NAME, REQUEST_NULL, 2);
    put_operand(c, VALUE_ARRAY, 2, 4);
    put_status(c, -shift, tag, 4 * count);
    put(c, VALUE_NONE, 1);
    put_success(c);
}

/* MPI_Waitany on an array of eight requests, until none is left. */
static void make_outcome(uint64_t i, struct call *c)
{
    static unsigned left;
    if (left == 0)
        left = 0xff;
    unsigned index = draw(8), after;
    while (!(left >> index & 1))
        index = (index + 1) % 8;
    after = left & ~(1u << index);
    begin(c, WAITANY);
    put_value(c, VALUE_INT, 8);
    for (unsigned out = 0; out < 2; out++) {
        put_operand(c, VALUE_ARRAY, 8, 4);
        for (unsigned k = 0; k < 8; k++)
            if ((out ? after : left) >> k & 1)
                put_pair(c, VALUE_REQUEST, IRECV, k);
            else
                put_operand(c, VALUE_NAME, REQUEST_NULL, 2);
        if (out) {
            put_value(c, VALUE_INT, index);
            put_status(c, index + 1, 1, 4);
        }
    }
    put_success(c);
    left = after;
    (void)i;
}

/* ---- measuring ---- */

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module module = {"application", {0}, 0, NULL};
    frames[0] = (struct code_frame){&module, (uintptr_t)site};
    return 1;
}

static void append(struct stream *s, const struct call *c)
{
    static uint64_t now;
    uint32_t class;
    now += 300;
    require(stream_class(s, c->function, &functions[c->function], false, &class) == PILGRIM_OK &&
            stream_append(s, class, false, c->key, c->length, now - 200, now) == PILGRIM_OK);
}

/* Returns the CPU nanoseconds of appending CALLS calls. */
static double record(struct stream *s, void (*make)(uint64_t, struct call *), uint64_t calls)
{
    static struct call batch[BATCH];
    double ns = 0.0;
    for (uint64_t done = 0; done < calls; done += BATCH) {
        size_t count = calls - done < BATCH ? (size_t)(calls - done) : BATCH;
        for (size_t k = 0; k < count; k++)
            make(done + k, &batch[k]);
        double began = cpu_ns();
        for (size_t k = 0; k < count; k++)
            append(s, &batch[k]);
        ns += cpu_ns() - began;
    }
    return ns;
}

static struct stream *record_process(void)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    struct call c;
    require(s);
    begin(&c, PROCESS);
    for (int64_t value = 0; value <= RANKS; value += RANKS) {
        put_operand(&c, VALUE_ARRAY, 1, 4);
        put_value(&c, VALUE_INT, value);
    }
    put(&c, VALUE_NONE, 1);
    append(s, &c);
    return s;
}

static void measure(const char *title, void (*make)(uint64_t, struct call *), uint64_t calls)
{
    struct stream *process_stream = record_process(), *s = stream_new(&vocabulary, resolve);
    struct fragment *f = fragment_new(0);
    struct bytes file = {0};
    require(s && f);
    double ns = record(s, make, calls);
    size_t memory = stream_memory_bytes(s);
    double began = cpu_ns();
    const struct stream *threads[] = {s};
    require(fragment_add_rank(f, process_stream, threads, 1) == PILGRIM_OK &&
            trace_write(f, true, &file) == PILGRIM_OK);
    double end_ns = cpu_ns() - began;
    double n = (double)calls;
    printf("%-32s %10.1f %10.2f %12.1f %10.3f\n", title, ns / n, (double)memory / n, end_ns / n,
           (double)file.length / n);
    fflush(stdout);
    bytes_free(&file);
    fragment_free(f);
    stream_free(s);
    stream_free(process_stream);
}

int main(int argc, char **argv)
{
    uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    if (argc > 2 || calls == 0) {
        fprintf(stderr, "usage: irregular_cost [CALLS]\n");
        return 2;
    }
    printf("%-32s %10s %10s %12s %10s\n", "a call", "record ns", "memory", "finish ns", "trace");
    measure("Irecv, always the same", make_same, calls);
    measure("Irecv, four in turn", make_turns, calls);
    measure("4 Irecv, 4 Isend, Waitall", make_stencil, calls);
    measure("Irecv, values at random", make_drawn, calls);
    measure("Irecv, Isend, Waitall at random", make_exchange, calls);
    measure("Waitany, any of 8", make_outcome, calls);
    return 0;
}
