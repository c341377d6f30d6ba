/* SPDX-License-Identifier: BSD-3-Clause */
/* What a generated wrapper calls, in this order: call_begin; one put or store for each in-argument; call_enter; the
 * real MPI function; call_leave; one put or store for each out-argument; call_end. What it does itself is in call_inline.h.
 *
 * Exactly one value is put for each parameter with direction in or inout before the call, then one for each with
 * out or inout after it (base/value.h). put_array and put_flags are followed by as many values as they announce.
 * Nothing here fails visibly: a value that cannot be recorded switches tracing off with one line on stderr. */
#ifndef PILGRIM_CALL_H
#define PILGRIM_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "objects/requests.h"

struct thread;
struct fortran_call;

/* The address that the application called from. */
#define CALL_SITE __builtin_return_address(0)

/* What a function does to objects, which are followed where calls are not recorded too. */
enum call_follows {
    FOLLOWS_NOTHING,
    FOLLOWS_REQUESTS, /* makes, starts or completes requests that are gone once complete */
    FOLLOWS_OBJECTS   /* makes or frees other objects, or persistent requests */
};

/* One call under way; lives on the wrapper's stack. */
struct call {
    union {
        struct thread *thread;
        struct bytes *key; /* the thread's scratch: what it begins with */
    };
    uint32_t function;     /* enum function_id, generated (functions.h) */
    uint32_t current_base; /* the last one written to the key */
    /* From here to the rank base all is 0 in a call that begins as most do. */
    const struct fortran_call *fortran; /* NULL: called from C */
    int64_t operation_count;
    bool ok;                                       /* outputs are defined */
    bool failed_poll;                              /* it asked whether something had happened, and nothing had */
    bool dropped;                                  /* recording is paused: objects are followed, the key is dropped */
    struct rank_base base;                         /* that rank arguments refer to: call_rank_base's, else views[0] */
    const struct found_operation_bits *operations; /* of put_requests; thread scratch; not set where there are none */
    uint64_t end;                                  /* clock ticks */
};

/* Room that a wrapper has for what it stores itself. */
enum { CALL_ROOM = 1024, CALL_ROOM_OF_VALUE = 32 };

/* As call_begin (call_inline.h), whatever the state of tracing. */
uint8_t *call_begin_slowly(struct call *c, uint32_t function, enum call_follows follows, const void *site);

/* A call that is not seen has begun REQUEST if RET is MPI_SUCCESS, with ranks that refer to HANDLE of kind BASE
 * (KIND_COUNT: none). Returns RET. */
int call_untracked(int ret, const MPI_Request *request, enum request_kind kind, bool persistent, enum object_kind base,
                   uint64_t handle);

uint8_t *call_no_memory(void); /* ends tracing. NULL */
uint8_t *call_make_room(
    struct call *c); /* CALL_ROOM bytes: where. Without memory the call is lost, what it stores goes nowhere */
void call_leave_failed(struct call *c, int ret);
void call_ended(struct thread *t);                  /* what had to wait for the end of T's call is done now */
void call_done(struct call *c, const uint8_t *end); /* records the call, whose key ends at END */

/* What follows a store's test for the usual case. */
uint8_t *store_constant(uint8_t *at, unsigned enumeration, int64_t v); /* by its name if it has one, else as integer */
uint8_t *store_rank_slowly(struct call *c, uint8_t *at, const struct rank_base *base, int rank);
uint8_t *store_buffer_slowly(struct call *c, uint8_t *at, const void *p);
uint8_t *store_handle_slowly(struct call *c, uint8_t *at, enum object_kind kind, uint64_t handle);
void call_rank_base_slowly(struct call *c, enum object_kind kind, uint64_t handle);

/* Pointers, by memory.h; NULL, MPI_BOTTOM, MPI_IN_PLACE, MPI_WIN... sentinels by name. MPICH's MPI_BOTTOM is NULL:
 * printed "MPI_BOTTOM" by store_buffer, "NULL" by store_pointer. */
