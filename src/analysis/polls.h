/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises failed polls (--no-polls). */
#ifndef ANALYSIS_POLLS_H
#define ANALYSIS_POLLS_H

#include <pilgrim/reader.h>

/* True if the call asked if something had happened, and nothing had. */
bool call_is_failed_poll(const struct pilgrim_call *call);

/* Returns the parameter in which a function tells if something has happened; -1: it does not ask. */
int call_poll_parameter(const struct pilgrim_function *function);

#endif
