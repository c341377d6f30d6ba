/* SPDX-License-Identifier: BSD-3-Clause */
/* Many short calls, the same ones again and again: next to nothing to record but their times.
 *
 *     call_burst CALLS [EVERY [limited]]
 *
 * Each rank makes CALLS of MPI_Comm_rank; only those whose number EVERY divides do if that is given (0: all), the
 * others make ten. limited: files may not become longer than CALL_BURST_BYTES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void calls(long count)
{
    int rank;
    for (long i = 0; i < count; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void limit_files(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = strtoul(getenv("CALL_BURST_BYTES"), NULL, 10);
    setrlimit(RLIMIT_FSIZE, &limit);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long count = argc > 1 ? atol(argv[1]) : 10, every = argc > 2 ? atol(argv[2]) : 0;
    const char *how = argc > 3 ? argv[3] : "";
    if (every && rank % every)
        count = 10;
    if (!strcmp(how, "limited"))
        limit_files();
    MPI_Barrier(MPI_COMM_WORLD);
    calls(count);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("call_burst: %ld calls\n", count);
    MPI_Finalize();
    return 0;
}
