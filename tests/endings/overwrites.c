/* SPDX-License-Identifier: BSD-3-Clause */
/* overwrites HOW: while the ranks go on, rank 0 changes the journal of the run, *.fragments/NAME.journal, as a program
 * does that knows nothing of it. HOW: none; zero: it is cut to nothing; part: to some pages; hole: to nothing, and then
 * made long again; fill: it is overwritten with a longer text. */
#include <fcntl.h>
#include <glob.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 300, PART = 50001, LONG = 3000000, TAGS = 37, STATUS = 7 };

/* Messages that no grammar predicts, from even ranks to odd ones; and what it predicts. */
static void communicate(int rank)
{
    for (int i = 0; i < CALLS; i++) {
        int sent = i, sum = 0;
        MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank % 2)
            MPI_Recv(&sum, 1, MPI_INT, rank - 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&sent, 1, MPI_INT, rank + 1, rand() % TAGS, MPI_COMM_WORLD);
    }
}

static void overwrite(const char *path, const char *how)
{
    if (strcmp(how, "none") != 0 && truncate(path, strcmp(how, "part") ? 0 : PART))
        perror(path);
    if (!strcmp(how, "hole") && truncate(path, LONG))
        perror(path);
    if (!strcmp(how, "fill")) {
        FILE *file = fopen(path, "r+");
        for (int i = 0; i < LONG; i++)
            fputc(i * 7 + 1, file);
        fclose(file);
    }
}

int main(int argc, char **argv)
{
    int rank;
    glob_t found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    communicate(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && !glob("*.fragments/*.journal", 0, NULL, &found))
        overwrite(found.gl_pathv[0], argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    communicate(rank);
    MPI_Finalize();
    return STATUS;
}
