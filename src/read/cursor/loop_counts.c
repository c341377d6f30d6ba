/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts trips of loops and calls of threads with loops; see loop_counts.h, and docs/FORMAT.md, "Loops". */
#include "read/cursor/loop_counts.h"

#include "read/cursor/cursor_open.h"
#include "read/cursor/loop_walk.h"
#include "read/table/trace_error.h"

/* Adds up the trips of the loop at CLASS_INDEX, of a cursor that has not moved. *PROBLEM: a constant. */
static enum pilgrim_status sum_trips(struct pilgrim_cursor *c, size_t class_index, struct pilgrim_trips *trips,
                                     const char **problem)
{
    struct class_state *state = &c->classes[class_index];
    uint64_t length = rules_length(&c->shard->rules, state->value_group->sequence);
    bool constant = state->value_group->call_count_limit == 1 && !state->value_group->has_unzipped;
    *trips = (struct pilgrim_trips){.entered = length};
    if (!constant && length > c->shard->count_budget) {
        *problem = "a loop that is entered more often than can be counted";
        return PILGRIM_LIMIT;
    }
    for (uint64_t i = 0; i < (constant ? length > 0 : length); i++) {
        uint64_t one;
        enum pilgrim_status status = loop_trips(c, state, &one, problem);
        if (status != PILGRIM_OK)
            return status;
        trips->min = i == 0 || one < trips->min ? one : trips->min;
        trips->max = one > trips->max ? one : trips->max;
        trips->total += constant ? length * one : one;
    }
    return PILGRIM_OK;
}

bool loops_call_count(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank, uint32_t thread,
                      uint64_t *count)
{
    struct pilgrim_cursor *c;
    bool good = true;
    if (segment_cursor_open(trace, segment, rank, thread, &c, NULL) != PILGRIM_OK)
        return false;
    const struct stored_group *group = c->stream.group;
    *count = group->calls;
    for (uint32_t i = 0; i < group->loop_count && good; i++) {
        struct pilgrim_trips trips;
        const char *problem;
        good = sum_trips(c, group->loops[i].class_index, &trips, &problem) == PILGRIM_OK;
        *count += trips.total * group->loops[i].calls;
    }
    pilgrim_cursor_close(c);
    return good;
}

/* A second cursor, at the beginning of the segment, walks the values of the loop. */
enum pilgrim_status pilgrim_loop_trips(const struct pilgrim_cursor *cursor, size_t class_number,
                                       struct pilgrim_trips *trips, struct pilgrim_error *error)
{
    struct pilgrim_cursor *c;
    const char *problem = NULL;
    if (!cursor || !trips)
        return trace_null(error);
    if (class_number >= cursor->class_count || !cursor->classes[class_number].loop)
        return trace_error(error, PILGRIM_INVALID, 0, "class %zu is no loop", class_number);
    enum pilgrim_status status =
        segment_cursor_open(cursor->trace, cursor->segment, cursor->rank, cursor->thread, &c, error);
    if (status != PILGRIM_OK)
        return status;
    status = sum_trips(c, class_number, trips, &problem);
    if (status != PILGRIM_OK) {
        unsigned long long offset = c->shard->offset[SECTION_CALLS];
        trace_error(error, status, offset, "section calls at byte %llu: rank %u thread %u, loop %zu: %s", offset,
                    c->rank, c->thread, class_number, problem ? problem : "not enough memory");
    }
    pilgrim_cursor_close(c);
    return status;
}
