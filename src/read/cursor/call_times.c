/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a thread's calls; see call_times.h.
 *
 * The times of a section can only be decoded in order, and decoding needs the class of each call. A cursor that has
 * skipped calls does not know all classes. Then a second cursor, the follower, walks from the section's first call,
 * without evaluating values. */
#include "read/cursor/call_times.h"

#include "read/cursor/cursor_open.h"
#include "read/file/common_section.h"
#include "read/table/trace_error.h"
#include "timing/times.h"

void call_times_begin(struct call_times *t, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    *t = (struct call_times){0};
    t->sections = time_sections_of(&trace->times, rank, thread, &t->count);
}

static void drop_block(struct call_times *t)
{
    times_block_free(t->block);
    t->block = NULL;
}

void call_times_leave_segment(struct call_times *t)
{
    drop_block(t);
    t->current = NULL;
    pilgrim_cursor_close(t->follower);
    t->follower = NULL;
}

void call_times_free(struct call_times *t)
{
    call_times_leave_segment(t);
    bytes_free(&t->content);
}

/* Gives up the times of the current section. STATUS and PROBLEM say why. */
static bool fail(struct pilgrim_cursor *c, enum pilgrim_status status, const char *problem)
{
    struct call_times *t = &c->times;
    drop_block(t);
    if (t->error.status != PILGRIM_OK)
        return false;
    if (status == PILGRIM_NOMEM)
        trace_no_memory(&t->error);
    else
        trace_error(&t->error, status, t->current->offset, "section times at byte %llu: rank %u thread %u: %s",
                    (unsigned long long)t->current->offset, c->rank, c->thread, problem);
    return false;
}

/* ---- sections ---- */

/* Skips the calls of the threads before the wanted one, in a section of several threads. */
static enum pilgrim_status find_thread(struct call_times *t, const struct common_section *common, const char **problem)
{
    struct cursor starts = common->starts;
    uint64_t end = 0, ignored;
    enum pilgrim_status status = PILGRIM_OK;
    *problem = "does not have the calls that it says";
    if (times_block_calls(t->block) != common->calls * common->thread_count)
        return PILGRIM_DAMAGED;
    for (uint32_t i = 1; status == PILGRIM_OK; i++) {
        end += (uint64_t)cursor_svarint(&starts);
        if (end > TIMES_NS_MAX)
            return PILGRIM_DAMAGED;
        times_block_jump(t->block, end);
        t->order = common->order;
        if (i == t->current->of_common)
            return PILGRIM_OK;
        for (uint64_t k = 0; k < common->calls && status == PILGRIM_OK; k++) {
            uint64_t index = cursor_varint(&t->order);
            status =
                index < UINT32_MAX ? times_block_next(t->block, (uint32_t)index, &ignored, &ignored) : PILGRIM_DAMAGED;
        }
    }
    return PILGRIM_DAMAGED;
}

/* Decodes the times of the next call, whose class is at CLASS_INDEX. */
static enum pilgrim_status take(struct call_times *t, uint64_t class_index, uint64_t *start, uint64_t *end)
{
    if (t->current->of_common && cursor_varint(&t->order) != class_index)
        return PILGRIM_DAMAGED;
    t->next++;
    return times_block_next(t->block, (uint32_t)class_index, start, end);
}

/* Reads section S. */
static bool read_section(struct pilgrim_cursor *c, const struct time_section *s)
{
    struct call_times *t = &c->times;
    struct cursor in;
    struct common_section common;
    const char *problem;
    drop_block(t);
    t->current = s;
    t->next = s->first;
    if (s->first < c->first_seq)
        return fail(c, PILGRIM_DAMAGED, "of calls of two segments");
    enum pilgrim_status status = time_section_read(&c->trace->source, s, &t->content, &problem);
    if (status != PILGRIM_OK)
        return fail(c, status, problem);
    cursor_init(&in, t->content.data, t->content.length);
    for (unsigned i = 0; i < 3; i++)
        cursor_varint(&in); /* rank, thread and first, which are known */
    problem = "ends too early";
    if (s->of_common) {
        cursor_varint(&in); /* the 0 of a section of several threads */
        status = common_section_read(&in, &common, &problem);
    }
    if (status == PILGRIM_OK)
        status = times_block_open(&in, c->class_count, &t->block, &problem);
    if (status == PILGRIM_OK && s->of_common)
        status = find_thread(t, &common, &problem);
    if (status != PILGRIM_OK)
        return fail(c, status == PILGRIM_TRUNCATED ? PILGRIM_DAMAGED : status, problem ? problem : "ends too early");
    return true;
}

