/* SPDX-License-Identifier: BSD-3-Clause */
/* dlsym and dlopen without an error left behind, which would be what the program's next dlerror returns. The loader
 * frees an error's text through the program's free, while the error is still there. That may be a function that asks
 * the loader for the next free at its first use, and would do so for ever. So it is used before anything can fail. */
#ifndef PILGRIM_LOADER_H
#define PILGRIM_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

/* Returns the address of NAME, as dlsym; NULL: there is none. RTLD_NEXT: behind this library. Not within malloc or
 * free. */
void *loader_find(void *handle, const char *name);

/* Returns the handle of the library PATH if it is loaded; NULL: it is not. FLAGS: more of dlopen's. */
void *loader_loaded(const char *path, int flags);

/* The names of an object that others see, and those that it wants of others (SHN_UNDEF). */
struct loader_symbols {
    const ElfW(Sym) * symbols;
    const char *strings;
    size_t count;
};

struct loader_symbols loader_symbols_of(const struct link_map *object);

/* Returns the address of NAME in OBJECT alone; NULL: it has none. Asks nobody, so it may be called at any time. */
void *loader_symbol_of(const struct link_map *object, const char *name);

#endif
