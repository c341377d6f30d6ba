/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace says of its run. */
#ifndef DECODER_PROPERTIES_H
#define DECODER_PROPERTIES_H

#include <pilgrim/reader.h>

#include "output.h"

/* Prints all properties, one a line. */
void properties_print(struct output *out, const struct pilgrim_trace *trace, bool json);

/* Prints a line if functions were left out, as what people read counts for less of the program then. */
void properties_print_filter(struct output *out, const struct pilgrim_trace *trace);

#endif
