/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls from Fortran whose C function we do not see: a tool in front of us has it, and goes on to PMPI_X by itself.
 *
 * The function is left out of the trace, which says so. The objects that it makes and frees are followed all the same,
 * by the arguments that the Fortran program passed: a handle that MPI gives away again must not have the name of what
 * it meant before. */
#ifndef PILGRIM_FORTRAN_HIDDEN_H
#define PILGRIM_FORTRAN_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fortran/fortran.h"
#include "objects/handles.h"
#include "objects/requests.h"

/* What becomes of an argument. */
enum fortran_handle_what {
    HANDLE_NEW,  /* an object comes out; other: a communicator whose ranks it refers to; flag: whether it does */
    HANDLE_COMM, /* a communicator; other: what it is made from */
    HANDLE_COMM_OF_SOME, /* the same, where not all of that take part */
    HANDLE_COMM_PENDING, /* the same as HANDLE_COMM, not to be used yet */
    HANDLE_RELEASED,     /* an object may be freed */
    HANDLE_BEGUN,        /* a request comes out; other: the communicator of its ranks */
    HANDLE_COMPLETED,    /* requests may be completed; other: how many there are, -1: one */
    HANDLE_STARTED       /* persistent requests are started; idem */
};

struct fortran_handle {
    uint32_t function;
    int word, other, flag, error; /* arguments by number; -1, and 0 for flag: there is none */
    enum fortran_handle_what what;
    enum object_kind kind;
    struct {
        enum request_kind kind;
        bool persistent;
    } request;
};

extern const struct fortran_handle fortran_handles[]; /* generated; those of a function together */
extern const size_t fortran_handle_count;

/* The handles that CALL is given, before it is made, if they are to be known: it may be that nobody sees it.
 * fortran_hidden_done must follow. */
void fortran_hidden_before(struct fortran_call *call);

/* CALL has been made and was not seen: follows its objects. RECORDED: it would have been recorded. */
void fortran_hidden_after(const struct fortran_call *call, bool recorded);

void fortran_hidden_done(struct fortran_call *call);

/* CALL, of MPI_Finalize, is about to be made: if a tool has the C function it is recorded, and recording ends. */
void fortran_hidden_finalize(struct fortran_call *call);

#endif
