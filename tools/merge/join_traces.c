/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the traces of processes that only have sessions; see join_traces.h.
 *
 * Such a process does not know its peers, so its trace is one of rank 0 alone. It is one shard in which nothing depends
 * on the rank (PROPERTY_SESSION). Shards are complete in themselves, and the ranks of one follow those of the shard
 * before (docs/FORMAT.md, section 2). So the shards are copied one behind the other; only times sections, which begin
 * with the rank, are made anew. A process that is missing gets a shard without calls. */
#include "join_traces.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "format/section.h"
#include "format/trace_format.h"
#include "format/trace_output.h"
#include "merge_job.h"
#include "merge_message.h"
#include "../../decoder/progress.h"
#include "write/trace_writer.h"

enum { HEAD_BYTES = sizeof trace_magic + 2, PROPERTIES_MAX = 1024, RANKS_MAX = 1 << 20 };

/* The trace of one process. */
struct process_trace {
    const char *path;
    struct cursor file;     /* at its first section */
    struct bytes texts;     /* the content of its definitions */
    const char *session;    /* its PROPERTY_SESSION */
    struct bytes described; /* its other properties: key and value, each with a 0 byte */
    const char *partial;    /* ranks whose calls it does not have all; NULL: it is whole */
    uint32_t rank;
};

struct process_traces {
    struct process_trace *traces;
    uint32_t count;
    uint32_t ranks; /* of the joined trace */
};

static bool has_head(const struct cursor *c)
{
    return c->length >= HEAD_BYTES && !memcmp(c->data, trace_magic, sizeof trace_magic);
}

bool is_trace(const char *path)
{
    struct cursor c;
    if (open_file(path, 0, &c) != PILGRIM_OK)
        return false;
    bool trace = has_head(&c);
    close_file(&c);
    return trace;
}

/* ---- what a trace says of itself ---- */

/* Takes a text and its 0 byte; borrowed. */
static const char *take_text(struct cursor *c)
{
    const char *text = (const char *)c->data + c->position;
    const uint8_t *end = cursor_left(c) ? memchr(text, 0, cursor_left(c)) : NULL;
    if (!end) {
        c->status = PILGRIM_DAMAGED;
        return "";
    }
    (void)cursor_take(c, (size_t)(end - (const uint8_t *)text) + 1);
    return text;
}

static bool describes_run(const char *key)
{
    static const char *const keys[] = {"program", "library", "tracer", "timing", "values", "filter", "stack"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static bool is_of_partial(const char *key)
{
    return !strcmp(key, "endings") || !strcmp(key, "missing") || !strcmp(key, "cut");
}

/* Reads the properties, which stand behind the strings in the definitions. */
static enum pilgrim_status read_properties(struct process_trace *t)
{
    struct cursor c;
    cursor_init(&c, t->texts.data, t->texts.length);
    size_t count = cursor_count(&c, 1);
    const char **strings = malloc(count * sizeof *strings + 1);
    if (!strings)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < count && c.status == PILGRIM_OK; i++)
        strings[i] = take_text(&c);
    for (size_t left = c.status == PILGRIM_OK ? cursor_count(&c, 2) : 0; left > 0; left--) {
        size_t key = cursor_index(&c, count), value = cursor_index(&c, count);
        if (c.status != PILGRIM_OK)
            break;
        if (!strcmp(strings[key], PROPERTY_SESSION))
            t->session = strings[value];
        if (is_of_partial(strings[key]))
            t->partial = strings[value];
        if (describes_run(strings[key])) {
            bytes_put(&t->described, strings[key], strlen(strings[key]) + 1);
            bytes_put(&t->described, strings[value], strlen(strings[value]) + 1);
        }
    }
    free(strings);
    return c.status == PILGRIM_OK ? bytes_status(&t->described) : c.status;
}

/* Checks that the sections of C are one shard, times and the end. *SHARDS: how many shards there are. */
static enum pilgrim_status count_shards(struct cursor c, uint32_t *shards)
{
    struct section section;
    *shards = 0;
    do {
        TRY(section_read(&c, &section));
        if (section.damage)
            return PILGRIM_DAMAGED;
        *shards += section.type == SECTION_DEFINITIONS;
    } while (section.type != SECTION_END);
    return cursor_left(&c) ? PILGRIM_DAMAGED : PILGRIM_OK;
}

static bool read_trace(struct process_trace *t, const char *path)
{
    struct section section;
    uint32_t shards = 0;
    t->path = path;
    enum pilgrim_status status = open_file(path, HEAD_BYTES, &t->file);
    if (status != PILGRIM_OK)
        return fail_status(path, status);
    if (!has_head(&t->file))
        return fail("%s: not a trace, as the first one is", path);
    if (t->file.data[sizeof trace_magic] != TRACE_VERSION || t->file.data[sizeof trace_magic + 1])
        return fail_status(path, PILGRIM_VERSION);
    status = count_shards(t->file, &shards);
    struct cursor c = t->file;
    if (status == PILGRIM_OK)
        status = section_read(&c, &section);
    if (status == PILGRIM_OK && section.type != SECTION_DEFINITIONS)
        status = PILGRIM_DAMAGED;
    if (status == PILGRIM_OK)
        status = section_content(&section, &t->texts);
    if (status == PILGRIM_OK)
        status = read_properties(t);
    if (status != PILGRIM_OK)
        return fail_status(path, status);
    if (t->partial)
        return fail("%s: a partial trace (%s), which cannot be joined with others", path, t->partial);
    if (!t->session)
        return fail("%s: not the trace of a process that only has sessions", path);
    return shards == 1 || fail("%s: has several segments or processes, and cannot be joined with others", path);
}

/* ---- ranks ---- */

static int rank_order(const void *a, const void *b)
{
    const struct process_trace *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Numbers the traces: as the launcher did, if it is known of all of them. */
static bool number_traces(struct process_traces *all)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        char *end;
        unsigned long rank = strtoul(all->traces[i].session, &end, 10);
        bool number = *all->traces[i].session >= '0' && *all->traces[i].session <= '9' && !*end && rank < RANKS_MAX;
        all->traces[i].rank = number ? (uint32_t)rank : 0;
        known += number;
    }
    for (uint32_t i = 0; known < all->count && i < all->count; i++)
        all->traces[i].rank = i;
    qsort(all->traces, all->count, sizeof *all->traces, rank_order);
    for (uint32_t i = 1; i < all->count; i++)
        if (all->traces[i].rank == all->traces[i - 1].rank)
            return fail("%s and %s are both of the process with rank %" PRIu32, all->traces[i - 1].path,
                        all->traces[i].path, all->traces[i].rank);
    all->ranks = all->traces[all->count - 1].rank + 1;
    return true;
}