uint8_t *store_pointer(struct call *c, uint8_t *at, const void *p);
uint8_t *store_address(struct call *c, uint8_t *at, int64_t v); /* as put_address */

bool call_at_root(const struct call *c, int root); /* root's own place: also MPI_ROOT of an inter-communicator */

/* ---- values ---- */
void put_none(struct call *c, int count);     /* COUNT times null: not significant, undefined */
void put_name(struct call *c, unsigned name); /* enum name_id, generated (functions.h) */
void put_int(struct call *c, int64_t v);
void put_array(struct call *c, int64_t count);  /* COUNT values follow; negative counts as 0. Returns nothing. */
void put_string(struct call *c, const char *s); /* NULL: "NULL" */
void put_strings(struct call *c, char *const *strings, int64_t count); /* -1: NULL-terminated; NULL array: "NULL" */

/* V by its name where it has one among the constants of ENUMERATION (enum enumeration_id, generated), else as integer.
 */
void put_enum(struct call *c, unsigned enumeration, int64_t v);
/* V as flags of ENUMERATION, lowest bit first, what is left as integer; 0 as integer 0. */
void put_flags(struct call *c, unsigned enumeration, int64_t v);

void put_rank(struct call *c, int rank); /* relative to c->base; special ones by name */
void put_root(struct call *c, int rank); /* absolute; special ones by name */

void put_address(struct call *c, int64_t v); /* a pointer where it lies in known memory, else an integer */
void put_function(struct call *c,
                  const void *function); /* callbacks: by symbol where known; 0 or predefined ones by name */

/* ---- arrays; NULL gives "NULL", COUNT below 0 counts as 0 ---- */
void put_ints(struct call *c, const int *v, int64_t count);
void put_counts(struct call *c, const MPI_Count *v, int64_t count);
void put_aints(struct call *c, const MPI_Aint *v, int64_t count);
void put_addresses(struct call *c, const MPI_Aint *v, int64_t count); /* put_address each */
void put_large_addresses(struct call *c, const MPI_Count *v, int64_t count);
void put_bools(struct call *c, const int *v, int64_t count);
void put_enums(struct call *c, unsigned enumeration, const int *v, int64_t count);
void put_ranks(struct call *c, const int *v, int64_t count);
void put_roots(struct call *c, const int *v, int64_t count);   /* absolute ranks */
void put_weights(struct call *c, const int *v, int64_t count); /* MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY by name */
void put_ranges(struct call *c, int (*v)[3], int64_t count);
void put_datatypes(struct call *c, const MPI_Datatype *v, int64_t count);
void put_infos(struct call *c, const MPI_Info *v, int64_t count);
void put_new_datatypes(struct call *c, const MPI_Datatype *v, int64_t count);

/* ---- handles ---- */
void put_handle(struct call *c, enum object_kind kind, uint64_t handle); /* in, or out of one that lives already */
void put_new(struct call *c, enum object_kind kind, uint64_t handle);    /* out: new, or one more reference */
void put_new_pending(struct call *c, enum object_kind kind,
                     uint64_t handle); /* out of a non-blocking creation, a message,
                                       a window: has the call's rank base */
/* As put_new and put_new_pending, of communicators (communicators.h): made from PARENT, or MPI_COMM_NULL; SALT not 0:
 * known by its members. COMM may be MPI_COMM_NULL where this process is not in it. */
void put_new_comm(struct call *c, MPI_Comm comm, MPI_Comm parent, uint64_t salt);
void put_new_comm_pending(struct call *c, MPI_Comm comm, MPI_Comm parent);
uint64_t comm_salt(int tag);
uint64_t comm_salt_text(const char *tag);
/* out of an inout handle that was BEFORE: null now means released */
void put_released(struct call *c, enum object_kind kind, uint64_t before, uint64_t after);

/* ---- requests ---- */
uint8_t *store_new_request(struct call *c, uint8_t *at, MPI_Request request, enum request_kind kind,
                           bool persistent); /* out */
/* The same of a receive, whose status may come out as it is predicted here. */
uint8_t *store_new_receive(struct call *c, uint8_t *at, MPI_Request request, enum request_kind kind, bool persistent,
                           int64_t count, int source, int tag);
