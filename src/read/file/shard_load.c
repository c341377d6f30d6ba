/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads one shard, for the first time or again; see shard_load.h. */
#include "read/file/shard_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/definitions_code.h"
#include "read/table/calls.h"
#include "read/table/coded_calls.h"
#include "read/table/definitions.h"
#include "read/table/profile_section.h"
#include "read/table/statistics_section.h"
#include "read/table/trace_error.h"

/* Memory that opening may take: tables are larger than the bytes they come from, and contents are larger than what is
 * stored. A trace that Pilgrim wrote needs far less. */
#define BUDGET_BASE  (UINT64_C(32) << 20)
#define BUDGET_RATIO 2048

/* Memory that one call may take: it may have an array with an item for each rank of a large run, which takes a few
 * bytes in the file. */
#define CALL_BUDGET_BASE (UINT64_C(256) << 20)
#define CALL_PARTS       4 /* stores of that size that a cursor has: its walk, registers, begun calls, the call */

#define STEPS_BASE  (UINT64_C(64) << 20)
#define STEPS_RATIO 2048

const char *const section_names[SECTION_TYPE_COUNT] = {"end",   "definitions", "calls",      "statistics",
                                                       "times", "profile",     "definitions"};

static void (*const section_parse[SECTION_TYPE_COUNT])(struct parser *) = {
    [SECTION_OLD_DEFINITIONS] = definitions_parse_old, [SECTION_CALLS] = calls_parse,
    [SECTION_STATISTICS] = statistics_parse,           [SECTION_PROFILE] = profile_parse,
    [SECTION_DEFINITIONS] = definitions_parse,
};

static uint64_t less(uint64_t from, uint64_t bytes)
{
    return bytes < from ? from - bytes : 0;
}

struct budget open_budget(const struct trace_source *source, uint64_t spent, uint64_t in_memory)
{
    const uint64_t of_file = less(BUDGET_BASE + BUDGET_RATIO * source->length, spent),
                   of_caller = less(source->memory, in_memory);
    return (struct budget){.bytes = of_caller < of_file ? of_caller : of_file,
                           .steps = STEPS_BASE + STEPS_RATIO * source->length,
                           .problem = of_caller < of_file ? too_much_for_caller : too_much_for_file};
}

/* Takes the content of SECTION, which is no coded calls. */
static void take_content(struct parser *p, const struct section *section, struct bytes *content)
{
    const bool coded = section_has_coded_definitions(section->stored_type);
    const uint64_t memory = coded && section->raw <= CODED_DEFINITIONS_MAX ? definitions_code_memory(section->raw) : 0;
    if (!parser_charge(p, memory))
        return;
    enum pilgrim_status status = section_content(section, content);
    if (status != PILGRIM_OK)
        parser_fail_with(p, status, coded ? "cannot be decoded" : "cannot be decompressed");
    p->budget->bytes += memory;
}

enum pilgrim_status shard_take(struct shard *v, const struct section *section, struct budget *budget,
                               struct pilgrim_error *error)
{
    struct parser p = {.shard = v, .budget = budget, .stored_type = section->stored_type};
    struct bytes *content = &v->content[section->type];
    v->offset[section->type] = section->offset;
    if (parser_charge(&p, section->raw) && section_has_coded_calls(section->stored_type)) {
        coded_calls_take(&p, section, content);
    } else if (parser_good(&p)) {
        take_content(&p, section, content);
    }
    if (parser_good(&p)) {
        cursor_init(&p.in, content->data, content->length);
        section_parse[section->type](&p);
        if (parser_good(&p) && cursor_left(&p.in) > 0)
            parser_fail(&p, "bytes left over");
    }
    if (section->type == SECTION_STATISTICS || section->type == SECTION_PROFILE)
        bytes_free(content);
    if (parser_good(&p)) {
        v->timed |= section->type == SECTION_STATISTICS;
        return PILGRIM_OK;
    }
    /* A content that ends too early is damage; PILGRIM_TRUNCATED is for the file. */
    enum pilgrim_status status = p.in.status == PILGRIM_TRUNCATED ? PILGRIM_DAMAGED : p.in.status;
    return trace_error(error, status, section->offset, "section %s at byte %llu: %s", section_names[section->type],
                       (unsigned long long)section->offset, p.problem ? p.problem : "ends too early");
}

