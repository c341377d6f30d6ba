/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of array arguments that neither the standard nor mpi.h says. gen/overrides names these functions. */
#ifndef PILGRIM_LENGTHS_H
#define PILGRIM_LENGTHS_H

#include <stdint.h>

#include "mpi/mpi_library.h"

struct call;

int64_t length_peers(const struct call *c); /* size of the group that ranks refer to: the remote one, if there is one */
int64_t length_local(const struct call *c); /* size of the caller's own group */
int64_t length_indegree(MPI_Comm comm);
int64_t length_outdegree(MPI_Comm comm);
int64_t length_cart_dims(MPI_Comm comm);   /* 0 without a Cartesian topology */
int64_t length_graph_edges(MPI_Comm comm); /* 0 without a graph topology */
int64_t length_sum(const int *v, int64_t count);
int64_t length_last(const int *v, int64_t count); /* v[count - 1], 0 if there is none: edges of MPI_Graph_create */
int64_t length_min(int64_t a, int64_t b);

/* How many values of one sort MPI_Type_get_contents returns for DATATYPE. */
enum type_contents { TYPE_INTEGERS, TYPE_ADDRESSES, TYPE_COUNTS, TYPE_DATATYPES };
int64_t length_type(MPI_Datatype datatype, enum type_contents which);

#endif
