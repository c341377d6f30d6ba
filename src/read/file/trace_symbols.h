/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the return addresses of a trace are in, of all shards: shards may be dropped from memory. */
#ifndef PILGRIM_TRACE_SYMBOLS_H
#define PILGRIM_TRACE_SYMBOLS_H

#include "base/intern.h"
#include "read/table/parser.h"

struct trace_symbol {
    uint64_t start; /* in the module */
    uint32_t name;  /* a number of `names` */
};

/* All zero: there are none. */
struct trace_symbols {
    struct intern modules;        /* u8 length of the build-id, its bytes, the name */
    struct intern names;          /* with the 0 byte */
    struct intern addresses;      /* u64 module, u64 offset */
    struct trace_symbol *symbols; /* of each address */
    uint32_t capacity;
};

/* Adds those of V. errors: PILGRIM_NOMEM, PILGRIM_LIMIT (more memory than BUDGET has, or too many) */
enum pilgrim_status trace_symbols_add(struct trace_symbols *t, const struct shard *v,
                                      struct budget *budget) PILGRIM_CHECKED;
void trace_symbols_free(struct trace_symbols *t);

#endif
