/* SPDX-License-Identifier: BSD-3-Clause */
/* Where calls come from: one place for all calls of a function at a call site, numbered as they come. */
#ifndef CONVERT_CALL_PLACES_H
#define CONVERT_CALL_PLACES_H

#include "analysis/class_copies.h"
#include "analysis/source_lines.h"

struct call_place {
    uint32_t number; /* from 0 */
    char *text;      /* "FILE:LINE", "FUNCTION+0xOFFSET" or "MODULE+0xOFFSET"; "?" */
    char *file;      /* NULL: the text has no line */
    uint32_t line;
};

enum { CALL_PLACES_CACHED = 64 };

/* All zero but LINES, which is borrowed and may be NULL: there are none yet. */
struct call_places {
    struct source_lines *lines;
    struct class_copies copies;
    struct call_place **places;
    size_t count, capacity;
    struct {
        const struct pilgrim_class *class_;
        const struct call_place *place;
    } cached[CALL_PLACES_CACHED];
};

/* Returns the place of CLASS. Borrowed until call_places_free. A class is known by its address until
 * call_places_forget. NULL: no memory */
const struct call_place *call_place_of(struct call_places *p, const struct pilgrim_class *class);
void call_places_forget(struct call_places *p);
void call_places_free(struct call_places *p);

#endif
