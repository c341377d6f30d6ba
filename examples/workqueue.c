/* workqueue: rank 0 has a queue of tasks of random lengths; the others look for the next one while they compute.
 *
 * Exercises: polling that fails a number of times that nobody can foretell: MPI_Iprobe on any source at rank 0,
 * MPI_Test at the workers, between slices of computing. A worker has one task in work and one on its way. The sum that
 * is printed does not depend on who did what.
 *
 * usage: workqueue [tasks, default 100]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TASK = 1, TAG_RESULT = 2, AHEAD = 2, SLICES_MAX = 16, SLICE = 4000 };

struct task {
    int number; /* -1: there are no more */
    int slices;
};

struct queue {
    int next, tasks;
    uint64_t state;
};

static int draw(uint64_t *state, int limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)limit);
}

/* Computes for some 10 microseconds. */
static void compute(void) {
    volatile double x = 1.0;

    for (int i = 0; i < SLICE; i++)
        x = x * 1.0000001;
}

static struct task queue_take(struct queue *q) {
    if (q->next == q->tasks)
        return (struct task){-1, 0};
    return (struct task){q->next++, 1 + draw(&q->state, SLICES_MAX)};
}

static void deal(struct queue *q, int worker) {
    const struct task task = queue_take(q);

    MPI_Send(&task, 2, MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
}

/* Every result makes room for another task. Returns the sum of the results. */
static long master(struct queue *q, int size) {
    long sum = 0;
    int results = 0;

    for (int i = 0; i < AHEAD; i++)
        for (int worker = 1; worker < size; worker++)
            deal(q, worker);
    while (results < q->tasks) {
        MPI_Status status;
        int there, result;

        MPI_Iprobe(MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &there, &status);
        if (!there) {
            compute();
            continue;
        }
        MPI_Recv(&result, 1, MPI_INT, status.MPI_SOURCE, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += result;
        results++;
        deal(q, status.MPI_SOURCE);
    }
    return sum;
}

static void receive(struct task *task, MPI_Request *request) {
    MPI_Irecv(task, 2, MPI_INT, 0, TAG_TASK, MPI_COMM_WORLD, request);
}

static void worker(void) {
    static struct task coming;
    MPI_Request request;
    int ends = 0, there = 0;

    receive(&coming, &request);
    while (ends < AHEAD) {
        struct task task;
        int result;

        while (!there) {
            compute();
            MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        }
        task = coming;
        ends += task.number < 0;
        if (ends < AHEAD) {
            there = 0;
            receive(&coming, &request);
        }
        if (task.number < 0)
            continue;
        for (int i = 0; i < task.slices; i++) {
            compute();
            if (!there)
                MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        }
        result = task.number * task.slices;
        MPI_Send(&result, 1, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

/* The sum of all results. */
static long expected(struct queue q) {
    long sum = 0;

    for (struct task task = queue_take(&q); task.number >= 0; task = queue_take(&q))
        sum += (long)task.number * task.slices;
    return sum;
}

int main(int argc, char **argv) {
    struct queue queue = {0, argc > 1 ? atoi(argv[1]) : 100, 3};
    const long right = expected(queue);
    int rank, size;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "workqueue: needs 2 ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0) {
        const long sum = master(&queue, size);

        wrong = sum != right;
        printf("workqueue: %d tasks on %d ranks, sum %ld%s\n", queue.tasks, size, sum, wrong ? ", wrong result" : "");
    } else {
        worker();
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
