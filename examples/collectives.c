/* collectives: every collective operation, blocking, nonblocking and persistent, with all results checked.
 *
 * Exercises: barrier, bcast, gather(v), scatter(v), allgather(v), alltoall(v, w), reduce, allreduce,
 * reduce_scatter (block), scan, exscan and reduce_local, with MPI_IN_PLACE, different roots, counts that
 * differ from rank to rank and NULL where an argument matters at the root only. The neighbourhood collectives
 * are in neighbors.c.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Persistent collectives came with MPI-4. */
#if MPI_VERSION >= 4
enum how { BLOCKING, NONBLOCKING, PERSISTENT, HOWS };
#define PERSISTENT_INIT(name, ...) MPI_##name##_init(__VA_ARGS__)
#else
enum how { BLOCKING, NONBLOCKING, HOWS, PERSISTENT };
#define PERSISTENT_INIT(name, ...) (void)0
#endif
enum { RANKS_MAX = 32, PER_RANK = 4, CELLS = RANKS_MAX * PER_RANK };

/* One operation in the wanted way; a macro, because it picks among functions that take the same arguments. */
#define COLLECTIVE(how, name, iname, ...)                                                                              \
    do {                                                                                                               \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                                       \
                                                                                                                       \
        if ((how) == BLOCKING)                                                                                         \
            MPI_##name(__VA_ARGS__);                                                                                   \
        else if ((how) == NONBLOCKING)                                                                                 \
            MPI_##iname(__VA_ARGS__, &request_);                                                                       \
        else                                                                                                           \
            PERSISTENT_INIT(name, __VA_ARGS__, MPI_INFO_NULL, &request_);                                              \
        request_complete(how, &request_);                                                                              \
    } while (0)

static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, size, failures;

/* What a test case sends and gets; cleared and filled before each one. */
static int out[CELLS], in[CELLS];
static int counts[RANKS_MAX], places[RANKS_MAX];

static void request_complete(enum how how, MPI_Request *request) {
    if (how == BLOCKING)
        return;
    if (how == PERSISTENT)
        MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (how == PERSISTENT)
        MPI_Request_free(request);
}

static void expect(int holds, const char *what, enum how how) {
    static const char *const hows[] = {"blocking", "nonblocking", "persistent"};

    if (holds)
        return;
    failures++;
    fprintf(stderr, "collectives: rank %d: %s, %s\n", rank, what, hows[how]);
}

/* The number that SENDER has for RECEIVER at place AT. */
static int value_of(int sender, int receiver, int at) {
    return sender * 10000 + receiver * 100 + at;
}

/* Rank R sends or gets this many numbers in the v variants. */
static int count_of(int r) {
    return r % PER_RANK;
}

static void buffers_fill(void) {
    memset(in, -1, sizeof in);
    for (int r = 0; r < size; r++) {
        counts[r] = count_of(r);
        places[r] = (size - 1 - r) * PER_RANK; /* parts lie in reverse order, with gaps */
        for (int i = 0; i < PER_RANK; i++)
            out[r * PER_RANK + i] = value_of(rank, r, i);
    }
}

static void use_bcast(enum how how, int root) {
    int data[3] = {rank, rank + 1, rank + 2};

    COLLECTIVE(how, Barrier, Ibarrier, world);
    COLLECTIVE(how, Bcast, Ibcast, data, 3, MPI_INT, root, world);
    expect(data[0] == root && data[2] == root + 2, "bcast", how);
}

