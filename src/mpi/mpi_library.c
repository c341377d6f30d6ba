/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the program's MPI; see mpi_library.h.
 *
 * All functions are looked up at once, in a millisecond. A look-up at the first use of each would cost a test in
 * every call. Each of the two families has a variable that the other one lacks: MPICH and its relatives have
 * MPI_UNWEIGHTED, Open MPI has ompi_mpi_comm_world. */
#define _GNU_SOURCE 1 /* dladdr, dl_iterate_phdr, RTLD_DEFAULT */
#include "mpi/mpi_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef OPEN_MPI
const char mpi_library_built_for[] = "Open MPI";
#else
const char mpi_library_built_for[] = "MPICH";
#endif

const char *mpi_library_other = "unknown";
void (*mpi_library_missing_hook)(void);

#ifdef PILGRIM_STATIC

/* In a program that MPI is linked into, the linker knows all of it. */
#define MPI_LIBRARY_DEFINE(symbol)                                                                                     \
    extern char static_##symbol[] __asm__(#symbol);                                                                    \
    void *mpi_symbol_##symbol = static_##symbol;
MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_DEFINE)

enum mpi_library mpi_library_bind(const void *site)
{
    (void)site;
    return MPI_LIBRARY_BUILT_FOR;
}

void *mpi_library_symbol(const char *name)
{
    (void)name;
    return NULL;
}

#else

/* What the symbols lead to until they are known: a null pointer. */
static void *const unknown = NULL;

#define MPI_LIBRARY_DEFINE(symbol) void *mpi_symbol_##symbol = (void *)(uintptr_t)&unknown;
MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_DEFINE)

static const struct symbol {
    const char *name;
    void **value;
} symbols[] = {
#define MPI_LIBRARY_ROW(symbol)    {#symbol, &mpi_symbol_##symbol},
    MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_ROW)};

static const char any_mpi[] = "PMPI_Init";

/* For dlsym; RTLD_DEFAULT if the whole process sees the library's names. */
static _Atomic(void *) mpi_handle;

/* ---- while there is no MPI ---- */

static int missing_flag(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

static int missing(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said) && mpi_library_missing_hook)
        mpi_library_missing_hook();
    return MPI_ERR_OTHER;
}

static void *function_missing(const char *name)
{
    bool flag = !strcmp(name, "PMPI_Initialized") || !strcmp(name, "PMPI_Finalized");
    return flag ? (void *)missing_flag : (void *)missing;
}

/* Sets an address that another thread may be setting to the same value. */
static void set(void **address, void *value)
{
    __atomic_store_n(address, value, __ATOMIC_RELAXED);
}

static void functions_set(void *handle)
{
    for (size_t i = 0; i < mpi_function_count; i++) {
        const struct mpi_function *f = &mpi_function_table[i];
        void *address = dlsym(handle, f->name);
        set(f->address, address ? address : function_missing(f->name));
    }
}

/* Sets the functions that stand for missing ones, but not over what another thread has found. */
static void functions_missing(void)
{
    for (size_t i = 0; i < mpi_function_count; i++) {
        void *none = NULL;
        __atomic_compare_exchange_n(mpi_function_table[i].address, &none, function_missing(mpi_function_table[i].name),
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* ---- the search ---- */

/* Returns a handle of the loaded object at PATH if it, or a library that it is linked with, has MPI; else NULL. */
static void *object_with_mpi(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle || dlsym(handle, any_mpi))
        return handle;
    dlclose(handle);
    return NULL;
}

/* The path of the loaded object number WANTED. One at a time: the loader holds a lock during a visit, and dlopen
 * takes another lock before that one. */
struct object_path {
    size_t wanted;
    size_t number;
    char path[PATH_MAX];
};

static int object_visit(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    struct object_path *found = context;
    if (found->number++ != found->wanted)
        return 0;
    snprintf(found->path, sizeof found->path, "%s", object->dlpi_name);
    return 1;
}

/* Returns a handle of some loaded object that has MPI, or NULL. Skips the program itself, which has no path here;
 * the whole process sees its names. */
static void *any_object_with_mpi(void)
{
    struct object_path object = {0};
    void *handle = NULL;
    while (!handle && dl_iterate_phdr(object_visit, &object)) {
        if (*object.path)
            handle = object_with_mpi(object.path);
        object.wanted++;
        object.number = 0;
    }
    return handle;
}

static bool mpi_find(const void *site, void **handle)
{
    Dl_info caller;
    *handle = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, any_mpi))
        return true;
    if (!site)
        return false;
    *handle = dladdr(site, &caller) && caller.dli_fname ? object_with_mpi(caller.dli_fname) : NULL;
    if (!*handle)
        *handle = any_object_with_mpi();
    return *handle;
}

static enum mpi_library family_of(void *handle)
{
    bool mpich = dlsym(handle, "MPI_UNWEIGHTED"), open_mpi = dlsym(handle, "ompi_mpi_comm_world");
#ifdef OPEN_MPI
    bool same = open_mpi;
#else
    bool same = mpich;
#endif
    if (same)
        return MPI_LIBRARY_BUILT_FOR;
    mpi_library_other = mpich ? "MPICH" : open_mpi ? "Open MPI" : "of another kind";
    return MPI_LIBRARY_OTHER;
}

enum mpi_library mpi_library_bind(const void *site)
{
    void *handle;
    bool found = mpi_find(site, &handle);
    enum mpi_library kind = found ? family_of(handle) : MPI_LIBRARY_NONE;
    if (found) {
        atomic_store(&mpi_handle, handle);
        functions_set(handle);
    } else if (site) {
        functions_missing();
    }
    if (kind == MPI_LIBRARY_BUILT_FOR) {
        for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
            void *value = dlsym(handle, symbols[i].name);
            if (value)
                set(symbols[i].value, value);
        }
    }
    dlerror(); /* clears it: what was not found is no error of the program */
    return kind;
}

void *mpi_library_symbol(const char *name)
{
    return dlsym(atomic_load(&mpi_handle), name);
}

#endif
