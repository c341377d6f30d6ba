/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run did that is wrong; see findings.h. */
#include "analysis/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/type_sizes.h"

/* Pairs of call sites that are told apart; what is beyond that is counted with the last one of its kind. */
enum { FINDINGS_MOST = 1024 };

const char *finding_name(enum finding_kind kind)
{
    static const char *const names[] = {"collective calls that differ",
                                        "failed collective call",
                                        "incomplete collective operation",
                                        "truncated message",
                                        "send without receive",
                                        "receive without send",
                                        "request never completed",
                                        "datatypes that differ",
                                        "buffer in use",
                                        "communicator never freed",
                                        "datatype never freed",
                                        "window never freed",
                                        "file never closed",
                                        "persistent request never freed"};
    return (unsigned)kind < FINDING_KINDS ? names[kind] : "";
}

static struct finding_call call_of(const struct match_call *call, uint64_t bytes)
{
    return (struct finding_call){
        .rank = call->rank, .thread = call->thread, .site = call->site, .seq = call->seq, .bytes = bytes};
}

static bool add(struct findings *f, enum finding_kind kind, struct finding_call first,
                const struct finding_call *second)
{
    size_t same = SIZE_MAX;
    for (size_t i = 0; i < f->count; i++) {
        const struct mistake *known = &f->all[i];
        if (known->kind != kind)
            continue;
        same = f->count >= FINDINGS_MOST ? i : same;
        if (known->first.site == first.site && known->both == (second != NULL) &&
            (!second || known->second.site == second->site)) {
            same = i;
            break;
        }
    }
    if (same != SIZE_MAX) {
        f->all[same].count++;
        return true;
    }
    if (f->count == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 16;
        struct mistake *all = realloc(f->all, capacity * sizeof *all);
        if (!all)
            return false;
        f->all = all;
        f->capacity = capacity;
    }
    struct mistake *found = &f->all[f->count++];
    *found = (struct mistake){.kind = kind, .both = second != NULL, .count = 1, .first = first};
    if (second)
        found->second = *second;
    return true;
}

/* True if a request was forgotten: its process went on after it. */
static bool forgotten(const struct match_operation *op)
{
    return op && op->begun && op->begun->returned && !op->ended && !op->freed && !op->cancel_asked && !op->paused &&
           op->reason != MATCH_PAUSED;
}

/* ---- datatypes ---- */

static uint64_t size_of_type(const char *type)
{
    char name[64];
    snprintf(name, sizeof name, "MPI_%s", type);
    return type_size_predefined(name);
}

/* What a value of a predefined datatype is. Names in Fortran and C have the same words. */
static int class_of_type(const char *type)
{
    static const char *const words[] = {"PACKED", "BYTE", "COMPLEX", "FLOAT", "DOUBLE", "REAL", "LOGICAL", "BOOL"};
    static const int classes[] = {0, 0, 1, 2, 2, 2, 3, 3};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strstr(type, words[i]))
            return classes[i];
    return 4; /* an integer, or a character */
}

/* True if what is sent as A is not what is received as B, on any machine: MPI_INT and MPI_INT32_T are alike. */
static bool types_differ(const char *a, const char *b)
{
    if (a == b || strcmp(a, b) == 0)
        return false;
    const int x = class_of_type(a), y = class_of_type(b);
    if (!x || !y)
        return false;
    return x != y || size_of_type(a) != size_of_type(b);
}

bool findings_overlap(void *findings, const struct match_operation *pending, const struct match_operation *later)
{
    const struct finding_call second = call_of(later->begun, later->buffer.length);
    return add(findings, FINDING_BUFFER, call_of(pending->begun, pending->buffer.length), &second);
}

bool findings_kept(void *findings, const struct match_made *made)
{
    const struct finding_call call = {
        .rank = made->rank, .thread = made->thread, .site = made->site, .seq = made->seq, .bytes = UINT64_MAX};
    return add(findings, (enum finding_kind)(FINDING_KEPT + (int)made->kind), call, NULL);
}

