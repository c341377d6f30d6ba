/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the CPU time of MPI calls that do next to nothing, on one rank, and of reading a clock. For
 * bench/overhead.sh.
 *
 * Each row is a loop of calls, so what a tracer adds to them is seen beside little else. The clock is the CPU time
 * of the process. It runs around the loop only; another loop before it is the warm-up. The loop is called through
 * measured(), where callgrind can be told to begin and to end, and allocations_mark(), which a preload of
 * tests/allocations defines.
 *
 * usage: overhead ROW CALLS WARM-UP-CALLS [paused]    prints nanoseconds per call; `paused`: after MPI_Pcontrol(0)
 *       OVERHEAD_FRAMES=N: each call has N frames of the program, 3 or more than 4
 *       overhead clocks    prints nanoseconds of reading the counter, and of reading CLOCK_MONOTONIC
 *       overhead rows      prints the rows and what they are */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/base/clock.h"

enum { POSTED = 8, IN_FLIGHT = 512, TAG = 7 };

/* Where the messages of a loop go, and its posted receives. */
struct place {
    MPI_Comm comm;
    MPI_Request posted[IN_FLIGHT];
    double in[IN_FLIGHT];
    double out;
};

extern void allocations_mark(bool begins) __attribute__((weak));

static __attribute__((noinline)) void rank(struct place *p)
{
    int rank;
    MPI_Comm_rank(p->comm, &rank);
}

static void wtime(struct place *p)
{
    p->out = MPI_Wtime();
}

static void iprobe(struct place *p)
{
    int flag;
    MPI_Iprobe(0, TAG, p->comm, &flag, MPI_STATUS_IGNORE);
}

static void sendrecv(struct place *p)
{
    MPI_Sendrecv(&p->out, 1, MPI_DOUBLE, 0, TAG, p->in, 1, MPI_DOUBLE, 0, TAG, p->comm, MPI_STATUS_IGNORE);
}

