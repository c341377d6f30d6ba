/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: all functions that are recorded, with their parameters. */
#include <stddef.h>

#include "functions.h"

static const struct parameter_descriptor parameters_MPI_Comm_free[] = {
    {"comm", DIRECTION_INOUT},
};
static const struct parameter_descriptor parameters_MPI_Gatherv[] = {
    {"sendbuf", DIRECTION_IN},
    {"sendcount", DIRECTION_IN},
    {"sendtype", DIRECTION_IN},
    {"recvbuf", DIRECTION_IN},
    {"recvcounts", DIRECTION_IN},
    {"displs", DIRECTION_IN},
    {"recvtype", DIRECTION_IN},
    {"root", DIRECTION_IN},
    {"comm", DIRECTION_IN},
};
static const struct parameter_descriptor parameters_MPI_Isend[] = {
    {"buf", DIRECTION_IN},
    {"count", DIRECTION_IN},
    {"datatype", DIRECTION_IN},
    {"dest", DIRECTION_IN},
    {"tag", DIRECTION_IN},
    {"comm", DIRECTION_IN},
    {"request", DIRECTION_OUT},
};
static const struct parameter_descriptor parameters_MPI_Recv[] = {
    {"buf", DIRECTION_IN},
    {"count", DIRECTION_IN},
    {"datatype", DIRECTION_IN},
    {"source", DIRECTION_IN},
    {"tag", DIRECTION_IN},
    {"comm", DIRECTION_IN},
    {"status", DIRECTION_OUT},
};
static const struct parameter_descriptor parameters_MPI_Testany[] = {
    {"count", DIRECTION_IN},
    {"array_of_requests", DIRECTION_INOUT},
    {"index", DIRECTION_OUT},
    {"flag", DIRECTION_OUT},
    {"status", DIRECTION_OUT},
};
static const struct parameter_descriptor parameters_MPI_Type_create_hindexed_c[] = {
    {"count", DIRECTION_IN},
    {"array_of_blocklengths", DIRECTION_IN},
    {"array_of_displacements", DIRECTION_IN},
    {"oldtype", DIRECTION_IN},
    {"newtype", DIRECTION_OUT},
};
static const struct parameter_descriptor parameters_MPI_Waitall[] = {
    {"count", DIRECTION_IN},
    {"array_of_requests", DIRECTION_INOUT},
    {"array_of_statuses", DIRECTION_OUT},
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
    [FUNCTION_MPI_Comm_free] = {"MPI_Comm_free", parameters_MPI_Comm_free, 1, RETURNS_ERROR_CODE, ACTIVITY_OTHER},
    [FUNCTION_MPI_Finalize] = {"MPI_Finalize", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_OTHER},
    [FUNCTION_MPI_Gatherv] = {"MPI_Gatherv", parameters_MPI_Gatherv, 9, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE},
    [FUNCTION_MPI_Isend] = {"MPI_Isend", parameters_MPI_Isend, 7, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [FUNCTION_MPI_Recv] = {"MPI_Recv", parameters_MPI_Recv, 7, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [FUNCTION_MPI_Testany] = {"MPI_Testany", parameters_MPI_Testany, 5, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [FUNCTION_MPI_Type_create_hindexed_c] = {"MPI_Type_create_hindexed_c", parameters_MPI_Type_create_hindexed_c, 5,
                                             RETURNS_ERROR_CODE, ACTIVITY_OTHER},
    [FUNCTION_MPI_Waitall] = {"MPI_Waitall", parameters_MPI_Waitall, 3, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    [FUNCTION_MPI_Wtime] = {"MPI_Wtime", NULL, 0, RETURNS_TIME, ACTIVITY_OTHER},
    [FUNCTION_pilgrim_marker] = {"pilgrim_marker", parameters_pilgrim_marker, 1, RETURNS_VALUE, ACTIVITY_OTHER},
    [FUNCTION_pilgrim_process] = {"pilgrim_process", parameters_pilgrim_process, 4, RETURNS_VALUE, ACTIVITY_OTHER},
    [FUNCTION_pilgrim_process_clock] = {"pilgrim_process", parameters_pilgrim_process, 5, RETURNS_VALUE,
                                        ACTIVITY_OTHER},
    [FUNCTION_pilgrim_communicator] = {"pilgrim_communicator", parameters_pilgrim_communicator, 10, RETURNS_VALUE,
                                       ACTIVITY_OTHER},
};

extern const char *const vocabulary_names[NAME_COUNT];

const struct vocabulary vocabulary = {functions, FUNCTION_COUNT, vocabulary_names, NAME_COUNT};
