/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes extents of datatypes; see type_extents.h.
 *
 * A structure ends at a multiple of its alignment, as in C. MPI libraries differ in whether other datatypes do, in what
 * a structure is whose members are of one datatype or have ends that were set, and in what is made of datatypes without
 * data: such extents count as not known, unless all ways give the same. */
#include "analysis/type_extents.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/type_sizes.h"

__extension__ typedef __int128 wide;

static const struct type_extent extent_unknown;
static const wide FARTHEST = (wide)1 << 62;

/* ---- predefined datatypes ---- */

struct type_extent type_extent_predefined(const char *name)
{
    static const struct {
        const char *name;
        int64_t extent, alignment;
    } pairs[] = {{"DOUBLE_INT", 16, 8},
                 {"LONG_INT", 16, 8},
                 {"SHORT_INT", 8, 4},
                 {"FLOAT_INT", 8, 4},
                 {"LONG_DOUBLE_INT", 32, 16}};
    const uint64_t size = type_size_predefined(name);
    if (size == TYPE_SIZE_UNKNOWN || size == 0)
        return extent_unknown;
    struct type_extent e = {.known = true, .upper = (int64_t)size, .alignment = (int64_t)size};
    if (strncmp(name, "MPI_2", 5) == 0)
        e.alignment /= 2;
    if (strstr(name, "COMPLEX"))
        e.alignment /= 2;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name + 4, pairs[i].name) == 0) {
            e.upper = pairs[i].extent;
            e.alignment = pairs[i].alignment;
        }
    return e;
}

/* ---- derived datatypes ---- */

struct extent_maker {
    const struct pilgrim_call *call;
    type_extent_lookup lookup;
    void *context;
    struct type_extent old; /* of "oldtype" */
    struct type_extent made;
    bool wrong, begun;
};

static int64_t extent_of(const struct type_extent *e)
{
    return e->upper - e->lower;
}

/* Returns a number; sets WRONG if the value is none. */
static int64_t number_of(struct extent_maker *m, const struct pilgrim_value *v)
{
    m->wrong = m->wrong || (v->type != PILGRIM_INT && v->type != PILGRIM_RANK);
    return m->wrong ? 0 : v->integer;
}

static int64_t in_number_of(struct extent_maker *m, const char *name)
{
    return number_of(m, call_in(m->call, name));
}

/* Returns the items of an array of COUNT; NULL, and sets WRONG, if it is another one. */
static const struct pilgrim_value *in_items(struct extent_maker *m, const char *name, int64_t count)
{
    const struct pilgrim_value *v = call_in(m->call, name);
    if (v->type == PILGRIM_ARRAY && count >= 0 && v->count == (size_t)count)
        return v->items;
    m->wrong = true;
    return NULL;
}

/* Adds LENGTH of E one after another, DISPLACEMENT bytes from the beginning. */
static void add_block(struct extent_maker *m, const struct type_extent *e, wide displacement, int64_t length)
{
    if (length == 0)
        return;
    const wide last = displacement + (wide)(length - 1) * extent_of(e);
    const wide lower = (last < displacement ? last : displacement) + e->lower,
               upper = (last > displacement ? last : displacement) + e->upper;
    m->wrong = m->wrong || length < 0 || !e->known || e->empty || lower <= -FARTHEST || upper >= FARTHEST;
    if (m->wrong)
        return;
    if (!m->begun || lower < m->made.lower)
        m->made.lower = (int64_t)lower;
    if (!m->begun || upper > m->made.upper)
        m->made.upper = (int64_t)upper;
    m->made.alignment = e->alignment > m->made.alignment ? e->alignment : m->made.alignment;
    m->begun = true;
}

static void make_same(struct extent_maker *m)
{
    add_block(m, &m->old, 0, 1);
}

static void make_contiguous(struct extent_maker *m)
{
    add_block(m, &m->old, 0, in_number_of(m, "count"));
}

/* Adds COUNT blocks, STRIDE bytes from one to the next. */
static void strided(struct extent_maker *m, wide stride)
{
    const int64_t count = in_number_of(m, "count"), length = in_number_of(m, "blocklength");
    m->wrong = m->wrong || count < 0 || stride <= -FARTHEST || stride >= FARTHEST;
    if (m->wrong || count == 0)
        return;
    add_block(m, &m->old, 0, length);
    add_block(m, &m->old, (wide)(count - 1) * stride, length);
}

static void make_vector(struct extent_maker *m)
{
    strided(m, (wide)in_number_of(m, "stride") * extent_of(&m->old));
}

static void make_hvector(struct extent_maker *m)
{
    strided(m, in_number_of(m, "stride"));
}

/* Adds blocks at displacements of UNIT bytes, of lengths of their own or all of "blocklength". */
static void add_blocks(struct extent_maker *m, int64_t unit, bool own_lengths)
{
    const int64_t count = in_number_of(m, "count"), length = own_lengths ? 0 : in_number_of(m, "blocklength");
    const struct pilgrim_value *lengths = own_lengths ? in_items(m, "array_of_blocklengths", count) : NULL,
                               *at = in_items(m, "array_of_displacements", count);
    for (int64_t i = 0; i < count && !m->wrong; i++)
        add_block(m, &m->old, (wide)number_of(m, &at[i]) * unit, lengths ? number_of(m, &lengths[i]) : length);
}

