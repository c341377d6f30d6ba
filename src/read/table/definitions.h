/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the section of definitions (docs/FORMAT.md, section 3). */
#ifndef PILGRIM_DEFINITIONS_H
#define PILGRIM_DEFINITIONS_H

#include "read/table/parser.h"

void definitions_parse(struct parser *p);

#endif
