/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls each times section is of; see time_sections.h.
 *
 * The content is compressed, and the numbers wanted are at its beginning. So only the first bytes of a section are
 * read, then more if they do not suffice. */
#include "read/file/time_sections.h"

#include <stdlib.h>
#include <string.h>

#include "read/file/common_section.h"
#include "read/file/shard_load.h"
#include "read/table/streams.h"
#include "read/table/trace_error.h"

#define BEGINNING_BYTES 40                 /* of four varints: rank, thread, first, calls */
#define FIRST_BYTES     4096               /* stored bytes that are read at first */
#define BLOCK_BYTES     ((128 << 10) + 64) /* stored bytes of the first block of a frame at most, with its heads */

static enum pilgrim_status section_error(const struct section *section, enum pilgrim_status status, const char *problem,
                                         struct pilgrim_error *error)
{
    if (status == PILGRIM_NOMEM)
        return trace_no_memory(error);
    return trace_error(error, status, section->offset, "section times at byte %llu: %s",
                       (unsigned long long)section->offset, problem);
}

/* Reads the whole content of a section; *CONTENT is to be freed. */
static enum pilgrim_status read_whole(struct time_sections *t, const struct trace_source *source,
                                      const struct section *head, struct budget *budget, struct bytes *content,
                                      struct pilgrim_error *error)
{
    struct section section;
    uint64_t at = head->offset;
    if (head->raw > budget->bytes)
        return section_error(head, PILGRIM_LIMIT, budget->problem, error);
    enum pilgrim_status status = source_section(source, &at, &t->room, &section);
    if (status == PILGRIM_IO || status == PILGRIM_NOMEM || status == PILGRIM_LIMIT)
        return source_error(error, status, head->offset);
    if (status != PILGRIM_OK)
        return section_error(head, PILGRIM_DAMAGED, "not a section", error);
    if (section.damage)
        return section_error(head, PILGRIM_DAMAGED, section.damage, error);
    status = section_content(&section, content);
    return status == PILGRIM_OK ? status : section_error(head, status, "cannot be decompressed", error);
}

/* Gets the first bytes by decompressing the whole content. */
static enum pilgrim_status begin_whole(struct time_sections *t, const struct trace_source *source,
                                       const struct section *head, struct budget *budget, uint8_t *to, size_t *length,
                                       struct pilgrim_error *error)
{
    struct bytes content = {0};
    enum pilgrim_status status = read_whole(t, source, head, budget, &content, error);
    if (status == PILGRIM_OK) {
        *length = content.length < BEGINNING_BYTES ? content.length : BEGINNING_BYTES;
        memcpy(to, content.data, *length);
    }
    bytes_free(&content);
    return status;
}

/* Gets the first bytes of the content, up to BEGINNING_BYTES. */
static enum pilgrim_status begin(struct time_sections *t, const struct trace_source *source,
                                 const struct section *section, uint64_t stored_at, struct budget *budget, uint8_t *to,
                                 size_t *length, struct pilgrim_error *error)
{
    static const size_t tries[] = {FIRST_BYTES, BLOCK_BYTES};
    const size_t wanted = section->raw < BEGINNING_BYTES ? (size_t)section->raw : BEGINNING_BYTES;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const uint8_t *stored;
        size_t count = section->stored_length < tries[i] ? section->stored_length : tries[i], held;
        enum pilgrim_status status = source_read(source, stored_at, count, &t->room, &stored, &held);
        if (status != PILGRIM_OK)
            return source_error(error, status, section->offset);
        status = section_peek(&t->context, section, stored, held, to, wanted, length);
        if (status == PILGRIM_NOMEM)
            return trace_no_memory(error);
        if (status == PILGRIM_OK && *length == wanted)
            return PILGRIM_OK;
    }
    return begin_whole(t, source, section, budget, to, length, error);
}

static bool make_room(struct time_sections *t)
{
    if (t->count < t->capacity)
        return true;
    size_t capacity = t->capacity ? 2 * t->capacity : 16;
    struct time_section *list = realloc(t->list, capacity * sizeof *list);
    if (!list)
        return false;
    t->list = list;
    t->capacity = capacity;
    return true;
}

static enum pilgrim_status add(struct time_sections *t, const struct section *section, struct time_section added,
                               struct budget *budget, struct pilgrim_error *error)
{
    if (budget->bytes < sizeof *t->list)
        return section_error(section, PILGRIM_LIMIT, budget->problem, error);
    budget->bytes -= sizeof *t->list;
    if (!make_room(t))
        return trace_no_memory(error);
    added.offset = section->offset;
    added.checksum = section->checksum;
    t->list[t->count++] = added;
    return PILGRIM_OK;
}

