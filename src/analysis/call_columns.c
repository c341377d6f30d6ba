/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls as columns; see pilgrim/columns.h. What is equal for equal calls is worked out once for each, and kept in a
 * table by rank, thread and identity. */
#include "pilgrim/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/calls_stream.h"
#include "analysis/class_copies.h"
#include "analysis/column_names.h"
#include "analysis/source_lines.h"
#include "analysis/value_text.h"

enum { KEPT_ROWS = 1 << 13 };

/* Which call a kept row is of; IDENTITY 0: none. */
struct kept_call {
    uint32_t rank, thread;
    uint64_t identity;
    uint64_t changes; /* calls_changes when its bytes were found, + 1; 0: they were not */
    int64_t bytes;
};

struct call_column {
    char *name;
    struct column_kind kind;
    struct text_set texts;
};

struct pilgrim_columns {
    const struct pilgrim_trace *trace;
    struct pilgrim_calls *calls;
    struct source_lines *lines;
    bool common; /* the stream's times are on the common axis */
    bool ended, times_told;
    struct call_column *columns;
    size_t count;
    struct kept_call *kept;
    int64_t *values; /* of kept rows, COUNT each; those of row KEPT_ROWS are of a call that is not kept */
    struct class_copies classes;
    struct value_text scratch;
    struct pilgrim_clock clock; /* of the rank */
    uint32_t rank;
    bool has_clock;
};

/* ---- opening ---- */

static enum pilgrim_status add_columns(struct pilgrim_columns *c, const char *const *names, size_t count,
                                       struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (; c->count < count && status == PILGRIM_OK; c->count++) {
        struct call_column *column = &c->columns[c->count];
        if (!names[c->count]) {
            *error = (struct pilgrim_error){.status = PILGRIM_INVALID, .message = "a name of a column is NULL"};
            return PILGRIM_INVALID;
        }
        for (size_t i = 0; i < c->count; i++)
            if (strcmp(c->columns[i].name, names[c->count]) == 0) {
                *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
                snprintf(error->message, sizeof error->message, "column \"%.60s\" is asked for twice", names[c->count]);
                return PILGRIM_INVALID;
            }
        column->name = strdup(names[c->count]);
        status = column->name ? column_kind_of(column->name, &column->kind, error) : no_memory(error);
    }
    return status;
}

static enum pilgrim_status check_arguments(const struct pilgrim_columns *c, struct pilgrim_error *error)
{
    struct column_kind *kinds = calloc(c->count + 1, sizeof *kinds);
    if (!kinds)
        return no_memory(error);
    for (size_t i = 0; i < c->count; i++)
        kinds[i] = c->columns[i].kind;
    const enum pilgrim_status status = column_arguments_check(c->trace, kinds, c->count, error);
    free(kinds);
    return status;
}

