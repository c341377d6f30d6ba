/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an output goes: a file, a folder, or the standard output. It is written beside its place, and renamed when it
 * is whole. */
#ifndef CONVERT_OUTPUT_PLACE_H
#define CONVERT_OUTPUT_PLACE_H

#include "../../decoder/output_file.h"
#include "convert.h"

struct output_place {
    struct output_file file;
    const char *anchor; /* of a folder: the file in it by which it is known */
    bool folder;
    int descriptor; /* to write to; -1 if it is a folder: file.temporary */
};

/* Opens the output OUTPUT of the trace TRACE; NULL: beside it. FORCE: one that is there is replaced; of a folder, only
 * one that such a format has written. Returns 0, or the exit status: a message was printed. */
int output_place_open(struct output_place *p, const struct convert_format *format, const char *trace,
                      const char *output, bool force);

/* Puts the output in its place if KEEP, else takes it away. Returns 0, or the exit status: a message was printed. */
int output_place_close(const struct output_place *p, struct output *o, bool keep);

#endif
