/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the layer's function for each of MPI's (shadow/shadow_calls.h). */
#include "shadow_functions.h"

#include "functions.h"

const struct shadow_function shadow_functions[] = {
    {FUNCTION_MPI_Comm_free, (void *)shadow_layer_MPI_Comm_free},
    {FUNCTION_MPI_Finalize, NULL},
    {FUNCTION_MPI_Gatherv, (void *)shadow_layer_MPI_Gatherv},
    {FUNCTION_MPI_Isend, (void *)shadow_layer_MPI_Isend},
    {FUNCTION_MPI_Recv, (void *)shadow_layer_MPI_Recv},
    {FUNCTION_MPI_Testany, (void *)shadow_layer_MPI_Testany},
    {FUNCTION_MPI_Type_create_hindexed_c, (void *)shadow_layer_MPI_Type_create_hindexed_c},
    {FUNCTION_MPI_Waitall, (void *)shadow_layer_MPI_Waitall},
    {FUNCTION_MPI_Wtime, (void *)shadow_layer_MPI_Wtime},
};
