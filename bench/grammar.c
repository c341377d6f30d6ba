/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures grammar_append: random symbols from alphabets of several sizes, and a regular nested loop.
 *
 * usage: grammar [SYMBOLS]    (10000000) Prints one line a case: seconds; nanoseconds an append; bytes of memory;
 * symbols and rules of the grammar. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "grammar/grammar.h"

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state;
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * limit >> 32);
}

/* The calls of a program: 1000 time steps of 8 exchanges of 6 calls, each step closed by a reduction, then output. */
static uint32_t loop_terminal(uint64_t i)
{
    uint64_t in_output = i % 49001;
    uint64_t in_step = in_output % 49;
    if (in_output == 49000)
        return 7;
    return in_step == 48 ? 6 : (uint32_t)(in_step % 6);
}

static void measure(const char *name, uint32_t alphabet, uint64_t symbols)
{
    struct grammar *g = grammar_new();
    double start = seconds_now();
    for (uint64_t i = 0; g && i < symbols; i++) {
        uint32_t terminal = alphabet ? random_below(alphabet) : loop_terminal(i);
        if (grammar_append(g, terminal) != PILGRIM_OK) {
            fprintf(stderr, "grammar: out of memory after %llu symbols\n", (unsigned long long)i);
            exit(EXIT_FAILURE);
        }
    }
    if (!g)
        exit(EXIT_FAILURE);
    double seconds = seconds_now() - start;
    printf("%-16s %11llu %8.3f %9.1f %12zu %9.1f %10u %9u\n", name, (unsigned long long)symbols, seconds,
           1e9 * seconds / (double)symbols, grammar_memory_bytes(g), (double)grammar_memory_bytes(g) / (double)symbols,
           grammar_symbol_count(g), grammar_rule_count(g));
    fflush(stdout);
    grammar_free(g);
}

int main(int argc, char **argv)
{
    uint64_t symbols = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    if (argc > 2 || symbols == 0) {
        fprintf(stderr, "usage: grammar [SYMBOLS]\n");
        return 2;
    }
    printf("%-16s %11s %8s %9s %12s %9s %10s %9s\n", "sequence", "appends", "seconds", "ns/append", "bytes",
           "bytes/app.", "symbols", "rules");
    measure("loop", 0, symbols);
    measure("random of 4", 4, symbols / 10);
    measure("random of 4", 4, symbols);
    measure("random of 1000", 1000, symbols / 10);
    measure("random of 1000", 1000, symbols);
    measure("random of 10^6", 1000000, symbols / 10);
    measure("random of 10^6", 1000000, symbols);
    return 0;
}
