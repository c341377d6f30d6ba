/* early: MPI before it is initialised and after it is finalised.
 *
 *     early [LEVEL]
 *
 * Exercises: what may be called at any time (MPI_Initialized, MPI_Finalized, MPI_Get_version, MPI_Get_library_version,
 * of MPI-4 also infos), by another thread first; MPI_Init, or MPI_Init_thread with each LEVEL, 0 to 3;
 * MPI_Query_thread, MPI_Is_thread_main; an attribute of MPI_COMM_SELF whose deletion begins MPI_Finalize.
 */
#include "expect.h"

#include <pthread.h>
#include <string.h>

static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
static int deleted;

static void any_time(int initialized, int finalized)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int flag = -1, version = 0, subversion = -1, length = 0;

    MPI_Initialized(&flag);
    EXPECT((flag != 0) == initialized);
    MPI_Finalized(&flag);
    EXPECT((flag != 0) == finalized);
    MPI_Get_version(&version, &subversion);
    EXPECT(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    MPI_Get_library_version(text, &length);
    EXPECT(length > 0 && text[0] != 0);
}

#if MPI_VERSION >= 4
static void infos(void)
{
    char value[8] = "";
    MPI_Info info;
    int length = (int)sizeof value, flag = 0;

    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_get_string(info, "key", &length, value, &flag);
    EXPECT(flag && strcmp(value, "value") == 0);
    MPI_Info_free(&info);
}
#else
static void infos(void)
{
}
#endif

static void *ask(void *unused)
{
    any_time(0, 0);
    return unused;
}

static int delete (MPI_Comm comm, int key, void *value, void *state)
{
    int rank = -1;

    MPI_Comm_rank(comm, &rank); /* made by MPI_Finalize, not by the program */
    deleted = rank == 0 && key != MPI_KEYVAL_INVALID && value == state;
    return MPI_SUCCESS;
}

static void begin(int *argc, char ***argv)
{
    const int level = *argc > 1 ? levels[atoi((*argv)[1])] : MPI_THREAD_SINGLE;
    int provided = -1, queried = -2, main = 0;

    if (*argc > 1)
        MPI_Init_thread(argc, argv, level, &provided);
    else
        MPI_Init(argc, argv);
    MPI_Query_thread(&queried);
    EXPECT(*argc == 1 || (queried == provided && provided >= level));
    MPI_Is_thread_main(&main);
    EXPECT(main);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int verdict, key;

    EXPECT(pthread_create(&thread, NULL, ask, NULL) == 0 && pthread_join(thread, NULL) == 0);
    any_time(0, 0);
    infos();
    begin(&argc, &argv);
    any_time(1, 0);
    infos();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &key, &deleted);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &deleted);
    verdict = expect_verdict("early", MPI_COMM_WORLD);
    MPI_Finalize();
    EXPECT(deleted);
    any_time(1, 1);
    return verdict | (expect_failures != 0);
}
/* SPDX-License-Identifier: BSD-3-Clause */
