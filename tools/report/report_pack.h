/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page holds of a view: its text, deflated and written as base64, so that the browser unpacks it itself
 * (DecompressionStream). */
#ifndef TOOLS_REPORT_PACK_H
#define TOOLS_REPORT_PACK_H

#include <stdbool.h>
#include <stddef.h>

struct packed {
    char *text; /* to be freed; NULL: it does not fit */
    size_t length;
};

/* Packs what the file DESCRIPTOR has, from its begin. Nothing is wrong if it takes more than MOST bytes: then P->text
 * is NULL. Returns 0, or an errno. */
int report_pack(int descriptor, size_t most, struct packed *p);

#endif
