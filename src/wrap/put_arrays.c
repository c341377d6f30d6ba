/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of values; see put.h. For integers, the room for all of them is checked once. */
#include "wrap/put.h"

#include "wrap/put_inline.h"
#include "functions.h"
#include "objects/cuda_driver.h"

/* Stores the head of an array, or the name "NULL" if V is NULL. Sets a negative *COUNT to 0. True if *COUNT values
 * follow. */
static bool put_open(struct call *c, const void *v, int64_t *count)
{
    if (*count < 0)
        *count = 0;
    if (v)
        put_array(c, *count);
    else
        put_name(c, NAME_NULL);
    return v;
}

/* Stores the head of an array of COUNT integers, with room for them. Returns where they go; NULL if there are none to
 * store. */
static uint8_t *put_integers(struct call *c, const void *v, int64_t count)
{
    if (!v) {
        put_name(c, NAME_NULL);
        return NULL;
    }
    uint64_t n = count > 0 ? (uint64_t)count : 0;
    size_t bytes = n > KEY_MAX ? (size_t)KEY_MAX + 1 : n * (1 + SLOT_BYTES);
    uint8_t *at = put_counted(c, VALUE_ARRAY, n, bytes);
    return n ? at : NULL;
}

static inline uint8_t *store_tagged(uint8_t *at, enum value_tag tag, int64_t v)
{
    *at = (uint8_t)tag;
    return store_slot(at + 1, v);
}

void put_ints(struct call *c, const int *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_INT, v[i]);
}

void put_counts(struct call *c, const MPI_Count *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_INT, v[i]);
}

void put_aints(struct call *c, const MPI_Aint *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_INT, v[i]);
}

void put_bools(struct call *c, const int *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, (unsigned)v[i] <= 1 ? VALUE_BOOL : VALUE_INT, v[i]);
}

/* V is an array of MPI_Count if LARGE, else of MPI_Aint. */
static void put_each_address(struct call *c, const void *v, bool large, int64_t count)
{
    if (!put_open(c, v, &count))
        return;
    cuda_driver_array(true);
    for (int64_t i = 0; i < count; i++)
        put_address(c, large ? (int64_t)((const MPI_Count *)v)[i] : (int64_t)((const MPI_Aint *)v)[i]);
    cuda_driver_array(false);
}

void put_addresses(struct call *c, const MPI_Aint *v, int64_t count)
{
    put_each_address(c, v, false, count);
}

void put_large_addresses(struct call *c, const MPI_Count *v, int64_t count)
{
    put_each_address(c, v, true, count);
}

void put_enums(struct call *c, unsigned enumeration, const int *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_enum(c, enumeration, v[i]);
}

void put_ranks(struct call *c, const int *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_rank(c, v[i]);
}

void put_roots(struct call *c, const int *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_root(c, v[i]);
}

void put_weights(struct call *c, const int *v, int64_t count)
{
    if (v && v == MPI_UNWEIGHTED)
        put_name(c, NAME_MPI_UNWEIGHTED);
    else if (v && v == MPI_WEIGHTS_EMPTY)
        put_name(c, NAME_MPI_WEIGHTS_EMPTY);
    else
        put_ints(c, v, count);
}

void put_ranges(struct call *c, int (*v)[3], int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_ints(c, v[i], 3);
}

void put_datatypes(struct call *c, const MPI_Datatype *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_handle(c, KIND_DATATYPE, HANDLE(v[i]));
}

void put_new_datatypes(struct call *c, const MPI_Datatype *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_new(c, KIND_DATATYPE, HANDLE(v[i]));
}

void put_infos(struct call *c, const MPI_Info *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_handle(c, KIND_INFO, HANDLE(v[i]));
}
