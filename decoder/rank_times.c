/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what each rank did with its time (--stats --by=rank), a line each. */
#include <stdio.h>
#include <string.h>

#include "print.h"

enum { RANK_WIDTH = 14, CELL_MAX = 48 };

static void out_column(struct output *o, const char *text, size_t width)
{
    for (size_t length = strlen(text); length < width; length++)
        out_char(o, ' ');
    out_text(o, text);
}

static void text_header(struct output *o)
{
    out_column(o, "rank", RANK_WIDTH);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++)
        out_column(o, pilgrim_activity_name(i), 16);
    out_char(o, '\n');
}

static double whole(const struct pilgrim_rank_profile *r)
{
    double sum = 0;
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++)
        sum += r->ns[i];
    return sum;
}

static void text_line(struct output *o, const struct pilgrim_rank_profile *r)
{
    char cell[CELL_MAX], duration[OUT_DURATION_MAX];
    double sum = whole(r);
    if (r->rank_count > 1)
        snprintf(cell, sizeof cell, "%u-%u", r->first_rank, r->first_rank + r->rank_count - 1);
    else
        snprintf(cell, sizeof cell, "%u", r->first_rank);
    out_column(o, cell, RANK_WIDTH);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        put_duration(duration, r->ns[i]);
        snprintf(cell, sizeof cell, "%s %5.1f%%", duration, sum > 0 ? 100 * r->ns[i] / sum : 0);
        out_column(o, r->ns[i] > 0 ? cell : "-", 16);
    }
    out_char(o, '\n');
}

void json_activity(struct output *o, enum pilgrim_activity activity)
{
    for (const char *c = pilgrim_activity_name(activity); *c; c++)
        out_char(o, *c == ' ' || *c == '-' ? '_' : *c);
}

static void json_line(struct output *o, const struct pilgrim_rank_profile *r)
{
    char text[CELL_MAX];
    snprintf(text, sizeof text, "{\"rank\":%u,\"ranks\":%u", r->first_rank, r->rank_count);
    out_text(o, text);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        out_text(o, ",\"");
        json_activity(o, i);
        snprintf(text, sizeof text, "\":%.0f", r->ns[i]);
        out_text(o, text);
    }
    out_text(o, "}\n");
}

enum pilgrim_status rank_times_print(struct output *o, const struct pilgrim_trace *trace, bool json,
                                     bool (*choose)(const void *context, uint32_t rank), const void *context,
                                     struct pilgrim_error *error)
{
    bool begun = json;
    for (uint32_t rank = 0, next = 0; rank < pilgrim_rank_count(trace) && !o->error; rank++) {
        struct pilgrim_rank_profile found;
        if (rank < next || !choose(context, rank))
            continue;
        enum pilgrim_status status = pilgrim_rank_profile(trace, rank, &found, error);
        if (status == PILGRIM_END)
            continue;
        if (status != PILGRIM_OK)
            return status;
        next = found.first_rank + found.rank_count; /* a block is printed once */
        if (!begun)
            text_header(o);
        begun = true;
        if (json)
            json_line(o, &found);
        else
            text_line(o, &found);
    }
    if (!begun)
        out_text(o, "the trace has no times of ranks: record without PILGRIM_TIMING=off\n");
    return PILGRIM_OK;
}
