/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the program's callbacks: functions that do nothing, and say that they did well. */
#ifndef REPLAY_STUBS_H
#define REPLAY_STUBS_H

#include <mpi.h>

#include "mpi_features.h" /* generated */

void stub_MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *datatype);
int stub_MPI_Copy_function(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag);
int stub_MPI_Delete_function(MPI_Comm comm, int keyval, void *value, void *state);
int stub_MPI_Comm_copy_attr_function(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag);
int stub_MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *value, void *state);
int stub_MPI_Type_copy_attr_function(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag);
int stub_MPI_Type_delete_attr_function(MPI_Datatype type, int keyval, void *value, void *state);
int stub_MPI_Win_copy_attr_function(MPI_Win win, int keyval, void *state, void *in, void *out, int *flag);
int stub_MPI_Win_delete_attr_function(MPI_Win win, int keyval, void *value, void *state);
void stub_MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);
void stub_MPI_File_errhandler_function(MPI_File *file, int *code, ...);
void stub_MPI_Win_errhandler_function(MPI_Win *win, int *code, ...);
void stub_MPI_Handler_function(MPI_Comm *comm, int *code, ...);
int stub_MPI_Grequest_query_function(void *state, MPI_Status *status);
int stub_MPI_Grequest_free_function(void *state);
int stub_MPI_Grequest_cancel_function(void *state, int complete);
int stub_unknown(void); /* for kinds of callbacks that are not in this list */
#if HAS_MPI_User_function_c
void stub_MPI_User_function_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *datatype);
#endif
#if HAS_MPI_Session_errhandler_function
void stub_MPI_Session_errhandler_function(MPI_Session *session, int *code, ...);
#endif

#endif
