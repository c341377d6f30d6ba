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
    split_place(place, source_lines_find(lines, frame));
}

void split_place(struct site_place *place, const char *text)
{
    const char *colon = text ? strrchr(text, ':') : NULL;
    if (!colon || colon[1] < '0' || colon[1] > '9') /* FUNCTION+0xOFFSET */
        return;
    snprintf(place->file, sizeof place->file, "%.*s", (int)(colon - text), text);
    place->line = strtoul(colon + 1, NULL, 10);
}

static void json_key(struct output *o, const char *prefix, const char *name)
{
    out_text(o, ",\"");
    out_text(o, prefix);
    out_text(o, name);
    out_text(o, "\":");
}

void json_place_found(struct output *o, const char *prefix, const struct site_place *place)
{
    if (*place->function) {
        json_key(o, prefix, "function");
        out_json_string(o, place->function, strlen(place->function));
    }
    if (*place->file) {
        json_key(o, prefix, "file");
        out_json_string(o, place->file, strlen(place->file));
        json_key(o, prefix, "line");
        out_uint(o, place->line);
    }
}

void json_place(struct output *o, const char *prefix, const struct pilgrim_frame *frame, struct source_lines *lines)
{
    struct site_place place;
    find_place(&place, frame, lines);
    json_place_found(o, prefix, &place);
}

void text_place(struct output *o, const struct pilgrim_frame *frame, struct source_lines *lines)
{
    char *place = source_lines_place(lines, frame);
    out_name(o, place ? place : "?");
    free(place);
}
