/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher's environment variables; see launcher.h. */
#define _GNU_SOURCE 1 /* secure_getenv */
#include "process/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *launcher_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = secure_getenv(names[i]);
        if (rank)
            return rank;
    }
    return NULL;
}

bool launcher_is_first(void)
{
    const char *rank = launcher_rank();
    return !rank || !strcmp(rank, "0");
}

/* Returns the first positive number among the variables NAMES, which end with NULL; else 0. */
static int first_count(const char *const *names)
{
    int count = 0;
    for (; *names && count <= 0; names++) {
        const char *value = secure_getenv(*names);
        count = value ? atoi(value) : 0;
    }
    return count > 0 ? count : 0;
}

int launcher_local_count(void)
{
    static const char *const names[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_LOCAL_SIZE", NULL};
    return first_count(names);
}

int launcher_count(void)
{
    static const char *const names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", NULL};
    return first_count(names);
}

/* What launcher_look has seen. */
static struct {
    int world;
    bool first;
} at_load;

void launcher_look(void)
{
    static const char *const worlds[][2] = {{"PMI_SIZE"}, {"OMPI_COMM_WORLD_SIZE"}};
    static const char *const step[] = {"SLURM_STEP_NUM_TASKS", NULL}; /* SLURM_NTASKS: a batch script has it, too */
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        const int count = first_count(worlds[i]);
        if (count && (!at_load.world || count < at_load.world)) /* of a launcher within a job */
            at_load.world = count;
    }
    if (!at_load.world && secure_getenv("SLURM_PROCID")) /* which salloc's shell has not */
        at_load.world = first_count(step);
    at_load.first = launcher_is_first();
}

int launcher_world(bool *first)
{
    *first = at_load.first;
    return at_load.world;
}
