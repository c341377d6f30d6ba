/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes sizes of datatypes; see type_sizes.h. */
#include "analysis/type_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define UNKNOWN      TYPE_SIZE_UNKNOWN

/* ---- predefined datatypes ---- */

static const struct named_size {
    const char *name; /* without MPI_ */
    unsigned size;
} sizes[] = {
    {"2COMPLEX", 16},
    {"2DOUBLE_COMPLEX", 32},
    {"2DOUBLE_PRECISION", 16},
    {"2INT", 8},
    {"2INTEGER", 8},
    {"2REAL", 8},
    {"AINT", 8},
    {"BYTE", 1},
    {"CHAR", 1},
    {"CHARACTER", 1},
    {"COMPLEX", 8},
    {"COMPLEX16", 16},
    {"COMPLEX32", 32},
    {"COMPLEX4", 4},
    {"COMPLEX8", 8},
    {"COUNT", 8},
    {"CXX_BOOL", 1},
    {"CXX_DOUBLE_COMPLEX", 16},
    {"CXX_FLOAT_COMPLEX", 8},
    {"CXX_LONG_DOUBLE_COMPLEX", 32},
    {"C_BOOL", 1},
    {"C_COMPLEX", 8},
    {"C_DOUBLE_COMPLEX", 16},
    {"C_FLOAT_COMPLEX", 8},
    {"C_LONG_DOUBLE_COMPLEX", 32},
    {"DOUBLE", 8},
    {"DOUBLE_COMPLEX", 16},
    {"DOUBLE_INT", 12},
    {"DOUBLE_PRECISION", 8},
    {"FLOAT", 4},
    {"FLOAT_INT", 8},
    {"INT", 4},
    {"INT16_T", 2},
    {"INT32_T", 4},
    {"INT64_T", 8},
    {"INT8_T", 1},
    {"INTEGER", 4},
    {"INTEGER1", 1},
    {"INTEGER16", 16},
    {"INTEGER2", 2},
    {"INTEGER4", 4},
    {"INTEGER8", 8},
    {"LB", 0},
    {"LOGICAL", 4},
    {"LONG", 8},
    {"LONG_DOUBLE", 16},
    {"LONG_DOUBLE_INT", 20},
    {"LONG_INT", 12},
    {"LONG_LONG", 8},
    {"LONG_LONG_INT", 8},
    {"OFFSET", 8},
    {"PACKED", 1},
    {"REAL", 4},
    {"REAL16", 16},
    {"REAL2", 2},
    {"REAL4", 4},
    {"REAL8", 8},
    {"SHORT", 2},
    {"SHORT_INT", 6},
    {"SIGNED_CHAR", 1},
    {"UB", 0},
    {"UINT16_T", 2},
    {"UINT32_T", 4},
    {"UINT64_T", 8},
    {"UINT8_T", 1},
    {"UNSIGNED", 4},
    {"UNSIGNED_CHAR", 1},
    {"UNSIGNED_LONG", 8},
    {"UNSIGNED_LONG_LONG", 8},
    {"UNSIGNED_SHORT", 2},
    {"WCHAR", 4},
};

static int compare_size(const void *name, const void *entry)
{
    return strcmp(name, ((const struct named_size *)entry)->name);
}

static const struct named_size *find_size(const char *name)
{
    return strncmp(name, "MPI_", 4) == 0 ? bsearch(name + 4, sizes, COUNT(sizes), sizeof *sizes, compare_size) : NULL;
}

uint64_t type_size_predefined(const char *name)
{
    const struct named_size *found = find_size(name);
    return found ? found->size : UNKNOWN;
}

const char *type_size_name(const char *name)
{
    const struct named_size *found = find_size(name);
    return found ? found->name : NULL;
}

/* ---- derived datatypes ---- */

struct type_maker {
    const struct pilgrim_call *call;
    type_size_lookup lookup;
    void *context;
};

