/* SPDX-License-Identifier: BSD-3-Clause */
/* What each call of a trace does to messages, requests, communicators, collective operations, windows and files, as
 * records: a message is sent, a receive is posted, a request ends. Nothing goes to MPI_PROC_NULL. */
#ifndef CONVERT_MPI_RECORDS_H
#define CONVERT_MPI_RECORDS_H

#include <pilgrim/analysis.h>

#include <uthash.h>

#include "comm_table.h"
#include "container_table.h"
#include "rank_groups.h"

/* In the order in which a call has them. */
enum record_kind {
    RECORD_SEND,
    RECORD_ISEND,
    RECORD_RECEIVE_POSTED,
    RECORD_COLLECTIVE_BEGUN, /* a non-blocking one */
    RECORD_COLLECTIVE,
    RECORD_COMM_MADE,
    RECORD_COMM_FREED,
    RECORD_TEST, /* of a request that has not ended */
    RECORD_ISEND_ENDED,
    RECORD_RECEIVED,
    RECORD_IRECV_ENDED,
    RECORD_CANCELLED,
    RECORD_COLLECTIVE_ENDED,
    /* windows: `comm` is the number of the window */
    RECORD_REMOTE, /* what is put, got or accumulated: `tag` is enum record_access; `bytes` go to the target, `world`
                    * come from it, if something comes from an accumulation */
    RECORD_REMOTE_ENDED_HERE,
    RECORD_REMOTE_ENDED, /* at the target, too */
    RECORD_WINDOW_MADE,
    RECORD_FENCE,
    RECORD_WINDOW_FREED,
    RECORD_LOCK,         /* `peer`: -1: of all processes; `tag`: 0: exclusive, 1: shared */
    RECORD_UNLOCK,       /* `peer` is the same */
    RECORD_WINDOW_GROUP, /* `tag` is the number of a group; `peer`: 1: an access begins, 0: it ends */
    RECORD_WINDOW_SYNC,
    /* files: `comm` is the number of the file */
    RECORD_FILE_OPENED,
    RECORD_TRANSFER,        /* `tag` is of enum record_transfer */
    RECORD_TRANSFER_TESTED, /* it has not ended */
    RECORD_TRANSFER_ENDED,  /* `bytes` that it moved */
    RECORD_FILE_SEEK,       /* `tag`: by how much; `peer`: 0: from the start, 1: from where it was, 2: from the end;
                             * `bytes`: where that is, UINT64_MAX if it is not known */
    RECORD_FILE_CLOSED,
    RECORD_FILE_DELETED /* `comm` is the number of the path */
};

enum record_access { RECORD_PUT, RECORD_GET, RECORD_ACCUMULATE, RECORD_FETCH_AND_ACCUMULATE, RECORD_COMPARE_AND_SWAP };

/* One of the first three, and bits. */
enum record_transfer { RECORD_READ, RECORD_WRITE, RECORD_FLUSH, RECORD_NON_BLOCKING = 4, RECORD_COLLECTIVELY = 8 };

enum { RECORD_NO_ROOT = -1, RECORD_ROOT_SELF = -2, RECORD_ROOT_OTHERS = -3 };

struct mpi_record {
    uint64_t seq;       /* of the call */
    uint64_t group;     /* records that are there only together */
    uint64_t request;   /* a number for it on its rank */
    uint64_t bytes;     /* of a message; of a non-blocking collective operation: its number, from 0 */
    int64_t tag;        /* of a collective operation: the bytes it sends or receives here, whichever are more; -1: not
                         * known */
    int64_t peer;       /* rank in the communicator, of an inter-communicator in the other group; or root */
    int64_t world;      /* of a message: the peer's rank in MPI_COMM_WORLD */
    uint32_t comm;      /* number in the table */
    uint8_t kind;       /* enum record_kind */
    uint8_t collective; /* enum collective_kind */
};

struct mpi_record_list {
    struct mpi_record *records; /* in the order of their calls */
    size_t count, capacity;
};

/* A file's name. */
struct record_path {
    UT_hash_handle hh;
    uint32_t number; /* from 0, as the table goes through them */
    char text[];
};

struct mpi_records {
    struct comm_table comms;
    struct container_table windows, files;
    struct rank_groups groups_of_ranks; /* of windows */
    struct record_path *paths;          /* of files */
    uint32_t path_count;
    struct mpi_record_list *threads; /* of all ranks */
    size_t *first;                   /* of a rank, in that list */
    uint32_t ranks;
    uint64_t groups, nonblocking; /* how many groups, and non-blocking collective operations, there are */
    uint64_t left_out; /* sends, receives, collective calls, operations on windows and files, on communicators
                        * that are not known, or with a process of another world; also those without
                        * partners, if they must have them */
};

/* What is wanted. */
struct records_wanted {
    bool untimed; /* calls without times are converted, too */
    bool whole; /* only messages with both sides, on whatever communicators, and collective operations that all members
                 * have ended, each a group; nothing of windows and files */
};

/* Reads the records of the calls that fit SELECTION; NULL: all. A message is there if all of its calls are. R is to be
 * freed by mpi_records_free, also after an error. errors: as match_trace and pilgrim_calls_next */
enum pilgrim_status mpi_records_read(struct mpi_records *r, const struct pilgrim_trace *trace,
                                     const struct pilgrim_selection *selection, const struct records_wanted *wanted,
                                     struct pilgrim_error *error) PILGRIM_CHECKED;
void mpi_records_free(struct mpi_records *r);

/* Returns what a collective operation that CALL begins moves: VOLUME, which the call has, or if it only starts what an
 * earlier call has set up, what the record says. */
struct pilgrim_volume mpi_record_volume(const struct pilgrim_call *call, const struct pilgrim_volume *volume,
                                        const struct mpi_record *record);

/* Returns the records of a call, *COUNT of them. *AT is the caller's, 0 before a thread's first call; calls come in
 * their order. */
const struct mpi_record *mpi_records_of(const struct mpi_records *r, const struct pilgrim_call *call, size_t *at,
                                        size_t *count);

#endif
