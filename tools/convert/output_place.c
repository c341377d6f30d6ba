/* SPDX-License-Identifier: BSD-3-Clause */
/* Places outputs; see output_place.h. */
#include "output_place.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../decoder/decode_errors.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2 };

/* ---- folders ---- */

/* Removes the file NAME of FOLDER, which need not be there. */
static int take_file(const char *folder, const char *name)
{
    char path[PATH_MAX + 300];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return ENAMETOOLONG;
    return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

/* Removes an OTF2 archive, and nothing else: other files in its folder keep it. Returns 0 or an errno. */
static int take_archive(const char *folder)
{
    char within[PATH_MAX + 32];
    int why = 0;
    snprintf(within, sizeof within, "%s/traces", folder);
    DIR *list = opendir(within);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && (strcmp(ending, ".evt") == 0 || strcmp(ending, ".def") == 0))
            why = why ? why : take_file(within, entry->d_name);
    }
    if (list)
        closedir(list);
    if (!why && rmdir(within) != 0 && errno != ENOENT)
        why = errno;
    static const char *const files[] = {"traces.otf2", "traces.def", "traces.marker"};
    for (size_t i = 0; i < sizeof files / sizeof *files && !why; i++)
        why = take_file(folder, files[i]);
    return why || rmdir(folder) == 0 ? why : errno;
}

static bool is_archive(const char *folder)
{
    char anchor[PATH_MAX + 32];
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
    return access(anchor, F_OK) == 0;
}

/* Makes the folder beside its place. Returns 0, or the exit status. */
static int make_folder(struct output_place *p)
{
    snprintf(p->file.temporary, sizeof p->file.temporary, "%s.XXXXXX", p->file.path);
    if (!mkdtemp(p->file.temporary)) {
        complain("cannot write %s: %s", p->file.path, strerror(errno));
        return EXIT_DAMAGED;
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (chmod(p->file.temporary, 0777 & ~mask) != 0)
        complain("%s: cannot set its permissions: %s", p->file.path, strerror(errno));
    return 0;
}

static int open_folder(struct output_place *p, const struct convert_format *format, const char *trace,
                       const char *output, bool force)
{
    p->descriptor = -1;
    if (!output_file_name(&p->file, output, trace, format->suffix, force))
        return EXIT_USAGE;
    if (p->file.standard) {
        complain("--to=%s writes a folder: it needs a name", format->name);
        return EXIT_USAGE;
    }
    size_t length = strlen(p->file.path);
    while (length > 1 && p->file.path[length - 1] == '/')
        p->file.path[--length] = 0;
    if (access(p->file.path, F_OK) == 0 && !is_archive(p->file.path)) {
        complain("%s is there already, and is no OTF2 archive", p->file.path);
        return EXIT_USAGE;
    }
    return make_folder(p);
}

/* Moves the folder to its place. Returns 0, or the exit status. */
static int close_folder(const struct output_place *p, bool keep)
{
    int why = keep && is_archive(p->file.path) ? take_archive(p->file.path) : 0;
    if (keep && !why && rename(p->file.temporary, p->file.path) != 0)
        why = errno;
    if (why || !keep)
        (void)take_archive(p->file.temporary);
    if (!why)
        return 0;
    complain("cannot write %s: %s", p->file.path, strerror(why));
    return EXIT_DAMAGED;
}

/* ---- both ---- */

int output_place_open(struct output_place *p, const struct convert_format *format, const char *trace,
                      const char *output, bool force)
{
    int status;
    *p = (struct output_place){.folder = format->folder};
    if (p->folder)
        return open_folder(p, format, trace, output, force);
    p->descriptor = output_file_open(&p->file, output, trace, format->suffix, force, &status);
    return p->descriptor < 0 ? status : 0;
}

int output_place_close(const struct output_place *p, struct output *o, bool keep)
{
    return p->folder ? close_folder(p, keep) : output_file_close(&p->file, o, keep);
}
