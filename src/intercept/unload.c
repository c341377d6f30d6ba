/* SPDX-License-Identifier: BSD-3-Clause */
/* dlclose, interposed. Call classes are recognised by return addresses; after a module is unloaded another one may
 * come to lie there. A counter says so, and a bit in capture.off, so a program that unloads no module from which MPI
 * was called pays nothing. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <string.h>

#include "process/capture.h"
#include "objects/modules.h"

atomic_uint capture_moved;

/* Not in libpilgrim.a: there is no next dlclose, and MPI, a part of the program, is not called from plugins. */
#ifndef PILGRIM_STATIC

PILGRIM_API int dlclose(void *handle)
{
    int (*next)(void *);
    void *symbol = dlsym(RTLD_NEXT, "dlclose");
    memcpy(&next, &symbol, sizeof next);
    if (!next)
        return -1;
    int result = next(handle);
    if (atomic_load(&capture.off) & (OFF_UNLOADED | OFF_SETTING | OFF_FAILED | OFF_OTHER | OFF_FINISHED | OFF_CHILD))
        return result;
    unsigned moved = modules_moved();
    if (atomic_exchange(&capture_moved, moved) != moved)
        atomic_fetch_or(&capture.off, OFF_MOVED);
    return result;
}

#endif
