/* A proxy of mpiio: its MPI calls, from mpiio.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 477 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
 * void work(double ns) in place of a loop that waits; -DFREE_ORDER: receives of any source take what comes.
 *
 * No license of Pilgrim applies to this file: it is derived from the program that was recorded. */
/* Left out: 8 calls; each has a comment at its place. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* MPICH's MPI_STATUSES_IGNORE is the address 1 */
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARENA_BYTES
#define ARENA_BYTES 131072 /* of a buffer; what is not used takes no memory */
#endif

static int rank, size;
static MPI_Datatype type[2];
static MPI_Group group[1];
static MPI_File file[1];
static MPI_Info info[1];
static MPI_Request request[10];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[5]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Aint any_aint[6][16];
static MPI_Offset any_offset[6][16];
static MPI_Datatype any_datatype[6][16];
static MPI_Status any_status[16];
static char any_text[65536];

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
}

#ifndef PROXY_DIR
#define PROXY_DIR "."
#endif
/* A file in place of the program's. */
static const char *file_name(int number)
{
    static char name[4096];
    snprintf(name, sizeof name, "%s/proxy-file-%d", PROXY_DIR, number);
    return name;
}

static void start(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4) {
        if (rank == 0)
            fprintf(stderr, "this program is for 4 ranks\n");
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void use_offsets(void)
{
    MPI_File_write_at_all(file[0], rank * 32, stack[1], 8, MPI_INT, any_status); /* mpiio.c:52 */
    MPI_File_sync(file[0]); /* mpiio.c:53 */
    MPI_Barrier(MPI_COMM_WORLD); /* mpiio.c:54 */
    MPI_File_read_at(file[0], rank == size - 1 ? 0 : rank * 32 + 32, stack[2], 8, MPI_INT,
            any_status); /* mpiio.c:55 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_read_at_all(file[0], rank * 32, stack[2], 8, MPI_INT, any_status); /* mpiio.c:57 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_iread_at(file[0], rank == size - 1 ? 0 : rank * 32 + 32, stack[2], 8, MPI_INT,
            &request[0]); /* mpiio.c:59 */
    MPI_Wait(&request[0], any_status); /* mpiio.c:60 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_iread_at_all(file[0], rank * 32, stack[2], 8, MPI_INT, &request[1]); /* mpiio.c:62 */
    MPI_Wait(&request[1], any_status); /* mpiio.c:63 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_read_at_all_begin(file[0], rank == size - 1 ? 0 : rank * 32 + 32, stack[2], 8,
            MPI_INT); /* mpiio.c:65 */
    MPI_File_read_at_all_end(file[0], stack[2], any_status); /* mpiio.c:66 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_Barrier(MPI_COMM_WORLD); /* mpiio.c:69 */
    MPI_File_write_at(file[0], rank * 32, stack[1], 8, MPI_INT, MPI_STATUS_IGNORE); /* mpiio.c:71 */
    MPI_File_iwrite_at(file[0], rank * 32, stack[1], 8, MPI_INT, &request[2]); /* mpiio.c:72 */
    MPI_Wait(&request[2], any_status); /* mpiio.c:73 */
    MPI_File_iwrite_at_all(file[0], rank * 32, stack[1], 8, MPI_INT, &request[3]); /* mpiio.c:74 */
    MPI_Wait(&request[3], MPI_STATUS_IGNORE); /* mpiio.c:75 */
    MPI_File_write_at_all_begin(file[0], rank * 32, stack[1], 8, MPI_INT); /* mpiio.c:76 */
    MPI_File_write_at_all_end(file[0], stack[1], any_status); /* mpiio.c:77 */
    MPI_File_read_at(file[0], rank * 32, stack[2], 8, MPI_INT, MPI_STATUS_IGNORE); /* mpiio.c:78 */
    MPI_File_get_size(file[0], any_offset[0]); /* mpiio.c:80 */
}

static void use_view(void)
{
    MPI_Type_create_resized(MPI_INT, 0, 16, &type[0]); /* mpiio.c:93 */
    MPI_Type_commit(&type[0]); /* mpiio.c:94 */
    MPI_File_set_view(file[0], rank * 4, MPI_INT, type[0], "native", MPI_INFO_NULL); /* mpiio.c:95 */
    MPI_File_get_view(file[0], any_offset[0], any_datatype[0], &type[1], any_text); /* mpiio.c:96 */
    MPI_Type_free(&type[1]); /* mpiio.c:99 */
    MPI_File_write_all(file[0], stack[3], 8, MPI_INT, any_status); /* mpiio.c:102 */
    MPI_File_get_position(file[0], any_offset[0]); /* mpiio.c:103 */
    MPI_File_get_byte_offset(file[0], 8, any_offset[1]); /* mpiio.c:105 */
    MPI_File_sync(file[0]); /* mpiio.c:107 */
    MPI_Barrier(MPI_COMM_WORLD); /* mpiio.c:108 */
    MPI_File_sync(file[0]); /* mpiio.c:109 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:110 */
    MPI_File_read(file[0], stack[1], 8, MPI_INT, any_status); /* mpiio.c:111 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_seek(file[0], -8, MPI_SEEK_CUR); /* mpiio.c:113 */
    MPI_File_read_all(file[0], stack[1], 8, MPI_INT, any_status); /* mpiio.c:114 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:116 */
    MPI_File_iread(file[0], stack[1], 8, MPI_INT, &request[4]); /* mpiio.c:117 */
    MPI_Wait(&request[4], any_status); /* mpiio.c:118 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:120 */
    MPI_File_iread_all(file[0], stack[1], 8, MPI_INT, &request[5]); /* mpiio.c:121 */
    MPI_Wait(&request[5], any_status); /* mpiio.c:122 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:124 */
    MPI_File_read_all_begin(file[0], stack[1], 8, MPI_INT); /* mpiio.c:125 */
    MPI_File_read_all_end(file[0], stack[1], any_status); /* mpiio.c:126 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:129 */
    MPI_File_write(file[0], stack[3], 8, MPI_INT, MPI_STATUS_IGNORE); /* mpiio.c:130 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:131 */
    MPI_File_iwrite(file[0], stack[3], 8, MPI_INT, &request[6]); /* mpiio.c:132 */
    MPI_Wait(&request[6], MPI_STATUS_IGNORE); /* mpiio.c:133 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:134 */
    MPI_File_iwrite_all(file[0], stack[3], 8, MPI_INT, &request[7]); /* mpiio.c:135 */
    MPI_Wait(&request[7], MPI_STATUS_IGNORE); /* mpiio.c:136 */
    MPI_File_seek(file[0], 0, MPI_SEEK_SET); /* mpiio.c:137 */
    MPI_File_write_all_begin(file[0], stack[3], 8, MPI_INT); /* mpiio.c:138 */
    MPI_File_write_all_end(file[0], stack[3], any_status); /* mpiio.c:139 */
    MPI_Type_free(&type[0]); /* mpiio.c:140 */
    MPI_File_set_view(file[0], 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL); /* mpiio.c:141 */
}

static void use_shared_pointer(void)
{
    MPI_File_set_view(file[0], 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* mpiio.c:151 */
    MPI_File_seek_shared(file[0], 0, MPI_SEEK_SET); /* mpiio.c:153 */
    MPI_File_write_ordered(file[0], stack[1], 8, MPI_INT, any_status); /* mpiio.c:154 */
    MPI_File_write_ordered_begin(file[0], stack[1], 8, MPI_INT); /* mpiio.c:155 */
    MPI_File_write_ordered_end(file[0], stack[1], any_status); /* mpiio.c:156 */
    MPI_Barrier(MPI_COMM_WORLD); /* mpiio.c:157 */
    MPI_File_get_position_shared(file[0], any_offset[0]); /* mpiio.c:158 */
    MPI_Barrier(MPI_COMM_WORLD); /* mpiio.c:160 */
    MPI_File_seek_shared(file[0], 0, MPI_SEEK_SET); /* mpiio.c:161 */
    MPI_File_read_ordered(file[0], stack[2], 8, MPI_INT, any_status); /* mpiio.c:162 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_File_read_ordered_begin(file[0], stack[2], 8, MPI_INT); /* mpiio.c:164 */
    MPI_File_read_ordered_end(file[0], stack[2], any_status); /* mpiio.c:165 */
    MPI_Get_count(any_status, MPI_INT, any_int[0]); /* mpiio.c:35 */
    MPI_Barrier(MPI_COMM_WORLD); /* mpiio.c:168 */
    MPI_File_seek_shared(file[0], 0, MPI_SEEK_SET); /* mpiio.c:169 */
    MPI_File_read_shared(file[0], stack[2], 8, MPI_INT, any_status); /* mpiio.c:170 */
    MPI_File_iread_shared(file[0], stack[1], 8, MPI_INT, &request[8]); /* mpiio.c:171 */
    MPI_Wait(&request[8], any_status); /* mpiio.c:172 */
    MPI_Allreduce(stack[2], stack[4], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* mpiio.c:174 */
    MPI_File_seek_shared(file[0], 0, MPI_SEEK_SET); /* mpiio.c:177 */
    MPI_File_write_shared(file[0], stack[2], 8, MPI_INT, any_status); /* mpiio.c:178 */
    MPI_File_iwrite_shared(file[0], stack[2], 8, MPI_INT, &request[9]); /* mpiio.c:179 */
    MPI_Wait(&request[9], any_status); /* mpiio.c:180 */
}

static void use_queries(void)
{
    MPI_File_get_amode(file[0], any_int[0]); /* mpiio.c:190 */
    MPI_File_get_group(file[0], &group[0]); /* mpiio.c:192 */
    MPI_Group_size(group[0], any_int[0]); /* mpiio.c:193 */
    MPI_Group_free(&group[0]); /* mpiio.c:195 */
    MPI_File_get_info(file[0], &info[0]); /* mpiio.c:196 */
    MPI_File_set_info(file[0], info[0]); /* mpiio.c:197 */
    MPI_Info_free(&info[0]); /* mpiio.c:198 */
    MPI_File_set_atomicity(file[0], 1); /* mpiio.c:199 */
    MPI_File_get_atomicity(file[0], any_int[0]); /* mpiio.c:200 */
    MPI_File_set_atomicity(file[0], 0); /* mpiio.c:202 */
    MPI_File_get_type_extent(file[0], MPI_INT, any_aint[0]); /* mpiio.c:203 */
    MPI_File_preallocate(file[0], 4096); /* mpiio.c:205 */
    MPI_File_set_size(file[0], 100); /* mpiio.c:206 */
    MPI_File_get_size(file[0], any_offset[0]); /* mpiio.c:207 */
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 5; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* mpiio.c:218 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* mpiio.c:219 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* mpiio.c:220 */
    MPI_Bcast(stack[0], 256, MPI_CHAR, 0, MPI_COMM_WORLD); /* mpiio.c:222 */
    MPI_Info_create(&info[0]); /* mpiio.c:224 */
    MPI_Info_set(info[0], "romio_ds_write", "disable"); /* mpiio.c:225 */
    MPI_File_open(MPI_COMM_WORLD, file_name(0), MPI_MODE_CREATE | MPI_MODE_RDWR, info[0],
            &file[0]); /* mpiio.c:226 */
    MPI_Info_free(&info[0]); /* mpiio.c:227 */
    use_offsets(); /* mpiio.c:228 */
    use_view(); /* mpiio.c:229 */
    use_shared_pointer(); /* mpiio.c:230 */
    use_queries(); /* mpiio.c:231 */
    MPI_File_close(&file[0]); /* mpiio.c:232 */
    if (rank == 0) {
        MPI_File_delete(file_name(0), MPI_INFO_NULL); /* mpiio.c:235 */
    }
    /* MPI_File_open is left out: it failed */
    /* MPI_Error_class is left out: its codes are of that run; it is local */
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 25260, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* mpiio.c:244 */
    MPI_Finalize(); /* mpiio.c:247 */
    return 0;
}
