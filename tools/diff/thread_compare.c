/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares what two threads do, by their grammars; see thread_compare.h.
 *
 * Terminals are numbered in the order in which a thread meets them, so that threads that do the same with other values
 * have the same sequences of numbers. So structures are compared once for each pair of structure groups, sequences of
 * signatures once for each pair of those, and the signatures that the numbers stand for on each rank.
 *
 * Equal sequences of equal signatures are equal calls. Different ones may be, too: a signature may be stored as what
 * depends on earlier calls, or as numbers that differ in each call. Then the threads are walked. */
#include "thread_compare.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"

enum {
    SIGNATURES_MAX = 1 << 20, /* of a class; more are walked */
    PLACES_MAX = 24           /* where two sequences of signatures differ, of a class */
};

/* ---- structures ---- */

static struct structure_result *new_result(struct comparison *c)
{
    if (c->result_count == c->result_capacity) {
        size_t capacity = 2 * c->result_capacity + 16;
        struct structure_result **grown = realloc(c->results, capacity * sizeof(struct structure_result *));
        if (!grown)
            return NULL;
        c->results = grown;
        c->result_capacity = capacity;
    }
    struct structure_result *r = calloc(1, sizeof *r);
    if (r)
        c->results[c->result_count++] = r;
    return r;
}

/* Finds the class of B for each class of A. */
static bool find_partners(struct structure_result *r)
{
    const struct side_group *a = r->groups[0], *b = r->groups[1];
    struct key_table of_kind = {0};
    bool good = (r->partner = calloc((size_t)a->class_count + 1, sizeof *r->partner)) != NULL;
    for (uint32_t i = 0; i < b->class_count && good; i++)
        good = key_table_put(&of_kind, (struct key){{b->kinds[i]}}, i) != NULL;
    for (uint32_t i = 0; i < a->class_count && good; i++) {
        const uint64_t *found = key_table_find(&of_kind, (struct key){{a->kinds[i]}});
        r->partner[i] = found ? (uint32_t)*found : UINT32_MAX;
    }
    key_table_clear(&of_kind);
    return good;
}

static bool find_counts(struct structure_result *r)
{
    for (int side = 0; side < 2; side++) {
        const struct side_group *g = r->groups[side];
        r->counts[side] = calloc((size_t)g->class_count + 1, sizeof *r->counts[side]);
        if (!r->counts[side] || !hashed_occurrences(&g->structure, r->counts[side], NULL, g->class_count))
            return false;
    }
    return true;
}

static bool compare_structures(struct structure_result *r)
{
    const struct hashed_sequence *a = &r->groups[0]->structure, *b = &r->groups[1]->structure;
    uint64_t shorter = hashed_length(a) < hashed_length(b) ? hashed_length(a) : hashed_length(b);
    r->alike = hashed_common_from(a, b, 0);
    r->differs = r->alike < hashed_length(a) || r->alike < hashed_length(b);
    if (!find_partners(r))
        return false;
    if (!r->differs)
        return true;
    r->alike_again = hashed_common_suffix(a, b, shorter - r->alike);
    for (int side = 0; side < 2; side++) {
        uint64_t terminal;
        bool there = hashed_at(side ? b : a, r->alike, &terminal, &r->call[side]);
        r->kinds[side] = there ? r->groups[side]->kinds[terminal] : NO_KIND;
    }
    return find_counts(r);
}

/* Returns how the structures of two groups differ; the cursors are of threads of these. NULL: an error. */
static struct structure_result *find_result(struct comparison *c, const uint32_t groups[2],
                                            struct pilgrim_cursor *const cursors[2], struct pilgrim_error *error)
{
    uint64_t *known = key_table_put(&c->result_of, (struct key){{groups[0], groups[1]}}, c->result_count);
    if (!known) {
        (void)no_memory(error);
        return NULL;
    }
    if (*known < c->result_count)
        return c->results[*known];
    struct structure_result *r = new_result(c);
    if (!r) {
        (void)no_memory(error);
        return NULL;
    }
    for (int side = 0; side < 2; side++) {
        r->groups[side] = side_group(c->sides[side], groups[side], cursors[side], error);
        if (!r->groups[side])
            return NULL;
    }
    if (r->groups[0]->plain && r->groups[1]->plain && !compare_structures(r)) {
        (void)no_memory(error);
        return NULL;
    }
    return r;
}

/* ---- values ---- */

