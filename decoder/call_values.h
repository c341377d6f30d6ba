/* SPDX-License-Identifier: BSD-3-Clause */
/* A call's values by the names of its parameters. */
#ifndef DECODER_CALL_VALUES_H
#define DECODER_CALL_VALUES_H

#include <pilgrim/reader.h>

/* What goes in as NAME, or comes out. A value of type PILGRIM_NONE if there is no such parameter. Borrowed as the call
 * is. */
const struct pilgrim_value *call_in(const struct pilgrim_call *call, const char *name);
const struct pilgrim_value *call_out(const struct pilgrim_call *call, const char *name);

/* Its function returned that there was no error. */
bool call_succeeded(const struct pilgrim_call *call);

/* An int, not negative; false: it is none. */
bool value_count(const struct pilgrim_value *v, uint64_t *count);

/* A named constant. */
bool value_is_name(const struct pilgrim_value *v, const char *name);

#endif
