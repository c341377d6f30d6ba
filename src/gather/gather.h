/* SPDX-License-Identifier: BSD-3-Clause */
/* How the fragments of all processes come together in rank 0 at MPI_Finalize, segment by segment, and what if they do
 * not; see gather.c. */
#ifndef PILGRIM_GATHER_H
#define PILGRIM_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "merge/fragment.h"

/* What became of it; where several things happened the last of these counts. */
enum gather_outcome {
    GATHER_WHOLE,      /* rank 0 has the fragment of all */
    GATHER_LATE,       /* not in time */
    GATHER_SHORT,      /* a process had no memory for its part of the merge */
    GATHER_UNWRITTEN,  /* rank 0 could not write it */
    GATHER_UNREADABLE, /* what a process was to write could not have been read */
    GATHER_LOST,       /* a process has no fragment */
    GATHER_CUT         /* a process could not record all of its calls, and has put away the first ones */
};

enum {
    GATHER_FIRST_BYTES = 3072,
    GATHER_TIMES_BYTES = 1 << 20 /* of times sections that a fragment brings along */
};

/* A message's beginning, or all of it. */
struct gather_message {
    int32_t outcome; /* enum gather_outcome, or an order */
    int32_t rank;    /* the lowest that it happened to */
    uint64_t length; /* of the encoded fragment */
    uint32_t more;   /* 1: there is another segment */
    uint32_t stays;  /* 1: a process has times that do not travel */
};

/* Static: MPI may refer to it as long as the process lives. */
struct gather {
    struct fragment *fragment; /* of this process and those below it in the tree; NULL if it is of no use any more */
    struct bytes own_encoded;  /* this process's, encoded: kept until all is over; empty: there is none */
    struct gather_message state;
    bool more;         /* a process that was heard of has another segment */
    bool stays;        /* a process that was heard of has times that do not travel: they are written by write_times */
    bool bare;         /* this segment is about the state alone */
    struct bytes held; /* times sections that came from below, or would have gone up with them, and go no further */
    bool gone;         /* one below this process has given up in an earlier segment */
    int64_t merge_end_ns; /* until then fragments are waited for, */
    int64_t end_ns;       /* and until then the outcome */
    bool abandoned;       /* a request was left to itself: memory that it may refer to is never freed */
    uint8_t first[GATHER_FIRST_BYTES];
    struct gather_message answer, told;
};

/* A segment begins. FRAGMENT: this process's; NULL: it has none. ENCODED: the same, encoded; empty: it is not yet. Both
 * are handed over. MORE: it has another one. limit_s: 0: fragments stay apart */
void gather_begin(struct gather *g, struct fragment *fragment, struct bytes *encoded, bool more, uint32_t limit_s);

/* The same without fragments: the processes see what has become of all of them. */
void gather_begin_bare(struct gather *g, uint32_t limit_s);

/* Merges what comes from below and hands it on. Afterwards g->state is what rank 0 decided; in rank 0 it is what it may
 * decide, and g->fragment that of all if it is GATHER_WHOLE. g->more, too, is what rank 0 knows. Takes LIMIT_S, or
 * twice that where rank 0 is not heard of. */
void gather_up(struct gather *g);

/* Tells those below of g->state. Takes a second at most. */
void gather_tell(struct gather *g);

/* Notes that OUTCOME happened to RANK; the fragment is freed unless it is GATHER_WHOLE. */
void gather_note(struct gather *g, enum gather_outcome outcome, int rank);

/* Notes what came of merging or writing g->fragment here, and says, once, if it is written in another way than it
 * should be (fragment_doubt). */
void gather_check(struct gather *g, enum pilgrim_status status);

/* The segment is over, and all have been through it: frees what it had. */
void gather_next(struct gather *g);

/* Frees what nobody refers to; the communicator only after a gather that all have been through. */
void gather_end(struct gather *g);

#endif
