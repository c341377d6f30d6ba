/* Fragments: streams grouped by what they do. Everything is stored once by content (base/intern.h); what differs
 * between members of a group is in columns, which join in constant time where they are regular, so that merging two
 * fragments takes time proportional to their sizes, not to the ranks they stand for. */
#include "merge/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"
#include "merge/stream_data.h"

struct fragment *fragment_new(uint32_t first_rank)
{
    struct fragment *f = calloc(1, sizeof *f);
    if (f)
        f->first_rank = first_rank;
    return f;
}

static void part_free(struct part *p)
{
    for (uint32_t i = 0; i < p->column_count; i++)
        column_free(&p->columns[i]);
    free(p->columns);
    free(p->shapes);
    column_free(&p->members);
    column_free(&p->ranks);
}

static void group_free(struct group *g)
{
    for (uint32_t i = 0; g->lists && i < g->class_count; i++)
        free(g->lists[i].parts);
    free(g->lists);
    free(g->timings);
    free(g->classes);
    column_free(&g->members);
}

void fragment_free(struct fragment *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->part_keys.count; i++)
        part_free(&f->parts[i]);
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        group_free(&f->groups[i]);
    free(f->parts);
    free(f->groups);
    column_free(&f->thread_counts);
    struct intern *tables[] = {&f->strings, &f->properties, &f->functions, &f->modules,    &f->classes,
                               &f->shapes,  &f->sequences,  &f->group_keys, &f->part_keys};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        intern_free(tables[i]);
    free(f);
}

uint64_t fragment_calls(const struct fragment *f)
{
    return f->calls;
}

uint64_t fragment_plain_bytes(const struct fragment *f)
{
    return f->plain_bytes;
}

uint32_t fragment_ranks(const struct fragment *f)
{
    return f->rank_count;
}

/* Interns what B holds and empties B. */
static enum pilgrim_status intern_bytes(struct intern *t, struct bytes *b, uint32_t *number)
{
    enum pilgrim_status status = bytes_status(b);
    if (status == PILGRIM_OK)
        status = intern_add(t, b->data, b->length, number);
    bytes_free(b);
    return status;
}

static enum pilgrim_status intern_text(struct fragment *f, const char *text, uint32_t *number)
{
    return intern_add(&f->strings, text, strlen(text), number);
}

enum pilgrim_status fragment_set_property(struct fragment *f, const char *key, const char *value)
{
    uint32_t k, v, ignored;
    TRY(intern_text(f, key, &k));
    TRY(intern_text(f, value, &v));
    struct bytes b = {0};
    bytes_put_varint(&b, k);
    bytes_put_varint(&b, v);
    return intern_bytes(&f->properties, &b, &ignored);
}

static void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy && bytes)
        memcpy(copy, data, bytes);
    return copy;
}

/* Makes room for one more element of SIZE bytes behind COUNT. */
static enum pilgrim_status grow(void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return PILGRIM_OK;
    uint32_t larger = *capacity * 2 + 4;
    void *grown = realloc(*array, larger * size);
    if (!grown)
        return PILGRIM_NOMEM;
    *array = grown;
    *capacity = larger;
    return PILGRIM_OK;
}

enum pilgrim_status fragment_group(struct fragment *f, bool process, uint32_t sequence, const uint32_t *classes,
                                   uint32_t class_count, uint32_t *group)
{
    void *groups = f->groups;
    uint32_t known = f->group_keys.count;
    TRY(grow(&groups, known, &f->group_capacity, sizeof *f->groups));
    f->groups = groups;
    struct group g = {.process = process, .sequence = sequence, .class_count = class_count};
    g.classes = copy_of(classes, class_count * sizeof *classes);
    g.timings = malloc(class_count * sizeof *g.timings + 1);
    g.lists = calloc(class_count + 1, sizeof *g.lists);
    struct bytes key = {0};
    bytes_put_u8(&key, process);
    bytes_put_varint(&key, sequence);
    for (uint32_t i = 0; i < class_count; i++)
        bytes_put_varint(&key, classes[i]);
    enum pilgrim_status status = intern_bytes(&f->group_keys, &key, group);
    bool added = status == PILGRIM_OK && f->group_keys.count > known;
    if (added)
        f->groups[known] = g;
    if (!g.classes || !g.timings || !g.lists)
        status = PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < class_count; i++)
        timing_init(&g.timings[i]);
    if (!added)
        group_free(&g);
    return status;
}