/* ---- calls that were passed over ---- */

/* Opens a follower at the next call whose times the block gives. */
static enum pilgrim_status follow(struct pilgrim_cursor *c)
{
    struct call_times *t = &c->times;
    if (t->follower && t->follower->seq > t->next) {
        pilgrim_cursor_close(t->follower);
        t->follower = NULL;
    }
    if (!t->follower) {
        enum pilgrim_status status = segment_cursor_open(c->trace, c->segment, c->rank, c->thread, &t->follower, NULL);
        if (status != PILGRIM_OK) {
            t->follower = NULL;
            return status;
        }
        t->follower->seq = t->follower->first_seq = c->first_seq;
        t->follower->passed = true;
    }
    return cursor_skip_in_segment(t->follower, t->next - t->follower->seq);
}

/* Skips the times before those of call SEQ. */
static bool pass_times(struct pilgrim_cursor *c, uint64_t seq)
{
    struct call_times *t = &c->times;
    enum pilgrim_status status = follow(c);
    while (status == PILGRIM_OK && t->next < seq) {
        uint64_t class_index, start, end;
        status = cursor_pass_in_segment(t->follower, &class_index);
        if (status == PILGRIM_OK)
            status = take(t, class_index, &start, &end);
    }
    return status == PILGRIM_OK ||
           fail(c, status == PILGRIM_NOMEM ? status : PILGRIM_DAMAGED, "does not have the calls of the thread");
}

/* Finds the section of call SEQ, and skips to its times. */
static bool find_times(struct pilgrim_cursor *c, uint64_t seq)
{
    struct call_times *t = &c->times;
    if (t->block && t->next == seq && seq - t->current->first < t->current->calls)
        return true;
    const struct time_section *s = time_section_with(t->sections, t->count, seq);
    if (!s || (s == t->current && !t->block))
        return false;
    if ((s != t->current || t->next > seq) && !read_section(c, s))
        return false;
    return t->next == seq || pass_times(c, seq);
}

void call_times_put(struct pilgrim_cursor *c, uint32_t class_index, struct pilgrim_call *call)
{
    struct call_times *t = &c->times;
    if (t->count == 0 || !find_times(c, call->seq))
        return;
    if (take(t, class_index, &call->start_ns, &call->end_ns) != PILGRIM_OK) {
        fail(c, PILGRIM_DAMAGED, "does not have the calls of the thread");
        return;
    }
    call->timed = true;
    double reading;
    if (call->ret.type == PILGRIM_TIME && times_block_reading(t->block, &reading)) {
        call->ret = (struct pilgrim_value){.type = PILGRIM_REAL, .real = reading};
        call->identity = 0;
    }
}

void call_times_end(struct pilgrim_cursor *c)
{
    struct call_times *t = &c->times;
    const char *problem;
    call_times_leave_segment(t);
    for (; t->count > 0 && t->sections[t->count - 1].first >= c->seq; t->count--) {
        t->current = &t->sections[t->count - 1];
        enum pilgrim_status status = time_section_read(&c->trace->source, t->current, &t->content, &problem);
        if (status != PILGRIM_OK)
            fail(c, status, problem);
    }
    t->current = NULL;
}

enum pilgrim_status pilgrim_cursor_times(const struct pilgrim_cursor *c, struct pilgrim_error *error)
{
    if (!c)
        return trace_null(error);
    if (c->times.error.status != PILGRIM_OK && error)
        *error = c->times.error;
    return c->times.error.status;
}
