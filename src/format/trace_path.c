/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the trace goes; see trace_path.h. */
#define _GNU_SOURCE 1 /* secure_getenv, O_TMPFILE */
#include "format/trace_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "format/write_file.h"

static const char suffix[] = TRACE_PATH_SUFFIX;

enum {
    TRIAL_BYTES = 4096,
    ADDED_BYTES_MAX = 28 /* of ".tmp-PID-NUMBER", or of a number and ".fragments" */
};

enum pilgrim_status trace_path_put(struct bytes *path, const char *text)
{
    bytes_put(path, text, strlen(text) + 1);
    path->length -= !path->failed;
    return bytes_status(path);
}

/* ---- names ---- */

bool trace_path_pattern_valid(const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && !strchr("pjAat%", *++pattern))
            return false;
        else if (!*pattern)
            return false;
    return true;
}

/* Shortens the last part of PATH to what a file's name may have, with room for what is added to it. Its suffix stays.
 */
static enum pilgrim_status cut_name(struct bytes *path)
{
    const char *text = (const char *)path->data, *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    if (length <= NAME_MAX - ADDED_BYTES_MAX)
        return PILGRIM_OK;
    const bool has_suffix = !strcmp(name + length - tail, suffix);
    size_t kept = NAME_MAX - ADDED_BYTES_MAX - (has_suffix ? tail : 0);
    while (kept > 1 && ((unsigned char)name[kept] & 0xc0) == 0x80) /* inside a character of UTF-8 */
        kept--;
    path->length = (size_t)(name - text) + kept;
    return trace_path_put(path, has_suffix ? suffix : "");
}

enum pilgrim_status trace_path_expand(const char *pattern, const char *program, const struct trace_path_job *job,
                                      time_t now, struct bytes *path)
{
    if (!pattern || !*pattern)
        pattern = "%p.pilgrim";
    if (!trace_path_pattern_valid(pattern))
        return PILGRIM_INVALID;
    char text[32];
    struct tm local;
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            bytes_put_u8(path, (uint8_t)*pattern);
            continue;
        }
        switch (*++pattern) {
        case 'p':
            TRY(trace_path_put(path, program));
            break;
        case 'j':
            TRY(trace_path_put(path, job->id));
            break;
        case 'A':
            TRY(trace_path_put(path, job->array));
            break;
        case 'a':
            TRY(trace_path_put(path, job->task));
            break;
        case 't':
            if (localtime_r(&now, &local) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local))
                TRY(trace_path_put(path, text));
            break;
        default:
            bytes_put_u8(path, '%');
            break;
        }
    }
    TRY(trace_path_put(path, ""));
    struct stat found;
    if (path->length && path->data[path->length - 1] != '/' && !stat((const char *)path->data, &found) &&
        S_ISDIR(found.st_mode))
        TRY(trace_path_put(path, "/"));
    if (path->length && path->data[path->length - 1] == '/') {
        TRY(trace_path_put(path, program));
        TRY(trace_path_put(path, suffix));
    }
    return cut_name(path);
}

/* Copies the value of the first variable of NAMES, which end with NULL, that has one fit for a file name, to TEXT. */
static bool first_value(const char *const *names, char text[TRACE_PATH_JOB_BYTES])
{
    for (; *names; names++) {
        const char *value = secure_getenv(*names);
        if (value && *value && !strchr(value, '/')) {
            snprintf(text, TRACE_PATH_JOB_BYTES, "%s", value);
            return true;
        }
    }
    return false;
}

bool trace_path_job(struct trace_path_job *job)
{
    static const char *const ids[] = {"SLURM_JOB_ID", "PBS_JOBID",   "LSB_JOBID", "PJM_JOBID",
                                      "COBALT_JOBID", "FLUX_JOB_ID", "JOB_ID",    NULL};
    static const char *const arrays[] = {"SLURM_ARRAY_JOB_ID", "PBS_ARRAY_ID", NULL};
    static const char *const tasks[] = {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX",
                                        "PJM_BULKNUM",         "SGE_TASK_ID",     NULL};
    const bool batch = first_value(ids, job->id);
    if (!batch)
        snprintf(job->id, sizeof job->id, "%ld", (long)getpid());
    if (!first_value(arrays, job->array))
        memcpy(job->array, job->id, sizeof job->array);
    if (!first_value(tasks, job->task) || !strcmp(job->task, "undefined")) /* SGE's word for none */
        snprintf(job->task, sizeof job->task, "0");
    return batch;
}

enum pilgrim_status trace_path_number(const char *path, unsigned number, struct bytes *name)
{
    name->length = 0;
    size_t length = strlen(path), tail = 0;
    if (length > sizeof suffix - 1 && !strcmp(path + length - (sizeof suffix - 1), suffix))
        tail = sizeof suffix - 1;
    bytes_put(name, path, length - tail);
    if (number) {
        char text[16];
        snprintf(text, sizeof text, ".%u", number);
        TRY(trace_path_put(name, text));
    }
    return trace_path_put(name, path + length - tail);
}

