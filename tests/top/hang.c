/* hang CASE: a program that hangs, in ways that pilgrim-top names (tests/top/run); or does not. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, value;

static void receive_cycle(void)
{
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) int receive(void)
{
    MPI_Recv(&value, 1, MPI_INT, (1 + rank) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* of all */
    return value;
}

static __attribute__((noinline)) int left(void)
{
    return 1 + receive(); /* from the left */
}

static __attribute__((noinline)) int right(void)
{
    return 2 + receive();
}

/* The third rank comes another way. */
static __attribute__((noinline)) void paths(void)
{
    value = rank == 2 ? right() : left(); /* to both sides */
}

static void send_cycle(void)
{
    MPI_Ssend(&value, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
}

static void wait_cycle(void)
{
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The tags differ. */
static void wrong_tag(void)
{
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void functions(void)
{
    int sum;
    if (rank == 1)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void missing(void)
{
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void roots(void)
{
    MPI_Bcast(&value, 1, MPI_INT, rank == 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void sub(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank < 2)
        MPI_Recv(&value, 1, MPI_INT, 1, 5, half, MPI_STATUS_IGNORE);
    MPI_Barrier(half);
}

static void ended(void)
{
    if (rank == 1)
        _exit(0);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank does not take part, and is in MPI_Finalize. */
static void finalize(void)
{
    if (rank != 1)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* The neighbours' messages come in the end, but for those of rank 2, which is elsewhere. */
static void halo(void)
{
    int in[2], out[2] = {0};
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int i = 0; i < 100; i++) {
        if (rank == 2 && i == 50)
            MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int side = 0; side < 2; side++) {
            int neighbour = (rank + (side ? 1 : size - 1)) % size;
            MPI_Irecv(&in[side], 1, MPI_INT, neighbour, 0, MPI_COMM_WORLD, &requests[side]);
            MPI_Isend(&out[side], 1, MPI_INT, neighbour, 0, MPI_COMM_WORLD, &requests[2 + side]);
        }
        MPI_Waitall(4, requests, statuses);
    }
}

/* Loops that a rank leaves in the 412th iteration of the inner one. */
static void loops(void)
{
    int sum;
    for (int i = 0; i < 3; i++) {
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (int j = 0; j < 1000; j++) {
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* begins the inner loop */
            if (rank == 1 && i == 2 && j == 411)
                MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD); /* ends it */
        }
    }
}

/* A rank receives from anyone, and nobody sends. */
static void anyone(void)
{
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank computes while the others wait for it: no deadlock. */
static void computing(void)
{
    while (rank == 1)
        pause();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 waits for a message while the others are in a collective call that has its communicator from elsewhere. */
static void all_but_one(void)
{
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void fence(void)
{
    MPI_Win window;
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    all_but_one();
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void win_free(void)
{
    MPI_Win window;
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    all_but_one();
    MPI_Win_free(&window);
}

static void file_open(void)
{
    MPI_File file;
    all_but_one();
    MPI_File_open(MPI_COMM_WORLD, "hang.file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

static void neighbor(void)
{
    int in[2], periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    all_but_one();
    MPI_Neighbor_allgather(&value, 1, MPI_INT, in, 1, MPI_INT, ring);
}

/* A program as it should be. */
static void working(void)
{
    for (int i = 0; i < 1000000; i++) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"receive-cycle", receive_cycle},
                 {"paths", paths},
                 {"send-cycle", send_cycle},
                 {"wait-cycle", wait_cycle},
                 {"wrong-tag", wrong_tag},
                 {"functions", functions},
                 {"missing", missing},
                 {"roots", roots},
                 {"sub", sub},
                 {"ended", ended},
                 {"finalize", finalize},
                 {"halo", halo},
                 {"loops", loops},
                 {"anyone", anyone},
                 {"fence", fence},
                 {"win-free", win_free},
                 {"file-open", file_open},
                 {"neighbor", neighbor},
                 {"computing", computing},
                 {"working", working}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, argv[1]))
            cases[i].run();
    MPI_Finalize();
    return 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
