/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a trace, as what viewers draw as arrows: from the call that began the send to the call that ended the
 * receive. Only messages of which both are converted. */
#ifndef CONVERT_FLOWS_H
#define CONVERT_FLOWS_H

#include <pilgrim/analysis.h>

struct message_end {
    uint64_t seq;  /* of the call */
    uint64_t id;   /* of the message, from 1 */
    bool received; /* the call ended the receive; else it began the send */
};

struct flow_thread {
    struct message_end *flows; /* in the order of their calls */
    size_t count, capacity;
};

/* Bytes and messages that are under way, from this time on. */
struct flow_change {
    uint64_t ns;
    int64_t bytes, messages;
};

struct flows {
    struct flow_thread *threads; /* of all ranks */
    size_t *first;               /* of a rank, in that list */
    uint32_t ranks;
    struct flow_change *changes; /* in the order of time; of messages both of whose calls have times */
    size_t change_count, change_capacity;
    uint64_t messages;
    bool drawn;
};

/* Reads all messages of the trace. SELECTION: the calls that are converted; NULL: all. DRAWN: calls have no times. F is
 * to be freed by flows_free, also after an error. errors: as match_trace and pilgrim_calls_next */
enum pilgrim_status flows_read(struct flows *f, const struct pilgrim_trace *trace,
                               const struct pilgrim_selection *selection, bool drawn,
                               struct pilgrim_error *error) PILGRIM_CHECKED;
void flows_free(struct flows *f);

/* Returns the flows of a call, *COUNT of them. *AT is the caller's, 0 before a thread's first call; calls come in their
 * order. */
const struct message_end *flows_of(const struct flows *f, const struct pilgrim_call *call, size_t *at, size_t *count);

#endif
