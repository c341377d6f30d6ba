/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the generated files. */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "gen_text.h"
#include "model.h"

struct generated_file {
    const struct model *model;
    const char *templates; /* folder */
    const char *folder;    /* to write into */
};

/* One thing to record, under its conditions: adjacent ones with the same conditions share one `if`. */
struct record_step {
    const char *conditions[2]; /* outer, inner; NULL: none */
    const char *statements;    /* lines */
};

/* Lines for COUNT items. NOTHING: printf format of the statement for N values that are not there. */
void emit_items(struct gen_text *out, const struct record_step *items, size_t count, const char *nothing);

/* "if (CONDITION)" with braces where they are needed. */
void emit_if(struct gen_text *out, const char *condition, const char *then, const char *otherwise);

/* PATTERN of recipes.h with its $ words filled in. */
char *emit_recipe(const char *pattern, const struct parameter *p, const struct value *v, const char *value);

/* "const void *buf", "MPI_Request array_of_requests[]". */
char *emit_declaration(const struct c_parameter *c, const char *name);

/* "const void *buf, int count": F's C parameters; "buf, count": as they are passed on. ACTUAL: with Pilgrim's status.
 */
char *emit_parameters(const struct mpi_function *f);
char *emit_arguments(const struct mpi_function *f, bool actual);

/* Whether F's wrapper calls a function of its own in place of PMPI_X. */
bool emit_is_direct(const struct mpi_function *f);

void emit_wrappers(const struct generated_file *output); /* wrappers-CHAPTER.c */
void emit_shadow(
    const struct generated_file *output); /* shadow-CHAPTER.c, shadow-table.c, shadow_functions.h, shadow.wraps */
void emit_functions(const struct generated_file *output);                             /* descriptors.c */
void emit_constants(const struct generated_file *output, const char *constants_file); /* functions.h, constants.c */
void emit_entries(const struct generated_file *output);                               /* entries.c, mpi_symbols.h */
void emit_fortran(const struct generated_file *output);  /* fortran_*.c, fortran_directs.h */
void emit_coverage(const struct generated_file *output); /* coverage.txt */

#endif
