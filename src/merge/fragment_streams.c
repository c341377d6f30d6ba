/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the streams of a process to a fragment: classes, keys and sequences in the fragment's numbers.
 *
 * For each class the signatures become entries and slots (collect_signatures), which join a value group as one more
 * member (add_member). A stream whose structure has loops with changing trips gets a class for each loop. The file has
 * more than 400 lines because these steps share the numbers in `struct translation`. */
#include "merge/fragment_streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/value.h"
#include "format/trace_format.h"
#include "loops/loops.h"
#include "rules/rules.h"
#include "merge/fragment_ended.h"
#include "merge/shape.h"
#include "record/stream_inline.h"
#include "record/skeleton.h"

/* Translates the numbers of a stream to those of the fragment. */
struct translation {
    struct fragment *fragment;
    const struct vocabulary *vocabulary;
    uint32_t *names;                /* by name of the vocabulary: its string; UINT32_MAX: it has none yet */
    const struct rank_bases *bases; /* of the process */
    const struct intern *chunks;    /* of the stream */
    int64_t texts;                  /* the hash of the stream's texts */
    uint32_t *value_groups;         /* NULL, or where to note the value group of each class */
};

/* Puts the declaration of a function as the file has it, for instance MPI_Wait&request>status (docs/FORMAT.md, section
 * 3). */
static void put_declaration(struct bytes *b, const struct function_descriptor *d)
{
    static const char marks[] = {[DIRECTION_IN] = ',', [DIRECTION_OUT] = '>', [DIRECTION_INOUT] = '&'};
    bytes_put(b, d->name, strlen(d->name));
    for (unsigned i = 0; i < d->parameter_count; i++) {
        bytes_put_u8(b, (uint8_t)marks[d->parameters[i].direction]);
        bytes_put(b, d->parameters[i].name, strlen(d->parameters[i].name));
    }
    if (d->returns != RETURNS_ERROR_CODE)
        bytes_put_u8(b, ':');
}

