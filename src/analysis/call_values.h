/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a call's values by the names of its parameters. */
#ifndef ANALYSIS_CALL_VALUES_H
#define ANALYSIS_CALL_VALUES_H

#include <pilgrim/reader.h>

/* Returns the value that goes in, or comes out, as parameter NAME; one of type PILGRIM_NONE if there is no such
 * parameter. Borrowed as long as the call's values are. */
const struct pilgrim_value *call_in(const struct pilgrim_call *call, const char *name);
const struct pilgrim_value *call_out(const struct pilgrim_call *call, const char *name);

/* Returns the name of FUNCTION behind MPI_, or behind MPIX_ of an extension; NULL if it has another name. */
const char *call_short_name(const char *function);

/* True if the call's function returns an error code, and it returned MPI_SUCCESS. */
bool call_succeeded(const struct pilgrim_call *call);

/* Sets *COUNT to the value. False if it is no int, or negative; *COUNT is then useless. */
bool value_count(const struct pilgrim_value *v, uint64_t *count);

/* Sets *TRUTH to whether a flag, or a number, is not 0. False if the value is neither; *TRUTH is then as it was. */
bool value_truth(const struct pilgrim_value *v, bool *truth);

/* True if the value is the constant NAME. */
bool value_is_name(const struct pilgrim_value *v, const char *name);

#endif
