/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls as the patterns of bench/scale define them: functions, call sites, values, absolute ranks.
 *
 * Two things are made of them: the keys that are recorded (scale_record.c), in which ranks are relative, and the
 * text with which decoded calls are compared (scale_check.c). */
#ifndef PILGRIM_SCALE_CALLS_H
#define PILGRIM_SCALE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/descriptor.h"
#include "base/site.h"
#include "base/value.h"

enum made_function {
    MADE_PROCESS,
    MADE_COMMUNICATOR,
    MADE_INIT,
    MADE_COMM_RANK,
    MADE_COMM_SIZE,
    MADE_CART_CREATE,
    MADE_IRECV,
    MADE_ISEND,
    MADE_WAITALL,
    MADE_ALLREDUCE,
    MADE_SENDRECV,
    MADE_RECV,
    MADE_SEND,
    MADE_ALLTOALLV,
    MADE_ALLTOALLW,
    MADE_FINALIZE,
    MADE_FUNCTION_COUNT
};

enum made_name {
    NAME_COMM,
    NAME_DATATYPE,
    NAME_WORLD,
    NAME_DOUBLE,
    NAME_BYTE,
    NAME_SUM,
    NAME_PROC_NULL,
    NAME_ANY_TAG,
    NAME_REQUEST_NULL,
    NAME_CART,
    MADE_NAME_COUNT
};

extern const struct vocabulary made_vocabulary;

/* The code that the calls come from: call site S is at offset made_site_offset(S) of this module. */
extern const struct code_module made_module;
uint64_t made_site_offset(unsigned site);

/* The token of one value. There are no rank bases: they are how ranks are recorded. */
struct made_value {
    uint8_t tag;      /* enum value_tag */
    uint16_t name;    /* of names and objects */
    uint32_t count;   /* values that follow in an array; bits of a status */
    int64_t slots[2]; /* of a rank: the rank, and its rank base */
    const char *text; /* of strings */
};

/* All zero is an empty call. */
struct made_call {
    enum made_function function;
    unsigned site; /* call site; 0: unknown */
    struct made_value *values;
    size_t count;
    size_t capacity;
};

void made_call_start(struct made_call *c, enum made_function function, unsigned site);
void made_call_free(struct made_call *c);

/* Each of these appends a token. If memory is short the program ends. */
void make_none(struct made_call *c);
void make_name(struct made_call *c, enum made_name name);
void make_int(struct made_call *c, int64_t v);
void make_bool(struct made_call *c, int v);
void make_rank(struct made_call *c, int64_t view, int64_t rank); /* VIEW: rank base; RANK negative: MPI_PROC_NULL */
void make_object(struct made_call *c, enum made_name kind, int64_t id);
void make_request(struct made_call *c, int64_t class, int64_t place);
void make_heap(struct made_call *c, int64_t id, int64_t offset);
void make_string(struct made_call *c, const char *text);
void make_array(struct made_call *c, uint32_t count);
void make_status(struct made_call *c, unsigned bits);

#endif
