/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that the program gave communicators, datatypes and windows (MPI_Comm_set_name, MPI_Type_set_name,
 * MPI_Win_set_name), wherever one begins to read. */
#ifndef ANALYSIS_OBJECT_NAMES_H
#define ANALYSIS_OBJECT_NAMES_H

#include <pilgrim/reader.h>

/* Names in the calls of one thread at a time. */
struct object_names;

/* Returns names for TRACE, which is to be closed after them. NULL: no memory. */
struct object_names *object_names_new(const struct pilgrim_trace *trace);
void object_names_free(struct object_names *n); /* NULL is legal */

/* Begins with a thread. Of all threads of its rank, only calls that name objects or free them are read. What is damaged
 * has no names. False: no memory. */
bool object_names_begin(struct object_names *n, uint32_t rank, uint32_t thread);

/* Goes on to call SEQ of the thread. Returns true if other names hold there than before. */
bool object_names_at(struct object_names *n, uint64_t seq);

/* Returns the name that the object V has when that call begins; NULL: none, or V is no such object. What another thread
 * named is known if no other object of the process had the same kind and number and a name. NAMES: a struct
 * object_names.
 * memory: borrowed until object_names_begin */
const char *object_names_find(const void *names, const struct pilgrim_value *v);

/* Calls VISIT with each object of the call that has a name, once, in the order of its arguments, what comes in before
 * what goes out. */
typedef void (*object_names_visitor)(void *context, const struct pilgrim_value *v, const char *name);
void object_names_visit(const struct object_names *n, const struct pilgrim_call *call, object_names_visitor visit,
                        void *context);

/* Sets *NAME to the last name that the program gave COMM ("comm:3"), which is the next of the communicators of RANK, in
 * the order of pilgrim_communicators_next; NULL: none, or it is not known, as several threads named or freed those with
 * this number. Another rank begins with its first one. False: no memory.
 * memory: borrowed until another rank, or object_names_begin */
bool object_names_next(struct object_names *n, uint32_t rank, const char *comm, const char **name);

#endif
