/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds buffers that are posted again while an operation is pending on them, and objects that a process has not freed
 * when it calls MPI_Finalize; see match_data.h.
 *
 * Operations that are pending in one allocation are a list, the newest first. Of a long one only the head is looked at,
 * so that a program with thousands of requests takes no longer for each.
 *
 * MPI may give all sends that are complete at once the same request. The recorder then says that the oldest of them has
 * ended, though the program may have completed another one. So when a send ends after which others began, nothing is
 * said of the buffers of these: which of them are still pending is not certain. */
#include <stdlib.h>

#include "analysis/match_data.h"

enum { LOOK_AT = 64 };

/* ---- buffers ---- */

static struct match_key buffer_key(const struct match_operation *op)
{
    return (struct match_key){{op->buffer.type, (uint64_t)op->buffer.device, (uint64_t)op->buffer.id}};
}

static bool overlap(const struct match_operation *a, const struct match_operation *b)
{
    const uint64_t x = (uint64_t)a->buffer.offset, y = (uint64_t)b->buffer.offset;
    if (a->send && b->send)
        return false;
    return x < y ? y - x < a->buffer.length : x - y < b->buffer.length;
}

bool match_buffer_post(struct match *m, struct match_operation *op)
{
    struct match_process *p = m->process;
    const bool stays = op->buffer_posted;
    op->buffer_posted = false;
    if (op->shared_request)
        p->sent_last = op->number;
    if (!op->buffer.length || !m->events->overlap || !m->all_recorded)
        return true;
    struct match_operation *first = match_map_find(&p->buffers, buffer_key(op));
    int looked = 0;
    for (struct match_operation *other = first; other && looked < LOOK_AT; other = other->buffer_next, looked++)
        if (overlap(other, op) && !(other->shared_request && other->number <= p->sends_mixed)) {
            if (!m->events->overlap(m->events->context, other, op))
                return false;
            break;
        }
    if (!stays)
        return true;
    if (!match_map_put(&p->buffers, buffer_key(op), op))
        return false;
    op->buffer_next = first;
    op->buffer_last = NULL;
    if (first)
        first->buffer_last = op;
    op->buffer_posted = true;
    return true;
}

bool match_buffer_over(struct match *m, struct match_operation *op)
{
    struct match_process *p = m->process;
    struct match_map *map = &p->buffers;
    if (op->shared_request && op->number < p->sent_last)
        p->sends_mixed = p->sent_last;
    if (!op->buffer_posted)
        return true;
    op->buffer_posted = false;
    if (op->buffer_next)
        op->buffer_next->buffer_last = op->buffer_last;
    if (op->buffer_last)
        op->buffer_last->buffer_next = op->buffer_next;
    else if (op->buffer_next)
        return match_map_put(map, buffer_key(op), op->buffer_next);
    else
        match_map_take(map, buffer_key(op));
    return true;
}

/* ---- objects ---- */

static struct match_key made_key(enum match_made_kind kind, const struct pilgrim_value *name)
{
    return (struct match_key){{kind, (uint64_t)name->id, kind == MADE_REQUEST ? (uint64_t)name->offset : 0}};
}

static bool is_made(enum match_made_kind kind, const struct pilgrim_value *name)
{
    return name->type == (kind == MADE_REQUEST ? PILGRIM_REQUEST : PILGRIM_OBJECT);
}

bool match_made_add(struct match *m, enum match_made_kind kind, const struct pilgrim_value *name)
{
    if (!is_made(kind, name) || !m->events->kept || !m->all_recorded)
        return true;
    struct match_made *made = malloc(sizeof *made);
    if (!made)
        return false;
    *made = (struct match_made){
        .kind = kind, .rank = m->process->rank, .thread = m->thread, .site = m->site, .seq = m->call->seq};
    match_made_take(m, kind, name);
    if (match_map_put(&m->process->made, made_key(kind, name), made))
        return true;
    free(made);
    return false;
}

void match_made_take(struct match *m, enum match_made_kind kind, const struct pilgrim_value *name)
{
    if (is_made(kind, name))
        free(match_map_take(&m->process->made, made_key(kind, name)));
}

bool match_made_tell(struct match *m)
{
    const struct match_map *map = &m->process->made;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value && !m->events->kept(m->events->context, map->slots[i].value))
            return false;
    return true;
}

static void forget_made(struct match_process *p)
{
    for (size_t i = 0; i < p->made.capacity; i++)
        free(p->made.slots[i].value);
    match_map_free(&p->made);
    p->made = (struct match_map){0};
}

bool match_pause(struct match *m)
{
    const struct match_map *requests = &m->process->requests;
    forget_made(m->process);
    for (size_t i = 0; i < requests->capacity; i++) {
        const struct match_request *request = requests->slots[i].value;
        struct match_operation *both[] = {request ? request->send : NULL, request ? request->receive : NULL};
        for (int k = 0; k < 2; k++)
            if (both[k]) {
                both[k]->paused = true;
                if (!match_buffer_over(m, both[k]))
                    return false;
            }
    }
    return true;
}

void match_kept_free(struct match_process *p)
{
    forget_made(p);
    match_map_free(&p->buffers);
}
