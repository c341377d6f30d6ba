/* SPDX-License-Identifier: BSD-3-Clause */
/* deletes WHO COUNT RETURN FIRST: MPI_Finalize deletes COUNT attributes of MPI_COMM_SELF. The function for each makes a
 * call; the last one set fails on rank WHO, or on all if WHO is -1. RETURN: the error handlers let errors return.
 * FIRST: there is one more, set before the others, that has no function. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT_MAX = 8, FAILURE = 17 };

static MPI_Comm kept;
static int rank, who, count;

static int on_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int number = *(int *)value, sum = 0;
    (void)comm, (void)key;
    if (number == count)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, kept);
    else
        MPI_Comm_size(kept, &sum);
    printf("rank %d deletes %d of %d, extra %d: %d\n", rank, number, count, *(int *)extra, sum);
    fflush(stdout);
    return number == count && (who < 0 || who == rank) ? FAILURE : MPI_SUCCESS;
}

static int on_other_end(MPI_Comm comm, int key, void *value, void *extra)
{
    return on_end(comm, key, value, extra);
}

int main(int argc, char **argv)
{
    static int numbers[COUNT_MAX + 1];
    int key;
    who = atoi(argv[1]);
    count = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    if (atoi(argv[3])) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    if (atoi(argv[4])) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &count);
        MPI_Comm_free_keyval(&key);
    }
    for (int i = 1; i <= count; i++) {
        numbers[i] = i;
        if (i % 2) {
            MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, &numbers[i]);
            MPI_Comm_set_attr(MPI_COMM_SELF, key, &numbers[i]);
        } else {
            MPI_Keyval_create(MPI_NULL_COPY_FN, on_other_end, &key, &numbers[i]);
            MPI_Attr_put(MPI_COMM_SELF, key, &numbers[i]);
        }
        MPI_Comm_free_keyval(&key);
    }
    /* A key that has no function, and one with the number of a key that is gone. */
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_free_keyval(&key);
    int error = MPI_Finalize();
    printf("rank %d: MPI_Finalize %s\n", rank, error ? "fails" : "ends");
    return 0;
}
