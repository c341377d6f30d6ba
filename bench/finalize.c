/* How long MPI_Finalize takes: a preload, before Pilgrim's if there is one. All ranks enter it together; each appends a line to the
 * file that FINALIZE_TIMES names, the seconds at which it entered and at which it returned. Pilgrim sees the program's calls as
 * ever, but for the place that MPI_Finalize is called from. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); /* of the machine: all ranks are on one */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int MPI_Finalize(void)
{
    int (*next)(void);
    void *symbol = dlsym(RTLD_NEXT, "MPI_Finalize");
    const char *path = getenv("FINALIZE_TIMES");
    memcpy(&next, &symbol, sizeof next);
    PMPI_Barrier(MPI_COMM_WORLD);
    double began = seconds_now();
    int result = next();
    double ended = seconds_now();
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%.6f %.6f\n", began, ended); /* one write: lines do not mix */
        fclose(file);
    }
    return result;
}
