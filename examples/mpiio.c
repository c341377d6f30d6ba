/* mpiio: one file written and read by all ranks together, in all the ways MPI offers.
 *
 * Exercises: open, close, delete, views, infos; explicit offsets, individual and shared pointers, each
 * blocking, nonblocking and collective, split collectives, ordered; seek and positions; sizes, preallocate,
 * atomicity, sync; statuses of reads; the error of opening a file that is not there (files return errors by
 * default).
 *
 * The file is a temporary one in $TMPDIR or /tmp, named by rank 0 and removed at the end.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 8, PATH = 256 };

static int world_rank, world_size, failures;

static void expect(int holds, const char *what) {
    if (holds)
        return;
    failures++;
    fprintf(stderr, "mpiio: rank %d: %s\n", world_rank, what);
}

static void block_fill(int *block, int seed) {
    for (int i = 0; i < BLOCK; i++)
        block[i] = seed * 1000 + i;
}

static void block_expect(const int *block, int seed, MPI_Status *status, const char *what) {
    int count = -1;

    if (status != MPI_STATUS_IGNORE) {
        MPI_Get_count(status, MPI_INT, &count);
        expect(count == BLOCK, what);
    }
    for (int i = 0; i < BLOCK; i++)
        expect(block[i] == seed * 1000 + i, what);
}

/* Explicit offsets: the ranks' blocks one after the other. */
static void use_offsets(MPI_File file) {
    const MPI_Offset bytes = BLOCK * (MPI_Offset)sizeof(int), mine = world_rank * bytes;
    const int next = (world_rank + 1) % world_size;
    int block[BLOCK], other[BLOCK];
    MPI_Request request;
    MPI_Status status;
    MPI_Offset size;

    block_fill(block, world_rank);
    MPI_File_write_at_all(file, mine, block, BLOCK, MPI_INT, &status);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, next * bytes, other, BLOCK, MPI_INT, &status);
    block_expect(other, next, &status, "read_at");
    MPI_File_read_at_all(file, mine, other, BLOCK, MPI_INT, &status);
    block_expect(other, world_rank, &status, "read_at_all");
    MPI_File_iread_at(file, next * bytes, other, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
    block_expect(other, next, &status, "iread_at");
    MPI_File_iread_at_all(file, mine, other, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
    block_expect(other, world_rank, &status, "iread_at_all");
    MPI_File_read_at_all_begin(file, next * bytes, other, BLOCK, MPI_INT);
    MPI_File_read_at_all_end(file, other, &status);
    block_expect(other, next, &status, "read_at_all_begin");

    MPI_Barrier(MPI_COMM_WORLD);
    block_fill(block, world_rank + 50);
    MPI_File_write_at(file, mine, block, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, mine, block, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_iwrite_at_all(file, mine, block, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, mine, block, BLOCK, MPI_INT);
    MPI_File_write_at_all_end(file, block, &status);
    MPI_File_read_at(file, mine, other, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    block_expect(other, world_rank + 50, MPI_STATUS_IGNORE, "write_at");
    MPI_File_get_size(file, &size);
    expect(size == world_size * bytes, "size of the file");
}

/* A view: each rank sees every SIZE-th integer, starting with its own; the pointer counts those. */
static void use_view(MPI_File file) {
    char representation[MPI_MAX_DATAREP_STRING];
    int block[BLOCK], other[BLOCK];
    MPI_Datatype strided, element, filetype;
    MPI_Offset displacement, position, byte;
    MPI_Request request;
    MPI_Status status;

    MPI_Type_create_resized(MPI_INT, 0, world_size * (MPI_Aint)sizeof(int), &strided);
    MPI_Type_commit(&strided);
    MPI_File_set_view(file, world_rank * (MPI_Offset)sizeof(int), MPI_INT, strided, "native", MPI_INFO_NULL);
    MPI_File_get_view(file, &displacement, &element, &filetype, representation);
    expect(displacement == world_rank * (MPI_Offset)sizeof(int) && element == MPI_INT, "view");
    if (filetype != MPI_INT)
        MPI_Type_free(&filetype);

    block_fill(block, world_rank);
    MPI_File_write_all(file, block, BLOCK, MPI_INT, &status);
    MPI_File_get_position(file, &position);
    expect(position == BLOCK, "position after a write");
    MPI_File_get_byte_offset(file, position, &byte);
    expect(byte == (BLOCK * world_size + world_rank) * (MPI_Offset)sizeof(int), "byte offset");
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, other, BLOCK, MPI_INT, &status);
    block_expect(other, world_rank, &status, "read in a view");
    MPI_File_seek(file, -BLOCK, MPI_SEEK_CUR);
    MPI_File_read_all(file, other, BLOCK, MPI_INT, &status);
    block_expect(other, world_rank, &status, "read_all in a view");
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iread(file, other, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
    block_expect(other, world_rank, &status, "iread in a view");
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iread_all(file, other, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
    block_expect(other, world_rank, &status, "iread_all in a view");
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, other, BLOCK, MPI_INT);
    MPI_File_read_all_end(file, other, &status);
    block_expect(other, world_rank, &status, "read_all_begin");

    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write(file, block, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iwrite(file, block, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iwrite_all(file, block, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, block, BLOCK, MPI_INT);
    MPI_File_write_all_end(file, block, &status);
    MPI_Type_free(&strided);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
}

/* The shared pointer: in rank order, and first come first served. */
static void use_shared_pointer(MPI_File file) {
    int block[BLOCK], other[BLOCK], sum = 0;
    MPI_Offset position;
    MPI_Request request;
    MPI_Status status;

    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    block_fill(block, world_rank);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, block, BLOCK, MPI_INT, &status);
    MPI_File_write_ordered_begin(file, block, BLOCK, MPI_INT);
    MPI_File_write_ordered_end(file, block, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &position);
    expect(position == 2 * world_size * BLOCK, "shared position");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, other, BLOCK, MPI_INT, &status);
    block_expect(other, world_rank, &status, "read_ordered");
    MPI_File_read_ordered_begin(file, other, BLOCK, MPI_INT);
    MPI_File_read_ordered_end(file, other, &status);
    block_expect(other, world_rank, &status, "read_ordered_begin");

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_shared(file, other, BLOCK, MPI_INT, &status);
    MPI_File_iread_shared(file, block, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
    other[0] = other[0] / 1000 + block[0] / 1000;
    MPI_Allreduce(other, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == world_size * (world_size - 1), "every block was read twice");

    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_shared(file, other, BLOCK, MPI_INT, &status);
    MPI_File_iwrite_shared(file, other, BLOCK, MPI_INT, &request);
    MPI_Wait(&request, &status);
}

static void use_queries(MPI_File file) {
    MPI_Info info;
    MPI_Group group;
    MPI_Aint extent;
    MPI_Offset size;
    int mode, atomic, members;

    MPI_File_get_amode(file, &mode);
    expect(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR), "access mode");
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &members);
    expect(members == world_size, "group of the file");
    MPI_Group_free(&group);
    MPI_File_get_info(file, &info);
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    MPI_File_set_atomicity(file, 1);
    MPI_File_get_atomicity(file, &atomic);
    expect(atomic == 1, "atomicity");
    MPI_File_set_atomicity(file, 0);
    MPI_File_get_type_extent(file, MPI_INT, &extent);
    expect(extent == sizeof(int), "extent in the file");
    MPI_File_preallocate(file, 4096);
    MPI_File_set_size(file, 100);
    MPI_File_get_size(file, &size);
    expect(size == 100, "set_size");
}

int main(int argc, char **argv) {
    char path[PATH], missing[PATH + 16];
    const char *folder = getenv("TMPDIR");
    int code, class = MPI_SUCCESS;
    MPI_Info info;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    snprintf(path, sizeof path, "%s/mpiio-%ld.data", folder ? folder : "/tmp", (long)getpid());
    MPI_Bcast(path, PATH, MPI_CHAR, 0, MPI_COMM_WORLD);

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_ds_write", "disable");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    MPI_Info_free(&info);
    use_offsets(file);
    use_view(file);
    use_shared_pointer(file);
    use_queries(file);
    MPI_File_close(&file);
    expect(file == MPI_FILE_NULL, "closed");
    if (world_rank == 0) {
        MPI_File_delete(path, MPI_INFO_NULL);
        expect(access(path, F_OK) != 0, "delete");
    }

    snprintf(missing, sizeof missing, "%s.missing", path);
    code = MPI_File_open(MPI_COMM_SELF, missing, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_Error_class(code, &class);
    expect(class == MPI_ERR_NO_SUCH_FILE, "opening a file that is not there");

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("mpiio: %d ranks, %d failures\n", world_size, failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
