/* SPDX-License-Identifier: BSD-3-Clause */
/* The classes of threads; see thread_classes.h. */
#include "recover/thread_classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

static enum pilgrim_status read_shared(const struct bytes *records, struct shared_facts *facts)
{
    struct cursor log, payload;
    enum journal_record type;
    cursor_init(&log, records->data, records->length);
    while (cursor_left(&log) && journal_next_record(&log, &type, &payload))
        if (shared_facts_take(facts, type, &payload) == PILGRIM_NOMEM)
            return PILGRIM_NOMEM;
    return PILGRIM_OK;
}

static enum pilgrim_status take_class(struct cursor *c, const struct replay_modules *modules, uint32_t functions,
                                      struct thread_classes *classes)
{
    struct class_record record;
    TRY(class_record_take(c, modules, functions, classes->count, &record));
    struct class_site *items = array_reserve(classes->items, &classes->capacity, classes->count, sizeof *items);
    if (!items)
        return PILGRIM_NOMEM;
    classes->items = items;
    struct class_site *class = &items[classes->count++];
    *class = (struct class_site){.function = record.function, .has_site = record.frame_count};
    if (record.frame_count)
        class->site = record.frames[0];
    if (record.frame_count < 2)
        return PILGRIM_OK;
    class->callers = calloc(record.frame_count - 1, sizeof *class->callers);
    if (!class->callers)
        return PILGRIM_NOMEM;
    class->caller_count = record.frame_count - 1;
    memcpy(class->callers, record.frames + 1, class->caller_count * sizeof *class->callers);
    return PILGRIM_OK;
}

/* Finds the classes of T. Stops where the log is damaged. */
static enum pilgrim_status read_classes(const struct read_thread *t, const struct replay_modules *modules,
                                        uint32_t functions, struct thread_classes *classes)
{
    struct cursor log, payload;
    enum journal_record type;
    enum pilgrim_status status = PILGRIM_OK;
    cursor_init(&log, t->log.records.data, t->log.records.length);
    while (status == PILGRIM_OK && cursor_left(&log) && journal_next_record(&log, &type, &payload)) {
        if (type == JOURNAL_CLASS)
            status = take_class(&payload, modules, functions, classes);
        if (type != JOURNAL_BEGIN)
            continue;
        (void)cursor_varint(&payload);
        for (size_t left = cursor_count(&payload, 3); left && status == PILGRIM_OK; left--)
            status = take_class(&payload, modules, functions, classes);
    }
    return status == PILGRIM_NOMEM ? status : PILGRIM_OK;
}

enum pilgrim_status process_facts_read(const struct read_process *p, uint32_t functions, struct shared_facts *facts,
                                       struct thread_classes **classes)
{
    *facts = (struct shared_facts){0};
    *classes = calloc(p->thread_count + 1, sizeof **classes);
    if (!*classes)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = read_shared(&p->logs[JOURNAL_SHARED].records, facts);
    for (size_t i = 0; status == PILGRIM_OK && i < p->thread_count; i++)
        status = read_classes(&p->threads[i], &facts->modules, functions, &(*classes)[i]);
    return status;
}

void process_facts_free(const struct read_process *p, struct shared_facts *facts, struct thread_classes *classes)
{
    for (size_t i = 0; classes && i < p->thread_count; i++) {
        for (size_t k = 0; k < classes[i].count; k++)
            free(classes[i].items[k].callers);
        free(classes[i].items);
    }
    free(classes);
    shared_facts_free(facts);
}

const struct class_site *thread_last_class(const struct read_thread *t, const struct thread_classes *classes)
{
    return t->last_class < classes->count ? &classes->items[t->last_class] : NULL;
}