/* Shapes of a new part, and an empty column for each of their slots. */
static enum pilgrim_status part_init(const struct fragment *f, struct part *p, const uint32_t *shapes)
{
    p->shapes = copy_of(shapes, p->signature_count * sizeof *shapes);
    if (!p->shapes)
        return PILGRIM_NOMEM;
    uint64_t total = 0;
    for (uint32_t i = 0; i < p->signature_count; i++) {
        size_t length;
        uint32_t slots;
        const uint8_t *shape = intern_get(&f->shapes, shapes[i], &length);
        TRY(shape_rewrite(shape, length, NULL, 0, NULL, &slots));
        total += slots;
    }
    if (total > UINT32_MAX)
        return PILGRIM_LIMIT;
    p->columns = calloc((size_t)total + 1, sizeof *p->columns);
    if (!p->columns)
        return PILGRIM_NOMEM;
    p->column_count = (uint32_t)total;
    return PILGRIM_OK;
}

enum pilgrim_status fragment_part(struct fragment *f, uint32_t group, uint32_t place, uint32_t sequence,
                                  const uint32_t *shapes, uint32_t signature_count, uint32_t *part)
{
    uint32_t known = f->part_keys.count;
    void *parts = f->parts;
    TRY(grow(&parts, known, &f->part_capacity, sizeof *f->parts));
    f->parts = parts;
    struct part_list *list = &f->groups[group].lists[place];
    void *members = list->parts;
    TRY(grow(&members, list->count, &list->capacity, sizeof *list->parts));
    list->parts = members;
    struct bytes key = {0};
    bytes_put_varint(&key, group);
    bytes_put_varint(&key, place);
    bytes_put_varint(&key, sequence);
    for (uint32_t i = 0; i < signature_count; i++)
        bytes_put_varint(&key, shapes[i]);
    TRY(intern_bytes(&f->part_keys, &key, part));
    if (f->part_keys.count == known)
        return PILGRIM_OK;
    f->parts[known] =
        (struct part){.group = group, .place = place, .sequence = sequence, .signature_count = signature_count};
    list->parts[list->count++] = known;
    return part_init(f, &f->parts[known], shapes);
}

/* ---- one process's streams ---- */

/* What turns a stream's numbers into the fragment's. */
struct translation {
    struct fragment *fragment;
    const struct vocabulary *vocabulary;
    uint32_t *names; /* vocabulary's name -> string, UINT32_MAX: not yet */
};

/* The function as the file has it: MPI_Wait&request>status (docs/FORMAT.md, section 3). */
static void put_declaration(struct bytes *b, const struct function_descriptor *d)
{
    static const char marks[] = {[DIRECTION_IN] = ',', [DIRECTION_OUT] = '>', [DIRECTION_INOUT] = '&'};
    bytes_put(b, d->name, strlen(d->name));
    for (unsigned i = 0; i < d->parameter_count; i++) {
        bytes_put_u8(b, (uint8_t)marks[d->parameters[i].direction]);
        bytes_put(b, d->parameters[i].name, strlen(d->parameters[i].name));
    }
    if (d->returns == RETURNS_VALUE)
        bytes_put_u8(b, ':');
}

static enum pilgrim_status translate_module(struct fragment *f, const struct code_module *module, uint32_t *number)
{
    struct bytes b = {0};
    uint32_t name;
    TRY(intern_text(f, module->name, &name));
    bytes_put_varint(&b, name);
    bytes_put_varint(&b, module->build_id_length);
    bytes_put(&b, module->build_id, module->build_id_length);
    return intern_bytes(&f->modules, &b, number);
}

