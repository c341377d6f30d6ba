/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-diff: compares two traces as two programs. See docs/pilgrim-diff.1. */
#include <string.h>
#include <unistd.h>

#include "../../decoder/decode_errors.h"
#include "diff_run.h"

int main(int argc, char **argv)
{
    static struct output o = {.descriptor = STDOUT_FILENO};
    struct diff_options options;
    complain_as = "pilgrim-diff";
    int status = diff_options_parse(argc, argv, &options);
    if (status >= 0)
        return status;
    status = diff_run(&options, &o);
    out_flush(&o);
    if (status == EXIT_WRONG || !o.error)
        return status;
    complain("standard output: %s", strerror(o.error));
    return EXIT_WRONG;
}
