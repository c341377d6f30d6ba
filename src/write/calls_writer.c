/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the calls section (docs/FORMAT.md, section 4) from the fragment of all ranks.
 *
 * First all columns, sequences, signatures, partitions and group classes are numbered; each is stored once. Then the
 * rulebook is finished, which settles the numbers of rules, and everything that refers to rules can be written. */
#include "write/calls_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "format/trace_format.h"
#include "rules/rulebook.h"
#include "write/expressions.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"

/* The calls section while it is made. */
struct calls_writer {
    const struct fragment *fragment;
    struct rulebook *rulebook;
    struct expressions expressions;
    struct intern signatures; /* shape, signature count (docs/FORMAT.md: k; 1: a single one), columns: 4 bytes each */
    struct intern partitions; /* 4 bytes each: 0 and the columns, or the number of value groups and that of labels */
    struct intern group_classes;  /* class, partition; for each value group its sequence and signatures: 4 bytes each */
    uint32_t *sequences;          /* by number in the fragment: number in the rulebook */
    uint32_t *value_group_starts; /* by value group: where its signatures begin in ... */
    struct bytes numbers;         /* ... this, 4 bytes each */
    struct bytes groups;          /* of each group its group classes, then the column of its members: 4 bytes each */
    uint32_t threads;             /* the column of thread counts */
};

/* ---- numbering ---- */

