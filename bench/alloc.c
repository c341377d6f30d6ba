/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a malloc/free pair: prints nanoseconds of CPU time. bench/alloc.sh runs it alone and under the preloaded
 * library and compares.
 *
 * usage: alloc PATTERN
 *
 *   pair      one block at a time, which the allocator serves from its thread cache
 *   batch     1000 blocks of mixed sizes are allocated, then freed in the same order
 *   alive     65536 blocks alive, replaced in a random order: caches miss
 *   large     the same with blocks of up to 4 KiB
 *   realloc   a block grows in 16 steps; nanoseconds a step
 *   named     batch, while an MPI call has named 4000 other blocks
 *   threads   batch in two threads at the same time */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 4000000, ALIVE = 1 << 16, BATCH = 1000, NAMED = 4000 };

static void *volatile sink;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double pair(void)
{
    double start = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        sink = malloc(64);
        free(sink);
    }
    return (now_ns() - start) / PAIRS;
}

static double batch(void)
{
    void *blocks[BATCH];
    uint32_t state = 1;
    double start = now_ns();
    for (int i = 0; i < PAIRS / BATCH; i++) {
        for (int b = 0; b < BATCH; b++)
            blocks[b] = malloc(1 + random_next(&state) % 256);
        for (int b = 0; b < BATCH; b++)
            free(blocks[b]);
    }
    return (now_ns() - start) / PAIRS;
}

static double replaced(uint32_t limit)
{
    static void *blocks[ALIVE];
    uint32_t state = 1;
    for (int i = 0; i < ALIVE; i++)
        blocks[i] = malloc(1 + random_next(&state) % limit);
    double start = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        uint32_t at = random_next(&state) % ALIVE;
        free(blocks[at]);
        blocks[at] = malloc(1 + random_next(&state) % limit);
    }
    double took = (now_ns() - start) / PAIRS;
    for (int i = 0; i < ALIVE; i++)
        free(blocks[i]);
    return took;
}

static double alive(void)
{
    return replaced(256);
}

static double large(void)
{
    return replaced(4096);
}

static double grown(void)
{
    enum { STEPS = 16, STEP_BYTES = 256 };
    double start = now_ns();
    for (int i = 0; i < PAIRS / STEPS; i++) {
        void *p = NULL;
        for (size_t steps = 1; steps <= STEPS; steps++)
            p = realloc(p, steps * STEP_BYTES);
        sink = p;
        free(p);
    }
    return (now_ns() - start) / PAIRS;
}

static double named(void)
{
    static void *others[NAMED], *between[NAMED];
    MPI_Aint address;
    for (int i = 0; i < NAMED; i++) {
        others[i] = malloc(100);
        between[i] = malloc(100);
        MPI_Get_address(others[i], &address);
    }
    for (int i = 0; i < NAMED; i++)
        free(between[i]); /* so that batch has blocks between those that are named */
    double took = batch();
    for (int i = 0; i < NAMED; i++)
        free(others[i]);
    return took;
}

static void *run_batch(void *result)
{
    *(double *)result = batch();
    return NULL;
}

static double threads(void)
{
    double took[2];
    pthread_t other;
    if (pthread_create(&other, NULL, run_batch, &took[1]))
        abort();
    run_batch(&took[0]);
    pthread_join(other, NULL);
    return (took[0] + took[1]) / 2;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*measure)(void);
    } patterns[] = {{"pair", pair},     {"batch", batch}, {"alive", alive},    {"large", large},
                    {"realloc", grown}, {"named", named}, {"threads", threads}};
    MPI_Init(&argc, &argv);
    for (size_t i = 0; argc > 1 && i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(argv[1], patterns[i].name) == 0)
            printf("%.2f\n", patterns[i].measure());
    return MPI_Finalize();
}
