/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares a trace with its pattern. Both sides are printed alike: function, call site, values in the order of
 * base/value.h. One side is the definition of the pattern, in which ranks are absolute. The other is what the reader
 * returns. */
#include "scale_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pilgrim/reader.h"
#include "scale_tree.h"

enum { PLACES = 50 }; /* ranks whose host locations are checked */

static void print(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(struct bytes *b, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bytes_put(b, text, length > 0 ? (size_t)length : 0);
}

/* ---- the truth ---- */

static const char *const status_fields[] = {"source", "tag", "bytes", "cancelled"};

/* Prints the value at V; returns the value behind it. */
static const struct made_value *print_made(struct bytes *b, const struct made_value *v)
{
    const struct made_value *next = v + 1;
    switch (v->tag) {
    case VALUE_NAME:
        print(b, "%s", made_vocabulary.names[v->name]);
        break;
    case VALUE_INT:
    case VALUE_BOOL:
    case VALUE_RANK:
        print(b, "%" PRId64, v->slots[0]);
        break;
    case VALUE_OBJECT:
        print(b, "%s:%" PRId64, made_vocabulary.names[v->name], v->slots[0]);
        break;
    case VALUE_REQUEST:
        print(b, "request:%" PRId64 ".%" PRId64, v->slots[0], v->slots[1]);
        break;
    case VALUE_HEAP:
        print(b, "heap:%" PRId64 "+%" PRId64, v->slots[0], v->slots[1]);
        break;
    case VALUE_STRING:
        print(b, "\"%s\"", v->text);
        break;
    case VALUE_ARRAY:
        print(b, "[");
        for (uint32_t i = 0; i < v->count; i++, print(b, ","))
            next = print_made(b, next);
        print(b, "]");
        break;
    case VALUE_STATUS:
        print(b, "{%s", v->count & STATUS_IGNORED ? "ignored" : "");
        for (unsigned i = 0; i < 4; i++) {
            print(b, " %s:", status_fields[i]);
            next = print_made(b, next);
        }
        print(b, "}");
        break;
    default:
        print(b, "null");
    }
    return next;
}

static void print_truth(struct bytes *b, const struct made_call *c)
{
    const struct function_descriptor *f = &made_vocabulary.functions[c->function];
    const struct made_value *next = c->values;
    print(b, "%s at %s+0x%" PRIx64, f->name, made_module.name, made_site_offset(c->site));
    for (unsigned direction = DIRECTION_IN; direction <= DIRECTION_OUT; direction++)
        for (unsigned i = 0; i < f->parameter_count; i++)
            if (f->parameters[i].direction & direction) {
                print(b, " %s%s=", direction == DIRECTION_IN ? "" : ">", f->parameters[i].name);
                next = print_made(b, next);
            }
    print(b, " returns ");
    print_made(b, next);
}

/* ---- what is decoded ---- */

static void print_value(struct bytes *b, const struct pilgrim_value *v)
{
    switch (v->type) {
    case PILGRIM_NONE:
        print(b, "null");
        break;
    case PILGRIM_NAME:
        print(b, "%s", v->text);
        break;
    case PILGRIM_INT:
    case PILGRIM_BOOL:
    case PILGRIM_RANK:
        print(b, "%" PRId64, v->integer);
        break;
    case PILGRIM_OBJECT:
        print(b, "%s:%" PRId64, v->text, v->id);
        break;
    case PILGRIM_REQUEST:
        print(b, "request:%" PRId64 ".%" PRId64, v->id, v->offset);
        break;
    case PILGRIM_HEAP:
        print(b, "heap:%" PRId64 "+%" PRId64, v->id, v->offset);
        break;
    case PILGRIM_STRING:
        print(b, "\"%.*s\"", (int)v->length, v->text);
        break;
    case PILGRIM_ARRAY:
        print(b, "[");
        for (size_t i = 0; i < v->count; i++, print(b, ","))
            print_value(b, &v->items[i]);
        print(b, "]");
        break;
    case PILGRIM_STATUS:
        print(b, "{%s", v->ignored ? "ignored" : "");
        for (size_t i = 0; i < v->count; i++) {
            print(b, " %s:", i < 4 ? status_fields[i] : "error");
            print_value(b, &v->items[i]);
        }
        print(b, "}");
        break;
    default:
        print(b, "(a value of type %d)", (int)v->type);
    }
}

static void print_values(struct bytes *b, const struct pilgrim_function *f, const struct pilgrim_value *values,
                         enum pilgrim_direction direction)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].direction & direction) {
            print(b, " %s%s=", direction == PILGRIM_IN ? "" : ">", f->parameters[i].name);
            print_value(b, &values[i]);
        }
}