static enum pilgrim_status translate_module(struct fragment *f, const struct code_module *module, uint32_t *number)
{
    struct bytes b = {0};
    uint32_t name, function = 0;
    TRY(intern_text(f, module->name, &name));
    if (module->python)
        TRY(intern_text(f, module->python, &function));
    bytes_put_varint(&b, name);
    bytes_put_varint(&b, module->python ? MODULE_IN_PYTHON : module->build_id_length);
    if (module->python)
        bytes_put_varint(&b, function);
    else
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
    put_declaration(&b, &t->vocabulary->functions[class->head.key.function]);
    TRY(intern_bytes(&f->functions, &b, &function));
    bytes_put_varint(&b, (uint64_t)function << 1 | class->head.key.fortran);
    enum pilgrim_status status = put_frames(f, class, &b);
    if (status == PILGRIM_OK)
        return intern_bytes(&f->classes, &b, number);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status translate_key(struct translation *t, const uint8_t *key, size_t length, uint32_t *shape,
                                         struct slots *slots)
{
    struct fragment *f = t->fragment;
    slots->count = 0;
    for (;;) {
        struct bytes b = {0};
        struct shape_names names = {.strings = t->names, .count = t->vocabulary->name_count, .texts = t->texts};
        enum pilgrim_status status = shape_split(key, length, &names, &f->stored_deltas, &b, slots);
        if (status == PILGRIM_OK)
            return intern_bytes(&f->shapes, &b, shape);
        bytes_free(&b);
        if (status != PILGRIM_INVALID)
            return status;
        slots->count = 0;
        TRY(intern_text(f, t->vocabulary->names[names.missing], &t->names[names.missing]));
    }
}

static enum pilgrim_status serialise(struct translation *t, const struct sequence *s, uint32_t *sequence)
{
    struct bytes b = {0};
    enum pilgrim_status status = sequence_serialise(s, t->chunks, &b);
    if (status == PILGRIM_OK)
        return intern_bytes(&t->fragment->sequences, &b, sequence);
    bytes_free(&b);
    return status;
}

/* ---- the signatures of a class: entries and their slots ---- */

/* The entries that the signatures of a class become. */
struct class_entries {
    struct signature_entry *entries;
    uint32_t count;
    struct slots slots;
    struct slot_series series; /* the signatures since the last entry; all have ... */
    uint32_t shape;            /* ... this shape */
    bool joinable;             /* SHAPE has no array series, so its signatures may become a signature series */
};

static enum pilgrim_status end_slot_series(struct class_entries *c)
{
    uint32_t signatures = (uint32_t)c->series.count;
    bool is_series = slot_series_has_deltas(&c->series);
    for (uint32_t i = 0; i < (is_series ? 1 : signatures); i++)
        c->entries[c->count++] = (struct signature_entry){.shape = c->shape, .count = is_series ? signatures : 1};
    return slot_series_end(&c->series, &c->slots);
}

static enum pilgrim_status collect(struct fragment *f, struct class_entries *c, uint32_t shape,
                                   const struct slots *slots)
{
    bool fits = c->series.count > 0 && shape == c->shape && c->joinable, has_series;
    if (fits)
        TRY(slot_series_add(&c->series, slots->items, &fits));
    if (fits)
        return PILGRIM_OK;
    size_t length;
    uint32_t width;
    const uint8_t *data = intern_get(&f->shapes, shape, &length);
    TRY(end_slot_series(c));
    TRY(shape_slots(data, length, &width, &has_series));
    c->shape = shape;
    c->joinable = !has_series;
    c->series.width = width;
    return slot_series_add(&c->series, slots->items, &fits);
}

static bool is_unzipped(const struct signatures *s, uint32_t number)
{
    const uint32_t *varying;
    const struct delta_sequence *deltas;
    return signature_varying(s, number, &varying, &deltas) > 0;
}

/* Puts the three slots of an unzipped slot that varies: first number, delta sequence, factor. */
static enum pilgrim_status put_deltas(struct fragment *f, const struct delta_sequence *deltas,
                                      const struct intern *chunks, struct slots *out)
{
    struct slot sequence = {.kind = SLOT_DELTAS};
    struct bytes b = {0};
    int64_t factor = 1;
    enum pilgrim_status status = delta_sequence_serialise(deltas, chunks, &b, &factor);
    if (status == PILGRIM_OK && b.length)
        status = stored_deltas_add_grammar(&f->stored_deltas, b.data, b.length, &sequence.value);
    bytes_free(&b);
    if (status == PILGRIM_OK)
        status = slots_add(out, (struct slot){.value = deltas->first, .kind = SLOT_NUMBER});
    if (status == PILGRIM_OK)
        status = slots_add(out, sequence);
    return status == PILGRIM_OK ? slots_add(out, (struct slot){.value = factor, .kind = SLOT_NUMBER}) : status;
}

static enum pilgrim_status put_constant(const struct slot *slot, struct slots *out)
{
    uint32_t kind = slot->kind == SLOT_DELTAS ? SLOT_DELTAS : SLOT_NUMBER; /* of texts */
    TRY(slots_add(out, (struct slot){.value = slot->value, .kind = kind}));
    TRY(slots_add(out, (struct slot){.kind = SLOT_DELTAS}));
    return slots_add(out, (struct slot){.value = 1, .kind = SLOT_NUMBER});
}

/* Adds the entry of unzipped signature NUMBER. SLOTS are those of its key; each becomes three (docs/FORMAT.md, section
 * 4). */
static enum pilgrim_status collect_unzipped(struct translation *t, const struct stream_class *class, uint32_t number,
                                            struct class_entries *c, uint32_t shape, const struct slots *slots)
{
    size_t length;
    const uint32_t *varying;
    const struct delta_sequence *deltas;
    uint32_t count = signature_varying(&class->signatures, number, &varying, &deltas), next = 0;
    const uint8_t *key = signature_key(&class->signatures, number, &length);
    struct bytes offsets = {0};
    enum pilgrim_status status = skeleton_slots(key, length, &offsets);
    if (status == PILGRIM_OK)
        status = end_slot_series(c);
    c->entries[c->count++] = (struct signature_entry){.shape = shape, .count = 0};
    for (size_t i = 0; status == PILGRIM_OK && i < slots->count; i++) {
        if (next < count && varying[next] == skeleton_slot(&offsets, i))
            status = put_deltas(t->fragment, &deltas[next++], t->chunks, &c->slots);
        else
            status = put_constant(&slots->items[i], &c->slots);
    }
    bytes_free(&offsets);
    return status;
}

static enum pilgrim_status collect_signatures(struct translation *t, const struct stream_class *class,
                                              struct class_entries *c)
{
    const struct signatures *signatures = &class->signatures;
    struct slots slots = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < signatures->count; i++) {
        size_t length;
        uint32_t shape;
        const uint8_t *key = signature_key(signatures, i, &length);
        status = translate_key(t, key, length, &shape, &slots);
        if (status == PILGRIM_OK)
            status = is_unzipped(signatures, i) ? collect_unzipped(t, class, i, c, shape, &slots)
                                                : collect(t->fragment, c, shape, &slots);
    }
    slots_free(&slots);
    return status == PILGRIM_OK ? end_slot_series(c) : status;
}

