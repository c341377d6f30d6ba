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
#include <stdlib.h>
#include <string.h>

#include "base/loader.h"

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

const void *mpi_library_next(const char *name)
{
    (void)name;
    return NULL;
}

void *mpi_library_symbol(const char *name)
{
    (void)name;
    return NULL;
}

bool mpi_library_asked(void *handle, const char *name)
{
    (void)handle;
    (void)name;
    return false;
}

size_t mpi_library_hidden(char *text, size_t room, const char **object)
{
    (void)text;
    (void)room;
    (void)object;
    return 0;
}

/* What the library has beyond this build is not wrapped in a static program. */
size_t mpi_library_unknown(char *text, size_t room)
{
    (void)text;
    (void)room;
    return 0;
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

enum { NAME_ROOM = 128 };

/* For dlsym; RTLD_DEFAULT if the whole process sees the library's names. */
static _Atomic(void *) mpi_handle;

/* PMPI_Init of the first library that mpi_library_asked was asked about, if it was asked before anything was known. */
static _Atomic(void *) asked_init;

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

/* Where an object is in memory. */
struct object_range {
    uintptr_t inside; /* an address in it */
    uintptr_t begin, end;
};

static int range_visit(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    struct object_range *range = context;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t first = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        begin = first < begin ? first : begin;
        end = first + part->p_memsz > end ? first + part->p_memsz : end;
    }
    if (range->inside < begin || range->inside >= end)
        return 0;
    range->begin = begin;
    range->end = end;
    return 1;
}

static void functions_set(void *handle)
{
    const void *init = loader_find(RTLD_NEXT, any_mpi); /* the program may have one of its own, as pilgrim-replay has */
    struct object_range mpi = {.inside = (uintptr_t)(init ? init : loader_find(handle, any_mpi))};
    dl_iterate_phdr(range_visit, &mpi);
    for (size_t i = 0; i < mpi_function_count; i++) {
        const struct mpi_function *f = &mpi_function_table[i];
        void *address = loader_find(handle, f->name), *next = loader_find(RTLD_NEXT, f->name + 1);
        const bool tools = (uintptr_t)next - mpi.begin >= mpi.end - mpi.begin; /* a tool that is behind this one */
        if (!address) /* no PMPI_X, but maybe MPI_X: some are in the library for Fortran only */
            address = next;
        address = address ? address : function_missing(f->name);
        set(f->address, address);
        set(f->next, next && tools ? next : address);
    }
}

