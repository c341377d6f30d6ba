/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs sends and receives; see match_data.h.
 *
 * A channel is a communicator, a source, a destination and a tag: one queue, of what has come from the side that is
 * ahead. A receive that may take several channels is held until it is known which one it took, and what was posted
 * behind it and may take the same channel is held with it. */
#include <stdlib.h>

#include "analysis/match_data.h"

const char *match_reason_text(enum match_reason reason)
{
    static const char *const texts[] = {
        "matched",   "no partner",         "unknown communicator",  "partner in another world",
        "cancelled", "pending at the end", "freed with a wildcard", "posted while recording was paused"};
    return (unsigned)reason < MATCH_REASONS ? texts[reason] : "";
}

/* ---- calls ---- */

void match_call_hold(struct match_call *call)
{
    call->references++;
}

void match_call_drop(struct match *m, struct match_call *call)
{
    if (!call || --call->references > 0)
        return;
    if (call->user && m->freed)
        m->freed(m->freed_context, call);
    match_record_drop(m, SPARE_CALL, call);
}

/* Gives a call to the caller, and lets go of it. */
static bool give(struct match *m, struct match_call *call)
{
    bool good = call->given || !m->events->call || m->events->call(m->events->context, call);
    call->given = true;
    match_call_drop(m, call);
    return good;
}

enum { WAITING_MAX = 1 << 16 };

/* Gives the calls at the head of a thread's list that are complete; the head in any case if the list is long. */
static bool give_first(struct match *m, struct match_thread *t)
{
    bool good = true;
    while (good && t->first && (t->first->open == 0 || t->waiting > WAITING_MAX)) {
        struct match_call *call = t->first;
        t->first = call->next;
        t->waiting--;
        good = give(m, call);
    }
    return good;
}

bool match_call_closed(struct match *m, struct match_call *call)
{
    if (call->given || --call->open > 0 || call == m->record)
        return true;
    if (call->waits)
        return give_first(m, &m->processes[call->rank].threads[call->thread]);
    match_call_hold(call);
    return give(m, call);
}

bool match_call_examined(struct match *m, struct match_call *call)
{
    struct match_thread *t = &m->processes[call->rank].threads[call->thread];
    if (!call->waits) {
        if (call->open > 0)
            return true;
        match_call_hold(call);
        return give(m, call);
    }
    match_call_hold(call); /* the list's */
    if (t->first)
        t->last->next = call;
    else
        t->first = call;
    t->last = call;
    t->waiting++;
    return give_first(m, t);
}

/* ---- the end of operations ---- */

void match_operation_free(struct match *m, struct match_operation *op)
{
    match_call_drop(m, op->begun);
    match_call_drop(m, op->ended);
    match_call_drop(m, op->ready);
    match_record_drop(m, SPARE_OPERATION, op);
}

static bool closed(struct match *m, const struct match_operation *op)
{
    return !op->ended || match_call_closed(m, op->ended);
}

/* Gives a message, and forgets it. */
static bool give_pair(struct match *m, struct match_operation *send, struct match_operation *receive)
{
    m->totals->messages++;
    m->totals->bytes += send->bytes != UINT64_MAX ? send->bytes : receive->bytes != UINT64_MAX ? receive->bytes : 0;
    m->totals->uncertain += send->uncertain || receive->uncertain;
    m->in_flight -= 2;
    bool good = (!m->events->message || m->events->message(m->events->context, send, receive)) && closed(m, send) &&
                closed(m, receive);
    match_operation_free(m, send);
    match_operation_free(m, receive);
    return good;
}

static bool give_alone(struct match *m, struct match_operation *op, enum match_reason reason)
{
    op->reason = reason;
    m->totals->unmatched[reason]++;
    m->in_flight--;
    bool good =
        !m->events->message || m->events->message(m->events->context, op->send ? op : NULL, op->send ? NULL : op);
    good = good && closed(m, op);
    match_operation_free(m, op);
    return good;
}

/* ---- channels ---- */

static struct match_key channel_key(const struct match *m, const struct match_operation *op)
{
    const uint64_t mine = m->process->rank, other = (uint64_t)op->peer;
    return (struct match_key){{op->identity, op->send ? mine << 32 | other : other << 32 | mine,
                               ((uint64_t)op->tag & UINT32_MAX) | (uint64_t)op->part << 32}};
}

static struct match_process *process_of(const struct match *m, const struct match_operation *op)
{
    return &m->processes[op->begun->rank];
}

/* Notes if threads used one side of the channel at once, or in an order that is not known. */
static void note_thread(struct match_channel *channel, struct match_operation *op)
{
    const struct match_call *call = op->begun;
    if (channel->used[op->send] && channel->thread[op->send] != call->thread)
        op->uncertain = !call->timed || call->local_enter_ns < channel->left_ns[op->send];
    channel->used[op->send] = true;
    channel->thread[op->send] = call->thread;
    channel->left_ns[op->send] = call->local_leave_ns;
}