bool findings_message(void *findings, const struct match_operation *send, const struct match_operation *receive)
{
    struct findings *f = findings;
    const struct match_operation *one = send ? send : receive;
    const bool pair = send && receive && send->begun && receive->begun && !send->uncertain && !receive->uncertain;
    bool good = true;
    if (pair && send->bytes != UINT64_MAX && receive->capacity != UINT64_MAX && send->bytes > receive->capacity) {
        const struct finding_call second = call_of(receive->begun, receive->capacity);
        good = add(f, FINDING_TRUNCATED, call_of(send->begun, send->bytes), &second);
    }
    if (good && pair && send->type && receive->type && send->bytes && types_differ(send->type, receive->type)) {
        struct finding_call first = call_of(send->begun, send->bytes),
                            second = call_of(receive->begun, receive->capacity);
        first.type = send->type;
        second.type = receive->type;
        good = add(f, FINDING_TYPES, first, &second);
    }
    if (good && !(send && receive) && one->begun && (one->reason == MATCH_NO_PARTNER || one->reason == MATCH_PENDING))
        good =
            add(f, send ? FINDING_SEND : FINDING_RECEIVE, call_of(one->begun, send ? one->bytes : one->capacity), NULL);
    if (good && forgotten(send))
        good = add(f, FINDING_REQUEST, call_of(send->begun, send->bytes), NULL);
    if (good && forgotten(receive) && (send || receive->reason != MATCH_PENDING))
        good = add(f, FINDING_REQUEST, call_of(receive->begun, receive->capacity), NULL);
    return good;
}

/* Finds the calls of C that failed; beside them stands one that has another number of bytes: the root's, or the first.
 */
static bool failed_calls(struct findings *f, const struct match_collective *c)
{
    bool good = true;
    for (const struct match_entry *e = c->entries; e && good; e = e->next) {
        if (!e->error || !e->begun)
            continue;
        const struct match_entry *other = NULL;
        for (const struct match_entry *o = c->entries; o; o = o->next)
            if (o->begun && o->bytes != e->bytes && (!other || o->root == o->comm_rank))
                other = o;
        struct finding_call first = call_of(e->begun, e->bytes), second = {0};
        first.error = e->error;
        if (other) {
            second = call_of(other->begun, other->bytes);
            second.error = other->error;
        }
        good = add(f, FINDING_FAILED, first, other ? &second : NULL);
    }
    return good;
}

bool findings_collective(void *findings, const struct match_collective *c)
{
    struct findings *f = findings;
    const struct match *m = f->match;
    const struct match_entry *first = c->entries;
    if (!first || !first->begun)
        return true;
    if (c->failed && !failed_calls(f, c))
        return false;
    for (const struct match_entry *e = first->next; e && c->differs; e = e->next) {
        const struct pilgrim_class *a = match_site(m, first->begun->site), *b = match_site(m, e->begun->site);
        if ((a && b && !match_same_function(a, b)) || (first->root >= 0 && e->root >= 0 && first->root != e->root)) {
            const struct finding_call second = call_of(e->begun, e->bytes);
            return add(f, FINDING_COLLECTIVE, call_of(first->begun, first->bytes), &second);
        }
    }
    return c->entered >= c->expected || add(f, FINDING_INCOMPLETE, call_of(first->begun, first->bytes), NULL);
}

static int compare(const void *a, const void *b)
{
    const struct mistake *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->first.rank != y->first.rank)
        return x->first.rank < y->first.rank ? -1 : 1;
    return (x->first.seq > y->first.seq) - (x->first.seq < y->first.seq);
}

enum pilgrim_status findings_search(struct findings *f, struct match *match, struct pilgrim_error *error)
{
    struct match_totals totals;
    const struct match_events events = {.context = f,
                                        .message = findings_message,
                                        .overlap = findings_overlap,
                                        .kept = findings_kept,
                                        .collective = findings_collective};
    f->match = match;
    const enum pilgrim_status status = match_trace(match, &events, false, &totals, error);
    findings_sort(f);
    return status;
}

void findings_sort(struct findings *f)
{
    if (f->count)
        qsort(f->all, f->count, sizeof *f->all, compare);
}

void findings_free(struct findings *f)
{
    free(f->all);
    *f = (struct findings){0};
}
