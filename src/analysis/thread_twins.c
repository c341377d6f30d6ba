/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds threads that count the same; see thread_twins.h.
 *
 * Threads of one structure group that are in the same value group of each class are alike if all signatures are the
 * same but for ranks and places; those of calls that no figure depends on may be others. What a rank may change is then
 * only: who is the root of a collective call, which is looked up for each thread; and communicators that the program
 * made, whose sizes and members each rank has in a list of its own, so that threads with collective calls on them whose
 * bytes depend on these are nobody's twins. */
#include "analysis/thread_twins.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_values.h"
#include "analysis/key_table.h"
#include "analysis/volume.h"

enum { TWINS_KINDS_MAX = 1 << 12, TWINS_CLASSES_MAX = 1 << 12, TWINS_SIGNATURES_MAX = 1 << 12, TWINS_ROOTS_MAX = 16 };

/* A signature of calls that have a root. */
struct twins_root {
    size_t class;
    uint64_t signature;
};

/* Threads that are in the same groups. */
struct twins_kind {
    uint64_t tables;
    uint32_t structure_group;
    size_t class_count;
    uint32_t *value_groups; /* of each class */
    bool alike;             /* they are twins if they are the roots of the same calls */
    struct twins_root roots[TWINS_ROOTS_MAX];
    size_t root_count;
};

struct thread_twins {
    const struct pilgrim_trace *trace;
    struct pilgrim_cursor *cursor;
    struct twins_kind *kinds;
    size_t kind_count, kind_capacity;
    struct key_table kind_numbers; /* by hash, and a number that tells equal ones apart */
    struct key_table numbers;      /* by the number of the kind, and the roots that a thread is */
    size_t count;
    uint32_t *value_groups; /* of the thread that is looked for */
    size_t capacity;
};

struct thread_twins *thread_twins_new(const struct pilgrim_trace *trace)
{
    struct thread_twins *t = calloc(1, sizeof *t);
    if (t)
        t->trace = trace;
    return t;
}

void thread_twins_free(struct thread_twins *t)
{
    if (!t)
        return;
    pilgrim_cursor_close(t->cursor);
    for (size_t i = 0; i < t->kind_count; i++)
        free(t->kinds[i].value_groups);
    free(t->kinds);
    key_table_clear(&t->kind_numbers);
    key_table_clear(&t->numbers);
    free(t->value_groups);
    free(t);
}

const struct pilgrim_cursor *thread_twins_cursor(const struct thread_twins *t)
{
    return t->cursor;
}

/* ---- kinds ---- */

/* True if only the number of a function's calls counts: whatever its arguments, it moves nothing, and what later calls
 * move does not depend on it but through handles, which are looked at there. */
static bool only_counts(const char *function)
{
    static const char *const names[] = {
        "Cart_coords",        "Cart_rank",
        "Cart_shift",         "Comm_rank",
        "Comm_size",          "Comm_split",
        "Comm_split_type",    "Group_excl",
        "Group_incl",         "Group_range_excl",
        "Group_range_incl",   "Group_rank",
        "Group_size",         "Group_translate_ranks",
        "Get_processor_name",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(function, "MPI_", 4) == 0 && strcmp(function + 4, names[i]) == 0)
            return true;
    return false;
}

/* Looks at signature SIGNATURE of a class. False: threads that have it may count otherwise. */
static bool look_at_signature(struct thread_twins *t, struct twins_kind *k, size_t class, uint64_t signature)
{
    struct pilgrim_call call;
    struct pilgrim_error ignored;
    bool has_root;
    if (!pilgrim_signature_uniform_apart(t->cursor, class, signature) ||
        pilgrim_signature(t->cursor, class, signature, &call, &ignored) != PILGRIM_OK)
        return false;
    if (!volumes_by_communicator(&call, &has_root))
        return true;
    const struct pilgrim_value *comm = call_in(&call, "comm");
    if (comm->type != PILGRIM_NAME) /* how many processes it has, and who is its root, each rank knows for itself */
        return false;
    if (!has_root)
        return true;
    if (k->root_count == TWINS_ROOTS_MAX)
        return false;
    k->roots[k->root_count++] = (struct twins_root){class, signature};
    return true;
}

/* Finds out if the threads of KIND, one of which the cursor is at, are alike. */
static void look(struct thread_twins *t, struct twins_kind *k)
{
    uint64_t looked = 0;
    k->alike = true;
    for (size_t class = 0; class < k->class_count && k->alike; class ++) {
        struct pilgrim_class_info info;
        k->alike = pilgrim_class_info(t->cursor, class, &info) == PILGRIM_OK && !info.body;
        if (k->alike && only_counts(info.class_->function->name))
            continue;
        for (uint64_t i = 0; k->alike && i < info.signature_count; i++)
            k->alike = ++looked <= TWINS_SIGNATURES_MAX && look_at_signature(t, k, class, i);
    }
}

