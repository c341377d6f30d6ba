/* Finding the program's MPI; see mpi_library.h.
 *
 * Each of the two families has a variable that the other has not: MPICH and its relatives MPI_UNWEIGHTED, Open MPI
 * ompi_mpi_comm_world. */
#define _GNU_SOURCE 1
#include "objects/mpi_library.h"

#include <dlfcn.h>
#include <stddef.h>

#include "objects/handles.h"

#ifdef OPEN_MPI
const char mpi_library_built_for[] = "Open MPI", mpi_library_other[] = "MPICH";
static const char own_variable[] = "ompi_mpi_comm_world", other_variable[] = "MPI_UNWEIGHTED";
#else
const char mpi_library_built_for[] = "MPICH", mpi_library_other[] = "Open MPI";
static const char own_variable[] = "MPI_UNWEIGHTED", other_variable[] = "ompi_mpi_comm_world";
#endif

/* Until they are known: a null pointer to be read. */
static void *const unknown = NULL;

#define MPI_LIBRARY_DEFINE(symbol) void *library_##symbol = (void *)(uintptr_t)&unknown;
MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_DEFINE)

static const struct symbol {
    const char *name;
    void **value;
} symbols[] = {
#define MPI_LIBRARY_ROW(symbol) {#symbol, &library_##symbol},
    MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_ROW)
};

enum mpi_library mpi_library_bind(void)
{
    if (!dlsym(RTLD_DEFAULT, own_variable))
        return dlsym(RTLD_DEFAULT, other_variable) ? MPI_LIBRARY_OTHER : MPI_LIBRARY_NONE;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *value = dlsym(RTLD_DEFAULT, symbols[i].name);
        if (value)
            *symbols[i].value = value;
    }
    handles_bound();
    return MPI_LIBRARY_OWN;
}
