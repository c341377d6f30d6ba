/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that end the job (MPI_ERRORS_ARE_FATAL), noted before they do. MPI tells nobody: it prints the error and asks
 * the launcher to kill all ranks. On the way there both MPICH and Open MPI call a function that the dynamic linker
 * binds, so that the one here is called first. A relative of MPICH may hide it; such a run ends as if it had been
 * killed.
 *
 * Open MPI's function is that which ends the job. MPICH's is called for each error, before it looks for the handler.
 * It holds MPI's lock, so MPI cannot be asked for the handler. If the process has never set one, the error is fatal;
 * else it is noted, without a word, until the function returns. */
#define _GNU_SOURCE 1 /* dladdr, RTLD_NEXT */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_classes.h"
#include "base/loader.h"
#include "functions.h"
#include "lifecycle/init.h"
#include "mpi/mpi_library.h"
#include "pilgrim/status.h"
#include "process/capture.h"
#include "process/endings.h"
#include "process/thread.h"
#include "wrap/call.h"
#include "wrap/fortran_call.h"

static atomic_bool own_handlers; /* the program has set an error handler that is not fatal */

void capture_error_handler(MPI_Errhandler handler)
{
    bool fatal = handler == MPI_ERRORS_ARE_FATAL;
#if defined MPI_ERRORS_ABORT
    fatal = fatal || handler == MPI_ERRORS_ABORT;
#endif
    if (!fatal)
        atomic_store(&own_handlers, true);
}

/* Not in libpilgrim.a: MPI's function would be there twice. */
#ifndef PILGRIM_STATIC

enum { TEXT_BYTES = 512 };

/* Returns MPI's function NAME, which CALLER, an address in MPI, would have called; NULL: there is none. */
static void *next_of(const char *name, const void *caller)
{
    Dl_info info;
    void *symbol = loader_find(RTLD_NEXT, name);
    void *module = !symbol && dladdr(caller, &info) ? loader_loaded(info.dli_fname, 0) : NULL;
    if (module) {
        symbol = loader_find(module, name);
        (void)dlclose(module); /* its caller keeps it loaded */
    }
    return symbol;
}

/* Appends where the thread's current call was made, if there is one: " in MPI_Recv at app+0x1248". */
static void put_call(char *text, size_t size)
{
    const struct thread *t = thread_now;
    Dl_info info;
    size_t length = strlen(text);
    if (!t || !t->inside || !t->frame)
        return;
    const struct call *c = t->frame;
    const char *site = c->fortran ? c->fortran->site : t->site;
    length += (size_t)snprintf(text + length, size - length, " in %s", vocabulary.functions[c->function].name);
    if (site && dladdr(site, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(text + length, size - length, " at %s+0x%" PRIxPTR, slash ? slash + 1 : info.dli_fname,
                 (uintptr_t)site - 1 - (uintptr_t)info.dli_fbase);
    }
}

/* Notes, and says, that the error CODE ends the job. */
static void end_by(int code)
{
    char text[TEXT_BYTES] = "";
    const char *name = error_class_name(capture.library, code);
    put_call(text, sizeof text);
    size_t length = strlen(text);
    if (name)
        snprintf(text + length, sizeof text - length, ": %s", name);
    else
        snprintf(text + length, sizeof text - length, ": code %d", code);
    capture_before_error(code, text);
}

#ifdef OPEN_MPI

PILGRIM_API int ompi_mpi_abort(struct ompi_communicator_t *comm, int code);

PILGRIM_API int ompi_mpi_abort(struct ompi_communicator_t *comm, int code)
{
    int (*next)(struct ompi_communicator_t *, int);
    void *symbol = next_of("ompi_mpi_abort", __builtin_return_address(0));
    memcpy(&next, &symbol, sizeof next);
    if (capture_has_begun())
        end_by(code);
    if (!next)
        abort();
    return next(comm, code);
}

#else

typedef int (*return_error)(void *object, const char *function, int code);

static int error(const char *name, const void *caller, void *object, const char *function, int code)
{
    const bool noted = code && capture_has_begun();
    return_error next;
    void *symbol = next_of(name, caller);
    memcpy(&next, &symbol, sizeof next);
    if (!next)
        abort();
    if (noted && (atomic_load(&own_handlers) || !capture.initialized)) /* a session has its own */
        endings_note_error(code);
    else if (noted)
        end_by(code);
    int ret = next(object, function, code);
    atomic_store(&own_handlers, true); /* the launcher may have set one */
    if (noted)
        endings_go_on();
    return ret;
}

PILGRIM_API int MPIR_Err_return_comm(void *comm, const char *function, int code);
PILGRIM_API int MPIR_Err_return_win(void *win, const char *function, int code);

PILGRIM_API int MPIR_Err_return_comm(void *comm, const char *function, int code)
{
    return error("MPIR_Err_return_comm", __builtin_return_address(0), comm, function, code);
}

PILGRIM_API int MPIR_Err_return_win(void *win, const char *function, int code)
{
    return error("MPIR_Err_return_win", __builtin_return_address(0), win, function, code);
}

#endif
#endif
