/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints tables of calls as text, JSON or CSV; see table_print.h. Text is printed twice: first to nowhere, to measure
 * how wide the columns are, so that long names shift nothing. Columns in which all is 0 are left out. */
#include "table_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/table_names.h"
#include "csv.h"
#include "print.h"
#include "site_place.h"

enum { CELL = 512, NAME_MOST = 64 };

static const struct key_name {
    const char *name;
    unsigned key;
    const char *title; /* of its column of text */
} key_names[] = {
    {"phase", PILGRIM_KEY_PHASE, "phase"},
    {"rank", PILGRIM_KEY_RANK, "rank"},
    {"function", PILGRIM_KEY_FUNCTION, "function"},
    {"site", PILGRIM_KEY_SITE, "call site"},
    {"communicator", PILGRIM_KEY_COMMUNICATOR, "communicator"},
    {"datatype", PILGRIM_KEY_DATATYPE, "datatype"},
    {"peer", PILGRIM_KEY_PEER, "peer"},
    {"size", PILGRIM_KEY_SIZE, "size, bytes"},
};

enum { KEY_NAMES = sizeof key_names / sizeof *key_names };

bool table_keys(const char *text, unsigned *keys)
{
    *keys = 0;
    for (size_t length;; text += length + 1) {
        unsigned key = 0;
        length = strcspn(text, ",");
        for (size_t i = 0; i < KEY_NAMES; i++)
            if (strlen(key_names[i].name) == length && memcmp(key_names[i].name, text, length) == 0)
                key = key_names[i].key;
        if (!key)
            return false;
        *keys |= key;
        if (!text[length])
            return true;
    }
}

/* ---- text ---- */

enum column {
    COLUMN_CALLS = KEY_NAMES,
    COLUMN_FAILED,
    COLUMN_TOTAL,
    COLUMN_SHARE,
    COLUMN_RANKS,
    COLUMN_LEAST,
    COLUMN_MEAN,
    COLUMN_MOST,
    COLUMN_MOST_RANK,
    COLUMN_IMBALANCE,
    COLUMN_MESSAGES,
    COLUMN_MESSAGE_BYTES,
    COLUMN_COLLECTIVE_BYTES,
    COLUMN_WINDOW_BYTES,
    COLUMN_FILE_BYTES,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    [COLUMN_CALLS] = "calls",
    [COLUMN_FAILED] = "failed",
    [COLUMN_TOTAL] = "total",
    [COLUMN_SHARE] = "share",
    [COLUMN_RANKS] = "ranks",
    [COLUMN_LEAST] = "least",
    [COLUMN_MEAN] = "mean",
    [COLUMN_MOST] = "most",
    [COLUMN_MOST_RANK] = "at rank",
    [COLUMN_IMBALANCE] = "imbalance",
    [COLUMN_MESSAGES] = "messages",
    [COLUMN_MESSAGE_BYTES] = "bytes",
    [COLUMN_COLLECTIVE_BYTES] = "collective bytes",
    [COLUMN_WINDOW_BYTES] = "RMA bytes",
    [COLUMN_FILE_BYTES] = "I/O bytes",
};

/* The cells of a line; empty ones are "". */
struct line {
    char cells[COLUMNS][CELL];
};

struct layout {
    bool shown[COLUMNS];
    size_t width[COLUMNS];
};

static bool is_left(unsigned column)
{
    return column < KEY_NAMES && !(key_names[column].key & (PILGRIM_KEY_RANK | PILGRIM_KEY_PEER));
}

static void put_uint(char cell[CELL], uint64_t v)
{
    snprintf(cell, CELL, "%llu", (unsigned long long)v);
}

static void put_time(char cell[CELL], double ns)
{
    char text[OUT_DURATION_MAX];
    put_duration(text, ns);
    snprintf(cell, CELL, "%s", text);
}

static void put_share(char cell[CELL], double share)
{
    if (share > 0 && share < 0.0005)
        snprintf(cell, CELL, "<0.1%%");
    else
        snprintf(cell, CELL, share < 0.9995 ? "%.1f%%" : "%.0f%%", 100 * share);
}

