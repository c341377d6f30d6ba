/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls do to files: they open, close and delete them, seek, read and write. */
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "analysis/call_values.h"
#include "mpi_records_data.h"

static const char *short_name(const struct pilgrim_call *call)
{
    return call->function->name + strlen("MPI_File_");
}

static bool has_flag(const struct pilgrim_value *mode, const char *name)
{
    for (size_t i = 0; mode->type == PILGRIM_FLAGS && i < mode->count; i++)
        if (value_is_name(&mode->items[i], name))
            return true;
    return value_is_name(mode, name);
}

/* Sets *NUMBER to that of a path. false: no memory */
static bool number_of(struct mpi_records *r, const struct pilgrim_value *name, uint32_t *number)
{
    const char *text = name->type == PILGRIM_STRING && name->text ? name->text : "";
    const size_t length = strlen(text);
    struct record_path *path = NULL;
    HASH_FIND(hh, r->paths, text, length, path);
    if (!path) {
        path = calloc(1, sizeof *path + length + 1);
        if (!path)
            return false;
        memcpy(path->text, text, length + 1);
        path->number = r->path_count++;
        HASH_ADD_KEYPTR(hh, r->paths, path->text, length, path);
    }
    *number = path->number;
    return true;
}

static bool open_file(struct records_reading *v, const struct match_seen *seen)
{
    const struct pilgrim_value *mode = call_in(seen->call, "amode");
    uint32_t file;
    if (!records_container(v, &v->r->files, call_out(seen->call, "fh"), &file))
        return false;
    v->r->left_out += file == UINT32_MAX;
    if (file == UINT32_MAX)
        return true;
    struct container *entry = &v->r->files.entries[file];
    entry->mode = has_flag(mode, "MPI_MODE_RDWR") ? 2 : has_flag(mode, "MPI_MODE_WRONLY") ? 1 : 0;
    entry->creation = (has_flag(mode, "MPI_MODE_CREATE") ? 1u : 0) | (has_flag(mode, "MPI_MODE_EXCL") ? 1u << 3 : 0) |
                      (has_flag(mode, "MPI_MODE_SEQUENTIAL") ? 1u << 9 : 0) |
                      (has_flag(mode, "MPI_MODE_UNIQUE_OPEN") ? 1u << 10 : 0);
    entry->status =
        (has_flag(mode, "MPI_MODE_APPEND") ? 1u << 1 : 0) | (has_flag(mode, "MPI_MODE_DELETE_ON_CLOSE") ? 1u << 8 : 0);
    return number_of(v->r, call_in(seen->call, "filename"), &entry->path) &&
           (records_passes_over(v, seen->call) ||
            records_add(v, seen, (struct mpi_record){.comm = file}, RECORD_FILE_OPENED));
}

static bool delete_file(struct records_reading *v, const struct match_seen *seen)
{
    struct mpi_record record = {0};
    return number_of(v->r, call_in(seen->call, "filename"), &record.comm) &&
           records_add(v, seen, record, RECORD_FILE_DELETED);
}

static bool seek(struct records_reading *v, const struct match_seen *seen, uint32_t file)
{
    const struct pilgrim_value *offset = call_in(seen->call, "offset"), *whence = call_in(seen->call, "whence");
    const int from = value_is_name(whence, "MPI_SEEK_CUR") ? 1 : value_is_name(whence, "MPI_SEEK_END") ? 2 : 0;
    const struct mpi_record record = {.comm = file,
                                      .tag = offset->integer,
                                      .peer = from,
                                      .bytes = from == 0 ? (uint64_t)offset->integer : UINT64_MAX};
    return offset->type != PILGRIM_INT || records_add(v, seen, record, RECORD_FILE_SEEK);
}

