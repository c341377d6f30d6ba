/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads calls to be counted; see counted_calls.h. */
#include "analysis/counted_calls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"

/* PASSES_MAX: periods that are compared before a stretch is read one by one. */
enum { PASSES_MAX = 8 };

struct counted_calls {
    const struct pilgrim_trace *trace;
    struct repeats *repeats;
    struct pilgrim_cursor *cursor;
    enum counted_how how;
    bool in_segment;
    uint32_t segment;
    const struct repeat *found; /* of the segment: those that are still to come */
    size_t count;
    uint64_t at;                             /* calls of the segment that were read or skipped */
    uint64_t identities[REPEATS_PERIOD_MAX]; /* of the period that was read last */
    bool equal;                              /* the period that is read has the same, so far */
    uint64_t changes;                        /* when the period began */
    uint64_t stands_for;                     /* periods that this one stands for; 0: it stands for itself */
};

struct counted_calls *counted_calls_new(const struct pilgrim_trace *trace)
{
    struct counted_calls *c = calloc(1, sizeof *c);
    if (c)
        c->trace = trace;
    if (c && !(c->repeats = repeats_new())) {
        free(c);
        c = NULL;
    }
    return c;
}

void counted_calls_free(struct counted_calls *c)
{
    if (!c)
        return;
    pilgrim_cursor_close(c->cursor);
    repeats_free(c->repeats);
    free(c);
}

enum pilgrim_status counted_calls_begin(struct counted_calls *c, uint32_t rank, uint32_t thread, enum counted_how how,
                                        struct pilgrim_error *error)
{
    pilgrim_cursor_close(c->cursor);
    c->cursor = NULL;
    c->how = how;
    c->in_segment = false;
    c->count = 0;
    c->stands_for = 0;
    return pilgrim_cursor_open(c->trace, rank, thread, &c->cursor, error);
}

const struct pilgrim_cursor *counted_calls_cursor(const struct counted_calls *c)
{
    return c->cursor;
}

/* True if the call makes a communicator, or might have: their list is read along with the calls that made them. */
static bool makes_communicator(const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct pilgrim_value *v = &call->out[i];
        if (v->type == PILGRIM_OBJECT ? strcmp(v->text, "comm") == 0
                                      : v->type == PILGRIM_NAME && strncmp(v->text, "MPI_COMM_", 9) == 0)
            return true;
    }
    return false;
}

/* Begins period PASS of the stretch, from 0, behind CHANGES. False: the rest of the stretch is read one by one. */
static bool begin_period(struct counted_calls *c, uint64_t pass, uint64_t changes)
{
    const uint64_t left = c->found->periods - pass;
    if (pass >= 2 && c->equal && c->changes == changes && left > 1) {
        c->stands_for = left;
    } else if (pass == PASSES_MAX || left == 1) {
        c->found++;
        c->count--;
        return false;
    }
    c->equal = pass > 0;
    c->changes = changes;
    return true;
}

/* Takes the call into account, and returns how many it stands for. */
static uint64_t take(struct counted_calls *c, const struct pilgrim_call *call, uint64_t changes)
{
    const uint64_t at = c->at++;
    if (c->count == 0 || at < c->found->first)
        return 1;
    const uint64_t period = c->found->period, inside = (at - c->found->first) % period;
    if (inside == 0 && !begin_period(c, (at - c->found->first) / period, changes))
        return 1;
    if (c->stands_for)
        return c->stands_for;
    c->equal = c->equal && call->identity && c->identities[inside] == call->identity && !makes_communicator(call);
    c->identities[inside] = call->identity;
    return 1;
}

/* Goes on behind what the period that was read stands for. */
static enum pilgrim_status skip(struct counted_calls *c, struct pilgrim_error *error)
{
    const uint64_t calls = (c->stands_for - 1) * c->found->period;
    c->at += calls;
    c->stands_for = 0;
    c->found++;
    c->count--;
    return pilgrim_cursor_skip_repeats(c->cursor, calls) == PILGRIM_OK ? PILGRIM_OK : no_memory(error);
}

static bool is_behind(const struct counted_calls *c)
{
    const struct repeat *r = c->found;
    return c->stands_for && c->at == r->first + (r->periods - c->stands_for + 1) * r->period;
}

enum pilgrim_status counted_calls_next(struct counted_calls *c, uint64_t changes, struct pilgrim_call *call,
                                       uint64_t *count, struct pilgrim_error *error)
{
    enum pilgrim_status status = is_behind(c) ? skip(c, error) : PILGRIM_OK;
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_next(c->cursor, call, error);
    if (status != PILGRIM_OK)
        return status;
    const uint32_t segment = pilgrim_cursor_segment(c->cursor);
    if (!c->in_segment || segment != c->segment) {
        c->in_segment = true;
        c->segment = segment;
        c->at = c->count = c->stands_for = 0;
        if (c->how == COUNTED || (c->how == COUNTED_UNTIMED && !call->timed))
            status = repeats_of(c->repeats, c->cursor, &c->found, &c->count, error);
    }
    *count = status == PILGRIM_OK ? take(c, call, changes) : 1;
    return status;
}
