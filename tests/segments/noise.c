/* SPDX-License-Identifier: BSD-3-Clause */
/* noise CALLS [THREADS [LITTLE [HOW]]]: calls in which little repeats, so that what is recorded of them is put away in
 * rounds.
 *
 * Each of THREADS threads of each rank makes about CALLS calls: messages to itself with tags, lengths and an order of
 * completion drawn at random. Requests stay alive from one round to the next, arrays of them go through MPI_Waitany and
 * its like, some are persistent; now and then a communicator is made, and a stretch of calls is regular. Rank LITTLE
 * makes a hundredth of the calls. HOW: finish  MPI_Finalize (default) killed  rank 0 is killed in the middle wander the
 * working directory is NOISE_FOLDER from the middle on limited no file may be longer than NOISE_BYTES session CALLS
 * more, before MPI_Init, in a session exchanged  in the middle rank 0 puts a link to NOISE_VICTIM in place of
 * NOISE_FILE lost  rank 0 removes NOISE_FILE before MPI_Finalize */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAIRS = 6, REQUESTS = 2 * PAIRS, LENGTH_MAX = 50, TAG_MAX = 30000, THREADS_MAX = 16 };

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    uint64_t state;
    long calls, wanted;
    int rank;
    int in[PAIRS][LENGTH_MAX], out[PAIRS][LENGTH_MAX];
    MPI_Request requests[REQUESTS]; /* receive, send, receive, send, ... */
    MPI_Request persistent[2];
    int persistent_in, persistent_out;
    long received;
};

static const char *how = "finish";

static int draw(struct worker *w, int below)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((w->state >> 33) % (uint64_t)below);
}

static void post(struct worker *w, int pair)
{
    int tag = draw(w, TAG_MAX), length = draw(w, LENGTH_MAX), any = draw(w, 4) == 0;
    MPI_Irecv(w->in[pair], length, MPI_INT, any ? MPI_ANY_SOURCE : w->rank, tag, w->comm, &w->requests[2 * pair]);
    MPI_Isend(w->out[pair], length, MPI_INT, w->rank, tag, w->comm, &w->requests[2 * pair + 1]);
    w->calls += 2;
}

/* Posts where both of a pair are over. */
static void refill(struct worker *w)
{
    for (int pair = 0; pair < PAIRS; pair++)
        if (w->requests[2 * pair] == MPI_REQUEST_NULL && w->requests[2 * pair + 1] == MPI_REQUEST_NULL && draw(w, 3))
            post(w, pair);
}

static void complete(struct worker *w)
{
    MPI_Status statuses[REQUESTS];
    int indices[REQUESTS], index, flag, count;
    switch (draw(w, 6)) {
    case 0:
        MPI_Waitany(REQUESTS, w->requests, &index, statuses);
        break;
    case 1:
        MPI_Waitsome(REQUESTS, w->requests, &count, indices, statuses);
        break;
    case 2:
        MPI_Testany(REQUESTS, w->requests, &index, &flag, statuses);
        break;
    case 3:
        MPI_Testsome(REQUESTS, w->requests, &count, indices, MPI_STATUSES_IGNORE);
        break;
    case 4:
        index = draw(w, REQUESTS);
        MPI_Wait(&w->requests[index], statuses);
        break;
    default:
        index = draw(w, REQUESTS);
        MPI_Test(&w->requests[index], &flag, statuses);
        break;
    }
    w->calls++;
}

static void start_persistent(struct worker *w)
{
    MPI_Startall(2, w->persistent);
    MPI_Waitall(2, w->persistent, MPI_STATUSES_IGNORE);
    w->calls += 2;
    w->received += w->persistent_in == w->rank;
}

static void regular(struct worker *w)
{
    int size;
    for (int i = 0; i < 200; i++)
        MPI_Type_size(i % 2 ? MPI_INT : MPI_DOUBLE, &size);
    w->calls += 200;
}

