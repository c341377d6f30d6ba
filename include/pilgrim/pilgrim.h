/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that may be traced: recording on and off, markers, a look at what was recorded so far.
 *
 * A program that includes this file also runs without Pilgrim. Each function looks for the preloaded library when
 * it is first called, and does nothing if there is none. No library is linked (with glibc before 2.34: -ldl).
 *
 *     #include <pilgrim/pilgrim.h>
 *     pilgrim_off(); read_input(); pilgrim_on();
 *     for (...) { pilgrim_marker("time step"); ... }
 *
 * For all functions here:
 *   threads  Any number of threads may call any of them at once, if not stated otherwise.
 *   errors   None is reported: a call that cannot be recorded is treated as an MPI call that cannot.
 *   when     They may be called before MPI_Init and after MPI_Finalize, but not from a signal handler.
 *   since    0.1.0
 * The file compiles as C89 with GNU extensions, C99 and later, and C++. */
#ifndef PILGRIM_PILGRIM_H
#define PILGRIM_PILGRIM_H

#include <dlfcn.h>
#include <stdio.h>

#include "pilgrim/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PILGRIM_HERE: always inlined, so that a marker's call site is where the program wrote it. */
#if defined(__GNUC__)
#define PILGRIM_INLINE static __inline__
#define PILGRIM_HERE   PILGRIM_INLINE __attribute__((always_inline))
#else
#define PILGRIM_INLINE static inline
#define PILGRIM_HERE   PILGRIM_INLINE
#endif

/* Internal. Returns the function NAME of the preloaded library, or NULL if there is none. *CACHE keeps the answer.
 *
 * Threads may call it at once: each stores the same answer, and loads and stores are atomic. With a compiler without
 * GNU's atomic builtins, no answer is stored, and each call searches anew. The search goes through the running
 * process, not through a weak symbol: in a program at a fixed address (-no-pie) the linker resolves a weak symbol as
 * absent. */
PILGRIM_INLINE void (*pilgrim_find(const char *name, void **cache))(void)
{
    static char absent; /* its address stands for "searched, not there" */
    union {
        void *object;
        void (*function)(void);
    } address;
#if defined(__GNUC__)
    address.object = __atomic_load_n(cache, __ATOMIC_ACQUIRE);
#else
    address.object = NULL;
    (void)cache;
#endif
    if (!address.object) {
        void *process = dlopen(NULL, RTLD_LAZY);
        if (process) /* it is the program itself: there is nothing to close */
            address.object = dlsym(process, name);
        if (!address.object)
            address.object = &absent;
#if defined(__GNUC__)
        __atomic_store_n(cache, address.object, __ATOMIC_RELEASE);
#endif
    }
    if (address.object == &absent)
        address.object = NULL;
    return address.function;
}

/* Resumes recording in all threads of this process. Does nothing if recording was not paused. MPI_Pcontrol(1) does
 * the same. */
PILGRIM_HERE void pilgrim_on(void)
{
    static void *cache;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_on", &cache);
    if (found)
        found();
}

/* Pauses recording in all threads of this process: their calls are left out of the trace until pilgrim_on. Pauses
 * do not nest. MPI_Pcontrol(0) does the same, and is itself recorded. A request that begins during the pause and
 * completes in a recorded call is request:-1.N there. */
PILGRIM_HERE void pilgrim_off(void)
{
    static void *cache;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_off", &cache);
    if (found)
        found();
}

/* Records a marker among the calls of this thread, as a call of pilgrim_marker(name). It has a call site and, as
 * other calls do, times.
 * name:    NUL-terminated text; copied; NULL is recorded as a null pointer. Take names from a small set: each new
 *          one is a new call signature in the trace. Put numbers that count up elsewhere. */
PILGRIM_HERE void pilgrim_marker(const char *name)
{
    static void *cache;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_marker", &cache);
    if (found)
        ((void (*)(const char *))found)(name);
}

/* Prints the call-signature tables and grammars of this process's live threads as they are now, for a person to read.
 * to:      where to; stays the caller's; NULL: nothing happens
 * threads: no other thread may be in an MPI call, or begin one, until it returns. */
PILGRIM_HERE void pilgrim_dump(FILE *to)
{
    static void *cache;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_dump", &cache);
    if (found && to)
        ((void (*)(FILE *))found)(to);
}

#ifdef __cplusplus
}
#endif

#endif
