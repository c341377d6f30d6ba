/* SPDX-License-Identifier: BSD-3-Clause */
/* The local library: the prototypes in its preprocessed mpi.h, and its constants. */
#ifndef GEN_PROTOTYPES_H
#define GEN_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A parameter of a prototype, such as "const int" "[]". */
struct c_parameter {
    const char *type;  /* the text before the name */
    const char *array; /* the text after the name: "", "[]", "[][3]" */
    int pointers;      /* number of stars and array brackets */
};

struct prototype {
    const char *name; /* "MPI_Isend", declared as PMPI_Isend */
    const char *type; /* return type */
    struct c_parameter *parameters;
    size_t parameter_count;
    bool variadic;
};

struct c_constant {
    const char *name;
    const char *value; /* text of a macro or enumerator; NULL: one more than the enumerator before */
};

struct library {
    const char *header; /* file name */
    const char *text;   /* the preprocessed header */
    struct prototype *prototypes;
    size_t prototype_count;
    struct c_constant *macros;
    size_t macro_count;
    const char **calls; /* names of macros with parameters */
    size_t call_count;
    struct c_constant *enumerators; /* in order; an empty name begins an enum */
    size_t enumerator_count;
};

/* Reads the preprocessed header HEADER and its macros MACROS (-dM). Exits with a message on an error. */
void library_read(struct library *library, const char *header, const char *macros);

/* Returns the prototype of NAME, or NULL. */
const struct prototype *library_find(const struct library *library, const char *name);

/* True if mpi.h has NAME as a macro, enumerator or variable. */
bool library_has(const struct library *library, const char *name);

/* True if mpi.h has NAME as a macro with parameters: MPICH converts handles of Fortran so. */
bool library_has_call(const struct library *library, const char *name);

/* Sets *VALUE to the value of the constant NAME. False: it is no integer that is known without a compiler. */
bool library_value(const struct library *library, const char *name, int64_t *value);

#endif
