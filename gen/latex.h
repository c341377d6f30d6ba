/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard as its LaTeX chapters declare it: a struct function_binding for each mpi-binding block. */
#ifndef GEN_LATEX_H
#define GEN_LATEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/descriptor.h"

/* A row of kinds.tsv. */
struct standard_kind {
    const char *name;
    const char *c_type;
    /* If it differs from c_type, or the name begins with POLY, a large-count variant exists. */
    const char *c_type_large;
    const char *fortran_type; /* "None": no argument in Fortran */
};

struct standard_parameter {
    const char *name;
    const struct standard_kind *kind;
    enum direction direction;
    const char *length; /* NULL: no array; "" or "*": unknown; or "n", "[n,3]" */
    const char *func_type;
    bool constant;
    bool root_only;
    bool large_only;
    int pointer; /* -1: unknown */
};

struct function_binding {
    const char *name;
    const char *return_kind; /* NULL: an error code */
    const char *chapter;     /* "pt2pt", from the name of the folder */
    const char *file;
    int line;
    bool callback; /* a type of functions that the program writes, or a function of such a type that MPI predefines */
    bool not_c;    /* only for Fortran */
    bool not_f90;  /* neither in mpif.h nor in the module mpi */
    bool not_f08;
    struct standard_parameter *parameters;
    size_t parameter_count;
};

struct standard {
    struct standard_kind *kinds;
    size_t kind_count;
    struct function_binding *bindings;
    size_t binding_count;
    size_t skipped; /* unknown keywords and statements, each of which was reported */
};

/* Reads KINDS_FILE, then each FOLDER/chap-X/Y.tex. Exits with a message that names file and line on an error. */
void standard_read(struct standard *standard, const char *folder, const char *kinds_file);

/* Returns the kind named NAME, or NULL. */
const struct standard_kind *standard_kind_find(const struct standard *standard, const char *name);

#endif