/* Two threads, and the class of each that is compared. */
struct compared_threads {
    struct comparison *c;
    struct structure_result *structure;
    struct pilgrim_cursor *cursors[2];
    struct diff_where where;
    uint32_t ranks[2];
    size_t classes[2];
    struct pilgrim_class_info infos[2];
    struct hashed_sequence values[2]; /* read if `has_values` */
    bool has_values;
    bool walk; /* the threads are to be walked instead */
    bool differ;
    bool rows; /* differences become rows; false: it is only seen if there are any */
};

static enum pilgrim_status read_values(struct compared_threads *t, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (int side = 0; side < 2 && status == PILGRIM_OK && !t->has_values; side++)
        status = hashed_sequence_read(&t->values[side], t->cursors[side], t->infos[side].values, NULL, NULL, 0, error);
    t->has_values = true;
    return status;
}

/* Sets WHERE to that of the N-th call of the class. */
static void find_where(const struct compared_threads *t, uint64_t n, struct diff_where *where)
{
    *where = t->where;
    for (int side = 0; side < 2; side++) {
        uint64_t terminal;
        const struct hashed_sequence *s = &t->structure->groups[side]->structure;
        if (hashed_find(s, t->classes[side], n, &where->at[side]))
            (void)hashed_at(s, where->at[side], &terminal, &where->call[side]);
    }
}

/* Compares signature NUMBERS[side] of both. FIRST: the first call that has it, of CALLS; UINT64_MAX: to be found. */
static enum pilgrim_status compare_signatures(struct compared_threads *t, const uint64_t numbers[2], uint64_t first,
                                              uint64_t calls, struct pilgrim_error *error)
{
    struct pilgrim_call call[2];
    struct value_difference found[VALUE_DIFFERENCES_MAX];
    struct diff_where where;
    enum pilgrim_status status = pilgrim_signature(t->cursors[0], t->classes[0], numbers[0], &call[0], error);
    if (status == PILGRIM_OK)
        status = pilgrim_signature(t->cursors[1], t->classes[1], numbers[1], &call[1], error);
    if (status != PILGRIM_OK)
        return status;
    unsigned count = values_compare(&t->c->rules, &call[0], &call[1], found);
    for (unsigned i = 0; i < count; i++)
        t->walk |= found[i].stored && !t->structure->differs;
    t->differ |= count > 0;
    if (count == 0 || !t->rows || t->walk)
        return PILGRIM_OK;
    uint64_t counted = calls;
    if (first == UINT64_MAX) {
        size_t signatures = (size_t)t->infos[0].signature_count;
        uint64_t *counts = calloc(signatures + 1, sizeof *counts), *firsts = calloc(signatures + 1, sizeof *firsts);
        status = read_values(t, error);
        if (status == PILGRIM_OK &&
            (!counts || !firsts || !hashed_occurrences(&t->values[0], counts, firsts, signatures)))
            status = no_memory(error);
        if (status == PILGRIM_OK) {
            first = firsts[numbers[0]];
            counted = counts[numbers[0]];
        }
        free(counts);
        free(firsts);
    }
    if (status != PILGRIM_OK || first == UINT64_MAX)
        return status;
    find_where(t, first, &where);
    for (unsigned i = 0; i < count; i++)
        if (!found[i].stored)
            differ_value(t->c->found, &where, t->structure->groups[0]->kinds[t->classes[0]], &found[i], counted,
                         t->ranks);
    return PILGRIM_OK;
}

/* Compares signatures where the sequences of their numbers differ, ALIKE numbers behind the beginning. */
static enum pilgrim_status compare_places(struct compared_threads *t, uint64_t alike, struct pilgrim_error *error)
{
    enum pilgrim_status status = read_values(t, error);
    if (status != PILGRIM_OK)
        return status;
    const struct hashed_sequence *a = &t->values[0], *b = &t->values[1];
    uint64_t end = hashed_length(a) < hashed_length(b) ? hashed_length(a) : hashed_length(b);
    if (alike + hashed_common_suffix(a, b, end - alike) >= end && hashed_length(a) != hashed_length(b))
        return PILGRIM_OK; /* calls were added or removed, the others are alike */
    for (unsigned i = 0; i < PLACES_MAX && alike < end && status == PILGRIM_OK; i++) {
        uint64_t numbers[2], raw;
        if (hashed_at(a, alike, &numbers[0], &raw) && hashed_at(b, alike, &numbers[1], &raw))
            status = compare_signatures(t, numbers, alike, 1, error);
        alike++;
        alike += hashed_common_from(a, b, alike);
    }
    return status;
}

