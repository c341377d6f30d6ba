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
    static const char *const names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", NULL};
    return first_count(names);
}
