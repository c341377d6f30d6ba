/* SPDX-License-Identifier: BSD-3-Clause */
/* File, line and function of a call site, as members of an object. */
#ifndef DECODER_SITE_PLACE_H
#define DECODER_SITE_PLACE_H

#include "output.h"
#include "analysis/source_lines.h"

enum { PLACE_FILE_MAX = 256 };

struct site_place {
    char function[PLACE_FILE_MAX]; /* "": not known */
    char file[PLACE_FILE_MAX];     /* "": not known */
    unsigned long line;
};

/* Fills in where FRAME is. FRAME and LINES may be NULL: then nothing is known. */
void find_place(struct site_place *place, const struct pilgrim_frame *frame, struct source_lines *lines);

/* Sets file and line of *PLACE if TEXT, as source_lines_place gives it, has them. */
void split_place(struct site_place *place, const char *text);

/* Prints `,"function":"main","file":"a.c","line":7`; what is not known is absent. Each name begins with PREFIX. */
void json_place(struct output *o, const char *prefix, const struct pilgrim_frame *frame, struct source_lines *lines);
void json_place_found(struct output *o, const char *prefix, const struct site_place *place);

/* Prints "FILE:LINE", else "FUNCTION+0xOFFSET", else "MODULE+0xOFFSET"; "?" if FRAME is NULL. */
void text_place(struct output *o, const struct pilgrim_frame *frame, struct source_lines *lines);

#endif