uint64_t type_size_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    if (a == UNKNOWN || b == UNKNOWN || __builtin_mul_overflow(a, b, &product) || product > INT64_MAX)
        return UNKNOWN;
    return product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a == UNKNOWN || b == UNKNOWN || a + b > INT64_MAX ? UNKNOWN : a + b;
}

static uint64_t number(const struct pilgrim_value *v)
{
    uint64_t count;
    return value_count(v, &count) ? count : UNKNOWN;
}

static uint64_t in_number(const struct type_maker *m, const char *name)
{
    return number(call_in(m->call, name));
}

static uint64_t in_type(const struct type_maker *m, const char *name)
{
    return m->lookup(m->context, call_in(m->call, name));
}

/* Returns the array NAME; NULL if the value is no array. */
static const struct pilgrim_value *in_array(const struct type_maker *m, const char *name)
{
    const struct pilgrim_value *v = call_in(m->call, name);
    return v->type == PILGRIM_ARRAY ? v : NULL;
}

static uint64_t same(const struct type_maker *m)
{
    return in_type(m, "oldtype");
}

static uint64_t contiguous(const struct type_maker *m)
{
    return type_size_times(in_number(m, "count"), same(m));
}

static uint64_t blocks(const struct type_maker *m)
{
    return type_size_times(type_size_times(in_number(m, "count"), in_number(m, "blocklength")), same(m));
}

static uint64_t indexed(const struct type_maker *m)
{
    const struct pilgrim_value *lengths = in_array(m, "array_of_blocklengths");
    uint64_t sum = lengths ? 0 : UNKNOWN;
    for (size_t i = 0; lengths && i < lengths->count; i++)
        sum = plus(sum, number(&lengths->items[i]));
    return type_size_times(sum, same(m));
}

static uint64_t structure(const struct type_maker *m)
{
    const struct pilgrim_value *lengths = in_array(m, "array_of_blocklengths"), *types = in_array(m, "array_of_types");
    uint64_t sum = 0;
    if (!lengths || !types || lengths->count != types->count)
        return UNKNOWN;
    for (size_t i = 0; i < lengths->count; i++)
        sum = plus(sum, type_size_times(number(&lengths->items[i]), m->lookup(m->context, &types->items[i])));
    return sum;
}

static uint64_t subarray(const struct type_maker *m)
{
    const struct pilgrim_value *subsizes = in_array(m, "array_of_subsizes");
    uint64_t product = subsizes ? same(m) : UNKNOWN;
    for (size_t i = 0; subsizes && i < subsizes->count; i++)
        product = type_size_times(product, number(&subsizes->items[i]));
    return product;
}

/* Returns how many of SIZE elements the process at COORDINATE of PROCESSES has in one dimension of
 * MPI_Type_create_darray. */
static uint64_t distributed(uint64_t size, const struct pilgrim_value *how, const struct pilgrim_value *argument,
                            uint64_t processes, uint64_t coordinate)
{
    bool by_default = value_is_name(argument, "MPI_DISTRIBUTE_DFLT_DARG");
    uint64_t block = number(argument);
    if (value_is_name(how, "MPI_DISTRIBUTE_NONE"))
        return size;
    if (value_is_name(how, "MPI_DISTRIBUTE_BLOCK"))
        block = by_default ? size / processes + (size % processes > 0) : block;
    else if (value_is_name(how, "MPI_DISTRIBUTE_CYCLIC"))
        block = by_default ? 1 : block;
    else
        return UNKNOWN;
    uint64_t cycle = type_size_times(block, processes), before = type_size_times(block, coordinate);
    if (block == 0 || cycle == UNKNOWN)
        return block == 0 && size == 0 ? 0 : UNKNOWN;
    uint64_t rest = size % cycle > before ? size % cycle - before : 0;
    return size / cycle * block + (rest < block ? rest : block);
}