static void use_gather(enum how how, int root) {
    const int at_root = rank == root;

    buffers_fill();
    COLLECTIVE(how, Gather, Igather, out, 2, MPI_INT, at_root ? in : NULL, at_root ? 2 : 0, MPI_INT, root, world);
    for (int r = 0; r < size && at_root; r++)
        expect(in[2 * r + 1] == value_of(r, 0, 1), "gather", how);

    buffers_fill();
    in[root] = -7; /* the root's own part is there already */
    COLLECTIVE(how, Gather, Igather, at_root ? MPI_IN_PLACE : out, 1, MPI_INT, in, 1, MPI_INT, root, world);
    for (int r = 0; r < size && at_root; r++)
        expect(in[r] == (r == root ? -7 : value_of(r, 0, 0)), "gather in place", how);

    buffers_fill();
    COLLECTIVE(how, Gatherv, Igatherv, out, count_of(rank), MPI_INT, in, at_root ? counts : NULL,
               at_root ? places : NULL, MPI_INT, root, world);
    for (int r = 0; r < size && at_root; r++)
        for (int i = 0; i < PER_RANK; i++)
            expect(in[places[r] + i] == (i < counts[r] ? value_of(r, 0, i) : -1), "gatherv", how);
}

static void use_scatter(enum how how, int root) {
    const int at_root = rank == root;

    buffers_fill();
    COLLECTIVE(how, Scatter, Iscatter, at_root ? out : NULL, PER_RANK, MPI_INT, in, PER_RANK, MPI_INT, root, world);
    for (int i = 0; i < PER_RANK; i++)
        expect(in[i] == value_of(root, rank, i), "scatter", how);

    buffers_fill();
    COLLECTIVE(how, Scatterv, Iscatterv, at_root ? out : NULL, at_root ? counts : NULL, at_root ? places : NULL,
               MPI_INT, in, count_of(rank), MPI_INT, root, world);
    for (int i = 0; i < PER_RANK; i++)
        expect(in[i] == (i < count_of(rank) ? value_of(root, size - 1 - rank, i) : -1), "scatterv", how);
}

static void use_allgather(enum how how) {
    buffers_fill();
    COLLECTIVE(how, Allgather, Iallgather, out, PER_RANK, MPI_INT, in, PER_RANK, MPI_INT, world);
    for (int r = 0; r < size; r++)
        expect(in[r * PER_RANK + 1] == value_of(r, 0, 1), "allgather", how);

    in[rank] = rank * rank;
    COLLECTIVE(how, Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, world);
    for (int r = 0; r < size; r++)
        expect(in[r] == r * r, "allgather in place", how);

    buffers_fill();
    COLLECTIVE(how, Allgatherv, Iallgatherv, out, count_of(rank), MPI_INT, in, counts, places, MPI_INT, world);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < PER_RANK; i++)
            expect(in[places[r] + i] == (i < counts[r] ? value_of(r, 0, i) : -1), "allgatherv", how);
}

static void use_alltoall(enum how how) {
    int send_counts[RANKS_MAX], send_places[RANKS_MAX], receive_counts[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX];

    buffers_fill();
    COLLECTIVE(how, Alltoall, Ialltoall, out, PER_RANK, MPI_INT, in, PER_RANK, MPI_INT, world);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < PER_RANK; i++)
            expect(in[r * PER_RANK + i] == value_of(r, rank, i), "alltoall", how);

    buffers_fill();
    for (int r = 0; r < size; r++) {
        send_counts[r] = receive_counts[r] = count_of(rank + r);
        send_places[r] = r * PER_RANK;
    }
    COLLECTIVE(how, Alltoallv, Ialltoallv, out, send_counts, send_places, MPI_INT, in, receive_counts, places, MPI_INT,
               world);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < PER_RANK; i++)
            expect(in[places[r] + i] == (i < count_of(rank + r) ? value_of(r, rank, i) : -1), "alltoallv", how);

    /* The w variant counts places in bytes and has a type for every rank. */
    buffers_fill();
    for (int r = 0; r < size; r++) {
        types[r] = (rank + r) % 2 ? MPI_INT : MPI_2INT;
        send_counts[r] = receive_counts[r] = 1;
        send_places[r] = r * PER_RANK * (int)sizeof(int);
        places[r] *= (int)sizeof(int);
    }
    COLLECTIVE(how, Alltoallw, Ialltoallw, out, send_counts, send_places, types, in, receive_counts, places, types,
               world);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < PER_RANK; i++)
            expect(in[places[r] / (int)sizeof(int) + i] == (i < ((rank + r) % 2 ? 1 : 2) ? value_of(r, rank, i) : -1),
                   "alltoallw", how);
}

