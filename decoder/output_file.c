/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that a tool writes; see output_file.h. */
#include "output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode_errors.h"

/* Sets PATH to TRACE with another ending. */
static bool default_path(const char *trace, const char *suffix, char path[PATH_MAX])
{
    static const char ending[] = ".pilgrim";
    size_t length = strlen(trace);
    if (length > sizeof ending - 1 && strcmp(trace + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    return snprintf(path, PATH_MAX, "%.*s%s", (int)length, trace, suffix) < PATH_MAX;
}

bool output_file_name(struct output_file *f, const char *out, const char *trace, const char *suffix, bool force)
{
    f->standard = strcmp(out ? out : trace, "-") == 0;
    if (f->standard)
        return true;
    const bool fits =
        out ? snprintf(f->path, sizeof f->path, "%s", out) < PATH_MAX : default_path(trace, suffix, f->path);
    if (!fits) {
        complain("the name of the output is too long");
        return false;
    }
    if (force || access(f->path, F_OK) != 0)
        return true;
    complain("%s is there already: --force replaces it", f->path);
    return false;
}

int output_file_open(struct output_file *f, const char *out, const char *trace, const char *suffix, bool force,
                     int *status)
{
    *status = 2;
    if (!output_file_name(f, out, trace, suffix, force))
        return -1;
    if (f->standard)
        return 1;
    snprintf(f->temporary, sizeof f->temporary, "%s.XXXXXX", f->path);
    const int descriptor = mkstemp(f->temporary);
    if (descriptor < 0) {
        complain("cannot write %s: %s", f->path, strerror(errno));
        *status = 1;
        return -1;
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, 0666 & ~mask) != 0)
        complain("%s: cannot set its permissions: %s", f->path, strerror(errno));
    return descriptor;
}

int output_file_close(const struct output_file *f, struct output *o, bool keep)
{
    out_flush(o);
    int why = o->error;
    if (f->standard && why == EPIPE)
        return 0;
    if (!f->standard) {
        if (close(o->descriptor) != 0 && !why)
            why = errno;
        if (!why && keep && rename(f->temporary, f->path) != 0)
            why = errno;
        if (why || !keep)
            unlink(f->temporary);
    }
    if (!why)
        return 0;
    complain("cannot write %s: %s", f->standard ? "the output, which is incomplete" : f->path, strerror(why));
    return 1;
}
