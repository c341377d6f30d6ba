/* Writing the generated files. */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "gen_text.h"
#include "model.h"

struct output {
    const struct model *model;
    const char *templates; /* folder */
    const char *folder;    /* to write into */
};

/* One thing to record, under its conditions: adjacent ones with the same conditions share one `if`. */
struct item {
    const char *conditions[2]; /* outer, inner; NULL: none */
    const char *statements;    /* lines */
};

/* Lines for COUNT items. NOTHING: printf format of the statement for N values that are not there. */
void emit_items(struct text *out, const struct item *items, size_t count, const char *nothing);

/* "if (CONDITION)" with braces where they are needed. */
void emit_if(struct text *out, const char *condition, const char *then, const char *otherwise);

/* PATTERN of recipes.h with its $ words filled in. */
char *emit_recipe(const char *pattern, const struct parameter *p, const struct value *v, const char *value);

/* "const void *buf", "MPI_Request array_of_requests[]". */
char *emit_declaration(const struct c_parameter *c, const char *name);

/* "const void *buf, int count": F's C parameters; "buf, count": as they are passed on. ACTUAL: with Pilgrim's status. */
char *emit_parameters(const struct function *f);
char *emit_arguments(const struct function *f, bool actual);

/* Whether F's wrapper calls a function of its own in place of PMPI_X. */
bool emit_is_direct(const struct function *f);

void emit_wrappers(const struct output *output);  /* wrappers-CHAPTER.c */
void emit_shadow(const struct output *output);    /* shadow-CHAPTER.c, shadow-table.c, shadow_functions.h, shadow.wraps */
void emit_functions(const struct output *output); /* descriptors.c */
void emit_constants(const struct output *output, const char *constants_file); /* functions.h, constants.c */
void emit_entries(const struct output *output);   /* entries.c, mpi_symbols.h */
void emit_fortran(const struct output *output);   /* fortran_*.c, fortran_directs.h */
void emit_coverage(const struct output *output);  /* coverage.txt */

#endif
