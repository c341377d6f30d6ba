/* largecount: the functions whose names end in _c, with small counts.
 *
 * Exercises: point to point, collectives with arrays of MPI_Count, datatypes, status queries and packing, all
 * with MPI_Count and MPI_Aint arguments.
 */
#include "expect.h"

enum { RANKS_MAX = 64 };

int main(int argc, char **argv)
{
    int rank, size, next, previous, out[4], in[4 * RANKS_MAX], verdict;
    MPI_Count counts[RANKS_MAX], count, bytes, low, extent;
    MPI_Aint places[RANKS_MAX];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Datatype type;
    char packed[256];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    for (int i = 0; i < 4; i++)
        out[i] = 10 * rank + i;

    MPI_Irecv_c(in, 4, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 3, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Get_count_c(&status, MPI_INT, &count);
    EXPECT(count == 3 && in[2] == 10 * previous + 2);
    MPI_Sendrecv_c(out, 4, MPI_INT, next, 2, in, 4, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in[3] == 10 * previous + 3);

    MPI_Bcast_c(in, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce_c(&rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(in[0] == size * (size - 1) / 2);
    for (int r = 0; r < size; r++) {
        counts[r] = r % 4;
        places[r] = 4 * r;
    }
    MPI_Allgatherv_c(out, rank % 4, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        EXPECT(r % 4 == 0 || in[4 * r] == 10 * r);
    MPI_Iallreduce_c(&rank, in, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(in[0] == size - 1);

    MPI_Type_vector_c(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size_c(type, &bytes);
    MPI_Type_get_extent_c(type, &low, &extent);
    EXPECT(bytes == 8 && low == 0 && extent == 12);
    MPI_Pack_size_c(1, type, MPI_COMM_WORLD, &bytes);
    count = 0;
    MPI_Pack_c(out, 1, type, packed, 256, &count, MPI_COMM_WORLD);
    EXPECT(count == 8 && bytes >= 8);
    MPI_Type_free(&type);

    verdict = expect_verdict("largecount", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
