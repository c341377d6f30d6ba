/* SPDX-License-Identifier: BSD-3-Clause */
/* A random graph in which each rank has GRAPH_DEGREE different neighbours: the union of GRAPH_DEGREE random
 * matchings. */
#ifndef PILGRIM_SCALE_GRAPH_H
#define PILGRIM_SCALE_GRAPH_H

#include <stdint.h>

enum { GRAPH_DEGREE = 8 };

/* Returns the neighbours of each rank, increasing, one rank after another. They depend only on RANKS, an even
 * number. The caller frees them. If memory is short the program ends. */
uint32_t *graph_random(uint32_t ranks);

#endif
