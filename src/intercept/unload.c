/* SPDX-License-Identifier: BSD-3-Clause */
/* __cxa_finalize, interposed. Call classes are recognised by return addresses; after a module is unloaded another one
 * may come to lie there. The loader has each module call this function, with an address in it, as the last thing
 * before it unloads it, whoever asked for that. (dlclose would not do: UCX redirects the calls of it in all modules,
 * past any other library.) A bit in capture.off says so, so a program that unloads no module from which MPI was called
 * pays nothing. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "process/capture.h"
#include "process/thread.h"
#include "objects/modules.h"

/* Not in libpilgrim.a: there is no next function, and MPI, a part of the program, is not called from plugins. */
#ifndef PILGRIM_STATIC

static atomic_bool exits; /* modules are finalized because the process exits, and stay where they are */

static void note_exit(void)
{
    atomic_store(&exits, true);
}

__attribute__((constructor)) static void watch_exit(void)
{
    (void)atexit(note_exit);
}

PILGRIM_API void __cxa_finalize(void *module);

PILGRIM_API void __cxa_finalize(void *module)
{
    void (*next)(void *);
    void *symbol = dlsym(RTLD_NEXT, "__cxa_finalize");
    memcpy(&next, &symbol, sizeof next);
    if (next)
        next(module);
    if (!module || atomic_load(&exits) ||
        atomic_load(&capture.off) & (OFF_UNLOADED | OFF_SETTING | OFF_FAILED | OFF_OTHER | OFF_FINISHED | OFF_CHILD))
        return;
    struct thread *t = thread_now;
    bool inside = !t || t->inside;
    if (!inside)
        thread_enter(t); /* what a tool's malloc calls here is not the program's */
    if (modules_unloading(module))
        atomic_fetch_or(&capture.off, OFF_MOVED);
    if (!inside)
        thread_leave(t);
}

#endif
