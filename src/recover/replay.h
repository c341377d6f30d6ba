/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams from logs: what a thread told its journal is told to a new stream, through the recorder's own code. */
#ifndef PILGRIM_REPLAY_H
#define PILGRIM_REPLAY_H

#include "recover/journal_reader.h"
#include "recover/log_records.h"
#include "record/stream.h"

/* Sets *S to the stream that T's log is of, with the call that T is in as the last one, without outputs and return
 * value. *CALLS: how many calls were told, over all epochs. Iterations of a loop are told at once; *STEPS is how many
 * other calls may come as predicted, and is set to what is left of that. The stream borrows VOCABULARY and MODULES, and
 * the caller frees it. errors: PILGRIM_DAMAGED (records that do not fit together; the stream has the calls before
 * them), PILGRIM_NOMEM, PILGRIM_LIMIT (as of stream_append, or no more STEPS); *S is NULL if there is no memory at all
 */
enum pilgrim_status replay_thread(const struct read_thread *t, const struct vocabulary *vocabulary,
                                  const struct replay_modules *modules, uint64_t *steps, struct stream **s,
                                  uint64_t *calls) PILGRIM_CHECKED;

#endif
