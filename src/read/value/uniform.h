/* SPDX-License-Identifier: BSD-3-Clause */
/* Says if a signature is the same for all members of its value group, without looking at each of them. */
#ifndef READ_VALUE_UNIFORM_H
#define READ_VALUE_UNIFORM_H

#include "read/table/shard.h"

/* True if its values depend on no column, and on nothing of the caller but its rank. */
bool signature_is_uniform(const struct shard *v, const struct stored_signature *signature);

/* True if it is so for all its values but ranks and places in memory. */
bool signature_is_uniform_apart(const struct shard *v, const struct stored_signature *signature);

#endif
