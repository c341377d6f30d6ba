/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pilgrim-decode on stderr. */
#ifndef DECODER_DECODE_ERRORS_H
#define DECODER_DECODE_ERRORS_H

#include "analysis/analysis_errors.h"

/* Prints a line on stderr, `pilgrim-decode: ...`, without the control characters that names of a trace or of a file may
 * have. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