/* Writes the printable form of NAME. */
static void put_name(char cell[CELL], const char *name)
{
    size_t used = 0;
    for (size_t length = strlen(name), n; length > 0; name += n, length -= n) {
        char shown[PILGRIM_PRINTABLE_MAX];
        n = pilgrim_printable(name, length, shown);
        if (used + PILGRIM_PRINTABLE_MAX + 4 > CELL) {
            memcpy(cell + used, "...", 3);
            used += 3;
            break;
        }
        memcpy(cell + used, shown, strlen(shown));
        used += strlen(shown);
    }
    cell[used] = 0;
}

/* Call sites by what is printed of them, so that two on one line can be told apart. */
struct site_names {
    bool timed; /* rows of the table have times */
    struct source_lines *lines;
    struct texts texts;
    const struct pilgrim_class **first; /* by number of a text less 1 */
    bool *shared;                       /* another call site has it, too */
    size_t capacity;
};

/* Notes that CLASS has TEXT. Without memory it is taken for the only one. Returns true if another one has it. */
static bool note_site(struct site_names *s, const struct pilgrim_class *class, const char *text)
{
    uint32_t number;
    if (!texts_number(&s->texts, text, 0, &number))
        return false;
    if (number > s->capacity) {
        const size_t capacity = 2 * s->capacity + 16;
        const struct pilgrim_class **first = realloc(s->first, capacity * sizeof *first);
        s->first = first ? first : s->first;
        bool *shared = first ? realloc(s->shared, capacity * sizeof *shared) : NULL;
        if (!shared)
            return false;
        s->shared = shared;
        memset(first + s->capacity, 0, (capacity - s->capacity) * sizeof *first);
        memset(shared + s->capacity, 0, (capacity - s->capacity) * sizeof *shared);
        s->capacity = capacity;
    }
    if (!s->first[number - 1])
        s->first[number - 1] = class;
    s->shared[number - 1] |= s->first[number - 1] != class;
    return s->shared[number - 1];
}

/* Writes "MPI_Send at ring.c:31"; if another call site has the same text, its offset, too. */
static void put_site(char cell[CELL], const struct pilgrim_class *class, struct site_names *sites)
{
    static struct output text = {.descriptor = -1};
    text.used = 0;
    out_name(&text, class->function->name);
    if (class->site) {
        out_text(&text, " at ");
        text_place(&text, class->site, sites->lines);
    }
    out_char(&text, 0);
    text.buffer[CELL - 1] = 0;
    memcpy(cell, text.buffer, CELL);
    if (class->site && note_site(sites, class, text.buffer)) {
        const size_t used = strlen(cell);
        snprintf(cell + used, CELL - used, " (+0x%llx)", (unsigned long long)class->site->offset);
    }
}

/* What rows that stand apart have. */
static const unsigned keys_apart = PILGRIM_KEY_SITE | PILGRIM_KEY_FUNCTION | PILGRIM_KEY_RANK;

static void put_keys(struct line *l, const struct pilgrim_table_row *r, unsigned keys, struct site_names *sites)
{
    const char *const texts[] = {r->phase ? r->phase : "(before the first)",
                                 NULL,
                                 r->function,
                                 NULL,
                                 r->communicator ? r->communicator : "-",
                                 r->datatype ? r->datatype : "-"};
    unsigned named = KEY_NAMES; /* the column that has the function of a row that stands apart */
    for (unsigned i = KEY_NAMES; r->apart && !(keys & (PILGRIM_KEY_SITE | PILGRIM_KEY_FUNCTION)) && i-- > 0;)
        named = (keys & key_names[i].key) && is_left(i) ? i : named;
    if (named < KEY_NAMES)
        put_name(l->cells[named], r->function);
    for (unsigned i = 0; i < KEY_NAMES; i++) {
        const unsigned key = key_names[i].key;
        if (!(keys & key) || (r->apart && !(key & keys_apart)))
            continue;
        if (key == PILGRIM_KEY_SITE && r->class_)
            put_site(l->cells[i], r->class_, sites);
        else if (key == PILGRIM_KEY_RANK)
            put_uint(l->cells[i], (uint64_t)r->rank);
        else if (key == PILGRIM_KEY_PEER)
            snprintf(l->cells[i], CELL, r->peer < 0 ? "unknown" : "%lld", (long long)r->peer);
        else if (key == PILGRIM_KEY_SIZE && r->size_most > r->size_least)
            snprintf(l->cells[i], CELL, "%llu-%llu", (unsigned long long)r->size_least,
                     (unsigned long long)r->size_most);
        else if (key == PILGRIM_KEY_SIZE)
            put_uint(l->cells[i], r->size_least);
        else if (texts[i])
            put_name(l->cells[i], texts[i]);
    }
}

