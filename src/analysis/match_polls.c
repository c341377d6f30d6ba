/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds messages that a thread asked for, again and again, until they were there; see match_data.h.
 *
 * A failed poll goes on with a row of them; another call ends it. What succeeds behind a row ends it, too, but what it
 * ends was asked for since then. What the thread spent between two polls is idle if it is short; else it has done
 * something else meanwhile, or could not run. */
#include "analysis/call_values.h"
#include "analysis/match_data.h"

enum { POLL_GAP_NS = 10000 };

void match_polls_follow(struct match *m, struct match_thread *t)
{
    struct match_polls *polls = &t->polls;
    const struct pilgrim_call *call = m->call;
    const struct pilgrim_value *came = m->role->poll >= 0 ? &call->out[m->role->poll] : NULL;
    bool done = true;
    const bool goes_on = came && call->timed && polls->on, failed = came && value_truth(came, &done) && !done;
    const uint64_t start_ns = came && call->timed ? match_on_axis(m, m->process, call->start_ns) : 0;
    if (goes_on && failed && start_ns > polls->left_ns + POLL_GAP_NS)
        polls->busy_ns += start_ns - polls->left_ns;
    m->polled = (struct match_polled){0};
    if (goes_on && !failed)
        m->polled = (struct match_polled){polls->since_ns, polls->left_ns, polls->busy_ns, polls->error_ns};
    polls->on = failed && call->timed;
    if (polls->on && !goes_on) {
        polls->since_ns = start_ns;
        polls->error_ns = m->enter_error_ns;
        polls->busy_ns = 0;
    }
    if (polls->on)
        polls->left_ns = match_on_axis(m, m->process, call->end_ns);
}

void match_polls_note(const struct match *m, struct match_operation *op)
{
    struct match_polls *polls = &m->process->threads[m->thread].polls;
    if (m->polled.since_ns) {
        op->polled = m->polled;
    } else if (polls->found.since_ns && op->comm == polls->comm && (op->any_tag || op->tag == polls->tag)) {
        const struct pilgrim_value *source = role_in(m->role, m->call, P_SOURCE);
        if (!op->any_source && source->integer != polls->source)
            return;
        op->polled = polls->found;
        polls->found.since_ns = 0;
    }
}

void match_polls_look(struct match *m)
{
    struct match_polls *polls = &m->process->threads[m->thread].polls;
    const struct pilgrim_value *status = role_out(m->role, m->call, P_STATUS);
    const struct match_comm *comm = match_comm_of(m, role_in(m->role, m->call, P_COMM));
    bool found;
    if (!value_truth(role_out(m->role, m->call, P_FLAG), &found) || !found)
        return;
    const bool known = comm && status->type == PILGRIM_STATUS && status->count >= 4;
    polls->found = m->polled;
    if (!known)
        polls->found.since_ns = 0;
    polls->comm = known ? comm->number : 0;
    polls->source = known ? status->items[0].integer : 0;
    polls->tag = known ? status->items[1].integer : 0;
}
