/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: where the program's calls of each MPI function go (mpi/entry.h). */
#define _GNU_SOURCE 1
#include "mpi/entry.h"

#include <dlfcn.h>
#include <stddef.h>

#include "mpi/mpi_library.h"

#ifdef PILGRIM_STATIC

/* A statically linked program has only one MPI. */
void entries_bypass(void)
{
}

#else

extern void *entry_MPI_Wait;

static const struct entry {
    const char *name;
    void **target;
} entries[] = {
    {"MPI_Wait", &entry_MPI_Wait},
};

void entries_bypass(void)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *next = dlsym(RTLD_NEXT, entries[i].name);
        if (!next)
            next = mpi_library_symbol(entries[i].name);
        if (next)
            *entries[i].target = next;
    }
}

#endif
