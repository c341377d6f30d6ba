/* Wait states whose causes are known (tests/waits): in each pattern one rank comes later to its call, as if it
 * computed, so that others wait. It sleeps, which tests/preloads/logical_clock.c makes a matter of that clock alone.
 *
 *     delays [PATTERN [EXTRA_US [REPETITIONS]]]    without a pattern: all of them, one after another
 *     delays init EXTRA_US                         rank 1 is late for MPI_Init
 */
#include <string.h>
#include <time.h>

#include "expect.h"

static int world_rank, world_size, repetition, data[64], other[64];
static double extra_s;

void logical_sleep_late(int readings, long ns) __attribute__((weak));

static long nanoseconds(double seconds)
{
    return (long)(1e9 * seconds);
}

static void compute(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = nanoseconds(seconds - (double)(time_t)seconds)};

    nanosleep(&time, NULL);
}

static void work(int who)
{
    if (who == world_rank)
        compute(extra_s);
}

static void late_sender(void)
{
    work(0);
    if (world_rank == 0)
        MPI_Send(data, 8, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else if (world_rank == 1)
        MPI_Recv(other, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender_long(void) /* a small delay, behind much work that all do alike */
{
    compute(0.01);
    late_sender();
}

static void wrong_order(void) /* what is there already is received last */
{
    if (world_rank == 0)
        MPI_Send(data, 8, MPI_INT, 1, 7, MPI_COMM_WORLD);
    work(0);
    if (world_rank == 0)
        MPI_Send(data, 8, MPI_INT, 1, 6, MPI_COMM_WORLD);
    for (int tag = 6; tag < 8 && world_rank == 1; tag++)
        MPI_Recv(other, 8, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender_growing(void) /* each one is later than the one before */
{
    const double once = extra_s;

    extra_s = once * (repetition + 1);
    late_sender();
    extra_s = once;
}

static void late_sender_waitall(void)
{
    MPI_Request requests[2];
    const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;

    work(0);
    MPI_Irecv(other, 8, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 8, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void late_receiver(void)
{
    work(1);
    if (world_rank == 0)
        MPI_Ssend(data, 8, MPI_INT, 1, 3, MPI_COMM_WORLD);
    else if (world_rank == 1)
        MPI_Recv(other, 8, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(void)
{
    work(1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_to_all(void)
{
    work(1);
    MPI_Allreduce(data, other, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void all_nonblocking(void)
{
    MPI_Request request;

    work(1);
    MPI_Iallreduce(data, other, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1 is first in the operation that follows, and leaves it later than the others: when its clock is read for the
 * second time. Without the logical clock it does not. */
static void be_stopped(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank != 1)
        compute(extra_s);
    else if (logical_sleep_late)
        logical_sleep_late(2, nanoseconds(extra_s));
}

static void barrier_completion(void)
{
    be_stopped();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_completion(void)
{
    be_stopped();
    MPI_Allgather(data, 1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD);
}

static void late_broadcast(void)
{
    work(0);
    MPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_WORLD);
}

static void early_reduce(void)
{
    if (world_rank)
        work(world_rank);
    MPI_Reduce(data, other, 8, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void scan(void)
{
    work(0);
    MPI_Scan(data, other, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void chain(void) /* all wait for the first one */
{
    work(0);
    if (world_rank > 0)
        MPI_Recv(other, 8, MPI_INT, world_rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (world_rank + 1 < world_size)
        MPI_Send(data, 8, MPI_INT, world_rank + 1, 5, MPI_COMM_WORLD);
}

static void alltoallv(void)
{
    int counts[64], starts[64];

    for (int i = 0; i < world_size && i < 64; i++)
        counts[i] = starts[i] = 1;
    work(1);
    MPI_Alltoallv(data, counts, starts, MPI_INT, other, counts, starts, MPI_INT, MPI_COMM_WORLD);
}

static void fence(void)
{
    MPI_Win window;
    int *memory;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(data, 8, MPI_INT, (world_rank + 1) % world_size, 0, 8, MPI_INT, window);
    work(1);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void neighbors(void) /* a ring: with four ranks, two of them are neighbors of the one that is late */
{
    int extent = world_size, period = 1;
    MPI_Comm ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &period, 0, &ring);
    work(0);
    MPI_Neighbor_allgather(data, 1, MPI_INT, other, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
}

/* The group of one process, made in one of four ways. */
static MPI_Group group_of(int rank, int way)
{
    MPI_Group world, group, rest, again;
    int others[64], range[1][3] = {{rank, rank, 1}};

    for (int i = 0; i < world_size - 1 && i < 64; i++)
        others[i] = i < rank ? i : i + 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (way == 0) {
        MPI_Group_incl(world, 1, &rank, &group);
    } else if (way == 1) {
        MPI_Group_range_incl(world, 1, range, &group);
    } else if (way == 2) {
        MPI_Group_excl(world, world_size - 1, others, &group);
    } else {
        MPI_Group_range_excl(world, 1, range, &rest);
        MPI_Group_difference(world, rest, &again);
        MPI_Group_free(&rest);
        MPI_Group_union(again, again, &rest);
        MPI_Group_intersection(world, rest, &group);
        MPI_Group_free(&rest);
        MPI_Group_free(&again);
    }
    MPI_Group_free(&world);
    return group;
}

static void post_and_wait(int origin, int target, int who_posts, int who_completes, int way)
{
    MPI_Group partner;
    MPI_Win window;
    int *memory;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    partner = group_of(world_rank == origin ? target : origin, way);
    MPI_Barrier(MPI_COMM_WORLD);
    if (who_posts >= 0)
        work(who_posts);
    if (world_rank == origin) {
        MPI_Win_start(partner, 0, window);
        MPI_Put(data, 8, MPI_INT, target, 0, 8, MPI_INT, window);
        work(who_completes);
        MPI_Win_complete(window);
    } else if (world_rank == target) {
        MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&partner);
    MPI_Win_free(&window);
}

static void late_post(void)
{
    post_and_wait(0, 1, 1, -1, repetition % 2 * 2);
}

static void early_wait(void)
{
    post_and_wait(0, 1, -1, 0, repetition % 2 * 2 + 1);
}

static void partition(void) /* the last part is ready late */
{
#if MPI_VERSION >= 4
    MPI_Request request;

    if (world_rank > 1)
        return;
    if (world_rank == 0)
        MPI_Psend_init(data, 4, 2, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(other, 4, 2, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int part = 0; part < 4 && world_rank == 0; part++) {
        if (part == 3)
            work(0);
        MPI_Pready(part, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
#endif
}

static void polls(void)
{
    MPI_Request request;
    int flag = 0;

    work(0);
    if (world_rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 9, MPI_COMM_WORLD);
    } else if (world_rank == 1) {
        MPI_Irecv(other, 8, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

static void polls_probe(void)
{
    int flag = 0;

    work(0);
    if (world_rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 10, MPI_COMM_WORLD);
    } else if (world_rank == 1) {
        while (!flag)
            MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(other, 8, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void lock(void) /* the one that has it computes */
{
    MPI_Win window;
    int *memory;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (world_rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    work(0);
    if (world_rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (world_rank < 2) {
        MPI_Put(data, 8, MPI_INT, 0, 0, 8, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

static void locks(void) /* all have locks on each other's memory, some alone, some together */
{
    MPI_Win window;
    int *memory;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 12; i++) {
        const int target = (i / 3 + world_rank * (i % 2)) % world_size;

        MPI_Win_lock((i + world_rank) % 3 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window);
        MPI_Put(data, 1, MPI_INT, target, 0, 1, MPI_INT, window);
        work(world_rank);
        MPI_Win_unlock(target, window);
    }
    MPI_Win_free(&window);
}

static void hidden(void) /* the receive is posted early, and nobody waits for it until it is there */
{
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0;

    if (world_rank == 1)
        MPI_Irecv(other, 8, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    work(0);
    if (world_rank == 0)
        MPI_Send(data, 8, MPI_INT, 1, 4, MPI_COMM_WORLD);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} patterns[] = {
    {"late-sender", late_sender},
    {"late-sender-long", late_sender_long},
    {"wrong-order", wrong_order},
    {"late-sender-growing", late_sender_growing},
    {"late-sender-waitall", late_sender_waitall},
    {"late-receiver", late_receiver},
    {"barrier", barrier},
    {"all", all_to_all},
    {"all-nonblocking", all_nonblocking},
    {"barrier-completion", barrier_completion},
    {"all-completion", all_completion},
    {"broadcast", late_broadcast},
    {"reduce", early_reduce},
    {"scan", scan},
    {"chain", chain},
    {"alltoallv", alltoallv},
    {"fence", fence},
    {"neighbors", neighbors},
    {"late-post", late_post},
    {"early-wait", early_wait},
    {"partition", partition},
    {"lock", lock},
    {"locks", locks},
    {"polls", polls},
    {"polls-probe", polls_probe},
    {"hidden", hidden},
};

/* Before MPI_Init, only the launcher's environment says which rank this is. */
static void start_late(double extra)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");

    if (rank && strcmp(rank, "1") == 0)
        compute(extra);
}

int main(int argc, char **argv)
{
    const int repetitions = argc > 3 ? atoi(argv[3]) : 2;

    if (argc > 2 && strcmp(argv[1], "init") == 0)
        start_late(1e-6 * atof(argv[2]));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    extra_s = 1e-6 * (argc > 2 ? atof(argv[2]) : 100);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int n = 0; n < repetitions &&
                        (argc < 2 || strcmp(argv[1], patterns[i].name) == 0 || strcmp(argv[1], "all-patterns") == 0);
             n++) {
            repetition = n;
            MPI_Barrier(MPI_COMM_WORLD);
            patterns[i].run();
        }
    const int verdict = expect_verdict("delays", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
