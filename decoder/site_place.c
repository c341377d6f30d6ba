/* SPDX-License-Identifier: BSD-3-Clause */
/* File, line and function of a call site; see site_place.h. */
#include "site_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void find_place(struct site_place *place, const struct pilgrim_frame *frame, struct source_lines *lines)
{
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    *place = (struct site_place){0};
    if (!frame || !lines)
        return;
    if (source_lines_functions(lines, frame, functions) > 0)
        snprintf(place->function, sizeof place->function, "%s", functions[0].name);
    const char *line = source_lines_find(lines, frame), *colon = line ? strrchr(line, ':') : NULL;
    if (!colon || colon[1] < '0' || colon[1] > '9') /* FUNCTION+0xOFFSET */
        return;
    snprintf(place->file, sizeof place->file, "%.*s", (int)(colon - line), line);
    place->line = strtoul(colon + 1, NULL, 10);
}

void json_place(struct output *o, const struct pilgrim_frame *frame, struct source_lines *lines)
{
    struct site_place place;
    find_place(&place, frame, lines);
    if (*place.function) {
        out_text(o, ",\"function\":");
        out_json_string(o, place.function, strlen(place.function));
    }
    if (*place.file) {
        out_text(o, ",\"file\":");
        out_json_string(o, place.file, strlen(place.file));
        out_text(o, ",\"line\":");
        out_uint(o, place.line);
    }
}

void text_place(struct output *o, const struct pilgrim_frame *frame, struct source_lines *lines)
{
    char *place = source_lines_place(lines, frame);
    out_name(o, place ? place : "?");
    free(place);
}
