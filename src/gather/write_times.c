/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes times sections in parallel; see write_times.h.
 *
 * Rank 0 appends its own sections to the file, under its temporary name. The other ranks open the file through MPI's
 * file functions, and each writes its sections to their offset, a few MiB at a time. Then rank 0 writes the end.
 *
 * A collective operation would wait forever for a process that is gone. So before the first one all processes tell each
 * other that they are there, and after the last one what its outcome was; both within a limit (gather.c). If there is
 * no common file system, some process does not see the file; that is noticed before MPI is asked to open it. */
#include "gather/write_times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "process/times_sections.h"
#include "process/capture.h"
#include "format/write_file.h"

enum { PIECE_BYTES = 4 << 20 };

/* What rank 0 tells the others about the file. */
struct shared_file {
    uint64_t length; /* so far */
    uint64_t inode;
    uint64_t path_length; /* with the 0 byte; 0: there is no file */
};

/* Where this process writes next. */
struct times_writer {
    MPI_File file;
    uint64_t position;
};

static bool all_agree(bool good)
{
    int mine = good, least = 0;
    return PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, capture.comm) == MPI_SUCCESS && least;
}

static enum pilgrim_status append(void *context, const uint8_t *data, size_t length)
{
    return result_add_times(context, data, length);
}

static bool write_piece(struct times_writer *w, const uint8_t *data, size_t length)
{
    MPI_Status status;
    int written = 0;
    bool good =
        PMPI_File_write_at(w->file, (MPI_Offset)w->position, data, (int)length, MPI_BYTE, &status) == MPI_SUCCESS &&
        PMPI_Get_count(&status, MPI_BYTE, &written) == MPI_SUCCESS && (size_t)written == length;
    w->position += length;
    return good;
}

/* Writes in pieces: MPI's counts are ints, and there may be more in memory. */
static enum pilgrim_status write_at(void *context, const uint8_t *data, size_t length)
{
    for (size_t done = 0, piece; done < length; done += piece) {
        piece = length - done < PIECE_BYTES ? length - done : PIECE_BYTES;
        if (!write_piece(context, data + done, piece))
            return PILGRIM_IO;
    }
    return PILGRIM_OK;
}

/* Passes all times sections of this process to USE, HELD first. */
static enum pilgrim_status write_own(const struct bytes *held,
                                     enum pilgrim_status (*use)(void *context, const uint8_t *data, size_t length),
                                     void *context)
{
    if (held->length)
        TRY(use(context, held->data, held->length));
    return times_sections_each(use, context);
}

/* ---- rank 0 ---- */

/* Appends rank 0's own sections and shares the file. */
static enum pilgrim_status prepare(const struct gather *g, struct result *result, struct shared_file *shared,
                                   struct bytes *path)
{
    struct stat found;
    TRY(write_own(&g->held, append, result));
    if (capture.size == 1)
        return PILGRIM_OK;
    TRY(result_share(result, path));
    if (stat((const char *)path->data, &found))
        return PILGRIM_IO;
    *shared =
        (struct shared_file){.length = result->file.length, .inode = found.st_ino, .path_length = path->length + 1};
    return PILGRIM_OK;
}

/* ---- all ---- */

/* True if this process sees the file and may write to it. */
static bool sees(const struct shared_file *shared, const char *path)
{
    struct stat found;
    int file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = !fstat(file, &found) && found.st_ino == shared->inode && (uint64_t)found.st_size == shared->length;
    close(file);
    return good;
}

/* Tells the others about the file. Rank 0 passes PATH, the others an empty one. */
static bool tell(struct shared_file *shared, struct bytes *path)
{
    bool good = PMPI_Bcast(shared, sizeof *shared, MPI_BYTE, 0, capture.comm) == MPI_SUCCESS && shared->path_length;
    if (!good)
        return false;
    if (capture.rank)
        good = bytes_reserve(path, (size_t)shared->path_length);
    if (!all_agree(good))
        return false;
    return PMPI_Bcast(path->data, (int)shared->path_length, MPI_BYTE, 0, capture.comm) == MPI_SUCCESS;
}

/* *POSITION: where the sections of this process begin. *TOTAL: bytes of the sections of all ranks but 0. */
static bool place_times(const struct gather *g, const struct shared_file *shared, uint64_t *position, uint64_t *total)
{
    uint64_t own_bytes = capture.rank ? g->held.length + times_sections_bytes() : 0, before = 0;
    bool good = PMPI_Exscan(&own_bytes, &before, 1, MPI_UINT64_T, MPI_SUM, capture.comm) == MPI_SUCCESS;
    *position = shared->length + (capture.rank ? before : 0);
    return PMPI_Allreduce(&own_bytes, total, 1, MPI_UINT64_T, MPI_SUM, capture.comm) == MPI_SUCCESS && good;
}

static bool write_file(const struct gather *g, const char *path, uint64_t position)
{
    struct times_writer w = {.file = MPI_FILE_NULL, .position = position};
    struct write_guard guard;
    /* The program's own handler must not be called any more. */
    PMPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    bool good = PMPI_File_open(capture.comm, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &w.file) == MPI_SUCCESS;
    if (!all_agree(good))
        return false;
    write_guard_begin(&guard);
    if (capture.rank)
        good = write_own(&g->held, write_at, &w) == PILGRIM_OK;
    good &= PMPI_File_sync(w.file) == MPI_SUCCESS;
    good &= PMPI_File_close(&w.file) == MPI_SUCCESS;
    write_guard_end(&guard);
    return good;
}

/* Writes the sections of all ranks but 0. SHARED is rank 0's. *TOTAL: bytes that were written. */
static bool write_together(const struct gather *g, struct shared_file *shared, struct bytes *path, uint64_t *total)
{
    uint64_t position;
    if (!tell(shared, path))
        return false;
    bool good = place_times(g, shared, &position, total);
    return all_agree(good && sees(shared, (const char *)path->data)) &&
           write_file(g, (const char *)path->data, position);
}

/* Gathers the outcome and tells it to all. */
static void agree(struct gather *g)
{
    gather_up(g);
    gather_tell(g);
}

void write_times(struct gather *g, struct result *result)
{
    struct shared_file shared = {0};
    struct bytes path = {0};
    uint64_t total = 0;
    bool good = capture.rank || prepare(g, result, &shared, &path) == PILGRIM_OK;
    gather_begin_outcome_only(g, capture.run.merge_limit_s);
    if (!good)
        gather_note(g, GATHER_UNWRITTEN, 0);
    agree(g);
    if (g->state.outcome == GATHER_WHOLE) {
        good = capture.size == 1 || write_together(g, &shared, &path, &total);
        gather_begin_outcome_only(g, capture.run.merge_limit_s);
        if (!good)
            gather_note(g, GATHER_UNWRITTEN, capture.rank);
        gather_up(g);
        if (capture.rank == 0 && g->state.outcome == GATHER_WHOLE &&
            (result_take_over(result, total) != PILGRIM_OK || result_end(result) != PILGRIM_OK))
            gather_note(g, GATHER_UNWRITTEN, 0);
        gather_tell(g);
    }
    if (capture.rank == 0 && g->state.outcome != GATHER_WHOLE)
        result_cancel(result);
    bytes_free(&path);
}
