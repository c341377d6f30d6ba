/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a call as tokens (base/value.h); see put.h. */
#include "wrap/put.h"

#include "wrap/constant_names.h"
#include "wrap/call_inline.h"

void put_none(struct call *c, int count)
{
    while (count-- > 0)
        put_tag(c, VALUE_NONE);
}

void put_name(struct call *c, unsigned name)
{
    uint8_t *at = put_room(c, 3);
    if (at) {
        *at = VALUE_NAME;
        store_u16(at + 1, name);
    }
}

void put_int(struct call *c, int64_t v)
{
    put_slot(c, VALUE_INT, v);
}

void put_array(struct call *c, int64_t count)
{
    put_counted(c, VALUE_ARRAY, count > 0 ? (uint64_t)count : 0, 0);
}

void put_string(struct call *c, const char *s)
{
    if (!s) {
        put_name(c, NAME_NULL);
        return;
    }
    size_t n = strlen(s);
    uint8_t *at = put_counted(c, VALUE_STRING, n, n);
    if (at)
        memcpy(at, s, n);
}

void put_strings(struct call *c, char *const *strings, int64_t count)
{
    if (!strings) {
        put_name(c, NAME_NULL);
        return;
    }
    if (count < 0)
        for (count = 0; strings[count];)
            count++;
    put_array(c, count);
    for (int64_t i = 0; i < count; i++)
        put_string(c, strings[i]);
}

void put_command_line(struct call *c, char *const *arguments, int64_t count)
{
    if (capture.settings.arguments)
        put_strings(c, arguments, count);
    else
        put_none(c, 1);
}

void put_enum(struct call *c, unsigned enumeration, int64_t v)
{
    const struct constant *constant = v > enumerations[enumeration].last ? NULL : constant_find(enumeration, v);
    if (constant)
        put_name(c, constant->name);
    else
        put_int(c, v);
}

void put_flags(struct call *c, unsigned enumeration, int64_t v)
{
    struct flags flags = flags_of(enumeration, v);
    if (!flags.count) {
        put_int(c, v);
        return;
    }
    put_counted(c, VALUE_FLAGS, flags.count + (flags.rest != 0), 0);
    for (unsigned i = 0; i < flags.count; i++)
        put_name(c, flags.names[i]);
    if (flags.rest)
        put_int(c, flags.rest);
}

/* rank_distance if the caller's rank may be beyond the size, because it is a rank in another group: the local group of
 * an inter-communicator. */
static int64_t distance_modulo(const struct rank_base *base, int rank)
{
    int64_t size = base->size, r = ((int64_t)rank - base->rank) % size;
    if (2 * r > size)
        r -= size;
    else if (2 * r <= -size)
        r += size;
    return r;
}

/* Stores RANK in the group that BASE describes; MPI_ANY_SOURCE and the like by name. */
static void put_rank_of(struct call *c, const struct rank_base *base, int rank)
{
    if (rank < 0 || rank >= base->size || base->rank < 0) {
        put_enum(c, ENUM_RANK, rank);
        return;
    }
    if (base->index != c->current_base) {
        put_slot(c, VALUE_RANK_BASE, base->index);
        c->current_base = base->index;
    }
    put_slot(c, VALUE_RANK, base->rank < base->size ? rank_distance(base, rank) : distance_modulo(base, rank));
}

void put_rank(struct call *c, int rank)
{
    put_rank_of(c, &c->base, rank);
}

void put_root(struct call *c, int rank)
{
    put_enum(c, ENUM_RANK, rank);
}

uint8_t *store_constant(uint8_t *at, unsigned enumeration, int64_t v)
{
    const struct constant *constant = constant_find(enumeration, v);
    return constant ? store_name(at, constant->name) : store_int(at, v);
}

/* BASE may be of a group that the caller is not in. Then the caller's rank may be beyond its size. */
uint8_t *store_rank_slowly(struct call *c, uint8_t *at, const struct rank_base *base, int rank)
{
    call_flush(c, at);
    put_rank_of(c, base, rank);
    return call_resume(c);
}

static uint8_t *store_memory(uint8_t *at, const struct cached_buffer *b)
{
    size_t length = b->token[CACHED_BUFFER_BYTES - 1];
    memcpy(at, b->token, length);
    return at + length;
}

uint8_t *store_pointer(struct call *c, uint8_t *at, const void *p)
{
    if (!p)
        return store_name(at, NAME_NULL);
    if (p == MPI_IN_PLACE)
        return store_name(at, NAME_MPI_IN_PLACE);
#ifdef MPI_BUFFER_AUTOMATIC
    if (p == MPI_BUFFER_AUTOMATIC)
        return store_name(at, NAME_MPI_BUFFER_AUTOMATIC);
#endif
    const struct cached_buffer *b = handle_cache_buffer(&c->thread->handle_cache, p);
    return store_memory(at, b ? b : handle_cache_learn_buffer(&c->thread->handle_cache, p, false));
}

uint8_t *store_buffer_slowly(struct call *c, uint8_t *at, const void *p)
{
    return p == MPI_BOTTOM ? store_name(at, NAME_MPI_BOTTOM) : store_pointer(c, at, p);
}

uint8_t *store_address(struct call *c, uint8_t *at, int64_t v)
{
    const struct cached_buffer *b = NULL;
    if (v) {
        b = handle_cache_buffer(&c->thread->handle_cache, address_pointer(v));
        if (!b || !b->known)
            b = handle_cache_learn_buffer(&c->thread->handle_cache, address_pointer(v), true);
    }
    return b ? store_memory(at, b) : store_int(at, v);
}

void put_address(struct call *c, int64_t v)
{
    uint8_t token[CACHED_BUFFER_BYTES];
    size_t length = (size_t)(store_address(c, token, v) - token);
    uint8_t *at = put_room(c, length);
    if (at)
        memcpy(at, token, length);
}

void put_function(struct call *c, const void *function)
{
    struct function_name f = function_name_of(c->function, function);
    if (f.name != NAME_COUNT) {
        put_name(c, f.name);
    } else if (f.symbol) {
        size_t n = strlen(f.symbol);
        uint8_t *at = put_counted(c, VALUE_SYMBOL, n, n);
        if (at)
            memcpy(at, f.symbol, n);
    } else {
        put_slot(c, VALUE_FUNCTION, f.id);
    }
}

static void put_object(struct call *c, enum object_kind kind, const struct object_name *n)
{
    if (n->predefined) {
        put_name(c, n->name);
        return;
    }
    uint8_t *at = put_room(c, 3 + SLOT_BYTES);
    if (at) {
        *at = VALUE_OBJECT;
        store_slot(store_u16(at + 1, object_kind_name[kind]), n->id);
    }
}

void put_handle(struct call *c, enum object_kind kind, uint64_t handle)
{
    uint8_t token[TOKEN_BYTES];
    size_t length = (size_t)(store_handle(c, token, kind, handle) - token);
    uint8_t *at = put_room(c, length);
    if (at)
        memcpy(at, token, length);
}

void put_new(struct call *c, enum object_kind kind, uint64_t handle)
{
    struct object_name n = object_created(kind, handle);
    put_object(c, kind, &n);
}

void put_new_pending(struct call *c, enum object_kind kind, uint64_t handle)
{
    struct object_name n = object_created_like(kind, handle, &c->base);
    put_object(c, kind, &n);
}

void put_released(struct call *c, enum object_kind kind, uint64_t before, uint64_t after)
{
    put_handle(c, kind, after);
    object_released(kind, before, after);
}
