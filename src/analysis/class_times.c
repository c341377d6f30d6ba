/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers what the profile says of the classes of a segment; see class_times.h. */
#include "analysis/class_times.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"

static struct key key_of(const struct pilgrim_class *class)
{
    return (struct key){{(uintptr_t) class}};
}

/* Returns the entry of CLASS, a new one if there is none. NULL: no memory */
static struct class_time *put(struct classes_timed *t, const struct pilgrim_class *class)
{
    const uint64_t *index = key_table_put(&t->index, key_of(class), t->count);
    if (!index)
        return NULL;
    if (*index == t->count)
        t->classes[t->count++] = (struct class_time){.class = class};
    return &t->classes[*index];
}

/* Adds what is known of class NUMBER to ENTRY. */
static enum pilgrim_status take_times(const struct pilgrim_cursor *cursor, size_t number, bool alone,
                                      struct class_time *entry)
{
    struct pilgrim_statistic durations, gaps;
    enum pilgrim_status status = pilgrim_durations(cursor, number, PILGRIM_VALUE_GROUP, &durations);
    if (status == PILGRIM_OK)
        status = pilgrim_gaps(cursor, number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &gaps);
    if (status == PILGRIM_OK && alone)
        status = pilgrim_rank_class(cursor, number, &entry->rank);
    if (status != PILGRIM_OK)
        return status;
    pilgrim_statistic_add(&entry->durations, &durations);
    pilgrim_statistic_add(&entry->gaps, &gaps);
    entry->timed = true;
    return PILGRIM_OK;
}

enum pilgrim_status class_times_begin(struct classes_timed *t, const struct pilgrim_cursor *cursor, bool times,
                                      bool alone, struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    pilgrim_thread_info(cursor, &thread);
    t->count = 0;
    key_table_clear(&t->index);
    if (thread.class_count > t->capacity) {
        struct class_time *classes = realloc(t->classes, thread.class_count * sizeof *classes);
        if (!classes)
            return no_memory(error);
        t->classes = classes;
        t->capacity = thread.class_count;
    }
    for (size_t i = 0; i < thread.class_count; i++) {
        struct pilgrim_class_info info;
        enum pilgrim_status status = pilgrim_class_info(cursor, i, &info);
        if (status != PILGRIM_OK)
            return no_group(status, error);
        if (info.body)
            continue;
        struct class_time *entry = put(t, info.class_);
        if (!entry)
            return no_memory(error);
        entry->number = i;
        if (times)
            status = take_times(cursor, i, alone, entry);
        if (status != PILGRIM_OK)
            return no_group(status, error);
    }
    return PILGRIM_OK;
}

struct class_time *class_times_find(const struct classes_timed *t, const struct pilgrim_class *class)
{
    const uint64_t *index = key_table_find(&t->index, key_of(class));
    return index ? &t->classes[*index] : NULL;
}

void class_times_free(struct classes_timed *t)
{
    key_table_clear(&t->index);
    free(t->classes);
    *t = (struct classes_timed){0};
}
