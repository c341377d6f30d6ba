/* Written by pilgrim-gen: what stands for each of MPI's functions (shadow/shadow_calls.h). */
#include "shadow_functions.h"

#include "functions.h"

const struct shadow_function shadow_functions[] = {
    {FUNCTION_MPI_Wait, (void *)shadow_layer_MPI_Wait},
};
