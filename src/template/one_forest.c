/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that are read with one loop forest; see one_forest.h. Classes stand in the order of the forest, each loop
 * where the forest has it. */
#include "template/one_forest.h"

#include <stdlib.h>

#include "base/try.h"
#include "loops/loops_shared.h"

struct reading_groups {
    const struct fragment *f;
    const struct families *families;
    struct group_family *family;
    uint32_t keys;
    uint32_t *number;       /* by key: its number among those of the family; UINT32_MAX: the family has it not */
    uint32_t *terminal;     /* by class index of a group: its number; by number and loop: the new class index */
    struct bytes *grammars; /* by group */
    struct loops_shared shared;
};

/* Translates the structure of group G of the family. */
static enum pilgrim_status take_group(struct reading_groups *r, uint32_t g)
{
    struct structure *s = &r->family->structure;
    const uint32_t group = r->family->groups[g], count = r->f->groups[group].classes.count;
    size_t length;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = r->families->keys[r->families->first_key[group] + i];
        if (r->number[key] == UINT32_MAX) {
            r->number[key] = s->call_count;
            s->keys[s->call_count++] = key;
        }
        r->terminal[i] = r->number[key];
    }
    const uint8_t *data = intern_get(&r->f->sequences, r->f->groups[group].sequence, &length);
    return structure_translate(data, length, r->terminal, count, &r->grammars[g]);
}

/* Puts the classes into the order of the forest. */
static enum pilgrim_status order_keys(struct reading_groups *r)
{
    struct structure *s = &r->family->structure;
    const uint32_t loops = r->shared.loops.count;
    uint32_t *keys = malloc(r->keys * sizeof *keys + 1);
    uint32_t *terminal = realloc(r->terminal, (s->call_count + (size_t)loops) * sizeof *terminal + 1);
    r->terminal = terminal ? terminal : r->terminal;
    if (!keys || !terminal) {
        free(keys);
        return PILGRIM_NOMEM;
    }
    for (uint32_t i = 0; i < s->call_count + loops; i++)
        terminal[i] = i < s->call_count ? r->shared.order[i] : i;
    for (uint32_t i = 0; i < s->call_count; i++)
        keys[terminal[i]] = s->keys[i];
    free(s->keys);
    s->keys = keys;
    return PILGRIM_OK;
}

/* Sets the trips of loop I, whose body it has. *CHANGES: set if they are not the same each time. */
static enum pilgrim_status set_trips(struct reading_groups *r, uint32_t i, bool *changes)
{
    struct template_loop *loop = &r->family->structure.loops[i];
    const uint32_t groups = r->family->count;
    bool changing = false;
    loop->trips = calloc(2 * (size_t)groups, sizeof *loop->trips);
    if (!loop->trips)
        return PILGRIM_NOMEM;
    loop->met = loop->trips + groups;
    for (uint32_t g = 0; g < groups; g++) {
        const struct loops_loop *own = &r->shared.own[(size_t)g * r->shared.loops.count + i];
        loop->trips[g] = (uint64_t)own->first;
        loop->met[g] = own->count;
        changing |= own->range > 0;
    }
    if (!changing)
        return PILGRIM_OK;
    *changes = true;
    loop->times = calloc(groups, sizeof *loop->times);
    for (uint32_t g = 0; loop->times && g < groups; g++) {
        struct loops_loop *own = &r->shared.own[(size_t)g * r->shared.loops.count + i];
        loop->times[g] = *own;
        own->differences = (struct nested_runs){.count = 0};
    }
    return loop->times ? PILGRIM_OK : PILGRIM_NOMEM;
}

static enum pilgrim_status set_loops(struct reading_groups *r, bool *changes)
{
    struct structure *s = &r->family->structure;
    const struct loops *l = &r->shared.loops;
    TRY(order_keys(r));
    s->loops = calloc(l->count + (size_t)1, sizeof *s->loops);
    if (!s->loops)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < l->count; i++) {
        s->loop_count++;
        TRY(structure_translate(l->items[i].body.data, l->items[i].body.length, r->terminal, s->call_count + i,
                                &s->loops[i].body));
        TRY(set_trips(r, i, changes));
    }
    return structure_translate(l->top.data, l->top.length, r->terminal, s->call_count + l->count, &s->top);
}

static enum pilgrim_status read_groups(struct reading_groups *r, bool *made)
{
    struct structure *s = &r->family->structure;
    bool found;
    for (uint32_t g = 0; g < r->family->count; g++)
        TRY(take_group(r, g));
    TRY(loops_find_shared(r->grammars, r->family->count, s->call_count, &r->shared, &found));
    return found ? set_loops(r, made) : PILGRIM_OK;
}

enum pilgrim_status one_forest_make(const struct fragment *f, const struct families *families,
                                    struct group_family *family, uint32_t keys, bool *made)
{
    struct reading_groups r = {.f = f, .families = families, .family = family, .keys = keys};
    uint32_t largest = 1;
    *made = false;
    for (uint32_t g = 0; g < family->count; g++)
        if (f->groups[family->groups[g]].classes.count > largest)
            largest = f->groups[family->groups[g]].classes.count;
    family->structure =
        (struct structure){.keys = malloc(keys * sizeof *family->structure.keys + 1), .changing_groups = family->count};
    r.number = malloc(keys * sizeof *r.number + 1);
    r.terminal = malloc(largest * sizeof *r.terminal);
    r.grammars = calloc(family->count, sizeof *r.grammars);
    for (uint32_t i = 0; r.number && i < keys; i++)
        r.number[i] = UINT32_MAX;
    const bool has_memory = family->structure.keys && r.number && r.terminal && r.grammars;
    enum pilgrim_status status = has_memory ? read_groups(&r, made) : PILGRIM_NOMEM;
    for (uint32_t g = 0; r.grammars && g < family->count; g++)
        bytes_free(&r.grammars[g]);
    free(r.grammars);
    free(r.number);
    free(r.terminal);
    loops_shared_free(&r.shared);
    return status;
}
