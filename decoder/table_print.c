/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints tables of calls; see table_print.h. JSON and CSV: table_records.c. Text is printed twice: first to nowhere, to
 * measure how wide the columns are, so that long names shift nothing. Columns in which all is 0 are left out. */
#include "table_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/table_names.h"
#include "print.h"
#include "site_place.h"
#include "table_records.h"

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

const char *table_key(unsigned i, unsigned *key)
{
    *key = i < KEY_NAMES ? key_names[i].key : 0;
    return i < KEY_NAMES ? key_names[i].name : NULL;
}

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

/* Writes TEXT with the name that the program gave behind its first word: comm:0 "row" of rank 0. GIVEN: NULL: none. */
static void put_given(char cell[CELL], const char *text, const char *given)
{
    char named[CELL];
    const int first = (int)strcspn(text, " ,");
    if (given)
        snprintf(named, sizeof named, "%.*s \"%.*s\"%s", first, text, CELL / 4, given, text + first);
    put_name(cell, given ? named : text);
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
    if (!texts_add(&s->texts, text, 0, &number))
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
    const char *const given[KEY_NAMES] = {[4] = r->communicator_name, [5] = r->datatype_name};
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
            put_given(l->cells[i], texts[i], given[i]);
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

void table_print(struct output *o, const struct pilgrim_table *table, unsigned keys, enum table_format format,
                 struct source_lines *lines)
{
    static void (*const printers[])(struct output *, const struct pilgrim_table *, unsigned, struct source_lines *) = {
        [TABLE_TEXT] = print_text, [TABLE_JSON] = table_print_json, [TABLE_CSV] = table_print_csv};
    printers[format](o, table, keys, lines);
}
