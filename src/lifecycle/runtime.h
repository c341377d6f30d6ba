/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the inline functions of include/pilgrim/pilgrim.h, and pilgrim-replay, look up by name. */
#ifndef PILGRIM_RUNTIME_H
#define PILGRIM_RUNTIME_H

#include <stdio.h>

#include "pilgrim/reader.h"

PILGRIM_API void pilgrim_runtime_on(void);
PILGRIM_API void pilgrim_runtime_off(void);
PILGRIM_API void pilgrim_runtime_marker(const char *name);
PILGRIM_API void pilgrim_runtime_dump(FILE *to);

/* For pilgrim-replay alone, which says where the program made the calls that it makes (process/told_site.h). Returns
 * what stands for SITE. From the first call of it on, each call takes the slow path of the recorder. */
PILGRIM_API const void *pilgrim_runtime_site(const struct pilgrim_frame *site);
/* The next calls of this thread are recorded as made at SITE, which is of pilgrim_runtime_site. */
PILGRIM_API void pilgrim_runtime_call_at(const void *site, int fortran);

#endif
