/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes windows and files; see otf2_objects.h. */
#ifdef HAVE_OTF2
#include "otf2_objects.h"

#include <stdio.h>
#include <stdlib.h>

enum { MPI_IO = 0, WHERE_FILES_ARE = 0 /* the machine: the trace does not say which hosts see a file */ };

static const OTF2_RmaSyncLevel both_levels = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

/* ---- windows ---- */

/* The numbers of operations are unique in the archive. */
static uint64_t matching(const struct mpi_records *r, const struct mpi_record *record, uint32_t rank)
{
    return record->request * r->ranks + rank;
}

static OTF2_ErrorCode put_remote(OTF2_EvtWriter *writer, const struct mpi_record *record, uint64_t ns, uint64_t number)
{
    const uint32_t target = (uint32_t)record->peer;
    switch ((enum record_access)record->tag) {
    case RECORD_PUT:
        return OTF2_EvtWriter_RmaPut(writer, NULL, ns, record->comm, target, record->bytes, number);
    case RECORD_GET:
        return OTF2_EvtWriter_RmaGet(writer, NULL, ns, record->comm, target, record->bytes, number);
    default:
        return OTF2_EvtWriter_RmaAtomic(writer, NULL, ns, record->comm, target,
                                        record->tag == RECORD_ACCUMULATE ? OTF2_RMA_ATOMIC_TYPE_ACCUMULATE
                                        : record->tag == RECORD_COMPARE_AND_SWAP
                                            ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                            : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                                        record->bytes, (uint64_t)record->world, number);
    }
}

static OTF2_ErrorCode put_collective_end(OTF2_EvtWriter *writer, const struct mpi_record *record, uint64_t ns,
                                         OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level)
{
    return OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, ns, operation, level, record->comm, OTF2_COLLECTIVE_ROOT_NONE,
                                           0, 0);
}

static OTF2_ErrorCode put_made(OTF2_EvtWriter *writer, const struct mpi_record *record, uint64_t ns, bool allocated)
{
    const OTF2_ErrorCode made = OTF2_EvtWriter_RmaWinCreate(writer, NULL, ns, record->comm);
    return made != OTF2_SUCCESS ? made
                                : put_collective_end(writer, record, ns,
                                                     allocated ? OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE
                                                               : OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                                                     OTF2_RMA_SYNC_LEVEL_PROCESS);
}

static OTF2_ErrorCode put_freed(OTF2_EvtWriter *writer, const struct mpi_record *record, uint64_t ns, bool allocated)
{
    const OTF2_ErrorCode freed = OTF2_EvtWriter_RmaWinDestroy(writer, NULL, ns, record->comm);
    return freed != OTF2_SUCCESS ? freed
                                 : put_collective_end(writer, record, ns,
                                                      allocated ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE
                                                                : OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
                                                      OTF2_RMA_SYNC_LEVEL_PROCESS);
}

/* ---- files ---- */

static OTF2_ErrorCode put_transfer(OTF2_EvtWriter *writer, const struct mpi_record *record, uint64_t ns,
                                   uint64_t number)
{
    const int64_t mode = record->tag & 3;
    unsigned flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (record->tag & RECORD_NON_BLOCKING)
        flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    if (record->tag & RECORD_COLLECTIVELY)
        flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
    return OTF2_EvtWriter_IoOperationBegin(writer, NULL, ns, record->comm,
                                           mode == RECORD_READ    ? OTF2_IO_OPERATION_MODE_READ
                                           : mode == RECORD_WRITE ? OTF2_IO_OPERATION_MODE_WRITE
                                                                  : OTF2_IO_OPERATION_MODE_FLUSH,
                                           flags, record->bytes, number);
}

static OTF2_ErrorCode put_opened(OTF2_EvtWriter *writer, const struct container *file, uint32_t number, uint64_t ns)
{
    return OTF2_EvtWriter_IoCreateHandle(writer, NULL, ns, number, (OTF2_IoAccessMode)file->mode, file->creation,
                                         file->status);
}

static OTF2_ErrorCode put_seek(OTF2_EvtWriter *writer, const struct mpi_record *record, uint64_t ns)
{
    static const OTF2_IoSeekOption from[] = {OTF2_IO_SEEK_FROM_START, OTF2_IO_SEEK_FROM_CURRENT, OTF2_IO_SEEK_FROM_END};
    return OTF2_EvtWriter_IoSeek(writer, NULL, ns, record->comm, record->tag, from[record->peer], record->bytes);
}

/* ---- both ---- */

OTF2_ErrorCode otf2_put_object_begun(OTF2_EvtWriter *writer, const struct mpi_records *r,
                                     const struct mpi_record *record, uint32_t rank, uint64_t ns)
{
    switch ((enum record_kind)record->kind) {
    case RECORD_REMOTE:
        return put_remote(writer, record, ns, matching(r, record, rank));
    case RECORD_WINDOW_MADE:
    case RECORD_WINDOW_FREED:
    case RECORD_FENCE:
        return OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, ns);
    case RECORD_LOCK:
        return OTF2_EvtWriter_RmaRequestLock(writer, NULL, ns, record->comm, (uint32_t)record->peer, 0,
                                             record->tag == 0 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
    case RECORD_TRANSFER:
        return put_transfer(writer, record, ns, matching(r, record, rank));
    default:
        return OTF2_SUCCESS;
    }
}

