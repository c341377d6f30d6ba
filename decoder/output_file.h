/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that a tool writes: beside its place first, and renamed when it is whole. */
#ifndef DECODER_OUTPUT_FILE_H
#define DECODER_OUTPUT_FILE_H

#include <limits.h>

#include "output.h"

struct output_file {
    char path[PATH_MAX], temporary[PATH_MAX + 16];
    bool standard; /* it is the standard output */
};

/* Names the file: OUT, or if that is NULL, TRACE with the ending SUFFIX in place of .pilgrim. "-" is the standard
 * output. What is there is not replaced without FORCE. Returns false if it cannot be so: a message was printed. */
bool output_file_name(struct output_file *f, const char *out, const char *trace, const char *suffix, bool force);

/* Opens the file that output_file_name names. Returns the descriptor, or -1: a message was printed, *STATUS is the exit
 * status (2: wrong use, 1: it cannot be written). */
int output_file_open(struct output_file *f, const char *out, const char *trace, const char *suffix, bool force,
                     int *status);

/* Flushes O, which writes to that descriptor, and puts the file in its place; without KEEP it is taken away. Returns
 * the exit status: 0, or 1 behind a message. A closed pipe is no failure. */
int output_file_close(const struct output_file *f, struct output *o, bool keep);

#endif
