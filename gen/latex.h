/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard, as its LaTeX chapters declare it: one struct binding for each mpi-binding block. */
#ifndef GEN_LATEX_H
#define GEN_LATEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/descriptor.h"

/* A row of kinds.tsv. */
struct standard_kind {
    const char *name;
    const char *c_type;
    const char *c_type_large; /* differs from c_type, or the name begins with POLY: a large-count variant exists */
    const char *fortran_type; /* "None": no argument in Fortran */
};

struct standard_parameter {
    const char *name;
    const struct standard_kind *kind;
    enum direction direction;
    const char *length; /* NULL: no array; "" or "*": not said; "[n,3]" */
    const char *func_type;
    bool constant;
    bool root_only;
    bool large_only;
    int pointer; /* -1: not said */
};

struct function_binding {
    const char *name;
    const char *return_kind; /* NULL: an error code */
    const char *chapter;     /* "pt2pt", from the folder's name */
    const char *file;
    int line;
    bool callback; /* a type of function that the application writes, or one that MPI predefines */
    bool not_c;    /* Fortran only */
    bool not_f90;  /* not in mpif.h and the module mpi */
    bool not_f08;
    struct standard_parameter *parameters;
    size_t parameter_count;
};

struct standard {
    struct standard_kind *kinds;
    size_t kind_count;
    struct function_binding *bindings;
    size_t binding_count;
    size_t skipped; /* unknown keywords and statements, each reported */
};

/* Reads KINDS_FILE, then every FOLDER/chap-X/Y.tex. Exits with file and line on an error. */
void standard_read(struct standard *standard, const char *folder, const char *kinds_file);

const struct standard_kind *standard_kind_find(const struct standard *standard, const char *name);

#endif
