/* SPDX-License-Identifier: BSD-3-Clause */
/* What the names of a process's objects stand for, while its threads' calls come by, one thread after another.
 *
 * A name is used again when its object is gone. What a thread has bound itself and not ended is what it means by a
 * name; else what the name was bound to as shared, if that was always the same. */
#ifndef DECODER_BINDINGS_H
#define DECODER_BINDINGS_H

#include <pilgrim/reader.h>

#include "key_table.h"

enum bound_kind { BOUND_DATATYPE, BOUND_COMM, BOUND_WIN, BOUND_REQUEST };

/* Two numbers, whatever they mean. */
struct bound {
    uint64_t a, b;
};

struct binding {
    struct bound what;
    bool live;
    bool ambiguous;
};

struct binding_scope {
    struct key_table names; /* to places in `bindings` */
    struct binding *bindings;
    size_t count, capacity;
};

/* All zero: nothing is bound. */
struct bindings {
    struct binding_scope thread, process;
    uint64_t changes; /* counts what may have made some name mean something else */
};

void bindings_begin_rank(struct bindings *b);
void bindings_begin_thread(struct bindings *b);

/* NAME, an object or a request, means WHAT from here on, to this thread, or to all as well; other values are ignored.
 * false: no memory */
bool bindings_set(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name, struct bound what);
bool bindings_share(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name, struct bound what);

/* The thread's object is gone. */
void bindings_end(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name);

/* NULL: not known. Borrowed until something is bound. */
const struct bound *bindings_find(const struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name);

void bindings_free(struct bindings *b);

#endif
