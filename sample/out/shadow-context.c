/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the shadow of the functions in the standard's chapter "context". */
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

struct saved_MPI_Comm_free {
    MPI_Comm *comm;
    int ret;
};

static void after_MPI_Comm_free(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Comm_free *arguments = saved;
    shadow_out_MPI_Comm_free(s, arguments->comm, arguments->ret);
}

int shadow_layer_MPI_Comm_free(MPI_Comm *comm)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Comm_free);
    if (!s)
        return SHADOW_NEXT(MPI_Comm_free)(comm);
    shadow_in_MPI_Comm_free(s, comm);
    int ret = SHADOW_NEXT(MPI_Comm_free)(comm);
    const struct saved_MPI_Comm_free saved = {.comm = comm, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Comm_free");
    shadow_save(s, &saved, sizeof saved, after_MPI_Comm_free);
    return ret;
}
