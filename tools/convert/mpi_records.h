/* SPDX-License-Identifier: BSD-3-Clause */
/* What each call of a trace does to messages, requests, communicators and collective operations, as records: a message
 * is sent, a receive is posted, a request ends. Nothing goes to MPI_PROC_NULL. */
#ifndef CONVERT_MPI_RECORDS_H
#define CONVERT_MPI_RECORDS_H

#include <pilgrim/analysis.h>

#include "comm_table.h"

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
    RECORD_COLLECTIVE_ENDED
};

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

struct mpi_records {
    struct comm_table comms;
    struct mpi_record_list *threads; /* of all ranks */
    size_t *first;                   /* of a rank, in that list */
    uint32_t ranks;
    uint64_t groups, nonblocking; /* how many groups, and non-blocking collective operations, there are */
    uint64_t left_out;            /* sends, receives and collective calls on communicators that are not known, or with
                                   * a process of another world; also those without partners, if they must have them */
};

/* What is wanted. */
struct records_wanted {
    bool untimed; /* calls without times are converted, too */
    bool whole; /* only messages with both sides, on whatever communicators, and collective operations that all members
                 * have ended, each a group */
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