static enum pilgrim_status put_frames(struct fragment *f, const struct stream_class *class, struct bytes *b)
{
    bytes_put_varint(b, class->frame_count);
    for (uint32_t i = 0; i < class->frame_count; i++) {
        uint32_t module;
        TRY(translate_module(f, class->frames[i].module, &module));
        bytes_put_varint(b, module);
        bytes_put_varint(b, class->frames[i].offset);
    }
    return PILGRIM_OK;
}

static enum pilgrim_status translate_class(struct translation *t, const struct stream_class *class, uint32_t *number)
{
    struct fragment *f = t->fragment;
    struct bytes b = {0};
    uint32_t function;
    put_declaration(&b, &t->vocabulary->functions[class->key.function]);
    TRY(intern_bytes(&f->functions, &b, &function));
    bytes_put_varint(&b, (uint64_t)function << 1 | class->key.fortran);
    enum pilgrim_status status = put_frames(f, class, &b);
    if (status == PILGRIM_OK)
        return intern_bytes(&f->classes, &b, number);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status translate_key(struct translation *t, const uint8_t *key, size_t length, uint32_t *shape,
                                         struct bytes *slots)
{
    for (;;) {
        struct bytes b = {0};
        uint32_t missing;
        size_t before = slots->length;
        enum pilgrim_status status =
            shape_split(key, length, t->names, t->vocabulary->name_count, &b, slots, &missing);
        if (status == PILGRIM_OK)
            return intern_bytes(&t->fragment->shapes, &b, shape);
        bytes_free(&b);
        if (status != PILGRIM_INVALID)
            return status;
        slots->length = before;
        TRY(intern_text(t->fragment, t->vocabulary->names[missing], &t->names[missing]));
    }
}

static enum pilgrim_status serialise(struct fragment *f, const struct grammar *g, uint32_t *sequence)
{
    struct bytes b = {0};
    grammar_serialise(g, &b);
    return intern_bytes(&f->sequences, &b, sequence);
}

static enum pilgrim_status part_add_member(struct part *p, uint64_t place, uint32_t rank, const struct bytes *slots)
{
    struct cursor c;
    cursor_init(&c, slots->data, slots->length);
    for (uint32_t i = 0; i < p->column_count; i++)
        TRY(column_append(&p->columns[i], (int64_t)cursor_u64(&c)));
    TRY(column_append(&p->members, (int64_t)place));
    return column_append(&p->ranks, rank);
}

static enum pilgrim_status add_class(struct translation *t, uint32_t group, uint32_t place, uint32_t rank,
                                     const struct stream_class *class, uint32_t *shapes, struct bytes *slots)
{
    struct fragment *f = t->fragment;
    uint32_t sequence, part;
    TRY(serialise(f, class->values, &sequence));
    for (uint32_t i = 0; i < class->signatures.count; i++) {
        size_t length;
        const uint8_t *key = signature_key(&class->signatures, i, &length);
        TRY(translate_key(t, key, length, &shapes[i], slots));
    }
    TRY(fragment_part(f, group, place, sequence, shapes, class->signatures.count, &part));
    timing_merge(&f->groups[group].timings[place], &class->timing);
    return part_add_member(&f->parts[part], f->groups[group].member_count, rank, slots);
}

static enum pilgrim_status add_stream_classes(struct translation *t, uint32_t group, uint32_t rank,
                                              const struct stream *s)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < s->class_count; i++) {
        uint32_t *shapes = malloc(s->classes[i]->signatures.count * sizeof *shapes + 1);
        struct bytes slots = {0};
        status = shapes ? add_class(t, group, i, rank, s->classes[i], shapes, &slots) : PILGRIM_NOMEM;
        bytes_free(&slots);
        free(shapes);
    }
    return status;
}

