/* The section of the calls (docs/FORMAT.md, section 4), from the fragment of all ranks.
 *
 * First everything is numbered: columns, sequences, signatures, partitions, each stored once. Then the rules are settled, and
 * what refers to them can be written. */
#include "merge/calls_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "grammar/rulebook.h"
#include "merge/expressions.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"

struct writer {
    const struct fragment *fragment;
    struct rulebook *rulebook;
    struct expressions expressions;
    struct intern signatures; /* as in the file */
    struct intern partitions; /* numbers of the parts' columns, 4 bytes each */
    uint32_t *sequences;      /* of the fragment -> of the rulebook */
    uint32_t threads;         /* expression */
    struct bytes rows;        /* of the groups, 4 bytes a number, in the order in which they are written */
};

/* ---- numbering ---- */

static enum pilgrim_status number_sequences(struct writer *w)
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
    for (uint32_t i = 0; i < f->lists.count; i++) {
        const uint8_t *data = intern_get(&f->lists, i, &length);
        TRY(expressions_list(&w->expressions, data, length));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status vote(struct writer *w)
{
    const struct fragment *f = w->fragment;
    for (uint32_t i = 0; i < f->part_keys.count; i++)
        for (uint32_t k = 0; k < f->parts[i].column_count; k++)
            TRY(expressions_vote(&w->expressions, &f->parts[i].columns[k]));
    return PILGRIM_OK;
}

/* A sequence of numbers that are not signed. */
static enum pilgrim_status number_list(struct writer *w, const uint32_t *numbers, uint32_t count, uint32_t *sequence)
{
    struct rulebook_symbol *symbols = malloc(count * sizeof *symbols + 1);
    if (!symbols)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        symbols[i] = (struct rulebook_symbol){.value = numbers[i], .exponent = 1};
    enum pilgrim_status status = rulebook_sequence(w->rulebook, symbols, count, true, sequence);
    free(symbols);
    return status;
}

static enum pilgrim_status number_signature(struct writer *w, const struct entry *entry, const uint32_t *slots,
                                            uint32_t slot_count, const uint32_t *columns, uint32_t *number)
{
    struct bytes b = {0};
    bytes_put_varint(&b, (uint64_t)entry->shape << 1 | (entry->count > 1));
    if (entry->count > 1)
        bytes_put_varint(&b, entry->count);
    for (uint32_t i = 0; i < slot_count; i++)
        bytes_put_varint(&b, columns[slots[i]]);
    return intern_bytes(&w->signatures, &b, number);
}

/* Signatures and columns of one part; NUMBERS: room for its entries, COLUMNS: for its columns. */
static enum pilgrim_status number_entries(struct writer *w, const struct part *p, uint32_t *numbers, uint32_t *columns)
{
    for (uint32_t i = 0; i < p->column_count; i++)
        TRY(expressions_add(&w->expressions, &p->columns[i], &columns[i]));
    uint32_t slot = 0;
    for (uint32_t i = 0; i < p->entry_count; i++) {
        uint32_t slots;
        TRY(fragment_slots(w->fragment, &p->entries[i], 1, &slots));
        TRY(number_signature(w, &p->entries[i], &p->slots[slot], slots, columns, &numbers[i]));
        slot += slots;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status number_part(struct writer *w, const struct part *p)
{
    uint32_t *numbers = malloc(p->entry_count * sizeof *numbers + 1);
    uint32_t *columns = malloc(p->column_count * sizeof *columns + 1);
    uint32_t sequence = 0;
    enum pilgrim_status status = numbers && columns ? number_entries(w, p, numbers, columns) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = number_list(w, numbers, p->entry_count, &sequence);
    free(numbers);
    free(columns);
    bytes_put_u32(&w->rows, w->sequences[p->sequence]);
    bytes_put_u32(&w->rows, sequence);
    return status;
}

/* Which member is in which part. */
static enum pilgrim_status number_partition(struct writer *w, const struct part_list *list)
{
    uint32_t number = 0;
    if (list->count > 1) {
        struct bytes columns = {0};
        for (uint32_t i = 0; i < list->count; i++) {
            uint32_t column;
            TRY(expressions_add(&w->expressions, &w->fragment->parts[list->parts[i]].members, &column));
            bytes_put_u32(&columns, column);
        }
        TRY(intern_bytes(&w->partitions, &columns, &number));
        number++;
    }
    bytes_put_u32(&w->rows, number);
    return PILGRIM_OK;
}

static enum pilgrim_status number_group(struct writer *w, const struct group *g)
{
    uint32_t classes, members;
    TRY(number_list(w, g->classes, g->class_count, &classes));
    TRY(expressions_add(&w->expressions, &g->members, &members));
    bytes_put_u32(&w->rows, w->sequences[g->sequence]);
    bytes_put_u32(&w->rows, classes);
    bytes_put_u32(&w->rows, members);
    for (uint32_t i = 0; i < g->class_count; i++) {
        TRY(number_partition(w, &g->lists[i]));
        for (uint32_t k = 0; k < g->lists[i].count; k++)
            TRY(number_part(w, &w->fragment->parts[g->lists[i].parts[k]]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status number_all(struct writer *w)
{
    const struct fragment *f = w->fragment;
    TRY(number_sequences(w));
    TRY(vote(w));
    TRY(expressions_sequence(&w->expressions, 0, &f->thread_counts, &w->threads));
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        TRY(number_group(w, &f->groups[i]));
    TRY(bytes_status(&w->rows));
    return rulebook_finish(w->rulebook);
}

/* ---- writing ---- */

static void write_partitions(const struct writer *w, struct bytes *out)
{
    bytes_put_varint(out, w->partitions.count);
    for (uint32_t i = 0; i < w->partitions.count; i++) {
        size_t length;
        struct cursor in;
        const uint8_t *data = intern_get(&w->partitions, i, &length);
        cursor_init(&in, data, length);
        bytes_put_varint(out, length / sizeof(uint32_t));
        while (cursor_left(&in) > 0)
            bytes_put_varint(out, cursor_u32(&in));
    }
}

static void write_sequence(const struct writer *w, struct cursor *rows, struct bytes *out)
{
    bytes_put_varint(out, rulebook_reference(w->rulebook, cursor_u32(rows)));
}

static void write_group(const struct writer *w, const struct group *g, struct cursor *rows, struct bytes *out)
{
    bytes_put_varint(out, rulebook_reference(w->rulebook, cursor_u32(rows)) << 1 | g->process);
    write_sequence(w, rows, out);
    bytes_put_varint(out, cursor_u32(rows));
    for (uint32_t i = 0; i < g->class_count; i++) {
        bytes_put_varint(out, cursor_u32(rows));
        for (uint32_t k = 0; k < g->lists[i].count; k++) {
            write_sequence(w, rows, out);
            write_sequence(w, rows, out);
        }
    }
}

static void write_all(const struct writer *w, struct bytes *out)
{
    const struct fragment *f = w->fragment;
    struct cursor rows;
    rulebook_write(w->rulebook, out);
    expressions_write(&w->expressions, out);
    bytes_put_varint(out, w->signatures.count);
    for (uint32_t i = 0; i < w->signatures.count; i++) {
        size_t length;
        const uint8_t *data = intern_get(&w->signatures, i, &length);
        bytes_put(out, data, length);
    }
    write_partitions(w, out);
    bytes_put_varint(out, f->rank_count);
    bytes_put_varint(out, w->threads);
    bytes_put_varint(out, f->group_keys.count);
    cursor_init(&rows, w->rows.data, w->rows.length);
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        write_group(w, &f->groups[i], &rows, out);
}

enum pilgrim_status calls_write(const struct fragment *f, struct bytes *out)
{
    struct writer w = {.fragment = f, .rulebook = rulebook_new()};
    w.expressions.rulebook = w.rulebook;
    enum pilgrim_status status = w.rulebook ? number_all(&w) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        write_all(&w, out);
        status = bytes_status(out);
    }
    rulebook_free(w.rulebook);
    expressions_free(&w.expressions);
    intern_free(&w.signatures);
    intern_free(&w.partitions);
    free(w.sequences);
    bytes_free(&w.rows);
    return status;
}
