/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as functions that call each other, by the names and lines of the source where these are known. */
#ifndef ANALYSIS_CALL_PATHS_H
#define ANALYSIS_CALL_PATHS_H

#include <stddef.h>

#include "analysis/source_lines.h"

/* A function on a path. Equal texts are one, so that pointers can be compared. */
struct path_function {
    const char *name;  /* "[MODULE]" if it is not known */
    const char *place; /* where the function before it on the path calls it, as in source_lines.h, or "MODULE+0xOFFSET";
                          NULL: it is the first */
    const void *call;  /* tells calls apart that one line has, such as those of an unrolled loop */
};

struct function_path {
    const struct path_function *functions; /* the outermost first */
    size_t count;
    const char *site; /* where the last of them calls MPI; NULL: unknown, and there are no functions */
};

struct call_paths;

/* Returns an empty table. LINES may be NULL; it is used for as long as the table is. NULL: no memory. */
struct call_paths *call_paths_new(struct source_lines *lines);
void call_paths_free(struct call_paths *paths); /* NULL is legal */

/* Of functions that stand on one line so many are shown, half of them at each end. */
enum { CHAIN_SHOWN = 6 };

/* True if NAME, of a function that one called AROUND calls, says nothing new: neither is known, but that they are in
 * one module. */
bool call_path_repeats(const char *name, const char *around);

/* Returns the path of CLASS, which must stay valid and where it is. Borrowed from PATHS. NULL: no memory. */
const struct function_path *call_paths_find(struct call_paths *paths, const struct pilgrim_class *class);

#endif
