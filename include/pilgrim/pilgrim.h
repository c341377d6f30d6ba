/* For programs that may be traced: recording on and off, markers, a look at what was recorded so far.
 *
 * A program that includes this file runs without Pilgrim too: it looks for the preloaded library when a function is
 * first called, and does nothing where there is none. Nothing is linked (with glibc before 2.34: -ldl).
 *
 *   #include <pilgrim/pilgrim.h>
 *   pilgrim_off(); read_input(); pilgrim_on();
 *   for (...) { pilgrim_marker("time step"); ... } */
#ifndef PILGRIM_PILGRIM_H
#define PILGRIM_PILGRIM_H

#include <dlfcn.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So that a marker's place in the program is where it was written, not in here. */
#if defined(__GNUC__)
#define PILGRIM_INLINE static inline __attribute__((always_inline))
#else
#define PILGRIM_INLINE static inline
#endif

/* The address of NAME in the preloaded library, NULL where there is none; *KNOWN keeps the answer. A search of the
 * running process rather than a weak symbol: in a program at a fixed address (-no-pie) the linker settles a weak one
 * as absent. */
static inline void (*pilgrim_find(const char *name, void **known))(void)
{
    static char absent;
    union {
        void *object;
        void (*function)(void);
    } address;
    if (!*known) {
        void *process = dlopen(NULL, RTLD_LAZY);
        void *found = process ? dlsym(process, name) : NULL;
        *known = found ? found : &absent;
    }
    address.object = *known == &absent ? NULL : *known;
    return address.function;
}

/* Resumes recording in all threads of this process. MPI_Pcontrol(1) does the same. */
PILGRIM_INLINE void pilgrim_on(void)
{
    static void *known;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_on", &known);
    if (found)
        found();
}

/* Pauses it: calls are not recorded. MPI_Pcontrol(0) does the same, and is itself recorded. A request that is begun then and
 * completed in a call that is recorded is request:-1.N there. */
PILGRIM_INLINE void pilgrim_off(void)
{
    static void *known;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_off", &known);
    if (found)
        found();
}

/* Records NAME among the calls of this thread, as a call of pilgrim_marker. Use names from a small set: each new one
 * is a new entry in the trace. */
PILGRIM_INLINE void pilgrim_marker(const char *name)
{
    static void *known;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_marker", &known);
    if (found)
        ((void (*)(const char *))found)(name);
}

/* Prints to TO the call-signature tables and grammars of this process's threads as they are now, but for threads that have ended. No
 * other thread may be in an MPI call meanwhile. */
PILGRIM_INLINE void pilgrim_dump(FILE *to)
{
    static void *known;
    void (*found)(void) = pilgrim_find("pilgrim_runtime_dump", &known);
    if (found)
        ((void (*)(FILE *))found)(to);
}

#ifdef __cplusplus
}
#endif

#endif
