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

extern void *entry_MPI_Comm_free;
extern void *entry_MPI_Finalize;
extern void *entry_MPI_Gatherv;
extern void *entry_MPI_Isend;
extern void *entry_MPI_Recv;
extern void *entry_MPI_Testany;
extern void *entry_MPI_Type_create_hindexed_c;
extern void *entry_MPI_Waitall;
extern void *entry_MPI_Wtime;

static const struct entry {
    const char *name;
    void **target;
} entries[] = {
    {"MPI_Comm_free", &entry_MPI_Comm_free},
    {"MPI_Finalize", &entry_MPI_Finalize},
    {"MPI_Gatherv", &entry_MPI_Gatherv},
    {"MPI_Isend", &entry_MPI_Isend},
    {"MPI_Recv", &entry_MPI_Recv},
    {"MPI_Testany", &entry_MPI_Testany},
    {"MPI_Type_create_hindexed_c", &entry_MPI_Type_create_hindexed_c},
    {"MPI_Waitall", &entry_MPI_Waitall},
    {"MPI_Wtime", &entry_MPI_Wtime},
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
