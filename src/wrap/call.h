/* SPDX-License-Identifier: BSD-3-Clause */
/* A call on its way through the recorder.
 *
 * A generated wrapper calls, in this order: call_begin; a put or store for each input; call_enter; the real MPI
 * function; call_leave; a put or store for each output; call_end. Those that are not declared here nor in put*.h are in
 * call_inline.h. Hot functions (gen/overrides) have them inline; the others call them, as call_cold.h declares them.
 *
 * The key gets exactly one value for each parameter with direction in or inout before the call, then one for each with
 * direction out or inout after it (base/value.h). put_array and put_flags announce more values, which follow them. No
 * function here reports an error: if a value cannot be recorded, tracing is switched off with one line on stderr. */
#ifndef PILGRIM_CALL_H
#define PILGRIM_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "objects/requests.h"
#include "unwind/call_path.h"

struct thread;
struct fortran_call;

/* In a wrapper: the address in the program that the call returns to. */
#define CALL_SITE  __builtin_return_address(0)
#define CALL_FRAME CALL_PATH_FRAME /* its frame */

/* call_passed for a function that returns another type than int: returns CALL. */
#define CALL_PASSED(c, type, call)                                                                                     \
    do {                                                                                                               \
        type passed = (call);                                                                                          \
        (void)call_passed(c, 0);                                                                                       \
        return passed;                                                                                                 \
    } while (0)

/* What a function does to objects. Objects are followed even if the call is not recorded. */
enum call_follows {
    FOLLOWS_NOTHING,
    FOLLOWS_REQUESTS, /* creates, starts or completes requests that end when they complete */
    FOLLOWS_OBJECTS   /* creates or frees other objects, or persistent requests */
};

/* A call in progress, on the stack of the wrapper. */
struct call {
    union {
        struct thread *thread;
        struct bytes *key; /* the first member of the thread */
    };
    uint32_t function;     /* enum function_id (functions.h, generated) */
    uint32_t current_base; /* number of the last rank base written to the key */
    /* From here to `frame`, all is 0 at the beginning of a usual call. */
    const struct fortran_call *fortran; /* NULL: called from C */
    int64_t operation_count;            /* of `operations` */
    bool ok;                            /* the outputs are defined */
    bool failed_poll;                   /* it asked whether something had happened, and nothing had */
    bool dropped;                       /* the call is not recorded: its objects are followed, its key is dropped */
    bool returned;                      /* MPI has returned */
    const struct path_trail *trail;     /* not NULL: the class may be another one of the same site; call_settle_path */
    const void *frame;                  /* CALL_FRAME, if there is a trail */
    struct rank_base base;              /* for arguments that are ranks: set by call_rank_base, else rank base 0 */
    const struct found_operation_bits *operations; /* found by store_requests; scratch memory of the thread */
    uint64_t end;                                  /* clock ticks */
};

/* A wrapper may store CALL_ROOM bytes without a check, CALL_ROOM_OF_VALUE for each value. */
enum { CALL_ROOM = 1024, CALL_ROOM_OF_VALUE = 32 };

/* The rest of call_begin (call_inline.h), for all cases but the usual one. */
uint8_t *call_begin_slowly(struct call *c, uint32_t function, enum call_follows follows, const void *site,
                           const void *frame);

/* The rest of call_settle_path and call_enter: the call has another path than the last one of its class. Finds its
 * class and sets its start anew. */
void call_other_path(struct call *c);

/* Notes that a call that is not recorded began REQUEST, if RET is MPI_SUCCESS. Its ranks refer to HANDLE, of kind BASE
 * (KIND_COUNT: to none). Returns RET. */
int call_untracked(int ret, const MPI_Request *request, enum request_kind kind, bool persistent, enum object_kind base,
                   uint64_t handle);

/* Switches tracing off for lack of memory. Returns NULL. */
uint8_t *call_no_memory(void);

/* Returns where CALL_ROOM bytes may be written. Without memory they overwrite the key, and the call is lost. */
uint8_t *call_make_room(struct call *c);

/* Sets c->ok if RET says that a status has the error. */
void call_leave_failed(struct call *c, int ret);

/* Does what had to wait for the end of T's call. */
void call_ended(struct thread *t);

/* Records the call. END: the end of its key. */
void call_done(struct call *c, const uint8_t *end);

/* The rest of call_rank_base (call_inline.h), if the handle is not in the cache. */
void call_rank_base_slowly(struct call *c, enum object_kind kind, uint64_t handle);

/* True if ROOT is the calling process; also if it is MPI_ROOT of an inter-communicator. */
bool call_at_root(const struct call *c, int root);

/* MPI_Pcontrol(LEVEL), before its call_begin. 0 pauses recording after this call, 1 resumes it at once; other levels
 * have no effect. */
void call_control(int level);

/* Returns the status that MPI gets in place of APPLICATION, the program's: a status of Pilgrim's if the program passes
 * MPI_STATUS_IGNORE. Wrappers use call_status. */
MPI_Status *call_status_slowly(struct call *c, MPI_Status *application);
/* The same for an array of COUNT statuses and MPI_STATUSES_IGNORE. Wrappers use call_statuses. */
MPI_Status *call_statuses_slowly(struct call *c, MPI_Status *application, int64_t count);

#endif
