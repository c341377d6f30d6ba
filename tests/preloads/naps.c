/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: who has waited for a while sleeps, so that the processor is for those who have something
 * to do. With yields alone eight ranks on two processors take up to ten times as much of it. Benchmarks have yield.so:
 * a sleep is a delay. */
#define NAP_NS 50000
#include "yield.c"