static enum pilgrim_status add_stream(struct fragment *f, const struct stream *s, bool process, uint32_t rank,
                                      uint64_t number)
{
    struct translation t = {.fragment = f, .vocabulary = s->vocabulary};
    uint32_t sequence, group;
    TRY(serialise(f, s->structure, &sequence));
    uint32_t *classes = malloc(s->class_count * sizeof *classes + 1);
    t.names = malloc(s->vocabulary->name_count * sizeof *t.names + 1);
    enum pilgrim_status status = classes && t.names ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < s->vocabulary->name_count; i++)
        t.names[i] = UINT32_MAX;
    for (uint32_t i = 0; status == PILGRIM_OK && i < s->class_count; i++)
        status = translate_class(&t, s->classes[i], &classes[i]);
    if (status == PILGRIM_OK)
        status = fragment_group(f, process, sequence, classes, s->class_count, &group);
    if (status == PILGRIM_OK)
        status = add_stream_classes(&t, group, rank, s);
    if (status == PILGRIM_OK) {
        f->groups[group].member_count++;
        status = column_append(&f->groups[group].members, (int64_t)number);
    }
    free(t.names);
    free(classes);
    if (!process) {
        f->calls += s->calls;
        f->plain_bytes += stream_plain_bytes(s);
    }
    return status;
}

enum pilgrim_status fragment_add_rank(struct fragment *f, const struct stream *process, const struct stream *const *threads,
                                      size_t thread_count)
{
    TRY(add_stream(f, process, true, f->first_rank + f->rank_count, f->rank_count));
    for (size_t i = 0; i < thread_count; i++)
        TRY(add_stream(f, threads[i], false, f->first_rank + f->rank_count, f->thread_total++));
    f->rank_count++;
    return column_append(&f->thread_counts, (int64_t)thread_count);
}

/* ---- two fragments ---- */

/* From the numbers of the fragment that is used up to those of the other. */
struct mapping {
    uint32_t *strings, *functions, *modules, *classes, *shapes, *sequences;
};

