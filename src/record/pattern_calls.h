/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a pattern of ended threads as bytes (thread_pattern.h): writes those of a stream, reads them, and makes
 * a stream of them. */
#ifndef PILGRIM_PATTERN_CALLS_H
#define PILGRIM_PATTERN_CALLS_H

#include "record/thread_pattern.h"

/* How a thread is stored. */
enum thread_storage {
    THREAD_PATTERN,      /* as a pattern; its calls are in the scratch */
    THREAD_LONG_PATTERN, /* as a pattern that keeps the first thread's stream: too many calls to be made again */
    THREAD_UNSHARED      /* with its stream, not compared with others */
};

/* Writes the calls of S, the stream of thread NUMBER, to E->scratch and their values to E->values. *STORAGE says how
 * the thread is to be stored; if that is THREAD_UNSHARED what was written has no meaning. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED (a key is malformed) */
enum pilgrim_status pattern_calls_write(struct ended_threads *e, uint32_t number, const struct stream *s,
                                        enum thread_storage *storage) PILGRIM_CHECKED;

struct pattern_class {
    const uint8_t *frames;
    uint32_t frame_count;
    uint32_t function;
    bool fortran, failed_poll;
    const uint8_t *sequence;
    size_t sequence_length;
    uint32_t signature_count;
    size_t signatures; /* offset of the first one in the calls */
    uint32_t first_slot, slot_count;
};

struct pattern_calls {
    struct bytes keys; /* a copy of all calls; the reader's user fills in the slots of the keys */
    const uint8_t *structure;
    size_t structure_length;
    struct pattern_class *classes;
    uint32_t class_count;
};

/* Reads the calls of pattern NUMBER into *CALLS, which is zero and is to be freed in any case. E is borrowed.
 * errors: PILGRIM_NOMEM, PILGRIM_TRUNCATED (malformed) */
enum pilgrim_status pattern_calls_read(const struct ended_threads *e, uint32_t number,
                                       struct pattern_calls *calls) PILGRIM_CHECKED;
void pattern_calls_free(struct pattern_calls *calls);

/* Makes the stream of a thread, call by call, without times. The values of the thread are in the keys of CALLS. *S
 * is to be freed in any case. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status pattern_calls_make(const struct ended_threads *e, const struct pattern_calls *calls,
                                       struct stream **s) PILGRIM_CHECKED;

#endif