static void put_spread(struct line *l, const struct pilgrim_spread *s, bool times)
{
    const double values[] = {s->least, s->mean, s->most};
    for (unsigned i = 0; i < 3; i++) {
        if (times)
            put_time(l->cells[COLUMN_LEAST + i], values[i]);
        else
            snprintf(l->cells[COLUMN_LEAST + i], CELL, i == 1 ? "%.1f" : "%.0f", values[i]);
    }
    if (s->most_rank != PILGRIM_RANK_UNKNOWN)
        put_uint(l->cells[COLUMN_MOST_RANK], s->most_rank);
    else
        snprintf(l->cells[COLUMN_MOST_RANK], CELL, "-");
    snprintf(l->cells[COLUMN_IMBALANCE], CELL, "%.0f%%", 100 * s->imbalance);
}

/* Fills in a line. A row of one rank has no spread. */
static void put_row(struct line *l, const struct pilgrim_table_row *r, unsigned keys, struct site_names *sites)
{
    const struct pilgrim_spread *s = sites->timed ? &r->times : &r->calls;
    memset(l, 0, sizeof *l);
    put_keys(l, r, keys, sites);
    put_uint(l->cells[COLUMN_CALLS], r->sum.calls);
    if (r->sum.failed)
        put_uint(l->cells[COLUMN_FAILED], r->sum.failed);
    if (r->timed) {
        put_time(l->cells[COLUMN_TOTAL], r->sum.ns);
        put_share(l->cells[COLUMN_SHARE], r->share);
    }
    if (!(keys & PILGRIM_KEY_RANK)) {
        put_uint(l->cells[COLUMN_RANKS], r->ranks);
        if (r->timed || !sites->timed)
            put_spread(l, s, sites->timed);
    }
    const uint64_t moved[] = {r->sum.messages, r->sum.message_bytes, r->sum.collective_bytes, r->sum.window_bytes,
                              r->sum.file_bytes};
    for (unsigned i = 0; i < sizeof moved / sizeof *moved; i++)
        if (moved[i])
            put_uint(l->cells[COLUMN_MESSAGES + i], moved[i]);
}

/* Measures LINE, in bytes: what is not ASCII counts as more. Longer names than NAME_MOST do not count. */
static void measure_line(struct layout *layout, const struct line *l)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        const size_t length = strlen(l->cells[i]);
        layout->shown[i] |= length > 0;
        if (length > layout->width[i] && (length <= NAME_MOST || !is_left(i)))
            layout->width[i] = length;
    }
}

static void print_line(struct output *o, const struct layout *layout, const struct line *l)
{
    size_t owed = 0; /* spaces before the next cell */
    const char *gap = "";
    for (unsigned i = 0; i < COLUMNS; i++) {
        const size_t length = strlen(l->cells[i]), width = layout->width[i];
        if (!layout->shown[i])
            continue;
        owed += strlen(gap);
        gap = "  ";
        if (!length) {
            owed += width;
            continue;
        }
        if (!is_left(i))
            owed += width > length ? width - length : 0;
        for (; owed > 0; owed--)
            out_char(o, ' ');
        out_text(o, l->cells[i]);
        if (length > width) { /* a long name has a line of its own */
            out_char(o, '\n');
            for (unsigned k = 0; k <= i; k++)
                owed += layout->shown[k] ? layout->width[k] + 2 : 0;
            gap = "";
        } else if (is_left(i)) {
            owed = width - length;
        }
    }
    out_char(o, '\n');
}

