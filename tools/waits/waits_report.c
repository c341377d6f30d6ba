/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts together what pilgrim-waits prints; see waits_report.h. */
#include "waits_report.h"

#include <stdio.h>
#include <stdlib.h>

void report_frame(const struct report *r, const struct pilgrim_frame *frame, char text[PLACE_MAX])
{
    const char *line = frame && r->lines && r->format != REPORT_JSON ? source_lines_find(r->lines, frame) : NULL;
    if (!frame || line)
        snprintf(text, PLACE_MAX, "%s", line ? line : "?");
    else
        snprintf(text, PLACE_MAX, "%s+0x%llx", frame->module, (unsigned long long)frame->offset);
}

void report_place(const struct report *r, uint32_t site, char text[PLACE_MAX])
{
    const struct pilgrim_class *class = match_site(r->w->match, site);
    report_frame(r, class ? class->site : NULL, text);
}

const char *report_function(const struct report *r, uint32_t site)
{
    const struct pilgrim_class *class = match_site(r->w->match, site);
    return class ? class->function->name : "?";
}

const struct cause_thread *report_thread(const struct report *r, uint32_t thread)
{
    return thread < r->w->causes_found.thread_count ? &r->w->causes_found.threads[thread] : NULL;
}

bool waits_print(struct report *r)
{
    bool good;
    r->efficiency = efficiency_of(r->w);
    good = critical_path_of(r->w, &r->path, &r->path_count, &r->path_ns) &&
           delay_costs_of(r->w, &r->delays, &r->delay_count);
    if (good && r->format == REPORT_TEXT)
        good = report_text(r);
    else if (good)
        report_rows(r);
    free(r->path);
    free(r->delays);
    r->path = NULL;
    r->delays = NULL;
    return good;
}
