/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that call MPI: an operation of a reduction, and the deletion of an attribute, which begins and ends a
 * request. */
#include <mpi.h>
#include <stdio.h>

static int calls;

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    calls++;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int forget(MPI_Comm comm, int keyval, void *value, void *state)
{
    int size, nothing = 0;
    MPI_Request request;
    MPI_Comm_size(comm, &size);
    MPI_Isend(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    calls++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, keyval, sum = 0, one = 1;
    MPI_Op op;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
    for (int i = 0; i < 5; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_set_attr(copy, keyval, NULL);
        MPI_Reduce_local(&one, &sum, 1, MPI_INT, op);
        MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, copy);
        MPI_Comm_free(&copy);
    }
    int mine = calls > 5 ? 10 : 0; /* how often the operation is called is MPI's business */
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d in callbacks\n", sum);
    MPI_Op_free(&op);
    MPI_Comm_free_keyval(&keyval);
    MPI_Finalize();
    return 0;
}
