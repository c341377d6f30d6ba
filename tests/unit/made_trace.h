/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace with every kind of value, made call by call from a seed, for the tests of the reader. */
#ifndef TESTS_MADE_TRACE_H
#define TESTS_MADE_TRACE_H

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "base/value.h"
#include "merge/fragment.h"
#include "write/paths_writer.h"
#include "write/trace_writer.h"
#include "record/stream_times.h"

enum { RANKS = 7, SITES = 12, CALLS = 60, VIEWS = 2, DEPTH = 4, FUNCTIONS = 5, COMMUNICATORS = 6 };

static const struct parameter_descriptor process_parameters[] = {
    {"views_rank", DIRECTION_IN}, {"views_size", DIRECTION_IN}, {"pid", DIRECTION_IN}, {"place", DIRECTION_IN}};
static const struct parameter_descriptor parameters[] = {
    {"in", DIRECTION_IN}, {"inout", DIRECTION_INOUT}, {"out", DIRECTION_OUT}};
static const struct parameter_descriptor communicator_parameters[] = {
    {"communicator", DIRECTION_IN}, {"thread", DIRECTION_IN}, {"parent", DIRECTION_IN}, {"inter", DIRECTION_IN},
    {"topology", DIRECTION_IN},     {"size", DIRECTION_IN},   {"rank", DIRECTION_IN},   {"remote_size", DIRECTION_IN},
    {"leader", DIRECTION_IN},       {"key", DIRECTION_IN}};
static const struct function_descriptor functions[FUNCTIONS] = {
    {"pilgrim_process", process_parameters, 4, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_One", parameters, 3, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Two", parameters, 2, RETURNS_VALUE, ACTIVITY_COLLECTIVE},
    {"MPI_Three", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_OTHER},
    {"pilgrim_communicator", communicator_parameters, 10, RETURNS_VALUE, ACTIVITY_OTHER},
};
static const char *const names[] = {"comm", "MPI_INT", "MPI_MODE_CREATE", "MPI_COMM_WORLD", "MPI_CART"};
static const struct vocabulary vocabulary = {functions, FUNCTIONS, names, 5};
static const char sites[SITES];

/* Site 0 is unknown; every third has callers, some of them shared, one of them in a library without a build-id. */
static const struct code_module modules[] = {{"program", {0xab, 0, 0xff, 1}, 4, NULL}, {"libpart.so", {0}, 0, NULL}};

static size_t frame_count(unsigned site)
{
    return site == 0 ? 0 : site % 3 ? 1 : 1 + site / 3;
}

static struct code_frame frame_of(unsigned site, size_t i)
{
    if (i == 0)
        return (struct code_frame){&modules[0], site * 0x1001};
    return (struct code_frame){&modules[i % 2], 0x800 - 7 * (frame_count(site) - i)};
}

static size_t resolve(const void *site, struct code_frame *frames)
{
    unsigned number = (unsigned)((const char *)site - sites);
    for (size_t i = 0; i < frame_count(number); i++)
        frames[i] = frame_of(number, i);
    return frame_count(number);
}

/* The functions of the program have 4 KiB each, and names but one; the library's are not known. */
static const char *made_function(uint64_t offset)
{
    static const char *const symbols[] = {"main", "_ZN4part4workEv", NULL, "write_all"};
    return symbols[(offset - 1) / 0x1000 % 4];
}

static bool made_symbols(const char *module, const uint8_t *build_id, size_t build_id_length,
                         struct elf_address *addresses, size_t count, struct bytes *texts)
{
    if (strcmp(module, modules[0].name) != 0)
        return false;
    ck_assert_uint_eq(build_id_length, modules[0].build_id_length);
    ck_assert_mem_eq(build_id, modules[0].build_id, build_id_length);
    for (size_t i = 0; i < count; i++) {
        const char *name = made_function(addresses[i].offset);
        ck_assert(i == 0 || addresses[i].offset > addresses[i - 1].offset);
        addresses[i].start = (addresses[i].offset - 1) / 0x1000 * 0x1000;
        addresses[i].known = name;
        addresses[i].name = texts->length;
        if (name)
            bytes_put(texts, name, strlen(name) + 1);
    }
    return true;
}

static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* ---- keys, the same on all ranks but for their slots ---- */

static void put_slot(struct bytes *b, uint8_t tag, unsigned rank)
{
    int64_t base = (int64_t)(draw() % 1000) - 500;
    switch (draw() % 8) {
    case 0:
        base += rank;
        break;
    case 1:
        base += (int64_t)(rank * rank % 5);
        break;
    case 2:
        base = (int64_t)((uint64_t)base + rank / 3 * UINT64_C(0x4000000000000000));
        break;
    default:
        break;
    }
    bytes_put_u64(b, tag == VALUE_BOOL ? (uint64_t)(base & 1) : (uint64_t)base);
}

