/* SPDX-License-Identifier: BSD-3-Clause */
/* Hidden calls from Fortran; see fortran_hidden.h.
 *
 * Only when a call has returned it is known if it was hidden. By then the handles that it completed or freed are
 * overwritten. So they are noted before the call, unless the last call of the entry was seen. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "fortran/fortran_hidden.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/loader.h"
#include "wrap/communicator_calls.h"
#include "process/filter.h"
#include "lifecycle/finalize.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "objects/thread_requests_inline.h"

/* ---- handles ---- */

/* Returns the C handle of the Fortran handle at ARGUMENT. */
static uint64_t handle_at(enum object_kind kind, const MPI_Fint *argument)
{
    switch (kind) {
    case KIND_COMM:
        return HANDLE(PMPI_Comm_f2c(*argument));
    case KIND_DATATYPE:
        return HANDLE(PMPI_Type_f2c(*argument));
    case KIND_GROUP:
        return HANDLE(PMPI_Group_f2c(*argument));
    case KIND_OP:
        return HANDLE(PMPI_Op_f2c(*argument));
    case KIND_WIN:
        return HANDLE(PMPI_Win_f2c(*argument));
    case KIND_FILE:
        return HANDLE(PMPI_File_f2c(*argument));
    case KIND_INFO:
        return HANDLE(PMPI_Info_f2c(*argument));
    case KIND_ERRHANDLER:
        return HANDLE(PMPI_Errhandler_f2c(*argument));
    case KIND_MESSAGE:
        return HANDLE(PMPI_Message_f2c(*argument));
    case KIND_REQUEST:
        return HANDLE(PMPI_Request_f2c(*argument));
#ifdef MPI_SESSION_NULL
    case KIND_SESSION:
        return HANDLE(PMPI_Session_f2c(*argument));
#endif
    default:
        return HANDLE(*argument);
    }
}

static const MPI_Fint *argument(const struct fortran_call *call, int word)
{
    return (const MPI_Fint *)call->words[word];
}

static MPI_Comm comm_argument(const struct fortran_call *call, int word)
{
    return word < 0 ? MPI_COMM_NULL : PMPI_Comm_f2c(*argument(call, word));
}

static struct rank_base base_argument(const struct fortran_call *call, int word)
{
    return word < 0 ? capture.world : object_rank_base(KIND_COMM, HANDLE(comm_argument(call, word)));
}

/* Returns the first handle argument of CALL's function, or NULL. next_descriptor returns the others. */
static const struct fortran_handle *descriptors_of(const struct fortran_call *call)
{
    for (size_t i = 0; i < fortran_handle_count; i++)
        if (fortran_handles[i].function == call->entry->function)
            return &fortran_handles[i];
    return NULL;
}

static const struct fortran_handle *next_descriptor(const struct fortran_handle *descriptor)
{
    const struct fortran_handle *next = descriptor + 1;
    return next < fortran_handles + fortran_handle_count && next->function == descriptor->function ? next : NULL;
}

static bool goes_in(const struct fortran_handle *descriptor)
{
    return descriptor->what == HANDLE_RELEASED || descriptor->what == HANDLE_COMPLETED ||
           descriptor->what == HANDLE_STARTED;
}

static enum object_kind kind_of(const struct fortran_handle *descriptor)
{
    return descriptor->what == HANDLE_RELEASED ? descriptor->kind : KIND_REQUEST;
}

/* Returns how many handles DESCRIPTOR's argument has. */
static int64_t count_of(const struct fortran_call *call, const struct fortran_handle *descriptor)
{
    if (descriptor->what == HANDLE_RELEASED || descriptor->other < 0)
        return 1;
    int64_t count = *argument(call, descriptor->other);
    return count > 0 ? count : 0;
}

void fortran_hidden_before(struct fortran_call *call)
{
    if (atomic_load_explicit(&call->entry->is_seen, memory_order_relaxed) ||
        atomic_load_explicit(&capture.off, memory_order_relaxed) & ~(unsigned)(OFF_PAUSED | OFF_HINTS))
        return;
    const struct fortran_handle *descriptor = descriptors_of(call);
    while (descriptor && !goes_in(descriptor))
        descriptor = next_descriptor(descriptor);
    int64_t count = descriptor ? count_of(call, descriptor) : 0;
    call->before = count ? malloc((size_t)count * sizeof *call->before) : NULL;
    for (int64_t i = 0; call->before && i < count; i++)
        call->before[i] = handle_at(kind_of(descriptor), argument(call, descriptor->word) + i);
}

void fortran_hidden_done(struct fortran_call *call)
{
    free(call->before);
    call->before = NULL;
}

/* ---- following objects ---- */

