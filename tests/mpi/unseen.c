/* unseen: objects that the program makes with PMPI calls, past the recorded names, as other tools and some libraries
 * do.
 *
 * Exercises: a communicator and a window made by PMPI, in calls whose arrays have one element for each of its ranks.
 * The arrays end where memory ends: a reader of more elements than there are ranks crashes. tests/communicators checks
 * the lengths that were recorded. */
#include "expect.h"

#include <sys/mman.h>
#include <unistd.h>

/* COUNT integers at the end of a page that nothing follows. */
static int *at_the_edge(int count)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *both = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (both == MAP_FAILED || mprotect(both + page, page, PROT_NONE) != 0)
        exit(3);
    return (int *)(both + page) - count;
}

int main(int argc, char **argv)
{
    int cells[8] = {-1}; /* MPICH 4.0.2 loses what is put into a window of 4 bytes */
    int rank, size, part_rank, part_size, value, sum = 0, verdict, *counts, *places, *all;
    MPI_Comm part;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    PMPI_Comm_size(part, &part_size);
    PMPI_Comm_rank(part, &part_rank);
    counts = at_the_edge(part_size);
    places = at_the_edge(part_size);
    all = at_the_edge(part_size);
    for (int i = 0; i < part_size; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    MPI_Gatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, 0, part);
    MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, part);
    for (int i = 0; i < part_size; i++)
        EXPECT(all[i] == rank % 2 + 2 * i);
    MPI_Reduce_scatter(all, &value, counts, MPI_INT, MPI_SUM, part);
    EXPECT(value == part_size * rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, (part_rank + 1) % part_size, 0, &value, 1, MPI_INT,
                 (part_rank + part_size - 1) % part_size, 0, part, MPI_STATUS_IGNORE);
    EXPECT(value % 2 == rank % 2);
    MPI_Allreduce(&part_rank, &sum, 1, MPI_INT, MPI_SUM, part);
    EXPECT(sum == part_size * (part_size - 1) / 2);

    PMPI_Win_create(cells, sizeof cells, sizeof cells[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    EXPECT(cells[0] == (rank + size - 1) % size);
    MPI_Win_free(&win);
    MPI_Comm_free(&part);
    verdict = expect_verdict("unseen", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
