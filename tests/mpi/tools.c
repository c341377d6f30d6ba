/* tools: the MPI tool information interface, and what may be called before init and after finalize.
 *
 * Exercises: MPI_T_init_thread before MPI_Init and MPI_T_finalize after MPI_Finalize; control and performance
 * variables and categories with real and with NULL out arguments; reading a variable; MPI_Initialized,
 * MPI_Finalized, MPI_Get_version.
 */
#include "expect.h"

/* INITIALIZED: MPI is. MPICH 4.2 crashes where it has to make an error code before. */
static void check_variables(int initialized)
{
    int count, index, verbosity, binding, scope, name_length, text_length, value_count, value[64];
    char name[128], text[256];
    MPI_Datatype type;
    MPI_T_enum enumeration;
    MPI_T_cvar_handle handle;

    MPI_T_cvar_get_num(&count);
    EXPECT(count > 0);
    for (int i = 0; i < count && i < 20; i++) {
        name_length = (int)sizeof name;
        text_length = (int)sizeof text;
        EXPECT(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &enumeration, text, &text_length, &binding,
                                   &scope) == MPI_SUCCESS);
        EXPECT(MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS);
        EXPECT(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && index == i);
        if (type != MPI_INT || binding != MPI_T_BIND_NO_OBJECT)
            continue;
        MPI_T_cvar_handle_alloc(i, NULL, &handle, &value_count);
        EXPECT(value_count > 0 && value_count <= 64);
        EXPECT(MPI_T_cvar_read(handle, value) == MPI_SUCCESS);
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count && i < 10; i++)
        MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    MPI_T_category_get_num(&count);
    EXPECT(count > 0);
    for (int i = 0; i < count && i < 10; i++) {
        name_length = (int)sizeof name;
        EXPECT(MPI_T_category_get_info(i, name, &name_length, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS);
    }
    MPI_T_category_changed(&index);
    if (initialized)
        EXPECT(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int flag = -1, provided, version, subversion, verdict;

    MPI_Initialized(&flag);
    EXPECT(!flag);
    MPI_Finalized(&flag);
    EXPECT(!flag);
    MPI_Get_version(&version, &subversion);
    EXPECT(version >= 3);
    EXPECT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    check_variables(0);
    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    EXPECT(flag);
    check_variables(1);
    verdict = expect_verdict("tools", MPI_COMM_WORLD);
#ifdef OPEN_MPI /* 4.1.4 crashes in MPI_T_finalize after MPI_Finalize */
    MPI_T_finalize();
#endif
    MPI_Finalize();
    MPI_Finalized(&flag);
    EXPECT(flag);
    MPI_Initialized(&flag);
    EXPECT(flag);
    MPI_Get_version(&version, &subversion);
#ifndef OPEN_MPI
    MPI_T_finalize();
#endif
    return verdict | (expect_failures != 0);
}
/* SPDX-License-Identifier: BSD-3-Clause */