/* Sets the functions that stand for missing ones, but not over what another thread has found. */
static void functions_missing(void)
{
    for (size_t i = 0; i < mpi_function_count; i++) {
        const struct mpi_function *f = &mpi_function_table[i];
        void *none = NULL, *no_next = NULL;
        __atomic_compare_exchange_n(f->address, &none, function_missing(f->name), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
        __atomic_compare_exchange_n(f->next, &no_next, function_missing(f->name), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
}

/* ---- the search ---- */

/* Returns a handle of the loaded object at PATH if it, or a library that it is linked with, has MPI; else NULL. */
static void *object_with_mpi(const char *path)
{
    void *handle = loader_loaded(path, 0);
    if (!handle || loader_find(handle, any_mpi))
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
    if (loader_find(RTLD_DEFAULT, any_mpi))
        return true;
    if (!site)
        return false;
    const void *init = atomic_load(&asked_init);
    *handle = init && dladdr(init, &caller) && caller.dli_fname ? object_with_mpi(caller.dli_fname) : NULL;
    if (*handle)
        return true;
    *handle = dladdr(site, &caller) && caller.dli_fname ? object_with_mpi(caller.dli_fname) : NULL;
    if (!*handle)
        *handle = any_object_with_mpi();
    return *handle;
}

static enum mpi_library family_of(void *handle)
{
    bool mpich = loader_find(handle, "MPI_UNWEIGHTED"), open_mpi = loader_find(handle, "ompi_mpi_comm_world");
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
            void *value = loader_find(handle, symbols[i].name);
            if (value)
                set(symbols[i].value, value);
        }
    }
    return kind;
}

void *mpi_library_symbol(const char *name)
{
    return loader_find(atomic_load(&mpi_handle), name);
}

/* Returns where the object that has ADDRESS begins; NULL: none has it. */
static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

bool mpi_library_asked(void *handle, const char *name)
{
    char tools_name[NAME_ROOM];
    void *init = loader_find(handle, any_mpi), *known = loader_find(RTLD_DEFAULT, any_mpi), *none = NULL;
    if (!init ||
        snprintf(tools_name, sizeof tools_name, "%c%s", *name == 'm' ? 'p' : 'P', name) >= (int)sizeof tools_name)
        return false;
    const void *object = object_of(loader_find(handle, name)), *next = object_of(loader_find(RTLD_NEXT, name));
    if (!object || object != object_of(loader_find(handle, tools_name)))
        return false; /* a tool's wrapper */
    if (next && next != object)
        return false; /* a tool is behind this library: it may be who asks, and is where our function would go on to */
    known = known || !atomic_load(&mpi_handle) ? known : mpi_library_symbol(any_mpi);
    if (known)
        return init == known;
    return atomic_compare_exchange_strong(&asked_init, &none, init) || none == init;
}

/* ---- functions by name ---- */

static int compare_name(const void *name, const void *function)
{
    return strcmp(name, ((const struct mpi_function *)function)->name);
}

static int compare_plain_name(const void *name, const void *function)
{
    return strcmp(name, ((const struct mpi_function *)function)->name + 1);
}

const void *mpi_library_next(const char *name)
{
    const struct mpi_function *f =
        bsearch(name, mpi_function_table, mpi_function_count, sizeof *mpi_function_table, compare_plain_name);
    return f ? *f->next : NULL;
}

/* ---- functions that this build does not know ---- */

static bool is_known(const char *name)
{
    for (const char *const *known = mpi_functions_left_out; *known; known++)
        if (!strcmp(name, *known))
            return true;
    return bsearch(name, mpi_function_table, mpi_function_count, sizeof *mpi_function_table, compare_name);
}

enum { NAMED_MAX = 4 };

/* Appends NAME, which is number COUNT, to TEXT, which has LENGTH of ROOM bytes. Returns its new length. */
static size_t add_name(char *text, size_t length, size_t room, const char *name, size_t count)
{
    if (count > NAMED_MAX || length >= room)
        return length;
    return length + (size_t)snprintf(text + length, room - length, "%s%s", count > 1 ? ", " : "", name);
}

static void add_rest(char *text, size_t length, size_t room, size_t count)
{
    if (count > NAMED_MAX && length < room)
        snprintf(text + length, room - length, " and %zu more", count - NAMED_MAX);
}

size_t mpi_library_hidden(char *text, size_t room, const char **object)
{
    static char file[PATH_MAX];
    struct object_range own = {.inside = (uintptr_t)&mpi_functions};
    Dl_info info;
    size_t count = 0, length = 0;
    dl_iterate_phdr(range_visit, &own);
    for (size_t i = 0; i < mpi_function_count; i++) {
        const char *name = mpi_function_table[i].name + 1;
        const void *found = loader_find(RTLD_DEFAULT, name);
        struct link_map *where = NULL;
        if (!found || (uintptr_t)found - own.begin < own.end - own.begin)
            continue;
        /* A program at a fixed address that takes the function's address has a jump to ours under its name. */
        if (!dladdr1(found, &info, (void **)&where, RTLD_DL_LINKMAP) || !where || !loader_symbol_of(where, name))
            continue;
        if (!count) {
            snprintf(file, sizeof file, "%s", info.dli_fname);
            *object = file;
        }
        length = add_name(text, length, room, name, ++count);
    }
    add_rest(text, length, room, count);
    return count;
}

size_t mpi_library_unknown(char *text, size_t room)
{
    Dl_info info;
    struct link_map *object = NULL;
    void *init = mpi_library_symbol(any_mpi);
    size_t count = 0, length = 0;
    if (!init || !dladdr1(init, &info, (void **)&object, RTLD_DL_LINKMAP) || !object)
        return 0;
    const struct loader_symbols all = loader_symbols_of(object);
    for (size_t i = 0; i < all.count; i++) {
        const char *name = all.strings + all.symbols[i].st_name;
        bool function = ELF64_ST_TYPE(all.symbols[i].st_info) == STT_FUNC && all.symbols[i].st_shndx != SHN_UNDEF;
        /* The tools' extensions (PMPIX_) and the names of Fortran (PMPI_SEND) are not meant. */
        if (!function || strncmp(name, "PMPI_", 5) || !strpbrk(name, "abcdefghijklmnopqrstuvwxyz") || is_known(name))
            continue;
        length = add_name(text, length, room, name + 1, ++count);
    }
    add_rest(text, length, room, count);
    return count;
}

#endif
