/* Written by pilgrim-gen: the layer of the shadow's between wrappers and MPI (shadow/shadow_calls.h), which prints each call as
 * JSON. `view`: the communicator or window that the call's ranks refer to; `ignored`: the program ignores the status. */
#ifndef PILGRIM_SHADOW_FUNCTIONS_H
#define PILGRIM_SHADOW_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/call.h" /* lengths only */
#include "shadow/shadow.h"
#include "shadow/shadow_calls.h"

/* Whether this process stands at ROOT's place. */
static inline bool shadow_at_root(const struct view *view, int root)
{
    return view->inter ? root == MPI_ROOT : view->rank == root;
}

/* Whether RET says that the array of statuses holds the errors. */
static inline bool shadow_in_status(int ret)
{
    int error_class = MPI_SUCCESS;
    return PMPI_Error_class(ret, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_IN_STATUS;
}

int shadow_layer_MPI_Wait(MPI_Request *request, MPI_Status *status);

#endif
