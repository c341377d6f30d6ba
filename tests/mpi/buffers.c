/* buffers: memory of every kind as a message buffer, freed and allocated again so that addresses come back.
 *
 * Exercises: malloc, calloc, realloc (in place and moved), aligned_alloc, posix_memalign, memalign, mmap,
 * munmap, mremap, stack, static and constant data, offsets into them, MPI_Alloc_mem; MPI_BOTTOM with a
 * datatype of absolute addresses, MPI_IN_PLACE, NULL with count 0; the same address as several allocations
 * after each other.
 */
#define _GNU_SOURCE
#include "expect.h"

#include <malloc.h>
#include <string.h>
#include <sys/mman.h>

enum { CELLS = 64, BYTES = CELLS * (int)sizeof(int) };

static int world_rank, world_size, next, previous;
static int static_cells[2 * CELLS];
static const int constant_cells[CELLS] = {3, 1, 4, 1, 5, 9, 2, 6};

/* Sends CELLS integers from OUT round the ring into IN. */
static void pass_on(const int *out, int *in)
{
    MPI_Sendrecv(out, CELLS, MPI_INT, next, 0, in, CELLS, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The same with two halves of one piece of memory. */
static void pass_on_within(int *cells)
{
    for (int i = 0; i < CELLS; i++) {
        cells[i] = world_rank * 100 + i;
        cells[CELLS + i] = -1;
    }
    pass_on(cells, cells + CELLS);
    for (int i = 0; i < CELLS; i++)
        EXPECT(cells[CELLS + i] == previous * 100 + i);
}

static void check_heap(void)
{
    void *memory = malloc(2 * BYTES);
    int *in, stack_cells[2 * CELLS];

    pass_on_within(memory);
    memory = realloc(memory, 2 * BYTES + 64);
    pass_on_within((int *)memory + 16);
    memory = realloc(memory, 1 << 20); /* grows beyond what malloc keeps in its heap: moves */
    pass_on_within((int *)memory + 100000);
    memory = realloc(memory, 2 * BYTES);
    pass_on_within(memory);
    free(memory);
    memory = realloc(NULL, 2 * BYTES);
    pass_on_within(memory);
    free(memory);
    free(NULL);
    memory = calloc(2 * CELLS, sizeof(int));
    pass_on_within(memory);
    free(memory);
    memory = aligned_alloc(4096, 4096);
    pass_on_within(memory);
    free(memory);
    EXPECT(posix_memalign(&memory, 256, 2 * BYTES) == 0);
    pass_on_within(memory);
    free(memory);
    memory = memalign(64, 2 * BYTES);
    pass_on_within(memory);
    free(memory);
    EXPECT(MPI_Alloc_mem(2 * BYTES, MPI_INFO_NULL, &memory) == MPI_SUCCESS);
    pass_on_within(memory);
    MPI_Free_mem(memory);

    pass_on_within(static_cells);
    pass_on_within(stack_cells);
    in = malloc(BYTES);
    pass_on(constant_cells, in);
    EXPECT(memcmp(in, constant_cells, BYTES) == 0);
    free(in);
}

static void check_mapping(void)
{
    const size_t bytes = 1 << 16;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    EXPECT(memory != MAP_FAILED);
    pass_on_within((int *)(void *)memory);
    pass_on_within((int *)(void *)(memory + bytes / 2));
    memory = mremap(memory, bytes, 2 * bytes, MREMAP_MAYMOVE);
    EXPECT(memory != MAP_FAILED);
    pass_on_within((int *)(void *)(memory + bytes));
    munmap(memory + bytes, bytes); /* the upper half goes first */
    pass_on_within((int *)(void *)memory);
    munmap(memory, bytes);
}

/* Small blocks in a changing order of freeing, so that addresses are handed out anew. */
static void check_reuse(void)
{
    int *blocks[4];

    for (int round = 0; round < 12; round++) {
        for (int b = 0; b < 4; b++)
            blocks[b] = malloc((size_t)(BYTES << (round % 3 == 2)));
        for (int b = 0; b < 4; b++) {
            for (int i = 0; i < CELLS; i++)
                blocks[b][i] = world_rank + round + b + i;
            pass_on(blocks[b], blocks[(b + 1) % 4]);
            EXPECT(blocks[(b + 1) % 4][5] == previous + round + b + 5);
        }
        for (int b = 0; b < 4; b++)
            free(blocks[(b * 3 + round) % 4]);
    }
}

/* A buffer that is freed while the receive that was posted for it is long done, in flight with others. */
static void check_flight(void)
{
    MPI_Request requests[8];
    int *out[4], *in[4];

    for (int round = 0; round < 5; round++) {
        for (int b = 0; b < 4; b++) {
            out[b] = malloc(BYTES);
            in[b] = malloc(BYTES);
            for (int i = 0; i < CELLS; i++)
                out[b][i] = b + world_rank + round;
            MPI_Irecv(in[b], CELLS, MPI_INT, previous, b, MPI_COMM_WORLD, &requests[b]);
            MPI_Isend(out[b], CELLS, MPI_INT, next, b, MPI_COMM_WORLD, &requests[4 + b]);
        }
        for (int b = 3; b >= 0; b--) {
            MPI_Wait(&requests[b], MPI_STATUS_IGNORE);
            EXPECT(in[b][CELLS - 1] == b + previous + round);
            free(in[b]);
        }
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        for (int b = 0; b < 4; b++)
            free(out[b]);
    }
}

static void check_sentinels(void)
{
    int heap_rank, stack_out[2] = {world_rank, world_rank + 1}, *heap_in = calloc(2, sizeof *heap_in);
    const int lengths[2] = {1, 1};
    MPI_Aint places[2];
    MPI_Datatype out_type, in_type;

    /* Absolute addresses: one of the stack and one static; received into the heap. */
    static_cells[7] = world_rank * 7;
    MPI_Get_address(&stack_out[1], &places[0]);
    MPI_Get_address(&static_cells[7], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &out_type);
    MPI_Get_address(&heap_in[1], &places[0]);
    places[1] = MPI_Aint_add(places[0], -(MPI_Aint)sizeof(int));
    EXPECT(MPI_Aint_diff(places[0], places[1]) == (MPI_Aint)sizeof(int));
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &in_type);
    MPI_Type_commit(&out_type);
    MPI_Type_commit(&in_type);
    MPI_Sendrecv(MPI_BOTTOM, 1, out_type, next, 1, MPI_BOTTOM, 1, in_type, previous, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(heap_in[1] == previous + 1 && heap_in[0] == previous * 7);
    MPI_Type_free(&out_type);
    MPI_Type_free(&in_type);
    free(heap_in);

    heap_rank = world_rank;
    MPI_Allreduce(MPI_IN_PLACE, &heap_rank, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT(heap_rank == world_size - 1);
    MPI_Sendrecv(NULL, 0, MPI_INT, next, 2, NULL, 0, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&world_rank, world_rank == 0 ? &heap_rank : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    EXPECT(world_rank != 0 || heap_rank == world_size * (world_size - 1) / 2);
}

int main(int argc, char **argv)
{
    int *const before = malloc(2 * BYTES); /* older than the tracer's first call */
    int verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    pass_on_within(before);
    for (int round = 0; round < 2; round++) {
        check_heap();
        check_mapping();
    }
    check_reuse();
    check_flight();
    check_sentinels();
    free(before);
    verdict = expect_verdict("buffers", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
