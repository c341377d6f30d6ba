/* SPDX-License-Identifier: BSD-3-Clause */
/* The generated table of functions: how a call is written in C. */
#ifndef GENERATE_FUNCTIONS_H
#define GENERATE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What an argument is. */
enum generate_argument {
    ARGUMENT_INTEGER,     /* a number by value: integers, logicals, ranks, flags, addresses */
    ARGUMENT_INTEGERS,    /* a pointer to such that go in */
    ARGUMENT_ROOM,        /* a pointer to what comes out */
    ARGUMENT_BUFFER,      /* memory of the program */
    ARGUMENT_NEW_POINTER, /* where MPI stores the address of memory that it gives */
    ARGUMENT_ATTRIBUTE,   /* a number as void * */
    ARGUMENT_TEXT,
    ARGUMENT_TEXT_ROOM,
    ARGUMENT_STATUS,
    ARGUMENT_STATUSES,
    ARGUMENT_STATUS_IN,
    ARGUMENT_HANDLE, /* one, a pointer to one, or an array; they exist before */
    ARGUMENT_NEW_HANDLE,
    ARGUMENT_FUNCTION
};

/* What a text says, as enum replay_text of tools/replay/replay_step.h. */
enum generate_text {
    REPLAY_KEPT_TEXT,
    REPLAY_FILE_NAME,
    REPLAY_PORT,
    REPLAY_OTHERS_PORT,
    REPLAY_USER_TEXT,
    REPLAY_INFO_VALUE
};

struct generate_parameter {
    const char *type;  /* of an element: "int", "MPI_Comm" */
    const char *inner; /* "[3]" for an array of arrays, else "" */
    int pointers;      /* 0: by value */
    enum generate_argument argument;
    enum generate_text text;
};

struct generate_function {
    const char *name, *type; /* type: that it returns */
    const char *reason;      /* why it is left out; NULL: it is not */
    bool polls;
    size_t parameter_count;
    const struct generate_parameter *parameters;
};

/* Sorted by name. */
extern const struct generate_function generate_functions[];
extern const size_t generate_function_count;

#endif
