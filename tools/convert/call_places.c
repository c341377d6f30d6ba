/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the places of calls; see call_places.h. */
#include "call_places.h"

#include <stdlib.h>
#include <string.h>

/* Splits "FILE:LINE". */
static bool split(struct call_place *place)
{
    const char *colon = strrchr(place->text, ':');
    if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
        return true;
    place->file = strndup(place->text, (size_t)(colon - place->text));
    place->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    return place->file != NULL;
}

static void free_place(struct call_place *place)
{
    if (place) {
        free(place->text);
        free(place->file);
    }
    free(place);
}

static struct call_place *add(struct call_places *p, const struct pilgrim_class *class)
{
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 64;
        struct call_place **places = realloc(p->places, capacity * sizeof *places);
        if (!places)
            return NULL;
        p->places = places;
        p->capacity = capacity;
    }
    struct call_place *place = calloc(1, sizeof *place);
    if (!place)
        return NULL;
    place->text = source_lines_place(p->lines, class->site);
    if (!place->text || !split(place)) {
        free_place(place);
        return NULL;
    }
    place->number = (uint32_t)p->count;
    p->places[p->count++] = place;
    return place;
}

static const struct call_place *find(struct call_places *p, const struct pilgrim_class *class)
{
    p->copies.sites_only = true;
    struct class_copy *copy = copy_class(&p->copies, class);
    if (!copy)
        return NULL;
    if (!copy->first) { /* the number of its place, from 1 */
        if (!add(p, class))
            return NULL;
        copy->first = p->count;
    }
    return p->places[copy->first - 1];
}

const struct call_place *call_place_of(struct call_places *p, const struct pilgrim_class *class)
{
    const size_t slot = ((uintptr_t) class / sizeof *class) % CALL_PLACES_CACHED;
    if (p->cached[slot].class_ != class) {
        p->cached[slot].place = find(p, class);
        p->cached[slot].class_ = p->cached[slot].place ? class : NULL;
    }
    return p->cached[slot].place;
}

void call_places_forget(struct call_places *p)
{
    memset(p->cached, 0, sizeof p->cached);
}

void call_places_free(struct call_places *p)
{
    for (size_t i = 0; i < p->count; i++)
        free_place(p->places[i]);
    free(p->places);
    class_copies_free(&p->copies);
}