static enum pilgrim_status map_modules(struct fragment *into, const struct fragment *from, struct mapping *m)
{
    for (uint32_t i = 0; i < from->modules.count; i++) {
        struct cursor c;
        struct bytes b = {0};
        size_t length;
        const uint8_t *data = intern_get(&from->modules, i, &length);
        cursor_init(&c, data, length);
        bytes_put_varint(&b, m->strings[cursor_index(&c, from->strings.count)]);
        bytes_put(&b, data + c.position, cursor_left(&c));
        TRY(intern_bytes(&into->modules, &b, &m->modules[i]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status map_classes(struct fragment *into, const struct fragment *from, struct mapping *m)
{
    for (uint32_t i = 0; i < from->classes.count; i++) {
        struct cursor c;
        struct bytes b = {0};
        size_t length;
        const uint8_t *data = intern_get(&from->classes, i, &length);
        cursor_init(&c, data, length);
        size_t function = cursor_index(&c, (size_t)from->functions.count << 1);
        bytes_put_varint(&b, (uint64_t)m->functions[function >> 1] << 1 | (function & 1));
        size_t frames = cursor_index(&c, SITE_FRAMES_MAX + 1);
        bytes_put_varint(&b, frames);
        for (size_t k = 0; k < frames; k++) {
            bytes_put_varint(&b, m->modules[cursor_index(&c, from->modules.count)]);
            bytes_put_varint(&b, cursor_varint(&c));
        }
        TRY(intern_bytes(&into->classes, &b, &m->classes[i]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status map_tables(struct fragment *into, const struct fragment *from, struct mapping *m)
{
    size_t length;
    for (uint32_t i = 0; i < from->strings.count; i++) {
        const uint8_t *data = intern_get(&from->strings, i, &length);
        TRY(intern_add(&into->strings, data, length, &m->strings[i]));
    }
    for (uint32_t i = 0; i < from->sequences.count; i++) {
        const uint8_t *data = intern_get(&from->sequences, i, &length);
        TRY(intern_add(&into->sequences, data, length, &m->sequences[i]));
    }
    for (uint32_t i = 0; i < from->functions.count; i++) {
        const uint8_t *data = intern_get(&from->functions, i, &length);
        TRY(intern_add(&into->functions, data, length, &m->functions[i]));
    }
    TRY(map_modules(into, from, m));
    TRY(map_classes(into, from, m));
    for (uint32_t i = 0; i < from->shapes.count; i++) {
        struct bytes b = {0};
        uint32_t slots;
        const uint8_t *data = intern_get(&from->shapes, i, &length);
        enum pilgrim_status status = shape_rewrite(data, length, m->strings, from->strings.count, &b, &slots);
        if (status != PILGRIM_OK) {
            bytes_free(&b);
            return status;
        }
        TRY(intern_bytes(&into->shapes, &b, &m->shapes[i]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status merge_part(struct fragment *into, uint32_t group, const struct part *p,
                                      const struct mapping *m, uint64_t place_offset)
{
    uint32_t *shapes = malloc(p->signature_count * sizeof *shapes + 1);
    if (!shapes)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < p->signature_count; i++)
        shapes[i] = m->shapes[p->shapes[i]];
    uint32_t number;
    enum pilgrim_status status =
        fragment_part(into, group, p->place, m->sequences[p->sequence], shapes, p->signature_count, &number);
    free(shapes);
    if (status != PILGRIM_OK)
        return status;
    struct part *to = &into->parts[number];
    for (uint32_t i = 0; i < p->column_count; i++)
        TRY(column_append_column(&to->columns[i], &p->columns[i], 0));
    TRY(column_append_column(&to->members, &p->members, (int64_t)place_offset));
    return column_append_column(&to->ranks, &p->ranks, 0);
}

static enum pilgrim_status merge_group(struct fragment *into, const struct fragment *from, const struct group *g,
                                       const struct mapping *m)
{
    uint32_t *classes = malloc(g->class_count * sizeof *classes + 1);
    if (!classes)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < g->class_count; i++)
        classes[i] = m->classes[g->classes[i]];
    uint32_t number;
    enum pilgrim_status status =
        fragment_group(into, g->process, m->sequences[g->sequence], classes, g->class_count, &number);
    free(classes);
    if (status != PILGRIM_OK)
        return status;
    uint64_t place_offset = into->groups[number].member_count;
    for (uint32_t i = 0; i < g->class_count; i++) {
        timing_merge(&into->groups[number].timings[i], &g->timings[i]);
        for (uint32_t k = 0; k < g->lists[i].count; k++)
            TRY(merge_part(into, number, &from->parts[g->lists[i].parts[k]], m, place_offset));
    }
    into->groups[number].member_count += g->member_count;
    uint64_t member_offset = g->process ? into->rank_count : into->thread_total;
    return column_append_column(&into->groups[number].members, &g->members, (int64_t)member_offset);
}

enum pilgrim_status fragment_merge(struct fragment *into, struct fragment *from)
{
    if (from->first_rank != into->first_rank + into->rank_count)
        return PILGRIM_INVALID;
    size_t total = (size_t)from->strings.count + from->functions.count + from->modules.count + from->classes.count +
                   from->shapes.count + from->sequences.count;
    uint32_t *numbers = malloc(total * sizeof *numbers + 1);
    if (!numbers)
        return PILGRIM_NOMEM;
    struct mapping m = {.strings = numbers};
    m.functions = m.strings + from->strings.count;
    m.modules = m.functions + from->functions.count;
    m.classes = m.modules + from->modules.count;
    m.shapes = m.classes + from->classes.count;
    m.sequences = m.shapes + from->shapes.count;
    enum pilgrim_status status = map_tables(into, from, &m);
    for (uint32_t i = 0; status == PILGRIM_OK && i < from->group_keys.count; i++)
        status = merge_group(into, from, &from->groups[i], &m);
    free(numbers);
    if (status == PILGRIM_OK)
        status = column_append_column(&into->thread_counts, &from->thread_counts, 0);
    into->rank_count += from->rank_count;
    into->thread_total += from->thread_total;
    into->calls += from->calls;
    into->plain_bytes += from->plain_bytes;
    return status;
}
