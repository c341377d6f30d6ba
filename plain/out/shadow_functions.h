/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the layer of the shadow between wrappers and MPI (shadow/shadow_calls.h), which prints each
 * call as JSON. `rank_base`: what the call's ranks refer to; `ignored`: the program ignores the status. */
#ifndef PILGRIM_SHADOW_FUNCTIONS_H
#define PILGRIM_SHADOW_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "wrap/lengths.h"
#include "shadow/shadow.h"
#include "shadow/shadow_calls.h"

/* True if ROOT is this process. */
static inline bool shadow_at_root(const struct rank_base *rank_base, int root)
{
    return rank_base->inter ? root == MPI_ROOT : rank_base->rank == root;
}

/* True if RET says that the statuses have the errors. */
static inline bool shadow_in_status(int ret)
{
    int error_class = MPI_SUCCESS;
    return PMPI_Error_class(ret, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_IN_STATUS;
}

int shadow_layer_MPI_Wait(MPI_Request *request, MPI_Status *status);

#endif
