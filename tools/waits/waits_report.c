/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts together what pilgrim-waits prints; see waits_report.h. */
#include "waits_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/site_place.h"
#include "../../decoder/deadlocks_print.h"

void report_frame(const struct report *r, const struct pilgrim_frame *frame, char text[PLACE_MAX])
{
    char *place = source_lines_place(r->format != REPORT_JSON ? r->lines : NULL, frame);
    snprintf(text, PLACE_MAX, "%s", place ? place : "?");
    free(place);
}

static const struct pilgrim_frame *frame_of(const struct report *r, uint32_t site)
{
    const struct pilgrim_class *class = match_site(r->w->match, site);
    return class ? class->site : NULL;
}

void report_place(const struct report *r, uint32_t site, char text[PLACE_MAX])
{
    report_frame(r, frame_of(r, site), text);
}

void json_frame_place(const struct report *r, const char *prefix, const struct pilgrim_frame *frame)
{
    char place[PLACE_MAX];
    report_frame(r, frame, place);
    out_text(r->o, ",\"");
    out_text(r->o, prefix);
    out_text(r->o, "site\":");
    out_json_string(r->o, place, strlen(place));
    json_place(r->o, prefix, frame, r->lines);
}

void json_site_place(const struct report *r, const char *prefix, uint32_t site)
{
    json_frame_place(r, prefix, frame_of(r, site));
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

static bool print_all(struct report *r)
{
    bool good;
    good = critical_path_of(r->w, &r->path, &r->path_count, &r->path_ns) &&
           delay_costs_of(r->w, &r->delays, &r->delay_count);
    if (good && r->path_only)
        waits_print_path(r);
    else if (good && r->format == REPORT_TEXT)
        good = report_text(r);
    else if (good)
        report_rows(r);
    free(r->path);
    free(r->delays);
    r->path = NULL;
    r->delays = NULL;
    return good;
}

/* ---- the trace ---- */

bool waits_is_profile(const struct pilgrim_trace *trace)
{
    const char *timing = pilgrim_property(trace, "timing");
    return timing && strcmp(timing, "aggregate") == 0;
}

/* Takes each wait. false: no memory */
static bool take_wait(void *context, const struct cause_event *event)
{
    const struct report *r = context;
    const struct cause_thread *t = report_thread(r, event->thread);
    return (!r->see || r->see(r->see_context, event)) && (!r->each || report_wait(context, event)) &&
           (!r->loops || loop_waits_add(r->loops, t->rank, t->thread, event->seq, event->wait_ns, event->error_ns));
}

/* Finds and prints waits. After an error, what was found until then is printed. */
static enum pilgrim_status print_waits(struct report *r, const struct pilgrim_trace *trace, struct pilgrim_error *error)
{
    struct pilgrim_error second = {.message = "not enough memory"};
    enum pilgrim_status status = PILGRIM_NOMEM, printed = PILGRIM_OK;
    struct waits_choice *choice =
        report_chooses(r) ? waits_choice_new(trace, r->selection, r->patterns, r->lines) : NULL;
    r->loops = r->by_loop ? loop_waits_new(trace) : NULL;
    if ((r->loops || !r->by_loop) && (choice || !report_chooses(r)))
        status = wait_states_find(r->w, trace, waits_choice_of(choice),
                                  r->loops || r->each || r->see ? take_wait : NULL, r, error);
    else
        *error = second;
    if (status == PILGRIM_OK)
        status = waits_choice_end(choice, error);
    waits_choice_free(choice);
    if (r->w->match && status != PILGRIM_INVALID) {
        r->efficiency = efficiency_of(r->w);
        if (r->loops)
            printed = waits_print_loops(r, &second);
        else if (!print_all(r))
            printed = PILGRIM_NOMEM;
    }
    loop_waits_free(r->loops);
    if (status == PILGRIM_OK && printed != PILGRIM_OK)
        *error = second;
    return status != PILGRIM_OK ? status : printed;
}

/* Finds and prints what is wrong with a program whose trace has no times of calls. */
static enum pilgrim_status print_findings(struct report *r, const struct pilgrim_trace *trace,
                                          struct pilgrim_error *error)
{
    struct wait_states w = {.match = match_new(trace)};
    *error = (struct pilgrim_error){.status = PILGRIM_NOMEM, .message = "not enough memory"};
    const enum pilgrim_status status = w.match ? findings_search(&w.findings, w.match, error) : PILGRIM_NOMEM;
    r->w = &w;
    if (w.match && r->format == REPORT_TEXT)
        text_findings(r);
    else if (w.match && r->format == REPORT_JSON)
        json_findings(r);
    wait_states_free(&w);
    r->w = NULL;
    return status;
}

enum pilgrim_status waits_of_trace(struct report *r, const struct pilgrim_trace *trace, const char **why,
                                   struct pilgrim_error *error)
{
    struct wait_states w = {0};
    *why = NULL;
    if (r->format == REPORT_TEXT && !r->each && !r->by_loop && !r->path_only && !report_chooses(r)) {
        const enum pilgrim_status found = deadlocks_print(r->o, trace, r->lines, false, error);
        if (found != PILGRIM_OK)
            return found;
    }
    if (waits_is_profile(trace)) {
        const enum pilgrim_status status = waits_print_bounds(r, trace, error);
        return status == PILGRIM_OK ? print_findings(r, trace, error) : status;
    }
    if ((*why = wait_states_unknown(trace)) != NULL)
        return r->each || r->by_loop || r->path_only || report_chooses(r) ? PILGRIM_OK
                                                                          : print_findings(r, trace, error);
    r->w = &w;
    const enum pilgrim_status status = print_waits(r, trace, error);
    wait_states_free(&w);
    r->w = NULL;
    return status;
}
