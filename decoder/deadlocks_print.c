/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks; see deadlocks_print.h. */
#include "deadlocks_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/in_flight.h"
#include "site_place.h"

enum { LINES_SHOWN = 16 };

/* True if a line, or in JSON an object, has both. */
static bool alike(const struct stuck_rank *a, const struct stuck_rank *b, bool json)
{
    const bool same = a->waits_for == b->waits_for || (!json && a->waits_for == a->rank && b->waits_for == b->rank);
    return a->site == b->site && same && a->missing == b->missing;
}

/* Prints the ranks like FIRST of COUNT, "ranks 0, 2-4", and marks them in TOLD. Returns how many there are. */
static size_t put_ranks(struct output *out, const struct stuck_rank *first, size_t count, bool *told, bool json)
{
    size_t alike_count = 0;
    for (size_t i = 0; i < count; i++)
        alike_count += alike(first, &first[i], json);
    if (!json)
        out_text(out, alike_count == 1 ? "rank " : "ranks ");
    const char *separator = "";
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        if (!alike(first, &first[i], json)) {
            i++;
            continue;
        }
        while (!json && end < count && alike(first, &first[end], json) && first[end].rank == first[end - 1].rank + 1)
            end++;
        for (size_t k = i; k < end; k++)
            told[k] = true;
        out_text(out, separator);
        out_uint(out, first[i].rank);
        if (end > i + 1) {
            out_char(out, '-');
            out_uint(out, first[end - 1].rank);
        }
        separator = json ? "," : ", ";
        i = end;
    }
    return alike_count;
}

static bool put_line(struct output *out, const struct deadlocks_found *found, size_t at, struct source_lines *lines,
                     bool *told)
{
    const struct stuck_rank *r = &found->ranks[at];
    const struct pilgrim_class *class = match_site(found->match, r->site);
    char *place = source_lines_place(lines, class->site);
    out_text(out, "  ");
    const bool one = put_ranks(out, r, found->count - at, told + at, false) == 1;
    out_text(out, " in ");
    out_name(out, class->function->name);
    out_text(out, " at ");
    out_name(out, place ? place : "?");
    out_text(out, one ? " waits for " : " wait for ");
    if (r->waits_for == UINT32_MAX)
        out_text(out, "a message from anyone");
    else if (r->waits_for == r->rank)
        out_text(out, one ? "itself" : "themselves");
    else {
        out_text(out, "rank ");
        out_uint(out, r->waits_for);
    }
    out_text(out, r->missing ? ", which has not come to this operation\n" : "\n");
    free(place);
    return place != NULL;
}

static bool put_object(struct output *out, const struct deadlocks_found *found, size_t at, struct source_lines *lines,
                       bool *told)
{
    const struct stuck_rank *r = &found->ranks[at];
    const struct pilgrim_class *class = match_site(found->match, r->site);
    char *place = source_lines_place(NULL, class->site);
    out_text(out, at ? ",{\"func\":" : "{\"func\":");
    out_json_string(out, class->function->name, strlen(class->function->name));
    out_text(out, ",\"site\":");
    out_json_string(out, place ? place : "", place ? strlen(place) : 0);
    json_place(out, "", class->site, lines);
    out_text(out, ",\"ranks\":[");
    (void)put_ranks(out, r, found->count - at, told + at, true);
    out_text(out, "],\"waits_for\":");
    if (r->waits_for == UINT32_MAX)
        out_text(out, "null");
    else
        out_uint(out, r->waits_for);
    out_text(out, r->missing ? ",\"missing\":true}" : ",\"missing\":false}");
    free(place);
    return place != NULL;
}

static bool print(struct output *out, const struct deadlocks_found *found, struct source_lines *lines, bool json)
{
    char since[IN_FLIGHT_TEXT] = "";
    const struct in_flight last = {.since_us = found->since_us, .seconds = -1};
    bool *told = calloc(found->count + 1, sizeof *told), good = told != NULL;
    if (found->count && found->since_us >= 0)
        in_flight_text(&last, json, since);
    if (found->count && good) {
        out_text(out, json ? "{\"deadlock\":[" : "DEADLOCK: ");
        if (!json) {
            out_uint(out, found->count);
            out_text(out, found->count == 1 ? " rank waits for what cannot come" : " ranks wait for what cannot come");
            out_text(out, since);
            out_text(out, ":\n");
        }
    }
    size_t shown = 0, left = 0;
    for (size_t i = 0; good && i < found->count; i++) {
        if (told[i])
            continue;
        if (!json && shown == LINES_SHOWN)
            left++;
        else
            good = json ? put_object(out, found, i, lines, told) : put_line(out, found, i, lines, told);
        shown += !left;
    }
    if (left) {
        out_text(out, "  ... and ");
        out_uint(out, left);
        out_text(out, left == 1 ? " more rank\n" : " more ranks\n");
    }
    if (json && found->count && good) {
        const char *member = strstr(since, ",\"since\"");
        out_char(out, ']');
        out_text(out, member ? member : "");
        out_text(out, "}\n");
    }
    free(told);
    return good;
}

enum pilgrim_status deadlocks_print(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines,
                                    bool json, struct pilgrim_error *error)
{
    struct deadlocks_found found;
    enum pilgrim_status status = deadlocks_in(trace, &found, error);
    if (status == PILGRIM_OK && !print(out, &found, lines, json))
        status = no_memory(error);
    deadlocks_drop(&found);
    return status;
}
