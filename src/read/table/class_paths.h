/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads symbols, and call classes with their paths (docs/FORMAT.md, section 3). */
#ifndef PILGRIM_CLASS_PATHS_H
#define PILGRIM_CLASS_PATHS_H

#include "read/table/parser.h"

void class_paths_parse(struct parser *p);
void class_paths_parse_old(struct parser *p); /* of version 6 and before */

#endif