static void print_decoded(struct bytes *b, const struct pilgrim_call *c)
{
    const struct pilgrim_frame *site = c->class_->site;
    print(b, "%s at %s+0x%" PRIx64, c->function->name, site ? site->module : "?", site ? site->offset : 0);
    print_values(b, c->function, c->in, PILGRIM_IN);
    print_values(b, c->function, c->out, PILGRIM_OUT);
    print(b, " returns ");
    print_value(b, &c->ret);
}

/* ---- the comparison ---- */

struct check {
    const struct world *world;
    const struct pilgrim_trace *trace;
    struct check_result *result;
    struct made_call call;
    struct bytes truth;
    struct bytes decoded;
};

static void wrong(struct check *c, uint32_t rank, uint64_t k, const char *what)
{
    if (c->result->wrong++ == 0)
        fprintf(stderr, "scale: %s on %" PRIu32 " ranks, call %" PRIu64 " of rank %" PRIu32 ": %s\n",
                pattern_name(c->world->pattern), c->world->ranks, k, rank, what);
}

/* Compares the next call at CURSOR with call K. */
static void compare_next(struct check *c, struct pilgrim_cursor *cursor, uint32_t rank, uint64_t k)
{
    struct pilgrim_call call;
    struct pilgrim_error error = {0};
    if (pilgrim_cursor_next(cursor, &call, &error) != PILGRIM_OK) {
        wrong(c, rank, k, error.message);
        return;
    }
    world_call(c->world, rank, k, &c->call);
    c->truth.length = c->decoded.length = 0;
    print_truth(&c->truth, &c->call);
    print_decoded(&c->decoded, &call);
    if (call.rank == rank && call.seq == k && c->truth.length == c->decoded.length && !c->truth.failed &&
        memcmp(c->truth.data, c->decoded.data, c->truth.length) == 0)
        return;
    wrong(c, rank, k, "not what was recorded");
    if (c->result->wrong == 1)
        fprintf(stderr, "    made:    %.*s\n    decoded: %.*s\n", (int)c->truth.length, (const char *)c->truth.data,
                (int)c->decoded.length, (const char *)c->decoded.data);
}

static struct pilgrim_cursor *cursor_at(struct check *c, uint32_t rank, uint64_t k)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error = {0};
    if (pilgrim_cursor_open(c->trace, rank, 0, &cursor, &error) != PILGRIM_OK) {
        wrong(c, rank, k, error.message);
        return NULL;
    }
    if (pilgrim_cursor_skip(cursor, k) == PILGRIM_OK)
        return cursor;
    wrong(c, rank, k, "cannot be reached");
    pilgrim_cursor_close(cursor);
    return NULL;
}

static bool counts_agree(struct check *c, uint32_t rank)
{
    if (pilgrim_thread_count(c->trace, rank) == 1 &&
        pilgrim_call_count(c->trace, rank, 0) == world_calls(c->world, rank))
        return true;
    wrong(c, rank, 0, "another number of threads or calls");
    return false;
}

static void compare_pair(struct check *c, uint32_t rank, uint64_t k)
{
    c->result->pairs++;
    struct pilgrim_cursor *cursor = counts_agree(c, rank) ? cursor_at(c, rank, k) : NULL;
    if (cursor)
        compare_next(c, cursor, rank, k);
    pilgrim_cursor_close(cursor);
}

static void compare_rank(struct check *c, uint32_t rank)
{
    struct pilgrim_cursor *cursor = counts_agree(c, rank) ? cursor_at(c, rank, 0) : NULL;
    if (!cursor)
        return;
    for (uint64_t k = 0; k < world_calls(c->world, rank); k++, c->result->whole++)
        compare_next(c, cursor, rank, k);
    struct pilgrim_call call;
    struct pilgrim_error error;
    if (pilgrim_cursor_next(cursor, &call, &error) != PILGRIM_END)
        wrong(c, rank, world_calls(c->world, rank), "more calls than there were");
    pilgrim_cursor_close(cursor);
}

