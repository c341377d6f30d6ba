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

/* What all rows have together. */
struct all_rows {
    double ranks, sum[PILGRIM_ACTIVITIES], least[PILGRIM_ACTIVITIES], most[PILGRIM_ACTIVITIES];
    uint32_t least_rank[PILGRIM_ACTIVITIES], most_rank[PILGRIM_ACTIVITIES];
    uint64_t rows;
};

static void add_row(struct all_rows *all, const struct pilgrim_rank_profile *r)
{
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        if (!all->rows || r->ns[i] < all->least[i]) {
            all->least[i] = r->ns[i];
            all->least_rank[i] = r->first_rank;
        }
        if (!all->rows || r->most_ns[i] > all->most[i]) {
            all->most[i] = r->most_ns[i];
            all->most_rank[i] = r->most_rank[i];
        }
        all->sum[i] += r->ns[i] * r->rank_count;
    }
    all->ranks += r->rank_count;
    all->rows++;
}

/* Prints LABEL, then a cell for each activity that some rank has: the text that PUT makes. */
static void text_cells(struct output *o, const char *label, const struct all_rows *all, const void *row,
                       void (*put)(char cell[CELL_MAX], const void *row, unsigned activity))
{
    char cell[CELL_MAX];
    out_column(o, label, RANK_WIDTH);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        if (all->sum[i] <= 0)
            continue;
        put(cell, row, i);
        out_column(o, cell, 16);
    }
    out_char(o, '\n');
}

static void put_name(char cell[CELL_MAX], const void *row, unsigned i)
{
    (void)row;
    snprintf(cell, CELL_MAX, "%s", pilgrim_activity_name(i));
}

static void put_share(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct pilgrim_rank_profile *r = row;
    char duration[OUT_DURATION_MAX];
    double sum = 0;
    for (unsigned k = 0; k < PILGRIM_ACTIVITIES; k++)
        sum += r->ns[k];
    put_duration(duration, r->ns[i]);
    snprintf(cell, CELL_MAX, r->ns[i] > 0 ? "%s %5.1f%%" : "-", duration, sum > 0 ? 100 * r->ns[i] / sum : 0);
}

static void put_least(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct all_rows *all = row;
    char duration[OUT_DURATION_MAX];
    put_duration(duration, all->least[i]);
    snprintf(cell, CELL_MAX, "%s", duration);
}

static void put_least_rank(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct all_rows *all = row;
    snprintf(cell, CELL_MAX, "%u", all->least_rank[i]);
}

static void put_mean(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct all_rows *all = row;
    char duration[OUT_DURATION_MAX];
    put_duration(duration, all->sum[i] / all->ranks);
    snprintf(cell, CELL_MAX, "%s", duration);
}

static void put_most(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct all_rows *all = row;
    char duration[OUT_DURATION_MAX];
    put_duration(duration, all->most[i]);
    snprintf(cell, CELL_MAX, "%s", duration);
}

static void put_most_rank(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct all_rows *all = row;
    snprintf(cell, CELL_MAX, "%u", all->most_rank[i]);
}

static void put_imbalance(char cell[CELL_MAX], const void *row, unsigned i)
{
    const struct all_rows *all = row;
    snprintf(cell, CELL_MAX, "%.0f%%", 100 * (all->most[i] * all->ranks / all->sum[i] - 1));
}

/* The lines below those of the ranks. */
static const struct {
    const char *label;
    void (*put)(char cell[CELL_MAX], const void *row, unsigned activity);
} ends[] = {{"least", put_least}, {"at rank", put_least_rank}, {"mean", put_mean},
            {"most", put_most},   {"at rank", put_most_rank},  {"imbalance", put_imbalance}};

static void text_line(struct output *o, const struct all_rows *all, const struct pilgrim_rank_profile *r)
{
    char label[CELL_MAX];
    if (r->rank_count > 1)
        snprintf(label, sizeof label, "%u-%u", r->first_rank, r->first_rank + r->rank_count - 1);
    else
        snprintf(label, sizeof label, "%u", r->first_rank);
    text_cells(o, label, all, r, put_share);
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

enum pilgrim_status rank_rows_visit(const struct pilgrim_trace *trace, const struct rank_rows *rows,
                                    struct pilgrim_error *error)
{
    for (uint32_t rank = 0, next = 0; rank < pilgrim_rank_count(trace); rank++) {
        struct pilgrim_rank_profile found;
        if (rank < next || !rows->choose(rows->choice, rank))
            continue;
        enum pilgrim_status status = pilgrim_rank_profile(trace, rank, &found, error);
        if (status == PILGRIM_END)
            continue;
        if (status != PILGRIM_OK)
            return status;
        next = found.first_rank + found.rank_count; /* a block comes once */
        rows->see(rows->context, &found);
    }
    return PILGRIM_OK;
}

struct text_rows {
    struct output *out;
    struct all_rows all;
};

static void see_sum(void *context, const struct pilgrim_rank_profile *row)
{
    struct text_rows *t = context;
    add_row(&t->all, row);
}

static void see_text(void *context, const struct pilgrim_rank_profile *row)
{
    struct text_rows *t = context;
    text_line(t->out, &t->all, row);
}

static void see_json(void *context, const struct pilgrim_rank_profile *row)
{
    json_line(context, row);
}

enum pilgrim_status rank_times_print(struct output *o, const struct pilgrim_trace *trace, bool json,
                                     bool (*choose)(const void *context, uint32_t rank), const void *context,
                                     struct pilgrim_error *error)
{
    struct text_rows t = {.out = o};
    if (json)
        return rank_rows_visit(trace, &(struct rank_rows){choose, context, see_json, o}, error);
    enum pilgrim_status status = rank_rows_visit(trace, &(struct rank_rows){choose, context, see_sum, &t}, error);
    if (status != PILGRIM_OK)
        return status;
    if (!t.all.rows) {
        out_text(o, "the trace has no times of ranks: record without PILGRIM_TIMING=off\n");
        return PILGRIM_OK;
    }
    text_cells(o, "rank", &t.all, NULL, put_name);
    status = rank_rows_visit(trace, &(struct rank_rows){choose, context, see_text, &t}, error);
    if (status == PILGRIM_OK && t.all.rows > 1) {
        out_char(o, '\n');
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            text_cells(o, ends[i].label, &t.all, &t.all, ends[i].put);
    }
    return status;
}
