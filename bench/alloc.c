/* Nanoseconds for a malloc/free pair: run it alone, then under the preloaded library, and compare.
 *
 * Patterns: a pair at a time (what the allocator serves from its thread cache), many blocks alive and replaced in a
 * random order, and realloc that grows a block. Medians of several rounds. */
#define _GNU_SOURCE 1
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, PAIRS = 2000000, ALIVE = 1 << 16 };

static void *volatile sink;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double pairs(size_t size)
{
    double start = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        sink = malloc(size);
        free(sink);
    }
    return (now_ns() - start) / PAIRS;
}

static double replaced(size_t limit)
{
    static void *blocks[ALIVE];
    uint32_t state = 1;
    double start = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        uint32_t at = random_next(&state) % ALIVE;
        free(blocks[at]);
        blocks[at] = malloc(1 + random_next(&state) % limit);
    }
    double took = (now_ns() - start) / PAIRS;
    for (int i = 0; i < ALIVE; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    return took;
}

static double grown(size_t limit)
{
    double start = now_ns();
    for (int i = 0; i < PAIRS / 16; i++) {
        void *p = NULL;
        for (size_t size = limit / 16; size <= limit; size += limit / 16)
            p = realloc(p, size);
        sink = p;
        free(p);
    }
    return (now_ns() - start) / PAIRS;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, double (*measure)(size_t), size_t size)
{
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        took[i] = measure(size);
    qsort(took, ROUNDS, sizeof took[0], by_value);
    printf("%-28s %8zu bytes %8.1f ns\n", what, size, took[ROUNDS / 2]);
}

int main(void)
{
    report("malloc, free", pairs, 64);
    report("malloc, free", pairs, 4096);
    report("free, malloc, 65536 alive", replaced, 256);
    report("free, malloc, 65536 alive", replaced, 4096);
    report("realloc, growing", grown, 4096);
    return 0;
}