/* Returns how many signature numbers of the classes are alike, UINT64_MAX: all. */
static enum pilgrim_status alike_values(struct compared_threads *t, uint64_t *alike, struct pilgrim_error *error)
{
    const uint64_t groups = (uint64_t)t->where.group[0] << 32 | t->where.group[1];
    const struct key key = {{groups, t->infos[0].values, t->infos[1].values}};
    const uint64_t *known = key_table_find(&t->c->values_of, key);
    if (known) {
        *alike = *known;
        return PILGRIM_OK;
    }
    enum pilgrim_status status = read_values(t, error);
    if (status != PILGRIM_OK)
        return status;
    uint64_t lengths[2] = {hashed_length(&t->values[0]), hashed_length(&t->values[1])};
    *alike = hashed_common_from(&t->values[0], &t->values[1], 0);
    if (*alike == lengths[0] && *alike == lengths[1])
        *alike = UINT64_MAX;
    return key_table_put(&t->c->values_of, key, *alike) ? PILGRIM_OK : no_memory(error);
}

/* The values of a class in a value group of A and one of B, of structure groups. */
static struct key values_key(const struct compared_threads *t)
{
    return (struct key){{(uint64_t)t->where.group[0] << 32 | t->where.group[1], t->classes[0],
                         (uint64_t)t->infos[0].value_group << 32 | t->infos[1].value_group}};
}

/* Keeps that the values of a class are equal, if they are the same on all ranks that are in both value groups. */
static enum pilgrim_status keep_equal(struct compared_threads *t, uint64_t count, struct pilgrim_error *error)
{
    bool same = !t->c->rules.relative && t->ranks[0] == t->ranks[1];
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t i = 0; i < count && same; i++)
            same = pilgrim_signature_uniform(t->cursors[side], t->classes[side], i);
    return !same || key_table_put(&t->c->equal_values, values_key(t), 1) ? PILGRIM_OK : no_memory(error);
}

/* Compares the values of a class of A with those of its partner. */
static enum pilgrim_status compare_class(struct compared_threads *t, struct pilgrim_error *error)
{
    uint64_t alike = 0, signatures[2];
    enum pilgrim_status status = PILGRIM_OK;
    for (int side = 0; side < 2 && status == PILGRIM_OK; side++) {
        status = pilgrim_class_info(t->cursors[side], t->classes[side], &t->infos[side]);
        signatures[side] = t->infos[side].signature_count;
        t->walk |= signatures[side] > SIGNATURES_MAX;
    }
    if (status != PILGRIM_OK)
        return no_group(status, error);
    if (!t->walk && key_table_find(&t->c->equal_values, values_key(t)))
        return PILGRIM_OK;
    uint64_t count = signatures[0] < signatures[1] ? signatures[0] : signatures[1];
    for (uint64_t i = 0; i < count && !t->walk; i++)
        t->walk |= pilgrim_signature_varies(t->cursors[0], t->classes[0], i) ||
                   pilgrim_signature_varies(t->cursors[1], t->classes[1], i);
    if (t->walk)
        return PILGRIM_OK;
    t->has_values = false;
    bool differed = t->differ;
    t->differ = false;
    status = alike_values(t, &alike, error);
    for (uint64_t i = 0; i < count && status == PILGRIM_OK && !t->walk; i++)
        status = compare_signatures(t, (const uint64_t[2]){i, i}, UINT64_MAX, 0, error);
    if (status == PILGRIM_OK && alike != UINT64_MAX && !t->walk)
        status = compare_places(t, alike, error);
    for (int side = 0; side < 2 && t->has_values; side++)
        hashed_sequence_free(&t->values[side]);
    if (status == PILGRIM_OK && alike == UINT64_MAX && !t->walk && !t->differ)
        status = keep_equal(t, count, error);
    t->differ |= differed;
    return status;
}

static enum pilgrim_status compare_values(struct compared_threads *t, struct pilgrim_error *error)
{
    const struct side_group *a = t->structure->groups[0];
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; i < a->class_count && status == PILGRIM_OK && !t->walk; i++) {
        t->classes[0] = i;
        t->classes[1] = t->structure->partner[i];
        if (!a->dropped[i] && t->structure->partner[i] != UINT32_MAX)
            status = compare_class(t, error);
    }
    return status;
}

/* ---- threads ---- */