/* ---- members ---- */

/* Adds a member to value group NUMBER. Unless it is the first, it is a value group of its own at first, which then
 * joins the other. */
static enum pilgrim_status add_member(struct translation *t, uint32_t number, uint32_t rank, uint64_t member,
                                      const struct slots *slots)
{
    struct value_group *p = &t->fragment->value_groups[number];
    if (!p->slots)
        return value_group_begin(p, t->bases, rank, member, slots);
    struct value_group one = {0};
    enum pilgrim_status status = value_group_begin(&one, t->bases, rank, member, slots);
    if (status == PILGRIM_OK)
        status = value_group_join(p, &one, 0);
    value_group_free(&one);
    return status;
}

/* Adds the statistics of CLASS to P. C has the entries that the signatures of CLASS became. */
static enum pilgrim_status add_statistics(struct value_group *p, uint32_t rank, const struct stream_class *class,
                                          const struct class_entries *c)
{
    uint32_t count = class->signatures.count, next = 0;
    uint32_t *entries = malloc(count * sizeof *entries + 1);
    if (!entries)
        return PILGRIM_NOMEM;
    /* A series stands for COUNT signatures; an unzipped entry has COUNT 0 and stands for one. */
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = c->entries[i].count ? c->entries[i].count : 1; k > 0; k--)
            entries[next++] = i;
    struct statistics s = {0};
    enum pilgrim_status status = statistics_merge(&s, &class->statistics, entries, next);
    statistics_set_rank(&s, rank);
    if (status == PILGRIM_OK)
        status = value_group_add_statistics(p, &s);
    statistics_free(&s);
    free(entries);
    return status;
}

/* Adds the times of the calls of CLASS to the rank's shares. NUMBER: of the class in the fragment. */
static enum pilgrim_status add_shares(struct fragment *f, uint32_t number, const struct stream_class *class,
                                      const struct vocabulary *vocabulary)
{
    const struct function_descriptor *d = &vocabulary->functions[class->head.key.function];
    double durations = 0, gaps = 0;
    statistics_totals(&class->statistics, &durations, &gaps);
    TRY(shares_add(&f->shares.activities, ACTIVITY_COMPUTING, gaps));
    TRY(shares_add(&f->shares.activities, d->activity ? d->activity : ACTIVITY_OTHER, durations));
    TRY(shares_add(&f->shares.classes, 2 * number, durations));
    return shares_add(&f->shares.classes, 2 * number + 1, gaps);
}

static enum pilgrim_status add_class(struct translation *t, uint32_t group, uint32_t class_index, uint32_t rank,
                                     const struct stream_class *class, struct class_entries *c)
{
    struct fragment *f = t->fragment;
    uint32_t sequence, value_group;
    TRY(serialise(t, &class->signatures.sequence, &sequence));
    TRY(collect_signatures(t, class, c));
    TRY(fragment_value_group(f, group, class_index, sequence, c->entries, c->count, &value_group));
    TRY(add_member(t, value_group, rank, f->groups[group].member_count, &c->slots));
    if (t->value_groups)
        t->value_groups[class_index] = value_group;
    if (!class->statistics.count)
        return PILGRIM_OK;
    TRY(add_shares(f, f->groups[group].classes.classes[class_index], class, t->vocabulary));
    return add_statistics(&f->value_groups[value_group], rank, class, c);
}

