/* Where things are: streams, their groups, places, positions; and what an opened trace tells without a cursor. */
#include <string.h>

#include "read/cursor.h"

static uint64_t threads_before(const struct volume *v, uint64_t rank)
{
    return (uint64_t)column_value(v, v->threads, rank, 0);
}

uint64_t thread_count(const struct volume *v, uint32_t rank)
{
    return threads_before(v, (uint64_t)rank + 1) - threads_before(v, rank);
}

static bool stream_find(const struct volume *v, const struct cover *cover, uint64_t stream, struct stream_place *at)
{
    const struct set *set = cover_find(v, cover, stream, &at->place);
    at->group = set ? &v->groups[set->number] : NULL;
    return set != NULL;
}

bool process_place(const struct volume *v, uint32_t rank, struct stream_place *at)
{
    return stream_find(v, &v->processes, rank, at);
}

bool thread_place(const struct volume *v, uint32_t rank, uint32_t thread, struct stream_place *at)
{
    return stream_find(v, &v->thread_groups, threads_before(v, rank) + thread, at);
}

bool part_place(const struct volume *v, const struct row *row, const struct stream_place *member, struct part_place *at)
{
    if (row->partition == 0) {
        *at = (struct part_place){&row->parts[0], 0, member->place, column_size(member->group->members)};
        return true;
    }
    uint64_t position;
    const struct set *set = cover_find(v, &v->partitions[row->partition - 1], member->place, &position);
    if (set)
        *at = (struct part_place){&row->parts[set->number], set->number, position, column_size(set->column)};
    return set != NULL;
}

bool row_is_loop(const struct volume *v, uint32_t row)
{
    return v->functions[v->classes[v->rows[row].class].function].is_loop;
}

/* ---- public ---- */

uint32_t pilgrim_rank_count(const struct pilgrim_trace *t)
{
    return t ? t->rank_count : 0;
}

uint32_t pilgrim_round_count(const struct pilgrim_trace *t)
{
    return t ? t->round_count : 0;
}

uint32_t pilgrim_thread_count(const struct pilgrim_trace *t, uint32_t rank)
{
    uint32_t most = 0;
    for (uint32_t round = 0; t && round < t->round_count && rank < t->rank_count; round++) {
        uint32_t threads = round_threads(t, round, rank);
        most = threads > most ? threads : most;
    }
    return most;
}

/* False: the thread is damaged. It is in ROUND. */
static bool count_calls(const struct pilgrim_trace *t, uint32_t round, uint32_t rank, uint32_t thread, uint64_t *count)
{
    const struct volume *v;
    struct stream_place at;
    if (round_hold(t, round, rank, &v, NULL) != PILGRIM_OK)
        return false;
    bool good = thread_place(v, rank - v->first_rank, thread, &at);
    if (good && at.group->loop_count > 0)
        good = loops_call_count(t, round, rank, thread, count);
    else if (good)
        *count = at.group->calls;
    volume_release(t, v);
    return good;
}

uint64_t pilgrim_call_count(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread)
{
    uint64_t sum = 0, count;
    for (uint32_t round = 0; t && round < t->round_count && rank < t->rank_count; round++) {
        if (round_is_silent(t, round, rank, thread))
            continue;
        if (!count_calls(t, round, rank, thread, &count))
            return 0;
        sum += count;
    }
    return sum;
}

bool pilgrim_property_at(const struct pilgrim_trace *t, size_t i, const char **key, const char **value)
{
    if (!t || !key || !value || i >= t->property_count)
        return false;
    *key = t->properties[i][0];
    *value = t->properties[i][1];
    return true;
}

const char *pilgrim_property(const struct pilgrim_trace *t, const char *key)
{
    const char *found, *value;
    for (size_t i = 0; key && pilgrim_property_at(t, i, &found, &value); i++)
        if (strcmp(found, key) == 0)
            return value;
    return NULL;
}

void pilgrim_thread_info(const struct pilgrim_cursor *c, struct pilgrim_thread_info *info)
{
    if (!info)
        return;
    *info = (struct pilgrim_thread_info){0};
    if (!c)
        return;
    const struct group *g = c->stream.group;
    *info = (struct pilgrim_thread_info){.structure_group = c->volume->first_group + (uint32_t)(g - c->volume->groups),
                                         .structure_group_size = column_size(g->members),
                                         .class_count = g->row_count,
                                         .loop_count = g->loop_count,
                                         .structure = g->sequence};
}

enum pilgrim_status pilgrim_class_info(const struct pilgrim_cursor *c, size_t class_number, struct pilgrim_class_info *info)
{
    struct part_place found;
    if (!c || !info)
        return PILGRIM_INVALID;
    const struct volume *v = c->volume;
    const struct group *g = c->stream.group;
    if (class_number >= g->row_count)
        return PILGRIM_INVALID;
    const struct row *row = &v->rows[g->rows[class_number]];
    if (!part_place(v, row, &c->stream, &found))
        return PILGRIM_DAMAGED;
    *info = (struct pilgrim_class_info){.class_ = &v->classes[row->class].shown,
                                        .value_group = found.number,
                                        .value_group_size = found.size,
                                        .signature_count = found.part->numbers,
                                        .values = found.part->sequence};
    for (uint32_t i = 0; i < g->loop_count; i++)
        if (g->loops[i].place == class_number)
            info->body = g->loops[i].body;
    return PILGRIM_OK;
}
