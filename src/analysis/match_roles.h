/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI functions do, as far as matching asks, and where the values for it are among their parameters. A function is
 * looked up once; its calls then find their values by index. */
#ifndef ANALYSIS_MATCH_ROLES_H
#define ANALYSIS_MATCH_ROLES_H

#include <pilgrim/reader.h>

#include "analysis/match.h"

enum match_act {
    ACT_NONE,
    ACT_SEND,
    ACT_RECEIVE,
    ACT_EXCHANGE, /* sends and receives */
    ACT_PROBE,    /* takes a message, if it finds one */
    ACT_LOOK,     /* finds a message, and leaves it there */
    ACT_TAKE,     /* receives what a probe has taken */
    ACT_START,
    ACT_WAIT, /* ends operations, or asks if they have ended */
    ACT_CANCEL,
    ACT_PAUSE, /* may end the recording for a while */
    ACT_FREE,  /* frees a request */
    ACT_COLLECTIVE,
    ACT_COMM,       /* collective, and makes a communicator */
    ACT_COMM_ALONE, /* makes a communicator, but is not collective over the one it was made from */
    ACT_COMM_END,
    ACT_TYPE,
    ACT_TYPE_SIZE,
    ACT_TYPE_END,
    ACT_CONTAINER,      /* collective, and makes a window or file */
    ACT_CONTAINER_CALL, /* collective on one */
    ACT_GROUP,          /* makes a group of processes */
    ACT_EPOCH,          /* begins or ends an epoch of a window */
    ACT_REMOTE,         /* puts, gets, ... */
    ACT_READY           /* marks partitions as ready */
};

/* What a function does to the epochs of a window. */
enum match_sync {
    SYNC_NONE,
    SYNC_FENCE,
    SYNC_START,
    SYNC_COMPLETE,
    SYNC_POST,
    SYNC_WAIT,
    SYNC_LOCK,
    SYNC_UNLOCK,
    SYNC_FLUSH, /* ends operations at the target, too */
    SYNC_FREE
};

/* Parameters by what they are. Several functions have other names for the same. */
enum match_parameter {
    P_COMM,
    P_DEST,
    P_SOURCE,
    P_TAG,
    P_COUNT,
    P_TYPE,
    P_REQUEST,
    P_REQUESTS,
    P_STATUS,
    P_STATUSES,
    P_FLAG,
    P_INDEX,
    P_INDICES,
    P_OUTCOUNT,
    P_MESSAGE,
    P_PARTITIONS,
    P_ROOT,
    P_SENDTAG,
    P_RECVTAG,
    P_SENDCOUNT,
    P_RECVCOUNT,
    P_SENDTYPE,
    P_RECVTYPE,
    P_SENDCOUNTS,
    P_RECVCOUNTS,
    P_SENDBUF,
    P_RECVBUF,
    P_BUF,
    P_CONTAINER, /* a window or file */
    P_GROUP,
    P_GROUP_2,
    P_RANKS, /* of a group, or ranges of them */
    P_RANK,  /* of a window's communicator */
    P_LOCK,
    P_MADE, /* what the function makes: a communicator, a datatype, a group */
    PARAMETERS
};

/* A function. */
struct match_role {
    const char *name; /* of the function, as the trace has it; copied */
    size_t parameter_count;
    enum match_act act;
    enum match_pattern pattern;
    enum match_sync sync;
    int poll; /* the parameter that says if something has happened; -1: the function does not ask */
    bool persistent, buffered, synchronous, finalize, init;
    int index[PARAMETERS]; /* -1: the function has none */
};

/* Roles that were looked up. All zero: none. */
struct match_roles {
    struct match_role **slots; /* a hash table */
    size_t capacity, count;
};

/* Returns the role of FUNCTION, borrowed until match_roles_free. NULL: no memory. */
const struct match_role *match_role_of(struct match_roles *roles, const struct pilgrim_function *function);
void match_roles_free(struct match_roles *roles);

/* Returns the value that goes in, or comes out, as PARAMETER; one of type PILGRIM_NONE if there is none. */
const struct pilgrim_value *role_in(const struct match_role *role, const struct pilgrim_call *call,
                                    enum match_parameter parameter);
const struct pilgrim_value *role_out(const struct match_role *role, const struct pilgrim_call *call,
                                     enum match_parameter parameter);

#endif
