/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run did that is wrong, or looks wrong, as matching its calls shows it. */
#ifndef ANALYSIS_FINDINGS_H
#define ANALYSIS_FINDINGS_H

#include "analysis/match.h"

enum finding_kind {
    FINDING_COLLECTIVE, /* processes called different functions as the same operation, or named different roots */
    FINDING_FAILED,     /* a collective call failed while it took part in the operation */
    FINDING_INCOMPLETE, /* not all processes came to a collective operation */
    FINDING_TRUNCATED,  /* a message was longer than the receive's buffer */
    FINDING_SEND,       /* nobody received it */
    FINDING_RECEIVE,    /* nothing was sent to it */
    FINDING_REQUEST,    /* it was neither completed nor freed */
    FINDING_TYPES,      /* sent as one predefined datatype, received as another one */
    FINDING_BUFFER,     /* it is posted while an operation is pending on it; one of both receives */
    FINDING_KEPT,       /* the first of those of enum match_made_kind: it was not freed when MPI_Finalize was called */
    FINDING_KINDS = FINDING_KEPT + MADE_KINDS
};

/* Returns KIND in English: "truncated message". */
const char *finding_name(enum finding_kind kind);

struct finding_call {
    uint32_t rank, thread, site; /* the site is for match_site */
    uint64_t seq;
    uint64_t bytes;    /* of the message or buffer; UINT64_MAX: not known */
    const char *type;  /* a predefined datatype, without MPI_, if that is what is wrong; else NULL */
    const char *error; /* the class of the error that the call returned; NULL: none */
};

/* All findings of one kind at the same call sites; the calls are those of the first one found. */
struct mistake {
    enum finding_kind kind;
    bool both; /* there is a second call */
    uint64_t count;
    struct finding_call first, second;
};

/* All zero but for the match: none. */
struct findings {
    const struct match *match; /* whose events are looked at */
    struct mistake *all;
    size_t count, capacity;
};

/* Look at what struct match_events gives. FINDINGS: a struct findings. false: no memory */
bool findings_message(void *findings, const struct match_operation *send, const struct match_operation *receive);
bool findings_overlap(void *findings, const struct match_operation *pending, const struct match_operation *later);
bool findings_kept(void *findings, const struct match_made *made);
bool findings_collective(void *findings, const struct match_collective *c);

/* Finds all that MATCH shows, which is new: its calls need no times. *F is to be freed in any case. errors:
 * PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status findings_search(struct findings *f, struct match *match,
                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sorts them by kind, and by the calls' ranks and numbers. */
void findings_sort(struct findings *f);
void findings_free(struct findings *f);

#endif
