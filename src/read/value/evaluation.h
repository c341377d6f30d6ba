/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an evaluation of one call's values, and what evaluate.c offers to the other files of this folder. */
#ifndef PILGRIM_EVALUATION_H
#define PILGRIM_EVALUATION_H

#include "read/value/evaluate.h"

struct series_slot;

/* An array that the call stores in a register. The list is in reverse order. */
struct keeping {
    uint32_t number;
    const struct pilgrim_value *value;
    struct keeping *before;
};

/* An array to be completed when all out-values are there. Until then its type is PILGRIM_COMPLETED. */
struct completing {
    struct pilgrim_value *array;
    struct pilgrim_value *items; /* the array's own copy */
    uint64_t parameter;          /* its out-value names the indexes that change */
    struct pilgrim_value item;   /* what stands there afterwards */
    struct completing *before;
};

/* Where the value of an unzipped slot stands among the values of a call, so that the next call's value can be put
 * there. */
enum slot_use_kind { SLOT_UNSEEN, SLOT_RANK_BASE, SLOT_NUMBER, SLOT_TRUTH, SLOT_RANK, SLOT_TEXT };

struct slot_use {
    enum slot_use_kind kind;
    uint32_t slot;
    void *to;                            /* 8 bytes; SLOT_RANK, SLOT_TEXT: a struct pilgrim_value */
    const struct stored_rank_base *base; /* SLOT_RANK */
};

struct evaluation {
    const struct shard *shard;
    const struct values_position *at;
    const struct caller *caller;
    const struct pilgrim_function *function;
    struct arena *arena;
    uint64_t budget; /* bytes that may still be taken */
    struct cursor tokens;
    struct cursor columns; /* of the slots that are still to come */
    uint32_t next_column;
    const struct stored_rank_base *base;  /* NULL: there is none */
    const struct pilgrim_value *in_value; /* of the parameter whose out-value is evaluated; NULL: it has none */
    const struct pilgrim_value *in;       /* all in-values, while out-values are evaluated */
    const struct pilgrim_value *requests; /* the in-value that is an array of requests; NULL: not looked for yet */
    struct keeping *keeping;
    struct completing *completing;
    bool in_series; /* a value of an array series is evaluated; then the next four are set: */
    bool first;     /* the first value of its shape */
    struct series_slot *slots;
    size_t slot;           /* the number of the next slot, also outside of series */
    struct slot_use *uses; /* of each unzipped slot, to be filled in; NULL: not wanted */
    struct request_use *requests_used;
    enum pilgrim_status status;
    const char *problem;
};

/* Fails; only the first problem is kept. PROBLEM: a constant. */
void evaluation_fail(struct evaluation *e, enum pilgrim_status status, const char *problem);

/* Takes BYTES off the budget. False: the evaluation has failed. */
bool evaluation_charge(struct evaluation *e, uint64_t bytes);

/* Returns BYTES from the arena. NULL: the evaluation has failed. */
void *evaluation_take(struct evaluation *e, size_t bytes);

/* Returns an evaluation that stands before the first token of the values at AT. */
struct evaluation evaluation_begin(const struct shard *v, const struct values_position *at, const struct caller *caller,
                                   struct arena *arena);

/* Evaluates all values of a call of F, after evaluation_begin.
 * errors: as signature_evaluate */
enum pilgrim_status evaluate_call(struct evaluation *e, const struct stored_function *f, struct call_values **values,
                                  const char **problem);

/* Sets RANK from the STORED number, relative to BASE, whose size is positive. */
void rank_set(struct pilgrim_value *rank, const struct stored_rank_base *base, int64_t stored);

/* Sets *TEXT to string BASE + TEXT_NUMBER of V's table. False: there is none. */
bool text_set(const struct shard *v, struct pilgrim_value *text, int64_t base, int64_t text_number);

/* Evaluates the next token. */
void evaluate(struct evaluation *e, struct pilgrim_value *v);

/* Evaluates the next COUNT tokens as the items of V. */
void evaluate_items(struct evaluation *e, struct pilgrim_value *v, size_t count);

/* Returns the next slot. */
int64_t evaluation_slot(struct evaluation *e);

/* Puts the next slot into *TO; an unzipped slot may be changed there later. */
void evaluate_number(struct evaluation *e, int64_t *to);

/* Returns the value of the next column; evaluation_differences: the sequence that it is the number of. */
int64_t evaluation_column(struct evaluation *e, int64_t x);
uint64_t evaluation_differences(struct evaluation *e);

/* Problems that several files name. */
extern const char truth_problem[], text_problem[], series_wrong_length[];

#endif
