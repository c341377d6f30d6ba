/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of MPI functions: the types of the table that the generator writes. */
#ifndef PILGRIM_DESCRIPTOR_H
#define PILGRIM_DESCRIPTOR_H

#include <stdint.h>

enum direction { DIRECTION_IN = 1, DIRECTION_OUT = 2, DIRECTION_INOUT = 3 };

/* What a process spends its time on. A call belongs to the activity of its function's chapter in the standard. */
enum activity {
    ACTIVITY_COMPUTING, /* between calls */
    ACTIVITY_POINT_TO_POINT,
    ACTIVITY_COLLECTIVE,
    ACTIVITY_ONE_SIDED,
    ACTIVITY_FILE,
    ACTIVITY_OTHER,
    ACTIVITY_COUNT
};

/* What the return value means. RETURNS_TIME is a clock reading in seconds, a double; it may be stored with the times of
 * the call. */
enum returns { RETURNS_ERROR_CODE = 0, RETURNS_VALUE = 1, RETURNS_TIME = 2 };

struct parameter_descriptor {
    const char *name;  /* name in the standard */
    uint8_t direction; /* enum direction */
};

struct function_descriptor {
    const char *name; /* "MPI_Isend", "MPI_Isend_c" */
    const struct parameter_descriptor *parameters;
    uint8_t parameter_count;
    uint8_t returns;  /* enum returns */
    uint8_t activity; /* enum activity; 0: calls without an activity of their own */
};

/* The tables that recorded keys index. There is one vocabulary a process, and it is constant. */
struct vocabulary {
    const struct function_descriptor *functions;
    uint32_t function_count;
    const char *const *names; /* named constants, predefined handles, kinds of objects */
    uint32_t name_count;
};

#endif