/* The bytes that a status says; OTHERWISE if it says none. */
static uint64_t bytes_in(const struct pilgrim_value *status, uint64_t otherwise)
{
    const bool says = status->type == PILGRIM_STATUS && status->count >= 4 && status->items[2].type == PILGRIM_INT &&
                      status->items[2].integer >= 0;
    return says ? (uint64_t)status->items[2].integer : otherwise;
}

static bool transfer(struct records_reading *v, const struct match_seen *seen, uint32_t file, int64_t mode,
                     bool nonblocking)
{
    const struct pilgrim_call *call = seen->call;
    const char *name = short_name(call);
    const bool collective = strstr(name, "_all") || strstr(name, "_ordered") || mode == RECORD_FLUSH,
               splits = strstr(name, "_begin") != NULL;
    const uint64_t bytes =
        mode == RECORD_FLUSH ? 0 : match_seen_bytes(v->match, call_in(call, "count"), call_in(call, "datatype"));
    struct record_operation *op = records_operation(v, seen->rank);
    if (!op)
        return false;
    op->file = true;
    op->container = file;
    op->bytes = bytes != UINT64_MAX ? bytes : 0;
    struct mpi_record record = {.group = op->group, .request = op->number, .bytes = op->bytes, .comm = file};
    record.tag = mode | (nonblocking || splits ? RECORD_NON_BLOCKING : 0) | (collective ? RECORD_COLLECTIVELY : 0);
    bool good = records_add(v, seen, record, RECORD_TRANSFER);
    if (good && splits)
        good = records_split(v, seen->rank, file, op);
    else if (good && nonblocking)
        good = records_request(v, seen->rank, call_out(call, "request"), op);
    else if (good) {
        record.bytes = bytes_in(call_out(call, "status"), op->bytes);
        good = records_add(v, seen, record, RECORD_TRANSFER_ENDED);
    }
    records_operation_drop(op);
    return good;
}

static bool end_split(struct records_reading *v, const struct match_seen *seen, uint32_t file)
{
    struct record_operation *op = records_split_take(v, seen->rank, file);
    if (!op)
        return true;
    const struct mpi_record record = {.group = op->group,
                                      .request = op->number,
                                      .bytes = bytes_in(call_out(seen->call, "status"), op->bytes),
                                      .comm = file};
    const bool good = records_add(v, seen, record, RECORD_TRANSFER_ENDED);
    records_operation_drop(op);
    return good;
}

static bool take_file(struct records_reading *v, const struct match_seen *seen)
{
    const char *name = short_name(seen->call);
    uint32_t file;
    if (strcmp(name, "open") == 0 && call_succeeded(seen->call))
        return open_file(v, seen);
    if (records_passes_over(v, seen->call))
        return true;
    if (strcmp(name, "delete") == 0)
        return delete_file(v, seen);
    const bool nonblocking = strncmp(name, "iread", 5) == 0 || strncmp(name, "iwrite", 6) == 0;
    const char *what = name + nonblocking;
    const bool moves = strncmp(what, "read", 4) == 0 || strncmp(what, "write", 5) == 0, flushes = !strcmp(name, "sync"),
               closes = strcmp(name, "close") == 0, seeks = strncmp(name, "seek", 4) == 0;
    if (!moves && !flushes && !closes && !seeks)
        return true;
    if (!records_container(v, &v->r->files, call_in(seen->call, "fh"), &file))
        return false;
    v->r->left_out += file == UINT32_MAX;
    if (file == UINT32_MAX)
        return true;
    if (closes)
        return records_add(v, seen, (struct mpi_record){.comm = file}, RECORD_FILE_CLOSED);
    if (seeks)
        return seek(v, seen, file);
    if (strstr(name, "_end"))
        return end_split(v, seen, file);
    return transfer(v, seen, file, flushes ? RECORD_FLUSH : *what == 'w' ? RECORD_WRITE : RECORD_READ, nonblocking);
}

record_action *file_action(const char *function)
{
    return strncmp(function, "MPI_File_", 9) == 0 ? take_file : NULL;
}