static bool of_one_run(const struct process_traces *all)
{
    const struct bytes *first = &all->traces[0].described;
    for (uint32_t i = 1; i < all->count; i++) {
        const struct bytes *b = &all->traces[i].described;
        if (b->length != first->length || memcmp(b->data, first->data, b->length) != 0)
            return fail("%s: not of the same run as %s", all->traces[i].path, all->traces[0].path);
    }
    return true;
}

/* ---- the trace ---- */

static enum pilgrim_status append(struct trace_output *o, struct bytes *b, enum pilgrim_status status)
{
    if (status == PILGRIM_OK)
        status = bytes_status(b);
    if (status == PILGRIM_OK)
        status = output_append(o, b->data, b->length);
    bytes_free(b);
    return status;
}

/* Appends the times section SECTION as one of RANK. */
static enum pilgrim_status append_times(struct trace_output *o, const struct section *section, uint32_t rank)
{
    struct bytes content = {0}, changed = {0}, out = {0};
    enum pilgrim_status status = section_content(section, &content);
    if (status == PILGRIM_OK && (!content.length || content.data[0]))
        status = PILGRIM_DAMAGED; /* not of rank 0 */
    bytes_put_varint(&changed, rank);
    if (status == PILGRIM_OK) {
        bytes_put(&changed, content.data + 1, content.length - 1);
        status = section_write_fast(&out, SECTION_TIMES, &changed);
    }
    bytes_free(&content);
    bytes_free(&changed);
    return append(o, &out, status);
}

/* Appends the definitions of T, with the property that the processes MISSING are. */
static enum pilgrim_status append_definitions(struct trace_output *o, const struct process_trace *t,
                                              const char *missing)
{
    struct bytes content = {0}, out = {0};
    struct cursor c;
    cursor_init(&c, t->texts.data, t->texts.length);
    size_t strings = cursor_count(&c, 1), begin = c.position;
    for (size_t i = 0; i < strings; i++)
        (void)take_text(&c);
    size_t end = c.position, properties = cursor_count(&c, 2);
    bytes_put_varint(&content, strings + 2);
    bytes_put(&content, t->texts.data + begin, end - begin);
    bytes_put(&content, "missing", sizeof "missing");
    bytes_put(&content, missing, strlen(missing) + 1);
    bytes_put_varint(&content, properties + 1);
    bytes_put_varint(&content, strings);
    bytes_put_varint(&content, strings + 1);
    bytes_put(&content, t->texts.data + c.position, cursor_left(&c));
    enum pilgrim_status status = c.status == PILGRIM_OK ? bytes_status(&content) : PILGRIM_DAMAGED;
    if (status == PILGRIM_OK)
        status = section_write_fast(&out, SECTION_DEFINITIONS, &content);
    bytes_free(&content);
    return append(o, &out, status);
}

