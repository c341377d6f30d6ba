/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call sends: messages and their bytes, and to whom.
 *
 * A point-to-point send that returned without an error is one message: MPI_Send, Bsend, Ssend, Rsend and their I...
 * variants, MPI_Sendrecv, MPI_Isendrecv and their ..._replace, all with _c too. One that is persistent or partitioned
 * is a message each time that MPI_Start or MPI_Startall starts it. What goes to MPI_PROC_NULL is none; a cancelled one
 * counts. What a library sends for collective calls are not the program's messages. Put, get and accumulate are none
 * either; they are told of as parts of their own.
 *
 * Bytes are those of the datatype's size, without gaps (type_sizes.h); the sizes of derived ones are followed through
 * the calls that make them, or ask for them. So all calls of a thread have to come by. What was made while recording
 * was paused is not known. */
#ifndef DECODER_MESSAGES_H
#define DECODER_MESSAGES_H

#include <pilgrim/reader.h>

#include "world_ranks.h"

struct messages_count {
    uint64_t messages;
    uint64_t bytes; /* of those whose size is known, modulo 2^64 */
};

enum messages_kind {
    MESSAGES_SEND, /* a message, from the rank to the target */
    MESSAGES_PUT,  /* bytes that an operation on a window takes to the target */
    MESSAGES_GET   /* or fetches from there */
};

/* Bytes to one place. */
struct messages_transfer {
    enum messages_kind kind;
    uint32_t target; /* a number, for messages_target */
    bool sized;      /* false: how many bytes is not known; 0 */
    uint64_t bytes;
};

struct messages;

/* TRACE is borrowed until it is freed. NULL: no memory */
struct messages *messages_new(const struct pilgrim_trace *trace);
void messages_free(struct messages *m); /* NULL is legal */

/* The calls that follow are those of THREAD of RANK, from its first one on; the threads of a rank are to come one after
 * another. If it has several, all are looked through here first, as what one makes others use: it is known as long as
 * the name stood for nothing else. errors: PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status messages_begin(struct messages *m, uint32_t rank, uint32_t thread,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* The thread's next call, *COUNT what it sends; each is to come by, in its order. Equal calls are looked at once.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status messages_see(struct messages *m, const struct pilgrim_call *call,
                                 struct messages_count *count) PILGRIM_CHECKED;

/* The same of the call that was seen last, one part for each target and message, *COUNT of them. Borrowed until the
 * next call. */
const struct messages_transfer *messages_transfers(const struct messages *m, size_t *count);

/* Targets are numbered from 0, by rank: those of the rank that was begun last. */
size_t messages_targets(const struct messages *m);

/* The process that one of them is. */
struct group_member messages_target(const struct messages *m, uint32_t target);

/* The rank in MPI_COMM_WORLD of MEMBER; -1: not known, or in another world. To be asked when all threads of all ranks
 * were begun, and have been seen. */
int64_t messages_world_rank(const struct messages *m, const struct group_member *member);

#endif
