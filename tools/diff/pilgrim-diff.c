/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-diff: compares two traces as two programs. See docs/pilgrim-diff.1. */
#include <string.h>
#include <unistd.h>

#include "../../decoder/decode_errors.h"
#include "diff_traces.h"

int main(int argc, char **argv)
{
    static struct output o = {.descriptor = STDOUT_FILENO};
    struct diff_options options = {.memory = 0};
    struct pilgrim_error error;
    const char *path;
    complain_as = "pilgrim-diff";
    int status = diff_options_parse(argc, argv, &options);
    if (status >= 0)
        return status;
    status = diff_traces(&options, &o, &path, &error);
    if (status == EXIT_WRONG) {
        complain(path ? "%s: %s" : "%s%s", path ? path : "", error.message);
    } else if (o.error) {
        complain("standard output: %s", strerror(o.error));
        status = EXIT_WRONG;
    }
    return status;
}
