/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that makes the MPI calls that a script says, for tests/diff/run. No call of it needs another rank, so that
 * any change of the script is a right program.
 *
 *     script FILE [SEED]
 *
 * Lines: `loop N`, `end`, and `call SITE KIND PEER COUNT TAG FIRST LAST NS NOISE`: ranks FIRST to LAST make the calls
 * of KIND at SITE. With SEED, the clock that Pilgrim reads is this program's: it goes on by NS, and by up to NOISE
 * percent more or less, each time that it is read; in COUNT of 100 calls, by 50 times as much. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LINES_MAX = 1000, COUNT_MAX = 4096 };

struct line {
    char word[8];
    int n[9]; /* as the line has them */
};

static struct line lines[LINES_MAX];
static int line_count, rank;
static double sent[COUNT_MAX], received[COUNT_MAX];
static MPI_Win win;

/* ---- the clock ---- */

static unsigned long long fake_ns, step_ns, random_state;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!random_state)
        return (int)syscall(SYS_clock_gettime, clock, time);
    fake_ns += step_ns;
    time->tv_sec = (time_t)(fake_ns / 1000000000);
    time->tv_nsec = (long)(fake_ns % 1000000000);
    return 0;
}

static void set_step(const struct line *l)
{
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    double noise = ((double)(random_state >> 33) / (double)(1U << 31) - 0.5) * 2 * l->n[8] / 100;
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    bool is_long = (int)((random_state >> 33) % 100) < l->n[3];
    step_ns = (unsigned long long)(l->n[7] * (1 + noise) * (is_long ? 50 : 1));
}

/* ---- the calls ---- */

static inline __attribute__((always_inline)) void make(const struct line *l)
{
    int kind = l->n[1], peer = l->n[2], count = l->n[3], tag = l->n[4], size;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    switch (kind) {
    case 0:
        MPI_Put(sent, count, MPI_DOUBLE, peer, 0, count, MPI_DOUBLE, win);
        break;
    case 1:
        MPI_Sendrecv(sent, count, MPI_DOUBLE, 0, tag, received, count, MPI_DOUBLE, 0, tag, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Irecv(received, count, MPI_DOUBLE, 0, tag, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(sent, count, MPI_DOUBLE, 0, tag, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        break;
    case 3:
        MPI_Allreduce(sent, received, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        break;
    case 4:
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        break;
    default:
        MPI_Win_flush(peer, win);
    }
}

#define SITE(number)                                                                                                   \
    static __attribute__((noinline)) void site_##number(const struct line *l)                                          \
    {                                                                                                                  \
        make(l);                                                                                                       \
    }
SITE(0)
SITE(1)
SITE(2)
SITE(3)
SITE(4)
SITE(5)
SITE(6)
SITE(7)

static void (*const sites[])(const struct line *) = {site_0, site_1, site_2, site_3, site_4, site_5, site_6, site_7};

/* Runs the lines from FIRST on until their end; returns the line behind it. */
static int run(int first)
{
    int i = first;
    while (i < line_count && strcmp(lines[i].word, "end") != 0) {
        const struct line *l = &lines[i];
        if (!strcmp(l->word, "loop")) {
            int behind = i + 1;
            for (int depth = 1; depth > 0; behind++)
                depth += !strcmp(lines[behind].word, "loop") - !strcmp(lines[behind].word, "end");
            for (int k = 0; k < l->n[0]; k++)
                run(i + 1);
            i = behind;
            continue;
        }
        if (rank >= l->n[5] && rank <= l->n[6]) {
            if (random_state)
                set_step(l);
            sites[l->n[0]](l);
        }
        i++;
    }
    return i;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    char text[256];
    while (file && line_count < LINES_MAX && fgets(text, sizeof text, file)) {
        int *n = lines[line_count].n;
        sscanf(text, "%7s %d %d %d %d %d %d %d %d %d", lines[line_count].word, n, n + 1, n + 2, n + 3, n + 4, n + 5,
               n + 6, n + 7, n + 8);
        line_count++;
    }
    if (!file)
        return 1;
    fclose(file);
    struct timespec now; /* the clock goes on from where it is */
    clock_gettime(CLOCK_MONOTONIC, &now);
    fake_ns = (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
    step_ns = 1000;
    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!random_state) {
        MPI_Win_create(received, sizeof received, sizeof *received, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_lock_all(0, win);
    }
    run(0);
    if (!random_state) {
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