static enum pilgrim_status open_lines(struct pilgrim_columns *c, struct pilgrim_error *error)
{
    c->lines = source_lines_new("", NULL);
    if (!c->lines)
        return no_memory(error);
    source_lines_ran_in(c->lines, pilgrim_property(c->trace, "folder"));
    source_lines_use_trace(c->lines, c->trace, pilgrim_frame_function);
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_columns_open(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                                         enum pilgrim_order order, const char *const *names, size_t count,
                                         struct pilgrim_columns **columns, struct pilgrim_error *error)
{
    struct pilgrim_error ignored;
    if (columns)
        *columns = NULL;
    if (!trace || !columns || (!names && count > 0) || (order != PILGRIM_BY_RANK && order != PILGRIM_BY_TIME))
        return PILGRIM_INVALID;
    if (!error)
        error = &ignored;
    struct pilgrim_columns *c = calloc(1, sizeof *c);
    if (!c)
        return no_memory(error);
    c->trace = trace;
    c->common = order == PILGRIM_BY_TIME;
    c->columns = calloc(count + 1, sizeof *c->columns);
    c->kept = calloc(KEPT_ROWS, sizeof *c->kept);
    c->values = calloc((KEPT_ROWS + 1) * (count + 1), sizeof *c->values);
    enum pilgrim_status status =
        c->columns && c->kept && c->values ? add_columns(c, names, count, error) : no_memory(error);
    if (status == PILGRIM_OK)
        status = check_arguments(c, error);
    if (status == PILGRIM_OK)
        status = open_lines(c, error);
    if (status == PILGRIM_OK)
        status = calls_open(trace, selection, order, false, c->lines, &c->calls, error);
    if (status == PILGRIM_OK)
        *columns = c;
    else
        pilgrim_columns_close(c);
    return status;
}

void pilgrim_columns_close(struct pilgrim_columns *columns)
{
    if (!columns)
        return;
    pilgrim_calls_close(columns->calls);
    source_lines_free(columns->lines);
    for (size_t i = 0; columns->columns && i < columns->count; i++) {
        free(columns->columns[i].name);
        free(columns->columns[i].kind.argument);
        text_set_free(&columns->columns[i].texts);
    }
    class_copies_free(&columns->classes);
    free(columns->scratch.text);
    free(columns->columns);
    free(columns->kept);
    free(columns->values);
    free(columns);
}

const char *pilgrim_columns_at(const struct pilgrim_columns *columns, size_t i, enum pilgrim_column_type *type)
{
    if (!columns || !type || i >= columns->count)
        return NULL;
    *type = columns->columns[i].kind.type;
    return columns->columns[i].name;
}

size_t pilgrim_columns_texts(const struct pilgrim_columns *columns, size_t i)
{
    return columns && i < columns->count ? columns->columns[i].texts.count : 0;
}

const char *pilgrim_columns_text(const struct pilgrim_columns *columns, size_t i, int64_t number, size_t *length)
{
    if (number < 0 || (uint64_t)number >= pilgrim_columns_texts(columns, i))
        return NULL;
    const struct text_set_entry *entry = &columns->columns[i].texts.entries[number];
    if (length)
        *length = entry->length;
    return entry->text;
}

/* ---- what is equal for equal calls ---- */

/* Sets *NUMBER to that of what was written to the scratch text. */
static enum pilgrim_status scratch_number(struct pilgrim_columns *c, struct call_column *column, int64_t *number,
                                          struct pilgrim_error *error)
{
    *number = c->scratch.failed ? -1 : text_set_number(&column->texts, c->scratch.text, c->scratch.used);
    if (*number >= 0)
        return PILGRIM_OK;
    if (*number == -1)
        return no_memory(error);
    *error = (struct pilgrim_error){.status = PILGRIM_LIMIT, .message = "a column has more than 2^31 - 1 texts"};
    return PILGRIM_LIMIT;
}

/* Sets *NUMBER to that of the call's site. It is looked up once for each site. */
static enum pilgrim_status site_number(struct pilgrim_columns *c, struct call_column *column,
                                       const struct pilgrim_call *call, int64_t *number, struct pilgrim_error *error)
{
    const struct pilgrim_frame *frame = call->class_->site;
    *number = -1;
    if (!frame)
        return PILGRIM_OK;
    c->classes.sites_only = true;
    struct class_copy *copy = copy_class(&c->classes, call->class_);
    if (!copy)
        return no_memory(error);
    if (!copy->first) { /* the number, from 1 */
        char *place = source_lines_place(c->lines, frame);
        if (!place)
            return no_memory(error);
        value_text_name(&c->scratch, place, strlen(place));
        free(place);
        const enum pilgrim_status status = scratch_number(c, column, number, error);
        if (status != PILGRIM_OK)
            return status;
        copy->first = (size_t)*number + 1;
    }
    *number = (int64_t)copy->first - 1;
    return PILGRIM_OK;
}

static enum pilgrim_status text_number(struct pilgrim_columns *c, struct call_column *column,
                                       const struct pilgrim_call *call, int64_t *number, struct pilgrim_error *error)
{
    c->scratch.used = 0;
    c->scratch.failed = false;
    value_text_name(&c->scratch, "", 0);
    if (column->kind.source == COLUMN_SITE)
        return site_number(c, column, call, number, error);
    if (column->kind.source == COLUMN_FUNC) {
        value_text_name(&c->scratch, call->function->name, strlen(call->function->name));
        return scratch_number(c, column, number, error);
    }
    const struct pilgrim_value *value = column_kind_value(&column->kind, call);
    *number = -1;
    if (value->type == PILGRIM_NONE)
        return PILGRIM_OK;
    value_text_add(&c->scratch, value);
    return scratch_number(c, column, number, error);
}

/* Sets *VALUES to what the call has in columns that are equal for equal calls, and *KEPT_CALL to where that is kept;
 * NULL: nowhere. */
static enum pilgrim_status equal_values(struct pilgrim_columns *c, const struct pilgrim_call *call,
                                        const int64_t **values, struct kept_call **kept_call,
                                        struct pilgrim_error *error)
{
    const uint64_t mixed = call->identity + ((uint64_t)call->rank * 0x9e3779b1u + call->thread) * 0x85ebca6bu;
    const size_t row = call->identity ? (size_t)(mixed % KEPT_ROWS) : KEPT_ROWS;
    struct kept_call *kept = row < KEPT_ROWS ? &c->kept[row] : NULL;
    int64_t *at = &c->values[row * c->count];
    *values = at;
    *kept_call = kept;
    if (kept && kept->identity == call->identity && kept->rank == call->rank && kept->thread == call->thread)
        return PILGRIM_OK;
    if (kept)
        kept->identity = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct call_column *column = &c->columns[i];
        enum pilgrim_status status = PILGRIM_OK;
        if (column->kind.source < COLUMN_FUNC)
            continue;
        if (column->kind.type == PILGRIM_COLUMN_TEXT)
            status = text_number(c, column, call, &at[i], error);
        else
            at[i] = column_number(&column->kind, call);
        if (status != PILGRIM_OK)
            return status;
    }
    if (kept)
        *kept = (struct kept_call){.rank = call->rank, .thread = call->thread, .identity = call->identity};
    return PILGRIM_OK;
}