static void put_titles(struct line *l, const struct layout *layout)
{
    memset(l, 0, sizeof *l);
    for (unsigned i = 0; i < COLUMNS; i++)
        if (layout->shown[i])
            snprintf(l->cells[i], CELL, "%s", i < KEY_NAMES ? key_names[i].title : titles[i]);
}

static void print_text(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines)
{
    struct layout layout = {0};
    struct site_names sites = {.lines = lines};
    struct pilgrim_table_row row;
    struct line line;
    const struct table_extent extent = table_extent(table);
    bool estimated = false, apart = false;
    uint64_t unsized = 0;
    for (size_t i = 0; pilgrim_table_at(table, i, &row); i++)
        sites.timed |= row.timed;
    for (size_t i = 0; (keys & PILGRIM_KEY_SITE) && pilgrim_table_at(table, i, &row); i++)
        put_row(&line, &row, keys, &sites); /* which ones share a line has to be known before they are measured */
    for (size_t i = 0; pilgrim_table_at(table, i, &row); i++) {
        put_row(&line, &row, keys, &sites);
        measure_line(&layout, &line);
        estimated |= row.estimated;
        unsized += row.sum.unsized;
    }
    put_titles(&line, &layout);
    measure_line(&layout, &line);
    snprintf(line.cells[0], CELL, "%llu rank%s, %llu thread%s, %llu call%s", (unsigned long long)extent.ranks,
             extent.ranks == 1 ? "" : "s", (unsigned long long)extent.threads, extent.threads == 1 ? "" : "s",
             (unsigned long long)extent.calls, extent.calls == 1 ? "" : "s");
    out_text(o, line.cells[0]);
    if (extent.run_ns > 0) {
        out_text(o, "; run time of all threads ");
        out_duration(o, extent.run_ns);
    }
    out_char(o, '\n');
    if (!(keys & PILGRIM_KEY_RANK))
        out_text(o, sites.timed ? "least, mean, most: time of a rank, among the ranks that make such calls\n"
                                : "least, mean, most: calls of a rank, among the ranks that make such calls\n");
    if (estimated)
        out_text(o, "times are estimates: the mean of such calls, or of those on the rank where it differs much\n");
    out_char(o, '\n');
    put_titles(&line, &layout);
    print_line(o, &layout, &line);
    for (size_t i = 0; pilgrim_table_at(table, i, &row) && !o->error; i++) {
        if (row.apart && !apart)
            out_text(o, "apart:\n");
        apart = row.apart;
        put_row(&line, &row, keys, &sites);
        print_line(o, &layout, &line);
    }
    if (unsized) {
        snprintf(line.cells[0], CELL, "%llu messages count as 0 bytes: the sizes of their datatypes are not known\n",
                 (unsigned long long)unsized);
        out_text(o, line.cells[0]);
    }
    texts_free(&sites.texts);
    free(sites.first);
    free(sites.shared);
}

/* ---- JSON ---- */

static void json_text(struct output *o, const char *name, const char *text)
{
    out_text(o, name);
    if (text)
        out_json_string(o, text, strlen(text));
    else
        out_text(o, "null");
}

static void json_uint(struct output *o, const char *name, uint64_t v)
{
    out_text(o, name);
    out_uint(o, v);
}

static void json_rounded(struct output *o, const char *name, double v)
{
    json_uint(o, name, v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX);
}

static void json_share(struct output *o, const char *name, double share)
{
    char text[48];
    snprintf(text, sizeof text, "%s%.6f", name, share);
    out_text(o, text);
}

static void json_spread(struct output *o, const char *name, const struct pilgrim_spread *s, double total)
{
    out_text(o, name);
    json_rounded(o, "{\"total\":", total);
    json_rounded(o, ",\"min\":", s->least);
    if (s->least_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, ",\"min_rank\":", s->least_rank);
    json_share(o, ",\"mean\":", s->mean);
    json_rounded(o, ",\"max\":", s->most);
    if (s->most_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, ",\"max_rank\":", s->most_rank);
    json_share(o, ",\"imbalance\":", s->imbalance);
    out_char(o, '}');
}

