/* master_worker: rank 0 deals out tasks, the others compute; who gets which task is up to the race.
 *
 * Exercises: receives from any source with any tag, MPI_Waitany over one posted receive per worker,
 * MPI_Testsome polling, MPI_Iprobe, a stop message per worker. Run to run the order differs; the sum of the
 * results does not.
 *
 * The sum of squares of all task numbers is computed twice: once with Waitany and once with Testsome.
 *
 * usage: master_worker [tasks, default 60]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TASK = 1, TAG_STOP = 2, TAG_RESULT = 3, WORKERS_MAX = 255 };

struct result {
    long task;
    long square;
};

/* The master's view of its workers. */
struct team {
    int workers;                       /* ranks 1 to workers */
    MPI_Request requests[WORKERS_MAX]; /* an open receive per worker that has a task */
    struct result results[WORKERS_MAX];
    long tasks, next, sum;
};

static void team_deal(struct team *team, int worker) {
    if (team->next >= team->tasks) {
        MPI_Send(NULL, 0, MPI_LONG, worker + 1, TAG_STOP, MPI_COMM_WORLD);
        return;
    }
    MPI_Send(&team->next, 1, MPI_LONG, worker + 1, TAG_TASK, MPI_COMM_WORLD);
    MPI_Irecv(&team->results[worker], 2, MPI_LONG, worker + 1, TAG_RESULT, MPI_COMM_WORLD, &team->requests[worker]);
    team->next++;
}

/* Worker's result is in: add it up and deal again. Returns 1 if the result is wrong. */
static int team_collect(struct team *team, int worker, const MPI_Status *status) {
    const struct result result = team->results[worker];
    const int wrong = result.square != result.task * result.task || status->MPI_SOURCE != worker + 1;

    team->sum += result.square;
    team_deal(team, worker);
    return wrong;
}

static void team_start(struct team *team, int workers, long tasks) {
    *team = (struct team){.workers = workers, .tasks = tasks};
    for (int w = 0; w < workers; w++)
        team->requests[w] = MPI_REQUEST_NULL;
    for (int w = 0; w < workers; w++)
        team_deal(team, w);
}

static int master_waitany(struct team *team) {
    int wrong = 0;

    for (;;) {
        MPI_Status status;
        int worker;

        MPI_Waitany(team->workers, team->requests, &worker, &status);
        if (worker == MPI_UNDEFINED)
            return wrong;
        wrong |= team_collect(team, worker, &status);
    }
}

static int master_testsome(struct team *team) {
    MPI_Status statuses[WORKERS_MAX];
    int done[WORKERS_MAX];
    int wrong = 0;

    for (;;) {
        int count;

        MPI_Testsome(team->workers, team->requests, &count, done, statuses);
        if (count == MPI_UNDEFINED)
            return wrong;
        for (int i = 0; i < count; i++)
            wrong |= team_collect(team, done[i], &statuses[i]);
    }
}

/* The third way: workers ask for work by a message of any kind, the master takes them as they come. */
static int master_any_source(int workers) {
    int wrong = 0, arrived, idle = 0;
    long sum = 0;

    for (int i = 0; i < workers; i++) {
        MPI_Status status;
        long value;

        for (arrived = 0; !arrived;) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &status);
            idle += !arrived;
        }
        MPI_Recv(&value, 1, MPI_LONG, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong |= value != status.MPI_SOURCE || status.MPI_TAG != TAG_RESULT + status.MPI_SOURCE;
        sum += value;
    }
    return wrong || idle < 0 || sum != (long)workers * (workers + 1) / 2;
}

static void worker_run(void) {
    for (;;) {
        struct result result;
        MPI_Status status;

        MPI_Recv(&result.task, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        result.square = result.task * result.task;
        MPI_Send(&result, 2, MPI_LONG, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    const long tasks = argc > 1 ? atol(argv[1]) : 60;
    const long expected = (tasks - 1) * tasks * (2 * tasks - 1) / 6;
    int rank, size;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > WORKERS_MAX + 1) {
        fprintf(stderr, "master_worker: needs 2 to %d ranks\n", WORKERS_MAX + 1);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    if (rank == 0) {
        static struct team team;

        team_start(&team, size - 1, tasks);
        wrong |= master_waitany(&team) || team.sum != expected;
        printf("master_worker: %ld tasks by Waitany, sum %ld\n", tasks, team.sum);
        team_start(&team, size - 1, tasks);
        wrong |= master_testsome(&team) || team.sum != expected;
        printf("master_worker: %ld tasks by Testsome, sum %ld\n", tasks, team.sum);
        wrong |= master_any_source(size - 1);
    } else {
        const long value = rank;

        worker_run();
        worker_run();
        MPI_Send(&value, 1, MPI_LONG, 0, TAG_RESULT + rank, MPI_COMM_WORLD);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (wrong && rank == 0)
        fprintf(stderr, "master_worker: wrong result\n");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
