/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of return addresses; see trace_symbols.h. They are found by what a frame says, so a copy of a frame has the
 * same function as the frame. */
#include "read/file/trace_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "read/file/shards.h"

enum {
    NAME_MAX_BYTES = 255, /* of a file's name; modules with longer ones have no functions */
    ENTRY_BYTES = 80      /* of memory that an entry takes beside its bytes, at most */
};

/* A module as a key. */
struct module_key {
    size_t length;
    uint8_t bytes[1 + BUILD_ID_BYTES_MAX + NAME_MAX_BYTES];
};

/* Returns false if there is none. */
static bool make_key(struct module_key *key, const char *name, const uint8_t *build_id, size_t build_id_length)
{
    const size_t length = strlen(name);
    if (length > NAME_MAX_BYTES || build_id_length > BUILD_ID_BYTES_MAX)
        return false;
    key->bytes[0] = (uint8_t)build_id_length;
    if (build_id_length > 0)
        memcpy(key->bytes + 1, build_id, build_id_length);
    memcpy(key->bytes + 1 + build_id_length, name, length);
    key->length = 1 + build_id_length + length;
    return true;
}

/* As intern_add, and takes what a new entry needs off BUDGET. */
static enum pilgrim_status add(struct intern *t, const void *data, size_t length, struct budget *budget,
                               uint32_t *number)
{
    const uint64_t bytes = ENTRY_BYTES + (uint64_t)length;
    if (intern_find(t, data, length, number))
        return PILGRIM_OK;
    if (budget->bytes < bytes)
        return PILGRIM_LIMIT;
    budget->bytes -= bytes;
    return intern_add(t, data, length, number);
}

static enum pilgrim_status add_address(struct trace_symbols *t, uint64_t module, const struct stored_address *a,
                                       struct budget *budget)
{
    const uint64_t key[2] = {module, a->offset};
    const uint32_t before = t->addresses.count;
    uint32_t number, name;
    TRY(add(&t->names, a->symbol->name, strlen(a->symbol->name) + 1, budget, &name));
    TRY(add(&t->addresses, key, sizeof key, budget, &number));
    if (number < before)
        return PILGRIM_OK;
    if (number == t->capacity) {
        uint32_t capacity = number + number / 2 + 16;
        struct trace_symbol *more = realloc(t->symbols, capacity * sizeof *more);
        if (!more)
            return PILGRIM_NOMEM;
        t->symbols = more;
        t->capacity = capacity;
    }
    t->symbols[number] = (struct trace_symbol){.start = a->symbol->start, .name = name};
    return PILGRIM_OK;
}

/* Sets *NUMBER to the number of M + 1, or to 0 if it has none. */
static enum pilgrim_status number_module(struct trace_symbols *t, const struct stored_module *m, struct budget *budget,
                                         uint32_t *number)
{
    struct module_key key;
    *number = 0;
    if (!make_key(&key, m->name, m->build_id, m->build_id_length))
        return PILGRIM_OK;
    TRY(add(&t->modules, key.bytes, key.length, budget, number));
    ++*number;
    return PILGRIM_OK;
}

enum pilgrim_status trace_symbols_add(struct trace_symbols *t, const struct shard *v, struct budget *budget)
{
    const struct module_symbol *last = NULL; /* that MODULE was found for */
    uint32_t module = 0;
    for (size_t i = 0; i < v->address_count; i++) {
        const struct stored_address *a = &v->addresses[i];
        if (!a->symbol)
            continue;
        if (!last || last->module != a->symbol->module)
            TRY(number_module(t, &v->modules[a->symbol->module], budget, &module));
        last = a->symbol;
        if (module)
            TRY(add_address(t, module, a, budget));
    }
    return PILGRIM_OK;
}

void trace_symbols_free(struct trace_symbols *t)
{
    intern_free(&t->modules);
    intern_free(&t->names);
    intern_free(&t->addresses);
    free(t->symbols);
}

const char *pilgrim_frame_function(const struct pilgrim_trace *trace, const struct pilgrim_frame *frame,
                                   uint64_t *offset)
{
    struct module_key module;
    uint32_t number;
    if (trace && frame && offset && frame->python) {
        *offset = 0;
        return frame->python;
    }
    if (!trace || !frame || !offset || !frame->module ||
        !make_key(&module, frame->module, frame->build_id, frame->build_id_length))
        return NULL;
    const struct trace_symbols *t = &trace->symbols;
    if (!intern_find(&t->modules, module.bytes, module.length, &number))
        return NULL;
    const uint64_t key[2] = {(uint64_t)number + 1, frame->offset};
    if (!intern_find(&t->addresses, key, sizeof key, &number))
        return NULL;
    *offset = frame->offset - t->symbols[number].start;
    return (const char *)intern_get(&t->names, t->symbols[number].name, NULL);
}
