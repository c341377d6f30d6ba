/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pilgrim-diff on stderr. */
#ifndef PILGRIM_DIFF_MESSAGE_H
#define PILGRIM_DIFF_MESSAGE_H

/* Prints one line: "pilgrim-diff: ...", without control characters that names may have. */
void diff_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
