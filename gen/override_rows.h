/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of gen/overrides: what neither the standard's LaTeX nor mpi.h says. The head of that file explains them. */
#ifndef GEN_OVERRIDE_ROWS_H
#define GEN_OVERRIDE_ROWS_H

#include <stddef.h>

struct override {
    const char *what;
    const char *functions;  /* pattern */
    const char *parameters; /* pattern; "-": the function itself */
    const char *value;
    const char *reason;
    int line;
};

struct overrides {
    const char *file;
    struct override *rows;
    size_t count;
};

/* Reads FILE. Exits with a message that names file and line on an error. */
void overrides_read(struct overrides *overrides, const char *file);

/* Returns the value of the last row that applies, or NULL. PARAMETER "-": of the function itself. */
const char *override_find(const struct overrides *overrides, const char *what, const char *function,
                          const char *parameter);

/* Returns the value of the next row that applies to FUNCTION itself, from row *AT on; NULL after the last. *AT is 0 at
 * first. */
const char *override_next(const struct overrides *overrides, const char *what, const char *function, size_t *at);

#endif
