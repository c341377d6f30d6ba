/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: how pilgrim-replay performs each function, and the constants of this library. */
#include <mpi.h>
#include <string.h>

#include "replay_actions.h"
#include "replay_stubs.h"

static int action_MPI_Wait(struct replay_step *s)
{
    MPI_Request * a0 = step_handle(s, 0, 0);
    MPI_Status * a1 = step_statuses(s, 1, 0);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Wait(a0, a1);
}


const struct replay_action replay_actions[] = {
    {"MPI_Wait", action_MPI_Wait, 0 | REPLAY_REPEATS_ERROR, NULL},
};

const size_t replay_action_count = sizeof replay_actions / sizeof *replay_actions;

const struct replay_constant *replay_constants(size_t *count)
{
    const struct replay_constant all[] = {
        {"MPI_ANY_SOURCE", (uint64_t)(uintptr_t)(MPI_ANY_SOURCE)},
        {"MPI_PROC_NULL", (uint64_t)(uintptr_t)(MPI_PROC_NULL)},
        {"MPI_ROOT", (uint64_t)(uintptr_t)(MPI_ROOT)},
        {"MPI_UNDEFINED", (uint64_t)(uintptr_t)(MPI_UNDEFINED)},
        {"MPI_ANY_TAG", (uint64_t)(uintptr_t)(MPI_ANY_TAG)},
        {"MPI_MODE_RDONLY", (uint64_t)(uintptr_t)(MPI_MODE_RDONLY)},
        {"MPI_MODE_RDWR", (uint64_t)(uintptr_t)(MPI_MODE_RDWR)},
        {"MPI_MODE_CREATE", (uint64_t)(uintptr_t)(MPI_MODE_CREATE)},
        {"MPI_COMM_NULL", (uint64_t)(uintptr_t)(MPI_COMM_NULL)},
    #ifdef MPI_COMM_NULL_COPY_FN
        {"MPI_COMM_NULL_COPY_FN", (uint64_t)(uintptr_t)(MPI_COMM_NULL_COPY_FN)},
    #endif
    #ifdef MPI_COMM_DUP_FN
        {"MPI_COMM_DUP_FN", (uint64_t)(uintptr_t)(MPI_COMM_DUP_FN)},
    #endif
    #ifdef MPI_COMM_NULL_DELETE_FN
        {"MPI_COMM_NULL_DELETE_FN", (uint64_t)(uintptr_t)(MPI_COMM_NULL_DELETE_FN)},
    #endif
    #ifdef MPI_TYPE_NULL_COPY_FN
        {"MPI_TYPE_NULL_COPY_FN", (uint64_t)(uintptr_t)(MPI_TYPE_NULL_COPY_FN)},
    #endif
    #ifdef MPI_TYPE_DUP_FN
        {"MPI_TYPE_DUP_FN", (uint64_t)(uintptr_t)(MPI_TYPE_DUP_FN)},
    #endif
    #ifdef MPI_TYPE_NULL_DELETE_FN
        {"MPI_TYPE_NULL_DELETE_FN", (uint64_t)(uintptr_t)(MPI_TYPE_NULL_DELETE_FN)},
    #endif
    #ifdef MPI_WIN_NULL_COPY_FN
        {"MPI_WIN_NULL_COPY_FN", (uint64_t)(uintptr_t)(MPI_WIN_NULL_COPY_FN)},
    #endif
    #ifdef MPI_WIN_DUP_FN
        {"MPI_WIN_DUP_FN", (uint64_t)(uintptr_t)(MPI_WIN_DUP_FN)},
    #endif
    #ifdef MPI_WIN_NULL_DELETE_FN
        {"MPI_WIN_NULL_DELETE_FN", (uint64_t)(uintptr_t)(MPI_WIN_NULL_DELETE_FN)},
    #endif
    #ifdef MPI_NULL_COPY_FN
        {"MPI_NULL_COPY_FN", (uint64_t)(uintptr_t)(MPI_NULL_COPY_FN)},
    #endif
    #ifdef MPI_DUP_FN
        {"MPI_DUP_FN", (uint64_t)(uintptr_t)(MPI_DUP_FN)},
    #endif
    #ifdef MPI_NULL_DELETE_FN
        {"MPI_NULL_DELETE_FN", (uint64_t)(uintptr_t)(MPI_NULL_DELETE_FN)},
    #endif
    #ifdef MPI_CONVERSION_FN_NULL
        {"MPI_CONVERSION_FN_NULL", (uint64_t)(uintptr_t)(MPI_CONVERSION_FN_NULL)},
    #endif
    #ifdef MPI_CONVERSION_FN_NULL_C
        {"MPI_CONVERSION_FN_NULL_C", (uint64_t)(uintptr_t)(MPI_CONVERSION_FN_NULL_C)},
    #endif
    };
    static struct replay_constant result[sizeof all / sizeof *all];
    memcpy(result, all, sizeof all);
    *count = sizeof all / sizeof *all;
    return result;
}
