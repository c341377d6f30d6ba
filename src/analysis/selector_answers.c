/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is in place of what a selection wants and no call has; see selector.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/selector_data.h"

__attribute__((format(printf, 2, 3))) static void say(struct pilgrim_error *e, const char *format, ...)
{
    const size_t used = strlen(e->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->message + used, sizeof e->message - used, format, arguments);
    va_end(arguments);
}

static void say_names(struct pilgrim_error *e, const struct met_names *names, const char *quote)
{
    for (unsigned i = 0; i < names->count; i++)
        say(e, "%s %s%s%s", i ? "," : "", quote, names->names[i], quote);
    if (names->more)
        say(e, ", ...");
}

static void say_loop(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "no loop %" PRIu64 ": ", s->selection->criteria[SELECT_LOOP].ranges->first);
    if (s->loops_most > 1)
        say(e, "rank %" PRIu32 " has loops 1-%zu", s->loops_rank, s->loops_most);
    else if (s->loops_most)
        say(e, "rank %" PRIu32 " has loop 1 alone", s->loops_rank);
    else
        say(e, "the chosen threads have no loops");
}

static void say_phase(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "no phase '%.40s': %s", s->selection->criteria[SELECT_PHASE].text,
        s->phases.count ? "the chosen threads have" : "the chosen threads have no markers");
    say_names(e, &s->phases, "'");
}

static void say_times(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "--since and --until: ");
    if (s->has_span)
        say(e, "the chosen calls are between %.6fs and %.6fs, and none is in that time", (double)s->span_begin / 1e9,
            (double)s->span_end / 1e9);
    else
        say(e, "no call has a time");
}

static void say_site(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "--site: no call from '%.100s'; there are", s->selection->criteria[SELECT_SITE].text);
    say_names(e, &s->sites, "");
    if (!s->sites.count)
        say(e, " no known places");
}

static void say_failed(const struct selector *s, struct pilgrim_error *e)
{
    (void)s;
    e->status = PILGRIM_END; /* it is what one hopes for */
    say(e, "--failed: no chosen call returned an error");
}

static void say_comm(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "--comm: no call with '%.60s'; there are", s->selection->criteria[SELECT_COMM].text);
    say_names(e, &s->comms, "");
    if (!s->comms.count)
        say(e, " no communicators");
}

static void say_tag(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "--tag: no call with such a tag; ");
    if (s->has_tags && s->tag_least < s->tag_most)
        say(e, "tags are %" PRId64 " to %" PRId64, s->tag_least, s->tag_most);
    else if (s->has_tags)
        say(e, "all have tag %" PRId64, s->tag_least);
    else
        say(e, "none has a tag");
}

static void say_peer(const struct selector *s, struct pilgrim_error *e)
{
    (void)s;
    say(e, "--peer: no chosen call moves anything to or from such a rank; see --matrix");
}

static void say_bytes(const struct selector *s, struct pilgrim_error *e)
{
    say(e, "--bytes: no call moves %" PRIu64 " bytes; the most is %" PRIu64,
        s->selection->criteria[SELECT_BYTES].number, s->bytes_most);
}

static void say_together(const struct selector *s, struct pilgrim_error *e)
{
    const char *separator = "no call fits all of";
    for (int i = 0; i < SELECT_CRITERIA; i++)
        if (selection_has(s->selection, (enum criterion_name)i)) {
            say(e, "%s --%s", separator, selection_name((enum criterion_name)i));
            separator = ",";
        }
}

/* In the order in which a call is asked. What no call fits is said of the first of them that none met. */
static const struct {
    enum criterion_name name;
    void (*say)(const struct selector *s, struct pilgrim_error *e);
} asked[] = {{SELECT_SITE, say_site}, {SELECT_FAILED, say_failed}, {SELECT_COMM, say_comm},
             {SELECT_TAG, say_tag},   {SELECT_PEER, say_peer},     {SELECT_BYTES, say_bytes}};

static void say_call(const struct selector *s, struct pilgrim_error *e)
{
    const bool together = selection_has(s->selection, SELECT_LOOP) || selection_has(s->selection, SELECT_CALL);
    if (selector_is_timed(s) && !s->found[SELECT_SINCE] && !together) {
        say_times(s, e);
        return;
    }
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (selection_has(s->selection, asked[i].name) && !s->found[asked[i].name]) {
            if (!together)
                asked[i].say(s, e);
            break;
        }
    if (!e->message[0])
        say_together(s, e);
}

enum pilgrim_status selector_end(const struct selector *s, struct pilgrim_error *error)
{
    struct pilgrim_error e = {.status = PILGRIM_INVALID};
    if (!s->selection)
        return PILGRIM_OK;
    const struct criterion *iteration = &s->selection->criteria[SELECT_ITERATION];
    if (selection_has(s->selection, SELECT_LOOP) && !s->found_loop)
        say_loop(s, &e);
    else if (iteration->set && !s->chose && iteration->ranges->first > s->iterations_most)
        say(&e, "no iteration %" PRIu64 ": loop %" PRIu64 " has %" PRIu64 " iterations: 1-%" PRIu64,
            iteration->ranges->first, s->iterations_loop, s->iterations_most, s->iterations_most);
    else if (selection_has(s->selection, SELECT_PHASE) && !s->found_phase)
        say_phase(s, &e);
    else
        return PILGRIM_OK;
    if (error)
        *error = e;
    return PILGRIM_INVALID;
}

bool selector_chose(const struct selector *s, struct pilgrim_error *error)
{
    if (!s->selection || s->chose)
        return true;
    *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
    say_call(s, error);
    return false;
}
