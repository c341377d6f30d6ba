/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the inline functions of include/pilgrim/pilgrim.h look up by name. */
#ifndef PILGRIM_RUNTIME_H
#define PILGRIM_RUNTIME_H

#include <stdio.h>

#include "pilgrim/status.h"

PILGRIM_API void pilgrim_runtime_on(void);
PILGRIM_API void pilgrim_runtime_off(void);
PILGRIM_API void pilgrim_runtime_marker(const char *name);
PILGRIM_API void pilgrim_runtime_dump(FILE *to);

#endif
