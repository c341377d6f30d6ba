/* SPDX-License-Identifier: BSD-3-Clause */
/* Hidden calls: calls from Fortran whose C function does not reach Pilgrim, because a tool in front of it takes the
 * call and goes on to PMPI_X.
 *
 * The function is left out of the trace, and the trace says so. The objects that it creates and frees are followed all
 * the same, by the arguments of the Fortran call. Otherwise a handle that MPI reuses would have the name of the object
 * before. */
#ifndef PILGRIM_FORTRAN_HIDDEN_H
#define PILGRIM_FORTRAN_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fortran/fortran.h"
#include "objects/handles.h"
#include "objects/requests.h"

/* What a call does to the object or request of a handle argument. */
enum fortran_handle_what {
    HANDLE_NEW,          /* creates an object; other: communicator of its ranks; flag: argument that says if it does */
    HANDLE_COMM,         /* creates a communicator; other: its parent */
    HANDLE_COMM_OF_SOME, /* as HANDLE_COMM, but not all processes of the parent take part */
    HANDLE_COMM_PENDING, /* as HANDLE_COMM, but it cannot be used yet */
    HANDLE_RELEASED,     /* may free an object */
    HANDLE_BEGUN,        /* begins a request; other: communicator of its ranks */
    HANDLE_COMPLETED,    /* may complete requests; other: their number, -1: one */
    HANDLE_STARTED       /* starts persistent requests; other: their number, -1: one */
};

/* A handle argument of a Fortran function. */
struct fortran_handle {
    uint32_t function;
    int word, other, flag, error; /* indices of arguments; -1, for flag 0: none */
    enum fortran_handle_what what;
    enum object_kind kind;
    struct {
        enum request_kind kind;
        bool persistent;
    } request;
};

extern const struct fortran_handle fortran_handles[]; /* generated; those of a function are adjacent */
extern const size_t fortran_handle_count;

/* Before CALL is made: notes the handles that it gets, if it may be hidden. fortran_hidden_done frees them. */
void fortran_hidden_before(struct fortran_call *call);

/* After CALL, which was hidden: follows its objects. RECORDED: it would have been recorded. */
void fortran_hidden_after(const struct fortran_call *call, bool recorded);

/* Frees what fortran_hidden_before noted. */
void fortran_hidden_done(struct fortran_call *call);

/* Before CALL, of MPI_Finalize: if the call will be hidden, records it here and ends recording. */
void fortran_hidden_finalize(struct fortran_call *call);

#endif