static void compare_communicators(struct check *c, uint32_t rank)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator made;
    struct pilgrim_error error = {0};
    unsigned found = 0;
    if (pilgrim_communicators_open(c->trace, rank, &list, &error) != PILGRIM_OK) {
        wrong(c, rank, 0, error.message);
        return;
    }
    while (pilgrim_communicators_next(list, &made, &error) == PILGRIM_OK) {
        found++;
        if (made.size != c->world->ranks || made.rank != rank || made.leader != 0 ||
            strcmp(made.topology, "MPI_CART") != 0)
            wrong(c, rank, 0, "another communicator");
    }
    if (found != world_communicators(c->world))
        wrong(c, rank, 0, "another number of communicators");
    pilgrim_communicators_close(list);
}

static void compare_place(struct check *c, const struct pilgrim_system *system, uint32_t rank)
{
    struct pilgrim_location found;
    struct pilgrim_host host;
    char name[HOST_NAME_BYTES];
    int64_t pid = world_place(c->world, rank, name);
    uint32_t back;
    if (pilgrim_system_location(system, rank, &found) != PILGRIM_OK ||
        pilgrim_system_host(system, found.host, &host) != PILGRIM_OK ||
        pilgrim_system_rank(system, found.host, found.process, &back) != PILGRIM_OK)
        wrong(c, rank, 0, "no host location");
    else if (found.pid != pid || back != rank || found.process != rank % HOST_RANKS || !host.name ||
             strcmp(host.name, name) != 0 || host.level_count != 2)
        wrong(c, rank, 0, "another host location");
}

static void compare_sites(struct check *c)
{
    struct pilgrim_system *system;
    struct pilgrim_error error = {0};
    if (pilgrim_system_open(c->trace, &system, &error) != PILGRIM_OK) {
        wrong(c, 0, 0, error.message);
        return;
    }
    for (uint32_t i = 0; i < PLACES; i++)
        compare_place(c, system, (uint32_t)((uint64_t)(c->world->ranks - 1) * i / (PLACES - 1)));
    pilgrim_system_close(system);
}

/* Counts the structure groups of threads. Process streams have groups of their own, which are not counted. */
static void count_groups(struct check *c)
{
    struct pilgrim_thread_info info;
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct bytes seen = {0};
    for (uint32_t rank = 0; rank < c->world->ranks; rank++) {
        if (pilgrim_cursor_open(c->trace, rank, 0, &cursor, &error) != PILGRIM_OK) {
            wrong(c, rank, 0, error.message);
            continue;
        }
        pilgrim_thread_info(cursor, &info);
        pilgrim_cursor_close(cursor);
        while (seen.length <= info.structure_group && !seen.failed)
            bytes_put_u8(&seen, 0);
        if (seen.length > info.structure_group && !seen.data[info.structure_group]) {
            seen.data[info.structure_group] = 1;
            c->result->groups++;
        }
    }
    bytes_free(&seen);
}

/* Draws a rank: half of the time any, otherwise one near the first or last rank, which few patterns treat like the
 * others. */
static uint32_t draw_rank(uint64_t *state, uint32_t ranks)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t r = (uint32_t)((*state >> 32) * ranks >> 32), near = (uint32_t)(*state >> 20) % 8;
    switch (*state >> 16 & 3) {
    case 0:
        return near;
    case 1:
        return ranks - 1 - near;
    default:
        return r;
    }
}

static void compare_all(struct check *c, uint64_t pairs)
{
    uint64_t state = c->world->ranks;
    if (pilgrim_rank_count(c->trace) != c->world->ranks) {
        wrong(c, 0, 0, "another number of ranks");
        return;
    }
    double began = cpu_seconds();
    for (uint64_t i = 0; i < pairs; i++) {
        uint32_t rank = draw_rank(&state, c->world->ranks);
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        compare_pair(c, rank, (state >> 24) % world_calls(c->world, rank));
    }
    c->result->seconds = cpu_seconds() - began;
    compare_rank(c, c->world->ranks / 3);
    compare_communicators(c, c->world->ranks / 3);
    compare_sites(c);
    count_groups(c);
}

bool check_trace(const struct world *w, const char *path, uint64_t pairs, struct check_result *result)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error = {0};
    *result = (struct check_result){0};
    if (pilgrim_open(path, &trace, &error) != PILGRIM_OK || error.status != PILGRIM_OK) {
        fprintf(stderr, "scale: %s: %s\n", path, error.message);
        return false;
    }
    struct check c = {.world = w, .trace = trace, .result = result};
    compare_all(&c, pairs);
    made_call_free(&c.call);
    bytes_free(&c.truth);
    bytes_free(&c.decoded);
    pilgrim_close(trace);
    return true;
}