static void other(struct worker *w)
{
    MPI_Comm comm;
    if (draw(w, 50) == 0)
        regular(w);
    if (draw(w, 20) == 0)
        start_persistent(w);
    if (draw(w, 500) == 0) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_free(&comm);
        w->calls += 2;
    }
}

static void halfway(const struct worker *w)
{
    if (!strcmp(how, "killed") && w->rank == 0)
        raise(SIGKILL);
    if (!strcmp(how, "exchanged") && w->rank == 0 && getenv("NOISE_FILE") &&
        (unlink(getenv("NOISE_FILE")) || symlink(getenv("NOISE_VICTIM"), getenv("NOISE_FILE"))))
        perror("symlink");
    if (!strcmp(how, "wander") && chdir(getenv("NOISE_FOLDER")))
        perror("chdir");
}

static void *work(void *argument)
{
    struct worker *w = argument;
    w->persistent_out = w->rank;
    MPI_Recv_init(&w->persistent_in, 1, MPI_INT, w->rank, TAG_MAX, w->comm, &w->persistent[0]);
    MPI_Send_init(&w->persistent_out, 1, MPI_INT, w->rank, TAG_MAX, w->comm, &w->persistent[1]);
    for (int half = 1; half <= 2; half++) {
        while (w->calls < w->wanted * half / 2) {
            refill(w);
            complete(w);
            other(w);
        }
        if (half == 1)
            halfway(w);
    }
    MPI_Waitall(REQUESTS, w->requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&w->persistent[0]);
    MPI_Request_free(&w->persistent[1]);
    return NULL;
}

/* What MPI has mapped by now is longer. */
static void limit_files(void)
{
    const char *bytes = getenv("NOISE_BYTES");
    if (!strcmp(how, "limited") && bytes && setrlimit(RLIMIT_FSIZE, &(struct rlimit){atol(bytes), RLIM_INFINITY}))
        perror("setrlimit");
}

#if MPI_VERSION >= 4
static MPI_Session session = MPI_SESSION_NULL;

static void begin_session(long calls)
{
    static struct worker w;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "noise", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &w.comm);
    MPI_Comm_rank(w.comm, &w.rank);
    for (int tag; w.calls < calls; w.calls++) {
        tag = draw(&w, TAG_MAX);
        MPI_Sendrecv(w.out[0], draw(&w, LENGTH_MAX), MPI_INT, w.rank, tag, w.in[0], LENGTH_MAX, MPI_INT, w.rank, tag,
                     w.comm, MPI_STATUS_IGNORE);
    }
    MPI_Group_free(&group);
    MPI_Comm_free(&w.comm);
}

static void end_session(void)
{
    if (session != MPI_SESSION_NULL)
        MPI_Session_finalize(&session);
}
#else
static void begin_session(long calls)
{
    (void)calls;
}

static void end_session(void)
{
}
#endif

int main(int argc, char **argv)
{
    static struct worker workers[THREADS_MAX];
    long calls = argc > 1 ? atol(argv[1]) : 10000, received = 0;
    int threads = argc > 2 ? atoi(argv[2]) : 1, little = argc > 3 ? atoi(argv[3]) : -1, provided, rank;
    if (argc > 4)
        how = argv[4];
    if (threads < 1 || threads > THREADS_MAX)
        return 2;
    if (!strcmp(how, "session"))
        begin_session(calls);
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    limit_files();
    for (int i = 0; i < threads; i++) {
        struct worker *w = &workers[i];
        w->state = (uint64_t)(rank * THREADS_MAX + i + 1);
        w->rank = rank;
        w->wanted = rank == little ? calls / 100 : calls;
        for (int k = 0; k < REQUESTS; k++)
            w->requests[k] = MPI_REQUEST_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
    }
    for (int i = 1; i < threads; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < threads; i++) {
        received += workers[i].received;
        MPI_Comm_free(&workers[i].comm);
    }
    printf("rank %d: %ld\n", rank, received);
    if (!strcmp(how, "lost")) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0 && unlink(getenv("NOISE_FILE")))
            perror("unlink");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    end_session();
    return 0;
}