static void put_text(struct bytes *b)
{
    uint32_t length = (uint32_t)(draw() % 6);
    bytes_put_u32(b, length);
    for (uint32_t i = 0; i < length; i++)
        bytes_put_u8(b, (uint8_t)(draw() % 4 ? 'a' + draw() % 26 : draw()));
}

static void put_value(struct bytes *b, unsigned rank, unsigned depth, bool flag)
{
    uint8_t tag = (uint8_t)(flag ? VALUE_NAME + draw() % 2 : VALUE_NONE + draw() % (VALUE_SERIES - VALUE_NONE));
    unsigned items = 0;
    if (depth >= DEPTH && (tag == VALUE_ARRAY || tag == VALUE_STATUS || tag == VALUE_FLAGS || tag == VALUE_RANK_BASE))
        tag = VALUE_RANK;
    bytes_put_u8(b, tag);
    if (tag == VALUE_NAME || tag == VALUE_OBJECT) {
        bytes_put_u8(b, (uint8_t)(draw() % 3));
        bytes_put_u8(b, 0);
    } else if (tag == VALUE_STRING || tag == VALUE_SYMBOL) {
        put_text(b);
    } else if (tag == VALUE_ARRAY || tag == VALUE_FLAGS) {
        items = (unsigned)(draw() % 5);
        bytes_put_u32(b, items);
    } else if (tag == VALUE_STATUS) {
        uint8_t bits = draw() & 3;
        bytes_put_u8(b, bits);
        items = bits & STATUS_ERROR ? 5 : 4;
    } else if (tag == VALUE_RANK_BASE) {
        bytes_put_u64(b, draw() % VIEWS);
        items = 1;
    }
    for (unsigned i = 0; i < value_slots(tag) && tag != VALUE_RANK_BASE; i++)
        put_slot(b, tag, rank);
    for (unsigned i = 0; i < items; i++)
        put_value(b, rank, depth + 1, tag == VALUE_FLAGS);
}

/* Call I of thread THREAD of RANK: its class's function and site, and its values. */
static void make_call(unsigned rank, unsigned thread, unsigned i, uint32_t *function, unsigned *site, struct bytes *key)
{
    /* Ranks 5 and 6 go another way than the others. */
    unsigned kind = rank < 5 ? i % 6 : (i * i) % 7;
    state = 0x9e3779b97f4a7c15u * (kind + 1 + thread * 64 + (i % 3) * 1024);
    draw();
    *site = (kind + thread * 5) % SITES;
    *function = 1 + *site % 3;
    const struct function_descriptor *f = &functions[*function];
    key->length = 0;
    for (unsigned direction = DIRECTION_IN; direction <= DIRECTION_OUT; direction++)
        for (unsigned p = 0; p < f->parameter_count; p++)
            if (f->parameters[p].direction & direction)
                put_value(key, rank, 1, false);
    put_value(key, rank, 1, false);
}

static unsigned threads_of(unsigned rank)
{
    return rank == 3 ? 0 : rank == 4 ? 3 : 1;
}

static unsigned calls_of(unsigned rank, unsigned thread)
{
    return (unsigned)CALLS + (rank > 4) + thread;
}

static uint64_t made_now; /* ns */

/* A call takes 50 ns and its site's number, 10 ns after the one before. */
static void append(struct stream *s, uint32_t function, unsigned site, const struct bytes *key)
{
    uint32_t class;
    made_now += 60 + site;
    if (stream_class(s, function, sites + site, site % 2, &class) != PILGRIM_OK ||
        stream_append(s, class, false, key->data, key->length, made_now - 50 - site, made_now) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
}

static void base_of(unsigned rank, unsigned number, int64_t *own, int64_t *size)
{
    *size = number ? 3 : RANKS;
    *own = rank % *size;
}

static void put_communicator(struct bytes *key, unsigned id)
{
    bytes_put_u8(key, VALUE_OBJECT);
    bytes_put_u8(key, 0);
    bytes_put_u8(key, 0);
    bytes_put_u64(key, id);
}

static void put_name(struct bytes *key, unsigned name)
{
    bytes_put_u8(key, VALUE_NAME);
    bytes_put_u8(key, (uint8_t)name);
    bytes_put_u8(key, 0);
}

static void put_ints(struct bytes *key, unsigned count, const int64_t *values)
{
    for (unsigned i = 0; i < count; i++) {
        bytes_put_u8(key, VALUE_INT);
        bytes_put_u64(key, (uint64_t)values[i]);
    }
}

static void put_array(struct bytes *key, uint32_t count)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, count);
}

