/* What the programs here share: expectations that are counted, and a verdict over all ranks.
 *
 * A failed expectation is reported on stderr by the rank it failed on and the program goes on, so that one
 * run shows all that is wrong. Only rank 0 writes to stdout, always the same for the same number of ranks.
 */
#ifndef TESTS_MPI_EXPECT_H
#define TESTS_MPI_EXPECT_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { POLLS_BUSY = 60, POLL_NAP_NS = 200000 };

static int expect_failures;

#define EXPECT(condition) expect_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

static inline void expect_that(int holds, const char *text, const char *file, int line)
{
    if (holds)
        return;
    expect_failures++;
    fprintf(stderr, "%s:%d: expected %s\n", file, line, text);
}

/* Sums up the failures of all ranks of COMM, prints the verdict there on rank 0 and returns the exit status.
 */
static inline int expect_verdict(const char *name, MPI_Comm comm)
{
    int total = 0, rank = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&expect_failures, &total, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        printf("%s: %s\n", name, total == 0 ? "ok" : "FAILED");
    return total == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* For the condition of a loop that polls: the thread sleeps between polls once it has made many, so that another one
 * that has no processor does not make them millions. */
static inline int poll_again(int *polls)
{
    const struct timespec nap = {0, POLL_NAP_NS};

    if (++*polls > POLLS_BUSY)
        nanosleep(&nap, NULL);
    return 1;
}

#endif
/* SPDX-License-Identifier: BSD-3-Clause */