struct shard *shard_new(size_t number, const struct trace_source *source)
{
    struct shard *v = calloc(1, sizeof *v);
    const uint64_t of_file = CALL_BUDGET_BASE + BUDGET_RATIO * source->length, of_caller = source->memory / CALL_PARTS;
    if (v)
        *v = (struct shard){.number = number,
                            .call_budget = of_caller < of_file ? of_caller : of_file,
                            .count_budget = of_file,
                            .memory_problem = of_caller < of_file ? too_much_for_caller : too_much_for_file};
    return v;
}

struct section_location section_location(const struct section *section)
{
    return (struct section_location){.is_there = true,
                                     .offset = section->offset,
                                     .raw = section->raw,
                                     .stored_length = section->stored_length,
                                     .checksum = section->checksum};
}

enum pilgrim_status source_error(struct pilgrim_error *error, enum pilgrim_status status, uint64_t offset)
{
    if (status == PILGRIM_NOMEM)
        return trace_no_memory(error);
    if (status == PILGRIM_LIMIT)
        return trace_error(error, status, offset, "section at byte %llu: %s", (unsigned long long)offset,
                           too_much_for_caller);
    return trace_error(error, status, offset, "cannot read at byte %llu: %s", (unsigned long long)offset,
                       strerror(errno));
}

static enum pilgrim_status has_changed(struct pilgrim_error *error, uint64_t offset)
{
    return trace_error(error, PILGRIM_DAMAGED, offset, "the file has changed since it was opened, at byte %llu",
                       (unsigned long long)offset);
}

/* Reads the section at LOCATION again. Fails if it has changed. */
static enum pilgrim_status read_again(const struct trace_source *source, const struct section_location *location,
                                      struct budget *budget, struct bytes *room, struct shard *v,
                                      struct pilgrim_error *error)
{
    struct section section;
    uint64_t offset = location->offset;
    enum pilgrim_status status = source_section(source, &offset, room, &section);
    if (status == PILGRIM_IO || status == PILGRIM_NOMEM || status == PILGRIM_LIMIT)
        return source_error(error, status, location->offset);
    if (status != PILGRIM_OK || section.damage || section.raw != location->raw ||
        section.stored_length != location->stored_length || section.checksum != location->checksum)
        return has_changed(error, location->offset);
    return shard_take(v, &section, budget, error);
}

enum pilgrim_status shard_load(const struct pilgrim_trace *t, size_t number, struct shard **shard,
                               struct pilgrim_error *error)
{
    static const uint8_t order[] = {SECTION_DEFINITIONS, SECTION_OLD_DEFINITIONS, SECTION_CALLS, SECTION_STATISTICS,
                                    SECTION_PROFILE};
    const struct shard_entry *e = &t->entries[number];
    struct budget budget = open_budget(&t->source, 0, t->cache ? t->cache->bytes : 0);
    struct bytes room = {0};
    struct shard *v = shard_new(number, &t->source);
    enum pilgrim_status status = v ? PILGRIM_OK : trace_no_memory(error);
    for (size_t i = 0; i < sizeof order / sizeof order[0] && status == PILGRIM_OK; i++)
        if (e->sections[order[i]].is_there)
            status = read_again(&t->source, &e->sections[order[i]], &budget, &room, v, error);
    if (status == PILGRIM_OK && v->rank_count != e->rank_count)
        status = has_changed(error, e->sections[SECTION_CALLS].offset);
    bytes_free(&room);
    if (status != PILGRIM_OK) {
        shard_free(v);
        return status;
    }
    v->first_rank = e->first_rank;
    v->first_group = e->first_group;
    *shard = v;
    return PILGRIM_OK;
}
