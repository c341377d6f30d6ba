/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of times of calls; see call_samples.h. Memory grows with the kinds of calls, not with the calls. */
#include "call_samples.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"

bool samples_are_in(const struct pilgrim_trace *trace)
{
    const char *timing = pilgrim_property(trace, "timing");
    return timing && !strcmp(timing, "exact");
}

void samples_free(struct sampled_trace *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->kinds[i].durations.sums);
        free(s->kinds[i].durations.counts);
        free(s->kinds[i].gaps.sums);
        free(s->kinds[i].gaps.counts);
    }
    free(s->kinds);
    key_table_clear(&s->of_kind);
}

struct sampled_kind *samples_of(const struct sampled_trace *s, uint32_t kind)
{
    const uint64_t *index = key_table_find(&s->of_kind, (struct key){{kind}});
    return index ? &s->kinds[*index] : NULL;
}

void samples_join(struct call_samples *s, unsigned shift)
{
    for (; s->shift < shift; s->shift++) {
        size_t joined = (s->count + 1) / 2;
        for (size_t i = 0; i < joined; i++) {
            bool pair = 2 * i + 1 < s->count;
            s->sums[i] = s->sums[2 * i] + (pair ? s->sums[2 * i + 1] : 0);
            s->counts[i] = s->counts[2 * i] + (pair ? s->counts[2 * i + 1] : 0);
        }
        s->count = joined;
    }
}

size_t samples_means(const struct call_samples *s, double means[SAMPLES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->counts[i] > 0)
            means[count++] = s->sums[i] / (double)s->counts[i];
    return count;
}

static bool make_room(struct call_samples *s, size_t place)
{
    size_t capacity = 2 * place + 16 < SAMPLES_MAX ? 2 * place + 16 : SAMPLES_MAX;
    if (place < s->capacity)
        return true;
    double *sums = realloc(s->sums, capacity * sizeof *sums);
    s->sums = sums ? sums : s->sums;
    uint64_t *counts = sums ? realloc(s->counts, capacity * sizeof *counts) : NULL;
    s->counts = counts ? counts : s->counts;
    s->capacity = counts ? capacity : s->capacity;
    return counts;
}

/* Adds NS of the call that is the NUMBER-th of its thread. */
static bool add(struct call_samples *s, uint64_t number, double ns)
{
    while (number >> s->shift >= SAMPLES_MAX)
        samples_join(s, s->shift + 1);
    size_t place = (size_t)(number >> s->shift);
    if (!make_room(s, place))
        return false;
    for (; s->count <= place; s->count++) {
        s->sums[s->count] = 0;
        s->counts[s->count] = 0;
    }
    s->sums[place] += ns;
    s->counts[place]++;
    s->total++;
    s->total_ns += ns;
    return true;
}

/* Returns the index of KIND in S; UINT64_MAX: no memory. */
static uint64_t index_of(struct sampled_trace *s, uint32_t kind)
{
    if (s->count == s->capacity) {
        size_t capacity = 2 * s->capacity + 32;
        struct sampled_kind *grown = realloc(s->kinds, capacity * sizeof *grown);
        if (!grown)
            return UINT64_MAX;
        s->kinds = grown;
        s->capacity = capacity;
    }
    const uint64_t *index = key_table_put(&s->of_kind, (struct key){{kind}}, s->count);
    if (index && *index == s->count) {
        memset(&s->kinds[s->count], 0, sizeof *s->kinds);
        s->kinds[s->count++].kind = kind;
    }
    return index ? *index : UINT64_MAX;
}

/* A thread that is read. */
struct sampled_thread {
    struct sampled_trace *s;
    unsigned side;
    struct call_kinds *kinds;
    struct key_table of_class; /* class -> index of its kind */
    uint32_t segment;
    struct key_table numbers; /* index of a kind -> calls so far */
    uint64_t end_ns;          /* of the call before */
    bool has_end;
};

/* Returns the index of the kind of a class; UINT64_MAX: no memory. */
static uint64_t find_index(struct sampled_thread *t, const struct pilgrim_class *class, uint32_t segment)
{
    const struct key key = {{(uint64_t)(uintptr_t) class}};
    if (segment != t->segment)
        key_table_clear(&t->of_class);
    t->segment = segment;
    const uint64_t *known = key_table_find(&t->of_class, key);
    if (known)
        return *known;
    uint32_t taken = call_kinds_take(t->kinds, t->side, class, false);
    uint64_t index = taken == UINT32_MAX ? UINT64_MAX : index_of(t->s, call_kinds_of(t->kinds, taken));
    return index != UINT64_MAX && key_table_put(&t->of_class, key, index) ? index : UINT64_MAX;
}

static bool take_call(struct sampled_thread *t, const struct pilgrim_call *call, uint32_t segment)
{
    uint64_t index = find_index(t, call->class_, segment);
    uint64_t *number = index == UINT64_MAX ? NULL : key_table_put(&t->numbers, (struct key){{index}}, 0);
    if (!number)
        return false;
    uint64_t n = (*number)++;
    bool good = true;
    if (call->timed) {
        struct sampled_kind *k = &t->s->kinds[index];
        good = add(&k->durations, n, (double)call->end_ns - (double)call->start_ns);
        if (t->has_end && call->start_ns >= t->end_ns)
            good = good && add(&k->gaps, n, (double)(call->start_ns - t->end_ns));
        t->end_ns = call->end_ns;
    }
    t->has_end = call->timed;
    return good;
}

static enum pilgrim_status read_thread(struct sampled_thread *t, const struct pilgrim_trace *trace, uint32_t rank,
                                       uint32_t thread, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, error);
    t->has_end = false;
    t->segment = UINT32_MAX;
    while (status == PILGRIM_OK && (status = pilgrim_cursor_next(cursor, &call, error)) == PILGRIM_OK)
        if (!take_call(t, &call, pilgrim_cursor_segment(cursor)))
            status = no_memory(error);
    pilgrim_cursor_close(cursor);
    key_table_clear(&t->of_class);
    key_table_clear(&t->numbers);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

enum pilgrim_status samples_read(struct sampled_trace *s, const struct pilgrim_trace *trace, unsigned side,
                                 struct call_kinds *kinds, struct pilgrim_error *error)
{
    struct sampled_thread t = {.s = s, .side = side, .kinds = kinds};
    enum pilgrim_status status = PILGRIM_OK;
    *s = (struct sampled_trace){0};
    for (uint32_t r = 0; r < pilgrim_rank_count(trace) && status == PILGRIM_OK; r++)
        for (uint32_t i = 0; i < pilgrim_thread_count(trace, r) && status == PILGRIM_OK; i++)
            status = read_thread(&t, trace, r, i, error);
    return status;
}