static enum pilgrim_status number_sequences(struct calls_writer *w)
{
    const struct fragment *f = w->fragment;
    size_t length;
    w->sequences = malloc(f->sequences.count * sizeof *w->sequences + 1);
    if (!w->sequences)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < f->sequences.count; i++) {
        const uint8_t *data = intern_get(&f->sequences, i, &length);
        TRY(rulebook_serialised(w->rulebook, data, length, true, &w->sequences[i]));
    }
    for (uint32_t i = 0; i < f->stored_deltas.count; i++) {
        const uint8_t *data = intern_get(&f->stored_deltas, i, &length);
        TRY(expressions_stored_deltas(&w->expressions, data, length));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status vote(struct calls_writer *w)
{
    const struct fragment *f = w->fragment;
    for (uint32_t i = 0; i < f->value_group_keys.count; i++)
        for (uint32_t k = 0; k < f->value_groups[i].column_count; k++)
            TRY(expressions_vote(&w->expressions, &f->value_groups[i].columns[k]));
    return PILGRIM_OK;
}

static enum pilgrim_status number_signature(struct calls_writer *w, const struct signature_entry *entry,
                                            const uint32_t *slots, uint32_t slot_count, const uint32_t *columns,
                                            uint32_t *number)
{
    struct bytes b = {0};
    bytes_put_u32(&b, entry->shape);
    bytes_put_u32(&b, entry->count);
    bytes_reserve(&b, slot_count * sizeof *slots);
    for (uint32_t i = 0; i < slot_count; i++)
        bytes_put_u32(&b, columns[slots[i]]);
    return intern_bytes(&w->signatures, &b, number);
}

/* Numbers the signatures of one value group. COLUMNS has room for the numbers of its columns. */
static enum pilgrim_status number_entries(struct calls_writer *w, const struct value_group *p, uint32_t *columns)
{
    for (uint32_t i = 0; i < p->column_count; i++)
        TRY(expressions_add(&w->expressions, &p->columns[i], &columns[i]));
    uint32_t slot = 0;
    for (uint32_t i = 0; i < p->entry_count; i++) {
        uint32_t slots, number;
        TRY(fragment_slots(w->fragment, &p->entries[i], 1, &slots));
        TRY(number_signature(w, &p->entries[i], &p->slots[slot], slots, columns, &number));
        bytes_put_u32(&w->numbers, number);
        slot += slots;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status number_value_group(struct calls_writer *w, uint32_t value_group)
{
    const struct value_group *p = &w->fragment->value_groups[value_group];
    uint32_t *columns = malloc(p->column_count * sizeof *columns + 1);
    w->value_group_starts[value_group] = (uint32_t)(w->numbers.length / sizeof(uint32_t));
    enum pilgrim_status status = columns ? number_entries(w, p, columns) : PILGRIM_NOMEM;
    free(columns);
    return status;
}

static enum pilgrim_status number_signatures(struct calls_writer *w)
{
    const struct fragment *f = w->fragment;
    w->value_group_starts = malloc(f->value_group_keys.count * sizeof *w->value_group_starts + 1);
    if (!w->value_group_starts)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        for (uint32_t k = 0; k < f->groups[i].classes.count; k++)
            for (uint32_t p = 0; p < f->groups[i].value_groups[k].count; p++)
                TRY(number_value_group(w, f->groups[i].value_groups[k].value_groups[p]));
    return bytes_status(&w->numbers);
}

/* Labels of the members of a partition, while they are noted. */
struct labelling {
    int64_t *labels; /* by member number */
    uint64_t count;
    int64_t label;
};

static enum pilgrim_status note_label(void *context, int64_t member)
{
    struct labelling *l = context;
    if (member < 0 || (uint64_t)member >= l->count)
        return PILGRIM_DAMAGED;
    l->labels[member] = l->label;
    return PILGRIM_OK;
}

/* Numbers the column of the labels that L has room for: of each member, in which value group of LIST it is. */
static enum pilgrim_status number_labels(struct calls_writer *w, const struct value_group_list *list,
                                         struct labelling *l, uint32_t *number)
{
    struct column column;
    enum pilgrim_status status = PILGRIM_OK;
    for (; l->label < list->count; l->label++)
        TRY(column_visit(&w->fragment->value_groups[list->value_groups[l->label]].members, note_label, l));
    column_begin(&column, l->labels[0], (struct rank){.meaning = RANK_NOTHING});
    for (uint64_t i = 1; status == PILGRIM_OK && i < l->count; i++)
        status = column_append(&column, l->labels[i]);
    if (status == PILGRIM_OK)
        status = expressions_add(&w->expressions, &column, number);
    column_free(&column);
    return status;
}

/* Appends the columns of the value groups of LIST, which are not one, or of their labels, to COLUMNS. */
static enum pilgrim_status number_members(struct calls_writer *w, const struct value_group_list *list,
                                          struct bytes *columns)
{
    uint32_t column;
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += w->fragment->value_groups[list->value_groups[i]].members.length;
    bytes_put_u32(columns, count <= LABELS_MAX ? list->count : 0);
    if (count <= LABELS_MAX) {
        struct labelling l = {.labels = calloc(count + 1, sizeof *l.labels), .count = count};
        enum pilgrim_status status = l.labels ? number_labels(w, list, &l, &column) : PILGRIM_NOMEM;
        free(l.labels);
        TRY(status);
        bytes_put_u32(columns, column);
        return bytes_status(columns);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        TRY(expressions_add(&w->expressions, &w->fragment->value_groups[list->value_groups[i]].members, &column));
        bytes_put_u32(columns, column);
    }
    return bytes_status(columns);
}

/* Numbers the partition of a group class and appends the number to GROUP_CLASS; 0 stands for a single value group. */
static enum pilgrim_status number_partition(struct calls_writer *w, const struct value_group_list *list,
                                            struct bytes *group_class)
{
    uint32_t number = 0;
    if (list->count > 1) {
        struct bytes columns = {0};
        enum pilgrim_status status = number_members(w, list, &columns);
        if (status != PILGRIM_OK) {
            bytes_free(&columns);
            return status;
        }
        TRY(intern_bytes(&w->partitions, &columns, &number));
        number++;
    }
    bytes_put_u32(group_class, number);
    return PILGRIM_OK;
}

/* Numbers a group class by its content, which is what it is written from. */
static enum pilgrim_status number_group_class(struct calls_writer *w, uint32_t class,
                                              const struct value_group_list *list, uint32_t *number)
{
    struct bytes group_class = {0};
    bytes_put_u32(&group_class, class);
    enum pilgrim_status status = number_partition(w, list, &group_class);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct value_group *p = &w->fragment->value_groups[list->value_groups[i]];
        bytes_put_u32(&group_class, w->sequences[p->sequence]);
        bytes_put_u32(&group_class, p->entry_count);
        bytes_put(&group_class, w->numbers.data + w->value_group_starts[list->value_groups[i]] * sizeof(uint32_t),
                  p->entry_count * sizeof(uint32_t));
    }
    if (status == PILGRIM_OK)
        return intern_bytes(&w->group_classes, &group_class, number);
    bytes_free(&group_class);
    return status;
}

static enum pilgrim_status number_group_classes(struct calls_writer *w)
{
    const struct fragment *f = w->fragment;
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        for (uint32_t k = 0; k < f->groups[i].classes.count; k++) {
            uint32_t group_class;
            TRY(number_group_class(w, f->groups[i].classes.classes[k], &f->groups[i].value_groups[k], &group_class));
            bytes_put_u32(&w->groups, group_class);
        }
        uint32_t members;
        TRY(expressions_add(&w->expressions, &f->groups[i].members, &members));
        bytes_put_u32(&w->groups, members);
    }
    return bytes_status(&w->groups);
}

static enum pilgrim_status number_all(struct calls_writer *w)
{
    TRY(number_sequences(w));
    TRY(vote(w));
    TRY(number_signatures(w));
    TRY(expressions_sequence(&w->expressions, 0, &w->fragment->thread_counts, &w->threads));
    TRY(number_group_classes(w));
    return w->expressions.plain ? rulebook_finish_plain(w->rulebook) : rulebook_finish(w->rulebook);
}

/* ---- writing ---- */

/* Returns the code of a reference (docs/FORMAT.md, section 1). *NEXT: one more than the largest number referred to so
 * far. */
static uint64_t reference(uint32_t number, uint32_t *next)
{
    if (number < *next)
        return (uint64_t)number + 1;
    uint64_t code = number == *next ? 0 : (uint64_t)number + 1;
    *next = number + 1;
    return code;
}

/* For each table, one more than the largest number referred to so far. */
struct progress {
    uint32_t shapes, columns, signatures, classes, partitions, group_classes;
};

static struct cursor open_numbers(const struct intern *t, uint32_t number)
{
    size_t length;
    struct cursor in;
    const uint8_t *data = intern_get(t, number, &length);
    cursor_init(&in, data, length);
    return in;
}

static void write_signatures(const struct calls_writer *w, struct progress *at, struct bytes *out)
{
    bytes_put_varint(out, w->signatures.count);
    for (uint32_t i = 0; i < w->signatures.count; i++) {
        struct cursor in = open_numbers(&w->signatures, i);
        uint64_t shape = reference(cursor_u32(&in), &at->shapes);
        uint32_t count = cursor_u32(&in);
        bytes_put_varint(out, shape << 1 | (count != 1));
        if (count != 1)
            bytes_put_varint(out, count);
        while (cursor_left(&in) > 0)
            bytes_put_varint(out, reference(cursor_u32(&in), &at->columns));
    }
}

static void write_partitions(const struct calls_writer *w, struct progress *at, struct bytes *out)
{
    bytes_put_varint(out, w->partitions.count);
    for (uint32_t i = 0; i < w->partitions.count; i++) {
        struct cursor in = open_numbers(&w->partitions, i);
        const uint32_t labels = cursor_u32(&in);
        if (labels)
            bytes_put_varint(out, 0);
        bytes_put_varint(out, labels ? labels : cursor_left(&in) / sizeof(uint32_t));
        while (cursor_left(&in) > 0)
            bytes_put_varint(out, reference(cursor_u32(&in), &at->columns));
    }
}

static void write_group_classes(const struct calls_writer *w, struct progress *at, struct bytes *out)
{
    bytes_put_varint(out, w->group_classes.count);
    for (uint32_t i = 0; i < w->group_classes.count; i++) {
        struct cursor in = open_numbers(&w->group_classes, i);
        bytes_put_varint(out, reference(cursor_u32(&in), &at->classes));
        uint32_t partition = cursor_u32(&in);
        bytes_put_varint(out, partition ? 1 + reference(partition - 1, &at->partitions) : 0);
        while (cursor_left(&in) > 0) {
            bytes_put_varint(out, rulebook_reference(w->rulebook, cursor_u32(&in)));
            uint32_t count = cursor_u32(&in);
            bytes_put_varint(out, count);
            for (; count > 0; count--)
                bytes_put_varint(out, reference(cursor_u32(&in), &at->signatures));
        }
    }
}

static void write_groups(const struct calls_writer *w, struct progress *at, struct bytes *out)
{
    const struct fragment *f = w->fragment;
    struct cursor in;
    cursor_init(&in, w->groups.data, w->groups.length);
    bytes_put_varint(out, f->group_keys.count);
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        const struct structure_group *g = &f->groups[i];
        bytes_put_varint(out, rulebook_reference(w->rulebook, w->sequences[g->sequence]) << 1 | g->process);
        bytes_put_varint(out, g->classes.count);
        for (uint32_t k = 0; k < g->classes.count; k++) {
            const uint32_t *body = class_body(&g->classes, k);
            bytes_put_varint(out, reference(cursor_u32(&in), &at->group_classes));
            if (body)
                bytes_put_varint(out, rulebook_reference(w->rulebook, w->sequences[*body]));
        }
        bytes_put_varint(out, reference(cursor_u32(&in), &at->columns));
    }
}

