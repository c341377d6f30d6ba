/* churn: threads that come and go.
 *
 *     churn [THREADS [no-fork]]     of each kind, 60 if not given
 *
 * Exercises: threads one after another that do the same; with small differences (a tag, a count, rounds of a loop, a
 * string, an array of many requests); several at a time, which end in another order than they began; threads that begin
 * operations which another thread completes, or the main thread does long after they have ended; a thread that lives on
 * among them; one that is cancelled; MPI calls in destructors of thread-specific data; detached threads; threads that
 * ask for the time; a thread that calls MPI between two forks.
 */
#include "expect.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_A_TIME = 8, MANY = 70, TAG_LEFT = 5000, TAG_NEVER = 30000, TAG_FOREVER };

struct task {
    pthread_t thread;
    int number;
    MPI_Request request; /* left to another one */
    int in, out;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn = -1; /* which of the threads that are there at a time may end */
static int detached_left;
static pthread_key_t early_key, late_key;
static int threads = 60;

static void exchange(int tag, int count)
{
    int out[4] = {tag, 1, 2, 3}, in[4] = {-1, -1, -1, -1};
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Irecv(in, count, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, count, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    EXPECT(memcmp(in, out, (size_t)count * sizeof *in) == 0);
    EXPECT(statuses[0].MPI_TAG == tag);
}

static void *run_alike(void *argument)
{
    exchange(1, 2);
    return argument;
}

/* An array that is long, and many signatures of one call. */
static void run_many(int number)
{
    int cells[MANY];
    MPI_Request requests[MANY];

    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&cells[i], 1, MPI_INT, 0, 100 + i + number % 3, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Send(&i, 1, MPI_INT, 0, 100 + i + number % 3, MPI_COMM_SELF);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    EXPECT(cells[MANY - 1] == MANY - 1);
}

static void *run_different(void *argument)
{
    const struct task *task = argument;
    const int number = task->number;
    char name[MPI_MAX_OBJECT_NAME], wanted[32];
    int flag, length;
    MPI_Datatype type;
    MPI_Comm comm;

    exchange(number, 1 + number % 4);
    if (number % 4 == 2)
        EXPECT(MPI_Wtime() <= MPI_Wtime());
    for (int i = 0; i < number % 5; i++) {
        MPI_Iprobe(0, TAG_NEVER, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        exchange(number * 7 % 100 + i, 1);
    }
    if (number % 6 == 0) {
        snprintf(wanted, sizeof wanted, "type %d", number % 12);
        MPI_Type_contiguous(1 + number % 2, MPI_INT, &type);
        MPI_Type_set_name(type, wanted);
        MPI_Type_get_name(type, name, &length);
        EXPECT(strcmp(name, wanted) == 0);
        MPI_Type_free(&type);
    }
    if (number % 10 == 3)
        run_many(number);
    if (number % 10 == 7) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
        MPI_Comm_free(&comm);
    }
    return NULL;
}

/* Ends when its turn has come: the last one first. */
static void *run_overlapping(void *argument)
{
    struct task *task = argument;

    exchange(200 + task->number, 1);
    EXPECT(MPI_Wtime() > 0);
    pthread_mutex_lock(&lock);
    while (turn != task->number % AT_A_TIME)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    exchange(200, 1);
    return NULL;
}

static void *run_leaving(void *argument)
{
    struct task *task = argument;

    task->out = task->number;
    MPI_Irecv(&task->in, 1, MPI_INT, 0, TAG_LEFT + task->number, MPI_COMM_SELF, &task->request);
    exchange(2, 1);
    return NULL;
}

static void *run_completing(void *argument)
{
    struct task *task = argument;
    MPI_Status status;

    MPI_Send(&task->out, 1, MPI_INT, 0, TAG_LEFT + task->number, MPI_COMM_SELF);
    MPI_Wait(&task->request, &status);
    EXPECT(task->in == task->out && status.MPI_TAG == TAG_LEFT + task->number);
    return NULL;
}

static void *run_forever(void *argument)
{
    const int *stop = argument;
    int stopped = 0;

    while (!stopped) {
        exchange(TAG_FOREVER, 1); /* no tag of another thread's */
        pthread_mutex_lock(&lock);
        stopped = *stop;
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    return NULL;
}

static void *run_cancelled(void *argument)
{
    int state;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* MPI may hold locks */
    exchange(4, 1);
    pthread_setcancelstate(state, &state);
    for (;;)
        pause();
    return argument;
}

/* The first time it asks to be called again: the library's own destructor may have been called by then. */
static void destroy_early(void *value)
{
    static int again;

    exchange(5, 1);
    if (value == &again)
        return;
    pthread_setspecific(early_key, &again);
}

static void destroy_late(void *value)
{
    exchange(6, 1);
    (void)value;
}

static void *run_destroyed(void *argument)
{
    pthread_setspecific(early_key, &threads);
    exchange(7, 1);
    pthread_setspecific(late_key, &threads);
    return argument;
}

static void *run_detached(void *argument)
{
    exchange(8, 1);
    pthread_mutex_lock(&lock);
    detached_left--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    if (pthread_create(thread, NULL, run, argument) != 0) {
        fprintf(stderr, "churn: no thread\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void in_turn(void *(*run)(void *), struct task *tasks)
{
    for (int i = 0; i < threads; i++) {
        start(&tasks[i].thread, run, &tasks[i]);
        pthread_join(tasks[i].thread, NULL);
    }
}

static void overlapping(struct task *tasks)
{
    for (int first = 0; first + AT_A_TIME <= threads; first += AT_A_TIME) {
        for (int i = first; i < first + AT_A_TIME; i++)
            start(&tasks[i].thread, run_overlapping, &tasks[i]);
        for (int i = AT_A_TIME - 1; i >= 0; i--) {
            pthread_mutex_lock(&lock);
            turn = i;
            pthread_cond_broadcast(&changed);
            pthread_mutex_unlock(&lock);
            pthread_join(tasks[first + i].thread, NULL);
        }
    }
}

/* What threads have begun that are gone is completed by others like them, one by one, and the rest at once. */
static void handed_over(struct task *tasks)
{
    MPI_Request *rest = malloc((size_t)threads * sizeof *rest);
    int count = 0;

    in_turn(run_leaving, tasks);
    for (int i = 0; i < threads; i += 2) {
        start(&tasks[i].thread, run_completing, &tasks[i]);
        pthread_join(tasks[i].thread, NULL);
    }
    for (int i = 1; i < threads; i += 2) {
        MPI_Send(&tasks[i].out, 1, MPI_INT, 0, TAG_LEFT + i, MPI_COMM_SELF);
        rest[count++] = tasks[i].request;
    }
    MPI_Waitall(count, rest, MPI_STATUSES_IGNORE);
    for (int i = 1; i < threads; i += 2)
        EXPECT(tasks[i].in == i);
    free(rest);
}

static void detached(void)
{
    pthread_t thread;

    detached_left = threads;
    for (int i = 0; i < threads; i++) {
        start(&thread, run_detached, NULL);
        pthread_detach(thread);
    }
    pthread_mutex_lock(&lock);
    while (detached_left)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void fork_between(struct task *task)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        EXPECT(child > 0 && waitpid(child, NULL, 0) == child);
        start(&task->thread, run_alike, NULL);
        pthread_join(task->thread, NULL);
    }
}

int main(int argc, char **argv)
{
    int provided, stop = 0;
    pthread_t forever, other;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    if (argc > 1)
        threads = atoi(argv[1]);
    struct task *tasks = calloc((size_t)threads, sizeof *tasks);
    for (int i = 0; i < threads; i++)
        tasks[i].number = i;
    pthread_key_create(&early_key, destroy_early);

    start(&forever, run_forever, &stop);
    in_turn(run_alike, tasks);
    pthread_key_create(&late_key, destroy_late);
    in_turn(run_different, tasks);
    overlapping(tasks);
    handed_over(tasks);
    in_turn(run_destroyed, tasks);
    start(&other, run_cancelled, NULL);
    pthread_cancel(other);
    pthread_join(other, NULL);
    detached();
    if (argc < 3)
        fork_between(tasks);
    in_turn(run_alike, tasks);
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(forever, NULL);
    free(tasks);

    int status = expect_verdict("churn", MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
/* SPDX-License-Identifier: BSD-3-Clause */
