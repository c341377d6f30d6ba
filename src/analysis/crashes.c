/* SPDX-License-Identifier: BSD-3-Clause */
/* Crashes; see crashes.h. What the trace says of them is not trusted. */
#include "analysis/crashes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Takes the hexadecimal number behind BEFORE. False: there is none. */
static bool take_hex(const char **at, const char *before, uint64_t *number)
{
    char *end;
    size_t length = strlen(before);
    if (strncmp(*at, before, length) != 0)
        return false;
    *number = strtoull(*at + length, &end, 16);
    bool good = end > *at + length;
    *at = end;
    return good;
}

/* Takes "app[1f2e3d4c]+0x1189", or "?". */
static bool take_place(const char **at, struct crash_place *place)
{
    size_t name = strcspn(*at, "[+; "), digits = 0;
    *place = (struct crash_place){.offset = 0};
    if (name == 1 && **at == '?') {
        ++*at;
        return true;
    }
    if (name == 0 || name >= sizeof place->module)
        return false;
    memcpy(place->module, *at, name);
    *at += name;
    if (**at == '[') {
        for (++*at; digits < 2 * CRASH_ID_BYTES && strspn(*at, "0123456789abcdef") >= 2; digits += 2, *at += 2) {
            const char two[] = {(*at)[0], (*at)[1], 0};
            place->build_id[place->build_id_length++] = (unsigned char)strtoul(two, NULL, 16);
        }
        if (*(*at)++ != ']')
            return false;
    }
    return take_hex(at, "+0x", &place->offset);
}

bool crash_take(const char **text, struct crash *crash)
{
    const char *at = *text;
    char *end;
    *crash = (struct crash){.rank = (uint32_t)strtoul(at, &end, 10), .thread = -1};
    if (end == at)
        return false;
    if (*end == '.')
        crash->thread = (int64_t)strtoul(end + 1, &end, 10);
    if (*end != ' ')
        return false;
    crash->signal = (unsigned)strtoul(end + 1, &end, 10);
    at = end;
    if (strncmp(at, " -", 2) == 0)
        at += 2;
    else if (take_hex(&at, " 0x", &crash->address))
        crash->has_address = true;
    else
        return false;
    while (*at == ' ' && crash->count < CRASH_PLACES_MAX) {
        at++;
        if (!take_place(&at, &crash->places[crash->count++]))
            return false;
    }
    if (*at && strncmp(at, "; ", 2) != 0)
        return false;
    *text = *at ? at + 2 : at;
    return true;
}

/* ---- text ---- */

static bool is_libc(const struct crash_place *place)
{
    static const char *const names[] = {"libc.so", "libc-", "libpthread", "ld-linux", "ld64.so", "ld.so", "ld-2."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(place->module, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Sets *FIRST and *END to the places that are shown. */
static void find_shown(const struct crash *c, size_t *first, size_t *end)
{
    *first = 0;
    *end = c->count;
    if (*end > 1 && is_libc(&c->places[*end - 2]) && !is_libc(&c->places[*end - 1]))
        --*end; /* the program's entry point */
    while (*end && is_libc(&c->places[*end - 1]))
        --*end;
    if (!*end)
        *end = c->count;
    while (c->signal == SIGABRT && *first + 1 < *end && is_libc(&c->places[*first]))
        ++*first;
}

/* Cuts the last number off the name of a library: its file is libmpi.so.40.30.4, and programs ask for libmpi.so.40.
 * False: there is none. */
static bool cut_version(char *module)
{
    char *dot = strrchr(module, '.');
    if (!dot || !strstr(module, ".so.") || dot[1] < '0' || dot[1] > '9')
        return false;
    *dot = 0;
    return true;
}

/* Returns what a person reads of P: a line, else a function that its file knows, else the offset in the module. */
static char *place_text(const struct crash_place *p, struct source_lines *lines)
{
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    char name[CRASH_TEXT];
    struct pilgrim_frame frame = {
        .module = p->module, .build_id = p->build_id, .build_id_length = p->build_id_length, .offset = p->offset};
    const struct pilgrim_frame whole = frame;
    memcpy(name, p->module, sizeof name);
    frame.module = name;
    if (lines && p->offset)
        do {
            const char *line = source_lines_find(lines, &frame);
            if (line)
                return strdup(line);
            if (source_lines_functions(lines, &frame, functions))
                return strdup(functions->place);
        } while (cut_version(name));
    return source_lines_place(NULL, p->offset ? &whole : NULL);
}

char *crash_stack_text(const struct crash *c, struct source_lines *lines)
{
    size_t first, end, length = 0;
    char *text = calloc(1, 1);
    find_shown(c, &first, &end);
    for (size_t i = first; text && i < end; i++) {
        char *place = place_text(&c->places[i], lines);
        size_t more = place ? strlen(place) + (i > first ? strlen(" < ") : 0) : 0;
        char *grown = place ? realloc(text, length + more + 1) : NULL;
        if (grown) {
            strcpy(grown + length, i > first ? " < " : "");
            strcat(grown + length, place);
            length += more;
        } else {
            free(text);
        }
        text = grown;
        free(place);
    }
    return text;
}