OTF2_ErrorCode otf2_put_object_ended(OTF2_EvtWriter *writer, const struct mpi_records *r,
                                     const struct mpi_record *record, uint32_t rank, uint64_t ns)
{
    switch ((enum record_kind)record->kind) {
    case RECORD_REMOTE_ENDED_HERE:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, ns, record->comm, matching(r, record, rank));
    case RECORD_REMOTE_ENDED:
        return OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, ns, record->comm, matching(r, record, rank));
    case RECORD_WINDOW_MADE:
        return put_made(writer, record, ns, r->windows.entries[record->comm].allocated);
    case RECORD_WINDOW_FREED:
        return put_freed(writer, record, ns, r->windows.entries[record->comm].allocated);
    case RECORD_FENCE:
        return put_collective_end(writer, record, ns, OTF2_COLLECTIVE_OP_BARRIER, both_levels);
    case RECORD_UNLOCK:
        return OTF2_EvtWriter_RmaReleaseLock(writer, NULL, ns, record->comm, (uint32_t)record->peer, 0);
    case RECORD_WINDOW_GROUP:
        return OTF2_EvtWriter_RmaGroupSync(writer, NULL, ns, record->peer ? OTF2_RMA_SYNC_LEVEL_PROCESS : both_levels,
                                           record->comm, OTF2_GROUP_OF_RANKS + (OTF2_GroupRef)record->tag);
    case RECORD_WINDOW_SYNC:
        return OTF2_EvtWriter_RmaSync(writer, NULL, ns, record->comm, (uint32_t)record->peer,
                                      OTF2_RMA_SYNC_TYPE_MEMORY);
    case RECORD_FILE_OPENED:
        return put_opened(writer, &r->files.entries[record->comm], record->comm, ns);
    case RECORD_FILE_CLOSED:
        return OTF2_EvtWriter_IoDestroyHandle(writer, NULL, ns, record->comm);
    case RECORD_FILE_DELETED:
        return OTF2_EvtWriter_IoDeleteFile(writer, NULL, ns, MPI_IO, record->comm);
    case RECORD_FILE_SEEK:
        return put_seek(writer, record, ns);
    case RECORD_TRANSFER:
        return record->tag & RECORD_NON_BLOCKING
                   ? OTF2_EvtWriter_IoOperationIssued(writer, NULL, ns, record->comm, matching(r, record, rank))
                   : OTF2_SUCCESS;
    case RECORD_TRANSFER_TESTED:
        return OTF2_EvtWriter_IoOperationTest(writer, NULL, ns, record->comm, matching(r, record, rank));
    case RECORD_TRANSFER_ENDED:
        return OTF2_EvtWriter_IoOperationComplete(writer, NULL, ns, record->comm, record->bytes,
                                                  matching(r, record, rank));
    default:
        return OTF2_SUCCESS;
    }
}

/* ---- definitions ---- */

static void note(struct otf2_definitions *d, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && d->bad == OTF2_SUCCESS)
        d->bad = code;
}

static void define_windows(struct otf2_definitions *d)
{
    const struct container_table *windows = &d->c->records->windows;
    char name[32];
    for (size_t i = 0; i < windows->count; i++) {
        snprintf(name, sizeof name, "window %zu", i);
        note(d, OTF2_GlobalDefWriter_WriteRmaWin(d->writer, (OTF2_RmaWinRef)i,
                                                 windows->entries[i].name
                                                     ? otf2_define_printable(d, windows->entries[i].name)
                                                     : otf2_define_text(d, name),
                                                 windows->entries[i].comm, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    }
}

static void define_files(struct otf2_definitions *d, const bool *opened)
{
    const struct mpi_records *r = d->c->records;
    struct record_path *path, *next;
    OTF2_StringRef *names = calloc(r->path_count + (size_t)1, sizeof *names);
    if (!names) {
        d->short_of_memory = true;
        return;
    }
    const OTF2_StringRef paradigm = otf2_define_text(d, "MPI-IO");
    note(d, OTF2_GlobalDefWriter_WriteIoParadigm(d->writer, MPI_IO, paradigm, paradigm, OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                                 OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
    HASH_ITER(hh, r->paths, path, next)
    {
        names[path->number] = otf2_define_printable(d, path->text);
        note(d, OTF2_GlobalDefWriter_WriteIoRegularFile(d->writer, path->number, names[path->number], WHERE_FILES_ARE));
    }
    for (size_t i = 0; i < r->files.count; i++) {
        const struct container *file = &r->files.entries[i];
        note(d,
             OTF2_GlobalDefWriter_WriteIoHandle(d->writer, (OTF2_IoHandleRef)i, names[file->path], file->path, MPI_IO,
                                                opened[i] ? OTF2_IO_HANDLE_FLAG_NONE : OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                                                file->comm, OTF2_UNDEFINED_IO_HANDLE));
        if (!opened[i])
            note(d, OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(d->writer, (OTF2_IoHandleRef)i,
                                                                      (OTF2_IoAccessMode)file->mode, file->status));
    }
    free(names);
}

void otf2_define_objects(struct otf2_definitions *d, const bool *opened)
{
    define_windows(d);
    if (d->c->records->path_count)
        define_files(d, opened);
}
#else
typedef int otf2_objects_are_not_there; /* a file is not empty */
#endif
