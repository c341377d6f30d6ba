/* SPDX-License-Identifier: BSD-3-Clause */
/* A random graph in which each rank has GRAPH_DEGREE different neighbours: the union of as many random matchings. */
#ifndef PILGRIM_SCALE_GRAPH_H
#define PILGRIM_SCALE_GRAPH_H

#include <stdint.h>

enum { GRAPH_DEGREE = 8 };

/* The neighbours of each rank, increasing, one rank after another; the same for the same RANKS, an even number. The
 * caller frees them. Memory that is short ends the program. */
uint32_t *graph_random(uint32_t ranks);

#endif
