/* SPDX-License-Identifier: BSD-3-Clause */
#include "scale_graph.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool joined(const uint32_t *neighbours, unsigned count, uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < count; i++)
        if (neighbours[(size_t)a * GRAPH_DEGREE + i] == b)
            return true;
    return false;
}

/* Pairs all ranks at random, those in ORDER two by two, so that no pair are neighbours already. If a pair are, one
 * of the two is swapped with a member of another pair, so that both new pairs are good. */
static void add_matching(uint32_t *neighbours, unsigned count, uint32_t ranks, uint32_t *order, uint64_t *state)
{
    for (uint32_t i = ranks; i-- > 1;) {
        uint32_t k = (uint32_t)(draw(state) % (i + 1)), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (uint32_t i = 0; i < ranks; i += 2) {
        while (joined(neighbours, count, order[i], order[i + 1])) {
            uint32_t k = (uint32_t)(draw(state) % ranks), swap = order[i + 1];
            if (k / 2 == i / 2 || joined(neighbours, count, order[k ^ 1], swap) ||
                joined(neighbours, count, order[i], order[k]))
                continue;
            order[i + 1] = order[k];
            order[k] = swap;
        }
    }
    for (uint32_t i = 0; i < ranks; i++)
        neighbours[(size_t)order[i] * GRAPH_DEGREE + count] = order[i ^ 1];
}

static int compare_ranks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t *graph_random(uint32_t ranks)
{
    uint64_t state = ranks;
    uint32_t *neighbours = malloc((size_t)ranks * GRAPH_DEGREE * sizeof *neighbours);
    uint32_t *order = malloc(ranks * sizeof *order);
    if (!neighbours || !order) {
        fprintf(stderr, "scale: out of memory\n");
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0; i < ranks; i++)
        order[i] = i;
    for (unsigned count = 0; count < GRAPH_DEGREE; count++)
        add_matching(neighbours, count, ranks, order, &state);
    for (uint32_t i = 0; i < ranks; i++)
        qsort(&neighbours[(size_t)i * GRAPH_DEGREE], GRAPH_DEGREE, sizeof *neighbours, compare_ranks);
    free(order);
    return neighbours;
}