/* ---- rows ---- */

static int64_t time_of(uint64_t ns, bool timed)
{
    return timed ? (int64_t)(ns > INT64_MAX ? INT64_MAX : ns) : PILGRIM_MISSING;
}

/* KEPT: of the call; NULL: it is not kept. */
static enum pilgrim_status bytes_of(struct pilgrim_columns *c, struct kept_call *kept, int64_t *bytes,
                                    struct pilgrim_error *error)
{
    struct pilgrim_volume volume;
    if (kept && kept->changes && kept->changes == calls_changes(c->calls) + 1) {
        *bytes = kept->bytes;
        return PILGRIM_OK;
    }
    const enum pilgrim_status status = pilgrim_calls_volume(c->calls, &volume, error);
    *bytes = PILGRIM_MISSING;
    if (status == PILGRIM_OK && volume.known && volume.sent + volume.received <= INT64_MAX)
        *bytes = (int64_t)(volume.sent + volume.received);
    if (kept && status == PILGRIM_OK) {
        kept->changes = calls_changes(c->calls) + 1;
        kept->bytes = *bytes;
    }
    return status;
}

/* Puts the call's times on the common axis, if the stream has not. */
static enum pilgrim_status put_on_axis(struct pilgrim_columns *c, struct pilgrim_call *call,
                                       struct pilgrim_error *error)
{
    if (!c->has_clock || c->rank != call->rank) {
        const enum pilgrim_status status = pilgrim_clock_of(c->trace, call->rank, &c->clock, error);
        if (status != PILGRIM_OK)
            return status;
        c->rank = call->rank;
        c->has_clock = true;
    }
    pilgrim_clock_apply(&c->clock, call);
    return PILGRIM_OK;
}

static enum pilgrim_status fill_row(struct pilgrim_columns *c, struct pilgrim_call *call, void *const *arrays,
                                    size_t row, struct pilgrim_error *error)
{
    const int64_t *values;
    struct kept_call *kept;
    enum pilgrim_status status = equal_values(c, call, &values, &kept, error);
    if (status == PILGRIM_OK && !c->common && call->timed)
        status = put_on_axis(c, call, error);
    for (size_t i = 0; i < c->count && status == PILGRIM_OK; i++) {
        int32_t *narrow = arrays[i];
        int64_t *wide = arrays[i];
        switch (c->columns[i].kind.source) {
        case COLUMN_RANK:
            narrow[row] = (int32_t)call->rank;
            break;
        case COLUMN_THREAD:
            narrow[row] = (int32_t)call->thread;
            break;
        case COLUMN_SEQ:
            wide[row] = (int64_t)call->seq;
            break;
        case COLUMN_START:
            wide[row] = time_of(call->start_ns, call->timed);
            break;
        case COLUMN_END:
            wide[row] = time_of(call->end_ns, call->timed);
            break;
        case COLUMN_BYTES:
            status = bytes_of(c, kept, &wide[row], error);
            break;
        default:
            if (c->columns[i].kind.type == PILGRIM_COLUMN_TEXT)
                narrow[row] = (int32_t)values[i];
            else
                wide[row] = values[i];
        }
    }
    return status;
}

/* At the end: what is wrong with times, once. */
static enum pilgrim_status end(struct pilgrim_columns *c, struct pilgrim_error *error)
{
    struct pilgrim_error times;
    c->ended = true;
    if (c->times_told || calls_times(c->calls, &times) == PILGRIM_OK)
        return PILGRIM_END;
    c->times_told = true;
    *error = times;
    return times.status;
}

enum pilgrim_status pilgrim_columns_fill(struct pilgrim_columns *columns, void *const *arrays, size_t rows,
                                         size_t *filled, struct pilgrim_error *error)
{
    struct pilgrim_error ignored;
    struct pilgrim_call call;
    if (filled)
        *filled = 0;
    if (!columns || !filled || (!arrays && columns->count > 0) || rows == 0)
        return PILGRIM_INVALID;
    if (columns->ended)
        return PILGRIM_END;
    for (size_t i = 0; i < columns->count; i++)
        if (!arrays[i])
            return PILGRIM_INVALID;
    if (!error)
        error = &ignored;
    while (*filled < rows) {
        enum pilgrim_status status = pilgrim_calls_next(columns->calls, &call, error);
        if (status == PILGRIM_END)
            return *filled > 0 ? PILGRIM_OK : end(columns, error);
        if (status == PILGRIM_OK)
            status = fill_row(columns, &call, arrays, *filled, error);
        if (status != PILGRIM_OK) {
            columns->ended = true;
            return status;
        }
        ++*filled;
    }
    return PILGRIM_OK;
}
