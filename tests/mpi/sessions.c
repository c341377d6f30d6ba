/* sessions: MPI without MPI_Init.
 *
 * Exercises: MPI_Session_init, process sets, a group from a set, a communicator from the group, finalize of
 * the session. With the argument "mixed": two sessions after each other inside a program that calls MPI_Init
 * as well. (Without MPI_Init around them MPICH 4.0.2 crashes in the second MPI_Session_init: it cannot start
 * anew once its last session is gone.) With "around": a session that begins before MPI_Init and ends after
 * MPI_Finalize, and is used on either side and between.
 */
#include "expect.h"

#include <string.h>

static int session_use(int round)
{
    char name[MPI_MAX_PSET_NAME_LEN];
    int sets, length = (int)sizeof name, size, rank, sum = -1, verdict;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;

    EXPECT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    EXPECT(sets >= 2);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
    EXPECT(strcmp(name, "mpi://WORLD") == 0);
    MPI_Session_get_pset_info(session, name, &info);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Comm_create_from_group(group, "tests.sessions", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == size * (size - 1) / 2);
    verdict = expect_verdict(round ? "second session" : "first session", comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    EXPECT(session == MPI_SESSION_NULL);
    return verdict;
}

/* A sum over a communicator of SESSION's own. */
static void session_sum(MPI_Session session, const char *tag)
{
    int size, rank, sum = -1;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == size * (size - 1) / 2);
    MPI_Comm_free(&comm);
}

static int session_around(int *argc, char ***argv)
{
    MPI_Session session;
    int verdict;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    session_sum(session, "before");
    MPI_Init(argc, argv);
    session_sum(session, "between");
    MPI_Barrier(MPI_COMM_WORLD);
    verdict = expect_verdict("sessions", MPI_COMM_WORLD);
    MPI_Finalize();
    session_sum(session, "after");
    MPI_Session_finalize(&session);
    return verdict;
}

int main(int argc, char **argv)
{
    const int mixed = argc > 1 && strcmp(argv[1], "mixed") == 0;
    int verdict;

    if (argc > 1 && strcmp(argv[1], "around") == 0)
        return session_around(&argc, &argv) | (expect_failures != 0);
    if (mixed)
        MPI_Init(&argc, &argv);
    verdict = session_use(0);
    if (mixed) {
        verdict |= session_use(1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
    return verdict | (expect_failures != 0);
}
/* SPDX-License-Identifier: BSD-3-Clause */