/* Adds the classes of S, which have the class indices from FIRST on. */
static enum pilgrim_status add_stream_classes(struct translation *t, uint32_t group, uint32_t first, uint32_t rank,
                                              const struct stream *s)
{
    enum pilgrim_status status = stored_deltas_add_texts(&t->fragment->stored_deltas, &s->texts, &t->texts);
    t->chunks = &s->chunks;
    for (uint32_t i = 0; status == PILGRIM_OK && i < s->terminal_count; i++) {
        struct class_entries c = {.series = {.min = SLOT_SERIES_MIN, .stored_deltas = &t->fragment->stored_deltas}};
        c.entries = malloc(s->by_terminal[i]->signatures.count * sizeof *c.entries + 1);
        status = c.entries ? add_class(t, group, first + i, rank, s->by_terminal[i], &c) : PILGRIM_NOMEM;
        slot_series_free(&c.series);
        slots_free(&c.slots);
        free(c.entries);
    }
    return status;
}

/* ---- loops ---- */

/* Adds the trips of a loop. They are the values of a class like any other: a returned int, unzipped. */
static enum pilgrim_status add_trips(struct translation *t, uint32_t group, uint32_t class_index, uint32_t rank,
                                     struct loops_loop *l)
{
    struct fragment *f = t->fragment;
    struct bytes shape = {0}, values = {0};
    struct slots slots = {0};
    struct signature_entry entry = {0};
    struct slot differences = {.kind = SLOT_DELTAS};
    uint32_t sequence, value_group;
    bytes_put_u8(&shape, VALUE_INT);
    TRY(intern_bytes(&f->shapes, &shape, &entry.shape));
    rules_put_run(&values, l->count);
    TRY(intern_bytes(&f->sequences, &values, &sequence));
    TRY(fragment_value_group(f, group, class_index, sequence, &entry, 1, &value_group));
    TRY(stored_deltas_add(&f->stored_deltas, &l->differences, &differences.value));
    enum pilgrim_status status = slots_add(&slots, (struct slot){.value = l->first, .kind = SLOT_NUMBER});
    if (status == PILGRIM_OK)
        status = slots_add(&slots, differences);
    if (status == PILGRIM_OK)
        status = slots_add(&slots, (struct slot){.value = l->factor, .kind = SLOT_NUMBER});
    if (status == PILGRIM_OK)
        status = add_member(t, value_group, rank, f->groups[group].member_count, &slots);
    slots_free(&slots);
    return status;
}

/* ---- streams ---- */

/* A stream to be added, and what belongs to it. */
struct stream_source {
    const struct stream *stream;
    const struct stream *last; /* NULL, or a stream of one call that comes after it */
    bool process;
    struct loops loops; /* found in the stream */
};

static uint32_t class_count(const struct stream_source *s)
{
    return s->stream->terminal_count + (s->last ? s->last->terminal_count : 0);
}

enum pilgrim_status fragment_loop_class(struct fragment *f, uint32_t *number)
{
    static const struct function_descriptor loop = {LOOP_FUNCTION, NULL, 0, RETURNS_VALUE, ACTIVITY_OTHER};
    struct bytes declaration = {0}, class = {0};
    uint32_t function;
    put_declaration(&declaration, &loop);
    TRY(intern_bytes(&f->functions, &declaration, &function));
    bytes_put_varint(&class, (uint64_t)function << 1);
    bytes_put_varint(&class, 0);
    return intern_bytes(&f->classes, &class, number);
}

static enum pilgrim_status translate_classes(struct translation *t, const struct stream_source *s,
                                             struct class_list *list)
{
    struct fragment *f = t->fragment;
    const struct loops *l = &s->loops;
    uint32_t *next;
    list->count = class_count(s) + l->count;
    list->loop_count = l->count;
    list->classes = next = malloc(list->count * sizeof *list->classes + 1);
    list->bodies = malloc(l->count * sizeof *list->bodies + 1);
    if (!list->classes || !list->bodies)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < s->stream->terminal_count; i++)
        TRY(translate_class(t, s->stream->by_terminal[i], next++));
    if (s->last)
        TRY(translate_class(t, s->last->by_terminal[0], next++));
    for (uint32_t i = 0; i < l->count; i++) {
        TRY(fragment_loop_class(f, next++));
        TRY(intern_add(&f->sequences, l->items[i].body.data, l->items[i].body.length, &list->bodies[i]));
    }
    return PILGRIM_OK;
}

