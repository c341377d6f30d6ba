/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pilgrim-decode, and of tools that say who they are, on stderr. */
#ifndef DECODER_DECODE_ERRORS_H
#define DECODER_DECODE_ERRORS_H

#include "analysis/analysis_errors.h"

/* The program that messages begin with; "pilgrim-decode" if main does not set it. */
extern const char *complain_as;

/* Prints a line on stderr, `PROGRAM: ...`, without the control characters that names of a trace or of a file may
 * have. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
