/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that the program gave communicators by MPI_Comm_set_name, wherever one begins to read. */
#ifndef ANALYSIS_COMMUNICATOR_NAMES_H
#define ANALYSIS_COMMUNICATOR_NAMES_H

#include <pilgrim/reader.h>

/* Names in the calls of one thread at a time. */
struct communicator_names;

/* Returns names for TRACE, which is to be closed after them. NULL: no memory. */
struct communicator_names *communicator_names_new(const struct pilgrim_trace *trace);
void communicator_names_free(struct communicator_names *n); /* NULL is legal */

/* Begins with a thread. Of all threads of its rank, only calls that give or free names are read. What is damaged has no
 * names. False: no memory. */
bool communicator_names_begin(struct communicator_names *n, uint32_t rank, uint32_t thread);

/* Goes on to call SEQ of the thread. Returns true if other names hold there than before. */
bool communicator_names_at(struct communicator_names *n, uint64_t seq);

/* Returns the name that "comm:COMM" has when that call begins; NULL: none. What another thread named is known if no
 * other communicator of the process had the same number and a name. NAMES: a struct communicator_names.
 * memory: borrowed until communicator_names_begin */
const char *communicator_names_find(const void *names, int64_t comm);

/* Sets *NAME to the last name that the program gave COMM ("comm:3"), which is the next of the communicators of RANK, in
 * the order of pilgrim_communicators_next; NULL: none, or it is not known, as several threads named or freed those with
 * this number. Another rank begins with its first one. False: no memory.
 * memory: borrowed until another rank, or communicator_names_begin */
bool communicator_names_next(struct communicator_names *n, uint32_t rank, const char *comm, const char **name);

#endif
