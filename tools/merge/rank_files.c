/* SPDX-License-Identifier: BSD-3-Clause */
/* Which fragment files there are, of which ranks, and whether that is all of them; see merge_job.h. */
#define _GNU_SOURCE 1 /* asprintf */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "merge_job.h"
#include "merge_message.h"
#include "pilgrim/version.h"

enum { RANGES_SHOWN = 16 };

#define TRACER "pilgrim " PILGRIM_VERSION_TEXT

enum pilgrim_status open_file(const char *path, size_t at, struct cursor *c)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *data = NULL;
    bool good = file >= 0 && !fstat(file, &found);
    size_t length = good ? (size_t)found.st_size : 0;
    if (good && length)
        data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    if (!good || data == MAP_FAILED)
        return PILGRIM_IO;
    cursor_init(c, data, length);
    c->position = at < length ? at : length;
    return PILGRIM_OK;
}

void close_file(const struct cursor *c)
{
    if (c->length)
        munmap((void *)(uintptr_t)c->data, c->length);
}

/* *SEGMENTS: offset of the first segment. */
static enum pilgrim_status read_head(const char *path, struct fragment_head *head, struct bytes *texts,
                                     size_t *segments)
{
    struct cursor c;
    TRY(open_file(path, 0, &c));
    enum pilgrim_status status = fragment_file_head(c.data, c.length, head, texts, segments);
    close_file(&c);
    return status;
}

/* Counts the segments of FILE. */
static enum pilgrim_status scan(struct rank_file *file)
{
    struct cursor c;
    TRY(open_file(file->path, file->at, &c));
    enum pilgrim_status status = fragment_file_scan(&c, &file->segments);
    file->end = c.length;
    close_file(&c);
    return status;
}

/* ---- which files ---- */

/* Adds a file. Copies PATH. */
static enum pilgrim_status add_rank_file(struct job *job, const char *path, uint32_t rank, size_t at)
{
    if (job->count == job->capacity) {
        size_t capacity = job->capacity * 2 + 64;
        struct rank_file *files = realloc(job->files, capacity * sizeof *files);
        if (!files)
            return PILGRIM_NOMEM;
        job->files = files;
        job->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy)
        return PILGRIM_NOMEM;
    job->files[job->count++] = (struct rank_file){.rank = rank, .path = copy, .begin = at, .at = at};
    return PILGRIM_OK;
}

static bool add_file(struct job *job, const char *path)
{
    struct fragment_head head;
    struct bytes texts = {0};
    size_t at = 0;
    enum pilgrim_status status = read_head(path, &head, &texts, &at);
    bool good = status == PILGRIM_OK || fail_status(path, status);
    if (good && strcmp(head.tracer, TRACER) != 0)
        good = fail("%s: made by %s, this is " TRACER, path, head.tracer);
    if (good && job->count && (head.run != job->head.run || head.ranks != job->head.ranks))
        good = fail("%s: not of the same run as %s", path, job->files[0].path);
    if (good) {
        status = add_rank_file(job, path, head.rank, at);
        good = status == PILGRIM_OK || fail_status(path, status);
    }
    if (good && job->count == 1) {
        job->head = head;
        job->texts = texts;
    } else {
        bytes_free(&texts);
    }
    return good;
}

bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix);
}

static bool add_folder(struct job *job, const char *path)
{
    DIR *folder = opendir(path);
    size_t before = job->count;
    bool good = folder || fail_status(path, PILGRIM_IO);
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        if (!has_suffix(entry->d_name, FRAGMENT_FILE_SUFFIX))
            continue;
        char *file = NULL;
        good =
            asprintf(&file, "%s/%s", path, entry->d_name) >= 0 ? add_file(job, file) : fail_status(path, PILGRIM_NOMEM);
        free(file);
    }
    if (folder)
        closedir(folder);
    return good && (job->count > before || fail("%s: no fragment files", path));
}

bool job_add(struct job *job, const char *path)
{
    struct stat found;
    if (stat(path, &found))
        return fail_status(path, PILGRIM_IO);
    return S_ISDIR(found.st_mode) ? add_folder(job, path) : add_file(job, path);
}

