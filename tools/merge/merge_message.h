/* SPDX-License-Identifier: BSD-3-Clause */
/* What pilgrim-merge says; decoder/progress.h has how far it is. */
#ifndef PILGRIM_MERGE_MESSAGE_H
#define PILGRIM_MERGE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/status.h"

/* Print a message, without the control characters that texts and names of files may have. Return false, for the caller
 * to return. */
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool fail_status(const char *path, enum pilgrim_status status);

/* Prints a line on stdout in the same way. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
