/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes sizes of datatypes, as MPI_Type_size returns them: bytes of data, without gaps. */
#ifndef ANALYSIS_TYPE_SIZES_H
#define ANALYSIS_TYPE_SIZES_H

#include <pilgrim/reader.h>

#define TYPE_SIZE_UNKNOWN UINT64_MAX

/* Returns the size of the predefined datatype NAME, for C and Fortran compilers of 64-bit Linux with their default
 * kinds: an MPI_LONG has 8 bytes, an MPI_LONG_DOUBLE 16, an MPI_LOGICAL 4. TYPE_SIZE_UNKNOWN if there is no such
 * datatype. */
uint64_t type_size_predefined(const char *name);

/* Returns the name of that datatype without MPI_, which stays; NULL if there is no such datatype. */
const char *type_size_name(const char *name);

/* Returns the size of a datatype that is an argument of a call; TYPE_SIZE_UNKNOWN if it is not known. */
typedef uint64_t (*type_size_lookup)(void *context, const struct pilgrim_value *datatype);

/* Returns the size of the datatype that CALL made; CALL succeeded. LOOKUP finds the sizes of the datatypes it is made
 * of. TYPE_SIZE_UNKNOWN if one of these is not known, if the size is 2^63 or more, or if the function makes no
 * datatype. */
uint64_t type_size_made(const struct pilgrim_call *call, type_size_lookup lookup, void *context);

/* Returns A x B; TYPE_SIZE_UNKNOWN if that is 2^63 or more, or if A or B is TYPE_SIZE_UNKNOWN. */
uint64_t type_size_times(uint64_t a, uint64_t b);

#endif
