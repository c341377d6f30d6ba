/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of unzipped signatures, changed in place from call to call. */
#ifndef PILGRIM_UNZIPPED_VALUES_H
#define PILGRIM_UNZIPPED_VALUES_H

#include "read/value/evaluate.h"

/* As signature_evaluate for AT, which has unzipped values. Evaluates once; later calls change the slots alone. The
 * memory belongs to AT->unzipped and comes off *BUDGET (bytes). *VALUES is NULL where values cannot be changed in
 * place. */
enum pilgrim_status unzipped_values(const struct values_position *at, const struct stored_function *f,
                                    const struct caller *caller, uint64_t *budget, struct call_values **values,
                                    const char **problem) PILGRIM_CHECKED;

#endif
