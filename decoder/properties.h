/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a trace says of its run as a whole (--properties). */
#ifndef DECODER_PROPERTIES_H
#define DECODER_PROPERTIES_H

#include <pilgrim/reader.h>

#include "output.h"

/* Prints all properties, one a line. */
void properties_print(struct output *out, const struct pilgrim_trace *trace, bool json);

/* Prints a line if functions were left out (PILGRIM_FILTER), and one if calls were made inside others, since the output
 * then describes only part of the program. */
void properties_print_left_out(struct output *out, const struct pilgrim_trace *trace);

#endif
