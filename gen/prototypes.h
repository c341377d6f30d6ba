/* SPDX-License-Identifier: BSD-3-Clause */
/* The local library: the prototypes of its preprocessed mpi.h, and the constants it has. */
#ifndef GEN_PROTOTYPES_H
#define GEN_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One parameter of a prototype: "const int" "" "[]", "MPI_Copy_function *" "". */
struct c_parameter {
    const char *type;  /* what stands before the name */
    const char *array; /* what stands after it: "", "[]", "[][3]" */
    int pointers;      /* stars and array brackets */
};

struct prototype {
    const char *name; /* "MPI_Isend", from the declaration of PMPI_Isend */
    const char *type; /* that it returns */
    struct c_parameter *parameters;
    size_t parameter_count;
    bool variadic;
};

struct c_constant {
    const char *name;
    const char *value; /* a macro's text; NULL: an enumerator that follows the one before */
};

struct library {
    const char *header; /* file name */
    const char *text;   /* the preprocessed header */
    struct prototype *prototypes;
    size_t prototype_count;
    struct c_constant *macros;
    size_t macro_count;
    struct c_constant *enumerators; /* in order; an empty name begins a new enum */
    size_t enumerator_count;
};

/* Reads the preprocessed header and its macros (-dM). Exits with a message on an error. */
void library_read(struct library *library, const char *header, const char *macros);

const struct prototype *library_find(const struct library *library, const char *name);

/* Whether mpi.h has NAME in any form: macro, enumerator, variable. */
bool library_has(const struct library *library, const char *name);

/* The value of the constant NAME, where it is an integer known without a compiler. */
bool library_value(const struct library *library, const char *name, int64_t *value);

#endif