static void put_string(struct bytes *key, const char *text)
{
    bytes_put_u8(key, VALUE_STRING);
    bytes_put_u32(key, (uint32_t)strlen(text));
    bytes_put(key, text, strlen(text));
}

/* The I-th one: all ranks; or (odd) one for even, one for odd ranks, made of the one before. Every third is known by
 * its key. */
static void put_made(struct bytes *key, unsigned rank, unsigned i)
{
    unsigned leader = i % 2 ? rank % 2 : 0;
    put_communicator(key, i % 2);
    put_ints(key, 1, (int64_t[]){0});
    if (i % 2)
        put_communicator(key, 0);
    else
        put_name(key, 3);
    bytes_put_u8(key, VALUE_BOOL);
    bytes_put_u64(key, 0);
    put_name(key, 4);
    put_ints(key, 4, (int64_t[]){i % 2 ? RANKS / 2 : RANKS, i % 2 ? rank / 2 : rank, 0, leader});
    if (i % 3 == 2)
        put_ints(key, 1, (int64_t[]){77});
    else
        bytes_put_u8(key, VALUE_NONE);
    bytes_put_u8(key, VALUE_NONE);
}

/* Two ranks a host, "node1" and so on; the third has a name without a number, and the last rank says nothing. */
static void put_location(struct bytes *key, unsigned rank)
{
    if (rank + 1 == RANKS) {
        bytes_put_u8(key, VALUE_NONE);
        bytes_put_u8(key, VALUE_NONE);
        return;
    }
    put_ints(key, 1, (int64_t[]){1000 + rank});
    put_array(key, 1);
    put_array(key, rank / 2 == 2 ? 2 : 3);
    put_string(key, "host");
    put_string(key, "node");
    if (rank / 2 != 2)
        put_ints(key, 1, (int64_t[]){1 + rank / 2});
}

static struct stream *communicators_stream(unsigned rank)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    for (unsigned i = 0; i < COMMUNICATORS; i++) {
        key.length = 0;
        put_made(&key, rank, i);
        append(s, 4, 0, &key);
    }
    bytes_free(&key);
    return s;
}

/* The call that ends the process stream. */
static void append_process(struct stream *s, unsigned rank)
{
    struct bytes key = {0};
    for (int side = 0; side < 2; side++) {
        put_array(&key, VIEWS);
        for (unsigned v = 0; v < VIEWS; v++) {
            int64_t own, size;
            base_of(rank, v, &own, &size);
            bytes_put_u8(&key, VALUE_INT);
            bytes_put_u64(&key, (uint64_t)(side ? size : own));
        }
    }
    put_location(&key, rank);
    bytes_put_u8(&key, VALUE_NONE);
    append(s, 0, 0, &key);
    bytes_free(&key);
}

static struct stream *process_stream(unsigned rank)
{
    struct stream *s = communicators_stream(rank);
    append_process(s, rank);
    return s;
}

/* With statistics of its times, which begin at 0. */
static struct stream *thread_stream(void)
{
    static const struct stream_times statistics = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&vocabulary, resolve);
    ck_assert_int_eq(stream_keep_times(s, &statistics), PILGRIM_OK);
    made_now = 0;
    return s;
}

static void make_trace(struct bytes *out)
{
    struct fragment *f = fragment_new(0);
    struct bytes key = {0};
    paths_name_functions(made_symbols);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct stream *process = process_stream(rank), *threads[3];
        for (unsigned t = 0; t < threads_of(rank); t++) {
            threads[t] = thread_stream();
            for (unsigned i = 0; i < calls_of(rank, t); i++) {
                uint32_t function;
                unsigned site;
                make_call(rank, t, i, &function, &site, &key);
                append(threads[t], function, site, &key);
            }
            ck_assert_int_eq(stream_flush_times(threads[t]), PILGRIM_OK);
        }
        ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)threads, threads_of(rank)),
                         PILGRIM_OK);
        stream_free(process);
        for (unsigned t = 0; t < threads_of(rank); t++)
            stream_free(threads[t]);
    }
    ck_assert_int_eq(fragment_set_property(f, "program", "check_reader"), PILGRIM_OK);
    ck_assert_int_eq(trace_write(f, true, out), PILGRIM_OK);
    fragment_free(f);
    bytes_free(&key);
}

#endif
