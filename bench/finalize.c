/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the time and memory of MPI_Finalize. A library to preload, before Pilgrim's if there is one.
 *
 * All ranks enter MPI_Finalize together. Each appends a line to the file that FINALIZE_TIMES names: the seconds at
 * which it entered and at which it returned; in KiB the peak of resident memory until it entered, the private memory
 * then, and the peak of resident memory from then on; its rank. Pilgrim sees the program's calls as they are, except
 * for the call site of MPI_Finalize. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for the machine: all ranks are on it */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the sum of the lines of the file PATH of /proc that begin with NAME. Without stdio, which allocates. */
static long kib_of(const char *path, const char *name)
{
    static char text[16384];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    long sum = 0;
    close(file);
    text[length > 0 ? length : 0] = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, strlen(name)))
            sum += atol(line + strcspn(line, ":") + 1);
    }
    return sum;
}

/* Starts the peak of resident memory anew. */
static void peak_reset(void)
{
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    ssize_t written = write(file, "5", 1);
    (void)written;
    close(file);
}

int MPI_Finalize(void)
{
    int (*next)(void);
    void *symbol = dlsym(RTLD_NEXT, "MPI_Finalize");
    const char *path = getenv("FINALIZE_TIMES");
    memcpy(&next, &symbol, sizeof next);
    long peak = kib_of("/proc/self/status", "VmHWM"), private = kib_of("/proc/self/smaps_rollup", "Private_");
    int rank = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    peak_reset();
    double began = seconds_now();
    int result = next();
    double ended = seconds_now();
    long within = kib_of("/proc/self/status", "VmHWM");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        /* one write, so that lines do not mix */
        fprintf(file, "%.6f %.6f %ld %ld %ld %d\n", began, ended, peak, private, within, rank);
        fclose(file);
    }
    return result;
}
