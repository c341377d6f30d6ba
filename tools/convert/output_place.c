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

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* The files that a format writes. */
static bool is_event_file(const char *name)
{
    return ends_with(name, ".evt") || ends_with(name, ".def");
}

static bool is_own_file(const char *name, const char *anchor)
{
    if (strcmp(name, anchor) == 0)
        return true;
    if (strcmp(anchor, "traces.otf2") == 0)
        return strcmp(name, "traces.def") == 0 || strcmp(name, "traces.marker") == 0;
    return strncmp(name, "rank", 4) == 0 && strcmp(name + 4 + strspn(name + 4, "0123456789"), ".txt") == 0;
}

/* Removes the files of FOLDER that the format has written; WITHIN: those of the folder of events. Returns 0 or an
 * errno. */
static int take_files(const char *folder, const char *anchor, bool within)
{
    int why = 0;
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (within ? is_event_file(entry->d_name) : is_own_file(entry->d_name, anchor))
            why = why ? why : take_file(folder, entry->d_name);
    if (list)
        closedir(list);
    return why;
}

/* Removes what a format has written, and nothing else: other files in its folder keep it. Returns 0 or an errno. */
static int take_folder(const char *folder, const char *anchor)
{
    char within[PATH_MAX + 32];
    snprintf(within, sizeof within, "%s/traces", folder);
    int why = take_files(within, anchor, true);
    if (!why && rmdir(within) != 0 && errno != ENOENT)
        why = errno;
    if (!why)
        why = take_files(folder, anchor, false);
    return why || rmdir(folder) == 0 ? why : errno;
}

static bool has_anchor(const char *folder, const char *anchor)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, anchor);
    return access(path, F_OK) == 0;
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
    if (access(p->file.path, F_OK) == 0 && !has_anchor(p->file.path, format->anchor)) {
        complain("%s is there already, and has no %s: it is not replaced", p->file.path, format->anchor);
        return EXIT_USAGE;
    }
    return make_folder(p);
}

/* Moves the folder to its place. Returns 0, or the exit status. */
static int close_folder(const struct output_place *p, bool keep)
{
    int why = keep && has_anchor(p->file.path, p->anchor) ? take_folder(p->file.path, p->anchor) : 0;
    if (keep && !why && rename(p->file.temporary, p->file.path) != 0)
        why = errno;
    if (why || !keep)
        (void)take_folder(p->file.temporary, p->anchor);
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
    *p = (struct output_place){.folder = format->folder, .anchor = format->anchor};
    if (p->folder)
        return open_folder(p, format, trace, output, force);
    p->descriptor = output_file_open(&p->file, output, trace, format->suffix, force, &status);
    return p->descriptor < 0 ? status : 0;
}

int output_place_close(const struct output_place *p, struct output *o, bool keep)
{
    return p->folder ? close_folder(p, keep) : output_file_close(&p->file, o, keep);
}
