/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of datatypes, as MPI_Type_size has them: bytes of data, without gaps. */
#ifndef DECODER_TYPE_SIZES_H
#define DECODER_TYPE_SIZES_H

#include <pilgrim/reader.h>

#define TYPE_SIZE_UNKNOWN UINT64_MAX

/* The size of the predefined datatype NAME, of C and Fortran compilers for 64-bit Linux whose default kinds nobody has
 * changed: an MPI_LONG has 8 bytes, an MPI_LONG_DOUBLE 16, an MPI_LOGICAL 4. Of one that there is not
 * TYPE_SIZE_UNKNOWN. */
uint64_t type_size_predefined(const char *name);

/* The size of a datatype that a call was given; TYPE_SIZE_UNKNOWN if it is not known. */
typedef uint64_t (*type_size_lookup)(void *context, const struct pilgrim_value *datatype);

/* The size of the datatype that CALL made: the function is one of those that make them, and succeeded.
 * TYPE_SIZE_UNKNOWN where that of what it is made of is not known, or is 2^63 or more; also of other functions. */
uint64_t type_size_made(const struct pilgrim_call *call, type_size_lookup lookup, void *context);

/* A x B; TYPE_SIZE_UNKNOWN if it is 2^63 or more, or one of them is that. */
uint64_t type_size_times(uint64_t a, uint64_t b);

#endif