static void use_reduce(enum how how, int root) {
    const int all = size * (size - 1) / 2;
    int pair[2] = {rank * (size - rank), rank}, best[2] = {-1, -1}, mine[2] = {rank, 1}, sum[2] = {-1, -1};

    COLLECTIVE(how, Reduce, Ireduce, mine, rank == root ? sum : NULL, 2, MPI_INT, MPI_SUM, root, world);
    expect(rank != root || (sum[0] == all && sum[1] == size), "reduce", how);
    COLLECTIVE(how, Allreduce, Iallreduce, mine, sum, 2, MPI_INT, MPI_SUM, world);
    expect(sum[0] == all && sum[1] == size, "allreduce", how);
    COLLECTIVE(how, Allreduce, Iallreduce, MPI_IN_PLACE, mine, 1, MPI_INT, MPI_MAX, world);
    expect(mine[0] == size - 1, "allreduce in place", how);
    COLLECTIVE(how, Allreduce, Iallreduce, pair, best, 1, MPI_2INT, MPI_MAXLOC, world);
    expect(best[1] == size / 2 || best[1] == (size - 1) / 2, "allreduce with maxloc", how);
    MPI_Reduce_local(mine, sum, 1, MPI_INT, MPI_SUM);
    expect(sum[0] == all + size - 1, "reduce_local", how);
}

static void use_scan(enum how how) {
    const int below = rank * (rank - 1) / 2, all = size * (size - 1) / 2;
    int mine = rank, got = -1, total = 0;

    COLLECTIVE(how, Scan, Iscan, &mine, &got, 1, MPI_INT, MPI_SUM, world);
    expect(got == below + rank, "scan", how);
    COLLECTIVE(how, Exscan, Iexscan, &mine, &got, 1, MPI_INT, MPI_SUM, world);
    expect(rank == 0 || got == below, "exscan", how);

    buffers_fill();
    COLLECTIVE(how, Reduce_scatter_block, Ireduce_scatter_block, out, in, PER_RANK, MPI_INT, MPI_SUM, world);
    for (int i = 0; i < PER_RANK; i++)
        expect(in[i] == 10000 * all + size * (100 * rank + i), "reduce_scatter_block", how);

    buffers_fill();
    for (int r = 0; r < rank; r++)
        total += counts[r];
    COLLECTIVE(how, Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, world);
    for (int i = 0; i < PER_RANK; i++) {
        const int at = total + i; /* parts are packed in the input of reduce_scatter */

        expect(in[i] == (i < counts[rank] ? 10000 * all + size * (at / PER_RANK * 100 + at % PER_RANK) : -1),
               "reduce_scatter", how);
    }
}

#if MPI_VERSION >= 4
/* Persistent operations started again and again. MPICH 4.0.2 keeps some state of a persistent scatter (and of
 * a long broadcast) from its first start, so that a second one fails; those are started only once, above. */
static void use_restarts(void) {
    MPI_Request requests[2];
    int mine = 0, sum = -1;

    MPI_Barrier_init(world, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 10; round++) {
        mine = rank + round;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        expect(sum == size * (size - 1) / 2 + round * size, "restarted allreduce", PERSISTENT);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (size > RANKS_MAX)
        MPI_Abort(world, 2);

    for (enum how how = BLOCKING; how < HOWS; how++) {
        for (int root = 0; root<size; root += size> 2 ? size - 1 : 1) {
            use_bcast(how, root);
            use_gather(how, root);
            use_scatter(how, root);
            use_reduce(how, root);
        }
        use_allgather(how);
        use_alltoall(how);
        use_scan(how);
    }
#if MPI_VERSION >= 4
    use_restarts();
#endif

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, world);
    if (rank == 0)
        printf("collectives: %d ranks, %d failures\n", size, failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
