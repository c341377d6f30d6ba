/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the layer's function for each of MPI's (shadow/shadow_calls.h). */
#include "shadow_functions.h"

#include "functions.h"

const struct shadow_function shadow_functions[] = {
    {FUNCTION_MPI_Wait, (void *)shadow_layer_MPI_Wait},
};
