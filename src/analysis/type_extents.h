/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes where datatypes begin and end, as MPI_Type_get_extent returns it: with gaps. */
#ifndef ANALYSIS_TYPE_EXTENTS_H
#define ANALYSIS_TYPE_EXTENTS_H

#include <pilgrim/reader.h>

struct type_extent {
    bool known;
    bool
        set; /* its ends, or those of what it is made of, were set by the program: MPI_Type_create_resized and others */
    bool empty;           /* it has no data */
    int64_t lower, upper; /* bytes from where it begins; the extent is what is between */
    int64_t alignment;    /* of what it is made of, for gaps at the end of structures */
};

/* Returns the extent of the predefined datatype NAME, for C and Fortran compilers of 64-bit x86 and ARM Linux. */
struct type_extent type_extent_predefined(const char *name);

/* Returns the extent of a datatype that is an argument of a call. */
typedef struct type_extent (*type_extent_lookup)(void *context, const struct pilgrim_value *datatype);

/* Returns the extent of the datatype that CALL made; CALL succeeded. LOOKUP finds those of the datatypes it is made of.
 * It is not known if one of these is not, if it ends 2^62 bytes or more away, if MPI libraries differ in it, or if the
 * function makes no datatype. */
struct type_extent type_extent_made(const struct pilgrim_call *call, type_extent_lookup lookup, void *context);

#endif
