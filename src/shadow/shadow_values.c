/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow's values: prints each argument as JSON, straight from what was passed; see shadow.h. */
#include <inttypes.h>
#include <string.h>

#include "process/capture.h"
#include "wrap/constant_names.h"
#include "shadow/shadow_text.h"
#include "process/thread.h"
#include "functions.h"
#include "objects/memory.h"

void shadow_ret(struct shadow *s, int ret)
{
    shadow_return(s);
    shadow_int(s, ret);
}

void shadow_null(struct shadow *s)
{
    shadow_value_begin(s);
    text_print(&s->text, "null");
    shadow_value_end(s);
}

static void string_of(struct shadow *s, const char *string, int64_t length)
{
    size_t n = 0;
    if (!string) {
        string = "NULL";
        n = 4;
    } else {
        while (length > 0 && n < (size_t)length && string[n])
            n++;
    }
    shadow_value_begin(s);
    text_string(&s->text, string, n);
    shadow_value_end(s);
}

void shadow_name(struct shadow *s, const char *name)
{
    string_of(s, name, (int64_t)strlen(name));
}

void shadow_int(struct shadow *s, int64_t v)
{
    shadow_value_begin(s);
    text_integer(&s->text, v);
    shadow_value_end(s);
}

void shadow_bool(struct shadow *s, int v)
{
    shadow_value_begin(s);
    if (v == 0 || v == 1)
        text_print(&s->text, v ? "true" : "false");
    else
        text_integer(&s->text, v);
    shadow_value_end(s);
}

void shadow_real(struct shadow *s, double v)
{
    shadow_value_begin(s);
    text_print(&s->text, "%.17g", v);
    shadow_value_end(s);
}

void shadow_string(struct shadow *s, const char *string)
{
    string_of(s, string, string ? (int64_t)strlen(string) : 0);
}

void shadow_strings(struct shadow *s, char *const *strings, int64_t count)
{
    if (!strings) {
        shadow_name(s, "NULL");
        return;
    }
    shadow_open(s);
    for (int64_t i = 0; count < 0 ? strings[i] != NULL : i < count; i++)
        shadow_string(s, strings[i]);
    shadow_close(s);
}

void shadow_enum(struct shadow *s, unsigned enumeration, int64_t v)
{
    const struct enumeration *e = &enumerations[enumeration];
    for (unsigned i = 0; i < e->count; i++)
        if (e->constants[i].value == v) {
            shadow_name(s, vocabulary.names[e->constants[i].name]);
            return;
        }
    shadow_int(s, v);
}

void shadow_flags(struct shadow *s, unsigned enumeration, int64_t v)
{
    const struct enumeration *e = &enumerations[enumeration];
    struct bytes text = {0};
    int64_t rest = v;
    for (unsigned i = 0; i < e->count; i++) {
        int64_t flag = e->constants[i].value;
        if (flag <= 0 || (rest & flag) != flag)
            continue;
        text_print(&text, text.length ? "|%s" : "%s", vocabulary.names[e->constants[i].name]);
        rest &= ~flag;
    }
    if (!text.length) {
        shadow_int(s, v);
    } else {
        if (rest)
            text_print(&text, "|%" PRId64, rest);
        string_of(s, (const char *)text.data, (int64_t)text.length);
    }
    bytes_free(&text);
}

void shadow_rank(struct shadow *s, int64_t rank)
{
    shadow_enum(s, ENUM_RANK, rank);
}

static void print_memory(struct shadow *s, const struct memory_name *m)
{
    shadow_value_begin(s);
    switch (m->space) {
    case MEMORY_HEAP:
        text_print(&s->text, "\"heap:%" PRId64 "+%" PRId64 "\"", m->id, m->offset);
        break;
    case MEMORY_STACK:
        text_print(&s->text, "\"stack:%" PRId64 "\"", m->id);
        break;
    case MEMORY_STATIC:
        text_print(&s->text, "\"static:%" PRId64 "+%" PRId64 "\"", m->id, m->offset);
        break;
    case MEMORY_DEVICE:
        text_print(&s->text, "\"device:%" PRId64 ":%" PRId64 "+%" PRId64 "\"", m->device, m->id, m->offset);
        break;
    }
    shadow_value_end(s);
}

void shadow_buffer(struct shadow *s, const void *p)
{
    if (p == MPI_BOTTOM)
        shadow_name(s, "MPI_BOTTOM");
    else
        shadow_pointer(s, p);
}

void shadow_pointer(struct shadow *s, const void *p)
{
    if (!p) {
        shadow_name(s, "NULL");
    } else if (p == MPI_IN_PLACE) {
        shadow_name(s, "MPI_IN_PLACE");
#ifdef MPI_BUFFER_AUTOMATIC
    } else if (p == MPI_BUFFER_AUTOMATIC) {
        shadow_name(s, "MPI_BUFFER_AUTOMATIC");
#endif
    } else {
        struct memory_name m = memory_name_of(p);
        print_memory(s, &m);
        shadow_raw(s, (uint64_t)(uintptr_t)p);
    }
}

void shadow_address(struct shadow *s, int64_t v)
{
    struct memory_name m;
    if (!v || !memory_find(address_pointer(v), &m)) {
        shadow_int(s, v);
        return;
    }
    print_memory(s, &m);
    shadow_raw(s, (uint64_t)v);
}

void shadow_function(struct shadow *s, const void *function)
{
    struct function_name f = function_name_of(s->function, function);
    if (f.name != NAME_COUNT) {
        shadow_name(s, vocabulary.names[f.name]);
        return;
    }
    shadow_value_begin(s);
    if (f.symbol) {
        struct bytes text = {0};
        bytes_put(&text, "fn:", 3);
        bytes_put(&text, f.symbol, strlen(f.symbol));
        text_string(&s->text, (const char *)text.data, text.length);
        bytes_free(&text);
    } else {
        text_print(&s->text, "\"fn:%" PRId64 "\"", f.id);
    }
    shadow_value_end(s);
    shadow_raw(s, (uint64_t)(uintptr_t)function);
}

void shadow_handle(struct shadow *s, enum object_kind kind, uint64_t handle)
{
    struct object_name n = object_name_of(kind, handle);
    if (n.predefined) {
        shadow_name(s, vocabulary.names[n.name]);
    } else {
        shadow_value_begin(s);
        text_print(&s->text, "\"%s:%" PRId64 "\"", object_kind_word[kind], n.id);
        shadow_value_end(s);
    }
    shadow_raw(s, handle);
}
