/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the section of definitions (docs/FORMAT.md, section 3). */
#ifndef PILGRIM_DEFINITIONS_H
#define PILGRIM_DEFINITIONS_H

#include "read/table/parser.h"

void definitions_parse(struct parser *p);
void definitions_parse_old(struct parser *p); /* of version 6 and before */

#endif