/* Puts OP into its channel, or with its partner. */
static bool release(struct match *m, struct match_operation *op)
{
    const struct match_key key = channel_key(m, op);
    struct match_channel *channel = match_map_find(&m->channels, key);
    if (!channel) {
        channel = calloc(1, sizeof *channel);
        if (!channel || !match_map_put(&m->channels, key, channel)) {
            free(channel);
            return false;
        }
    }
    if (process_of(m, op)->thread_count > 1)
        note_thread(channel, op);
    struct match_operation *partner = channel->first[!op->send];
    if (!partner) {
        if (channel->first[op->send])
            channel->last[op->send]->next = op;
        else
            channel->first[op->send] = op;
        channel->last[op->send] = op;
        process_of(m, op)->outstanding++;
        return true;
    }
    channel->first[!op->send] = partner->next;
    partner->next = NULL;
    process_of(m, partner)->outstanding--;
    if (!partner->next && !channel->first[!op->send]) {
        match_map_take(&m->channels, key);
        free(channel);
    }
    partner->partner = op;
    op->partner = partner;
    if (!op->over || !partner->over)
        return true;
    return op->send ? give_pair(m, op, partner) : give_pair(m, partner, op);
}

/* ---- what is held ---- */

static bool may_take_same(const struct match_operation *a, const struct match_operation *b)
{
    return a->identity == b->identity && a->part == b->part && a->send == b->send &&
           (a->any_source || b->any_source || a->peer == b->peer) && (a->any_tag || b->any_tag || a->tag == b->tag);
}

/* Returns true if OP must wait for one that was posted before it: those in the list up to OP. */
static bool must_wait(const struct match_process *p, const struct match_operation *op)
{
    if (!op->resolved)
        return true;
    for (const struct match_operation *before = p->held; before && before != op; before = before->next)
        if (may_take_same(before, op))
            return true;
    return false;
}

static void unlink_held(struct match_process *p, struct match_operation *before, struct match_operation *op)
{
    if (before)
        before->next = op->next;
    else
        p->held = op->next;
    if (p->held_last == op)
        p->held_last = before;
    op->next = NULL;
    op->held = false;
}

/* Takes out of the list what can go on. Resolved operations have lost their wildcards by now, as far as others are
 * concerned. */
static bool release_held(struct match *m, struct match_process *p)
{
    struct match_operation *before = NULL;
    for (struct match_operation *op = p->held, *next; op; op = next) {
        next = op->next;
        if (!op->cancelled && must_wait(p, op)) {
            before = op;
            continue;
        }
        unlink_held(p, before, op);
        if (!(op->cancelled ? give_alone(m, op, MATCH_CANCELLED)
              : op->reason  ? give_alone(m, op, op->reason)
                            : release(m, op)))
            return false;
    }
    return true;
}

static void forget_wildcards(struct match_operation *op)
{
    if (op->resolved && !op->cancelled)
        op->any_source = op->any_tag = false;
}

bool match_post(struct match *m, struct match_operation *op)
{
    struct match_process *p = m->process;
    if (++m->in_flight > m->totals->in_flight_most)
        m->totals->in_flight_most = m->in_flight;
    forget_wildcards(op);
    if (op->reason != MATCH_FOUND) /* it has no channel */
        return !op->over || give_alone(m, op, op->reason);
    if (op->over && op->cancelled)
        return give_alone(m, op, MATCH_CANCELLED);
    if (!must_wait(p, op))
        return release(m, op);
    if (op->over && !op->resolved)
        return give_alone(m, op, MATCH_PENDING); /* it never ended */
    op->held = true;
    if (p->held_last)
        p->held_last->next = op;
    else
        p->held = op;
    p->held_last = op;
    return true;
}

/* Takes OP out of the list of what is held. */
static void take_held(struct match_process *p, struct match_operation *op)
{
    struct match_operation *before = NULL;
    for (struct match_operation *at = p->held; at && at != op; at = at->next)
        before = at;
    unlink_held(p, before, op);
}

bool match_over(struct match *m, struct match_operation *op)
{
    struct match_process *p = process_of(m, op);
    struct match_process *examined = m->process;
    bool good = true;
    m->process = p;
    if (!match_buffer_over(m, op)) {
        m->process = examined;
        return false;
    }
    forget_wildcards(op);
    if (op->held && !op->resolved) {
        take_held(p, op);
        good = give_alone(m, op, op->freed ? MATCH_FREED : MATCH_PENDING) && release_held(m, p);
    } else if (op->held)
        good = release_held(m, p);
    else if (op->reason != MATCH_FOUND)
        good = give_alone(m, op, op->reason);
    else if (op->partner && op->partner->over)
        good = op->send ? give_pair(m, op, op->partner) : give_pair(m, op->partner, op);
    m->process = examined;
    return good;
}

/* ---- the end ---- */

bool match_flush_held(struct match *m, struct match_process *p)
{
    m->process = p;
    while (p->held) {
        struct match_operation *op = p->held;
        if (op->resolved && !op->cancelled && !op->reason) {
            unlink_held(p, NULL, op);
            if (!release(m, op))
                return false;
            continue;
        }
        unlink_held(p, NULL, op);
        if (!give_alone(m, op, op->reason ? op->reason : op->cancelled ? MATCH_CANCELLED : MATCH_PENDING))
            return false;
    }
    return true;
}

bool match_flush_channels(struct match *m)
{
    bool good = true;
    for (size_t i = 0; i < m->channels.capacity; i++) {
        struct match_channel *channel = m->channels.slots[i].value;
        for (int side = 0; channel && side < 2; side++)
            for (struct match_operation *op = channel->first[side], *next; op; op = next) {
                next = op->next;
                good = good ? give_alone(m, op, MATCH_NO_PARTNER) : (match_operation_free(m, op), false);
            }
        free(channel);
    }
    match_map_free(&m->channels);
    return good;
}