/* Adds the first difference of the structures, and the calls that are more or fewer. */
static void add_structure(struct comparison *c, const struct structure_result *r, struct diff_where *where)
{
    const uint64_t lengths[2] = {hashed_length(&r->groups[0]->structure), hashed_length(&r->groups[1]->structure)};
    for (int side = 0; side < 2; side++) {
        where->call[side] = r->kinds[side] == NO_KIND ? NO_CALL : r->call[side];
        where->at[side] = r->alike;
    }
    differ_first(c->found, where, r->kinds, lengths, r->alike_again);
    for (uint32_t i = 0; i < r->groups[0]->class_count; i++) {
        uint64_t b = r->partner[i] == UINT32_MAX ? 0 : r->counts[1][r->partner[i]];
        if (r->counts[0][i] != b && !r->groups[0]->dropped[i])
            differ_count(c->found, where, r->groups[0]->kinds[i], (const uint64_t[2]){r->counts[0][i], b});
    }
    for (uint32_t i = 0; i < r->groups[1]->class_count; i++) {
        bool known = r->groups[1]->dropped[i];
        for (uint32_t k = 0; k < r->groups[0]->class_count && !known; k++)
            known = r->partner[k] == i;
        if (!known)
            differ_count(c->found, where, r->groups[1]->kinds[i], (const uint64_t[2]){0, r->counts[1][i]});
    }
}

/* Compares two threads by their grammars. *WALK: they are to be walked instead; nothing was added. */
static enum pilgrim_status compare_plain(struct comparison *c, const struct side_thread *const threads[2],
                                         struct pilgrim_cursor *const cursors[2], uint32_t rank, bool *walk,
                                         struct pilgrim_error *error)
{
    const uint32_t groups[2] = {threads[0]->group, threads[1]->group};
    struct structure_result *r = find_result(c, groups, cursors, error);
    if (!r)
        return error->status;
    *walk = !r->groups[0]->plain || !r->groups[1]->plain;
    if (*walk)
        return PILGRIM_OK;
    struct compared_threads t = {
        .c = c,
        .structure = r,
        .cursors = {cursors[0], cursors[1]},
        .where = {rank, threads[0]->thread, {0, 0}, {groups[0], groups[1]}, {0, 0}, {0, 0}, false},
        .ranks = {threads[0]->rank, threads[1]->rank}};
    enum pilgrim_status status = c->structure_only ? PILGRIM_OK : compare_values(&t, error);
    *walk = t.walk;
    if (status != PILGRIM_OK || t.walk)
        return status;
    if (r->differs) {
        struct diff_where where = t.where;
        add_structure(c, r, &where);
    }
    t.rows = true;
    return t.differ ? compare_values(&t, error) : PILGRIM_OK;
}

/* Adds that one trace has no such thread. */
static void add_lone(struct comparison *c, const struct side_thread *thread, unsigned side, uint32_t rank)
{
    struct diff_where where = {rank, thread->thread, {NO_CALL, NO_CALL}, {NO_GROUP, NO_GROUP}, {0, 0}, {0, 0}, false};
    uint64_t calls[2] = {0, 0};
    const uint32_t none[2] = {NO_KIND, NO_KIND};
    calls[side] = pilgrim_call_count(c->sides[side]->trace, thread->rank, thread->thread);
    where.call[side] = 0;
    differ_first(c->found, &where, none, calls, 0);
}

enum pilgrim_status threads_compare(struct comparison *c, const struct side_thread *a, const struct side_thread *b,
                                    uint32_t rank, struct pilgrim_error *error)
{
    const struct side_thread *threads[2] = {a, b};
    struct pilgrim_cursor *cursors[2] = {NULL, NULL};
    bool walk = true;
    if (!a || !b) {
        add_lone(c, a ? a : b, a ? 0 : 1, rank);
        return PILGRIM_OK;
    }
    enum pilgrim_status status = PILGRIM_OK;
    if (a->group != NO_GROUP && b->group != NO_GROUP && !c->rules.not_replayed) {
        for (int side = 0; side < 2 && status == PILGRIM_OK; side++)
            status = pilgrim_cursor_open(c->sides[side]->trace, threads[side]->rank, threads[side]->thread,
                                         &cursors[side], error);
        if (status == PILGRIM_OK)
            status = compare_plain(c, threads, cursors, rank, &walk, error);
        pilgrim_cursor_close(cursors[0]);
        pilgrim_cursor_close(cursors[1]);
    }
    return status == PILGRIM_OK && walk ? threads_walk(c, a, b, rank, error) : status;
}

void comparison_free(struct comparison *c)
{
    for (size_t i = 0; i < c->result_count; i++) {
        free(c->results[i]->partner);
        free(c->results[i]->counts[0]);
        free(c->results[i]->counts[1]);
        free(c->results[i]);
    }
    free(c->results);
    key_table_clear(&c->result_of);
    key_table_clear(&c->values_of);
    key_table_clear(&c->equal_values);
    key_table_clear(&c->kind_of);
}
