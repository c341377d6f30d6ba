/* SPDX-License-Identifier: BSD-3-Clause */
/* opened LIBRARY [global]: a program that is not linked with MPI opens its library and looks the functions up there, as
 * the interpreters of languages do. What the loader says of other names is printed. */
#define _GNU_SOURCE 1 /* RTLD_NEXT, dlvsym */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void *library;

#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, symbol) ((type)dlsym(library, #symbol))
#endif

/* Sets FUNCTION to MPI's function NAME. */
static void find(void *function, const char *name)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    if (!found)
        printf("%s: %s\n", name, dlerror());
}

/* The file that ADDRESS is in. */
static const char *file_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? strrchr(info.dli_fname, '/') + 1 : "nowhere";
}

static void ask(void)
{
    const char *error;
    void *none = dlsym(library, "MPI_Nothing");
    error = dlerror();
    printf("MPI_Nothing: %d, %s\n", none != NULL, error ? "an error" : "no error");
    printf("then: %s\n", dlerror() ? "an error" : "no error");
    printf("MPI_Init and PMPI_Init: %d\n", dlsym(library, "MPI_Init") != NULL && dlsym(library, "PMPI_Init") != NULL);
    printf("PMPI_Init is in %s\n", file_of(dlsym(library, "PMPI_Init")));
    printf("with a version: %d, %s\n", dlvsym(library, "MPI_Init", "NONE_1.0") != NULL,
           dlerror() ? "an error" : "no error");
    printf("printf is in %s and %s\n", file_of(dlvsym(RTLD_DEFAULT, "printf", "GLIBC_2.2.5")),
           file_of(dlsym(RTLD_NEXT, "printf")));
    printf("next: %d\n", dlsym(RTLD_NEXT, "MPI_Nothing") != NULL);
}

int main(int argc, char **argv)
{
    int (*init)(int *, char ***), (*rank_of)(MPI_Comm, int *),
        (*sum)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*barrier)(MPI_Comm), (*finalize)(void);
    int rank, ranks = 0, total = 0;
    library = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) {
        puts(dlerror());
        return 1;
    }
    find(&init, "MPI_Init");
    find(&rank_of, "MPI_Comm_rank");
    find(&sum, "MPI_Allreduce");
    find(&barrier, "MPI_Barrier");
    find(&finalize, "MPI_Finalize");
    init(&argc, &argv);
    rank_of(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        sum(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        ranks += total;
        barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: %d\n", rank, ranks);
    if (rank == 0)
        ask();
    return finalize();
}
