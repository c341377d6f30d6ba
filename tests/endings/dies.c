/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes calls and ends in the way that its arguments say: PATTERN END RANK STEPS [NS].
 *
 * PATTERN: steady, slow (ten steps a second), random, together (random, once all ranks are there), session (without
 * MPI_Init), threads (three more of them), worker (one of these ends the process), joined (they have ended before).
 * END: how the process with RANK ends after STEPS steps (-1: all processes do); the others go on until they are
 * killed, but for a limit. With `timer` it is killed NS nanoseconds later, wherever it is; with `finalize` all
 * processes call MPI_Finalize then.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, STEPS_MAX = 200000, TAG_NOBODY = 99, MEGABYTE = 1 << 20, AFTER_FORK = 20 };

static int rank, size, random_values, slow;
static const char *end_name;
static long steps, ns;
static MPI_Comm comms[THREADS];
static pthread_t threads[THREADS];
static atomic_bool stop;
static atomic_bool begun; /* all threads are; while one calls execve, pthread_create fails in the others */
static volatile int zero;

static void step(MPI_Comm comm, unsigned *state)
{
    int out[8] = {0}, in[8], next = (rank + 1) % size, before = (rank + size - 1) % size, count = 1, tag = 5;
    MPI_Request requests[2];
    if (slow)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    if (random_values) {
        *state = *state * 1103515245u + 12345u;
        count = 1 + (int)(*state >> 16) % 8;
        tag = (int)(*state >> 20) % 100;
    }
    MPI_Irecv(in, 8, MPI_INT, before, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Isend(out, count, MPI_INT, next, tag, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (random_values && *state >> 30 == 0) {
        MPI_Datatype type;
        MPI_Type_contiguous(count + tag, MPI_INT, &type);
        MPI_Type_free(&type);
    }
}

static void more_steps(long count)
{
    unsigned state = 7;
    for (long i = 0; i < count; i++)
        step(size == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD, &state);
}

/* ---- ends of the process ---- */

static void end_exit(void)
{
    exit(3);
}

static void end_underscore_exit(void)
{
    _exit(4);
}

static void end_quick_exit(void)
{
    quick_exit(4);
}

static void end_segv(void)
{
    *(volatile int *)(size_t)zero = 1;
}

static void end_fpe(void)
{
    zero = 7 / zero; /* of 1 the compiler makes no division */
}

/* Touches a page behind the end of its file. */
static void end_bus(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(tmpfile()), 0);
    *page = 1;
}

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = above ? *above : 0;
    return deeper(here) + here[0];
}

static void end_stack(void)
{
    exit(deeper(NULL));
}

static void overflown(int number)
{
    (void)!write(STDOUT_FILENO, "overflow\n", 9);
    _exit(9 + (number != SIGSEGV));
}

/* The program handles the overflow of its stack, on another stack. */
static void handle_overflow(void)
{
    static char stack[1 << 14];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = overflown, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&other, NULL) || sigaction(SIGSEGV, &action, NULL))
        abort();
}

static void end_late_altstack(void)
{
    handle_overflow();
    end_stack();
}

static void reported(int number)
{
    (void)!write(STDOUT_FILENO, "caught\n", 7);
    signal(number, SIG_DFL);
    raise(number);
}

static void end_term(void)
{
    raise(SIGTERM);
}

static void end_int(void)
{
    raise(SIGINT);
}

static void end_kill(void)
{
    raise(SIGKILL);
}

/* The address space is used up. */
static void end_memory(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        abort();
    rlim_t most = (rlim_t)pages * 4096 + 32 * MEGABYTE;
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
    for (char *got; (got = malloc(MEGABYTE));)
        memset(got, 1, MEGABYTE);
    abort();
}

static void end_mpiabort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 7);
}

static void end_fatal(void)
{
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD);
}

static void end_recv(void)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, rank, TAG_NOBODY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end_execve(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

static int leave_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    exit(5);
}

static void end_attribute(void)
{
    int key, value;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_attribute, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
}

static void leave_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    exit(6);
}

static void end_errhandler(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    end_fatal();
}

static void leave_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    exit(8);
}

static void end_op(void)
{
    int in = 1, out = 2;
    MPI_Op op;
    MPI_Op_create(leave_sum, 1, &op);
    MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
}

/* ---- ends of a child, after which the process goes on and is killed ---- */

static void child_exec(void)
{
    execl("/bin/sh", "sh", "-c", "exit 12", (char *)NULL);
}

static void child_exit(void)
{
    exit(10);
}

static void child_underscore_exit(void)
{
    _exit(11);
}

