/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the profile section (docs/FORMAT.md, section 6, "The profile"). */
#ifndef PILGRIM_PROFILE_SECTION_H
#define PILGRIM_PROFILE_SECTION_H

#include "read/table/parser.h"

/* The calls are read before. */
void profile_parse(struct parser *p);

#endif
