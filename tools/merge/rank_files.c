/* SPDX-License-Identifier: BSD-3-Clause */
/* Which fragment files there are, of which ranks, and whether that is all of them; see merge_job.h. */
#define _GNU_SOURCE 1 /* asprintf */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
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
#include "recover/recover.h"

enum { RANGES_SHOWN = 16, MISSING_MOST = 1 << 20 /* ranks; readers refuse a small file of more */ };

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

/* Counts the segments of the first LENGTH bytes of FILE. */
static enum pilgrim_status scan(struct rank_file *file, uint64_t length)
{
    struct cursor c;
    TRY(open_file(file->path, file->at, &c));
    size_t all = c.length;
    c.length = c.length < length ? c.length : (size_t)length;
    c.position = c.position < c.length ? c.position : c.length;
    enum pilgrim_status status = fragment_file_scan(&c, &file->segments);
    c.length = all;
    file->end = all;
    close_file(&c);
    return status;
}

/* ---- which files ---- */

enum pilgrim_status job_add_rank(struct job *job, const char *path, uint32_t rank, size_t at)
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

static bool is_link(const char *path)
{
    struct stat found;
    return !lstat(path, &found) && S_ISLNK(found.st_mode);
}

/* True if PATH is a link to one of the files of RANK that are known already, or the other way round. */
static bool is_known(const struct job *job, uint32_t rank, const char *path)
{
    struct stat found, other;
    for (size_t i = 0; i < job->count; i++)
        if (job->files[i].rank == rank && is_link(path) != is_link(job->files[i].path) && !stat(path, &found) &&
            !stat(job->files[i].path, &other) && found.st_dev == other.st_dev && found.st_ino == other.st_ino)
            return true;
    return false;
}

/* The head of PATH could not be read. Always false. */
static bool fail_head(const char *path, enum pilgrim_status status)
{
    char target[PATH_MAX];
    int error = errno;
    ssize_t length = readlink(path, target, sizeof target - 1);
    errno = error;
    if (status != PILGRIM_IO || error != ENOENT || length < 0)
        return fail_status(path, status);
    target[length] = 0;
    return fail("%s: there was no room for this file; it is %s of the machine that the rank was on: copy it here, in "
                "place of the link",
                path, target);
}