static void make_indexed(struct extent_maker *m)
{
    add_blocks(m, extent_of(&m->old), true);
}

static void make_hindexed(struct extent_maker *m)
{
    add_blocks(m, 1, true);
}

static void make_indexed_block(struct extent_maker *m)
{
    add_blocks(m, extent_of(&m->old), false);
}

static void make_hindexed_block(struct extent_maker *m)
{
    add_blocks(m, 1, false);
}

static void make_structure(struct extent_maker *m)
{
    const int64_t count = in_number_of(m, "count");
    const struct pilgrim_value *lengths = in_items(m, "array_of_blocklengths", count),
                               *at = in_items(m, "array_of_displacements", count),
                               *types = in_items(m, "array_of_types", count);
    int64_t set = 0, all = 0;
    bool differ = false;
    for (int64_t i = 0; i < count && !m->wrong; i++) {
        const struct type_extent e = m->lookup(m->context, &types[i]);
        const int64_t length = number_of(m, &lengths[i]);
        add_block(m, &e, number_of(m, &at[i]), length);
        set += length != 0 && e.set;
        all += length != 0;
        differ = differ || types[i].type != types[0].type || types[i].id != types[0].id ||
                 (types[i].type == PILGRIM_NAME && strcmp(types[i].text, types[0].text) != 0);
    }
    if (m->wrong || !m->begun)
        return;
    const int64_t rest = extent_of(&m->made) % m->made.alignment;
    m->made.set = set > 0;
    m->wrong = (set > 0 && (set < all || rest != 0)) || (!differ && rest != 0);
    if (rest)
        m->made.upper += m->made.alignment - rest;
}

/* Sets the ends. */
static void set_ends(struct extent_maker *m, wide lower, wide extent)
{
    m->wrong = m->wrong || lower <= -FARTHEST || lower >= FARTHEST || extent <= -FARTHEST || extent >= FARTHEST;
    if (m->wrong)
        return;
    m->made = (struct type_extent){.set = true,
                                   .empty = m->old.empty,
                                   .lower = (int64_t)lower,
                                   .upper = (int64_t)(lower + extent),
                                   .alignment = m->old.alignment};
    m->begun = true;
}

static void make_resized(struct extent_maker *m)
{
    set_ends(m, in_number_of(m, "lb"), in_number_of(m, "extent"));
}

/* Sets the ends to those of a whole array of "oldtype", whose dimensions the array NAME has. */
static void whole_array(struct extent_maker *m, const char *name)
{
    const struct pilgrim_value *sizes = call_in(m->call, name);
    wide extent = extent_of(&m->old);
    m->wrong = m->wrong || sizes->type != PILGRIM_ARRAY || m->old.lower != 0 || m->old.empty;
    for (size_t i = 0; !m->wrong && i < sizes->count; i++) {
        extent *= number_of(m, &sizes->items[i]);
        m->wrong = m->wrong || extent >= FARTHEST || extent <= -FARTHEST;
    }
    set_ends(m, 0, extent);
}

static void make_subarray(struct extent_maker *m)
{
    whole_array(m, "array_of_sizes");
}

static void make_distributed_array(struct extent_maker *m)
{
    whole_array(m, "array_of_gsizes");
}

static const struct extent_made {
    const char *function; /* without MPI_Type_ and _c */
    void (*make)(struct extent_maker *m);
} makers[] = {
    {"contiguous", make_contiguous},
    {"create_darray", make_distributed_array},
    {"create_hindexed", make_hindexed},
    {"create_hindexed_block", make_hindexed_block},
    {"create_hvector", make_hvector},
    {"create_indexed_block", make_indexed_block},
    {"create_resized", make_resized},
    {"create_struct", make_structure},
    {"create_subarray", make_subarray},
    {"dup", make_same},
    {"hindexed", make_hindexed},
    {"hvector", make_hvector},
    {"indexed", make_indexed},
    {"struct", make_structure},
    {"vector", make_vector},
};

/* Returns what makes the datatype of a call; NULL: nothing that is known. */
static const struct extent_made *maker_of(const char *function)
{
    static const char prefix[] = "MPI_Type_";
    if (strncmp(function, prefix, sizeof prefix - 1) != 0)
        return NULL;
    function += sizeof prefix - 1;
    size_t length = strlen(function);
    if (length > 2 && strcmp(function + length - 2, "_c") == 0)
        length -= 2;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strlen(makers[i].function) == length && strncmp(makers[i].function, function, length) == 0)
            return &makers[i];
    return NULL;
}

struct type_extent type_extent_made(const struct pilgrim_call *call, type_extent_lookup lookup, void *context)
{
    const struct extent_made *how = maker_of(call->function->name);
    struct extent_maker m = {.call = call, .lookup = lookup, .context = context};
    if (!how)
        return extent_unknown;
    const bool is_struct = how->make == make_structure;
    if (!is_struct) {
        m.old = lookup(context, call_in(call, "oldtype"));
        m.wrong = !m.old.known;
        m.made.set = m.old.set;
    }
    how->make(&m);
    if (!m.begun) { /* nothing is in it */
        m.made.alignment = 1;
        m.made.empty = true;
        m.wrong = m.wrong || in_number_of(&m, "count") != 0; /* blocks without data */
    }
    if (m.wrong || (!is_struct && !m.made.set && extent_of(&m.made) % m.made.alignment != 0))
        return extent_unknown;
    m.made.known = true;
    return m.made;
}
