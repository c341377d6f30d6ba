/* Where things are: streams, their groups, places, positions; and what an opened trace tells without a cursor. */
#include <string.h>

#include "reader/trace.h"
#include "timing/timing.h"

const struct volume *rank_volume(const struct pilgrim_trace *trace, uint32_t rank)
{
    size_t low = 0, high = trace->volume_count - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (trace->volumes[middle].first_rank <= rank)
            low = middle;
        else
            high = middle - 1;
    }
    return &trace->volumes[low];
}

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
    return t->rank_count;
}

uint32_t pilgrim_thread_count(const struct pilgrim_trace *t, uint32_t rank)
{
    if (rank >= t->rank_count)
        return 0;
    const struct volume *v = rank_volume(t, rank);
    return (uint32_t)thread_count(v, rank - v->first_rank);
}

/* A thread's volume in *VOLUME. PILGRIM_INVALID: there is no such thread. */
static enum pilgrim_status find_thread(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread,
                                       const struct volume **volume, struct stream_place *at)
{
    if (thread >= pilgrim_thread_count(t, rank))
        return PILGRIM_INVALID;
    *volume = rank_volume(t, rank);
    return thread_place(*volume, rank - (*volume)->first_rank, thread, at) ? PILGRIM_OK : PILGRIM_DAMAGED;
}

uint64_t pilgrim_call_count(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread)
{
    const struct volume *v;
    struct stream_place at;
    if (find_thread(t, rank, thread, &v, &at) != PILGRIM_OK)
        return 0;
    return at.group->loop_count == 0 ? at.group->calls : loops_call_count(t, rank, thread, at.group);
}

bool pilgrim_property_at(const struct pilgrim_trace *t, size_t i, const char **key, const char **value)
{
    const struct volume *v = &t->volumes[0];
    if (i >= v->property_count)
        return false;
    *key = v->strings[v->properties[i][0]].text;
    *value = v->strings[v->properties[i][1]].text;
    return true;
}

const char *pilgrim_property(const struct pilgrim_trace *t, const char *key)
{
    const char *found, *value;
    for (size_t i = 0; pilgrim_property_at(t, i, &found, &value); i++)
        if (strcmp(found, key) == 0)
            return value;
    return NULL;
}

enum pilgrim_status pilgrim_thread_info(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread,
                                        struct pilgrim_thread_info *info)
{
    const struct volume *v;
    struct stream_place at;
    enum pilgrim_status status = find_thread(t, rank, thread, &v, &at);
    if (status != PILGRIM_OK)
        return status;
    *info = (struct pilgrim_thread_info){.structure_group = v->first_group + (uint32_t)(at.group - v->groups),
                                         .structure_group_size = column_size(at.group->members),
                                         .class_count = at.group->row_count,
                                         .loop_count = at.group->loop_count,
                                         .structure = at.group->sequence};
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_class_info(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread,
                                       size_t class_number, struct pilgrim_class_info *info)
{
    const struct volume *v;
    struct stream_place at;
    struct part_place found;
    enum pilgrim_status status = find_thread(t, rank, thread, &v, &at);
    if (status != PILGRIM_OK)
        return status;
    if (class_number >= at.group->row_count)
        return PILGRIM_INVALID;
    const struct row *row = &v->rows[at.group->rows[class_number]];
    if (!part_place(v, row, &at, &found))
        return PILGRIM_DAMAGED;
    *info = (struct pilgrim_class_info){.class_ = &v->classes[row->class].shown,
                                        .value_group = found.number,
                                        .value_group_size = found.size,
                                        .signature_count = found.part->numbers,
                                        .values = found.part->sequence,
                                        .timed = v->timed && !row_is_loop(v, at.group->rows[class_number])};
    for (uint32_t i = 0; i < at.group->loop_count; i++)
        if (at.group->loops[i].place == class_number)
            info->body = at.group->loops[i].body;
    if (info->timed) {
        const uint16_t *times = at.group->times[class_number];
        info->mean_ns = timing_decode(times[0]);
        info->min_ns = timing_decode(times[1]);
        info->max_ns = timing_decode(times[2]);
    }
    return PILGRIM_OK;
}
