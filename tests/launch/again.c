/* again: takes the place of itself, then of another program, before MPI is initialised.
 *
 *     again PROGRAM [ARGUMENT...]
 *
 * Asks MPI whether it is initialised each time, so that the library that watches has seen MPI before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int flag = 1;

    if (argc < 2)
        return 2;
    MPI_Initialized(&flag);
    if (flag)
        puts("initialised before it began");
    fflush(stdout);
    if (!getenv("AGAIN")) {
        setenv("AGAIN", "1", 1);
        execv(argv[0], argv);
    } else {
        execv(argv[1], argv + 1);
    }
    perror(argv[1]);
    return 1;
}
/* SPDX-License-Identifier: BSD-3-Clause */
