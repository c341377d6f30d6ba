/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints where ranks ran and how their clocks differ from the common axis (--system --rank), a line each. */
#include <stdio.h>
#include <string.h>

#include "print.h"

static void json_clock(struct output *o, const struct pilgrim_clock *clock)
{
    static const char *const fields[] = {",\"clock\":[{\"time\":", ",{\"time\":"};
    for (unsigned i = 0; i < clock->point_count; i++) {
        const struct pilgrim_clock_point *p = &clock->points[i];
        out_text(o, fields[i]);
        out_uint(o, p->time_ns);
        out_json_field(o, "offset", p->offset_ns);
        out_json_field(o, "error", (int64_t)p->error_ns);
        out_char(o, '}');
    }
    out_text(o, clock->point_count ? "]" : "");
}

static void json_location(struct output *o, uint32_t rank, const struct pilgrim_host *host,
                          const struct pilgrim_location *l, const struct pilgrim_clock *clock)
{
    out_text(o, "{\"rank\":");
    out_uint(o, rank);
    out_text(o, ",\"place\":");
    for (size_t i = 0; i < host->level_count; i++) {
        out_text(o, i ? ",{\"class\":" : "[{\"class\":");
        out_json_string(o, host->levels[i].kind, strlen(host->levels[i].kind));
        out_text(o, ",\"name\":");
        out_json_string(o, host->levels[i].name, strlen(host->levels[i].name));
        out_char(o, '}');
    }
    out_text(o, host->level_count ? "]" : "null");
    out_json_field(o, "process", l->process);
    if (l->pid >= 0)
        out_json_field(o, "pid", l->pid);
    else
        out_text(o, ",\"pid\":null");
    out_json_field(o, "threads", l->threads);
    json_clock(o, clock);
    out_text(o, "}\n");
}

static void text_clock(struct output *o, const struct pilgrim_clock *clock)
{
    char text[128];
    const struct pilgrim_clock_point *p = clock->points;
    if (!clock->point_count)
        return;
    int length = snprintf(text, sizeof text, ", clock %+.3fus (error %.3fus)", (double)p->offset_ns / 1000,
                          (double)p->error_ns / 1000);
    out_bytes(o, text, (size_t)length);
    if (clock->point_count == 1)
        return;
    length = snprintf(text, sizeof text, " and %+.3fus a second (error %.3fus at the end)",
                      pilgrim_clock_drift(clock) * 1e6, (double)p[1].error_ns / 1000);
    out_bytes(o, text, (size_t)length);
}

static void text_location(struct output *o, uint32_t rank, const struct pilgrim_host *host,
                          const struct pilgrim_location *l, const struct pilgrim_clock *clock)
{
    out_text(o, "rank ");
    out_uint(o, rank);
    out_text(o, ": ");
    for (size_t i = 0; i < host->level_count; i++) {
        out_json_escaped(o, host->levels[i].kind, strlen(host->levels[i].kind));
        out_char(o, ' ');
        out_json_escaped(o, host->levels[i].name, strlen(host->levels[i].name));
        out_text(o, ", ");
    }
    out_text(o, host->level_count ? "process " : "unknown, process ");
    out_uint(o, l->process);
    if (l->pid >= 0) {
        out_text(o, ", pid ");
        out_int(o, l->pid);
    }
    out_text(o, ", ");
    out_uint(o, l->threads);
    out_text(o, l->threads == 1 ? " thread" : " threads");
    text_clock(o, clock);
    out_char(o, '\n');
}

enum pilgrim_status location_print(struct output *o, const struct pilgrim_trace *trace,
                                   const struct pilgrim_system *system, uint32_t rank, bool json,
                                   struct pilgrim_error *error)
{
    struct pilgrim_location location;
    struct pilgrim_host host;
    struct pilgrim_clock clock;
    enum pilgrim_status status = pilgrim_clock_of(trace, rank, &clock, error);
    if (status != PILGRIM_OK || pilgrim_system_location(system, rank, &location) != PILGRIM_OK ||
        pilgrim_system_host(system, location.host, &host) != PILGRIM_OK)
        return status;
    if (json)
        json_location(o, rank, &host, &location, &clock);
    else
        text_location(o, rank, &host, &location, &clock);
    return PILGRIM_OK;
}
