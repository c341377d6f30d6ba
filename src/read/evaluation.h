/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of an evaluation: one call's values. Shared by evaluate.c, array_series.c, delta_values.c and
 * unzipped.c. */
#ifndef PILGRIM_EVALUATION_H
#define PILGRIM_EVALUATION_H

#include "read/trace.h"

struct series_slot;

/* What the call keeps, in reverse order. */
struct keeping {
    uint32_t number;
    const struct pilgrim_value *value;
    struct keeping *before;
};

/* An array to be completed once all out-values are there. Until then its type is PILGRIM_COMPLETED. */
struct completing {
    struct pilgrim_value *array;
    struct pilgrim_value *items; /* its own */
    uint64_t parameter;          /* that says which ones */
    struct pilgrim_value item;   /* what stands there */
    struct completing *before;
};

/* Where an unzipped slot's value stands among a call's values, so that the next call's can be put there. */
enum slot_use_kind { SLOT_UNSEEN, SLOT_RANK_BASE, SLOT_NUMBER, SLOT_TRUTH, SLOT_RANK, SLOT_TEXT };

struct slot_use {
    enum slot_use_kind kind;
    uint32_t slot;
    void *to;                            /* 8 bytes; of a rank or text its pilgrim_value */
    const struct stored_rank_base *base; /* of a rank */
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
    const struct pilgrim_value *in_value; /* of the parameter whose out-value is evaluated; NULL: there is none */
    const struct pilgrim_value *in;       /* all in-values, while out-values are evaluated */
    const struct pilgrim_value *requests; /* the one that is an array of requests; NULL: not looked for */
    struct keeping *keeping;
    struct completing *completing;
    bool in_series; /* a value of one is being evaluated: */
    bool first;     /* the first one of its shape */
    struct series_slot *slots;
    size_t slot;           /* the next one */
    struct slot_use *uses; /* of each unzipped slot, to be filled in; NULL: nobody asks */
    struct request_use *requests_used;
    enum pilgrim_status status;
    const char *problem;
};

/* ---- evaluate.c ---- */

/* Only the first problem is kept. PROBLEM: a constant */
void evaluation_fail(struct evaluation *e, enum pilgrim_status status, const char *problem);

/* Takes BYTES off what may be taken. false: the evaluation has failed. */
bool evaluation_charge(struct evaluation *e, uint64_t bytes);

/* BYTES from the arena; NULL: the evaluation has failed. */
void *evaluation_take(struct evaluation *e, size_t bytes);

/* Before the first token of the values at AT. */
struct evaluation evaluation_begin(const struct shard *v, const struct values_position *at, const struct caller *caller,
                                   struct arena *arena);

/* All values of a call of F, after evaluation_begin; as signature_evaluate. */
enum pilgrim_status evaluate_call(struct evaluation *e, const struct stored_function *f, struct call_values **values,
                                  const char **problem);

/* RANK's numbers from what is stored, as seen from VIEW, whose size is positive. */
void rank_set(struct pilgrim_value *rank, const struct stored_rank_base *view, int64_t stored);
extern const char truth_problem[];

/* The string of number BASE + TEXT_NUMBER of V's table in *TEXT. False: there is none. */
bool text_set(const struct shard *v, struct pilgrim_value *text, int64_t base, int64_t text_number);
extern const char text_problem[];

/* The next token's value, COUNT of them as the items of V, the next slot. */
void evaluate(struct evaluation *e, struct pilgrim_value *v);
void evaluate_items(struct evaluation *e, struct pilgrim_value *v, size_t count);
int64_t evaluation_slot(struct evaluation *e);

/* The next slot in *TO, where it may be changed in place. */
void evaluate_number(struct evaluation *e, int64_t *to);

/* The next column's value; as differences, a sequence. */
int64_t evaluation_column(struct evaluation *e, int64_t x);
uint64_t evaluation_differences(struct evaluation *e);
extern const char series_wrong_length[];

/* ---- array_series.c: behind the tag; the next slot of one ---- */

void evaluate_series(struct evaluation *e, struct pilgrim_value *v);
int64_t series_slot(struct evaluation *e);

/* ---- delta_values.c: behind the tag ---- */

void evaluate_keep(struct evaluation *e, struct pilgrim_value *v);
void evaluate_edited(struct evaluation *e, struct pilgrim_value *v);
void evaluate_completed(struct evaluation *e, struct pilgrim_value *v);
void evaluate_posted(struct evaluation *e, struct pilgrim_value *v);
void evaluate_begun(struct evaluation *e, struct pilgrim_value *v);
void evaluate_live(struct evaluation *e, struct pilgrim_value *v);

/* Completes the arrays; OUT: all out-values. */
void evaluate_completions(struct evaluation *e, const struct pilgrim_value *out);

/* Puts what is kept into the registers. */
void evaluate_keeping(struct evaluation *e);

#endif