static bool is_kind(const struct twins_kind *k, const struct twins_kind *other)
{
    return k->tables == other->tables && k->structure_group == other->structure_group &&
           k->class_count == other->class_count &&
           memcmp(k->value_groups, other->value_groups, k->class_count * sizeof *k->value_groups) == 0;
}

/* Sets *NUMBER to that of the kind that is FOUND, whose value groups are T's own; TWINS_NONE: there are too many.
 * False: no memory. */
static bool find_kind(struct thread_twins *t, const struct twins_kind *found, size_t *number)
{
    uint64_t hash = found->tables * 31 + found->structure_group;
    for (size_t i = 0; i < found->class_count; i++)
        hash = (hash ^ found->value_groups[i]) * UINT64_C(0x100000001b3);
    for (uint64_t probe = 0;; probe++) {
        const uint64_t *known = key_table_find(&t->kind_numbers, (struct key){{hash, probe}});
        *number = known ? (size_t)*known : TWINS_NONE;
        if (!known)
            break;
        if (is_kind(&t->kinds[*known], found))
            return true;
    }
    if (t->kind_count == TWINS_KINDS_MAX)
        return true;
    if (t->kind_count == t->kind_capacity) {
        const size_t capacity = 2 * t->kind_capacity + 8;
        struct twins_kind *grown = realloc(t->kinds, capacity * sizeof *grown);
        if (!grown)
            return false;
        t->kinds = grown;
        t->kind_capacity = capacity;
    }
    struct twins_kind kind = *found;
    kind.value_groups = malloc((kind.class_count + 1) * sizeof *kind.value_groups);
    if (!kind.value_groups)
        return false;
    memcpy(kind.value_groups, found->value_groups, kind.class_count * sizeof *kind.value_groups);
    for (uint64_t probe = 0;; probe++) {
        const uint64_t *put = key_table_put(&t->kind_numbers, (struct key){{hash, probe}}, t->kind_count);
        if (!put) {
            free(kind.value_groups);
            return false;
        }
        if (*put == t->kind_count)
            break;
    }
    *number = t->kind_count;
    look(t, &kind);
    t->kinds[t->kind_count++] = kind;
    return true;
}

/* ---- threads ---- */

/* Sets *ROOTS to a bit for each root of the kind that RANK, whose cursor is open, is. False: it cannot be told. */
static bool find_roots(struct thread_twins *t, const struct twins_kind *k, uint32_t rank, uint64_t *roots)
{
    *roots = 0;
    for (size_t i = 0; i < k->root_count; i++) {
        struct pilgrim_call call;
        struct pilgrim_error ignored;
        if (pilgrim_signature(t->cursor, k->roots[i].class, k->roots[i].signature, &call, &ignored) != PILGRIM_OK)
            return false;
        const struct pilgrim_value *root = call_in(&call, "root");
        const bool own = (root->type == PILGRIM_RANK || root->type == PILGRIM_INT) &&
                         (root->integer == (int64_t)rank || value_is_name(call_in(&call, "comm"), "MPI_COMM_SELF"));
        *roots |= (uint64_t)own << i;
    }
    return true;
}

enum pilgrim_status thread_twins_find(struct thread_twins *t, uint32_t rank, size_t *number,
                                      struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    size_t kind;
    uint64_t roots;
    *number = TWINS_NONE;
    pilgrim_cursor_close(t->cursor);
    t->cursor = NULL;
    if (pilgrim_segment_count(t->trace) != 1 || pilgrim_thread_count(t->trace, rank) != 1)
        return PILGRIM_OK;
    enum pilgrim_status status = pilgrim_cursor_open(t->trace, rank, 0, &t->cursor, error);
    if (status != PILGRIM_OK)
        return status;
    pilgrim_thread_info(t->cursor, &info);
    if (info.class_count > TWINS_CLASSES_MAX || info.loop_count > 0)
        return PILGRIM_OK;
    if (info.class_count >= t->capacity) {
        uint32_t *grown = realloc(t->value_groups, (info.class_count + 1) * sizeof *grown);
        if (!grown)
            return no_memory(error);
        t->value_groups = grown;
        t->capacity = info.class_count + 1;
    }
    for (size_t i = 0; i < info.class_count; i++) {
        struct pilgrim_class_info class;
        if (pilgrim_class_info(t->cursor, i, &class) != PILGRIM_OK)
            return PILGRIM_OK; /* reading the thread says what is wrong */
        t->value_groups[i] = class.value_group;
    }
    const struct twins_kind found = {.tables = pilgrim_cursor_tables(t->cursor),
                                     .structure_group = info.structure_group,
                                     .class_count = info.class_count,
                                     .value_groups = t->value_groups};
    if (!find_kind(t, &found, &kind))
        return no_memory(error);
    if (kind == TWINS_NONE || !t->kinds[kind].alike || !find_roots(t, &t->kinds[kind], rank, &roots))
        return PILGRIM_OK;
    const uint64_t *known = key_table_put(&t->numbers, (struct key){{kind, roots}}, t->count);
    if (!known)
        return no_memory(error);
    *number = (size_t)*known;
    t->count += *known == t->count;
    return PILGRIM_OK;
}
