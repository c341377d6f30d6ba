/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what is converted; see convert_run.h. */
#include "convert_run.h"

#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_timing.h"
#include "analysis/calls_stream.h"
#include "analysis/selection.h"
#include "analysis/work_progress.h"
#include "convert_jobs.h"
#include "drawn_times.h"

struct conversion {
    struct convert *c;
    const struct convert_format *format;
    const struct pilgrim_selection *selection;
    struct call_places places;
    struct drawn_times *drawn;
    size_t flow_at, record_at;
    uint32_t rank, thread, segment; /* of the last call */
    uint32_t ranks_end;             /* of this process */
    bool begun;
};

bool convert_draws(const struct pilgrim_trace *trace)
{
    return !calls_have_times(trace);
}

static bool takes_records(const struct convert_format *format)
{
    return format->what == CONVERT_RECORDS || format->what == CONVERT_WHOLE_RECORDS;
}

/* The next calls are those of another thread. */
static enum pilgrim_status begin_thread(struct conversion *v, const struct pilgrim_call *call,
                                        struct pilgrim_error *error)
{
    v->rank = call->rank;
    v->thread = call->thread;
    v->flow_at = v->record_at = 0;
    v->begun = true;
    call_places_forget(&v->places);
    work_done((uint64_t)call->rank * pilgrim_rank_count(v->c->trace) / v->ranks_end); /* processes take equally long */
    drawn_times_close(v->drawn);
    v->drawn = NULL;
    if (!v->format->thread(v->c, call->rank, call->thread))
        return no_memory(error);
    return v->c->drawn ? drawn_times_open(v->c->trace, call->rank, call->thread, &v->drawn, error) : PILGRIM_OK;
}

/* Records have the bytes of messages, but not of collective operations. */
static bool needs_volume(const struct conversion *v, const struct convert_call *call)
{
    bool needs = !takes_records(v->format) || v->c->arguments;
    for (size_t i = 0; i < call->record_count && !needs; i++)
        needs = call->records[i].kind == RECORD_COLLECTIVE || call->records[i].kind == RECORD_COLLECTIVE_BEGUN;
    return needs;
}

static enum pilgrim_status convert_call(struct conversion *v, struct pilgrim_calls *calls, struct pilgrim_call *call,
                                        struct convert_result *result, struct pilgrim_error *error)
{
    struct convert_call found = {.call = call};
    v->c->calls = calls;
    enum pilgrim_status status = PILGRIM_OK;
    if (!v->begun || call->rank != v->rank || call->thread != v->thread)
        status = begin_thread(v, call, error);
    if (status == PILGRIM_OK && v->drawn)
        status = drawn_times_set(v->drawn, call, error);
    if (status != PILGRIM_OK)
        return status;
    if (!call->timed && !v->format->untimed) {
        result->untimed++;
        return PILGRIM_OK;
    }
    if (takes_records(v->format))
        found.records = mpi_records_of(v->c->records, call, &v->record_at, &found.record_count);
    else if (v->format->what == CONVERT_FLOWS)
        found.flows = flows_of(v->c->flows, call, &v->flow_at, &found.flow_count);
    if (needs_volume(v, &found) && (status = pilgrim_calls_volume(calls, &found.volume, error)) != PILGRIM_OK)
        return status;
    if (v->c->drawn)
        found.flow_count = 0; /* times of threads do not fit to each other */
    if (calls_segment(calls) != v->segment)
        call_places_forget(&v->places);
    v->segment = calls_segment(calls);
    found.place = call_place_of(&v->places, call->class_);
    result->calls++;
    return found.place && v->format->call(v->c, &found) ? PILGRIM_OK : no_memory(error);
}

static enum pilgrim_status convert_calls(void *context, uint32_t first, uint32_t end, struct convert_result *result,
                                         bool *lacks, struct pilgrim_error *error)
{
    struct conversion *v = context;
    struct pilgrim_calls *calls;
    struct pilgrim_call call;
    enum pilgrim_status status = calls_open(v->c->trace, v->selection, PILGRIM_BY_RANK, !convert_draws(v->c->trace),
                                            v->places.lines, &calls, error);
    *lacks = false;
    if (status != PILGRIM_OK)
        return status;
    calls_ranks(calls, first, end);
    v->ranks_end = end;
    while (status == PILGRIM_OK && (status = pilgrim_calls_next(calls, &call, error)) == PILGRIM_OK)
        status = convert_call(v, calls, &call, result, error);
    *lacks = calls_lack(calls);
    if (status == PILGRIM_END) {
        status = PILGRIM_OK;
        if (result->times.status == PILGRIM_OK)
            (void)!calls_times(calls, &result->times);
    }
    pilgrim_calls_close(calls);
    return status;
}

