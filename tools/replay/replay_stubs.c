/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that do nothing; see replay_stubs.h. What the program's did was not recorded: calls inside of callbacks
 * are not in a trace. */
#include "replay_stubs.h"

#define UNUSED __attribute__((unused))

static int copied(void *in, void *out, int *flag)
{
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

#define COPY(name, type)                                                                                               \
    int stub_##name(type object UNUSED, int keyval UNUSED, void *state UNUSED, void *in, void *out, int *flag)         \
    {                                                                                                                  \
        return copied(in, out, flag);                                                                                  \
    }
#define DELETE(name, type)                                                                                             \
    int stub_##name(type object UNUSED, int keyval UNUSED, void *value UNUSED, void *state UNUSED)                     \
    {                                                                                                                  \
        return MPI_SUCCESS;                                                                                            \
    }
#define HANDLER(name, type)                                                                                            \
    void stub_##name(type *object UNUSED, int *code UNUSED, ...)                                                       \
    {                                                                                                                  \
    }

COPY(MPI_Copy_function, MPI_Comm)
COPY(MPI_Comm_copy_attr_function, MPI_Comm)
COPY(MPI_Type_copy_attr_function, MPI_Datatype)
COPY(MPI_Win_copy_attr_function, MPI_Win)
DELETE(MPI_Delete_function, MPI_Comm)
DELETE(MPI_Comm_delete_attr_function, MPI_Comm)
DELETE(MPI_Type_delete_attr_function, MPI_Datatype)
DELETE(MPI_Win_delete_attr_function, MPI_Win)
HANDLER(MPI_Comm_errhandler_function, MPI_Comm)
HANDLER(MPI_File_errhandler_function, MPI_File)
HANDLER(MPI_Win_errhandler_function, MPI_Win)
HANDLER(MPI_Handler_function, MPI_Comm)

void stub_MPI_User_function(void *in UNUSED, void *inout UNUSED, int *count UNUSED, MPI_Datatype *datatype UNUSED)
{
}

int stub_MPI_Grequest_query_function(void *state UNUSED, MPI_Status *status)
{
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int stub_MPI_Grequest_free_function(void *state UNUSED)
{
    return MPI_SUCCESS;
}

int stub_MPI_Grequest_cancel_function(void *state UNUSED, int complete UNUSED)
{
    return MPI_SUCCESS;
}

int stub_unknown(void)
{
    return MPI_SUCCESS;
}

#if HAS_MPI_Session_errhandler_function
HANDLER(MPI_Session_errhandler_function, MPI_Session)
#endif

#if HAS_MPI_User_function_c
void stub_MPI_User_function_c(void *in UNUSED, void *inout UNUSED, MPI_Count *count UNUSED,
                              MPI_Datatype *datatype UNUSED)
{
}
#endif
