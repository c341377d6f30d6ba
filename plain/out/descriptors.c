/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: all functions that are recorded, with their parameters. */
#include <stddef.h>

#include "functions.h"

static const struct parameter_descriptor parameters_MPI_Wait[] = {
    {"request", DIRECTION_INOUT},
    {"status", DIRECTION_OUT},
};

/* Pseudo calls, which the recorder adds. */
static const struct parameter_descriptor parameters_pilgrim_marker[] = {
    {"name", DIRECTION_IN},
};
static const struct parameter_descriptor parameters_pilgrim_process[] = {
    {"views_rank", DIRECTION_IN},
    {"views_size", DIRECTION_IN},
    {"pid", DIRECTION_IN},
    {"place", DIRECTION_IN},
    {"clock", DIRECTION_IN},
};

static const struct parameter_descriptor parameters_pilgrim_communicator[] = {
    {"communicator", DIRECTION_IN}, {"thread", DIRECTION_IN}, {"parent", DIRECTION_IN}, {"inter", DIRECTION_IN},
    {"topology", DIRECTION_IN},     {"size", DIRECTION_IN},   {"rank", DIRECTION_IN},   {"remote_size", DIRECTION_IN},
    {"leader", DIRECTION_IN},       {"key", DIRECTION_IN},
};

static const struct function_descriptor functions[FUNCTION_COUNT] = {
    [FUNCTION_MPI_Wait] = {"MPI_Wait", parameters_MPI_Wait, 2, RETURNS_ERROR_CODE, ACTIVITY_OTHER},
    [FUNCTION_pilgrim_marker] = {"pilgrim_marker", parameters_pilgrim_marker, 1, RETURNS_VALUE, ACTIVITY_OTHER},
    [FUNCTION_pilgrim_process] = {"pilgrim_process", parameters_pilgrim_process, 4, RETURNS_VALUE, ACTIVITY_OTHER},
    [FUNCTION_pilgrim_process_clock] = {"pilgrim_process", parameters_pilgrim_process, 5, RETURNS_VALUE,
                                        ACTIVITY_OTHER},
    [FUNCTION_pilgrim_communicator] = {"pilgrim_communicator", parameters_pilgrim_communicator, 10, RETURNS_VALUE,
                                       ACTIVITY_OTHER},
};

extern const char *const vocabulary_names[NAME_COUNT];

const struct vocabulary vocabulary = {functions, FUNCTION_COUNT, vocabulary_names, NAME_COUNT};
