/* SPDX-License-Identifier: BSD-3-Clause */
/* odd: a clock that stands still, goes backwards and jumps by days, and what it said.
 *
 * usage: odd CALLS. In MPI_Comm_rank and MPI_Comm_size, CALLS times each, CLOCK_MONOTONIC reads what this program
 * wants: it defines clock_gettime, which libpilgrim.so then calls too (PILGRIM_CLOCK=monotonic). Prints for each of
 * these calls of rank 0 what was read when it began and when it ended, in ns. The first one is far ahead of all that
 * was read before. Afterwards the clock goes on from the latest time that it ever said. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000, DAY_S = 86400 };

static bool odd;
static uint64_t now, latest; /* what the odd clock says, and said at most */
static int64_t ahead;        /* of the system's clock */
static uint64_t random_state = 88172645463325252u;
static uint64_t *said;
static size_t said_count, said_capacity;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* As likely of one size as of another, below 2^BITS. */
static uint64_t draw_size(unsigned bits)
{
    return draw(UINT64_C(1) << draw(bits + 1));
}

static uint64_t next_reading(void)
{
    switch (draw(8)) {
    case 0:
    case 1:
        break;
    case 2: {
        uint64_t back = draw_size(32);
        now = now > back ? now - back : 0;
        break;
    }
    case 3:
        now += draw(40) ? draw_size(20) : draw(30) * DAY_S * SECOND + draw_size(40);
        break;
    default:
        now += draw_size(24);
        break;
    }
    if (now > latest)
        latest = now;
    if (said_count < said_capacity)
        said[said_count] = now;
    said_count++;
    return now;
}

static uint64_t system_ns(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, t);
    uint64_t ns = odd ? next_reading() : system_ns() + (uint64_t)ahead;
    t->tv_sec = (time_t)(ns / SECOND);
    t->tv_nsec = (long)(ns % SECOND);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, calls = argc > 1 ? atoi(argv[1]) : 0;
    if (calls < 1)
        return 2;
    said_capacity = 4 * (size_t)calls;
    said = calloc(said_capacity, sizeof *said);
    if (!said)
        return 1;
    MPI_Init(&argc, &argv);
    now = latest = system_ns() + SECOND;
    for (int i = 0; i < calls; i++) {
        odd = true;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        odd = false;
        ahead = (int64_t)(latest - system_ns());
    }
    ahead = (int64_t)(latest - system_ns());
    if (said_count > said_capacity)
        said_count = 0; /* who else read the clock? */
    for (size_t i = 0; rank == 0 && i < said_count; i += 2)
        printf("%llu %llu\n", (unsigned long long)said[i], (unsigned long long)said[i + 1]);
    free(said);
    MPI_Finalize();
    return 0;
}