/* Appends the shard of T. MISSING: processes without a trace, if it is the first shard; else NULL. */
static enum pilgrim_status append_shard(struct trace_output *o, const struct process_trace *t, const char *missing)
{
    struct cursor c = t->file;
    for (;;) {
        struct section section;
        size_t start = c.position;
        TRY(section_read(&c, &section));
        if (section.type == SECTION_END)
            return PILGRIM_OK;
        if (section.type == SECTION_TIMES)
            TRY(append_times(o, &section, t->rank));
        else if (section.type == SECTION_DEFINITIONS && missing && *missing)
            TRY(append_definitions(o, t, missing));
        else
            TRY(output_append(o, c.data + start, c.position - start));
    }
}

/* Sets *TEXT to the ranks without a trace; to be freed. */
static enum pilgrim_status find_missing(const struct process_traces *all, struct bytes *text)
{
    struct ranges ranks = {.shown = RANKS_MAX};
    uint32_t rank = 0;
    for (uint32_t i = 0; i < all->count; rank = all->traces[i++].rank + 1)
        if (all->traces[i].rank > rank)
            ranges_add(&ranks, rank, all->traces[i].rank);
    ranges_end(&ranks);
    bytes_put_u8(&ranks.text, 0);
    *text = ranks.text;
    return bytes_status(text);
}

/* Appends a shard of a process without calls, which says that the processes MISSING have none. */
static enum pilgrim_status append_missing(struct trace_output *o, const char *missing)
{
    struct bytes out = {0};
    struct fragment *f;
    enum pilgrim_status status = make_idle(&f);
    if (status == PILGRIM_OK)
        status = fragment_set_property(f, "missing", missing);
    if (status == PILGRIM_OK)
        status = trace_write_segment(f, false, false, &out);
    fragment_free(f);
    return append(o, &out, status);
}

static enum pilgrim_status append_all(struct trace_output *o, const struct process_traces *all, const char *missing)
{
    struct bytes begin = {0}, end = {0};
    uint32_t rank = 0;
    TRY(append(o, &begin, trace_write_begin(&begin)));
    for (uint32_t i = 0; i < all->count; i++) {
        for (; rank < all->traces[i].rank; rank++)
            TRY(append_missing(o, missing));
        TRY(append_shard(o, &all->traces[i], i + rank ? NULL : missing));
        progress_add(all->traces[i].file.length);
        rank++;
    }
    return append(o, &end, trace_write_end(&end));
}

static bool write_joined(const struct process_traces *all, const char *path)
{
    struct trace_output o = {0};
    struct bytes written = {0}, missing = {0};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < all->count; i++)
        bytes += all->traces[i].file.length;
    progress_begin("pilgrim-merge", bytes, true, true);
    enum pilgrim_status status = output_begin_locked(&o, path);
    if (status == PILGRIM_OK)
        status = find_missing(all, &missing);
    if (status == PILGRIM_OK)
        status = append_all(&o, all, (const char *)missing.data);
    uint64_t length = o.length;
    if (status == PILGRIM_OK)
        status = output_end(&o, &written);
    progress_end();
    bool good = status == PILGRIM_OK || fail_status(path, status);
    output_cancel(&o);
    if (good && all->ranks > all->count)
        (void)fail("%" PRIu32 " of %" PRIu32 " processes are missing; the trace has none of their calls",
                   all->ranks - all->count, all->ranks);
    if (good)
        printf("%" PRIu32 " processes in %s, %" PRIu64 " bytes\n", all->ranks, (const char *)written.data, length);
    bytes_free(&written);
    bytes_free(&missing);
    return good;
}

bool join_traces(char **paths, const char *output)
{
    struct process_traces all = {0};
    size_t count = 0;
    while (paths[count])
        count++;
    all.traces = count < RANKS_MAX ? calloc(count, sizeof *all.traces) : NULL;
    bool good = all.traces || fail_status(paths[0], PILGRIM_NOMEM);
    for (; good && all.count < count; all.count++)
        good = read_trace(&all.traces[all.count], paths[all.count]);
    good = good && of_one_run(&all) && number_traces(&all) && write_joined(&all, output);
    for (uint32_t i = 0; i < all.count; i++) {
        close_file(&all.traces[i].file);
        bytes_free(&all.traces[i].texts);
        bytes_free(&all.traces[i].described);
    }
    free(all.traces);
    return good;
}
