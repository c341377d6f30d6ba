/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the parameters of each function, as pilgrim-generate writes them. */
#include "generate_functions.h"

static const struct generate_parameter parameters_MPI_Comm_free[] = {{"MPI_Comm", "", 1, ARGUMENT_HANDLE,
    REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Finalize[] = {{0}};
static const struct generate_parameter parameters_MPI_Gatherv[] = {{"void", "", 1, ARGUMENT_BUFFER, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Datatype", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"void", "", 1, ARGUMENT_BUFFER, REPLAY_KEPT_TEXT},
    {"int", "", 1, ARGUMENT_INTEGERS, REPLAY_KEPT_TEXT},
    {"int", "", 1, ARGUMENT_INTEGERS, REPLAY_KEPT_TEXT},
    {"MPI_Datatype", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Comm", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Isend[] = {{"void", "", 1, ARGUMENT_BUFFER, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Datatype", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Comm", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"MPI_Request", "", 1, ARGUMENT_NEW_HANDLE, REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Recv[] = {{"void", "", 1, ARGUMENT_BUFFER, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Datatype", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Comm", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"MPI_Status", "", 1, ARGUMENT_STATUS, REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Testany[] = {{"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Request", "", 1, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"int", "", 1, ARGUMENT_ROOM, REPLAY_KEPT_TEXT},
    {"int", "", 1, ARGUMENT_ROOM, REPLAY_KEPT_TEXT},
    {"MPI_Status", "", 1, ARGUMENT_STATUS, REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Type_create_hindexed_c[] = {{"MPI_Count", "", 0, ARGUMENT_INTEGER,
    REPLAY_KEPT_TEXT},
    {"MPI_Count", "", 1, ARGUMENT_INTEGERS, REPLAY_KEPT_TEXT},
    {"MPI_Count", "", 1, ARGUMENT_INTEGERS, REPLAY_KEPT_TEXT},
    {"MPI_Datatype", "", 0, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"MPI_Datatype", "", 1, ARGUMENT_NEW_HANDLE, REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Waitall[] = {{"int", "", 0, ARGUMENT_INTEGER, REPLAY_KEPT_TEXT},
    {"MPI_Request", "", 1, ARGUMENT_HANDLE, REPLAY_KEPT_TEXT},
    {"MPI_Status", "", 1, ARGUMENT_STATUSES, REPLAY_KEPT_TEXT}};
static const struct generate_parameter parameters_MPI_Wtime[] = {{0}};

const struct generate_function generate_functions[] = {
    {"MPI_Comm_free", "int", NULL, false, 1, parameters_MPI_Comm_free},
    {"MPI_Finalize", "int", "the replay ends with it", false, 0, parameters_MPI_Finalize},
    {"MPI_Gatherv", "int", NULL, false, 9, parameters_MPI_Gatherv},
    {"MPI_Isend", "int", NULL, false, 7, parameters_MPI_Isend},
    {"MPI_Recv", "int", NULL, false, 7, parameters_MPI_Recv},
    {"MPI_Testany", "int", NULL, true, 5, parameters_MPI_Testany},
    {"MPI_Type_create_hindexed_c", "int", NULL, false, 5, parameters_MPI_Type_create_hindexed_c},
    {"MPI_Waitall", "int", NULL, false, 3, parameters_MPI_Waitall},
    {"MPI_Wtime", "double", NULL, false, 0, parameters_MPI_Wtime},
};

const size_t generate_function_count = sizeof generate_functions / sizeof *generate_functions;
