/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers of the generated files, and what they share. */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "gen_text.h"
#include "model.h"

struct generated_file {
    const struct model *model;
    const char *templates; /* of the templates */
    const char *folder;    /* to write into */
};

/* Statements that record one thing, and their conditions. Adjacent steps with equal conditions share an `if`. */
struct record_step {
    const char *conditions[2]; /* outer, inner; NULL: none */
    const char *statements;    /* lines */
};

/* Adds the lines of COUNT steps. NOTHING: the statement for $n values that are not there. */
void emit_items(struct gen_text *out, const struct record_step *items, size_t count, const char *nothing);

/* Adds "if (CONDITION)", with braces if they are needed. OTHERWISE may be NULL. */
void emit_if(struct gen_text *out, const char *condition, const char *then, const char *otherwise);

/* Returns PATTERN (recipes.h) with its $ words replaced. */
char *emit_recipe(const char *pattern, const struct parameter *p, const struct value *v, const char *value);

/* Returns "const void *buf", "MPI_Request array_of_requests[]". */
char *emit_declaration(const struct c_parameter *c, const char *name);

/* emit_parameters returns F's C parameters: "const void *buf, int count". emit_arguments returns them as arguments:
 * "buf, count". ACTUAL: with Pilgrim's status in place of the program's. */
char *emit_parameters(const struct mpi_function *f);
char *emit_arguments(const struct mpi_function *f, bool actual);

/* True if F's wrapper calls a function of this library in place of NEXT_MPI_X. */
bool emit_is_direct(const struct mpi_function *f);

void emit_wrappers(const struct generated_file *output);  /* wrappers-hot.c, wrappers-CHAPTER.c */
void emit_shadow(const struct generated_file *output);    /* shadow-*.c, shadow_functions.h, shadow.wraps */
void emit_functions(const struct generated_file *output); /* descriptors.c */
void emit_constants(const struct generated_file *output, const char *constants_file); /* functions.h, constants.c */
void emit_entries(const struct generated_file *output);      /* entries.c, mpi_symbols.h, mpi_functions.[ch] */
void emit_fortran(const struct generated_file *output);      /* fortran_*.c, fortran_directs.h */
void emit_generate(const struct generated_file *output);     /* generate-functions.c */
void emit_features(const struct generated_file *output);     /* mpi_features.h */
void emit_declarations(const struct generated_file *output); /* declarations.h */
void emit_coverage(const struct generated_file *output);     /* coverage.txt */

#endif