static int file_order(const void *a, const void *b)
{
    const struct rank_file *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* ---- which ranks ---- */

static void put_range(struct bytes *text, uint32_t first, uint32_t end)
{
    char range[32];
    int length = snprintf(range, sizeof range, end - first > 1 ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32,
                          text->length ? ", " : "", first, end - 1);
    bytes_put(text, range, (size_t)length);
}

/* Ranges of ranks, in ascending order. */
struct ranges {
    struct bytes text;
    uint32_t first, end; /* the last range, which may still grow */
    unsigned count;
};

static void end_range(struct ranges *r)
{
    if (r->end > r->first && r->count++ < RANGES_SHOWN)
        put_range(&r->text, r->first, r->end);
    else if (r->end > r->first && r->count == RANGES_SHOWN + 1)
        bytes_put(&r->text, ", ...", strlen(", ..."));
}

/* Adds the ranks from FIRST to END - 1, which follow all ranks added so far. */
static void add_range(struct ranges *r, uint32_t first, uint32_t end)
{
    if (first > r->end || r->end == r->first) {
        end_range(r);
        r->first = first;
    }
    r->end = end;
}

/* *TEXT: the ranges, for the caller to free, or NULL if there are none. */
static bool finish_ranges(struct ranges *r, char **text)
{
    end_range(r);
    *text = NULL;
    if (!r->text.length)
        return true;
    bytes_put_u8(&r->text, 0);
    *text = (char *)r->text.data;
    return bytes_status(&r->text) == PILGRIM_OK || fail_status("ranks", PILGRIM_NOMEM);
}

/* Finds the ranks without a file. */
static bool find_missing(struct job *job)
{
    struct ranges found = {0};
    uint32_t next = 0;
    for (size_t i = 0; i <= job->count; i++) {
        uint32_t rank = i < job->count ? job->files[i].rank : job->head.ranks;
        if (rank > next)
            add_range(&found, next, rank);
        next = rank + 1;
    }
    job->missing_count = job->head.ranks - (uint32_t)job->count;
    return finish_ranges(&found, &job->missing);
}

/* Counts the segments of all files, and finds the files that end before their ranks did. These are an error unless
 * PARTIAL. */
static bool find_cut(struct job *job, bool partial)
{
    struct ranges found = {0};
    for (size_t i = 0; i < job->count; i++) {
        struct rank_file *file = &job->files[i];
        enum pilgrim_status status = scan(file);
        file->cut = status == PILGRIM_TRUNCATED;
        file->all_segments = file->segments;
        if (status != PILGRIM_OK && !(file->cut && partial)) {
            bytes_free(&found.text);
            return fail_status(file->path, status);
        }
        if (file->cut)
            add_range(&found, file->rank, file->rank + 1);
        job->cut_count += file->cut;
    }
    return finish_ranges(&found, &job->cut);
}

bool fail_ranks(const struct job *job, const char *ranks, uint32_t count, const char *what)
{
    return fail("rank%s %s of %" PRIu32 " %s %s", count == 1 ? "" : "s", ranks, job->head.ranks,
                count == 1 ? "is" : "are", what);
}

bool job_prepare(struct job *job, bool partial)
{
    qsort(job->files, job->count, sizeof *job->files, file_order);
    for (size_t i = 1; i < job->count; i++)
        if (job->files[i].rank == job->files[i - 1].rank)
            return fail("rank %" PRIu32 " has two files: %s and %s", job->files[i].rank, job->files[i - 1].path,
                        job->files[i].path);
    if (!find_missing(job))
        return false;
    if (job->missing && !partial)
        return fail_ranks(job, job->missing, job->missing_count, "missing");
    if (!find_cut(job, partial))
        return false;
    size_t ignored;
    bytes_free(&job->texts);
    enum pilgrim_status status = read_head(job->files[0].path, &job->head, &job->texts, &ignored);
    return status == PILGRIM_OK || fail_status(job->files[0].path, status);
}

void job_free(struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        free(job->files[i].path);
    free(job->files);
    free(job->missing);
    free(job->cut);
    free(job->problem);
    bytes_free(&job->texts);
}
