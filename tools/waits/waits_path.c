/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole critical path (--path); see waits_report.h. */
#include <stdio.h>
#include <string.h>

#include "../../decoder/csv_cells.h"
#include "waits_report.h"

enum { MOST_RANKS = 3 };

/* Writes the ranks that most of a share is on: "3 (60%), 0 (40%)". */
static void path_ranks(const struct report *r, const struct path_share *share, char *text, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < share->part_count && i < MOST_RANKS; i++) {
        const struct cause_thread *t = report_thread(r, share->parts[i].thread);
        char thread[24] = "";
        if (t && t->thread)
            snprintf(thread, sizeof thread, " thread %u", t->thread);
        at += (size_t)snprintf(text + at, size - at, "%s%u%s (%.0f%%)", i ? ", " : "", t ? t->rank : 0, thread,
                               share->ns ? 100 * (double)share->parts[i].ns / (double)share->ns : 0);
    }
    if (share->part_count > MOST_RANKS)
        snprintf(text + at, size - at, ", ...");
}

static void path_line(const struct report *r, const struct path_share *share)
{
    char text[256], ranks[160], what[3 * PLACE_MAX], total[OUT_DURATION_MAX], more[OUT_DURATION_MAX];
    put_duration(total, (double)share->ns);
    put_duration(more, share->imbalance_ns);
    path_ranks(r, share, ranks, sizeof ranks);
    report_doing(r, share->thread, share->class, false, what);
    snprintf(text, sizeof text, "%9s %5.1f%% %10s  %-28s  ", total, 100 * (double)share->ns / (double)r->path_ns, more,
             ranks);
    out_text(r->o, text);
    out_name(r->o, what);
    out_char(r->o, '\n');
}

static void text_path(const struct report *r)
{
    char text[128], total[OUT_DURATION_MAX];
    uint64_t rest = 0;
    text_summary(r);
    put_duration(total, (double)r->path_ns);
    snprintf(text, sizeof text, "critical path, %s\n", total);
    out_text(r->o, text);
    if (r->path_count)
        out_text(r->o, "   length  share  imbalance  ranks                         what\n");
    for (size_t i = 0; i < r->path_count; i++)
        if (i < r->limit)
            path_line(r, &r->path[i]);
        else
            rest += r->path[i].ns;
    if (r->path_count <= r->limit)
        return;
    put_duration(total, (double)rest);
    snprintf(text, sizeof text, "%9s %5.1f%% %10s  %llu more\n", total, 100 * (double)rest / (double)r->path_ns, "",
             (unsigned long long)(r->path_count - r->limit));
    out_text(r->o, text);
}

static void csv_part(const struct report *r, const struct path_share *share, const struct path_part *part)
{
    struct csv c = {.out = r->o};
    const struct cause_thread *t = report_thread(r, part->thread);
    char place[PLACE_MAX];
    report_place(r, share->class / 2, place);
    csv_uint(&c, part->ns);
    csv_uint(&c, t ? t->rank : 0);
    csv_uint(&c, t ? t->thread : 0);
    csv_name(&c, share->class % 2 ? "in" : "computing before");
    csv_name(&c, report_function(r, share->class / 2));
    csv_name(&c, place);
    csv_uint(&c, share->ns);
    csv_ns(&c, share->imbalance_ns);
    csv_end(&c);
}

void waits_print_path(const struct report *r)
{
    if (r->format == REPORT_TEXT) {
        text_path(r);
        return;
    }
    if (r->format == REPORT_CSV)
        out_text(r->o, "path_ns,rank,thread,doing,function,site,site_path_ns,imbalance_ns\n");
    for (size_t i = 0; i < r->path_count; i++)
        if (r->format == REPORT_JSON)
            json_path(r, &r->path[i]);
        else
            for (size_t k = 0; k < r->path[i].part_count; k++)
                csv_part(r, &r->path[i], &r->path[i].parts[k]);
    if (r->format == REPORT_JSON)
        json_summary(r);
}
