/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: how pilgrim-replay performs each function, and the constants of this library. */
#include <mpi.h>
#include <string.h>

#include "replay_actions.h"
#include "replay_stubs.h"

static int action_MPI_Comm_free(struct replay_step *s)
{
    MPI_Comm * a0 = step_handle(s, 0, 0);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Comm_free(a0);
}

static int action_MPI_Gatherv(struct replay_step *s)
{
    const void * a0 = step_buffer(s, 0);
    int a1 = (int)step_integer(s, 1);
    MPI_Datatype a2 = *(MPI_Datatype *)step_handle(s, 2, 0);
    void * a3 = step_buffer(s, 3);
    const int *a4 = step_integers(s, 4, sizeof(int));
    const int * a5 = step_integers(s, 5, sizeof(int));
    MPI_Datatype a6 = *(MPI_Datatype *)step_handle(s, 6, 0);
    int a7 = (int)step_integer(s, 7);
    MPI_Comm a8 = *(MPI_Comm *)step_handle(s, 8, 0);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Gatherv(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static int action_MPI_Isend(struct replay_step *s)
{
    const void * a0 = step_buffer(s, 0);
    int a1 = (int)step_integer(s, 1);
    MPI_Datatype a2 = *(MPI_Datatype *)step_handle(s, 2, 0);
    int a3 = (int)step_integer(s, 3);
    int a4 = (int)step_integer(s, 4);
    MPI_Comm a5 = *(MPI_Comm *)step_handle(s, 5, 0);
    MPI_Request * a6 = step_handle(s, 6, 1);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Isend(a0, a1, a2, a3, a4, a5, a6);
}

static int action_MPI_Recv(struct replay_step *s)
{
    void * a0 = step_buffer(s, 0);
    int a1 = (int)step_integer(s, 1);
    MPI_Datatype a2 = *(MPI_Datatype *)step_handle(s, 2, 0);
    int a3 = (int)step_integer(s, 3);
    int a4 = (int)step_integer(s, 4);
    MPI_Comm a5 = *(MPI_Comm *)step_handle(s, 5, 0);
    MPI_Status * a6 = step_statuses(s, 6, 0);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Recv(a0, a1, a2, a3, a4, a5, a6);
}

static int action_MPI_Testany(struct replay_step *s)
{
    int a0 = (int)step_integer(s, 0);
    MPI_Request *a1 = step_requests(s, 1);
    int * a2 = step_room(s, 2, sizeof(int));
    int * a3 = step_room(s, 3, sizeof(int));
    MPI_Status * a4 = step_statuses(s, 4, 0);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Testany(a0, a1, a2, a3, a4);
}

static int action_MPI_Type_create_hindexed_c(struct replay_step *s)
{
    MPI_Count a0 = (MPI_Count)step_integer(s, 0);
    const MPI_Count *a1 = step_integers(s, 1, sizeof(MPI_Count));
    const MPI_Count *a2 = step_integers(s, 2, sizeof(MPI_Count));
    MPI_Datatype a3 = *(MPI_Datatype *)step_handle(s, 3, 0);
    MPI_Datatype * a4 = step_handle(s, 4, 1);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Type_create_hindexed_c(a0, a1, a2, a3, a4);
}

static int action_MPI_Waitall(struct replay_step *s)
{
    int a0 = (int)step_integer(s, 0);
    MPI_Request *a1 = step_requests(s, 1);
    MPI_Status * a2 = step_statuses(s, 2, 1);
    if (!step_ready(s))
        return MPI_SUCCESS;
    return MPI_Waitall(a0, a1, a2);
}

static int action_MPI_Wtime(struct replay_step *s)
{
    if (!step_ready(s))
        return MPI_SUCCESS;
    (void)MPI_Wtime();
    return MPI_SUCCESS;
}


const struct replay_action replay_actions[] = {
    {"MPI_Comm_free", action_MPI_Comm_free, 0, NULL},
    {"MPI_Finalize", NULL, 0, "the replay ends with it"},
    {"MPI_Gatherv", action_MPI_Gatherv, 0, NULL},
    {"MPI_Isend", action_MPI_Isend, 0, NULL},
    {"MPI_Recv", action_MPI_Recv, 0 | REPLAY_REPEATS_ERROR, NULL},
    {"MPI_Testany", action_MPI_Testany, REPLAY_POLLS | REPLAY_CHOOSES | REPLAY_REPEATS_ERROR, NULL},
    {"MPI_Type_create_hindexed_c", action_MPI_Type_create_hindexed_c, 0, NULL},
    {"MPI_Waitall", action_MPI_Waitall, 0 | REPLAY_REPEATS_ERROR, NULL},
    {"MPI_Wtime", action_MPI_Wtime, 0, NULL},
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
        {"MPI_COMBINER_NAMED", (uint64_t)(uintptr_t)(MPI_COMBINER_NAMED)},
        {"MPI_COMBINER_DUP", (uint64_t)(uintptr_t)(MPI_COMBINER_DUP)},
        {"MPI_COMBINER_CONTIGUOUS", (uint64_t)(uintptr_t)(MPI_COMBINER_CONTIGUOUS)},
        {"MPI_MODE_RDONLY", (uint64_t)(uintptr_t)(MPI_MODE_RDONLY)},
        {"MPI_MODE_RDWR", (uint64_t)(uintptr_t)(MPI_MODE_RDWR)},
        {"MPI_MODE_CREATE", (uint64_t)(uintptr_t)(MPI_MODE_CREATE)},
        {"MPI_COMM_NULL", (uint64_t)(uintptr_t)(MPI_COMM_NULL)},
        {"MPI_UNWEIGHTED", (uint64_t)(uintptr_t)(MPI_UNWEIGHTED)},
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