/* ---- places ---- */

static enum pilgrim_status find_thread_places(struct conversion *v, uint32_t rank, uint32_t thread,
                                              struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    enum pilgrim_status status = pilgrim_cursor_open(v->c->trace, rank, thread, &cursor, error);
    while (status == PILGRIM_OK) {
        call_places_forget(&v->places);
        pilgrim_thread_info(cursor, &info);
        for (size_t i = 0; i < info.class_count && status == PILGRIM_OK; i++) {
            if (pilgrim_class_info(cursor, i, &class) != PILGRIM_OK || class.body || !class.class_)
                continue;
            const struct call_place *place = call_place_of(&v->places, class.class_);
            if (place && v->format->place)
                v->format->place(v->c, class.class_, place);
            status = place ? PILGRIM_OK : no_memory(error);
        }
        if (status == PILGRIM_OK)
            status = pilgrim_cursor_next_segment(cursor, error);
    }
    pilgrim_cursor_close(cursor);
    call_places_forget(&v->places);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Finds the places of all calls of the ranks that are wanted. */
static bool find_places(struct conversion *v)
{
    struct pilgrim_error ignored;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(v->c->trace) && status == PILGRIM_OK; rank++)
        if (selection_has_number(v->selection, SELECT_RANK, rank))
            for (uint32_t i = 0; i < pilgrim_thread_count(v->c->trace, rank) && status == PILGRIM_OK; i++)
                status = find_thread_places(v, rank, i, &ignored);
    return status == PILGRIM_OK;
}

/* ---- all ---- */

/* Gives all calls to the format. WHOLE: nothing was damaged so far. */
static enum pilgrim_status convert_all(struct conversion *v, bool whole, struct convert_result *result,
                                       struct pilgrim_error *error)
{
    const struct convert_parts *parts = v->format->parts;
    const bool several = v->c->jobs > 1 && whole && parts && !(parts->no_arguments && v->c->arguments);
    const bool known = (several || v->format->place) && find_places(v);
    bool lacks;
    enum pilgrim_status status = several && known
                                     ? convert_jobs(v->c, v->format, v->c->jobs, convert_calls, v, result, error)
                                     : convert_calls(v, 0, pilgrim_rank_count(v->c->trace), result, &lacks, error);
    if (status == PILGRIM_OK && result->times.status != PILGRIM_OK) {
        *error = result->times;
        status = error->status;
    }
    return status;
}

enum pilgrim_status convert_run(struct convert *c, const struct convert_format *format,
                                const struct pilgrim_selection *selection, struct source_lines *lines,
                                struct convert_result *result, struct pilgrim_error *error)
{
    struct conversion v = {.c = c, .format = format, .selection = selection, .places = {.lines = lines}};
    struct pilgrim_error ignored;
    struct pilgrim_system *system;
    struct flows flows = {0};
    struct mpi_records records = {0};
    *result = (struct convert_result){0};
    c->drawn = convert_draws(c->trace) && !format->untimed;
    if (format->convert)
        return format->convert(c, selection, result, error);
    if (pilgrim_system_open(c->trace, &system, &ignored) != PILGRIM_OK)
        system = NULL;
    c->system = system;
    enum pilgrim_status read = PILGRIM_OK;
    const struct records_wanted wanted = {.untimed = c->drawn || format->untimed,
                                          .whole = format->what == CONVERT_WHOLE_RECORDS};
    if (takes_records(format))
        read = mpi_records_read(&records, c->trace, selection, &wanted, error);
    else if (format->what == CONVERT_FLOWS)
        read = flows_read(&flows, c->trace, selection, c->drawn, error);
    c->flows = &flows;
    c->records = &records;
    result->missing = records.left_out;
    enum pilgrim_status status = read;
    if (read != PILGRIM_NOMEM && read != PILGRIM_INVALID) { /* what is damaged is missing in both */
        const bool began = format->begin(c);
        struct pilgrim_error found;
        status = began ? convert_all(&v, read == PILGRIM_OK, result, &found) : no_memory(&found);
        if (!format->end(c) && status == PILGRIM_OK)
            status = no_memory(&found);
        if (status != PILGRIM_OK)
            *error = found;
        else
            status = read;
    }
    drawn_times_close(v.drawn);
    call_places_free(&v.places);
    if (takes_records(format))
        mpi_records_free(&records);
    else if (format->what == CONVERT_FLOWS)
        flows_free(&flows);
    pilgrim_system_close(system);
    return status;
}