uint8_t *store_request(struct call *c, uint8_t *at, MPI_Request request); /* in, one: becomes operation 0 */
uint8_t *store_request_after(struct call *c, uint8_t *at,
                             MPI_Request request); /* out of an inout one: released if null now */
void put_requests(struct call *c, const MPI_Request *requests, int64_t count); /* in, an array; NULL legal with 0 */
void put_requests_after(struct call *c, const MPI_Request *requests, int64_t count);

/* The same for functions that leave most of the array as it is: what comes out is written as what changed
 * (request_array_delta.h). _kept: what goes in, too, by what came out of earlier calls; _noted: as it is. */
void put_requests_again(struct call *c, const MPI_Request *requests, int64_t count);
void put_requests_noted(struct call *c, const MPI_Request *requests, int64_t count);
void put_requests_changed(struct call *c, const MPI_Request *requests, int64_t count); /* after either of them */

/* As put_requests_changed. INDICES, the out-value of parameter number PARAMETER, are those of the requests that have
 * completed: *INDEX_COUNT, or one if that is NULL. Not read if the call has failed. */
void put_requests_completed(struct call *c, const MPI_Request *requests, int64_t count, uint8_t parameter,
                            const int *indices, const int *index_count);
void call_requests_started(struct call *c); /* MPI_Start, MPI_Startall succeeded: all operations active; no value */

/* ---- statuses ----
 * The wrapper gives MPI a status of Pilgrim's where the application passes MPI_STATUS(ES)_IGNORE. */
MPI_Status *call_status_slowly(struct call *c,
                               MPI_Status *application); /* what to pass to PMPI; wrappers: call_status */
MPI_Status *call_statuses(struct call *c, MPI_Status *application, int64_t count); /* idem for an array */
/* STATUS: what was passed to PMPI. IGNORED: the application passed MPI_STATUS(ES)_IGNORE. */
uint8_t *store_status(struct call *c, uint8_t *at, const MPI_Status *status,
                      bool ignored);                                           /* receive or probe: source in c->base */
uint8_t *store_status_io(uint8_t *at, const MPI_Status *status, bool ignored); /* file: bytes only */
uint8_t *store_status_plain(struct call *c, uint8_t *at, const MPI_Status *status, bool ignored); /* of unknown origin:
                                                  source absolute; MPI_Get_count, MPI_Status_set_elements, ... */
/* Of operation INDEX (MPI_UNDEFINED or a null request: the empty status), by its kind. Marks it inactive. */
uint8_t *store_status_of(struct call *c, uint8_t *at, int64_t index, const MPI_Status *status, bool ignored);
void put_statuses(struct call *c, const MPI_Status *statuses, int64_t count, bool ignored); /* i-th of operation i */
void put_statuses_some(struct call *c, const MPI_Status *statuses, const int *indices, int64_t count, bool ignored);

/* ---- lengths that neither standard nor header say; used by gen/overrides ---- */
int64_t length_peers(const struct call *c); /* c->base.size: all-to-all counts; the remote group's size */
int64_t length_local(const struct call *c); /* c->base.local_size */
int64_t length_indegree(MPI_Comm comm);
int64_t length_outdegree(MPI_Comm comm);
int64_t length_cart_dims(MPI_Comm comm); /* 0 without a Cartesian topology */
int64_t length_graph_edges(MPI_Comm comm);
int64_t length_sum(const int *v, int64_t count);
int64_t length_last(const int *v, int64_t count); /* v[count-1], 0 for none: MPI_Graph_create's edges */
int64_t length_min(int64_t a, int64_t b);
enum type_contents { TYPE_INTEGERS, TYPE_ADDRESSES, TYPE_COUNTS, TYPE_DATATYPES };
int64_t length_type(MPI_Datatype datatype, enum type_contents which); /* by MPI_Type_get_envelope */

/* MPI_Pcontrol, before its call_begin: 0 pauses after the call that this thread records next (this one), 1 resumes
 * at once, all else is ignored. */
void call_control(int level);

#endif
