/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries for Fortran programs; see fortran.h. */
#define _GNU_SOURCE 1 /* RTLD_NEXT, dladdr1 */
#include "fortran/fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loader.h"
#include "wrap/abandoned.h"
#include "process/capture.h"
#include "fortran/fortran_hidden.h"
#include "fortran/fortran_layer.h"
#include "fortran/fortran_no_requests.h"
#include "lifecycle/init.h"
#include "process/thread.h"
#include "functions.h"

/* ---- the functions behind the entries ---- */

/* Looks NAME up in the library that contains SITE. A library that was loaded with RTLD_LOCAL is not found by
 * RTLD_NEXT. */
static void *find_from(const char *name, const void *site)
{
    Dl_info info;
    struct link_map *map;
    if (!dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name)
        return NULL;
    void *handle = loader_loaded(map->l_name, 0);
    void *found = handle ? loader_find(handle, name) : NULL;
    if (handle)
        dlclose(handle);
    return found;
}

static void *find(const char *name, const void *site)
{
    void *found = loader_find(RTLD_NEXT, name);
    return found ? found : find_from(name, site);
}

/* Looks up the profiling name of NAME: pmpi_send_, PMPI_SEND. */
static void *find_profiled(const char *name, const void *site)
{
    char profiled[128];
    snprintf(profiled, sizeof profiled, "%c%s", *name == 'M' ? 'P' : 'p', name);
    return find(profiled, site);
}

static bool same_library(const void *a, const void *b)
{
    Dl_info one, other;
    return dladdr(a, &one) && dladdr(b, &other) && one.dli_fbase == other.dli_fbase;
}

/* True if NEXT is not MPI's function. A name without an underscore at the end may be that of an unrelated C function.
 * MPI's functions have profiling names; those of libraries that stand in for MPI have none. */
static bool is_foreign(const struct fortran_entry *e, const void *next, const void *site)
{
    if (strstr(e->name, "_f08"))
        return false;
    const void *profiled = find_profiled(e->name, site);
    if (e->name[strlen(e->name) - 1] == '_')
        return !profiled;
    return !profiled || !same_library(next, profiled);
}

/* Keeps the library of ADDRESS loaded for good: Pilgrim has addresses of its functions, and it calls Pilgrim's. */
static void keep_library(const void *address)
{
    Dl_info info;
    struct link_map *map;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name)
        (void)loader_loaded(map->l_name, RTLD_NODELETE);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void resolve(struct fortran_entry *e, const void *site)
{
    void *next = find(e->name, site);
    if (next) {
        pthread_mutex_lock(&lock);
        bool foreign = is_foreign(e, next, site);
        if (!foreign && !atomic_load(&e->next))
            keep_library(next);
        atomic_store(&e->foreign, foreign);
        atomic_store(&e->next, next);
        pthread_mutex_unlock(&lock);
        return;
    }
    /* What the dynamic linker would do without Pilgrim. */
    capture_say("symbol lookup error: undefined symbol: %s", e->name);
    _Exit(127);
}

static const struct fortran_direct *find_direct(uint32_t function)
{
    for (size_t i = 0; i < fortran_direct_count; i++)
        if (fortran_directs[i].function == function)
            return &fortran_directs[i];
    return NULL;
}

/* Finds out how E's function reaches a C function, and redirects the Fortran layer. The functions for Fortran 2008 may
 * call those in the library for older Fortran. */
static void prepare(struct fortran_entry *e, const void *site)
{
    static const char *const names[] = {"pmpi_init_", "pmpi_init__", "pmpi_init", "PMPI_INIT"};
    static bool found_older;
    pthread_mutex_lock(&lock);
    fortran_layer_bind(atomic_load(&e->next));
    for (size_t i = 0; i < sizeof names / sizeof *names && !found_older; i++) {
        const void *found = find(names[i], site);
        if (found) {
            fortran_layer_bind(found);
            found_older = true;
        }
    }
    e->direct = find_direct(e->function);
    atomic_store(&e->prepared, true);
    pthread_mutex_unlock(&lock);
}

/* ---- a call ---- */

/* True if the call does not concern Pilgrim: nothing is to be recorded, or the MPI is one that this library was not
 * built for. */
static bool passes(const void *site)
{
    if (atomic_load_explicit(&capture.off, memory_order_relaxed) & OFF_UNBOUND)
        (void)capture_bind(site);
    return atomic_load_explicit(&capture.off, memory_order_relaxed) &
           (OFF_UNBOUND | OFF_OTHER | OFF_UNLOADED | OFF_SETTING | OFF_CHILD);
}

