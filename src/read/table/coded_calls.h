/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of a calls section that is coded. */
#ifndef PILGRIM_CODED_CALLS_H
#define PILGRIM_CODED_CALLS_H

#include "format/section.h"
#include "read/table/parser.h"

/* Decodes SECTION, which has no damage, into CONTENT. The parser's shard has its definitions already. */
void coded_calls_take(struct parser *p, const struct section *section, struct bytes *content);

#endif
