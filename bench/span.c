/* SPDX-License-Identifier: BSD-3-Clause */
/* Says how long a program runs between MPI_Init and MPI_Finalize. A library to preload, before Pilgrim's if there is
 * one. In MPI_Finalize rank 0 writes a line to the file that SPAN names: the seconds from when the last rank has left
 * MPI_Init until the last one enters MPI_Finalize. All ranks are on one machine. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double began;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int MPI_Init(int *argc, char ***argv)
{
    int (*next)(int *, char ***);
    void *symbol = dlsym(RTLD_NEXT, "MPI_Init");
    memcpy(&next, &symbol, sizeof next);
    int result = next(argc, argv);
    began = seconds_now();
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*next)(int *, char ***, int, int *);
    void *symbol = dlsym(RTLD_NEXT, "MPI_Init_thread");
    memcpy(&next, &symbol, sizeof next);
    int result = next(argc, argv, required, provided);
    began = seconds_now();
    return result;
}

int MPI_Finalize(void)
{
    int (*next)(void), rank = 0;
    void *symbol = dlsym(RTLD_NEXT, "MPI_Finalize");
    const char *path = getenv("SPAN");
    double own[2] = {began, seconds_now()}, last[2];
    memcpy(&next, &symbol, sizeof next);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(own, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    FILE *file = path && rank == 0 ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%.6f\n", last[1] - last[0]);
        fclose(file);
    }
    return next();
}
