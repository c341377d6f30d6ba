/* From the fragment of all ranks to the bytes of the file (docs/FORMAT.md).
 *
 * Columns become expressions here, and signatures, partitions and columns that are equal by then are stored once. */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "format/section.h"
#include "format/trace_file.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"

/* Tables that exist only while writing. */
struct writer {
    const struct fragment *fragment;
    struct intern columns;
    struct intern signatures; /* varint shape, varint column for each slot */
    struct intern partitions; /* varint length, varint parts, runs */
    struct bytes groups;      /* the values section behind the tables */
};

/* How the end of a table's entry is known. */
enum framing { FRAMING_NONE, FRAMING_LENGTH, FRAMING_TEXT };

static void write_table(const struct intern *t, enum framing framing, struct bytes *out)
{
    bytes_put_varint(out, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length;
        const uint8_t *data = intern_get(t, i, &length);
        if (framing == FRAMING_LENGTH)
            bytes_put_varint(out, length);
        bytes_put(out, data, length);
        if (framing == FRAMING_TEXT)
            bytes_put_u8(out, 0);
    }
}

/* Offsets are written as differences: call sites lie close together. */
static void write_offset(struct bytes *out, uint64_t offset, uint64_t *last)
{
    bytes_put_svarint(out, (int64_t)(offset - *last));
    *last = offset;
}

/* One class's frames, innermost first. */
struct frames {
    uint32_t count;
    struct {
        uint64_t module;
        uint64_t offset;
    } frame[SITE_FRAMES_MAX];
};

static struct frames frames_of(struct cursor *c)
{
    struct frames found;
    found.count = (uint32_t)cursor_index(c, SITE_FRAMES_MAX + 1);
    for (uint32_t i = 0; i < found.count; i++) {
        found.frame[i].module = cursor_varint(c);
        found.frame[i].offset = cursor_varint(c);
    }
    return found;
}

/* The callers of a site, outermost first, so that each refers to one that is there: *CALLER is 0 or the innermost's
 * number + 1. Classes share what is common to their callers. */
static enum pilgrim_status intern_callers(struct intern *callers, const struct frames *frames, uint64_t *caller)
{
    *caller = 0;
    for (uint32_t i = frames->count; i-- > 1;) {
        uint8_t key[3 * sizeof(uint64_t)];
        uint32_t number;
        memcpy(key, &frames->frame[i].module, 8);
        memcpy(key + 8, &frames->frame[i].offset, 8);
        memcpy(key + 16, caller, 8);
        TRY(intern_add(callers, key, sizeof key, &number));
        *caller = (uint64_t)number + 1;
    }
    return PILGRIM_OK;
}

static void write_callers(const struct intern *callers, struct bytes *out)
{
    uint64_t last = 0;
    bytes_put_varint(out, callers->count);
    for (uint32_t i = 0; i < callers->count; i++) {
        size_t length;
        uint64_t caller[3];
        memcpy(caller, intern_get(callers, i, &length), sizeof caller);
        bytes_put_varint(out, caller[0]);
        write_offset(out, caller[1], &last);
        bytes_put_varint(out, caller[2]);
    }
}

static enum pilgrim_status collect_classes(const struct fragment *f, struct intern *callers, struct bytes *out)
{
    uint64_t last = 0;
    bytes_put_varint(out, f->classes.count);
    for (uint32_t i = 0; i < f->classes.count; i++) {
        struct cursor c;
        size_t length;
        uint64_t caller;
        const uint8_t *data = intern_get(&f->classes, i, &length);
        cursor_init(&c, data, length);
        bytes_put_varint(out, cursor_varint(&c));
        const struct frames frames = frames_of(&c);
        TRY(intern_callers(callers, &frames, &caller));
        bytes_put_varint(out, frames.count ? 1 + (frames.frame[0].module << 1 | (caller > 0)) : 0);
        if (frames.count)
            write_offset(out, frames.frame[0].offset, &last);
        if (caller)
            bytes_put_varint(out, caller - 1);
    }
    return PILGRIM_OK;
}

/* Callers and classes. */
static enum pilgrim_status write_sites(const struct fragment *f, struct bytes *out)
{
    struct intern callers = {0};
    struct bytes classes = {0};
    enum pilgrim_status status = collect_classes(f, &callers, &classes);
    if (status == PILGRIM_OK)
        status = bytes_status(&classes);
    if (status == PILGRIM_OK) {
        write_callers(&callers, out);
        bytes_put(out, classes.data, classes.length);
    }
    bytes_free(&classes);
    intern_free(&callers);
    return status;
}

