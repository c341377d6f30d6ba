/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the actions of pilgrim-replay. */
#ifndef GEN_EMIT_REPLAY_H
#define GEN_EMIT_REPLAY_H

#include "emit.h"

/* Writes replay-actions.c. CONSTANTS_FILE: gen/constants. */
void emit_replay(const struct generated_file *output, const char *constants_file);

/* Returns why a recorded function is not replayed; NULL: it is. */
const char *replay_reason(const struct mpi_function *f);

#endif