/* Interns the structure grammar of a stream, and finds its loops. If memory for that is short, the stream has no loops.
 */
static enum pilgrim_status structure(struct fragment *f, struct stream_source *s, uint32_t *sequence)
{
    struct bytes b = {0};
    struct loops *l = &s->loops;
    bool found = false;
    enum pilgrim_status status = sequence_serialise(&s->stream->structure, &s->stream->chunks, &b);
    if (status == PILGRIM_OK && s->last) {
        struct bytes before = b;
        b = (struct bytes){0};
        rules_append(&before, s->stream->terminal_count, &b);
        bytes_free(&before);
        status = bytes_status(&b);
    }
    if (status == PILGRIM_OK && !s->process &&
        loops_find(b.data, b.length, s->stream->terminal_count, l, &found) != PILGRIM_OK)
        found = false;
    if (status == PILGRIM_OK)
        status = found ? intern_add(&f->sequences, l->top.data, l->top.length, sequence)
                       : intern_add(&f->sequences, b.data, b.length, sequence);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status add_to_group(struct translation *t, uint32_t group, uint32_t rank, uint64_t number,
                                        struct stream_source *s)
{
    struct structure_group *g = &t->fragment->groups[group];
    TRY(add_stream_classes(t, group, 0, rank, s->stream));
    if (s->last)
        TRY(add_stream_classes(t, group, s->stream->terminal_count, rank, s->last));
    for (uint32_t i = 0; i < s->loops.count; i++)
        TRY(add_trips(t, group, class_count(s) + i, rank, &s->loops.items[i]));
    g->member_count++;
    return column_append(&g->members, (int64_t)number);
}

static enum pilgrim_status add_source(struct fragment *f, struct stream_source *source, uint32_t rank, uint64_t number,
                                      const struct rank_bases *bases, struct stream_placement *placement)
{
    const struct stream *s = source->stream;
    struct translation t = {
        .fragment = f, .vocabulary = s->vocabulary, .bases = bases, .value_groups = placement->value_groups};
    struct class_list list = {0};
    uint32_t sequence;
    TRY(structure(f, source, &sequence));
    placement->loops = source->loops.count;
    t.names = malloc(s->vocabulary->name_count * sizeof *t.names + 1);
    enum pilgrim_status status = t.names ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < s->vocabulary->name_count; i++)
        t.names[i] = UINT32_MAX;
    if (status == PILGRIM_OK)
        status = translate_classes(&t, source, &list);
    if (status == PILGRIM_OK)
        status = fragment_group(f, source->process, sequence, &list, &placement->group);
    if (status == PILGRIM_OK)
        status = add_to_group(&t, placement->group, rank, number, source);
    free(t.names);
    free(list.classes);
    free(list.bodies);
    if (!source->process) {
        f->calls += stream_calls(s);
        f->plain_bytes += stream_plain_bytes(s);
    }
    return status;
}

static enum pilgrim_status add_stream(struct fragment *f, struct stream_source source, uint32_t rank, uint64_t number,
                                      const struct rank_bases *bases, struct stream_placement *placement)
{
    enum pilgrim_status status = add_source(f, &source, rank, number, bases, placement);
    loops_free(&source.loops);
    return status;
}

enum pilgrim_status fragment_add_thread(struct fragment *f, const struct stream *s, uint32_t rank,
                                        const struct rank_bases *bases, struct stream_placement *placement)
{
    return add_stream(f, (struct stream_source){.stream = s}, rank, f->thread_total++, bases, placement);
}

/* Adds COUNT threads, at least one, that made no calls. */
static enum pilgrim_status add_idle(struct fragment *f, const struct vocabulary *vocabulary, uint32_t rank,
                                    const struct rank_bases *bases, size_t count)
{
    struct stream_placement placement = {0};
    struct stream *idle = stream_new(vocabulary, NULL);
    enum pilgrim_status status = idle ? fragment_add_thread(f, idle, rank, bases, &placement) : PILGRIM_NOMEM;
    stream_free(idle);
    if (status != PILGRIM_OK || count == 1)
        return status;
    struct structure_group *g = &f->groups[placement.group];
    g->member_count += count - 1;
    f->thread_total += count - 1;
    return column_continue(&g->members, count - 1);
}

