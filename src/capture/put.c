/* Values of one call, as tokens (base/value.h) appended to its key. */
#include "capture/put.h"

#include "capture/constant_names.h"
#include "functions.h"

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

void put_bool(struct call *c, int v)
{
    put_slot(c, VALUE_BOOL, v != 0);
}

void put_real(struct call *c, double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_slot(c, VALUE_REAL, bits);
}

void put_array(struct call *c, int64_t count)
{
    put_counted(c, VALUE_ARRAY, count > 0 ? (uint64_t)count : 0, 0);
}

void put_string(struct call *c, const char *s)
{
    put_string_n(c, s, s ? (int64_t)strlen(s) : 0);
}

void put_string_n(struct call *c, const char *s, int64_t length)
{
    if (!s) {
        put_name(c, NAME_NULL);
        return;
    }
    size_t n = length > 0 ? strnlen(s, (size_t)length) : 0;
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

void put_enum(struct call *c, unsigned enumeration, int64_t v)
{
    const struct constant *constant = constant_find(enumeration, v);
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

/* RANK - the caller's modulo SIZE, as the number of smallest magnitude; the positive one of two. */
static inline int64_t relative(int64_t rank, int64_t own, int64_t size)
{
    int64_t r = (rank - own) % size;
    if (2 * r > size)
        r -= size;
    else if (2 * r <= -size)
        r += size;
    return r;
}

void put_rank_of(struct call *c, const struct view *view, int rank)
{
    if (rank < 0 || rank >= view->size || view->rank < 0) {
        put_enum(c, ENUM_RANK, rank);
        return;
    }
    if (view->index != c->current_view) {
        put_slot(c, VALUE_VIEW, view->index);
        c->current_view = view->index;
    }
    put_slot(c, VALUE_RANK, relative(rank, view->rank, view->size));
}

void put_rank(struct call *c, int rank)
{
    put_rank_of(c, &c->view, rank);
}

void put_root(struct call *c, int rank)
{
    put_enum(c, ENUM_RANK, rank);
}

static void put_memory(struct call *c, const struct memory_name *m)
{
    switch (m->space) {
    case MEMORY_HEAP:
        put_slots(c, VALUE_HEAP, m->id, m->offset);
        break;
    case MEMORY_STACK:
        put_slot(c, VALUE_STACK, m->id);
        break;
    case MEMORY_STATIC:
        put_slots(c, VALUE_STATIC, m->id, m->offset);
        break;
    case MEMORY_DEVICE: {
        uint8_t *at = put_room(c, 1 + 3 * SLOT_BYTES);
        if (at) {
            *at = VALUE_DEVICE;
            store_slot(store_slot(store_slot(at + 1, m->device), m->id), m->offset);
        }
        break;
    }
    }
}

void put_buffer(struct call *c, const void *p)
{
    if (p == MPI_BOTTOM)
        put_name(c, NAME_MPI_BOTTOM);
    else
        put_pointer(c, p);
}

void put_pointer(struct call *c, const void *p)
{
    if (!p) {
        put_name(c, NAME_NULL);
    } else if (p == MPI_IN_PLACE) {
        put_name(c, NAME_MPI_IN_PLACE);
    } else {
        struct memory_name m = memory_name_of(p);
        put_memory(c, &m);
    }
}

void put_address(struct call *c, int64_t v)
{
    struct memory_name m;
    if (v && memory_find(address_pointer(v), &m))
        put_memory(c, &m);
    else
        put_int(c, v);
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
    struct object_name n = object_name_of(kind, handle);
    put_object(c, kind, &n);
}

void put_new(struct call *c, enum object_kind kind, uint64_t handle)
{
    struct object_name n = object_created(kind, handle);
    put_object(c, kind, &n);
}

void put_new_pending(struct call *c, enum object_kind kind, uint64_t handle)
{
    struct object_name n = object_created_like(kind, handle, &c->view);
    put_object(c, kind, &n);
}

void put_released(struct call *c, enum object_kind kind, uint64_t before, uint64_t after)
{
    put_handle(c, kind, after);
    object_released(kind, before, after);
}
