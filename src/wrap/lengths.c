/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of arrays that the arguments do not say; see lengths.h.
 *
 * MPI is asked about a communicator only if Pilgrim knows that it is one, so that no error handler of the program is
 * called. */
#include "wrap/lengths.h"

#include "wrap/call.h"

int64_t length_peers(const struct call *c)
{
    return c->base.size;
}

int64_t length_local(const struct call *c)
{
    return c->base.local_size;
}

int64_t length_indegree(MPI_Comm comm)
{
    return comm_indegree(HANDLE(comm));
}

int64_t length_outdegree(MPI_Comm comm)
{
    return comm_outdegree(HANDLE(comm));
}

static bool has_topology(MPI_Comm comm, int topology)
{
    int kind = MPI_UNDEFINED;
    return comm_may_ask(HANDLE(comm)) && PMPI_Topo_test(comm, &kind) == MPI_SUCCESS && kind == topology;
}

int64_t length_cart_dims(MPI_Comm comm)
{
    int dims = 0;
    return has_topology(comm, MPI_CART) && PMPI_Cartdim_get(comm, &dims) == MPI_SUCCESS ? dims : 0;
}

int64_t length_graph_edges(MPI_Comm comm)
{
    int nodes = 0, edges = 0;
    return has_topology(comm, MPI_GRAPH) && PMPI_Graphdims_get(comm, &nodes, &edges) == MPI_SUCCESS ? edges : 0;
}

int64_t length_sum(const int *v, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; v && i < count; i++)
        sum += v[i];
    return sum;
}

int64_t length_last(const int *v, int64_t count)
{
    return v && count > 0 ? v[count - 1] : 0;
}

int64_t length_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t length_type(MPI_Datatype datatype, enum type_contents which)
{
    int combiner;
#if HAS_MPI_Type_get_envelope_c
    MPI_Count integers = 0, addresses = 0, counts = 0, datatypes = 0;
    if (datatype == MPI_DATATYPE_NULL ||
        PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &counts, &datatypes, &combiner) != MPI_SUCCESS)
        return 0;
#else
    int integers = 0, addresses = 0, counts = 0, datatypes = 0;
    if (datatype == MPI_DATATYPE_NULL ||
        PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) != MPI_SUCCESS)
        return 0;
#endif
    switch (which) {
    case TYPE_INTEGERS:
        return integers;
    case TYPE_ADDRESSES:
        return addresses;
    case TYPE_COUNTS:
        return counts;
    default:
        return datatypes;
    }
}
