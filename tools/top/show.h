/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a look: units that are in the same call at the same place are one group. */
#ifndef PILGRIM_SHOW_H
#define PILGRIM_SHOW_H

#include "../../decoder/output.h"
#include "analysis/source_lines.h"
#include "look.h"
#include "waits.h"

/* Units in the same state, call and place. */
struct group {
    struct unit **units; /* by rank, then by thread; borrowed from the sorted array */
    size_t count;
    double shortest, longest; /* seconds; < 0: unknown */
    double rate;              /* calls a second; < 0: unknown */
};

struct groups {
    struct unit **sorted;
    struct group *items; /* the smallest group first */
    size_t count;
};

/* Sorts UNITS into groups. False: out of memory. G is to be freed in any case. */
bool groups_make(struct groups *g, struct unit *const *units, size_t count);
bool groups_make_all(struct groups *g, const struct look *look);
void groups_free(struct groups *g);

/* What is printed, and how. */
struct show {
    struct output *o;
    struct source_lines *lines; /* or NULL */
    const struct look *look;
    const struct groups *groups; /* of all units */
    const struct deadlocks *found;
    size_t groups_shown; /* 0: all of them */
};

/* Returns the source line of SITE, borrowed until the next call, or NULL. */
const char *show_line(const struct show *s, const struct code_frame *site);

/* Returns SITE as the reader's functions take it. */
struct pilgrim_frame show_frame(const struct code_frame *site);

/* Sets FUNCTIONS to the functions that the calls of all units of G, which have one call site, are in, the innermost
 * first, and returns how many there are. The place of each is where it calls the one before, that of the first where it
 * calls MPI; a function whose name is not known is "[MODULE]". *WHOLE: the last one is main, or the first of the
 * thread. 0: they are not known. */
enum { SHOWN_FUNCTIONS_MAX = 64 };
size_t show_path(const struct show *s, const struct group *g, struct source_function *functions, bool *whole);

void show_text(const struct show *s);
void show_json(const struct show *s);

/* Says if argument number I is the same for all units of G: as a rank relative to one's own, if not as a number. */
enum agreement { AGREES, AGREES_RELATIVE, DIFFERS };
enum agreement group_argument(const struct group *g, unsigned i);

/* Returns how many loops the calls of all units of G are in, LOOPS_SHOWN at most; 0 if they differ. */
unsigned group_loops(const struct group *g);

/* Sets *LEAST and *MOST to the iterations of loop number I of them, the innermost being 0. */
void group_iterations(const struct group *g, unsigned i, uint64_t *least, uint64_t *most);

/* Returns the share of time in MPI of COUNT units; < 0: unknown. */
double mpi_share(struct unit *const *units, size_t count);

/* True if the calls of all units of G wait for alike requests. */
bool group_has_same_requests(const struct group *g);

#endif
