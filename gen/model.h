/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions to wrap: the standard's declaration, the library's prototype, and what gen/overrides adds, as one. */
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
    const struct recipe *recipe; /* NULL: not in this phase */
    const char *word;            /* $k */
    const char *when;            /* condition for reading it, NULL: always */
    const char *sentinel;        /* a constant that may stand in its place ("NULL" too), NULL: none */
};

struct parameter {
    const char *name;
    const struct standard_parameter *standard;
    const struct c_parameter *c;
    enum direction direction; /* of what is recorded: a buffer is an address that goes in */
    bool array;
    const char *length; /* C expression; may hold $peers and $local */
    struct value in;
    struct value out;
};

struct mpi_function {
    const char *name;
    const char *chapter;
    const struct function_binding *binding;
    const struct prototype *prototype; /* NULL: not in this library */
    const char *reason;                /* not wrapped, though the library has it */
    struct parameter *parameters;
    size_t parameter_count;
    bool returns_value;
    struct value returned;     /* the value returned, if not an error code */
    const char *view;          /* "KIND_COMM, HANDLE(comm)", NULL: none needed */
    const char *status;        /* the parameter that `actual` stands for, NULL: none */
    const char *leave;         /* "", "_statuses" or "_value" */
    const char *template_name; /* NULL: the ordinary one */
    struct local *locals;
    size_t local_count;
    const char
        *poll; /* condition: the call asked whether something had happened, and nothing had; NULL: it never asks */
    const char *after;   /* statement after a successful call */
    const char *fortran; /* "direct" or "after": the Fortran function calls no C function of this name; NULL: it does */
};

/* A variable that keeps something from before the call. */
struct local {
    const char *type;
    const char *name;
    const char *value;
};

struct model {
    struct standard standard;
    struct library library;
    struct overrides overrides;
    struct mpi_function *functions; /* all C functions of the standard, large-count variants included, by name */
    size_t function_count;
};

void model_build(struct model *model);

/* Whether a wrapper is written for it. */
static inline bool function_wrapped(const struct mpi_function *f)
{
    return f->prototype && !f->reason;
}

/* Whether the standard's function has a large-count variant. */
bool binding_has_large(const struct function_binding *binding);

#endif