static uint64_t distributed_array(const struct type_maker *m)
{
    static const char *const names[] = {"array_of_gsizes", "array_of_distribs", "array_of_dargs", "array_of_psizes"};
    enum { SIZES, HOW, ARGUMENTS, PROCESSES };
    const struct pilgrim_value *arrays[COUNT(names)];
    uint64_t product = same(m), rank = in_number(m, "rank");
    for (size_t i = 0; i < COUNT(names); i++) {
        arrays[i] = in_array(m, names[i]);
        if (!arrays[i] || arrays[i]->count != arrays[0]->count)
            return UNKNOWN;
    }
    for (size_t i = arrays[0]->count;
         i-- > 0;) { /* the last dimension's coordinate changes fastest with the rank, in either order */
        uint64_t size = number(&arrays[SIZES]->items[i]), processes = number(&arrays[PROCESSES]->items[i]);
        if (size == UNKNOWN || processes == UNKNOWN || processes == 0 || rank == UNKNOWN)
            return UNKNOWN;
        uint64_t share =
            distributed(size, &arrays[HOW]->items[i], &arrays[ARGUMENTS]->items[i], processes, rank % processes);
        product = type_size_times(product, share);
        rank /= processes;
    }
    return product;
}

/* Returns the size of a Fortran real kind with so many decimal digits and such an exponent, as gfortran's
 * selected_real_kind has it. */
static uint64_t real_kind(const struct type_maker *m)
{
    const struct pilgrim_value *p = call_in(m->call, "p"), *r = call_in(m->call, "r");
    int64_t digits = p->type == PILGRIM_INT ? p->integer : 0, exponent = r->type == PILGRIM_INT ? r->integer : 0;
    if (digits <= 6 && exponent <= 37)
        return 4;
    if (digits <= 15 && exponent <= 307)
        return 8;
    return digits <= 33 && exponent <= 4931 ? 16 : UNKNOWN;
}

static uint64_t complex_kind(const struct type_maker *m)
{
    return type_size_times(2, real_kind(m));
}

static uint64_t integer_kind(const struct type_maker *m)
{
    static const uint64_t digits[] = {2, 4, 9, 18, 38};
    uint64_t r = in_number(m, "r");
    for (size_t i = 0; i < COUNT(digits); i++)
        if (r <= digits[i])
            return UINT64_C(1) << i;
    return UNKNOWN;
}

static uint64_t matching(const struct type_maker *m)
{
    return in_number(m, "size");
}

static uint64_t pair(const struct type_maker *m)
{
    return plus(in_type(m, "value_type"), in_type(m, "index_type"));
}

static const struct made {
    const char *function; /* without MPI_Type_ and _c */
    uint64_t (*size)(const struct type_maker *m);
} made[] = {
    {"contiguous", contiguous},
    {"create_darray", distributed_array},
    {"create_f90_complex", complex_kind},
    {"create_f90_integer", integer_kind},
    {"create_f90_real", real_kind},
    {"create_hindexed", indexed},
    {"create_hindexed_block", blocks},
    {"create_hvector", blocks},
    {"create_indexed_block", blocks},
    {"create_resized", same},
    {"create_struct", structure},
    {"create_subarray", subarray},
    {"dup", same},
    {"get_value_index", pair},
    {"hindexed", indexed},
    {"hvector", blocks},
    {"indexed", indexed},
    {"match_size", matching},
    {"struct", structure},
    {"vector", blocks},
};

uint64_t type_size_made(const struct pilgrim_call *call, type_size_lookup lookup, void *context)
{
    static const char prefix[] = "MPI_Type_";
    const struct type_maker m = {call, lookup, context};
    const char *name = call->function->name;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return UNKNOWN;
    name += sizeof prefix - 1;
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, "_c") == 0)
        length -= 2;
    for (size_t i = 0; i < COUNT(made); i++)
        if (strlen(made[i].function) == length && strncmp(made[i].function, name, length) == 0)
            return made[i].size(&m);
    return UNKNOWN;
}
