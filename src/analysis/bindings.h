/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps the names of a process's objects ("comm:3", a request) to what they stand for, while the calls of its threads
 * are read, one thread after another.
 *
 * A name is used again once its object is gone. It is looked up in two scopes. First in the scope of the thread: what
 * this thread bound and did not end. Then in the scope of the process: what all threads together bound to the name, if
 * they always bound it to the same. */
#ifndef ANALYSIS_BINDINGS_H
#define ANALYSIS_BINDINGS_H

#include <pilgrim/reader.h>

#include "analysis/key_table.h"

enum bound_kind { BOUND_DATATYPE, BOUND_COMM, BOUND_WIN, BOUND_REQUEST };

/* What a name stands for: two numbers. Their meaning depends on enum bound_kind; see messages_data.h and
 * message_roles.c. */
struct bound {
    uint64_t a, b;
};

struct binding {
    struct bound what;
    bool live;
    bool ambiguous;
};

struct binding_scope {
    struct key_table names; /* indices into `bindings` */
    struct binding *bindings;
    size_t count, capacity;
};

/* All zero: nothing is bound. */
struct bindings {
    struct binding_scope thread, process;
    uint64_t changes; /* grows whenever some name may have got another meaning */
};

void bindings_begin_rank(struct bindings *b);
void bindings_begin_thread(struct bindings *b);

/* From here on NAME stands for WHAT: bindings_set in the scope of the thread, bindings_share in that of the process.
 * NAME must be an object or a request; other values are ignored. false: no memory */
bool bindings_set(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name, struct bound what);
bool bindings_share(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name, struct bound what);

/* The object that the thread bound to NAME is gone. */
void bindings_end(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name);

/* Returns what NAME stands for; NULL: not known. Borrowed until something is bound. */
const struct bound *bindings_find(const struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name);

void bindings_free(struct bindings *b);

#endif
