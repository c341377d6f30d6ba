/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates values that depend on earlier calls (docs/FORMAT.md, section 5: keep, edited, completed, posted, begun,
 * own, live, live of, live back). */
#ifndef PILGRIM_DELTA_VALUES_H
#define PILGRIM_DELTA_VALUES_H

#include "read/value/evaluation.h"

/* Each evaluates the value whose tag was read, into V. */
void evaluate_keep(struct evaluation *e, struct pilgrim_value *v);
void evaluate_edited(struct evaluation *e, struct pilgrim_value *v);
void evaluate_completed(struct evaluation *e, struct pilgrim_value *v);
void evaluate_posted(struct evaluation *e, struct pilgrim_value *v);
void evaluate_begun(struct evaluation *e, struct pilgrim_value *v);
void evaluate_own(struct evaluation *e, struct pilgrim_value *v);
void evaluate_live(struct evaluation *e, struct pilgrim_value *v);
void evaluate_live_of(struct evaluation *e, struct pilgrim_value *v, int64_t class_index);

/* Completes the arrays of the call. OUT: all its out-values. */
void evaluate_completions(struct evaluation *e, const struct pilgrim_value *out);

/* Stores in registers what the call keeps. */
void evaluate_keeping(struct evaluation *e);

/* True if VALUES, made for an earlier call, hold for a call now: the state of requests that they use is the same. */
bool uses_hold(const struct call_values *values, const struct caller *caller);

#endif
