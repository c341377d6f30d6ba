/* errors: wrong arguments under MPI_ERRORS_RETURN; the codes must reach the program untouched.
 *
 * Exercises: bad ranks, counts, tags, types, ops, roots, null handles and null pointers; MPI_Error_class and string; a
 * truncated receive by itself and within Waitall (MPI_ERR_IN_STATUS); user-defined codes and an error handler
 * of the program. Each rank talks only to itself. The classes are printed by rank 0.
 */
#include "expect.h"

static int world_rank, handled;

static void report(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int class = -1, length = 0;

    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    EXPECT(code != MPI_SUCCESS && length > 0);
    if (world_rank == 0)
        printf("%-16s class %d\n", what, class);
}

#ifndef OPEN_MPI /* 4.1.4 finds nothing wrong with a message to itself that is too long */
static void check_truncation(MPI_Comm comm)
{
    int out[8] = {0}, in[8], class = -1;
    MPI_Request requests[4];
    MPI_Status statuses[4];

    MPI_Irecv(in, 1, MPI_INT, 0, 1, comm, &requests[0]);
    MPI_Irecv(in + 1, 7, MPI_INT, 0, 2, comm, &requests[1]);
    MPI_Isend(out, 8, MPI_INT, 0, 1, comm, &requests[2]);
    MPI_Isend(out, 2, MPI_INT, 0, 2, comm, &requests[3]);
    MPI_Error_class(MPI_Waitall(4, requests, statuses), &class);
    EXPECT(class == MPI_ERR_IN_STATUS);
    MPI_Error_class(statuses[0].MPI_ERROR, &class);
    EXPECT(class == MPI_ERR_TRUNCATE);
    /* The others are done or, as MPICH says it, pending: then they are still there to be waited for. */
    for (int i = 1; i < 4; i++) {
        EXPECT(statuses[i].MPI_ERROR == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_ERR_PENDING);
        EXPECT((requests[i] == MPI_REQUEST_NULL) == (statuses[i].MPI_ERROR == MPI_SUCCESS));
    }
    EXPECT(requests[0] == MPI_REQUEST_NULL);
    EXPECT(MPI_Waitall(4, requests, statuses) == MPI_SUCCESS);

    MPI_Isend(out, 8, MPI_INT, 0, 3, comm, &requests[0]);
    report("truncated", MPI_Recv(in, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE));
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}
#endif

static void on_error(MPI_Comm *comm, int *code, ...)
{
    EXPECT(*comm != MPI_COMM_NULL && *code != MPI_SUCCESS);
    handled++;
}

/* Where the library looks at a pointer first, so must whoever stands before it. */
static void check_null_pointers(MPI_Comm comm)
{
    int value = 0, many = -1;
    MPI_Status status;

    report("wait", MPI_Wait(NULL, &status));
    report("test", MPI_Test(NULL, &value, &status));
    report("waitall", MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
    report("many", MPI_Waitall(many, NULL, MPI_STATUSES_IGNORE));
    report("start", MPI_Start(NULL));
    report("pack", MPI_Pack(&value, 1, MPI_INT, &value, 4, NULL, comm));
#ifndef OPEN_MPI /* 4.1.4 reads what these point to */
    report("cancel", MPI_Cancel(NULL));
    report("comm free", MPI_Comm_free(NULL));
    report("op free", MPI_Op_free(NULL));
    report("group free", MPI_Group_free(NULL));
    report("info free", MPI_Info_free(NULL));
    report("handler free", MPI_Errhandler_free(NULL));
    report("mrecv", MPI_Mrecv(&value, 1, MPI_INT, NULL, &status));
    report("incl", MPI_Group_incl(MPI_GROUP_EMPTY, 2, NULL, NULL));
#endif
}

int main(int argc, char **argv)
{
    int value = 0, class, code, verdict;
    MPI_Errhandler handler;
    MPI_Comm comm, none = MPI_COMM_NULL;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* null handles raise their errors here */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    report("rank", MPI_Send(&value, 1, MPI_INT, 12345, 0, comm));
    report("negative rank", MPI_Isend(&value, 1, MPI_INT, -77, 0, comm, &request));
    report("count", MPI_Send(&value, -1, MPI_INT, 0, 0, comm));
    report("tag", MPI_Send(&value, 1, MPI_INT, 0, -5, comm));
    report("type", MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm));
    report("buffer", MPI_Send(NULL, 1, MPI_INT, 0, 0, comm));
    report("comm", MPI_Send(&value, 1, MPI_INT, 0, 0, none));
    report("comm of a query", MPI_Comm_size(none, &value));
    report("null pointer", MPI_Comm_rank(comm, NULL));
    report("root", MPI_Bcast(&value, 1, MPI_INT, 9, comm));
    report("op", MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL, comm));
    report("free of null", MPI_Comm_free(&none));
    report("dims", MPI_Dims_create(7, 1, (int[]){2}));
    report("group", MPI_Group_size(MPI_GROUP_NULL, &value));
#ifndef OPEN_MPI
    check_truncation(comm);
#endif
    check_null_pointers(comm);

    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "made up here");
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_call_errhandler(comm, code);
    EXPECT(handled == 1);
    EXPECT(MPI_Send(&value, 1, MPI_INT, 99, 0, comm) != MPI_SUCCESS);
    EXPECT(handled == 2);
    MPI_Comm_free(&comm);
    verdict = expect_verdict("errors", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
