/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of rounded times; see time_errors.h. */
#include "analysis/time_errors.h"

#include <stdlib.h>
#include <string.h>

/* Different calls that a thread's table holds; behind them, those that are not in it count from the segment's begin. */
enum { STARTS_MOST = 1024, DEPTH_MOST = 64 };
#define BASE_USUAL 0.2 /* b - 1 */

void time_errors_begin(struct time_errors *e, const char *timing)
{
    *e = (struct time_errors){0};
    if (timing && strncmp(timing, "bins", 4) == 0 && (!timing[4] || timing[4] == ':'))
        e->bases = timing + 4;
    else if (timing && strncmp(timing, "bins,", 5) == 0)
        e->bases = timing + 4;
    e->usual = e->bases && *e->bases == ':' ? strtod(e->bases + 1, NULL) - 1 : e->bases ? BASE_USUAL : 0;
    e->most = e->usual;
    for (const char *at = e->bases; at && (at = strchr(at, ',')) != NULL;) {
        const size_t colon = strcspn(++at, ":,");
        const double base = at[colon] == ':' ? strtod(at + colon + 1, NULL) - 1 : 0;
        e->most = base > e->most ? base : e->most;
    }
}

/* True if NAME fits the pattern of LENGTH letters, in which * stands for any text. */
static bool fits(const char *pattern, size_t length, const char *name)
{
    size_t at = 0, star = SIZE_MAX;
    const char *from = name;
    while (*name)
        if (at < length && pattern[at] == '*') {
            star = at++;
            from = name;
        } else if (at < length && pattern[at] == *name) {
            at++;
            name++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            name = ++from;
        } else
            return false;
    while (at < length && pattern[at] == '*')
        at++;
    return at == length;
}

double time_errors_base(const struct time_errors *e, const char *function)
{
    double base = e->usual;
    for (const char *at = e->bases; at && (at = strchr(at, ',')) != NULL;) {
        const size_t colon = strcspn(++at, ":,");
        if (at[colon] == ':' && fits(at, colon, function))
            base = strtod(at + colon + 1, NULL) - 1;
    }
    return base > 0 ? base : 0;
}

/* ---- calls with equal values ---- */

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; text && i < length; i++)
        hash = mix(hash, (unsigned char)text[i]);
    return mix(hash, length);
}

static uint64_t hash_values(uint64_t hash, const struct pilgrim_value *values, size_t count, unsigned depth)
{
    for (size_t i = 0; i < count; i++) {
        const struct pilgrim_value *v = &values[i];
        hash = mix(mix(hash, v->type), (uint64_t)v->integer);
        hash = mix(mix(mix(hash, (uint64_t)v->device), (uint64_t)v->id), (uint64_t)v->offset);
        if (v->text)
            hash = hash_text(hash, v->text, v->length ? v->length : strlen(v->text));
        if (v->items && depth < DEPTH_MOST)
            hash = hash_values(mix(hash, v->count), v->items, v->count, depth + 1);
    }
    return hash;
}

static uint64_t hash_call(const struct pilgrim_call *call)
{
    const size_t count = call->function->parameter_count;
    const uint64_t hash = hash_values(hash_values(1, call->in, count, 0), call->out, count, 0);
    return call->ret.type == PILGRIM_REAL ? hash : hash_values(hash, &call->ret, 1, 0);
}

/* Sets *HASH to that of the call's values. false: no memory */
static bool find_hash(struct time_errors_thread *t, const struct pilgrim_call *call, uint32_t site, uint64_t *hash)
{
    const struct match_key key = {{site, call->identity, 0}};
    const void *known = call->identity ? match_map_find(&t->hashes, key) : NULL;
    *hash = known ? (uint64_t)(uintptr_t)known : hash_call(call) | 1; /* numbers, not addresses */
    if (known || !call->identity)
        return true;
    if (t->hashes.count >= STARTS_MOST)
        match_map_free(&t->hashes);
    return match_map_put(&t->hashes, key, (void *)(uintptr_t)*hash);
}

/* Sets *SINCE to the time from which on the call's start was rounded. false: no memory */
static bool find_since(struct time_errors_thread *t, const struct pilgrim_call *call, uint32_t site, uint64_t *since)
{
    uint64_t hash;
    if (!find_hash(t, call, site, &hash))
        return false;
    const struct match_key key = {{site, hash, 0}};
    const void *known = match_map_find(&t->starts, key);
    *since = known ? (uint64_t)(uintptr_t)known - 1 : t->full ? t->first_ns : t->end_ns;
    if (!known && t->starts.count >= STARTS_MOST) {
        t->full = true;
        return true;
    }
    return match_map_put(&t->starts, key, (void *)(uintptr_t)(call->start_ns + 1));
}

void time_errors_free(struct time_errors_thread *t)
{
    match_map_free(&t->hashes);
    match_map_free(&t->starts);
    *t = (struct time_errors_thread){0};
}

static uint64_t part(double base, uint64_t ns)
{
    const double error = base * (double)ns;
    return error < 2e18 ? (uint64_t)error + 1 : (uint64_t)2e18;
}

bool time_errors_of(const struct time_errors *e, struct time_errors_thread *t, const struct pilgrim_call *call,
                    uint32_t site, uint32_t segment, bool asked, uint64_t *enter_ns, uint64_t *leave_ns)
{
    uint64_t since = t->end_ns;
    *enter_ns = *leave_ns = 0;
    if (!e->bases || !call->timed)
        return true;
    if (!t->begun || segment != t->segment) {
        const uint64_t end = t->end_ns;
        time_errors_free(t);
        *t = (struct time_errors_thread){.begun = true, .segment = segment, .end_ns = end, .first_ns = end};
    }
    if (asked && !find_since(t, call, site, &since))
        return false;
    t->end_ns = call->end_ns;
    if (asked) {
        const double base = time_errors_base(e, call->function->name);
        *enter_ns = part(base, call->start_ns > since ? call->start_ns - since : 0);
        *leave_ns = *enter_ns + part(base, call->end_ns - call->start_ns);
    }
    return true;
}
