/* A proxy of tags: its MPI calls, from tags.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 3640 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
 * void work(double ns) in place of a loop that waits; -DFREE_ORDER: receives of any source take what comes.
 *
 * No license of Pilgrim applies to this file: it is derived from the program that was recorded. */
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
#define ARENA_BYTES 65536 /* of a buffer; what is not used takes no memory */
#endif

static int rank, size;
static MPI_Comm comm[1];
static MPI_Request request[8];
static char *stack[9]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Status any_status[16];

static const int tags_1[] = {
    32000, 32001, 32002, 32003, 32016, 32017, 32018, 32019, 32032, 32033, 32034, 32035,
    32048, 32049, 32050, 32051, 32064, 32065, 32066, 32067, 32080, 32081, 32082, 32083,
    32096, 32097, 32098, 32099, 32112, 32113, 32114, 32115, 32128, 32129, 32130, 32131,
    32144, 32145, 32146, 32147, 32160, 32161, 32162, 32163, 32176, 32177, 32178, 32179,
    32192, 32193, 32194, 32195, 32208, 32209, 32210, 32211, 32224, 32225, 32226, 32227,
    32240, 32241, 32242, 32243, 32256, 32257, 32258, 32259, 32272, 32273, 32274, 32275,
    32288, 32289, 32290, 32291, 32304, 32305, 32306, 32307, 32320, 32321, 32322, 32323,
    32336, 32337, 32338, 32339, 32352, 32353, 32354, 32355, 32368, 32369, 32370, 32371,
    32384, 32385, 32386, 32387, 32400, 32401, 32402, 32403, 32416, 32417, 32418, 32419,
    32432, 32433, 32434, 32435, 32448, 32449, 32450, 32451, 32464, 32465, 32466, 32467,
    32480, 32481, 32482, 32483, 32496, 32497, 32498, 32499, 32512, 32513, 32514, 32515,
    32528, 32529, 32530, 32531, 32544, 32545, 32546, 32547, 32560, 32561, 32562, 32563,
    32576, 32577, 32578, 32579, 32592, 32593, 32594, 32595, 32608, 32609, 32610, 32611,
    32624, 32625, 32626, 32627, 32640, 32641, 32642, 32643, 32656, 32657, 32658, 32659,
    32672, 32673, 32674, 32675, 32688, 32689, 32690, 32691, 32704, 32705, 32706, 32707,
    32720, 32721, 32722, 32723, 32736, 32737, 32738, 32739, 0, 1, 2, 3, 16, 17, 18, 19, 32,
    33, 34, 35, 48, 49, 50, 51, 64, 65, 66, 67, 80, 81, 82, 83, 96, 97, 98, 99, 112, 113,
    114, 115, 128, 129, 130, 131, 144, 145, 146, 147, 160, 161, 162, 163, 176, 177, 178,
    179, 192, 193, 194, 195, 208, 209, 210, 211, 224, 225, 226, 227, 240, 241, 242, 243,
    256, 257, 258, 259, 272, 273, 274, 275, 288, 289, 290, 291, 304, 305, 306, 307, 320,
    321, 322, 323, 336, 337, 338, 339, 352, 353, 354, 355, 368, 369, 370, 371, 384, 385,
    386, 387, 400, 401, 402, 403, 416, 417, 418, 419, 432, 433, 434, 435, 448, 449, 450,
    451, 464, 465, 466, 467, 480, 481, 482, 483, 496, 497, 498, 499, 512, 513, 514, 515,
    528, 529, 530, 531, 544, 545, 546, 547, 560, 561, 562, 563, 576, 577, 578, 579, 592,
    593, 594, 595, 608, 609, 610, 611, 624, 625, 626, 627, 640, 641, 642, 643, 656, 657,
    658, 659, 672, 673, 674, 675, 688, 689, 690, 691, 704, 705, 706, 707, 720, 721, 722,
    723, 736, 737, 738, 739, 752, 753, 754, 755, 768, 769, 770, 771, 784, 785, 786, 787,
    800, 801, 802, 803, 816, 817, 818, 819, 832, 833, 834, 835}; /* by visit */
static long visits[2]; /* by statement: how often it was reached */

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
}

/* The rank that is SHIFT further on an axis of EXTENT ranks, which are STRIDE apart. */
static int torus(int stride, int extent, int shift)
{
    const int at = rank / stride % extent;
    return rank + ((at + shift + extent) % extent - at) * stride;
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

static void exchange_calls(void)
{
    for (long i = 0; i < 4; i++) {
        {
            const long n = visits[0]++;
            MPI_Irecv(stack[i], 1, MPI_INT, (const int[]){(rank + 2) % size, (rank + 2) % size, torus(1, 2,
                    1), torus(1, 2, 1)}[i], tags_1[n], comm[0], &request[i]); /* tags.c:27 */
        }
    }
    for (long i = 0; i < 4; i++) {
        {
            const long n = visits[1]++;
            MPI_Isend(stack[i + 4], 1, MPI_INT, (const int[]){(rank + 2) % size, (rank + 2) % size, torus(1,
                    2, 1), torus(1, 2, 1)}[i], tags_1[n], comm[0], &request[i + 4]); /* tags.c:30 */
        }
    }
    MPI_Waitall(8, request, any_status); /* tags.c:32 */
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 9; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* tags.c:46 */
    start();
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* tags.c:47 */
    MPI_Dims_create(4, 2, (int[]){0, 0}); /* tags.c:48 */
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 1, &comm[0]); /* tags.c:49 */
    MPI_Comm_rank(comm[0], any_int[0]); /* tags.c:50 */
    MPI_Cart_shift(comm[0], 0, 1, any_int[2], any_int[3]); /* tags.c:51 */
    MPI_Cart_shift(comm[0], 1, 1, any_int[2], any_int[3]); /* tags.c:52 */
    for (long i = 0; i < 100; i++) {
        exchange_calls(); /* tags.c:54 */
    }
    MPI_Allreduce(MPI_IN_PLACE, stack[8], 1, MPI_INT, MPI_MAX, comm[0]); /* tags.c:55 */
    MPI_Comm_free(&comm[0]); /* tags.c:58 */
    MPI_Finalize(); /* tags.c:59 */
    return 0;
}
