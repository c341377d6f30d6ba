/* Written by pilgrim-gen: the shadow of the standard's chapter "context". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

static void shadow_in_MPI_Comm_free(struct shadow *s, MPI_Comm *comm)
{
    shadow_in(s, 0);
    if (comm)
        shadow_handle(s, KIND_COMM, HANDLE(*comm));
    else
        shadow_name(s, "NULL");
}

static void shadow_out_MPI_Comm_free(struct shadow *s, MPI_Comm *comm, int ret)
{
    shadow_out(s, 0);
    if (comm)
        shadow_handle(s, KIND_COMM, HANDLE(*comm));
    else
        shadow_name(s, "NULL");
    shadow_ret(s, ret);
}

struct kept_MPI_Comm_free {
    MPI_Comm *comm;
    int ret;
};

static void after_MPI_Comm_free(struct shadow *s, const void *kept)
{
    const struct kept_MPI_Comm_free *k = kept;
    shadow_out_MPI_Comm_free(s, k->comm, k->ret);
}

int shadow_layer_MPI_Comm_free(MPI_Comm *comm)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Comm_free);
    if (!s)
        return SHADOW_NEXT(MPI_Comm_free)(comm);
    shadow_in_MPI_Comm_free(s, comm);
    int ret = SHADOW_NEXT(MPI_Comm_free)(comm);
    const struct kept_MPI_Comm_free kept = {.comm = comm, .ret = ret};
    _Static_assert(sizeof kept <= SHADOW_KEPT, "the arguments of MPI_Comm_free");
    shadow_keep(s, &kept, sizeof kept, after_MPI_Comm_free);
    return ret;
}
