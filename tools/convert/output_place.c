/* SPDX-License-Identifier: BSD-3-Clause */
/* Places outputs; see output_place.h. */
#include "output_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../decoder/decode_errors.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2 };

/* Sets PATH to TRACE with another ending. */
static bool default_output(const char *trace, const char *suffix, char path[OUTPUT_PATH_BYTES])
{
    static const char ending[] = ".pilgrim";
    size_t length = strlen(trace);
    if (length > sizeof ending - 1 && strcmp(trace + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    return snprintf(path, OUTPUT_PATH_BYTES, "%.*s%s", (int)length, trace, suffix) < OUTPUT_PATH_BYTES;
}

/* ---- folders ---- */

/* Removes the file NAME of FOLDER, which need not be there. */
static int take_file(const char *folder, const char *name)
{
    char path[OUTPUT_PATH_BYTES + 300];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return ENAMETOOLONG;
    return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

/* Removes an OTF2 archive, and nothing else: other files in its folder keep it. Returns 0 or an errno. */
static int take_archive(const char *folder)
{
    char within[OUTPUT_PATH_BYTES + 32];
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
    char anchor[OUTPUT_PATH_BYTES + 32];
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
    return access(anchor, F_OK) == 0;
}

/* ---- both ---- */

static int make(struct output_place *p)
{
    snprintf(p->temporary, sizeof p->temporary, "%s.XXXXXX", p->path);
    if (p->folder ? !mkdtemp(p->temporary) : (p->descriptor = mkstemp(p->temporary)) < 0) {
        complain("cannot write %s: %s", p->path, strerror(errno));
        return EXIT_DAMAGED;
    }
    const mode_t mask = umask(0);
    umask(mask);
    if ((p->folder ? chmod(p->temporary, 0777 & ~mask) : fchmod(p->descriptor, 0666 & ~mask)) != 0)
        complain("%s: cannot set its permissions: %s", p->path, strerror(errno));
    return 0;
}

int output_place_open(struct output_place *p, const struct convert_format *format, const char *trace,
                      const char *output, bool force)
{
    *p = (struct output_place){.folder = format->folder, .descriptor = -1};
    p->standard = strcmp(output ? output : trace, "-") == 0;
    if (p->standard && !p->folder) {
        p->descriptor = 1;
        return 0;
    }
    if (p->standard) {
        complain("--to=%s writes a folder: it needs a name", format->name);
        return EXIT_USAGE;
    }
    size_t length = output ? strlen(output) : 0;
    while (p->folder && length > 1 && output[length - 1] == '/')
        length--;
    const bool fits = output ? snprintf(p->path, sizeof p->path, "%.*s", (int)length, output) < OUTPUT_PATH_BYTES
                             : default_output(trace, format->suffix, p->path);
    if (!fits) {
        complain("the name of the output is too long");
        return EXIT_USAGE;
    }
    if (!force && access(p->path, F_OK) == 0) {
        complain("%s is there already: --force replaces it", p->path);
        return EXIT_USAGE;
    }
    if (p->folder && access(p->path, F_OK) == 0 && !is_archive(p->path)) {
        complain("%s is there already, and is no OTF2 archive", p->path);
        return EXIT_USAGE;
    }
    return make(p);
}

/* Moves the folder to its place. Returns 0 or an errno. */
static int place_folder(const struct output_place *p)
{
    const int why = is_archive(p->path) ? take_archive(p->path) : 0;
    return why || rename(p->temporary, p->path) == 0 ? why : errno;
}

int output_place_close(const struct output_place *p, struct output *o, bool keep)
{
    int why = 0;
    if (!p->folder) {
        out_flush(o);
        why = o->error;
    }
    if (p->standard && why == EPIPE)
        return 0;
    if (p->folder) {
        why = keep ? place_folder(p) : 0;
        if (why || !keep)
            (void)take_archive(p->temporary);
    } else if (!p->standard) {
        if (close(o->descriptor) != 0 && !why)
            why = errno;
        if (!why && keep && rename(p->temporary, p->path) != 0)
            why = errno;
        if (why || !keep)
            unlink(p->temporary);
    }
    if (!why)
        return 0;
    complain("cannot write %s: %s", p->standard ? "the output, which is incomplete" : p->path, strerror(why));
    return EXIT_DAMAGED;
}
