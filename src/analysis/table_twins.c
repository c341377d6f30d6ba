/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that count the same (thread_twins.h) are read once for a table. What may differ is how long their calls took:
 * the trace has that by rank for classes in which ranks differ. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/messages_data.h"
#include "analysis/table_data.h"

/* What is kept of twins, at most, in all. */
enum { KEPT_MAX = 1 << 18 };

/* What each of some twins adds. */
struct table_twin {
    bool known;
    uint32_t block; /* of ranks: the rows are its */
    uint64_t calls;
    struct part *amounts; /* of each row, without times */
    size_t amount_count;
    struct class_time *classes; /* those that have calls without times */
    size_t class_count;
    struct untimed *untimed;
    size_t *class_of; /* of UNTIMED */
    size_t untimed_count;
};

static void twin_free(struct table_twin *w)
{
    free(w->amounts);
    free(w->classes);
    free(w->untimed);
    free(w->class_of);
    *w = (struct table_twin){0};
}

void table_twins_free(struct pilgrim_table *t)
{
    for (size_t i = 0; i < t->twin_count; i++)
        twin_free(&t->kept_twins[i]);
    free(t->kept_twins);
    thread_twins_free(t->twins);
}

/* Fills in what the thread that was read has added to the rows. False: no memory. */
static bool keep(const struct pilgrim_table *t, uint64_t calls, struct table_twin *w)
{
    const size_t classes = t->class_times.count;
    size_t *at = calloc(classes + 1, sizeof *at); /* 1 + where a class is kept */
    *w = (struct table_twin){.known = true,
                             .block = t->rank / t->block,
                             .calls = calls,
                             .amounts = calloc(t->touched_count + 1, sizeof *w->amounts),
                             .classes = calloc(classes + 1, sizeof *w->classes),
                             .untimed = calloc(t->untimed_count + 1, sizeof *w->untimed),
                             .class_of = calloc(t->untimed_count + 1, sizeof *w->class_of)};
    const bool good = at && w->amounts && w->classes && w->untimed && w->class_of;
    for (size_t i = 0; good && i < t->touched_count; i++)
        w->amounts[w->amount_count++] = (struct part){t->touched[i], t->rows[t->touched[i]].current};
    for (size_t i = 0; good && i < t->untimed_count; i++) {
        const struct class_time *k = class_times_find(&t->class_times, t->untimed[i].class);
        if (!k || !k->timed)
            continue;
        size_t *slot = &at[k - t->class_times.classes];
        if (*slot == 0) {
            w->classes[w->class_count] = *k;
            *slot = ++w->class_count;
        }
        w->class_of[w->untimed_count] = *slot - 1;
        w->untimed[w->untimed_count++] = t->untimed[i];
    }
    free(at);
    return good;
}

/* Sets *ROW to that of the same kind in another block of ranks. False: no memory, or too many rows. */
static bool move_row(struct pilgrim_table *t, uint32_t block, size_t *row)
{
    struct table_key key = t->rows[*row].key;
    key.rank = block;
    return table_find_row(t, &key, row);
}

/* Makes the rows of twins those of the block that is read. */
static bool move_rows(struct pilgrim_table *t, struct table_twin *w)
{
    const uint32_t block = t->rank / t->block;
    bool good = true;
    if (w->block == block || !(t->keys & PILGRIM_KEY_RANK))
        return true;
    for (size_t i = 0; i < w->amount_count && good; i++)
        good = move_row(t, block, &w->amounts[i].row);
    for (size_t i = 0; i < w->untimed_count && good; i++)
        good = move_row(t, block, &w->untimed[i].row);
    w->block = block;
    return good;
}

static enum pilgrim_status add_twin(struct pilgrim_table *t, struct table_twin *w, struct pilgrim_error *error)
{
    if (!move_rows(t, w))
        return no_memory(error);
    const struct pilgrim_cursor *cursor = thread_twins_cursor(t->twins);
    for (size_t i = 0; i < w->amount_count; i++) {
        struct kept_row *row = table_touch(t, w->amounts[i].row);
        if (!row)
            return no_memory(error);
        table_add_amounts(&row->current, &w->amounts[i].amount, 1);
    }
    for (size_t i = 0; i < w->class_count; i++) {
        enum pilgrim_status status = pilgrim_rank_class(cursor, w->classes[i].number, &w->classes[i].rank);
        if (status != PILGRIM_OK)
            return no_group(status, error);
    }
    for (size_t i = 0; i < w->untimed_count; i++)
        table_add_untimed(t, &w->untimed[i], &w->classes[w->class_of[i]]);
    t->extent.calls += w->calls;
    t->extent.threads += w->calls > 0;
    return PILGRIM_OK;
}

/* Takes the thread, the first of the twins with this number, and keeps what it adds. */
static enum pilgrim_status take_first(struct pilgrim_table *t, uint32_t rank, double *run_ns,
                                      struct pilgrim_error *error)
{
    const uint64_t before = t->extent.calls;
    struct table_twin *twins = messages_roomy(t->kept_twins, t->twin_count, &t->twin_capacity, sizeof *twins);
    if (!twins)
        return no_memory(error);
    t->kept_twins = twins;
    t->keeps = true;
    enum pilgrim_status status = table_take_thread(t, rank, 0, run_ns, error);
    t->keeps = false;
    struct table_twin *w = &t->kept_twins[t->twin_count++];
    *w = (struct table_twin){0};
    const size_t wanted = t->touched_count + t->untimed_count + t->class_times.count;
    if (status == PILGRIM_OK && !t->has_times && t->twin_kept + wanted <= KEPT_MAX) {
        t->twin_kept += wanted;
        if (!keep(t, t->extent.calls - before, w))
            status = no_memory(error);
    }
    table_end_segment(t);
    return status;
}

enum pilgrim_status table_take_alone(struct pilgrim_table *t, uint32_t rank, double *run_ns,
                                     struct pilgrim_error *error)
{
    size_t number;
    enum pilgrim_status status = thread_twins_find(t->twins, rank, &number, error);
    if (status != PILGRIM_OK)
        return status;
    if (number < t->twin_count && t->kept_twins[number].known)
        return add_twin(t, &t->kept_twins[number], error);
    return number == t->twin_count ? take_first(t, rank, run_ns, error) : table_take_thread(t, rank, 0, run_ns, error);
}
