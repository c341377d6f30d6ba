/* amr: the messages of adaptive mesh refinement. Every 10 steps the mesh changes, and with it who exchanges how much
 * with whom.
 *
 * Exercises: partners that appear and leave, counts that stay for a while, a number of requests that changes. All
 * ranks draw the same meshes: at each change one pair of ranks in three gets another border, maybe none. A step is
 * one MPI_Irecv and one MPI_Isend for each border of the rank, MPI_Waitall, MPI_Allreduce.
 *
 * usage: amr [steps, default 100]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_BORDER = 3, STEPS_OF_MESH = 10, BORDER_MAX = 500 };

struct mesh {
    int rank, size;
    int *border; /* of each pair of ranks: how many cells it has; 0: no border */
    double *in, *out;
    MPI_Request *requests;
};

/* Below LIMIT; the same sequence on every rank. */
static int draw(int limit) {
    static uint64_t state = 5;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)limit);
}

/* The border with another rank. */
static int *border(const struct mesh *m, int a, int b) {
    return &m->border[a * m->size + b];
}

static void mesh_adapt(const struct mesh *m) {
    for (int a = 0; a < m->size; a++)
        for (int b = 0; b < a; b++)
            if (draw(3) == 0)
                *border(m, a, b) = *border(m, b, a) = draw(2) * (1 + draw(BORDER_MAX));
}

/* Each border's cells to the other side. Returns how many cells were exchanged, or -1 if some are wrong. */
static long mesh_exchange(const struct mesh *m, int step) {
    int begun = 0, wrong = 0;
    long cells = 0;

    for (int other = 0; other < m->size; other++) {
        const int count = *border(m, m->rank, other);
        double *in = &m->in[other * BORDER_MAX], *out = &m->out[other * BORDER_MAX];

        if (count == 0)
            continue;
        out[0] = out[count - 1] = step * m->size + m->rank;
        MPI_Irecv(in, count, MPI_DOUBLE, other, TAG_BORDER, MPI_COMM_WORLD, &m->requests[begun++]);
        MPI_Isend(out, count, MPI_DOUBLE, other, TAG_BORDER, MPI_COMM_WORLD, &m->requests[begun++]);
        cells += count;
    }
    MPI_Waitall(begun, m->requests, MPI_STATUSES_IGNORE);
    for (int other = 0; other < m->size; other++) {
        const int count = *border(m, m->rank, other);
        const double *in = &m->in[other * BORDER_MAX], expected = step * m->size + other;

        wrong |= count > 0 && !(in[0] >= expected && in[0] <= expected && in[count - 1] >= expected);
    }
    return wrong ? -1 : cells;
}

static void mesh_start(struct mesh *m) {
    const size_t size = (size_t)m->size;

    MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    m->border = calloc(size * size, sizeof *m->border);
    m->in = calloc(size * BORDER_MAX, sizeof *m->in);
    m->out = calloc(size * BORDER_MAX, sizeof *m->out);
    m->requests = calloc(2 * size, sizeof(MPI_Request));
    if (m->border == NULL || m->in == NULL || m->out == NULL || m->requests == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void mesh_end(struct mesh *m) {
    free(m->border);
    free(m->in);
    free(m->out);
    free(m->requests);
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    struct mesh mesh = {0};
    long total = 0;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &mesh.size);
    mesh_start(&mesh);
    for (int step = 0; step < steps; step++) {
        long mine, all[2], sums[2];

        if (step % STEPS_OF_MESH == 0)
            mesh_adapt(&mesh);
        mine = mesh_exchange(&mesh, step);
        all[0] = mine < 0;
        all[1] = mine;
        MPI_Allreduce(all, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        wrong |= sums[0] != 0;
        total += sums[1];
    }
    mesh_end(&mesh);
    if (mesh.rank == 0)
        printf("amr: %d steps on %d ranks, %ld cells exchanged%s\n", steps, mesh.size, total,
               wrong ? ", wrong result" : "");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
