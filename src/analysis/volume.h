/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a call of any kind moves, and between which processes: messages (messages.h), collective calls, operations
 * on windows and files, and what statuses say that was received. */
#ifndef ANALYSIS_VOLUME_H
#define ANALYSIS_VOLUME_H

#include "analysis/messages.h"
#include "pilgrim/analysis.h"

struct volumes;

/* Returns a finder for TRACE, which is borrowed. NULL: no memory. */
struct volumes *volumes_new(const struct pilgrim_trace *trace);
void volumes_free(struct volumes *v); /* NULL is legal */

/* The next calls are those of THREAD of RANK, from its first one on. errors: as messages_begin */
enum pilgrim_status volumes_begin(struct volumes *v, uint32_t rank, uint32_t thread,
                                  struct pilgrim_error *error) PILGRIM_CHECKED;

/* Takes the thread's next call; each must come. errors: PILGRIM_NOMEM */
enum pilgrim_status volumes_see(struct volumes *v, const struct pilgrim_call *call,
                                struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns what CALL, which was seen last, moves. */
struct pilgrim_volume volumes_of(struct volumes *v, const struct pilgrim_call *call);

/* What a call moves, by kind. Bytes of messages are those that it sends. */
struct volume_parts {
    uint64_t messages, message_bytes;
    uint64_t unsized;          /* messages whose size is not known */
    uint64_t collective_bytes; /* that it gives to a collective call */
    uint64_t window_bytes;     /* that it puts to and gets from windows */
    uint64_t file_bytes;       /* that it writes and reads */
    uint64_t size;         /* of the buffer of a collective call or file: what it gives or gets, whichever is more */
    bool collective, file; /* the call is of this kind, and succeeded */
    bool failed;           /* it returned an error */
};

/* Returns what CALL, which was seen last, moves. Borrowed until the next call. Without volumes_begin's knowledge of all
 * communicators (see volumes_begin_thread) it learns them when a call needs them. */
const struct volume_parts *volumes_parts(struct volumes *v, const struct pilgrim_call *call);

/* True if what CALL gives or gets depends on its communicator: on how many processes that has, or on who is the root.
 * *HAS_ROOT: on the root. CALL may be one of pilgrim_signature's. */
bool volumes_by_communicator(const struct pilgrim_call *call, bool *has_root);

/* As volumes_begin, for volumes_parts only: the members of communicators are not learned at once. */
enum pilgrim_status volumes_begin_thread(struct volumes *v, uint32_t rank, uint32_t thread,
                                         struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the finder of messages, which has seen the same calls. Borrowed from V. */
struct messages *volumes_messages(struct volumes *v);

/* True if CHOOSE is true for a rank that CALL, which was seen last, sends to, receives from or accesses, or that is the
 * root of a collective call. */
bool volumes_peer(const struct volumes *v, const struct pilgrim_call *call,
                  bool (*choose)(const void *context, uint32_t rank), const void *context);

#endif
