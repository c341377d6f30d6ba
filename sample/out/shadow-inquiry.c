/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the shadow of the functions in the standard's chapter "inquiry". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

static void shadow_out_MPI_Wtime(struct shadow *s, double ret)
{
    shadow_return(s);
    shadow_real(s, ret);
}

struct saved_MPI_Wtime {
    double ret;
};

static void after_MPI_Wtime(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Wtime *arguments = saved;
    shadow_out_MPI_Wtime(s, arguments->ret);
}

double shadow_layer_MPI_Wtime(void)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Wtime);
    if (!s)
        return SHADOW_NEXT(MPI_Wtime)();
    double ret = SHADOW_NEXT(MPI_Wtime)();
    const struct saved_MPI_Wtime saved = {.ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Wtime");
    shadow_save(s, &saved, sizeof saved, after_MPI_Wtime);
    return ret;
}
