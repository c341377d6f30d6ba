/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the actions of pilgrim-replay. */
#ifndef GEN_EMIT_REPLAY_H
#define GEN_EMIT_REPLAY_H

#include "emit.h"

/* Writes replay-actions.c. CONSTANTS_FILE: gen/constants. */
void emit_replay(const struct generated_file *output, const char *constants_file);

/* Returns why a recorded function is not replayed; NULL: it is. */
const char *replay_reason(const struct mpi_function *f);

/* Returns what a string parameter says: "REPLAY_FILE_NAME" (enum replay_text). */
const char *replay_text_class(const struct mpi_function *f, const struct parameter *p);

/* True if tools/replay/replay_stubs.h has a stub for callbacks of the type that C points to. */
bool replay_has_stub(const struct c_parameter *c);

/* Returns the type that a pointer or an array points to, without const. */
const char *replay_element_type(const struct c_parameter *c);

#endif
