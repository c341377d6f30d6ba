/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions to wrap. A function joins the standard's declaration, the library's prototype, and rows of
 * gen/overrides. */
#ifndef GEN_MODEL_H
#define GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "latex.h"
#include "override_rows.h"
#include "prototypes.h"
#include "recipes.h"

/* How a parameter is recorded before the call, or after it. */
struct value {
    const struct recipe *recipe; /* NULL: not recorded here */
    const char *word;            /* $k */
    const char *when;            /* condition for reading it; NULL: none */
    const char *sentinel;        /* a constant that may stand in its place, "NULL" too; NULL: none */
};

struct parameter {
    const char *name;
    const struct standard_parameter *standard;
    const struct c_parameter *c;
    enum direction direction; /* of what is recorded: a buffer is an address, so an input */
    bool array;
    const char *length; /* C expression; may have $peers and $local */
    struct value in;
    struct value out;
};

struct mpi_function {
    const char *name;
    const char *chapter;
    const struct function_binding *binding;
    const struct prototype *prototype; /* mpi.h's, or the standard's; NULL: coverage.c says why there is none */
    bool absent;                       /* mpi.h does not declare it: only a newer library has it */
    bool macro;                        /* mpi.h has it as a macro with parameters */
    const char *reason;                /* why it is not wrapped although the library has it; NULL: it is wrapped */
    bool hot;                          /* what its wrapper calls is inline in it */
    struct parameter *parameters;
    size_t parameter_count;
    bool returns_value;
    struct value returned;     /* the return value, unless it is an error code */
    const char *rank_base;     /* "KIND_COMM, HANDLE(comm)": what its ranks refer to; NULL: nothing */
    const char *status;        /* parameter that `actual` stands for; NULL: none */
    const char *leave;         /* "", "_statuses" or "_value" */
    const char *template_name; /* NULL: wrapper.tmpl */
    struct local *locals;
    size_t local_count;
    const char *poll;    /* condition: the call was a failed poll; NULL: never */
    const char *first;   /* statement before all others; NULL: none */
    const char *through; /* function that makes the call; NULL: none */
    const char *after;   /* statement after a successful call; NULL: none */
    const char *fortran; /* "direct" or "after": the Fortran function calls no C function of this name; NULL: it does */
};

/* A variable that has something from before the call. */
struct local {
    const char *type;
    const char *name;
    const char *value;
};

struct model {
    struct standard standard;
    struct library library;
    struct overrides overrides;
    struct mpi_function *functions; /* all C functions, with large-count variants, by name */
    size_t function_count;
};

/* Joins what was read into model->functions. Exits with a message if the parts contradict each other. */
void model_build(struct model *model);

/* Returns the standard's function NAME, or NULL. */
const struct mpi_function *model_find(const struct model *model, const char *name);

/* True if F gets a wrapper. */
static inline bool function_wrapped(const struct mpi_function *f)
{
    return f->prototype && !f->reason;
}

/* True if the standard's function has a large-count variant. */
bool binding_has_large(const struct function_binding *binding);

#endif