static void write_run(struct bytes *out, uint32_t value, uint64_t repeat)
{
    bytes_put_varint(out, value);
    bytes_put_varint(out, repeat - 1);
}

/* VALUES as runs (docs/FORMAT.md, section 1). */
static void write_runs(const uint32_t *values, uint64_t count, struct bytes *out)
{
    uint64_t runs = 0;
    for (uint64_t i = 0; i < count; i++)
        runs += i == 0 || values[i] != values[i - 1];
    bytes_put_varint(out, runs);
    for (uint64_t i = 0; i < count;) {
        uint64_t end = i + 1;
        while (end < count && values[end] == values[i])
            end++;
        write_run(out, values[i], end - i);
        i = end;
    }
}

/* Sets OF[m] = NUMBER for every m in MEMBERS. */
static void spread(const struct column *members, uint64_t offset, uint32_t number, uint32_t *of)
{
    const struct run *runs = column_runs(members);
    for (uint32_t i = 0; i < members->count; i++)
        for (uint64_t k = 0; k < runs[i].count; k++)
            of[offset + (uint64_t)run_at(&runs[i], k)] = number;
}

static enum pilgrim_status write_definitions(const struct fragment *f, struct bytes *out)
{
    struct bytes b = {0};
    write_table(&f->strings, FRAMING_TEXT, &b);
    write_table(&f->properties, FRAMING_NONE, &b);
    write_table(&f->functions, FRAMING_TEXT, &b);
    write_table(&f->modules, FRAMING_NONE, &b);
    enum pilgrim_status status = write_sites(f, &b);
    write_table(&f->shapes, FRAMING_LENGTH, &b);
    if (status == PILGRIM_OK)
        status = bytes_status(&b);
    if (status == PILGRIM_OK)
        status = section_write(out, SECTION_DEFINITIONS, &b);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status write_thread_counts(const struct fragment *f, struct bytes *out)
{
    uint32_t *counts = malloc(f->rank_count * sizeof *counts + 1);
    if (!counts)
        return PILGRIM_NOMEM;
    const struct run *runs = column_runs(&f->thread_counts);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < f->thread_counts.count; i++)
        for (uint64_t k = 0; k < runs[i].count; k++)
            counts[rank++] = (uint32_t)run_at(&runs[i], k);
    write_runs(counts, f->rank_count, out);
    free(counts);
    return PILGRIM_OK;
}

/* Ranks, sequences, groups, and the group of each stream. */
static enum pilgrim_status collect_structure(const struct fragment *f, struct bytes *b)
{
    bytes_put_varint(b, f->rank_count);
    TRY(write_thread_counts(f, b));
    write_table(&f->sequences, FRAMING_NONE, b);
    bytes_put_varint(b, f->group_keys.count);
    uint64_t streams = f->rank_count + f->thread_total;
    uint32_t *of = calloc(streams + 1, sizeof *of);
    if (!of)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        const struct group *g = &f->groups[i];
        bytes_put_varint(b, g->sequence);
        bytes_put_varint(b, g->class_count);
        for (uint32_t k = 0; k < g->class_count; k++)
            bytes_put_varint(b, g->classes[k]);
        spread(&g->members, g->process ? 0 : f->rank_count, i, of);
    }
    write_runs(of, streams, b);
    free(of);
    return bytes_status(b);
}

static enum pilgrim_status write_structure(const struct fragment *f, struct bytes *out)
{
    struct bytes b = {0};
    enum pilgrim_status status = collect_structure(f, &b);
    if (status == PILGRIM_OK)
        status = section_write(out, SECTION_STRUCTURE, &b);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status intern_and_reset(struct intern *t, struct bytes *b, uint32_t *number)
{
    TRY(bytes_status(b));
    enum pilgrim_status status = intern_add(t, b->data, b->length, number);
    b->length = 0;
    return status;
}

/* One value group: its sequence and signatures, columns as expressions. */
static enum pilgrim_status write_part(struct writer *w, const struct part *p, struct bytes *expression,
                                      struct bytes *signature)
{
    bytes_put_varint(&w->groups, p->sequence);
    bytes_put_varint(&w->groups, p->signature_count);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < p->signature_count; i++) {
        size_t length;
        uint32_t slots, number;
        const uint8_t *shape = intern_get(&w->fragment->shapes, p->shapes[i], &length);
        TRY(shape_rewrite(shape, length, NULL, 0, NULL, &slots));
        bytes_put_varint(signature, p->shapes[i]);
        for (uint32_t end = slot + slots; slot < end; slot++) {
            column_write(&p->columns[slot], &p->ranks, expression);
            TRY(intern_and_reset(&w->columns, expression, &number));
            bytes_put_varint(signature, number);
        }
        TRY(intern_and_reset(&w->signatures, signature, &number));
        bytes_put_varint(&w->groups, number);
    }
    return PILGRIM_OK;
}

