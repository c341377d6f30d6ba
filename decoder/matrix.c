/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes and prints the message matrix; see matrix.h.
 *
 * A rank's calls are added up by target (messages.h). Which ranks the targets are is known only when all communicators
 * of all ranks are, at the end. */
#include "matrix.h"
#include "progress.h"
#include "analysis/work_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/counted_calls.h"
#include "analysis/messages.h"
#include "analysis/selector.h"
#include "decode_errors.h"

/* What went between a rank and one of its targets, by kind of transfer. */
struct flow {
    uint64_t count[MESSAGES_GET + 1], bytes[MESSAGES_GET + 1];
};

struct cell {
    int64_t from, to;
    uint64_t count, bytes;
};

/* A cell whose target is not yet known as a rank of MPI_COMM_WORLD. */
struct open_cell {
    uint32_t rank;
    enum messages_kind kind;
    struct group_member target;
    uint64_t count, bytes;
};

struct matrix {
    const struct pilgrim_trace *trace;
    const struct matrix_options *options;
    struct messages *messages;
    struct counted_calls *calls;
    struct flow *flows; /* by target of the rank that is read */
    size_t flow_capacity;
    struct open_cell *cells;
    size_t cell_count, cell_capacity;
    uint64_t unsized;
    uint32_t weight; /* ranks that the one that is read stands for */
    bool estimated;
};

/* A rank of a block. */
struct block_rank {
    uint64_t group; /* ranks with the same make the same calls */
    uint32_t rank;
};

/* ---- a rank's calls ---- */

/* Makes room for the flows of all targets so far; new ones are 0. */
static bool grow_flows(struct matrix *m)
{
    size_t wanted = messages_targets(m->messages);
    if (wanted <= m->flow_capacity)
        return true;
    struct flow *flows = realloc(m->flows, 2 * wanted * sizeof *flows);
    if (!flows)
        return false;
    memset(flows + m->flow_capacity, 0, (2 * wanted - m->flow_capacity) * sizeof *flows);
    m->flows = flows;
    m->flow_capacity = 2 * wanted;
    return true;
}

/* Adds the call that was seen last, which stands for CALLS calls. */
static bool add_call(struct matrix *m, uint64_t calls)
{
    size_t count;
    const struct messages_transfer *transfers = messages_transfers(m->messages, &count);
    if (count && !grow_flows(m))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct flow *flow = &m->flows[transfers[i].target];
        flow->count[transfers[i].kind] += calls;
        flow->bytes[transfers[i].kind] += calls * transfers[i].bytes;
        if (!transfers[i].sized && (transfers[i].kind != MESSAGES_SEND) == m->options->windows)
            m->unsized += calls * m->weight;
    }
    return true;
}

static enum pilgrim_status add_thread(struct matrix *m, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    struct pilgrim_call call;
    struct messages_count count;
    uint64_t calls;
    bool counts = m->options->thread(m->options->context, thread);
    enum pilgrim_status status = messages_begin(m->messages, rank, thread, error);
    if (status != PILGRIM_OK)
        return status;
    if (m->options->selector)
        status = selector_begin(m->options->selector, rank, thread, error);
    if (status != PILGRIM_OK)
        return status;
    status = counted_calls_begin(m->calls, rank, thread, m->options->selector ? ONE_BY_ONE : COUNTED, error);
    while (status == PILGRIM_OK &&
           (status = counted_calls_next(m->calls, messages_changes(m->messages), &call, &calls, error)) == PILGRIM_OK) {
        bool fits = true;
        if (m->options->selector)
            status = selector_take(m->options->selector, &call, pilgrim_cursor_segment(counted_calls_cursor(m->calls)),
                                   &fits, error);
        if (status == PILGRIM_OK &&
            (messages_see(m->messages, &call, &count) != PILGRIM_OK || (counts && fits && !add_call(m, calls))))
            status = no_memory(error);
    }
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static bool add_cell(struct matrix *m, const struct open_cell *cell)
{
    if (m->cell_count == m->cell_capacity) {
        size_t capacity = m->cell_capacity ? 2 * m->cell_capacity : 64;
        struct open_cell *cells = realloc(m->cells, capacity * sizeof *cells);
        if (!cells)
            return false;
        m->cells = cells;
        m->cell_capacity = capacity;
    }
    m->cells[m->cell_count++] = *cell;
    return true;
}

/* Turns the rank's flows into cells, and sets the flows to 0. */
static bool end_rank(struct matrix *m, uint32_t rank)
{
    bool good = true;
    for (uint32_t target = 0; target < messages_targets(m->messages) && target < m->flow_capacity; target++) {
        struct flow *flow = &m->flows[target];
        for (enum messages_kind kind = MESSAGES_SEND; kind <= MESSAGES_GET; kind++) {
            struct open_cell cell = {rank, kind, messages_target(m->messages, target), m->weight * flow->count[kind],
                                     m->weight * flow->bytes[kind]};
            if (cell.count && (kind != MESSAGES_SEND) == m->options->windows)
                good = good && add_cell(m, &cell);
        }
        *flow = (struct flow){0};
    }
    return good;
}

static enum pilgrim_status add_rank(struct matrix *m, uint32_t rank, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t thread = 0; thread < pilgrim_thread_count(m->trace, rank) && status == PILGRIM_OK; thread++)
        status = add_thread(m, rank, thread, error);
    bool good = end_rank(m, rank);
    return status == PILGRIM_OK && !good ? no_memory(error) : status;
}