static void isend(struct place *p)
{
    MPI_Request send;
    MPI_Isend(&p->out, 1, MPI_DOUBLE, 0, TAG, p->comm, &send);
    MPI_Irecv(p->in, 1, MPI_DOUBLE, 0, TAG, p->comm, p->posted);
    MPI_Wait(p->posted, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static void waitany(struct place *p)
{
    int index;
    for (int i = 0; i < POSTED; i++)
        MPI_Irecv(&p->in[i], 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[i]);
    for (int i = 0; i < POSTED; i++)
        MPI_Send(&p->out, 1, MPI_DOUBLE, 0, TAG, p->comm);
    for (int i = 0; i < POSTED; i++)
        MPI_Waitany(POSTED, p->posted, &index, MPI_STATUS_IGNORE);
}

static void waitall(struct place *p)
{
    MPI_Irecv(p->in, 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[0]);
    MPI_Isend(&p->out, 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[1]);
    MPI_Waitall(2, p->posted, MPI_STATUSES_IGNORE);
}

static void waitall_statuses(struct place *p)
{
    MPI_Status statuses[2 * POSTED];
    for (int i = 0; i < POSTED; i++)
        MPI_Irecv(&p->in[i], 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[i]);
    for (int i = 0; i < POSTED; i++)
        MPI_Isend(&p->out, 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[POSTED + i]);
    MPI_Waitall(2 * POSTED, p->posted, statuses);
}

static void allreduce(struct place *p)
{
    MPI_Allreduce(&p->out, p->in, 1, MPI_DOUBLE, MPI_SUM, p->comm);
}

/* Each receive completes after 511 others have been posted behind it. */
static void flight(struct place *p)
{
    for (int i = 0; i < IN_FLIGHT; i++) {
        MPI_Send(&p->out, 1, MPI_DOUBLE, 0, TAG, p->comm);
        MPI_Wait(&p->posted[i], MPI_STATUS_IGNORE);
        MPI_Irecv(&p->in[i], 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[i]);
    }
}

static uint64_t random_below(uint64_t limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % limit;
}

/* Nothing predicts which of the two is called. */
static void random_class(struct place *p)
{
    int number;
    if (random_below(2))
        MPI_Comm_rank(p->comm, &number);
    else
        MPI_Comm_size(p->comm, &number);
}

static __attribute__((noinline)) void left(struct place *p)
{
    rank(p);
    __asm__ volatile("");
}

static __attribute__((noinline)) void right(struct place *p)
{
    rank(p);
    __asm__ volatile("" ::: "memory");
}

/* Nothing predicts which of two ways a call comes. */
static void random_path(struct place *p)
{
    if (random_below(2))
        left(p);
    else
        right(p);
}

static __attribute__((noinline)) void exchange(struct place *p, int calls)
{
    int number;
    for (int i = 0; i < calls; i++)
        MPI_Comm_rank(p->comm, &number);
}

static __attribute__((noinline)) void masses(struct place *p)
{
    exchange(p, 9);
    __asm__ volatile("");
}

static __attribute__((noinline)) void forces(struct place *p)
{
    exchange(p, 5);
    __asm__ volatile("" ::: "memory");
}

/* One call site, three ways to it. */
static void callers(struct place *p)
{
    masses(p);
    forces(p);
    exchange(p, 7);
}

/* Nothing predicts which of 256 signatures the call has. */
static void random_signature(struct place *p)
{
    int flag;
    MPI_Iprobe(0, (int)random_below(256), p->comm, &flag, MPI_STATUS_IGNORE);
}

static const struct row {
    const char *name;
    void (*turn)(struct place *p);
    long calls; /* in one turn of the loop */
    bool threads;
    const char *title;
} rows[] = {
    {"rank", rank, 1, false, "MPI_Comm_rank"},
    {"wtime", wtime, 1, false, "MPI_Wtime"},
    {"iprobe", iprobe, 1, false, "MPI_Iprobe in vain"},
    {"sendrecv", sendrecv, 1, false, "MPI_Sendrecv with itself"},
    {"isend", isend, 4, false, "MPI_Isend, MPI_Irecv, 2 MPI_Wait"},
    {"waitall", waitall, 3, false, "MPI_Irecv, MPI_Isend, MPI_Waitall"},
    {"waitall_statuses", waitall_statuses, 2 * POSTED + 1, false, "8 MPI_Irecv, 8 MPI_Isend, MPI_Waitall, statuses"},
    {"waitany", waitany, 3 * POSTED, false, "8 MPI_Irecv, 8 MPI_Send, 8 MPI_Waitany"},
    {"allreduce", allreduce, 1, false, "MPI_Allreduce on one rank"},
    {"threads", isend, 4, true, "row 4 in two threads, a communicator each"},
    {"flight", flight, 3 * IN_FLIGHT, false, "MPI_Send, MPI_Wait, MPI_Irecv, 512 in flight"},
    {"random_class", random_class, 1, false, "MPI_Comm_rank or _size at random"},
    {"callers", callers, 21, false, "MPI_Comm_rank from three functions in turn"},
    {"random_path", random_path, 1, false, "MPI_Comm_rank from one of two functions at random"},
    {"random_signature", random_signature, 1, false, "MPI_Iprobe in vain with a random tag of 256"},
};

static void flight_begin(struct place *p)
{
    for (int i = 0; i < IN_FLIGHT; i++)
        MPI_Irecv(&p->in[i], 1, MPI_DOUBLE, 0, TAG, p->comm, &p->posted[i]);
}

static void flight_end(struct place *p)
{
    for (int i = 0; i < IN_FLIGHT; i++) {
        MPI_Cancel(&p->posted[i]);
        MPI_Wait(&p->posted[i], MPI_STATUS_IGNORE);
    }
}

static inline __attribute__((always_inline)) void turn(const struct row *row, struct place *p, long turns)
{
    for (long i = 0; i < turns; i++) {
        row->turn(p);
        __asm__ volatile("");
    }
}

/* Used by the warm-up and by the measured loop, so that their calls come from the same call sites. */
static __attribute__((noinline)) void loop(const struct row *row, struct place *p, long turns)
{
    turn(row, p, turns);
}

/* The loop, DEPTH frames deeper. */
static __attribute__((noinline)) void loop_below(const struct row *row, struct place *p, long turns, long depth)
{
    if (depth > 0)
        loop_below(row, p, turns, depth - 1);
    else
        loop(row, p, turns);
    __asm__ volatile("");
}

static long frames_wanted(void)
{
    const char *text = getenv("OVERHEAD_FRAMES");
    return text ? atol(text) : 5;
}

/* Not static, and never a jump to the loop, because callgrind knows it by its name. Frames: the row's function, this
 * one, and main; or loop and loop_below besides. */
void measured(const struct row *row, struct place *p, long turns);
__attribute__((noinline)) void measured(const struct row *row, struct place *p, long turns)
{
    long frames = frames_wanted();
    if (frames < 5)
        turn(row, p, turns);
    else
        loop_below(row, p, turns, frames - 5);
    __asm__ volatile("");
}

/* One thread's work: the warm-up, then between barriers the measured loop. */
struct work {
    const struct row *row;
    struct place place;
    long turns, warm_up;
    pthread_barrier_t *begin, *end; /* NULL: there is one thread */
};

static void *work_in_thread(void *argument)
{
    struct work *w = argument;
    for (volatile int pass = 0; pass < 2; pass++) { /* volatile, so that there is one call */
        if (pass) {
            pthread_barrier_wait(w->begin);
            pthread_barrier_wait(w->begin);
        }
        measured(w->row, &w->place, pass ? w->turns : w->warm_up);
    }
    pthread_barrier_wait(w->end);
    pthread_barrier_wait(w->end); /* the end of the thread is not measured */
    return NULL;
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void mark(bool begins)
{
    if (allocations_mark)
        allocations_mark(begins);
}

static inline __attribute__((always_inline)) double run_alone(struct work *w)
{
    double began = 0;
    for (volatile int pass = 0; pass < 2; pass++) { /* volatile, so that there is one call */
        if (pass) {
            mark(true);
            began = cpu_ns();
        }
        measured(w->row, &w->place, pass ? w->turns : w->warm_up);
    }
    double took = cpu_ns() - began;
    mark(false);
    return took;
}

/* This thread only waits: two others share the turns. */
static double run_threads(struct work *w)
{
    pthread_barrier_t begin, end;
    pthread_t threads[2];
    static struct work works[2];
    pthread_barrier_init(&begin, NULL, 3);
    pthread_barrier_init(&end, NULL, 3);
    w->begin = &begin;
    w->end = &end;
    for (int i = 0; i < 2; i++) {
        works[i] = *w;
        MPI_Comm_dup(MPI_COMM_WORLD, &works[i].place.comm);
        if (pthread_create(&threads[i], NULL, work_in_thread, &works[i]))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    pthread_barrier_wait(&begin);
    mark(true);
    double began = cpu_ns();
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    double took = cpu_ns() - began;
    mark(false);
    pthread_barrier_wait(&end);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&works[i].place.comm);
    }
    return took;
}

static inline __attribute__((always_inline)) void run(const struct row *row, long calls, long warm_up, bool paused)
{
    static struct work w;
    long in_turn = row->calls * (row->threads ? 2 : 1);
    w = (struct work){.row = row, .place.comm = MPI_COMM_WORLD};
    w.turns = (calls + in_turn - 1) / in_turn;
    w.warm_up = (warm_up + in_turn - 1) / in_turn;
    if (row->turn == flight)
        flight_begin(&w.place);
    if (paused)
        MPI_Pcontrol(0);
    double took = row->threads ? run_threads(&w) : run_alone(&w);
    if (paused)
        MPI_Pcontrol(1);
    if (row->turn == flight)
        flight_end(&w.place);
    printf("%.2f\n", took / (double)(w.turns * in_turn));
}

static void print_clocks(void)
{
    enum { READINGS = 20000000 };
    struct timespec t;
    volatile uint64_t sum = 0;
    double began = cpu_ns();
    for (int i = 0; i < READINGS; i++)
        sum += clock_counter();
    double counter = cpu_ns() - began;
    began = cpu_ns();
    for (int i = 0; i < READINGS; i++) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        sum += (uint64_t)t.tv_nsec;
    }
    double other = cpu_ns() - began;
#if defined __x86_64__ || defined __aarch64__
    printf("%.2f ", counter / READINGS);
#else
    printf("- ");
#endif
    printf("%.2f\n", other / READINGS);
}

static const struct row *row_named(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct row *row = argc >= 4 ? row_named(argv[1]) : NULL;
    int provided;
    if (argc == 2 && !strcmp(argv[1], "clocks")) {
        print_clocks();
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "rows")) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            printf("%s %s\n", rows[i].name, rows[i].title);
        return 0;
    }
    if (!row || atol(argv[2]) < 1) {
        fprintf(stderr, "usage: overhead ROW CALLS WARM-UP-CALLS [paused] | clocks | rows\n");
        return 2;
    }
    MPI_Init_thread(&argc, &argv, row->threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    run(row, atol(argv[2]), atol(argv[3]), argc > 4);
    MPI_Finalize();
    return 0;
}
