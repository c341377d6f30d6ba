/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of numbers in the generated program. Equal ones are one. */
#ifndef GENERATE_TABLES_H
#define GENERATE_TABLES_H

#include "generate.h"

enum { TABLE_MAX = 8 << 20 }; /* numbers in all tables; the program ends with a line if they are more */

/* True if one of the COUNT values needs a long. HAS: which ones count; NULL: all. */
bool table_is_large(const int64_t *values, const bool *has, uint64_t count);

/* Adds COUNT values to LINE, in braces; a value that HAS lacks is 0. INDENT: of further lines. */
void table_numbers(const struct proxy *p, struct text *line, const int64_t *values, const bool *has, uint64_t count,
                   const char *indent);

/* Returns the name of a table with this CONTENT, which is freed. TYPE stands before the name, BRACKETS behind it, and
 * WHAT in a comment. USE: what its numbers are for; tables for other things have other names. */
const char *table_put(struct text *tables, const struct column_use *use, const char *type, const char *brackets,
                      struct text *content, const char *what);

/* Returns the name of a table of COUNT values. */
const char *table_of(const struct proxy *p, struct text *tables, const struct column_use *use, const int64_t *values,
                     const bool *has, uint64_t count, const char *what);

/* True if a table may have that name. */
bool table_may_be(const char *name);

/* Returns how often a table was asked for so far. */
unsigned tables_used(void);

#endif
