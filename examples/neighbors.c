/* neighbors: the neighbourhood collectives, blocking, nonblocking and persistent, with all results checked.
 *
 * Exercises: MPI_Neighbor_allgather(v) and alltoall(v, w) on a directed graph (each rank sends to the ranks
 * one and three further on) and on an open chain by MPI_Cart_create, whose ends have MPI_PROC_NULL for a
 * neighbour.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Persistent collectives came with MPI-4. */
#if MPI_VERSION >= 4
enum how { BLOCKING, NONBLOCKING, PERSISTENT, HOWS };
#define PERSISTENT_INIT(name, ...) MPI_Neighbor_##name##_init(__VA_ARGS__)
#else
enum how { BLOCKING, NONBLOCKING, HOWS, PERSISTENT };
#define PERSISTENT_INIT(name, ...) (void)0
#endif
enum { DEGREE = 2, PER_RANK = 3, CELLS = DEGREE * PER_RANK };

/* One operation in the wanted way; a macro, because it picks among functions that take the same arguments. */
#define COLLECTIVE(how, name, ...)                                                                                     \
    do {                                                                                                               \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                                       \
                                                                                                                       \
        if ((how) == BLOCKING)                                                                                         \
            MPI_Neighbor_##name(__VA_ARGS__);                                                                          \
        else if ((how) == NONBLOCKING)                                                                                 \
            MPI_Ineighbor_##name(__VA_ARGS__, &request_);                                                              \
        else                                                                                                           \
            PERSISTENT_INIT(name, __VA_ARGS__, MPI_INFO_NULL, &request_);                                              \
        request_complete(how, &request_);                                                                              \
    } while (0)

struct neighborhood {
    const char *name;
    MPI_Comm comm;
    int source[DEGREE]; /* may be MPI_PROC_NULL */
    int slot[DEGREE];   /* as which of its neighbours the source sends to us */
};

static int rank, size, failures;
static int out[CELLS], in[CELLS];

/* A persistent operation runs twice; the second run must give the same. */
static void request_complete(enum how how, MPI_Request *request) {
    if (how == BLOCKING)
        return;
    if (how == PERSISTENT) {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        MPI_Start(request);
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (how == PERSISTENT)
        MPI_Request_free(request);
}

static void buffers_fill(void) {
    memset(in, -1, sizeof in);
    for (int i = 0; i < CELLS; i++)
        out[i] = 100 * rank + i;
}

/* The COUNT numbers that came from neighbour N lie at PLACE; its sender took them from FROM on. */
static void expect_part(const struct neighborhood *at, int n, int place, int from, int count, const char *what) {
    for (int i = 0; i < count; i++) {
        const int value = at->source[n] == MPI_PROC_NULL ? -1 : 100 * at->source[n] + from + i;

        if (in[place + i] == value)
            continue;
        failures++;
        fprintf(stderr, "neighbors: rank %d: %s on the %s: got %d, expected %d\n", rank, what, at->name, in[place + i],
                value);
    }
}

static void use_all(const struct neighborhood *at, enum how how) {
    const int counts[DEGREE] = {2, 2}, places[DEGREE] = {PER_RANK, 0};
    const int send_counts[DEGREE] = {1, 2}, send_places[DEGREE] = {1, PER_RANK};
    const MPI_Aint send_bytes[DEGREE] = {0, PER_RANK * (MPI_Aint)sizeof(int)};
    const MPI_Aint bytes[DEGREE] = {PER_RANK * (MPI_Aint)sizeof(int), 0};
    const MPI_Datatype send_types[DEGREE] = {MPI_INT, MPI_2INT};
    const int ones[DEGREE] = {1, 1};
    MPI_Datatype types[DEGREE];
    int receive_counts[DEGREE];

    for (int n = 0; n < DEGREE; n++) {
        receive_counts[n] = send_counts[at->slot[n]];
        types[n] = send_types[at->slot[n]];
    }

    buffers_fill();
    COLLECTIVE(how, allgather, out, PER_RANK, MPI_INT, in, PER_RANK, MPI_INT, at->comm);
    for (int n = 0; n < DEGREE; n++)
        expect_part(at, n, n * PER_RANK, 0, PER_RANK, "allgather");

    buffers_fill();
    COLLECTIVE(how, allgatherv, out, 2, MPI_INT, in, counts, places, MPI_INT, at->comm);
    for (int n = 0; n < DEGREE; n++)
        expect_part(at, n, places[n], 0, 2, "allgatherv");

    buffers_fill();
    COLLECTIVE(how, alltoall, out, PER_RANK, MPI_INT, in, PER_RANK, MPI_INT, at->comm);
    for (int n = 0; n < DEGREE; n++)
        expect_part(at, n, n * PER_RANK, at->slot[n] * PER_RANK, PER_RANK, "alltoall");

    buffers_fill();
    COLLECTIVE(how, alltoallv, out, send_counts, send_places, MPI_INT, in, receive_counts, places, MPI_INT, at->comm);
    for (int n = 0; n < DEGREE; n++)
        expect_part(at, n, places[n], send_places[at->slot[n]], receive_counts[n], "alltoallv");

    buffers_fill();
    COLLECTIVE(how, alltoallw, out, ones, send_bytes, send_types, in, ones, bytes, types, at->comm);
    for (int n = 0; n < DEGREE; n++)
        expect_part(at, n, places[n], at->slot[n] * PER_RANK, at->slot[n] + 1, "alltoallw");
}

int main(int argc, char **argv) {
    struct neighborhood graph = {.name = "graph", .slot = {0, 1}}, chain = {.name = "chain", .slot = {1, 0}};
    const int open_end = 0;
    int targets[DEGREE];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (size < 3) {
        fprintf(stderr, "neighbors: needs at least 3 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    for (int n = 0; n < DEGREE; n++) {
        targets[n] = (rank + 2 * n + 1) % size;
        graph.source[n] = ((rank - 2 * n - 1) % size + size) % size;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, DEGREE, graph.source, MPI_UNWEIGHTED, DEGREE, targets,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph.comm);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_end, 0, &chain.comm);
    MPI_Cart_shift(chain.comm, 0, 1, &chain.source[0], &chain.source[1]);

    for (enum how how = BLOCKING; how < HOWS; how++) {
        use_all(&graph, how);
        use_all(&chain, how);
    }
    MPI_Comm_free(&graph.comm);
    MPI_Comm_free(&chain.comm);

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("neighbors: %d ranks, %d failures\n", size, failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
