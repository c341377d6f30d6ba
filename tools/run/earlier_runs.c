/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for folders of killed runs; see earlier_runs.h. Only what is needed of a journal is read: its head, and each
 * process's block. */
#define _GNU_SOURCE 1 /* O_DIRECTORY, O_NOFOLLOW */
#include "earlier_runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "format/run_folder.h"
#include "format/trace_path.h"
#include "journal/journal_format.h"
#include "journal/machine_name.h"
#include "journal/process_state.h"

enum { LINES_MAX = 3, FOLDERS_MAX = 64 };

static bool ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

/* What is left of the processes of a run. */
struct remains {
    unsigned ended; /* so many are known to have ended */
    bool more;      /* of others that is not known here: they are of other machines or containers */
};

/* Adds the processes of journal FILE to R. False: one of them still runs, or it is no journal. */
static bool all_ended(int file, const char *machine, struct remains *r)
{
    struct journal_head head;
    struct journal_process p;
    if (pread(file, &head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head.magic, JOURNAL_MAGIC, sizeof head.magic) != 0 || head.version != JOURNAL_VERSION ||
        head.page_bytes != JOURNAL_PAGE)
        return false;
    if (strncmp(head.host, machine, sizeof head.host) != 0) {
        r->more = true;
        return true;
    }
    for (uint64_t page = 1; pread(file, &p, sizeof p, (off_t)(page * JOURNAL_PAGE)) == (ssize_t)sizeof p;
         page += p.block.pages) {
        if (memcmp(p.block.magic, JOURNAL_BLOCK_MAGIC, sizeof p.block.magic) != 0 || p.block.pages == 0)
            break;
        if (p.block.kind != JOURNAL_PROCESS || p.ranks == 0)
            continue;
        if (p.pid_space && p.pid_space != process_id_space()) {
            r->more = true;
            continue;
        }
        if (process_state(p.pid, p.started) != 0)
            return false;
        r->ended++;
    }
    return true;
}

/* Returns what is left in FOLDER of processes that have ended without a word; none, if one of them still runs. A run
 * whose processes on this machine are gone has ended, as launchers end all of it. */
static struct remains silent_processes(int folder, const char *machine)
{
    struct remains r = {0};
    struct stat status;
    const int copy =
        fstat(folder, &status) == 0 && status.st_uid == geteuid() && faccessat(folder, RUN_FOLDER_SAID, F_OK, 0) != 0
            ? dup(folder)
            : -1;
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    bool ended = entries != NULL;
    for (const struct dirent *entry; ended && (entry = readdir(entries)) != NULL;) {
        if (!ends_with(entry->d_name, JOURNAL_FILE_SUFFIX))
            continue;
        const int file = openat(folder, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        ended = file >= 0 && all_ended(file, machine, &r);
        if (file >= 0)
            close(file);
    }
    if (entries != NULL)
        closedir(entries);
    else if (copy >= 0)
        close(copy);
    return ended ? r : (struct remains){0};
}

/* Sets FOLDER to where traces go by PATTERN. False: its name depends on the run. */
static bool folder_of(const char *pattern, char folder[PATH_MAX])
{
    struct stat status;
    if (pattern == NULL || *pattern == '\0')
        pattern = "./";
    const bool is_folder = stat(pattern, &status) == 0 && S_ISDIR(status.st_mode);
    const char *slash = strrchr(pattern, '/');
    const size_t length = is_folder ? strlen(pattern) : slash != NULL ? (size_t)(slash + 1 - pattern) : 0;
    if (length + 2 > PATH_MAX || memchr(pattern, '%', length) != NULL)
        return false;
    snprintf(folder, PATH_MAX, "%.*s%s", (int)length, pattern,
             length == 0                  ? "./"
             : pattern[length - 1] == '/' ? ""
                                          : "/");
    return true;
}

void earlier_runs_tell(const char *pattern)
{
    char folder[PATH_MAX], machine[JOURNAL_TEXT];
    DIR *entries = folder_of(pattern, folder) ? opendir(folder) : NULL;
    unsigned looked = 0, told = 0;
    machine_name(machine, sizeof machine);
    for (const struct dirent *entry; entries != NULL && looked < FOLDERS_MAX && (entry = readdir(entries)) != NULL;) {
        if (!ends_with(entry->d_name, TRACE_PATH_SUFFIX RUN_FOLDER_SUFFIX))
            continue;
        const int run = openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        const struct remains r = run >= 0 ? silent_processes(run, machine) : (struct remains){0};
        looked++;
        if (r.ended > 0 && told++ < LINES_MAX) {
            char shown[PATH_MAX], name[1024];
            printable_copy(shown, sizeof shown, strcmp(folder, "./") == 0 ? "" : folder);
            printable_copy(name, sizeof name, entry->d_name);
            const int said = openat(run, RUN_FOLDER_SAID, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
            if (said >= 0)
                close(said);
            fprintf(
                stderr,
                "pilgrim-run: %s%s: %s%u process%s of an earlier run ended without MPI_Finalize; for a trace of the "
                "calls until then: pilgrim-merge %s%s\n",
                shown, name, r.more ? "at least " : "", r.ended, r.ended == 1 ? "" : "es", shown, name);
        }
        if (run >= 0)
            close(run);
    }
    if (told > LINES_MAX)
        fprintf(stderr, "pilgrim-run: %s: so did %u more\n", folder, told - LINES_MAX);
    if (entries != NULL)
        closedir(entries);
}