static bool add_file(struct job *job, const char *path)
{
    struct fragment_head head;
    struct bytes texts = {0};
    size_t at = 0;
    enum pilgrim_status status = read_head(path, &head, &texts, &at);
    bool good = status == PILGRIM_OK || fail_head(path, status);
    if (good && strcmp(head.tracer, TRACER) != 0)
        good = fail("%s: made by %s, this is " TRACER, path, head.tracer);
    if (good && job->count && (head.run != job->head.run || head.ranks != job->head.ranks))
        good = fail("%s: not of the same run as %s", path, job->files[0].path);
    if (good && is_known(job, head.rank, path)) {
        bytes_free(&texts);
        return true;
    }
    if (good) {
        status = job_add_rank(job, path, head.rank, at);
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

/* True if the file PATH has nothing: its process died when it had just made it, or found no room for more. */
static bool is_empty(const char *path)
{
    static const char nothing[8];
    char begin[sizeof nothing] = {0};
    FILE *file = fopen(path, "re");
    bool read = file && (fread(begin, 1, sizeof begin, file) || !ferror(file));
    if (file)
        fclose(file);
    return read && !memcmp(begin, nothing, sizeof nothing);
}

static bool add_folder(struct job *job, const char *path)
{
    DIR *folder = opendir(path);
    size_t before = job->count + job->journal_count;
    bool good = folder || fail_status(path, PILGRIM_IO);
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        bool journal = has_suffix(entry->d_name, JOURNAL_FILE_SUFFIX);
        if (!journal && !has_suffix(entry->d_name, FRAGMENT_FILE_SUFFIX))
            continue;
        char *file = NULL;
        good = asprintf(&file, "%s/%s", path, entry->d_name) >= 0 || fail_status(path, PILGRIM_NOMEM);
        good = good && (is_empty(file) || (journal ? job_add_journal(job, file, false) : add_file(job, file)));
        free(file);
    }
    if (folder)
        closedir(folder);
    if (good && job->count + job->journal_count == before)
        job->empty = path;
    return good;
}

bool job_add(struct job *job, const char *path)
{
    struct stat found;
    if (stat(path, &found))
        return fail_status(path, PILGRIM_IO);
    if (S_ISDIR(found.st_mode))
        return add_folder(job, path);
    return has_suffix(path, JOURNAL_FILE_SUFFIX) ? job_add_journal(job, path, true) : add_file(job, path);
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

void ranges_end(struct ranges *r)
{
    if (r->end > r->first && r->count++ < r->shown)
        put_range(&r->text, r->first, r->end);
    else if (r->end > r->first && r->count == r->shown + 1)
        bytes_put(&r->text, ", ...", strlen(", ..."));
}

void ranges_add(struct ranges *r, uint32_t first, uint32_t end)
{
    if (first > r->end || r->end == r->first) {
        ranges_end(r);
        r->first = first;
    }
    r->end = end;
}

/* *TEXT: the ranges, for the caller to free, or NULL if there are none. */
static bool finish_ranges(struct ranges *r, char **text)
{
    ranges_end(r);
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
    struct ranges found = {.shown = RANGES_SHOWN};
    uint32_t next = 0;
    for (size_t i = 0; i <= job->count; i++) {
        uint32_t rank = i < job->count ? job->files[i].rank : job->head.ranks;
        if (rank > next)
            ranges_add(&found, next, rank);
        next = rank + 1;
    }
    job->missing_count = job->head.ranks - (uint32_t)job->count;
    if (job->missing_count > MISSING_MOST) {
        bytes_free(&found.text);
        return fail("%s: damaged: it says that the run had %" PRIu32 " ranks, and there are files of %zu",
                    job->files[0].path, job->head.ranks, job->count);
    }
    return finish_ranges(&found, &job->missing);
}

/* Counts the segments of FILE. A rank that died has one more: its journal. */
static enum pilgrim_status count_segments(struct rank_file *file)
{
    enum pilgrim_status status = file->only_journal ? PILGRIM_TRUNCATED : scan(file, SIZE_MAX);
    if (status == PILGRIM_OK)
        file->process = NULL; /* its fragment file has everything */
    if (status != PILGRIM_TRUNCATED || !file->process)
        return status;
    if (!file->only_journal)
        (void)!scan(file, recover_file_length(file->process));
    file->segments++;
    return PILGRIM_OK;
}

/* Counts the segments of all files, and finds the ranks that are cut off: their files end before they did, and they
 * have no journal; or they recorded no more. */
static bool find_cut(struct job *job)
{
    struct ranges found = {.shown = RANGES_SHOWN};
    for (size_t i = 0; i < job->count; i++) {
        struct rank_file *file = &job->files[i];
        enum pilgrim_status status = count_segments(file);
        file->cut = status == PILGRIM_TRUNCATED;
        file->all_segments = file->segments;
        if (status != PILGRIM_OK && !file->cut) {
            bytes_free(&found.text);
            return fail_status(file->path, status);
        }
        bool cut = file->cut || (file->process && recover_stopped(file->process));
        if (cut)
            ranges_add(&found, file->rank, file->rank + 1);
        job->cut_count += cut;
    }
    return finish_ranges(&found, &job->cut);
}

bool fail_ranks(const struct job *job, const char *ranks, uint32_t count, const char *what)
{
    return fail("rank%s %s of %" PRIu32 " %s %s", count == 1 ? "" : "s", ranks, job->head.ranks,
                count == 1 ? "is" : "are", what);
}

/* Sets JOB's head to that of the lowest rank. */
static enum pilgrim_status read_first_head(struct job *job)
{
    const struct rank_file *first = &job->files[0];
    size_t length, ignored;
    bytes_free(&job->texts);
    if (!first->only_journal)
        return read_head(first->path, &job->head, &job->texts, &ignored);
    const uint8_t *head = recover_file_head(first->process, &length);
    return head ? fragment_file_head(head, length, &job->head, &job->texts, &ignored) : PILGRIM_DAMAGED;
}

bool job_prepare(struct job *job)
{
    if (job->count)
        qsort(job->files, job->count, sizeof *job->files, file_order);
    enum pilgrim_status status = job_join_journals(job);
    if (status != PILGRIM_OK)
        return fail_status("the journals", status);
    if (!job->count && !job->journal_count)
        return fail("%s: no fragment files and no journals", job->empty);
    if (!job->count)
        return fail("the journals have no calls: no process of theirs is left");
    qsort(job->files, job->count, sizeof *job->files, file_order);
    for (size_t i = 1; i < job->count; i++)
        if (job->files[i].rank == job->files[i - 1].rank)
            return fail("rank %" PRIu32 " has two files: %s and %s", job->files[i].rank, job->files[i - 1].path,
                        job->files[i].path);
    status = read_first_head(job);
    if (status == PILGRIM_OK && !(find_missing(job) && find_cut(job)))
        return false;
    if (status == PILGRIM_OK)
        status = job_find_endings(job);
    return status == PILGRIM_OK || fail_status(job->files[0].path, status);
}

void job_free(struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        free(job->files[i].path);
    for (size_t i = 0; i < job->journal_count; i++) {
        journal_read_free(&job->journals[i]);
        free(job->journal_paths[i]);
    }
    free(job->journals);
    free(job->journal_paths);
    free(job->files);
    free(job->missing);
    free(job->cut);
    free(job->endings);
    free(job->crashes);
    free(job->in_flight);
    free(job->problem);
    bytes_free(&job->texts);
}
