/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures beside each other; see beside.h. Bodies that are equal once their classes are those of the family are one
 * loop. */
#include "template/beside.h"

#include <stdlib.h>

#include "base/try.h"

struct placing {
    const struct fragment *f;
    const struct families *families;
    const struct group_family *family;
    struct structure *s;
    uint32_t *class_of; /* by key: the new class index */
    uint32_t *terminal; /* by class index of a group: the new one */
    uint32_t *seen;     /* by kept loop: 1 + the last group of the family that has it */
    struct intern kept; /* each: which one of equal bodies it is, the body */
    struct intern tops; /* structures of groups */
    uint32_t *top_of;   /* by group of the family */
};

/* Appends GRAMMAR, in which terminal i becomes p->terminal[i], to OUT. */
static enum pilgrim_status translate(const struct placing *p, uint32_t grammar, uint32_t limit, struct bytes *out)
{
    size_t length;
    const uint8_t *data = intern_get(&p->f->sequences, grammar, &length);
    return structure_translate(data, length, p->terminal, limit, out);
}

/* Finds or adds the loop that body BODY of group G is. LIMIT: it uses class indices below this. */
static enum pilgrim_status keep_loop(struct placing *p, uint32_t g, uint32_t body, uint32_t limit, uint32_t *number)
{
    struct bytes translated = {0}, key = {0};
    enum pilgrim_status status = translate(p, body, limit, &translated);
    bool found = false;
    for (uint32_t i = 0; status == PILGRIM_OK && !found; i++) {
        key.length = 0;
        bytes_put_varint(&key, i);
        bytes_put(&key, translated.data, translated.length);
        status = bytes_status(&key);
        if (status == PILGRIM_OK)
            status = intern_add(&p->kept, key.data, key.length, number);
        found = status == PILGRIM_OK && p->seen[*number] != g + 1;
    }
    if (status == PILGRIM_OK && *number == p->s->kept_count) {
        p->s->kept[p->s->kept_count++] = translated;
        translated = (struct bytes){.length = 0};
    }
    if (status == PILGRIM_OK)
        p->seen[*number] = g + 1;
    bytes_free(&translated);
    bytes_free(&key);
    return status;
}

static enum pilgrim_status place_group(struct placing *p, uint32_t g, uint32_t **kept_of)
{
    const uint32_t group = p->family->groups[g];
    const struct class_list *l = &p->f->groups[group].classes;
    const uint32_t calls = l->count - l->loop_count;
    struct bytes top = {0};
    for (uint32_t i = 0; i < calls; i++)
        p->terminal[i] = p->class_of[p->families->keys[p->families->first_key[group] + i]];
    for (uint32_t i = 0; i < l->loop_count; i++) {
        TRY(keep_loop(p, g, l->bodies[i], calls + i, *kept_of));
        p->terminal[calls + i] = p->s->call_count + *(*kept_of)++;
    }
    enum pilgrim_status status = translate(p, p->f->groups[group].sequence, l->count, &top);
    if (status == PILGRIM_OK)
        status = intern_add(&p->tops, top.data, top.length, &p->top_of[g]);
    bytes_free(&top);
    return status;
}

/* Makes a loop of each structure. */
static enum pilgrim_status add_loops(struct placing *p)
{
    struct structure *s = p->s;
    const uint32_t groups = p->family->count;
    s->loops = calloc(p->tops.count, sizeof *s->loops);
    if (!s->loops)
        return PILGRIM_NOMEM;
    bytes_put_varint(&s->top, 1);
    bytes_put_varint(&s->top, p->tops.count);
    for (uint32_t i = 0; i < p->tops.count; i++) {
        size_t length;
        const uint8_t *body = intern_get(&p->tops, i, &length);
        struct template_loop *loop = &s->loops[s->loop_count++];
        loop->trips = calloc(2 * (size_t)groups, sizeof *loop->trips);
        if (!loop->trips)
            return PILGRIM_NOMEM;
        loop->met = loop->trips + groups;
        bytes_put(&loop->body, body, length);
        TRY(bytes_status(&loop->body));
        for (uint32_t g = 0; g < groups; g++) {
            loop->trips[g] = p->top_of[g] == i;
            loop->met[g] = 1;
        }
        bytes_put_varint(&s->top, (uint64_t)(s->call_count + s->kept_count + i) << 2);
    }
    return bytes_status(&s->top);
}

static enum pilgrim_status place_all(struct placing *p)
{
    struct structure *s = p->s;
    uint32_t *kept_of = s->kept_of;
    for (uint32_t g = 0; g < p->family->count; g++) {
        const uint32_t group = p->family->groups[g];
        const struct class_list *l = &p->f->groups[group].classes;
        for (uint32_t i = 0; i < l->count - l->loop_count; i++) {
            const uint32_t key = p->families->keys[p->families->first_key[group] + i];
            if (p->class_of[key] != UINT32_MAX)
                continue;
            p->class_of[key] = s->call_count;
            s->keys[s->call_count++] = key;
        }
    }
    for (uint32_t g = 0; g < p->family->count; g++)
        TRY(place_group(p, g, &kept_of));
    return add_loops(p);
}

enum pilgrim_status beside_make(const struct fragment *f, const struct families *families, struct group_family *family,
                                uint32_t keys)
{
    struct structure *s = &family->structure;
    struct placing p = {.f = f, .families = families, .family = family, .s = s};
    size_t loops = 1, largest = 1;
    for (uint32_t g = 0; g < family->count; g++) {
        const struct class_list *l = &f->groups[family->groups[g]].classes;
        loops += l->loop_count;
        largest = l->count > largest ? l->count : largest;
    }
    *s = (struct structure){.keys = malloc(keys * sizeof *s->keys + 1),
                            .kept = calloc(loops, sizeof *s->kept),
                            .kept_of = calloc(loops, sizeof *s->kept_of)};
    p.class_of = malloc(keys * sizeof *p.class_of + 1);
    p.terminal = malloc(largest * sizeof *p.terminal);
    p.seen = calloc(loops, sizeof *p.seen);
    p.top_of = calloc(family->count, sizeof *p.top_of);
    for (uint32_t i = 0; p.class_of && i < keys; i++)
        p.class_of[i] = UINT32_MAX;
    const bool has_memory = s->keys && s->kept && s->kept_of && p.class_of && p.terminal && p.seen && p.top_of;
    enum pilgrim_status status = has_memory ? place_all(&p) : PILGRIM_NOMEM;
    free(p.class_of);
    free(p.terminal);
    free(p.seen);
    free(p.top_of);
    intern_free(&p.kept);
    intern_free(&p.tops);
    return status;
}
