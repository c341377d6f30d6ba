/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints tables of calls (--stats --by=...). */
#ifndef DECODER_TABLE_PRINT_H
#define DECODER_TABLE_PRINT_H

#include "analysis/source_lines.h"
#include "analysis/table.h"
#include "output.h"

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV };

/* Prints TABLE, which was made with KEYS. */
void table_print(struct output *o, const struct pilgrim_table *table, unsigned keys, enum table_format format,
                 struct source_lines *lines);

/* Returns the name of the I-th key, and sets *KEY. NULL: there are no more. */
const char *table_key(unsigned i, unsigned *key);

/* Sets *KEYS to those that TEXT names, with commas between them: "rank,site". False: one of them is none. "path" is not
 * among them. */
bool table_keys(const char *text, unsigned *keys);

#endif
