/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's innermost call from Fortran, and the statuses that it ignores; see fortran_call.h. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "wrap/fortran_call.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/loader.h"

_Thread_local struct fortran_call *fortran_now __attribute__((tls_model("initial-exec")));

/* ---- statuses ---- */

/* Open MPI's sentinels are common blocks. The compiler decides which of these names they have. */
static const char *const ignore_names[] = {
    "mpi_fortran_status_ignore_",  "mpi_fortran_statuses_ignore_", "mpi_fortran_status_ignore",
    "mpi_fortran_statuses_ignore", "mpi_fortran_status_ignore__",  "mpi_fortran_statuses_ignore__",
    "MPI_FORTRAN_STATUS_IGNORE",   "MPI_FORTRAN_STATUSES_IGNORE",
};
enum { IGNORE_COUNT = sizeof ignore_names / sizeof *ignore_names };

static const void *ignored[IGNORE_COUNT];

static void find_ignored(void)
{
    for (size_t i = 0; i < IGNORE_COUNT; i++)
        ignored[i] = loader_find(RTLD_DEFAULT, ignore_names[i]);
}

bool fortran_ignores_status(const struct fortran_call *call)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (call->entry->status < 0)
        return false;
    pthread_once(&once, find_ignored);
    const void *status = (const void *)call->words[call->entry->status];
    for (size_t i = 0; i < IGNORE_COUNT; i++)
        if (status && ignored[i] == status)
            return true;
    return false;
}