static void write_all(const struct calls_writer *w, bool another, struct bytes *out)
{
    struct progress at = {0};
    rulebook_write(w->rulebook, out);
    expressions_write(&w->expressions, out);
    write_signatures(w, &at, out);
    write_partitions(w, &at, out);
    bytes_put_varint(out, (uint64_t)w->fragment->rank_count << 1 | another);
    bytes_put_varint(out, reference(w->threads, &at.columns));
    write_group_classes(w, &at, out);
    write_groups(w, &at, out);
}

/* True if F is of one process that only has sessions (PROPERTY_SESSION). */
static bool of_session(const struct fragment *f)
{
    struct bytes text = {0};
    fragment_list_properties(f, PROPERTY_SESSION, &text);
    bool session = text.length;
    bytes_free(&text);
    return session;
}

enum pilgrim_status calls_write(const struct fragment *f, bool another, bool plain, struct bytes *out)
{
    struct calls_writer w = {.fragment = f, .rulebook = rulebook_new()};
    w.expressions.rulebook = w.rulebook;
    w.expressions.plain = plain;
    w.expressions.constants = of_session(f);
    w.expressions.next_text = f->strings.count;
    enum pilgrim_status status = w.rulebook ? number_all(&w) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        write_all(&w, another, out);
        status = bytes_status(out);
    }
    rulebook_free(w.rulebook);
    expressions_free(&w.expressions);
    intern_free(&w.signatures);
    intern_free(&w.partitions);
    free(w.sequences);
    free(w.value_group_starts);
    bytes_free(&w.numbers);
    intern_free(&w.group_classes);
    bytes_free(&w.groups);
    return status;
}