/* ---- a sample of ranks ---- */

static int compare_block_ranks(const void *a, const void *b)
{
    const struct block_rank *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds COUNT ranks that make the same calls: reads some, which stand for the others. */
static enum pilgrim_status add_alike(struct matrix *m, const struct block_rank *ranks, size_t count,
                                     struct pilgrim_error *error)
{
    const size_t between = m->options->sample - 2, inner = count - 2;
    const bool all = count <= m->options->sample;
    enum pilgrim_status status = PILGRIM_OK;
    for (size_t i = 0; i < count && all && status == PILGRIM_OK; i++)
        status = add_rank(m, ranks[i].rank, error);
    if (all || status != PILGRIM_OK)
        return status;
    m->estimated = true;
    status = add_rank(m, ranks[0].rank, error);
    for (size_t i = 0; i < between && status == PILGRIM_OK; i++) { /* the middle one of each part of those between */
        const size_t first = 1 + i * inner / between, behind = 1 + (i + 1) * inner / between;
        m->weight = (uint32_t)(behind - first);
        status = add_rank(m, ranks[first + (behind - first) / 2].rank, error);
    }
    m->weight = 1;
    return status == PILGRIM_OK ? add_rank(m, ranks[count - 1].rank, error) : status;
}

/* Finds which ranks of a block make the same calls; one with several threads is like no other. */
static enum pilgrim_status find_alike(const struct matrix *m, uint32_t first, uint32_t count, struct block_rank *ranks,
                                      struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; i < count && status == PILGRIM_OK; i++) {
        uint32_t group;
        ranks[i] = (struct block_rank){UINT64_C(1) << 32 | (first + i), first + i};
        if (pilgrim_segment_count(m->trace) > 1 || pilgrim_thread_count(m->trace, first + i) != 1)
            continue;
        status = pilgrim_thread_group(m->trace, first + i, 0, &group, error);
        if (status == PILGRIM_OK)
            ranks[i].group = group;
    }
    return status;
}

static enum pilgrim_status add_block(struct matrix *m, uint32_t first, uint32_t count, struct block_rank *ranks,
                                     struct pilgrim_error *error)
{
    enum pilgrim_status status = find_alike(m, first, count, ranks, error);
    if (status != PILGRIM_OK)
        return status;
    qsort(ranks, count, sizeof *ranks, compare_block_ranks);
    for (size_t i = 0, next; i < count && status == PILGRIM_OK; i = next) {
        for (next = i + 1; next < count && ranks[next].group == ranks[i].group;)
            next++;
        status = add_alike(m, &ranks[i], next - i, error);
    }
    return status;
}

/* True if all targets are named by their ranks in MPI_COMM_WORLD. */
static bool all_in_world(const struct matrix *m)
{
    for (size_t i = 0; i < m->cell_count; i++)
        if (m->cells[i].target.group != GROUP_WORLD)
            return false;
    return true;
}

static enum pilgrim_status add_blocks(struct matrix *m, struct pilgrim_error *error)
{
    const uint32_t ranks = pilgrim_rank_count(m->trace), block = m->options->block;
    struct block_rank *alike = malloc(block * sizeof *alike);
    enum pilgrim_status status = alike ? PILGRIM_OK : no_memory(error);
    for (uint32_t first = 0; first < ranks && status == PILGRIM_OK; first += block) {
        const uint32_t count = ranks - first < block ? ranks - first : block;
        status = add_block(m, first, count, alike, error);
        work_done(first + count);
        if (first + count == ranks)
            break;
    }
    free(alike);
    if (status == PILGRIM_OK && m->estimated && !all_in_world(m)) /* ranks that were not read are targets, too */
        status = messages_know_members(m->messages, error);
    return status;
}

static enum pilgrim_status add_all(struct matrix *m, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    if (m->options->sample && m->options->block > m->options->sample)
        return add_blocks(m, error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(m->trace) && status == PILGRIM_OK; rank++) {
        status = add_rank(m, rank, error);
        work_done(rank + 1);
    }
    return status;
}

/* ---- printing ---- */

