/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that delete attributes; see keyvals.h. Whose they are is found by the number of the key, which MPI uses
 * again once nothing has it any more. */
#include "lifecycle/keyvals.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_set.h"
#include "lifecycle/finalize.h"
#include "wrap/abandoned.h"
#include "wrap/fortran_call.h"

enum { DELETES_WORD = 1 /* among the arguments from Fortran */ };

/* What Fortran programs give: all arguments are references, and an attribute is an INTEGER or one of an address's kind.
 */
typedef void fortran_deletes(MPI_Fint *comm, MPI_Fint *key, void *value, void *extra, MPI_Fint *error);

struct keyval {
    struct shared_item item; /* its hash is the key */
    _Atomic(uintptr_t) deletes;
};

static struct shared_set keyvals;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t deletes_of(int key)
{
    const struct keyval *k = (const struct keyval *)shared_set_find(&keyvals, (uint64_t)(unsigned)key, NULL, NULL);
    return k ? atomic_load(&k->deletes) : 0;
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    const uintptr_t deletes = deletes_of(key);
    int error = deletes ? ((MPI_Comm_delete_attr_function *)deletes)(comm, key, value, extra) : MPI_SUCCESS;
    finalize_deletes(error);
    return error;
}

static void deleted_fortran(MPI_Fint *comm, MPI_Fint *key, void *value, void *extra, MPI_Fint *error)
{
    ((fortran_deletes *)deletes_of(*key))(comm, key, value, extra, error);
    finalize_deletes(*error);
}

/* Notes that KEY has DELETES, before the program knows the key. False: no memory. */
static bool note(int key, uintptr_t deletes)
{
    bool done = true;
    pthread_mutex_lock(&lock);
    struct keyval *k = (struct keyval *)shared_set_find(&keyvals, (uint64_t)(unsigned)key, NULL, NULL);
    if (k) {
        atomic_store(&k->deletes, deletes);
    } else {
        k = malloc(sizeof *k);
        if (k) {
            k->item.hash = (uint64_t)(unsigned)key;
            atomic_init(&k->deletes, deletes);
        }
        done = k && shared_set_add(&keyvals, &k->item);
        if (!done)
            free(k);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* The call from Fortran that comes to MPI as this call of FUNCTION, or NULL. */
static struct fortran_call *from_fortran(uint32_t function)
{
    struct fortran_call *call = fortran_now;
    return call && !call->taken && call->entry->function == function ? call : NULL;
}

static void set_words(struct fortran_call *call, const intptr_t *words)
{
    if (!call)
        return;
    call->words = words;
    call->check = fortran_check(call);
}

int keyval_create(int (*real)(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *, void *),
                  uint32_t function, MPI_Comm_copy_attr_function *copies, MPI_Comm_delete_attr_function *deletes,
                  int *key, void *extra)
{
    struct fortran_call *call = from_fortran(function);
    const uintptr_t given = (uintptr_t)deletes;
    /* MPI's Fortran layer may call the C function with what it got from here. */
    if (given == (uintptr_t)deleted_fortran || (!call && given && abandoned_is_of_mpi((const void *)given, NULL)))
        return real(copies, deletes, key, extra);
    if (!given) { /* whether that is none is for MPI to say; what none returns is a result, too */
        int error = real(copies, deletes, key, extra);
        if (error != MPI_SUCCESS)
            return error;
        (void)PMPI_Comm_free_keyval(key);
    }
    const intptr_t *const words = call ? call->words : NULL;
    intptr_t replaced[FORTRAN_WORDS];
    if (call) {
        memcpy(replaced, words, call->entry->words * sizeof *words);
        replaced[DELETES_WORD] = (intptr_t)deleted_fortran;
        set_words(call, replaced);
    }
    int error = real(copies, deleted, key, extra);
    set_words(call, words);
    if (error != MPI_SUCCESS || note(*key, given))
        return error;
    (void)PMPI_Comm_free_keyval(key);
    if (call)
        call->taken = false;
    return real(copies, deletes, key, extra);
}