/* Which member is in which part: 0, or the number of a stored partition + 1. */
static enum pilgrim_status write_partition(struct writer *w, const struct group *g, const struct part_list *list,
                                           struct bytes *scratch)
{
    if (list->count == 1) {
        bytes_put_varint(&w->groups, 0);
        return PILGRIM_OK;
    }
    uint32_t *of = calloc(g->member_count + 1, sizeof *of);
    if (!of)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < list->count; i++)
        spread(&w->fragment->parts[list->parts[i]].members, 0, i, of);
    bytes_put_varint(scratch, g->member_count);
    bytes_put_varint(scratch, list->count);
    write_runs(of, g->member_count, scratch);
    free(of);
    uint32_t number;
    TRY(intern_and_reset(&w->partitions, scratch, &number));
    bytes_put_varint(&w->groups, (uint64_t)number + 1);
    return PILGRIM_OK;
}

static enum pilgrim_status collect_values(struct writer *w, struct bytes *expression, struct bytes *signature)
{
    const struct fragment *f = w->fragment;
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        const struct group *g = &f->groups[i];
        for (uint32_t k = 0; k < g->class_count; k++) {
            const struct part_list *list = &g->lists[k];
            TRY(write_partition(w, g, list, signature));
            for (uint32_t p = 0; p < list->count; p++)
                TRY(write_part(w, &f->parts[list->parts[p]], expression, signature));
        }
    }
    return bytes_status(&w->groups);
}

static enum pilgrim_status write_values(const struct fragment *f, struct bytes *out)
{
    struct writer w = {.fragment = f};
    struct bytes expression = {0}, signature = {0}, b = {0};
    enum pilgrim_status status = collect_values(&w, &expression, &signature);
    if (status == PILGRIM_OK) {
        write_table(&w.columns, FRAMING_NONE, &b);
        write_table(&w.signatures, FRAMING_NONE, &b);
        write_table(&w.partitions, FRAMING_NONE, &b);
        bytes_put(&b, w.groups.data, w.groups.length);
        status = bytes_status(&b);
    }
    if (status == PILGRIM_OK)
        status = section_write(out, SECTION_VALUES, &b);
    bytes_free(&b);
    bytes_free(&expression);
    bytes_free(&signature);
    bytes_free(&w.groups);
    intern_free(&w.columns);
    intern_free(&w.signatures);
    intern_free(&w.partitions);
    return status;
}

static void put_code(struct bytes *b, uint64_t ns)
{
    uint16_t code = timing_code(ns);
    bytes_put_u8(b, (uint8_t)code);
    bytes_put_u8(b, (uint8_t)(code >> 8));
}

static enum pilgrim_status write_times(const struct fragment *f, struct bytes *out)
{
    struct bytes b = {0};
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        for (uint32_t k = 0; k < f->groups[i].class_count; k++) {
            const struct timing *t = &f->groups[i].timings[k];
            put_code(&b, t->count ? t->total_ns / t->count : 0);
            put_code(&b, t->count ? t->min_ns : 0);
            put_code(&b, t->max_ns);
        }
    }
    enum pilgrim_status status = bytes_status(&b);
    if (status == PILGRIM_OK)
        status = section_write(out, SECTION_TIMES, &b);
    bytes_free(&b);
    return status;
}

enum pilgrim_status fragment_write(struct fragment *f, bool with_times, struct bytes *out)
{
    bytes_put(out, trace_magic, sizeof trace_magic);
    bytes_put_u8(out, TRACE_VERSION);
    bytes_put_u8(out, TRACE_VERSION >> 8);
    TRY(write_definitions(f, out));
    TRY(write_structure(f, out));
    TRY(write_values(f, out));
    if (with_times)
        TRY(write_times(f, out));
    struct bytes nothing = {0};
    TRY(section_write(out, SECTION_END, &nothing));
    return bytes_status(out);
}