static void fork_for(void (*child)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (!pid) {
        child();
        _exit(99);
    }
    waitpid(pid, &status, 0);
    printf("child: %#x\n", (unsigned)status & ~0x80u); /* whether it left a core depends on the disk */
    fflush(stdout);
    more_steps(AFTER_FORK);
    raise(SIGKILL);
}

static void end_fork_exit(void)
{
    fork_for(child_exit);
}

static void end_fork_underscore_exit(void)
{
    fork_for(child_underscore_exit);
}

static void end_fork_exec(void)
{
    fork_for(child_exec);
}

static void end_fork_segv(void)
{
    fork_for(end_segv);
}

static void end_fork_abort(void)
{
    fork_for(abort);
}

static void end_system(void)
{
    printf("system: %d\n", system("exit 13"));
    fflush(stdout);
    more_steps(AFTER_FORK);
    raise(SIGKILL);
}

static void end_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 + 1}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
        abort();
}

static void end_finalize(void)
{
    if (ns)
        end_timer();
}

static const struct {
    const char *name;
    void (*end)(void);
} endings[] = {
    {"exit", end_exit},
    {"_exit", end_underscore_exit},
    {"quick_exit", end_quick_exit},
    {"abort", abort},
    {"segv", end_segv},
    {"reported", end_segv},
    {"fpe", end_fpe},
    {"bus", end_bus},
    {"stack", end_stack},
    {"altstack", end_stack},
    {"late-altstack", end_late_altstack},
    {"term", end_term},
    {"int", end_int},
    {"kill", end_kill},
    {"memory", end_memory},
    {"mpiabort", end_mpiabort},
    {"fatal", end_fatal},
    {"recv", end_recv},
    {"execve", end_execve},
    {"attribute", end_attribute},
    {"errhandler", end_errhandler},
    {"op", end_op},
    {"fork-exit", end_fork_exit},
    {"fork-_exit", end_fork_underscore_exit},
    {"fork-exec", end_fork_exec},
    {"fork-segv", end_fork_segv},
    {"fork-abort", end_fork_abort},
    {"system", end_system},
    {"timer", end_timer},
    {"finalize", end_finalize},
};

static void join_threads(void)
{
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Ends the process as END says; returns if that is not at once. */
static void end_now(void)
{
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (!strcmp(end_name, endings[i].name))
            endings[i].end();
}

/* ---- */

static void *work(void *comm)
{
    unsigned state = (unsigned)(size_t)comm;
    for (long i = 0; !stop; i++) {
        if (i == steps && comm == &comms[0]) {
            while (!begun)
                sched_yield();
            end_now();
        }
        step(*(MPI_Comm *)comm, &state);
    }
    return NULL;
}

/* A communicator of all processes, without MPI_Init. */
static MPI_Comm begin_session(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "dies", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
#endif
    return comm;
}

static int begin_threads(void)
{
    size = 1, rank = 0;
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
        if (pthread_create(&threads[i], NULL, work, &comms[i]))
            return 2;
    }
    begun = true;
    return 0;
}

int main(int argc, char **argv)
{
    int provided;
    unsigned state = 1;
    if (argc < 6)
        return 2;
    const char *pattern = argv[1];
    bool worker = !strcmp(pattern, "worker"), joined = !strcmp(pattern, "joined");
    bool threaded = worker || joined || !strcmp(pattern, "threads");
    end_name = argv[2];
    if (!strcmp(end_name, "altstack"))
        handle_overflow();
    if (!strcmp(end_name, "reported"))
        signal(SIGSEGV, reported);
    bool session = !strcmp(pattern, "session");
    MPI_Comm all = MPI_COMM_WORLD;
    if (session)
        all = begin_session();
    else
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    slow = !strcmp(pattern, "slow");
    random_values = !slow && strcmp(pattern, "steady") != 0;
    bool chosen = atoi(argv[3]) < 0 || atoi(argv[3]) == rank, all_finalize = !strcmp(end_name, "finalize");
    long own_steps = atol(argv[4]);
    steps = worker && chosen ? own_steps : -1;
    ns = atol(argv[5]);
    if (threaded && begin_threads())
        return 2;
    MPI_Comm comm = size > 1 || session ? all : MPI_COMM_SELF;
    if (!strcmp(pattern, "together"))
        MPI_Barrier(comm);
    for (long i = 0; i < own_steps; i++)
        step(comm, &state);
    if (joined) {
        nanosleep(&(struct timespec){.tv_nsec = 300000000},
                  NULL); /* they need more memory than there is, and this thread does not */
        join_threads();
    }
    if (chosen && !worker)
        end_now();
    if (all_finalize && threaded)
        join_threads();
    if (all_finalize)
        return MPI_Finalize();
    if (!strcmp(end_name, "return") && chosen)
        return 6;
    for (long i = 0; i < STEPS_MAX; i++)
        step(comm, &state);
    return 1;
}