/* Reads an array of numbers from a key. The numbers go to member ITEM (an offset) of the first COUNT rank bases.
 * Returns the length of the array. */
static size_t read_array(struct cursor *key, size_t item, struct rank *bases, size_t count)
{
    if (cursor_u8(key) != VALUE_ARRAY)
        return 0;
    size_t length = cursor_u32(key);
    for (size_t i = 0; i < length && key->status == PILGRIM_OK; i++) {
        cursor_u8(key);
        int64_t value = (int64_t)cursor_u64(key);
        if (i < count)
            memcpy((char *)&bases[i] + item, &value, sizeof value);
    }
    return length;
}

/* Reads the rank bases of a process: they are the first two arguments of the last call of its stream S (docs/FORMAT.md,
 * section 5). Without rank bases, ranks are recorded as they are. */
static enum pilgrim_status read_rank_bases(const struct stream *s, struct rank_bases *bases)
{
    size_t length;
    struct cursor key;
    if (!s->last || !s->last->signatures.count)
        return PILGRIM_OK;
    const uint8_t *data = signature_key(&s->last->signatures, s->last->signatures.count - 1, &length);
    cursor_init(&key, data, length);
    size_t count = length / 9; /* an element takes 9 bytes */
    bases->items = calloc(count + 1, sizeof *bases->items);
    if (!bases->items)
        return PILGRIM_NOMEM;
    bases->count = read_array(&key, offsetof(struct rank, x), bases->items, count);
    if (read_array(&key, offsetof(struct rank, n), bases->items, count) != bases->count || key.status != PILGRIM_OK)
        bases->count = 0;
    for (size_t i = 0; i < bases->count; i++)
        bases->items[i].meaning = RANK_RELATIVE;
    return PILGRIM_OK;
}

static enum pilgrim_status add_threads(struct fragment *f, const struct vocabulary *vocabulary, uint32_t rank,
                                       const struct rank_bases *bases, const struct stream *const *threads,
                                       size_t count, struct replay *ended)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (size_t i = 0; status == PILGRIM_OK && i < count;) {
        size_t idle = 0;
        struct stream_placement placement = {0};
        while (i + idle < count && !threads[i + idle] && !(ended && replay_has(ended, (uint32_t)(i + idle))))
            idle++;
        if (idle)
            status = add_idle(f, vocabulary, rank, bases, idle);
        else if (threads[i])
            status = fragment_add_thread(f, threads[i], rank, bases, &placement);
        else
            status = replay_add(ended, (uint32_t)i, f, rank, bases);
        i += idle ? idle : 1;
    }
    return status;
}

enum pilgrim_status fragment_add_rank_so_far(struct fragment *f, const struct stream *process,
                                             const struct stream *last, const struct stream *const *threads,
                                             size_t thread_count, struct ended_threads *ended)
{
    struct rank_bases bases = {0};
    struct stream_placement placement = {0};
    struct replay *replay = NULL;
    uint32_t rank = f->first_rank + f->rank_count;
    enum pilgrim_status status = read_rank_bases(last ? last : process, &bases);
    if (status == PILGRIM_OK)
        status = shares_add_rank(&f->shares);
    if (status == PILGRIM_OK)
        status = add_stream(f, (struct stream_source){.stream = process, .last = last, .process = true}, rank,
                            f->rank_count, &bases, &placement);
    if (status == PILGRIM_OK && ended)
        status = replay_new(ended, thread_count, &replay);
    if (status == PILGRIM_OK)
        status = add_threads(f, process->vocabulary, rank, &bases, threads, thread_count, replay);
    replay_free(replay);
    free(bases.items);
    f->rank_count++;
    return status == PILGRIM_OK ? nested_runs_append(&f->thread_counts, (int64_t)thread_count, 1) : status;
}

enum pilgrim_status fragment_add_rank(struct fragment *f, const struct stream *process,
                                      const struct stream *const *threads, size_t thread_count)
{
    return fragment_add_rank_so_far(f, process, NULL, threads, thread_count, NULL);
}
