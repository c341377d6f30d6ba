/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a call whose path has not been there before, and the same call again. For bench/overhead.sh --stack.
 *
 * Prints for paths of several lengths, in microseconds: a call all of whose addresses are new; a call whose addresses
 * were all there, in other paths; and a call whose path was there. Each is the median of those of one length. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHOICES = 16, TOPS = 3, OTHERS = CHOICES * (CHOICES - 1), CALLS = CHOICES + 2 * OTHERS };

/* Calls the level below at a call site that HERE tells; that one calls its next at the site that BELOW tells, and so on
 * in turn. */
typedef void level(unsigned here, unsigned below);

#define CALL(next, i)                                                                                                  \
    case i:                                                                                                            \
        next(below, here);                                                                                             \
        __asm__ volatile("# " #i);                                                                                     \
        break;
#define FOUR(next, i)    CALL(next, i) CALL(next, i + 1) CALL(next, i + 2) CALL(next, i + 3)
#define SIXTEEN(next, i) FOUR(next, i) FOUR(next, i + 4) FOUR(next, i + 8) FOUR(next, i + 12)
#define LEVEL(name, next)                                                                                              \
    static __attribute__((noinline)) void name(unsigned here, unsigned below)                                          \
    {                                                                                                                  \
        switch (here) {                                                                                                \
            SIXTEEN(next, 0)                                                                                           \
            SIXTEEN(next, 16)                                                                                          \
            SIXTEEN(next, 32)                                                                                          \
        }                                                                                                              \
    }

static __attribute__((noinline)) void bottom(unsigned here, unsigned below)
{
    int rank;
    (void)(here + below);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

LEVEL(level_0, bottom)
LEVEL(level_1, level_0)
LEVEL(level_2, level_1)
LEVEL(level_3, level_2)
LEVEL(level_4, level_3)
LEVEL(level_5, level_4)
LEVEL(level_6, level_5)
LEVEL(level_7, level_6)
LEVEL(level_8, level_7)
LEVEL(level_9, level_8)
LEVEL(level_10, level_9)
LEVEL(level_11, level_10)
LEVEL(level_12, level_11)
LEVEL(level_13, level_12)
LEVEL(level_14, level_13)
LEVEL(level_15, level_14)
LEVEL(level_16, level_15)
LEVEL(level_17, level_16)
LEVEL(level_18, level_17)
LEVEL(level_19, level_18)
LEVEL(level_20, level_19)
LEVEL(level_21, level_20)
LEVEL(level_22, level_21)
LEVEL(level_23, level_22)
LEVEL(level_24, level_23)
LEVEL(level_25, level_24)
LEVEL(level_26, level_25)
LEVEL(level_27, level_26)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* Each top has choices of its own, so that its addresses are new. All calls come from one place in main. */
int main(int argc, char **argv)
{
    static const struct {
        level *level;
        int frames;
    } tops[TOPS] = {{level_0, 3}, {level_7, 10}, {level_27, 30}};
    static unsigned choices[CALLS][2];
    static double times[CALLS];
    for (unsigned i = 0; i < CALLS; i++) {
        unsigned other = (i - CHOICES) % OTHERS, first = other / (CHOICES - 1);
        choices[i][0] = i < CHOICES ? i : first;
        choices[i][1] = i < CHOICES ? i : (first + 1 + other % (CHOICES - 1)) % CHOICES;
    }
    MPI_Init(&argc, &argv);
    for (unsigned t = 0; t < TOPS; t++) {
        for (unsigned i = 0; i < CALLS; i++) {
            double began = now();
            tops[t].level(t * CHOICES + choices[i][0], t * CHOICES + choices[i][1]);
            times[i] = now() - began;
        }
        printf("%d %.2f %.2f %.2f\n", tops[t].frames, median(times, CHOICES), median(times + CHOICES, OTHERS),
               median(times + CHOICES + OTHERS, OTHERS));
    }
    MPI_Finalize();
    return 0;
}
