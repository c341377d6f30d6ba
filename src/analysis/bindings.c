/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps names of objects to what they stand for; see bindings.h. */
#include "analysis/bindings.h"

#include <stdlib.h>

enum { BINDINGS_MIN = 16 };

static bool is_name(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_OBJECT || v->type == PILGRIM_REQUEST;
}

static struct key key_of(enum bound_kind kind, const struct pilgrim_value *name)
{
    return (struct key){{kind, (uint64_t)name->id, name->type == PILGRIM_REQUEST ? (uint64_t)name->offset : 0}};
}

static struct binding *scope_find(const struct binding_scope *s, enum bound_kind kind, const struct pilgrim_value *name)
{
    const uint64_t *index = is_name(name) ? key_table_find(&s->names, key_of(kind, name)) : NULL;
    return index ? &s->bindings[*index] : NULL;
}

/* Returns the binding of NAME, a new one if there is none. NULL: no memory */
static struct binding *scope_put(struct binding_scope *s, enum bound_kind kind, const struct pilgrim_value *name)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : BINDINGS_MIN;
        struct binding *larger = realloc(s->bindings, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        s->bindings = larger;
        s->capacity = capacity;
    }
    const uint64_t *index = key_table_put(&s->names, key_of(kind, name), s->count);
    if (!index)
        return NULL;
    if (*index == s->count)
        s->bindings[s->count++] = (struct binding){0};
    return &s->bindings[*index];
}

static void scope_clear(struct binding_scope *s)
{
    key_table_clear(&s->names);
    s->count = 0;
}

void bindings_begin_thread(struct bindings *b)
{
    scope_clear(&b->thread);
    b->changes++;
}

void bindings_begin_rank(struct bindings *b)
{
    scope_clear(&b->process);
    bindings_begin_thread(b);
}

static bool is_same(struct bound x, struct bound y)
{
    return x.a == y.a && x.b == y.b;
}

/* In a loop, a thread often makes, ends and makes the same thing again. That is no change, unless the process scope
 * knows the name as well. */
bool bindings_set(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name, struct bound what)
{
    if (!is_name(name))
        return true;
    size_t before = b->thread.count;
    struct binding *own = scope_put(&b->thread, kind, name);
    if (!own)
        return false;
    bool was_shared = !own->live && scope_find(&b->process, kind, name);
    if (b->thread.count > before || !is_same(own->what, what) || was_shared)
        b->changes++;
    *own = (struct binding){.what = what, .live = true};
    return true;
}

bool bindings_share(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name, struct bound what)
{
    if (!is_name(name))
        return true;
    size_t before = b->process.count;
    struct binding *shared = scope_put(&b->process, kind, name);
    if (!shared)
        return false;
    shared->ambiguous = b->process.count == before && (shared->ambiguous || !is_same(shared->what, what));
    shared->what = what;
    shared->live = true;
    b->changes++;
    return true;
}

void bindings_end(struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name)
{
    struct binding *own = scope_find(&b->thread, kind, name);
    if (!own || !own->live)
        return;
    own->live = false;
    if (scope_find(&b->process, kind, name))
        b->changes++;
}

const struct bound *bindings_find(const struct bindings *b, enum bound_kind kind, const struct pilgrim_value *name)
{
    const struct binding *found = scope_find(&b->thread, kind, name);
    if (!found || !found->live)
        found = scope_find(&b->process, kind, name);
    return found && !found->ambiguous ? &found->what : NULL;
}

void bindings_free(struct bindings *b)
{
    key_table_clear(&b->thread.names);
    key_table_clear(&b->process.names);
    free(b->thread.bindings);
    free(b->process.bindings);
}