static int compare_cells(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Sorts COUNT cells. They come rank by rank, nearly sorted: if no sender comes behind a larger one, each has its own
 * sorted. */
static void sort_cells(struct cell *cells, size_t count)
{
    size_t rising = 1;
    while (rising < count && cells[rising - 1].from <= cells[rising].from)
        rising++;
    if (rising < count) {
        qsort(cells, count, sizeof *cells, compare_cells);
        return;
    }
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && cells[next].from == cells[i].from;)
            next++;
        if (next - i > 1)
            qsort(&cells[i], next - i, sizeof *cells, compare_cells);
    }
}

static struct cell close_cell(const struct matrix *m, const struct open_cell *open)
{
    int64_t other = messages_world_rank(m->messages, &open->target);
    bool back = open->kind == MESSAGES_GET;
    struct cell cell = {back ? other : open->rank, back ? open->rank : other, open->count, open->bytes};
    if (m->options->block > 1) { /* -1, an unknown rank, stays */
        cell.from = cell.from < 0 ? cell.from : cell.from / m->options->block;
        cell.to = cell.to < 0 ? cell.to : cell.to / m->options->block;
    }
    return cell;
}

static void print_json(struct output *o, const struct cell *cell, const char *what)
{
    out_named(o, "{\"from\":", cell->from);
    out_json_field(o, "to", cell->to);
    out_text(o, ",\"");
    out_text(o, what);
    out_text(o, "\":");
    out_uint(o, cell->count);
    out_text(o, ",\"bytes\":");
    out_uint(o, cell->bytes);
    out_text(o, "}\n");
}

static void print_text(struct output *o, const struct cell *cell)
{
    char text[96];
    snprintf(text, sizeof text, "%7lld %7lld %12llu %14llu\n", (long long)cell->from, (long long)cell->to,
             (unsigned long long)cell->count, (unsigned long long)cell->bytes);
    out_text(o, text);
}

static void print_cell(struct output *o, const struct matrix_options *options, const struct cell *cell)
{
    if (options->format == MATRIX_JSON) {
        print_json(o, cell, options->windows ? "operations" : "messages");
        return;
    }
    if (options->format == MATRIX_TEXT) {
        print_text(o, cell);
        return;
    }
    out_int(o, cell->from);
    out_char(o, ',');
    out_int(o, cell->to);
    out_char(o, ',');
    out_uint(o, cell->count);
    out_char(o, ',');
    out_uint(o, cell->bytes);
    out_char(o, '\n');
}

static void print_head(struct output *o, const struct matrix_options *options, bool estimated)
{
    char text[96];
    const char *what = options->windows ? "operations" : "messages";
    if (options->format == MATRIX_TEXT)
        snprintf(text, sizeof text, "%7s %7s %12s %14s\n", "from", "to", what, "bytes");
    else
        snprintf(text, sizeof text, "from,to,%s,bytes%s\n", what, estimated ? ",estimated" : "");
    if (options->format != MATRIX_JSON)
        out_text(o, text);
}

static bool print_cells(struct output *o, const struct matrix *m)
{
    struct cell *cells = malloc((m->cell_count + 1) * sizeof *cells);
    if (!cells)
        return false;
    for (size_t i = 0; i < m->cell_count; i++)
        cells[i] = close_cell(m, &m->cells[i]);
    sort_cells(cells, m->cell_count);
    print_head(o, m->options, m->estimated);
    for (size_t i = 0, next; i < m->cell_count; i = next) {
        struct cell sum = cells[i];
        for (next = i + 1; next < m->cell_count && compare_cells(&cells[next], &sum) == 0; next++) {
            sum.count += cells[next].count;
            sum.bytes += cells[next].bytes;
        }
        if (m->options->rank(m->options->context,
                             (uint32_t)sum.from)) /* -1, an unknown rank, becomes a number that no rank has */
            print_cell(o, m->options, &sum);
    }
    free(cells);
    return true;
}

enum pilgrim_status matrix_print(struct output *o, const struct pilgrim_trace *trace,
                                 const struct matrix_options *options, uint64_t *unsized, struct pilgrim_error *error)
{
    struct matrix m = {.trace = trace, .options = options, .messages = messages_new(trace), .weight = 1};
    m.calls = counted_calls_new(trace);
    enum pilgrim_status status = m.messages && m.calls ? PILGRIM_OK : no_memory(error);
    if (status == PILGRIM_OK)
        status = add_all(&m, error);
    progress_end();
    if (status == PILGRIM_OK && options->selector)
        status = selector_end(options->selector, error);
    if (status == PILGRIM_OK && options->selector && !selector_chose(options->selector, error))
        status = PILGRIM_INVALID;
    if (status != PILGRIM_INVALID && m.messages && !print_cells(o, &m) && status == PILGRIM_OK)
        status = no_memory(error);
    *unsized = m.unsized;
    messages_free(m.messages);
    counted_calls_free(m.calls);
    free(m.flows);
    free(m.cells);
    return status;
}
