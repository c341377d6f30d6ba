/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states: time that calls spend waiting for a call of another process, by pattern, call site and rank.
 *
 * E is when a call begins, L when it ends, both on the common axis. A severity is counted if it is positive; it is
 * never more than the call's duration. A severity that is not larger than its error is counted as not resolved. The
 * error is that of both processes' clocks (pilgrim_clock_error). */
#ifndef ANALYSIS_WAIT_STATES_H
#define ANALYSIS_WAIT_STATES_H

#include <pilgrim/reader.h>

#include "analysis/causes.h"
#include "analysis/findings.h"
#include "analysis/match.h"

enum wait_pattern {
    WAIT_LATE_SENDER,   /* min(E_send, L) - E of the call that ends the receive: the largest of its messages */
    WAIT_PARTITION,     /* the same for the last MPI_Pready of a partitioned message */
    WAIT_POLLED,        /* until the send begins, since the first of polls in a row that found nothing, without what was
                         * done between them */
    WAIT_LATE_RECEIVER, /* E_post - E of the call that ends the send, if the receive is posted before that ends */
    WAIT_BARRIER,       /* min(max E, L) - E */
    WAIT_ALL,           /* the same, of operations from all to all: max over those that send something; of
                         * MPI_Alltoallv and MPI_Alltoallw as the last two */
    WAIT_BROADCAST,     /* min(E_root, L) - E of those that receive something from the root */
    WAIT_REDUCE,        /* at the root: min E of the others that send something, - E */
    WAIT_SCAN,          /* max E of the ranks before, - E */
    WAIT_NEIGHBOR,      /* max E of the neighbors that it receives from, - E, if it left after that */
    WAIT_LATE_POST,  /* E of the target's MPI_Win_post - E of MPI_Win_start, the first operation or MPI_Win_complete, if
                      * that is before L, or later by less than the clocks may differ; at most L - E */
    WAIT_LOCK_HELD,  /* E of the MPI_Win_unlock of the one that had the lock before - E of MPI_Win_lock or
                      * MPI_Win_unlock, if that is before L */
    WAIT_EARLY_WAIT, /* E of the last MPI_Win_complete - E of MPI_Win_wait */
    WAIT_FENCE,      /* the following as a barrier, if nobody left before all had come: MPI_Win_fence, */
    WAIT_OTHER,      /* and what makes or frees communicators, windows, files */
    WAIT_INIT,       /* the same of MPI_Init and the like; aside */
    /* what an operation itself takes, when nobody is late any more; aside: */
    COMPLETE_BARRIER, /* L - max(min L, max E) */
    COMPLETE_ALL,     /* the same over those that send and receive something */
    COMPLETE_INIT,    /* L - min L */
    WAIT_PATTERNS
};

/* Returns the pattern in English: "late sender". */
const char *wait_pattern_name(enum wait_pattern pattern);

/* True of waits that are counted aside: they are in no single call, or are nobody's who is late, or came before the
 * run. They are not in the run's waiting time, and nothing is said of what they are due to. */
bool wait_pattern_aside(enum wait_pattern pattern);

/* True if it is no wait, but what the operation itself takes. */
bool wait_pattern_completes(enum wait_pattern pattern);

struct wait_sum {
    uint64_t count; /* of what is resolved */
    uint64_t total_ns, max_ns, error_ns;
    uint64_t unresolved; /* how many severities were not larger than their error */
    /* of late senders: those that the thread could have put off, as it received a message later that was sent earlier
     */
    uint64_t put_off_count, put_off_ns;
};

/* The waits of one pattern at one call site on one rank. */
struct wait_row {
    enum wait_pattern pattern;
    uint32_t site, rank; /* the site is for match_site */
    struct wait_sum sum;
};

/* How much of the waits of one pattern at one site is due to calls of one rank, at one site. */
struct wait_cause {
    enum wait_pattern pattern;
    uint32_t site, rank, cause_site;
    uint64_t total_ns;
};

/* How much of the waits of one pattern at one site is due, in the end, to one class of time of one thread. */
struct wait_root {
    enum wait_pattern pattern;
    uint32_t site;
    uint32_t thread, class; /* as in delay_costs.h */
    double direct_ns;       /* the thread was waited for because of this */
    double indirect_ns;     /* a thread was waited for that had waited because of this */
    double error_ns;
};

/* The late senders that a thread has waited for lately: the last of those that it could not have put off so far. */
enum { LATE_SENDERS = 32 };
struct late_senders {
    struct late_sender {
        uint64_t sent_ns; /* at the earliest */
        uint64_t wait_ns; /* 0: it is counted as put off */
        size_t row;
    } last[LATE_SENDERS];
    size_t next;
};

/* Which waits are wanted. The others are followed, as what is wanted may be due to them, but not in rows, causes,
 * roots. */
struct wait_choice {
    void *context;
    /* Sets *FITS if waits of this call are wanted; calls of a thread come in order, those that cannot wait, too.
     * false: no memory. NULL: all are */
    bool (*call)(void *context, const struct match_seen *seen, bool *fits);
    bool patterns[WAIT_PATTERNS];
};

/* Is given each wait that is resolved, in the order of its thread, once it is known what it is due to. false: no memory
 */
typedef bool (*wait_each)(void *context, const struct cause_event *event);

struct wait_states {
    const struct wait_choice *choice; /* NULL: all */
    wait_each each;                   /* NULL: nobody asks */
    void *each_context;
    struct match *match; /* for match_site */
    struct causes causes_found;
    uint32_t process_count;
    struct match_totals totals;
    struct findings findings;
    struct late_senders **late_senders; /* by thread; NULL: it had none */
    struct wait_sum all;                /* of all waits, chosen or not, without completions */
    struct wait_sum in_calls;           /* of these, without those that are counted aside */
    struct wait_row *rows;              /* sorted by pattern, site, rank */
    size_t row_count, row_capacity;
    struct wait_cause *causes; /* sorted by pattern, site, and the most first */
    size_t cause_count, cause_capacity;
    struct wait_root *roots; /* sorted in the same way */
    size_t root_count, root_capacity;
    struct match_map *row_numbers, *cause_numbers, *root_numbers; /* while they are found */
    bool *blocking; /* by site: its calls wait until something has happened */
    size_t blocking_count, blocking_capacity;
    uint64_t first_ns, last_ns;         /* the run: from the first to the last call that was seen */
    uint64_t backward, backward_max_ns; /* receives that ended before their send began, beyond the errors */
};

/* Returns why waits of a trace are not known: its calls have no times, or not on one axis. NULL: they are. */
const char *wait_states_unknown(const struct pilgrim_trace *trace);

/* Finds the wait states of TRACE, which is borrowed. *W is to be freed in any case. After an error it has what was
 * found until then. CHOICE: borrowed; NULL: all are wanted. EACH: NULL is legal. errors: PILGRIM_NOMEM, as
 * pilgrim_cursor_next */
enum pilgrim_status wait_states_find(struct wait_states *w, const struct pilgrim_trace *trace,
                                     const struct wait_choice *choice, wait_each each, void *context,
                                     struct pilgrim_error *error) PILGRIM_CHECKED;
void wait_states_free(struct wait_states *w);

#endif
