/* crowd: many threads of every rank in MPI at once, sharing what threads can share.
 *
 *     crowd [THREADS]     2 to 16, 4 if not given
 *
 * Exercises: operations that one thread begins and another completes, or only queries; objects made by one thread, used
 * by another, freed by a third; communicators made by several threads at once; buffers on the heap that come and go, on
 * a thread's own stack and on another's; threads that end early, and others that come after them; polling.
 */
#include "expect.h"

#include <pthread.h>
#include <string.h>

enum { THREADS_MAX = 16, ROUNDS = 12, CELLS = 64 };

/* What one thread hands to its neighbour. */
struct handed {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    MPI_Request request;
    MPI_Datatype type;
    int *cells;
};

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number, failures;
    int *board; /* on the main thread's stack */
};

static struct worker workers[THREADS_MAX];
static struct handed handed[THREADS_MAX];
static int world_rank, world_size, next, previous, threads = 4;

static void hand_over(struct handed *h, MPI_Request request, MPI_Datatype type, int *cells)
{
    pthread_mutex_lock(&h->lock);
    while (h->full)
        pthread_cond_wait(&h->changed, &h->lock);
    h->request = request;
    h->type = type;
    h->cells = cells;
    h->full = 1;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static void take_over(struct handed *h, MPI_Request *request, MPI_Datatype *type, int **cells)
{
    pthread_mutex_lock(&h->lock);
    while (!h->full)
        pthread_cond_wait(&h->changed, &h->lock);
    *request = h->request;
    *type = h->type;
    *cells = h->cells;
    h->full = 0;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

/* Begins a receive and gives it to the next thread, which completes it. */
static void use_neighbour(struct worker *w, int round)
{
    const int tag = 1000 * round + w->number, from = (w->number + threads - 1) % threads;
    int *cells = malloc(CELLS * sizeof *cells), *theirs, out[CELLS], flag = 0, polls = 0;
    MPI_Request mine, request;
    MPI_Datatype type, copy, other;
    MPI_Status status;

    for (int i = 0; i < CELLS; i++)
        out[i] = tag + i;
    MPI_Type_vector(CELLS / 2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_dup(type, &copy);
    MPI_Irecv(cells, 1, copy, previous, tag, MPI_COMM_WORLD, &mine);
    hand_over(&handed[w->number], mine, copy, cells);
    MPI_Send(out, 1, type, next, tag, MPI_COMM_WORLD);
    take_over(&handed[from], &request, &other, &theirs);
    MPI_Request_get_status(request, &flag, &status);
    while (!flag && poll_again(&polls))
        MPI_Test(&request, &flag, &status);
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, &status);
    w->failures += status.MPI_TAG != 1000 * round + from || theirs[2] != 1000 * round + from + 2;
    MPI_Type_free(&type);
    MPI_Type_free(&other);
    free(theirs);
}

static void use_own(struct worker *w, int round)
{
    int sum = 0, one = 1, stack[4] = {round}, index;
    MPI_Request requests[3];
    MPI_Comm copy;

    MPI_Comm_dup(w->comm, &copy);
    MPI_Irecv(stack + 1, 1, MPI_INT, previous, 5, copy, &requests[0]);
    MPI_Isend(stack, 1, MPI_INT, next, 5, copy, &requests[1]);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy, &requests[2]);
    for (int i = 0; i < 3; i++)
        MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    MPI_Sendrecv(stack, 1, MPI_INT, next, 6, &w->board[w->number], 1, MPI_INT, previous, 6, copy, MPI_STATUS_IGNORE);
    w->failures += sum != world_size || stack[1] != round || w->board[w->number] != round;
    MPI_Comm_free(&copy);
}

static void *worker_run(void *argument)
{
    struct worker *w = argument;

    for (int round = 0; round < ROUNDS; round++) {
        use_neighbour(w, round);
        use_own(w, round);
    }
    return NULL;
}

/* Comes, says who it is, and goes. */
static void *guest_run(void *argument)
{
    const struct worker *w = argument;
    int rank = -1;
    MPI_Info info;

    MPI_Comm_rank(w->comm, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "who", "guest");
    MPI_Info_free(&info);
    return rank == world_rank ? NULL : argument;
}

static void use_guests(void)
{
    pthread_t guests[THREADS_MAX];
    void *failed;

    for (int round = 0; round < 3; round++) {
        for (int t = 0; t < threads; t++)
            EXPECT(pthread_create(&guests[t], NULL, guest_run, &workers[t]) == 0);
        for (int t = 0; t < threads; t++)
            EXPECT(pthread_join(guests[t], &failed) == 0 && !failed);
    }
}

int main(int argc, char **argv)
{
    int provided, verdict, board[THREADS_MAX];

    if (argc > 1)
        threads = atoi(argv[1]);
    if (threads < 2 || threads > THREADS_MAX)
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    for (int t = 0; t < threads; t++) {
        pthread_mutex_init(&handed[t].lock, NULL);
        pthread_cond_init(&handed[t].changed, NULL);
        workers[t] = (struct worker){.number = t, .board = board};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
    }
    use_guests();
    for (int t = 0; t < threads; t++)
        EXPECT(pthread_create(&workers[t].thread, NULL, worker_run, &workers[t]) == 0);
    for (int t = 0; t < threads; t++) {
        EXPECT(pthread_join(workers[t].thread, NULL) == 0);
        EXPECT(workers[t].failures == 0);
    }
    use_guests();
    for (int t = 0; t < threads; t++)
        MPI_Comm_free(&workers[t].comm);
    verdict = expect_verdict("crowd", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