static void json_keys(struct output *o, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    if ((keys & PILGRIM_KEY_PHASE) && !r->apart)
        json_text(o, ",\"phase\":", r->phase);
    if (keys & PILGRIM_KEY_RANK)
        json_uint(o, ",\"rank\":", (uint64_t)r->rank);
    if (r->function)
        json_text(o, ",\"func\":", r->function);
    if (r->class_) {
        out_text(o, ",\"site\":");
        if (r->class_->site)
            json_frame(o, r->class_->site);
        else
            out_text(o, "null");
        json_place(o, r->class_->site, lines);
    }
    if (r->apart)
        return;
    if (keys & PILGRIM_KEY_COMMUNICATOR) {
        char text[32];
        json_text(o, ",\"comm\":", r->communicator);
        snprintf(text, sizeof text, "%llx", (unsigned long long)r->identity);
        if (r->identity)
            json_text(o, ",\"identity\":", text);
    }
    if (keys & PILGRIM_KEY_DATATYPE)
        json_text(o, ",\"datatype\":", r->datatype);
    if (keys & PILGRIM_KEY_PEER)
        out_json_field(o, "peer", r->peer);
    if (keys & PILGRIM_KEY_SIZE) {
        json_uint(o, ",\"size_min\":", r->size_least);
        json_uint(o, ",\"size_max\":", r->size_most);
    }
}

static void json_row(struct output *o, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    out_text(o, r->apart ? "{\"apart\":true" : "{\"apart\":false");
    json_keys(o, r, keys, lines);
    json_spread(o, ",\"calls\":", &r->calls, (double)r->sum.calls);
    json_uint(o, ",\"failed\":", r->sum.failed);
    json_uint(o, ",\"ranks\":", r->ranks);
    if (r->timed) {
        json_spread(o, ",\"time\":", &r->times, r->sum.ns);
        json_share(o, ",\"share\":", r->share);
        out_text(o, r->estimated ? ",\"estimated\":true" : ",\"estimated\":false");
    }
    json_spread(o, ",\"bytes\":", &r->bytes, r->bytes.mean * (double)r->ranks);
    json_uint(o, ",\"messages\":", r->sum.messages);
    json_uint(o, ",\"message_bytes\":", r->sum.message_bytes);
    json_uint(o, ",\"unsized_messages\":", r->sum.unsized);
    json_uint(o, ",\"collective_bytes\":", r->sum.collective_bytes);
    json_uint(o, ",\"rma_bytes\":", r->sum.window_bytes);
    json_uint(o, ",\"io_bytes\":", r->sum.file_bytes);
    out_text(o, "}\n");
}

static void print_json(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines)
{
    const struct table_extent extent = table_extent(table);
    struct pilgrim_table_row row;
    const char *separator = ",\"by\":[\"";
    json_uint(o, "{\"ranks\":", extent.ranks);
    json_uint(o, ",\"threads\":", extent.threads);
    json_uint(o, ",\"calls\":", extent.calls);
    if (extent.run_ns > 0)
        json_rounded(o, ",\"run\":", extent.run_ns);
    for (unsigned i = 0; i < KEY_NAMES; i++) {
        if (!(keys & key_names[i].key))
            continue;
        out_text(o, separator);
        out_text(o, key_names[i].name);
        separator = "\",\"";
    }
    out_text(o, "\"]}\n");
    for (size_t i = 0; pilgrim_table_at(table, i, &row) && !o->error; i++)
        json_row(o, &row, keys, lines);
}

/* ---- CSV ---- */

static void csv_site(struct csv *c, const struct pilgrim_class *class, struct source_lines *lines)
{
    struct site_place place;
    find_place(&place, class->site, lines);
    csv_frame(c, class->site);
    csv_name(c, place.function);
    csv_name(c, place.file);
    if (*place.file)
        csv_uint(c, place.line);
    else
        csv_empty(c, 1);
}

