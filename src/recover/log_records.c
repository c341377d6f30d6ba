/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of logs; see log_records.h. */
#define _GNU_SOURCE 1 /* strndup */
#include "recover/log_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "record/stream_journal.h"

enum { RANK_BASES_MAX = 1 << 24 };

void *array_reserve(void *items, size_t *capacity, size_t index, size_t size)
{
    if (index < *capacity)
        return items;
    size_t more = 2 * index + 16;
    char *grown = realloc(items, more * size);
    if (!grown)
        return NULL;
    memset(grown + *capacity * size, 0, (more - *capacity) * size);
    *capacity = more;
    return grown;
}

static void module_free(const struct code_module *m)
{
    free((char *)(uintptr_t)m->name);
    free((char *)(uintptr_t)m->python);
}

/* Takes a text that ends with a 0 byte. *TEXT: to be freed. */
static enum pilgrim_status take_text(struct cursor *c, char **text)
{
    const uint8_t *begin = c->data + c->position, *end = memchr(begin, 0, cursor_left(c));
    if (!end || !cursor_take(c, (size_t)(end - begin) + 1))
        return PILGRIM_DAMAGED;
    *text = strdup((const char *)begin);
    return *text ? PILGRIM_OK : PILGRIM_NOMEM;
}

static enum pilgrim_status take_module(struct replay_modules *modules, struct cursor *c)
{
    struct code_module *items = array_reserve(modules->items, &modules->capacity, modules->count, sizeof *items);
    if (!items)
        return PILGRIM_NOMEM;
    modules->items = items;
    struct code_module *m = &items[modules->count];
    char *python = NULL;
    *m = (struct code_module){.build_id_length = cursor_u8(c)};
    if (m->build_id_length == JOURNAL_MODULE_IN_PYTHON) {
        m->build_id_length = 0;
        TRY(take_text(c, &python));
    }
    m->python = python;
    const uint8_t *id = m->build_id_length <= SITE_BUILD_ID_BYTES ? cursor_take(c, m->build_id_length) : NULL;
    if (id) {
        memcpy(m->build_id, id, m->build_id_length);
        m->name = strndup((const char *)c->data + c->position, cursor_left(c));
    }
    if (!m->name) {
        module_free(m);
        return id ? PILGRIM_NOMEM : PILGRIM_DAMAGED;
    }
    modules->count++;
    return PILGRIM_OK;
}

static enum pilgrim_status take_rank_base(struct shared_facts *facts, struct cursor *c)
{
    struct journal_rank_base base;
    const uint8_t *data = cursor_take(c, sizeof base);
    if (!data)
        return PILGRIM_DAMAGED;
    memcpy(&base, data, sizeof base);
    if (base.index > facts->base_count || base.index > RANK_BASES_MAX)
        return PILGRIM_DAMAGED;
    struct journal_rank_base *bases = array_reserve(facts->bases, &facts->base_capacity, base.index, sizeof *bases);
    if (!bases)
        return PILGRIM_NOMEM;
    facts->bases = bases;
    bases[base.index] = base;
    facts->base_count += base.index == facts->base_count;
    return PILGRIM_OK;
}

static enum pilgrim_status take_clock(struct shared_facts *facts, struct cursor *c)
{
    const uint8_t *data = cursor_take(c, sizeof facts->clock);
    if (!data)
        return PILGRIM_DAMAGED;
    memcpy(&facts->clock, data, sizeof facts->clock);
    return PILGRIM_OK;
}

enum pilgrim_status shared_facts_take(struct shared_facts *facts, enum journal_record type, struct cursor *c)
{
    switch (type) {
    case JOURNAL_MODULE:
        return take_module(&facts->modules, c);
    case JOURNAL_RANK_BASE:
        return take_rank_base(facts, c);
    case JOURNAL_CLOCK:
        return take_clock(facts, c);
    default:
        return PILGRIM_OK;
    }
}

void shared_facts_free(struct shared_facts *facts)
{
    for (size_t i = 0; i < facts->modules.count; i++)
        module_free(&facts->modules.items[i]);
    free(facts->modules.items);
    free(facts->bases);
    *facts = (struct shared_facts){0};
}

enum pilgrim_status class_record_take(struct cursor *c, const struct replay_modules *modules, uint32_t functions,
                                      size_t classes, struct class_record *class)
{
    class->flags = cursor_u8(c);
    class->function = (uint32_t)cursor_index(c, functions);
    class->twin = class->flags & TOLD_TWIN ? cursor_index(c, classes) : 0;
    class->frame_count = cursor_index(c, SITE_FRAMES_MAX + 1);
    for (size_t i = 0; i < class->frame_count; i++) {
        size_t module = cursor_index(c, modules->count);
        class->frames[i].offset = cursor_varint(c);
        if (c->status != PILGRIM_OK)
            return PILGRIM_DAMAGED;
        class->frames[i].module = &modules->items[module];
    }
    return c->status == PILGRIM_OK ? PILGRIM_OK : PILGRIM_DAMAGED;
}
