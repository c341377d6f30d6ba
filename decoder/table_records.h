/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints tables of calls as records, for table_print.c alone. */
#ifndef DECODER_TABLE_RECORDS_H
#define DECODER_TABLE_RECORDS_H

#include "analysis/source_lines.h"
#include "analysis/table.h"
#include "output.h"

void table_print_json(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines);
void table_print_csv(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines);

#endif