static void csv_rank(struct csv *c, uint32_t rank)
{
    if (rank == PILGRIM_RANK_UNKNOWN)
        csv_empty(c, 1);
    else
        csv_uint(c, rank);
}

static void csv_spread(struct csv *c, const struct pilgrim_spread *s)
{
    csv_ns(c, s->least);
    csv_rank(c, s->least_rank);
    csv_share(c, s->mean);
    csv_ns(c, s->most);
    csv_rank(c, s->most_rank);
    csv_share(c, s->imbalance);
}

static void csv_row(struct csv *c, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    csv_name(c, r->apart ? "true" : "false");
    csv_name(c, r->function);
    if (keys & PILGRIM_KEY_SITE)
        csv_site(c, r->class_, lines);
    if (keys & PILGRIM_KEY_RANK)
        csv_uint(c, (uint64_t)r->rank);
    if (keys & PILGRIM_KEY_PHASE)
        csv_name(c, r->phase);
    if (keys & PILGRIM_KEY_COMMUNICATOR)
        csv_name(c, r->communicator);
    if (keys & PILGRIM_KEY_DATATYPE)
        csv_name(c, r->datatype);
    if (keys & PILGRIM_KEY_PEER)
        csv_int(c, r->peer);
    if (keys & PILGRIM_KEY_SIZE) {
        csv_uint(c, r->size_least);
        csv_uint(c, r->size_most);
    }
    csv_uint(c, r->sum.calls);
    csv_uint(c, r->sum.failed);
    csv_uint(c, r->ranks);
    csv_spread(c, &r->calls);
    if (r->timed) {
        csv_ns(c, r->sum.ns);
        csv_share(c, r->share);
        csv_spread(c, &r->times);
    } else {
        csv_empty(c, 8);
    }
    csv_spread(c, &r->bytes);
    csv_uint(c, r->sum.messages);
    csv_uint(c, r->sum.message_bytes);
    csv_uint(c, r->sum.unsized);
    csv_uint(c, r->sum.collective_bytes);
    csv_uint(c, r->sum.window_bytes);
    csv_uint(c, r->sum.file_bytes);
    csv_end(c);
}

static void print_csv(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines)
{
    static const struct {
        unsigned key;
        const char *names;
    } heads[] = {{PILGRIM_KEY_SITE, ",site,function,file,line"},
                 {PILGRIM_KEY_RANK, ",rank"},
                 {PILGRIM_KEY_PHASE, ",phase"},
                 {PILGRIM_KEY_COMMUNICATOR, ",comm"},
                 {PILGRIM_KEY_DATATYPE, ",datatype"},
                 {PILGRIM_KEY_PEER, ",peer"},
                 {PILGRIM_KEY_SIZE, ",size_min,size_max"}};
    static const char *const measures[] = {"calls", "time", "bytes"};
    struct csv c = {.out = o};
    struct pilgrim_table_row row;
    out_text(o, "apart,func");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (keys & heads[i].key)
            out_text(o, heads[i].names);
    out_text(o, ",calls,failed,ranks");
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        char text[128];
        const char *m = measures[i];
        if (i == 1)
            out_text(o, ",time,share");
        snprintf(text, sizeof text, ",%s_min,%s_min_rank,%s_mean,%s_max,%s_max_rank,%s_imbalance", m, m, m, m, m, m);
        out_text(o, text);
    }
    out_text(o, ",messages,message_bytes,unsized_messages,collective_bytes,rma_bytes,io_bytes\n");
    for (size_t i = 0; pilgrim_table_at(table, i, &row) && !o->error; i++)
        csv_row(&c, &row, keys, lines);
}

void table_print(struct output *o, const struct pilgrim_table *table, unsigned keys, enum table_format format,
                 struct source_lines *lines)
{
    static void (*const printers[])(struct output *, const struct pilgrim_table *, unsigned, struct source_lines *) = {
        [TABLE_TEXT] = print_text, [TABLE_JSON] = print_json, [TABLE_CSV] = print_csv};
    printers[format](o, table, keys, lines);
}
