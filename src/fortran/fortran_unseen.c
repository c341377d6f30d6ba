/* Calls from Fortran that are not seen; see fortran_unseen.h.
 *
 * Whether a call is seen is known when it has returned, and what it has completed or freed is no longer there then. So the handles that go into it
 * are noted before, as long as it is not known that the function's calls are seen. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "fortran/fortran_unseen.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "wrap/communicators.h"
#include "process/filter.h"
#include "lifecycle/init.h"
#include "wrap/wrapper.h"
#include "objects/book.h"

/* ---- handles ---- */

/* What the Fortran handle at PLACE is in C. */
static uint64_t handle_at(enum object_kind kind, const MPI_Fint *place)
{
    switch (kind) {
    case KIND_COMM: return HANDLE(PMPI_Comm_f2c(*place));
    case KIND_DATATYPE: return HANDLE(PMPI_Type_f2c(*place));
    case KIND_GROUP: return HANDLE(PMPI_Group_f2c(*place));
    case KIND_OP: return HANDLE(PMPI_Op_f2c(*place));
    case KIND_WIN: return HANDLE(PMPI_Win_f2c(*place));
    case KIND_FILE: return HANDLE(PMPI_File_f2c(*place));
    case KIND_INFO: return HANDLE(PMPI_Info_f2c(*place));
    case KIND_ERRHANDLER: return HANDLE(PMPI_Errhandler_f2c(*place));
    case KIND_MESSAGE: return HANDLE(PMPI_Message_f2c(*place));
    case KIND_REQUEST: return HANDLE(PMPI_Request_f2c(*place));
#ifdef MPI_SESSION_NULL
    case KIND_SESSION: return HANDLE(PMPI_Session_f2c(*place));
#endif
    default: return HANDLE(*place);
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

static struct view view_argument(const struct fortran_call *call, int word)
{
    return word < 0 ? capture.world : object_view(KIND_COMM, HANDLE(comm_argument(call, word)));
}

/* The rows of CALL's function: from the result on, as long as they are of it. */
static const struct fortran_handle *rows_of(const struct fortran_call *call)
{
    for (size_t i = 0; i < fortran_handle_count; i++)
        if (fortran_handles[i].function == call->entry->function)
            return &fortran_handles[i];
    return NULL;
}

static const struct fortran_handle *next_row(const struct fortran_handle *row)
{
    const struct fortran_handle *next = row + 1;
    return next < fortran_handles + fortran_handle_count && next->function == row->function ? next : NULL;
}

static bool goes_in(const struct fortran_handle *row)
{
    return row->what == HANDLE_RELEASED || row->what == HANDLE_COMPLETED || row->what == HANDLE_STARTED;
}

static enum object_kind kind_of(const struct fortran_handle *row)
{
    return row->what == HANDLE_RELEASED ? row->kind : KIND_REQUEST;
}

/* How many handles ROW's argument has. */
static int64_t count_of(const struct fortran_call *call, const struct fortran_handle *row)
{
    if (row->what == HANDLE_RELEASED || row->other < 0)
        return 1;
    int64_t count = *argument(call, row->other);
    return count > 0 ? count : 0;
}

void fortran_unseen_before(struct fortran_call *call)
{
    if (atomic_load_explicit(&call->entry->is_seen, memory_order_relaxed) ||
        atomic_load_explicit(&capture.off, memory_order_relaxed) & ~(unsigned)(OFF_PAUSED | OFF_MOVED))
        return;
    const struct fortran_handle *row = rows_of(call);
    while (row && !goes_in(row))
        row = next_row(row);
    int64_t count = row ? count_of(call, row) : 0;
    call->before = count ? malloc((size_t)count * sizeof *call->before) : NULL;
    for (int64_t i = 0; call->before && i < count; i++)
        call->before[i] = handle_at(kind_of(row), argument(call, row->word) + i);
}

void fortran_unseen_done(struct fortran_call *call)
{
    free(call->before);
    call->before = NULL;
}

/* ---- what became of them ---- */

static void requests_done(struct thread *t, const struct fortran_call *call, const struct fortran_handle *row)
{
    int64_t count = count_of(call, row);
    struct finding *f = &t->finding;
    if (!count || !thread_reserve_operations(t, count))
        return;
    for (int64_t i = 0; i < count; i++)
        f->handles[i] = call->before[i];
    requests_find(t->requests, f, count);
    for (int64_t i = 0; i < count; i++) {
        f->found[i].gone = handle_at(KIND_REQUEST, argument(call, row->word) + i) == request_null_handle;
        if (row->what == HANDLE_STARTED)
            request_set_active(&f->found[i], true);
    }
    requests_finished(t->requests, f, count);
    requests_leave(t->requests, f, count);
}

static void comm_made(const struct fortran_call *call, const struct fortran_handle *row)
{
    MPI_Comm parent = comm_argument(call, row->other), comm = PMPI_Comm_f2c(*argument(call, row->word));
    if (row->what == HANDLE_COMM_PENDING)
        communicators_unseen_pending(comm, parent);
    else
        communicators_unseen(comm, parent, row->what == HANDLE_COMM_OF_SOME ? comm_salt(0) : 0);
}

static void object_made(const struct fortran_call *call, const struct fortran_handle *row)
{
    struct view view = view_argument(call, row->other);
    if (row->flag > 0 && !*argument(call, row->flag))
        return;
    uint64_t handle = handle_at(row->kind, argument(call, row->word));
    if (row->kind == KIND_MESSAGE)
        (void)object_created_like(row->kind, handle, &view);
    else
        (void)object_created(row->kind, handle);
}

static void follow(struct thread *t, const struct fortran_call *call, const struct fortran_handle *row)
{
    bool good = !call->words[row->error] || *argument(call, row->error) == MPI_SUCCESS;
    if (goes_in(row)) {
        if (row->what == HANDLE_RELEASED)
            object_released(row->kind, object_releasing(row->kind, *call->before), handle_at(row->kind, argument(call, row->word)));
        else
            requests_done(t, call, row);
    } else if (good && row->what == HANDLE_BEGUN) {
        struct view view = view_argument(call, row->other);
        (void)request_created(t->requests, handle_at(KIND_REQUEST, argument(call, row->word)), REQUEST_UNKNOWN, row->request.kind,
                              row->request.persistent, &view, NULL);
    } else if (good && row->what == HANDLE_NEW) {
        object_made(call, row);
    } else if (good) {
        comm_made(call, row);
    }
}

/* A call that was to be seen, as others of its function were: what it has completed or freed is not known. */
static bool is_lost(const struct fortran_call *call, const struct fortran_handle *row)
{
    return goes_in(row) && !call->before && count_of(call, row);
}

/* The process's trace is written before MPI_Finalize runs: nothing could be done after it. */
void fortran_unseen_finalize(struct fortran_call *call)
{
    const void *function = dlsym(RTLD_DEFAULT, "MPI_Finalize");
    Dl_info first, own;
    struct call c;
    if (!function || !dladdr(function, &first) || !dladdr(fortran_handles, &own) || first.dli_fbase == own.dli_fbase)
        return;
    uint8_t *at = call_begin(&c, call_off(), FUNCTION_MPI_Finalize, FOLLOWS_OBJECTS, call->site);
    if (at) {
        call_enter(&c, at);
        call_leave_value(&c);
        call_done(&c, store_none(at, 1));
    }
    capture_before_finalize();
}

void fortran_unseen_after(const struct fortran_call *call, bool recorded)
{
    struct thread *t = thread_self();
    uint32_t function = call->entry->function;
    atomic_store_explicit(&call->entry->is_seen, false, memory_order_relaxed);
    if (recorded)
        filter_note_unseen(function);
    if (function == FUNCTION_MPI_Init || function == FUNCTION_MPI_Init_thread)
        capture_after_init();
    if (t && t->inside)
        t = thread_nested(t);
    for (const struct fortran_handle *row = t ? rows_of(call) : NULL; row; row = next_row(row)) {
        if (is_lost(call, row)) {
            capture_fail("requests or objects are gone in a call from Fortran that was not seen, unlike others before");
            return;
        }
        follow(t, call, row);
    }
}
