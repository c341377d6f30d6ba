/* SPDX-License-Identifier: BSD-3-Clause */
/* gen/overrides: what neither the standard's LaTeX nor mpi.h says. See the head of that file for its form. */
#ifndef GEN_OVERRIDE_ROWS_H
#define GEN_OVERRIDE_ROWS_H

#include <stddef.h>

struct override {
    const char *what;
    const char *functions;  /* pattern */
    const char *parameters; /* pattern, "-": the function itself */
    const char *value;
    const char *reason;
    int line;
};

struct overrides {
    const char *file;
    struct override *rows;
    size_t count;
};

void overrides_read(struct overrides *overrides, const char *file);

/* The value of the last row that applies, NULL where none does. PARAMETER "-": of the function itself. */
const char *override_find(const struct overrides *overrides, const char *what, const char *function,
                          const char *parameter);

/* The values of all rows that apply to the function itself, in order; *AT counts from 0. NULL after the last. */
const char *override_next(const struct overrides *overrides, const char *what, const char *function, size_t *at);

#endif
