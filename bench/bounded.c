/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes calls in which nothing repeats: MPI_Irecv, MPI_Isend to itself and MPI_Waitall with random tags and lengths.
 * For bench/bounded.sh.
 *
 * usage: bounded CALLS. Each rank prints: CPU time of a call; peak of its memory in KiB before MPI_Finalize, and
 * after; CPU time of MPI_Finalize in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "measures.h"

enum { LENGTH_MAX = 64, TAG_MAX = 30000 };

int main(int argc, char **argv)
{
    static int in[LENGTH_MAX], out[LENGTH_MAX];
    long calls = argc > 1 ? atol(argv[1]) : 0;
    uint64_t state = 1;
    int rank;
    if (calls <= 0) {
        fprintf(stderr, "usage: bounded CALLS\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double began = cpu_seconds();
    for (long i = 0; i < calls / 3; i++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        int tag = (int)draw(&state, TAG_MAX), length = (int)draw(&state, LENGTH_MAX);
        MPI_Irecv(in, length, MPI_INT, rank, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, length, MPI_INT, rank, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
    double loop = cpu_seconds() - began;
    long before = peak_kib();
    began = cpu_seconds();
    MPI_Finalize();
    printf("%d %.1f %ld %ld %.2f\n", rank, 1e9 * loop / (double)calls, before, peak_kib(), cpu_seconds() - began);
    return 0;
}
