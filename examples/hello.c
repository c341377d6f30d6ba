/* hello: who takes part, in the order of the ranks.
 *
 * Exercises: init and finalize, rank and size, the processor name, a gather, MPI_Get_version. The processor
 * name differs from machine to machine, so only its consistency is checked and it is not printed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GREETING_MAX 64

int main(int argc, char **argv) {
    char greeting[GREETING_MAX] = {0};
    char processor[MPI_MAX_PROCESSOR_NAME] = {0};
    char *all = NULL;
    int rank, size, version, subversion, length;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_version(&version, &subversion);
    MPI_Get_processor_name(processor, &length);
    if (length <= 0 || (size_t)length != strlen(processor))
        wrong = 1;

    snprintf(greeting, sizeof greeting, "hello from rank %d of %d", rank, size);
    if (rank == 0)
        all = calloc((size_t)size, GREETING_MAX);
    MPI_Gather(greeting, GREETING_MAX, MPI_CHAR, all, GREETING_MAX, MPI_CHAR, 0, MPI_COMM_WORLD);

    if (rank == 0) {
        for (int r = 0; r < size; r++) {
            char expected[GREETING_MAX];

            snprintf(expected, sizeof expected, "hello from rank %d of %d", r, size);
            if (strcmp(expected, all + (size_t)r * GREETING_MAX) != 0)
                wrong = 1;
            puts(all + (size_t)r * GREETING_MAX);
        }
        if (version < 3)
            wrong = 1;
    }
    free(all);

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (wrong && rank == 0)
        fprintf(stderr, "hello: a greeting or a processor name is wrong\n");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