/* Returns NUMBER, or UINT32_MAX if it is larger. */
static uint32_t small(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Adds an entry for each thread of a section of several threads. CONTENT is all of its content. A damaged one adds
 * nothing. */
static enum pilgrim_status add_threads(struct time_sections *t, const struct section *section,
                                       const struct bytes *content, struct budget *budget, struct pilgrim_error *error)
{
    struct cursor in;
    struct common_section common;
    const char *problem;
    cursor_init(&in, content->data, content->length);
    uint32_t rank = small(cursor_varint(&in));
    for (unsigned i = 0; i < 3; i++)
        cursor_varint(&in); /* 0: thread, first, calls */
    if (common_section_read(&in, &common, &problem) != PILGRIM_OK)
        return section_error(section, PILGRIM_DAMAGED, problem, error);
    uint64_t number = 0;
    for (uint64_t i = 0; i < common.thread_count; i++) {
        number += (uint64_t)cursor_svarint(&common.numbers);
        const struct time_section added = {
            .calls = common.calls, .rank = rank, .thread = small(number), .of_common = (uint32_t)i + 1};
        enum pilgrim_status status = add(t, section, added, budget, error);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status add_common(struct time_sections *t, const struct trace_source *source,
                                      const struct section *section, struct budget *budget, struct pilgrim_error *error)
{
    struct bytes content = {0};
    enum pilgrim_status status = read_whole(t, source, section, budget, &content, error);
    if (status == PILGRIM_OK)
        status = add_threads(t, section, &content, budget, error);
    bytes_free(&content);
    return status;
}

enum pilgrim_status time_sections_add(struct time_sections *t, const struct trace_source *source,
                                      const struct section *section, uint64_t stored_at, struct budget *budget,
                                      struct pilgrim_error *error)
{
    uint8_t beginning[BEGINNING_BYTES];
    size_t length = 0;
    struct cursor in;
    enum pilgrim_status status = begin(t, source, section, stored_at, budget, beginning, &length, error);
    if (status != PILGRIM_OK)
        return status;
    cursor_init(&in, beginning, length);
    uint64_t rank = cursor_varint(&in), thread = cursor_varint(&in), first = cursor_varint(&in),
             calls = cursor_varint(&in);
    if (in.status == PILGRIM_OK && thread == 0 && first == 0 && calls == 0)
        return add_common(t, source, section, budget, error);
    if (in.status != PILGRIM_OK || calls == 0 || calls > UINT64_MAX - first)
        return section_error(section, PILGRIM_DAMAGED, "does not say which calls it is of", error);
    const struct time_section added = {.first = first, .calls = calls, .rank = small(rank), .thread = small(thread)};
    return add(t, section, added, budget, error);
}

static int compare_threads(const struct time_section *a, const struct time_section *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int compare(const void *a, const void *b)
{
    const struct time_section *one = a, *other = b;
    int threads = compare_threads(one, other);
    if (threads || one->offset != other->offset)
        return threads ? threads : one->offset < other->offset ? -1 : 1;
    return one->of_common < other->of_common ? -1 : 1;
}

enum pilgrim_status time_section_read(const struct trace_source *source, const struct time_section *s,
                                      struct bytes *content, const char **problem)
{
    struct section section;
    struct bytes room = {0};
    uint64_t offset = s->offset;
    *problem = "cannot be read";
    enum pilgrim_status status = source_section(source, &offset, &room, &section);
    if (status == PILGRIM_OK && (section.checksum != s->checksum || section.type != SECTION_TIMES)) {
        *problem = "the file has changed since it was opened";
        status = PILGRIM_DAMAGED;
    } else if (status == PILGRIM_OK && section.damage) {
        *problem = section.damage;
        status = PILGRIM_DAMAGED;
    } else if (status == PILGRIM_LIMIT || (status == PILGRIM_OK && section.raw > source->memory)) {
        *problem = too_much_for_caller;
        status = PILGRIM_LIMIT;
    } else if (status == PILGRIM_OK) {
        *problem = "cannot be decompressed";
        content->length = 0;
        status = section_content(&section, content);
    }
    bytes_free(&room);
    return status == PILGRIM_TRUNCATED ? PILGRIM_DAMAGED : status;
}

/* Returns the problem of S, which follows BEFORE, or NULL. *KEEP: S is good, and the trace has its thread. */
static const char *find_problem(const struct pilgrim_trace *trace, const struct time_section *s,
                                const struct time_section *before, bool *keep)
{
    struct bytes content = {0};
    const char *problem = NULL;
    *keep = s->thread < pilgrim_thread_count(trace, s->rank);
    if (*keep && before && compare_threads(before, s) == 0 && s->first < before->first + before->calls)
        problem = "has calls that an earlier section has";
    else if (!*keep && !s->of_common && time_section_read(&trace->source, s, &content, &problem) != PILGRIM_DAMAGED)
        problem = NULL;
    bytes_free(&content);
    *keep &= !problem;
    return problem;
}

enum pilgrim_status time_sections_settle(struct pilgrim_trace *trace, struct pilgrim_error *error)
{
    struct time_sections *t = &trace->times;
    struct section wrong = {.offset = UINT64_MAX};
    const char *what = NULL;
    size_t kept = 0;
    section_peek_free(t->context);
    t->context = NULL;
    bytes_free(&t->room);
    if (t->count > 0)
        qsort(t->list, t->count, sizeof *t->list, compare);
    for (size_t i = 0; i < t->count; i++) {
        const struct time_section s = t->list[i];
        bool keep;
        const char *problem = find_problem(trace, &s, kept > 0 ? &t->list[kept - 1] : NULL, &keep);
        if (keep)
            t->list[kept++] = s;
        if (problem && s.offset < wrong.offset) {
            wrong.offset = s.offset;
            what = problem;
        }
    }
    t->count = kept;
    return what ? section_error(&wrong, PILGRIM_DAMAGED, what, error) : PILGRIM_OK;
}

const struct time_section *time_sections_of(const struct time_sections *t, uint32_t rank, uint32_t thread,
                                            size_t *count)
{
    const struct time_section wanted = {.rank = rank, .thread = thread};
    size_t bounds[2];
    for (int side = 0; side < 2; side++) {
        size_t low = 0, high = t->count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (compare_threads(&t->list[middle], &wanted) < side)
                low = middle + 1;
            else
                high = middle;
        }
        bounds[side] = low;
    }
    *count = bounds[1] - bounds[0];
    return *count > 0 ? &t->list[bounds[0]] : NULL;
}

const struct time_section *time_section_with(const struct time_section *list, size_t count, uint64_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && number - list[low - 1].first < list[low - 1].calls ? &list[low - 1] : NULL;
}

void time_sections_free(struct time_sections *t)
{
    section_peek_free(t->context);
    bytes_free(&t->room);
    free(t->list);
    *t = (struct time_sections){0};
}
