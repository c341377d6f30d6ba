/* SPDX-License-Identifier: BSD-3-Clause */
/* The classes of a thread, and how long their calls took; see loop_classes.h. */
#include "analysis/loop_classes.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"

void loop_classes_free(struct loop_classes *k)
{
    free(k->classes);
    free(k->first);
}

bool loop_reader_alike(const struct loop_reader *r, const struct pilgrim_thread_info *thread)
{
    return pilgrim_segment_count(r->trace) == 1 && thread->loop_count == 0 && !r->by_rank;
}

void loop_reader_free(struct loop_reader *r)
{
    class_copies_free(&r->classes);
    texts_free(&r->markers);
}

/* Reads the mean times of class NUMBER over GROUP: PILGRIM_VALUE_GROUP or PILGRIM_STRUCTURE_GROUP. */
static bool read_times(const struct pilgrim_cursor *cursor, size_t number, uint64_t group, struct loop_class *class)
{
    struct pilgrim_statistic durations, gaps;
    if (pilgrim_durations(cursor, number, group, &durations) != PILGRIM_OK ||
        pilgrim_gaps(cursor, number, group, PILGRIM_ANY_CALL, &gaps) != PILGRIM_OK)
        return false;
    class->mean_ns = durations.mean_ns;
    class->gap_ns = gaps.mean_ns;
    return true;
}

/* Reads how long the calls of class NUMBER took on the cursor's rank, which has only this thread and segment. AGAIN: an
 * earlier class has the same function and call site, and already holds these times. */
static bool read_rank(const struct pilgrim_cursor *cursor, size_t number, bool again, struct loop_class *class)
{
    struct pilgrim_rank_class rank;
    if (pilgrim_rank_class(cursor, number, &rank) != PILGRIM_OK)
        return false;
    class->has_ns = rank.has_durations;
    class->has_gap_ns = rank.has_gaps;
    class->all_ns = again ? 0 : rank.durations_ns;
    class->all_gap_ns = again ? 0 : rank.gaps_ns;
    return true;
}

/* Appends the classes of the segment that CURSOR is in. ALONE: the rank has only this thread and segment. */
static enum pilgrim_status read_segment(struct loop_reader *r, struct pilgrim_cursor *cursor, bool alone,
                                        struct loop_classes *seen, struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    pilgrim_thread_info(cursor, &thread);
    struct loop_class *classes = realloc(seen->classes, (seen->count + thread.class_count + 1) * sizeof *classes);
    if (!classes)
        return no_memory(error);
    seen->classes = classes;
    seen->first[pilgrim_cursor_segment(cursor)] = seen->count;
    for (size_t i = 0; i < thread.class_count; i++) {
        struct pilgrim_class_info info;
        enum pilgrim_status status = pilgrim_class_info(cursor, i, &info);
        if (status != PILGRIM_OK)
            return no_group(status, error);
        struct class_copy *class = copy_class(&r->classes, info.class_);
        if (!class)
            return no_memory(error);
        bool again = class->thread == r->threads && !info.body;
        if (!again && !info.body) {
            class->thread = r->threads;
            class->first = seen->count;
        }
        classes[seen->count] = (struct loop_class){
            .class = class, .is_loop = info.body != 0, .shown_as = again ? class->first : seen->count};
        uint64_t group = loop_reader_alike(r, &thread) ? PILGRIM_STRUCTURE_GROUP : PILGRIM_VALUE_GROUP;
        if (!info.body && !read_times(cursor, i, group, &classes[seen->count]))
            return no_group(PILGRIM_DAMAGED, error);
        if (alone && !info.body && !read_rank(cursor, i, again, &classes[seen->count]))
            return no_group(PILGRIM_DAMAGED, error);
        status = phase_texts_read(&r->markers, cursor, i, &classes[seen->count].phases, error);
        if (status != PILGRIM_OK)
            return status;
        seen->count++;
    }
    return PILGRIM_OK;
}

enum pilgrim_status loop_classes_read(struct loop_classes *seen, struct loop_reader *r, uint32_t rank,
                                      struct pilgrim_cursor *cursor, struct pilgrim_error *error)
{
    bool alone = r->by_rank && pilgrim_thread_count(r->trace, rank) == 1 && pilgrim_segment_count(r->trace) == 1;
    *seen = (struct loop_classes){.first = calloc(pilgrim_segment_count(r->trace), sizeof *seen->first)};
    if (!seen->first)
        return no_memory(error);
    r->threads++;
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK) {
        status = read_segment(r, cursor, alone, seen, error);
        if (status == PILGRIM_OK)
            status = pilgrim_cursor_next_segment(cursor, error);
    }
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- times of calls ---- */

/* Finds the classes of the segment that CURSOR is in by their addresses, and sets their times to 0. */
static enum pilgrim_status begin_timed(struct key_table *numbers, const struct pilgrim_cursor *cursor,
                                       struct loop_classes *seen, struct pilgrim_error *error)
{
    const size_t first = seen->first[pilgrim_cursor_segment(cursor)];
    struct pilgrim_thread_info thread;
    pilgrim_thread_info(cursor, &thread);
    key_table_clear(numbers);
    for (size_t i = 0; i < thread.class_count; i++) {
        struct pilgrim_class_info info;
        struct loop_class *class = &seen->classes[first + i];
        if (pilgrim_class_info(cursor, i, &info) != PILGRIM_OK)
            return no_group(PILGRIM_DAMAGED, error);
        class->has_ns = class->has_gap_ns = true;
        class->all_ns = class->all_gap_ns = 0;
        if (!info.body && !key_table_put(numbers, (struct key){{(uintptr_t)info.class_}}, first + i))
            return no_memory(error);
    }
    return PILGRIM_OK;
}

enum pilgrim_status loop_classes_time(struct loop_classes *seen, const struct loop_reader *r, uint32_t rank,
                                      uint32_t thread, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct key_table numbers = {0};
    uint32_t segment = UINT32_MAX;
    uint64_t before = 0;
    enum pilgrim_status status = pilgrim_cursor_open(r->trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = pilgrim_cursor_next(cursor, &call, error)) == PILGRIM_OK && call.timed) {
        if (pilgrim_cursor_segment(cursor) != segment) {
            segment = pilgrim_cursor_segment(cursor);
            status = begin_timed(&numbers, cursor, seen, error);
            if (status != PILGRIM_OK)
                break;
        }
        const uint64_t *number = key_table_find(&numbers, (struct key){{(uintptr_t)call.class_}});
        if (!number) {
            status = no_group(PILGRIM_DAMAGED, error);
            break;
        }
        seen->classes[*number].all_ns += (double)(call.end_ns - call.start_ns);
        if (before > 0 && call.start_ns > before)
            seen->classes[*number].all_gap_ns += (double)(call.start_ns - before);
        before = call.end_ns;
    }
    key_table_clear(&numbers);
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}
