/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls inside calls: of callbacks, and of the handler of a signal that arrives in one. With the argument "none" there
 * are none; with "killed" a callback kills the process, in call KILLED_AT of MPI_Reduce_local. MPI's own library makes
 * some, for a file. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUGIN
void plugged(void);

void plugged(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}
#else
enum { KILLED_AT = 50 };

static int until_killed;

static int copies(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int rank;
    (void)key, (void)extra;
    MPI_Comm_rank(comm, &rank);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void handler(int number)
{
    (void)number;
    (void)MPI_Wtime();
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    raise(SIGUSR1);
    if (until_killed && !--until_killed)
        raise(SIGKILL);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* From here on, a module with call sites was unloaded. */
static void load_and_unload(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW), *plugged = library ? dlsym(library, "plugged") : NULL;
    if (!plugged)
        exit(9);
    ((void (*)(void))plugged)();
    dlclose(library);
}

static void calls_back(void)
{
    const int calls = until_killed + 1;
    int key, one = 1, sum = 1;
    MPI_Comm copy;
    MPI_Op op;
    MPI_Comm_create_keyval(copies, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < calls; i++)
        MPI_Reduce_local(&one, &sum, 1, MPI_INT, op);
    MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    int some[4] = {0};
    MPI_File file;
    MPI_Status status;
    signal(SIGUSR1, handler);
    MPI_Init(&argc, &argv);
    load_and_unload();
    if (argc > 1 && !strcmp(argv[1], "killed"))
        until_killed = KILLED_AT;
    if (argc == 1 || until_killed)
        calls_back();
    MPI_File_open(MPI_COMM_WORLD, "some", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_all(file, some, 4, MPI_INT, &status);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
#endif
