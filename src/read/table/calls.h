/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the section of calls (docs/FORMAT.md, section 4). */
#ifndef PILGRIM_CALLS_H
#define PILGRIM_CALLS_H

#include "read/table/parser.h"

/* The definitions are read before. */
void calls_parse(struct parser *p);

#endif
