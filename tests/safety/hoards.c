/* SPDX-License-Identifier: BSD-3-Clause */
/* hoards CALLS HOW: each rank opens files until it may have no more, of 200; then come CALLS calls that do not repeat,
 * and the end: finalize, or kill for all. What is printed is the number of the first file. The two ranks
 * have exchanged a long message before: MPICH's transport ends a program that has no descriptors for the first one. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES = 200, TAGS = 1 << 14, BYTES = 1 << 22 };

static char out[BYTES], in[BYTES];

int main(int argc, char **argv)
{
    struct rlimit limit;
    unsigned state = 1;
    int rank, first;

    if (argc < 3 || getrlimit(RLIMIT_NOFILE, &limit))
        return EXIT_FAILURE;
    limit.rlim_cur = FILES;
    if (setrlimit(RLIMIT_NOFILE, &limit))
        return EXIT_FAILURE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(out, BYTES, MPI_CHAR, !rank, 1, in, BYTES, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    first = open("/dev/null", O_RDONLY);
    while (open("/dev/null", O_RDONLY) >= 0)
        continue;
    for (int i = 0, flag; i < atoi(argv[1]); i++) {
        state = state * 1103515245u + 12345u;
        MPI_Iprobe(MPI_ANY_SOURCE, (int)(state >> 8) % TAGS, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    if (!rank)
        printf("first file: %d\n", first);
    fflush(stdout);
    if (!strcmp(argv[2], "kill"))
        raise(SIGKILL);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