/* Begins the call. False: it does not concern Pilgrim, and is only passed on. */
static bool begin(struct fortran_call *call, struct fortran_entry *e, const intptr_t *words, const void *site,
                  const void *frame)
{
    if (!atomic_load_explicit(&e->next, memory_order_acquire) || e->foreign)
        resolve(e, site);
    if (e->foreign || passes(site))
        return false;
    if (!atomic_load_explicit(&e->prepared, memory_order_acquire))
        prepare(e, site);
    struct fortran_call *outer = fortran_now ? abandoned_fortran(FUNCTION_COUNT, call, site) : NULL;
    *call = (struct fortran_call){.entry = e, .words = words, .site = site, .frame = frame, .outer = outer};
    call->check = fortran_check(call);
    if (__builtin_expect(!atomic_load_explicit(&e->is_seen, memory_order_relaxed), 0))
        fortran_hidden_before(call);
    fortran_now = call;
    return true;
}

/* True if CALL returned an error to the program. */
static bool has_failed(const struct fortran_call *call)
{
    int at = call->entry->direct->error;
    return at >= 0 && call->words[at] && fortran_integer(call->words[at]) != MPI_SUCCESS;
}

/* Records CALL if MPI's Fortran layer answered it by itself: calls the C function, which has the same result. False:
 * CALL is of another kind, or it failed (an error handler is not called twice), so it was hidden. */
static bool replay(struct fortran_call *call)
{
    const struct fortran_direct *direct = call->entry->direct;
    bool done = true;
    fortran_now = call;
    if (direct && direct->after && !has_failed(call))
        direct->call(call->words);
    else
        done = fortran_replay_no_requests(call->entry->function, call->words);
    fortran_now = call->outer;
    return done;
}

/* Handles a call whose C function was not seen, although it may have to be recorded. */
static void note_hidden(struct fortran_call *call)
{
    const struct thread *t = thread_registered();
    unsigned off = atomic_load(&capture.off) & ~(unsigned)OFF_HINTS;
    bool recorded = !off && !(t && t->inside);
    if (!(off & ~(unsigned)OFF_PAUSED) && !(recorded && replay(call)))
        fortran_hidden_after(call, recorded);
}

static __attribute__((noinline)) void end_slowly(struct fortran_call *call)
{
    if (call->seen)
        atomic_store_explicit(&call->entry->is_seen, true, memory_order_relaxed);
    else
        note_hidden(call);
    fortran_hidden_done(call);
}

static void end(struct fortran_call *call)
{
    fortran_now = call->outer;
    if (__builtin_expect(
            !call->seen || call->before || !atomic_load_explicit(&call->entry->is_seen, memory_order_relaxed), 0))
        end_slowly(call);
}

static intptr_t run(const struct fortran_entry *e, const intptr_t *w)
{
    void *next = atomic_load_explicit(&((struct fortran_entry *)(uintptr_t)e)->next, memory_order_relaxed);
    if (e->words == 8)
        return ((intptr_t(*)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t))next)(
            w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
    return ((intptr_t(*)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                         intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t))next)(
        w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]);
}

intptr_t fortran_pass(struct fortran_entry *entry, const intptr_t *words, const void *site, const void *frame)
{
    struct fortran_call call;
    if (!begin(&call, entry, words, site, frame))
        return run(entry, words);
    intptr_t result = 0;
    if (__builtin_expect(entry->function == FUNCTION_MPI_Finalize, 0))
        fortran_hidden_finalize(&call);
    if (entry->direct && !entry->direct->after)
        entry->direct->call(words);
    else
        result = run(entry, words);
    end(&call);
    return result;
}

double fortran_pass_real(struct fortran_entry *entry, const void *site, const void *frame)
{
    struct fortran_call call;
    bool ours = begin(&call, entry, NULL, site, frame);
    double result = ((double (*)(void))atomic_load_explicit(&entry->next, memory_order_relaxed))();
    if (ours)
        end(&call);
    return result;
}

struct fortran_call *fortran_take(uint32_t function)
{
    struct fortran_call *call = fortran_now;
    if (!call || call->taken || call->entry->function != function)
        return NULL;
    call->taken = true;
    return call;
}

const char *fortran_text(char to[FORTRAN_TEXT_BYTES], intptr_t word, intptr_t length)
{
    const char *from = (const char *)word;
    while (length > 0 && from[length - 1] == ' ')
        length--;
    while (length > 0 && *from == ' ')
        from++, length--;
    if (length >= FORTRAN_TEXT_BYTES)
        length = FORTRAN_TEXT_BYTES - 1;
    memcpy(to, from, (size_t)length);
    to[length] = 0;
    return to;
}

int fortran_run_taken(const struct fortran_call *call, unsigned ierror)
{
    intptr_t words[FORTRAN_WORDS];
    MPI_Fint error = MPI_SUCCESS;
    memcpy(words, call->words, call->entry->words * sizeof *words);
    words[ierror] = (intptr_t)&error;
    run(call->entry, words);
    if (call->words[ierror])
        *(MPI_Fint *)call->words[ierror] = error;
    return error;
}
