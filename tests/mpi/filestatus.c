/* filestatus: statuses of file operations, in memory that was used for something else before.
 *
 * MPI sets what MPI_Get_count reads and nothing more. Exercises: blocking, collective, split and nonblocking file
 * operations, statuses filled with ones before, and MPI_STATUS_IGNORE. tests/values looks at what was recorded.
 */
#include "expect.h"

#include <string.h>

enum { COUNT = 5 };

static MPI_Status status;

static MPI_Status *used(void)
{
    memset(&status, 0xff, sizeof status);
    return &status;
}

static void has(int count)
{
    int found = -1;

    MPI_Get_count(&status, MPI_INT, &found);
    EXPECT(found == count);
}

int main(int argc, char **argv)
{
    int data[COUNT] = {1, 2, 3, 4, 5}, verdict, rank, flag = 0;
    char name[] = "filestatus.data";
    MPI_Request requests[2];
    MPI_Status both[2];
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, rank * COUNT, data, COUNT, MPI_INT, used());
    has(COUNT);
    MPI_File_write_at_all(file, rank * COUNT, data, COUNT, MPI_INT, used());
    has(COUNT);
    MPI_File_read_at(file, rank * COUNT, data, COUNT, MPI_INT, used());
    has(COUNT);
    MPI_File_read_at(file, rank * COUNT, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, rank * COUNT, MPI_SEEK_SET);
    MPI_File_read_all(file, data, COUNT, MPI_INT, used());
    has(COUNT);
    MPI_File_read_at_all_begin(file, rank * COUNT, data, COUNT, MPI_INT);
    MPI_File_read_at_all_end(file, data, used());
    has(COUNT);
    MPI_File_iwrite_at(file, rank * COUNT, data, COUNT, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], used());
    has(COUNT);
    MPI_File_iread_at(file, rank * COUNT, data, 2, MPI_INT, &requests[0]);
    MPI_File_iread_at(file, rank * COUNT + 2, data + 2, 3, MPI_INT, &requests[1]);
    memset(both, 0xff, sizeof both);
    MPI_Waitall(2, requests, both);
    status = both[1];
    has(3);
    MPI_File_iread_at(file, rank * COUNT, data, COUNT, MPI_INT, &requests[0]);
    while (!flag)
        MPI_Test(&requests[0], &flag, used());
    has(COUNT);
    for (int i = 0; i < COUNT; i++)
        EXPECT(data[i] == i + 1);
    MPI_File_close(&file);
    verdict = expect_verdict("filestatus", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