static void requests_done(struct thread *t, const struct fortran_call *call, const struct fortran_handle *descriptor)
{
    int64_t count = count_of(call, descriptor);
    struct finding *f = &t->finding;
    if (!count || !thread_reserve_operations(t, count))
        return;
    for (int64_t i = 0; i < count; i++)
        f->handles[i] = call->before[i];
    requests_find(t->requests, f, count);
    for (int64_t i = 0; i < count; i++) {
        found_set_gone(&f->found[i],
                       handle_at(KIND_REQUEST, argument(call, descriptor->word) + i) == request_null_handle);
        if (descriptor->what == HANDLE_STARTED)
            request_set_active(&f->found[i], true);
    }
    requests_finished(t->requests, f, count);
    requests_leave(t->requests, f, count);
}

static void comm_made(const struct fortran_call *call, const struct fortran_handle *descriptor)
{
    MPI_Comm parent = comm_argument(call, descriptor->other), comm = PMPI_Comm_f2c(*argument(call, descriptor->word));
    if (descriptor->what == HANDLE_COMM_PENDING)
        communicators_untracked_pending(comm, parent);
    else
        communicators_untracked(comm, parent, descriptor->what == HANDLE_COMM_OF_SOME ? comm_salt(0) : 0);
}

static void object_made(const struct fortran_call *call, const struct fortran_handle *descriptor)
{
    struct rank_base base = base_argument(call, descriptor->other);
    if (descriptor->flag > 0 && !*argument(call, descriptor->flag))
        return;
    uint64_t handle = handle_at(descriptor->kind, argument(call, descriptor->word));
    if (descriptor->kind == KIND_MESSAGE)
        (void)object_created_like(descriptor->kind, handle, &base);
    else
        (void)object_created(descriptor->kind, handle);
}

static void follow(struct thread *t, const struct fortran_call *call, const struct fortran_handle *descriptor)
{
    bool good = !call->words[descriptor->error] || *argument(call, descriptor->error) == MPI_SUCCESS;
    if (goes_in(descriptor)) {
        if (descriptor->what == HANDLE_RELEASED)
            object_released(descriptor->kind, object_releasing(descriptor->kind, *call->before),
                            handle_at(descriptor->kind, argument(call, descriptor->word)));
        else
            requests_done(t, call, descriptor);
    } else if (good && descriptor->what == HANDLE_BEGUN) {
        struct rank_base base = base_argument(call, descriptor->other);
        (void)request_created(t->requests, handle_at(KIND_REQUEST, argument(call, descriptor->word)), REQUEST_UNKNOWN,
                              descriptor->request.kind, descriptor->request.persistent, &base, NULL);
    } else if (good && descriptor->what == HANDLE_NEW) {
        object_made(call, descriptor);
    } else if (good) {
        comm_made(call, descriptor);
    }
}

/* True if it is unknown what the call completed or freed: it was expected to be seen, as the one before, so its handles
 * were not noted. */
static bool is_lost(const struct fortran_call *call, const struct fortran_handle *descriptor)
{
    return goes_in(descriptor) && !call->before && count_of(call, descriptor);
}

/* If MPI_Finalize is hidden, the trace must be written before it: nothing can be done after it. */
void fortran_hidden_finalize(struct fortran_call *call)
{
    const void *function = loader_find(RTLD_DEFAULT, "MPI_Finalize");
    Dl_info first, own_library;
    struct call c;
    if (!function || !dladdr(function, &first) || !dladdr(fortran_handles, &own_library) ||
        first.dli_fbase == own_library.dli_fbase)
        return;
    uint8_t *at = call_begin(&c, call_off(), FUNCTION_MPI_Finalize, FOLLOWS_OBJECTS, call->site, call->frame);
    if (at)
        call_enter(&c, at);
    capture_end(at ? &c : NULL, at);
}

void fortran_hidden_after(const struct fortran_call *call, bool recorded)
{
    struct thread *t = thread_self();
    uint32_t function = call->entry->function;
    atomic_store_explicit(&call->entry->is_seen, false, memory_order_relaxed);
    if (recorded)
        filter_note(FILTER_UNSEEN, function);
    if (function == FUNCTION_MPI_Init || function == FUNCTION_MPI_Init_thread)
        capture_after_init();
    if (t && t->inside)
        t = thread_nested(t);
    for (const struct fortran_handle *descriptor = t ? descriptors_of(call) : NULL; descriptor;
         descriptor = next_descriptor(descriptor)) {
        if (is_lost(call, descriptor)) {
            capture_fail(
                "another tool hides a call from Fortran that completes requests or frees objects, and hid none before");
            return;
        }
        follow(t, call, descriptor);
    }
}
