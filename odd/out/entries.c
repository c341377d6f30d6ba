/* Written by pilgrim-gen: where each MPI function of the program leads (capture/entry.h). */
#define _GNU_SOURCE 1
#include "capture/entry.h"

#include <dlfcn.h>
#include <stddef.h>

#include "objects/mpi_library.h"

#ifdef PILGRIM_STATIC

/* There is one MPI only in a statically linked program. */
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
