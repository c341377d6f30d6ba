/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a signature for one rank. */
#ifndef PILGRIM_EVALUATE_H
#define PILGRIM_EVALUATE_H

#include "read/table/shard.h"

struct begun;
struct live_requests;
struct registers;
struct unzipped_values;

/* The rank of a process in a group, and the group's size. */
struct stored_rank_base {
    int64_t rank;
    int64_t size;
};

/* The thread whose call is evaluated. */
struct caller {
    uint32_t rank; /* in the trace */
    const struct stored_rank_base *bases;
    size_t base_count;
    struct registers *registers; /* NULL: values that depend on earlier calls are given as they are stored */
    struct begun *begun;         /* likewise */
    struct live_requests *live;  /* likewise */
    const int64_t *own_numbers;  /* of the classes of the group; NULL: not known, which needs no registers */
    size_t class_count;          /* of the group */
    size_t class_index;          /* of the call */
};

/* What the values of a call take from the state of requests at the time of the call. If these are equal for two calls
 * of a signature, so are all their values. */
enum request_use_kind { USE_BEGUN, USE_LIVE, USE_POSTED };

struct request_use {
    enum request_use_kind kind;
    int64_t class_number, request_index;
    int64_t rank;                /* USE_LIVE: the age */
    uint64_t identity;           /* USE_POSTED: of the call that began the operation */
    struct pilgrim_value *value; /* USE_BEGUN, USE_LIVE: the request */
    struct request_use *next;
};

/* The values of a call, as struct pilgrim_call has them. */
struct call_values {
    struct pilgrim_value *in;
    struct pilgrim_value *out;
    struct pilgrim_value ret;
    uint64_t identity;              /* as in struct pilgrim_call */
    const struct request_use *uses; /* of the state of requests */
    struct call_values *other;      /* the next cached values of this signature */
};

/* Which values are evaluated, and for which member. */
struct values_position {
    const struct stored_signature *signature;
    uint32_t index;                   /* of the signature in its value group */
    uint64_t within;                  /* vector: which of its calls */
    uint64_t position;                /* of the member */
    struct unzipped_values *unzipped; /* unzipped signature: its current values; NULL: the first ones */
};

/* Returns where the values with NUMBER are, which is below value_group->call_count_limit. */
struct values_position values_find(const struct shard *v, const struct stored_value_group *value_group, uint64_t number,
                                   uint64_t position);

/* Evaluates a call of F at AT for CALLER. All memory is from ARENA. Stores what the call keeps in CALLER's registers.
 * errors: PILGRIM_NOMEM; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status signature_evaluate(const struct shard *v, const struct values_position *at,
                                       const struct stored_function *f, const struct caller *caller,
                                       struct arena *arena, struct call_values **values, const char **problem);

/* Evaluates a signature whose shape is one int.
 * errors: PILGRIM_DAMAGED with *PROBLEM set to a constant */
enum pilgrim_status signature_int(const struct shard *v, const struct values_position *at, const struct caller *caller,
                                  int64_t *number, const char **problem);

#endif