/* Returns the number that the file name FOUND has between the first HEAD bytes of LIKE and the rest of LIKE behind a
 * digit there; 0: it is no such name. */
static unsigned number_in(const char *found, const char *like, size_t head)
{
    char *rest;
    if (strncmp(found, like, head) != 0 || found[head] < '1' || found[head] > '9')
        return 0;
    unsigned long number = strtoul(found + head, &rest, 10);
    return number < TRACE_PATH_NUMBERS && !strcmp(rest, like + head + 1) ? (unsigned)number : 0;
}

/* Marks the numbers of the names in FOLDER that are LIKE, with another number for the digit at HEAD. */
static void mark_taken(DIR *folder, const char *like, size_t head, bool *taken)
{
    for (struct dirent *entry; (entry = readdir(folder));)
        taken[number_in(entry->d_name, like, head)] = true;
}

unsigned trace_path_free_number(const char *path, const char *end)
{
    struct bytes one = {0}, two = {0};
    unsigned number = 1;
    bool *taken = calloc(TRACE_PATH_NUMBERS + 1, sizeof *taken);
    if (taken && trace_path_number(path, 1, &one) == PILGRIM_OK && trace_path_put(&one, end) == PILGRIM_OK &&
        trace_path_number(path, 2, &two) == PILGRIM_OK) {
        char *slash = strrchr((char *)one.data, '/'), *like = slash ? slash + 1 : (char *)one.data;
        size_t head = 0, folder = (size_t)(like - (char *)one.data);
        while (like[head] == (char)two.data[folder + head])
            head++;
        two.data[folder] = 0;
        DIR *in = opendir(folder ? (const char *)two.data : ".");
        if (in) {
            mark_taken(in, like, head, taken);
            closedir(in);
        }
        while (taken[number])
            number++;
    }
    free(taken);
    bytes_free(&one);
    bytes_free(&two);
    return number;
}

/* ---- places ---- */

bool trace_path_is_device(const char *path)
{
    struct stat found;
    return !stat(path, &found) && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

/* Returns 0 if a file can be made in FOLDER, else the errno. */
static int folder_problem(const char *folder)
{
    static const char trial[TRIAL_BYTES];
    int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
        int problem = write_whole(file, trial, sizeof trial) ? 0 : errno;
        close(file);
        return problem;
    }
    /* A kernel or a file system that has no files without a name. */
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
        return errno;
    struct stat found;
    if (stat(folder, &found))
        return errno;
    if (!S_ISDIR(found.st_mode))
        return ENOTDIR;
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

/* Sets FOLDER to the folder of PATH. */
static enum pilgrim_status folder_of(const char *path, struct bytes *folder)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        bytes_put(folder, path, (size_t)(slash - path) + 1);
    return trace_path_put(folder, slash ? "" : ".");
}

int trace_path_problem(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strlen(slash ? slash + 1 : path) > NAME_MAX - ADDED_BYTES_MAX)
        return ENAMETOOLONG;
    struct bytes folder = {0};
    int problem = folder_of(path, &folder) == PILGRIM_OK ? folder_problem((const char *)folder.data) : ENOMEM;
    bytes_free(&folder);
    return problem;
}

int trace_path_make_folder(const char *path)
{
    struct bytes folder = {0};
    int problem = folder_of(path, &folder) == PILGRIM_OK ? 0 : ENOMEM;
    for (size_t i = 1; !problem && i < folder.length; i++)
        if (folder.data[i] == '/') {
            folder.data[i] = 0;
            problem = mkdir((const char *)folder.data, 0777) && errno != EEXIST ? errno : 0;
            folder.data[i] = '/';
        }
    bytes_free(&folder);
    return problem;
}

bool trace_path_elsewhere(const char *path, int problem, struct bytes *other)
{
    const char *places[] = {secure_getenv("TMPDIR"), "/tmp", "/dev/shm"}, *slash = strrchr(path, '/');
    const bool full = problem == ENOSPC || problem == EDQUOT;
    struct stat own = {0}, found;
    struct bytes folder = {0};
    if (folder_of(path, &folder) != PILGRIM_OK || stat((const char *)folder.data, &own))
        own.st_nlink = 0;
    bytes_free(&folder);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!places[i] || *places[i] != '/' || stat(places[i], &found) ||
            (own.st_nlink && found.st_dev == own.st_dev && (full || found.st_ino == own.st_ino)))
            continue;
        other->length = 0;
        if (trace_path_put(other, places[i]) == PILGRIM_OK && trace_path_put(other, "/") == PILGRIM_OK &&
            trace_path_put(other, slash ? slash + 1 : path) == PILGRIM_OK &&
            !trace_path_problem((const char *)other->data))
            return true;
    }
    return false;
}
