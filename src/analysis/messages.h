/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a call sends: messages, their bytes, and the process they go to.
 *
 * A message is a point-to-point send that returned without an error: MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend and
 * their MPI_I... variants, MPI_Sendrecv, MPI_Isendrecv and their ..._replace, all with _c, too. A persistent or
 * partitioned send is a message each time that MPI_Start or MPI_Startall starts it. A send to MPI_PROC_NULL is no
 * message; a cancelled one is. What a library sends for collective calls is not the program's. Put, get and accumulate
 * are no messages either, but transfers of kinds of their own.
 *
 * Bytes are those of the datatype's size, without gaps (type_sizes.h). The sizes of derived datatypes follow from the
 * calls that make them or ask for their size, so all calls of a thread have to be seen. What was made while recording
 * was paused is not known. */
#ifndef ANALYSIS_MESSAGES_H
#define ANALYSIS_MESSAGES_H

#include <pilgrim/reader.h>

#include "analysis/type_extents.h"
#include "analysis/world_ranks.h"

struct messages_count {
    uint64_t messages;
    uint64_t bytes; /* bytes of the messages whose size is known, modulo 2^64 */
};

enum messages_kind {
    MESSAGES_SEND, /* a message from the rank to the target */
    MESSAGES_PUT,  /* bytes that an operation on a window takes to the target */
    MESSAGES_GET   /* bytes that it fetches from the target */
};

/* Bytes between the rank and one target. */
struct messages_transfer {
    enum messages_kind kind;
    uint32_t target; /* its number, for messages_target */
    bool sized;      /* false: the number of bytes is not known, and `bytes` is 0 */
    uint64_t bytes;
};

struct messages;

/* Returns a finder of messages. TRACE is borrowed until messages_free. NULL: no memory */
struct messages *messages_new(const struct pilgrim_trace *trace);
void messages_free(struct messages *m); /* NULL is legal */

/* The next calls are those of THREAD of RANK, from its first one on. The threads of a rank must come one after another.
 * If a rank has several, all of them are read here first, since one thread may use what another made: that is known as
 * long as its name never stood for anything else. errors: PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status messages_begin(struct messages *m, uint32_t rank, uint32_t thread,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Takes the thread's next call, and sets *COUNT to what it sends. Each call must come, in its order. Calls that the
 * reader knows to be equal are examined once. errors: PILGRIM_NOMEM */
enum pilgrim_status messages_see(struct messages *m, const struct pilgrim_call *call,
                                 struct messages_count *count) PILGRIM_CHECKED;

/* Returns a number that grows whenever equal calls may send something else than before. */
uint64_t messages_changes(const struct messages *m);

/* Returns the transfers of the call that was seen last, *COUNT of them: one for each message or operation. Borrowed
 * until the next call. */
const struct messages_transfer *messages_transfers(const struct messages *m, size_t *count);

/* Returns how many targets the rank has that was begun last; they are numbered from 0. */
size_t messages_targets(const struct messages *m);

/* Returns the process that a target is. */
struct group_member messages_target(const struct messages *m, uint32_t target);

/* Learns the members of all communicators from the lists that the ranks made of them, so that messages_world_rank and
 * messages_size are valid while calls are seen. Of inter-communicators it learns nothing. errors: as
 * pilgrim_communicators_next */
enum pilgrim_status messages_know_members(struct messages *m, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Return, for values of the call that was seen last: how many processes the communicator or window COMM has, and the
 * bytes of the datatype TYPE, UINT64_MAX if that is not known; its extent; and the process that RANK names in a
 * communicator or window. */
uint64_t messages_size(const struct messages *m, const struct pilgrim_value *comm);
uint64_t messages_type_size(struct messages *m, const struct pilgrim_value *type);
struct type_extent messages_type_extent(struct messages *m, const struct pilgrim_value *type);
struct group_member messages_member(const struct messages *m, const struct pilgrim_value *of, int64_t rank);

/* Returns the rank of MEMBER in MPI_COMM_WORLD; -1: not known, or in another world. Valid only when all threads of all
 * ranks were begun and seen. */
int64_t messages_world_rank(const struct messages *m, const struct group_member *member);

#endif
