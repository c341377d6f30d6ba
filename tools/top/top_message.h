/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pilgrim-top. */
#ifndef PILGRIM_TOP_MESSAGE_H
#define PILGRIM_TOP_MESSAGE_H

#include <stdbool.h>

/* Prints a line on stderr: "pilgrim-top: " and the message. Returns false. */
bool top_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
