/* SPDX-License-Identifier: BSD-3-Clause */
/* Each value of each call against the key that was made of it. */
#include "recorder.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/value.h"

/* A key while it is compared. */
struct log {
    const uint8_t *at;
    int64_t own, size; /* in the view */
    const struct program *program;
    uint32_t rank;
};

static uint64_t take(struct log *log, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, log->at, bytes);
    log->at += bytes;
    return le64toh(value);
}

static bool same_value(struct log *log, const struct pilgrim_value *v);

static bool same_items(struct log *log, const struct pilgrim_value *v, enum pilgrim_value_type type, size_t count)
{
    if (v->type != type || v->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_value(log, &v->items[i]))
            return false;
    return true;
}

static bool same_text(struct log *log, const struct pilgrim_value *v)
{
    size_t length = take(log, 4);
    const uint8_t *text = log->at;
    log->at += length;
    return v->type == PILGRIM_STRING && v->length == length && !memcmp(v->text, text, length);
}

static bool same_name(struct log *log, const struct pilgrim_value *v, enum pilgrim_value_type type)
{
    const char *name = made_names[take(log, 2)];
    return v->type == type && !strcmp(v->text, name);
}

static bool same_rank(const struct log *log, const struct pilgrim_value *v, int64_t rank)
{
    __int128 absolute = ((__int128)rank + log->own) % log->size;
    return v->type == PILGRIM_RANK && v->integer == (int64_t)(absolute < 0 ? absolute + log->size : absolute);
}

static bool same_pair(struct log *log, const struct pilgrim_value *v, enum pilgrim_value_type type)
{
    int64_t id = (int64_t)take(log, 8), offset = (int64_t)take(log, 8);
    return v->type == type && v->id == id && v->offset == offset;
}

static bool same_value(struct log *log, const struct pilgrim_value *v)
{
    const uint8_t tag = (uint8_t)take(log, 1);
    switch ((enum value_tag)tag) {
    case VALUE_NONE:
        return v->type == PILGRIM_NONE;
    case VALUE_NAME:
        return same_name(log, v, PILGRIM_NAME);
    case VALUE_INT:
        return v->integer == (int64_t)take(log, 8) && v->type == PILGRIM_INT;
    case VALUE_BOOL:
        return v->integer == (int64_t)take(log, 8) && v->type == PILGRIM_BOOL;
    case VALUE_REAL: {
        uint64_t bits = take(log, 8);
        return v->type == PILGRIM_REAL && !memcmp(&v->real, &bits, sizeof bits);
    }
    case VALUE_RANK:
        return same_rank(log, v, (int64_t)take(log, 8));
    case VALUE_RANK_BASE:
        program_view(log->program, log->rank, (unsigned)take(log, 8), &log->own, &log->size);
        return same_value(log, v);
    case VALUE_OBJECT: {
        bool good = same_name(log, v, PILGRIM_OBJECT);
        return (int64_t)take(log, 8) == v->id && good;
    }
    case VALUE_REQUEST:
        return same_pair(log, v, PILGRIM_REQUEST);
    case VALUE_HEAP:
        return same_pair(log, v, PILGRIM_HEAP);
    case VALUE_STATIC:
        return same_pair(log, v, PILGRIM_STATIC);
    case VALUE_STRING:
        return same_text(log, v);
    case VALUE_ARRAY:
        return same_items(log, v, PILGRIM_ARRAY, take(log, 4));
    case VALUE_STATUS: {
        unsigned bits = (unsigned)take(log, 1);
        return same_items(log, v, PILGRIM_STATUS, bits & STATUS_ERROR ? 5 : 4) && v->ignored == (bits & STATUS_IGNORED);
    }
    default:
        return false;
    }
}

/* "": the calls are the same; else what differs. */
static const char *difference(const struct made_call *made, const struct pilgrim_call *call, struct log *log)
{
    static char where[64];
    const struct function_descriptor *f = &made_functions[made->kind];
    log->at = made->key.data;
    program_view(log->program, log->rank, 0, &log->own, &log->size);
    if (strcmp(call->function->name, f->name) != 0)
        return "another function";
    if (call->class_->site->offset != made_site(made->kind))
        return "another site";
    for (unsigned side = DIRECTION_IN; side <= DIRECTION_OUT; side++)
        for (unsigned p = 0; p < f->parameter_count; p++) {
            const struct pilgrim_value *v = side == DIRECTION_IN ? &call->in[p] : &call->out[p];
            bool there = f->parameters[p].direction & side;
            snprintf(where, sizeof where, "parameter %u, side %u", p, side);
            if (there ? !same_value(log, v) : v->type != PILGRIM_NONE)
                return where;
        }
    if (!same_value(log, &call->ret))
        return "return value";
    return log->at == made->key.data + made->key.length ? "" : "another length";
}

static void fail_call(const struct walk *w, const char *what)
{
    printf("FAIL recorder: rank %" PRIu32 ", thread %" PRIu32 ", call %" PRIu64 ": %s; again: recorder --seed=%" PRIu64
           "\n",
           w->rank, w->thread, w->calls - 1, what, w->program->seed);
}

bool compare_thread(const struct program *p, struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, bool wrong)
{
    static struct made_call made;
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct pilgrim_error error;
    struct walk w;
    struct log log = {.program = p, .rank = rank};
    require(pilgrim_cursor_open(trace, rank, thread, &cursor, &error) == PILGRIM_OK, error.message, p->seed);
    const uint64_t count = pilgrim_call_count(trace, rank, thread);
    bool good = true;
    for (walk_begin(&w, p, rank, thread); good && walk_next(&w, &made);) {
        enum pilgrim_status status = pilgrim_cursor_next(cursor, &call, &error);
        if (wrong && w.calls == count)
            made.key.data[made.key.length - 1] ^= 1; /* of the return value */
        const char *what = status == PILGRIM_OK    ? difference(&made, &call, &log)
                           : status == PILGRIM_END ? "missing"
                                                   : error.message;
        good = !*what;
        if (!good && !wrong)
            fail_call(&w, what);
    }
    if (good && pilgrim_cursor_next(cursor, &call, &error) != PILGRIM_END) {
        good = false;
        fail_call(&w, "there are more");
    }
    pilgrim_cursor_close(cursor);
    return good;
}
