/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the parameters of each function, as pilgrim-generate writes them. */
#include "generate_functions.h"

static const struct generate_parameter parameters_MPI_Wait[] = {{"void", "", 1, ARGUMENT_BUFFER, REPLAY_KEPT_TEXT},
    {"MPI_Status", "", 1, ARGUMENT_STATUS, REPLAY_KEPT_TEXT}};

const struct generate_function generate_functions[] = {
    {"MPI_Wait", "int", NULL, false, 2, parameters_MPI_Wait},
};

const size_t generate_function_count = sizeof generate_functions / sizeof *generate_functions;
