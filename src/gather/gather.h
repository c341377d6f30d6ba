/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers the fragments of all processes in rank 0 at MPI_Finalize, segment by segment; see gather.c. */
#ifndef PILGRIM_GATHER_H
#define PILGRIM_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "merge/fragment.h"

/* The outcome of a gather, in ascending order: if several things happened, the last one counts. */
enum gather_outcome {
    GATHER_WHOLE,       /* rank 0 has the fragment of all ranks */
    GATHER_LATE,        /* a process did not answer in time */
    GATHER_NO_MEMORY,   /* a process had too little memory to merge */
    GATHER_UNWRITTEN,   /* rank 0 could not write the trace */
    GATHER_UNREADABLE,  /* a process made a shard that cannot be read */
    GATHER_NO_FRAGMENT, /* a process has no fragment */
    GATHER_CUT          /* a process could not record all of its calls; the first ones are in its file or its journal */
};

enum {
    GATHER_FIRST_BYTES = 3072,
    GATHER_TIMES_BYTES = 1 << 20 /* of times sections that go with a fragment */
};

/* The first message of a child, and each answer of a parent. */
struct gather_message {
    int32_t outcome;     /* enum gather_outcome, or ORDER_GO */
    int32_t rank;        /* the lowest rank that it happened to */
    uint64_t length;     /* of the encoded fragment, in bytes */
    uint32_t more;       /* 1: there is another segment */
    uint32_t times_stay; /* 1: a process has times sections that do not go with its fragment */
};

/* The state of a gather. It must be static: MPI may refer to its buffers as long as the process lives. */
struct gather {
    struct fragment *fragment; /* of this process and those below it in the tree; NULL: none, or not needed any more */
    struct bytes own_encoded;  /* this process's own fragment, encoded; kept until the outcome is known; empty: none */
    struct gather_message state;
    bool more;            /* some process known so far has another segment */
    bool times_stay;      /* some process known so far holds times sections; write_times writes them */
    bool outcome_only;    /* this gather is about the outcome alone */
    struct bytes held;    /* times sections of this process and those below that are not sent up */
    bool gone;            /* a child gave up in an earlier segment */
    int64_t merge_end_ns; /* CLOCK_MONOTONIC: fragments are awaited until then, */
    int64_t end_ns;       /* and the outcome until then */
    bool abandoned;       /* a request was not complete in time; memory that MPI may refer to is never freed */
    uint8_t first[GATHER_FIRST_BYTES];
    struct gather_message answer, told;
};

/* Begins a segment. Takes over FRAGMENT, this process's (NULL: it has none), and ENCODED, the same encoded (empty: not
 * encoded yet). MORE: this process has another segment. LIMIT_S: how long to wait, in seconds */
void gather_begin(struct gather *g, struct fragment *fragment, struct bytes *encoded, bool more, uint32_t limit_s);

/* Begins a gather without fragments: the processes learn the outcome of all. */
void gather_begin_outcome_only(struct gather *g, uint32_t limit_s);

/* Merges the fragments of the children and sends the result to the parent. Afterwards g->state is what rank 0 decided,
 * and g->more what rank 0 knows. In rank 0, g->state is the outcome so far, and if it is GATHER_WHOLE, g->fragment has
 * all ranks. Takes LIMIT_S at most, or twice that if rank 0 does not answer. */
void gather_up(struct gather *g);

/* Sends g->state to the children. Takes a second at most. */
void gather_tell(struct gather *g);

/* Notes that OUTCOME happened to RANK. Unless the outcome is GATHER_WHOLE, frees the fragment. */
void gather_note(struct gather *g, enum gather_outcome outcome, int rank);

/* Notes the status of merging or writing g->fragment. If a shard had to be written in another form (fragment_problem),
 * prints a line, once. */
void gather_check(struct gather *g, enum pilgrim_status status);

/* Frees what belongs to the segment. All processes have been through it. */
void gather_next(struct gather *g);

/* Frees what MPI does not refer to. Frees the communicator only after a gather that all processes have been through. */
void gather_end(struct gather *g);

#endif
