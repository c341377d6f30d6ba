/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of what repeats itself; see generate_turns.h.
 *
 * All rows have one period, and tables have one turn of it. Or what repeats itself changes now and then, as the sizes
 * of messages do when a mesh is made anew: the rows then have blocks of equal length, and tables have a turn of each
 * block. */
#include "generate_turns.h"

#include <inttypes.h>
#include <stdlib.h>

#include "generate_tables.h"

/* By the length of the longest border (Knuth, Morris, Pratt). */
uint64_t turns_period(const int64_t *values, uint64_t count)
{
    uint64_t *border = calloc(count + 1, sizeof *border), b = 0;
    if (!border)
        generate_fail("not enough memory");
    for (uint64_t i = 1; i < count; i++) {
        while (b && values[b] != values[i])
            b = border[b - 1];
        b += values[b] == values[i];
        border[i] = b;
    }
    free(border);
    return 2 * (count - b) <= count ? count - b : count;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns a period that all ROWS have; 0: there is none that is short. */
static uint64_t common_period(const struct turns_row *rows, size_t count)
{
    enum { COMMON_MAX = 1024 };
    uint64_t common = 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t times = rows[i].period / common_divisor(common, rows[i].period);
        if (rows[i].period == rows[i].count || times > COMMON_MAX / common)
            return 0;
        common *= times;
    }
    return common;
}

/* Makes ROW as long as COUNT, by its period. */
static void extend_row(struct turns_row *row, uint64_t count)
{
    int64_t *values = count > TABLE_MAX ? NULL : calloc(count + 1, sizeof *values);
    if (!values)
        generate_fail("the trace is too irregular: tables would have more than %d numbers", TABLE_MAX);
    for (uint64_t k = 0; k < count; k++)
        values[k] = row->values[k % row->period];
    free(row->values);
    row->values = values;
    row->count = count;
}

/* Blocks of turns: in a block of LENGTH values, TURN of them repeat themselves. OFFSET values of the first block are
 * missing. */
struct turn_blocks {
    uint64_t turn, length, offset;
};

static uint64_t block_index(const struct turn_blocks *b, uint64_t n)
{
    return (n + b->offset) / b->length * b->turn + n % b->turn;
}

/* Sets *B to blocks of turns of TURN values. False: the rows do not all have them. */
static bool find_blocks(const struct turns_row *rows, size_t count, uint64_t turn, struct turn_blocks *b)
{
    uint64_t first = 0, distance = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t n = turn; n < rows[i].count; n++) {
            if (rows[i].values[n] == rows[i].values[n - turn])
                continue;
            uint64_t step = n / turn;
            first = first ? first : step;
            distance = common_divisor(distance, step > first ? step - first : first - step);
            if (distance == 1)
                return false;
        }
    *b = (struct turn_blocks){turn, distance * turn, distance ? (distance - first % distance) % distance * turn : 0};
    return distance > 0;
}

/* Makes rows tables of blocks, if that halves the longest. False: it does not. */
static bool make_blocks(struct turns_row *rows, size_t count, struct turn_blocks *best)
{
    enum { TURN_MAX = 64 };
    uint64_t longest = 0, least = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].count < rows[i].whole)
            return false;
        longest = rows[i].count > longest ? rows[i].count : longest;
    }
    for (uint64_t turn = 1; turn <= TURN_MAX && 4 * turn <= longest; turn++) {
        struct turn_blocks b;
        if (!find_blocks(rows, count, turn, &b))
            continue;
        uint64_t size = block_index(&b, longest - 1) / turn * turn + turn;
        if (2 * size > longest || (least && size >= least))
            continue;
        least = size;
        *best = b;
    }
    for (size_t i = 0; i < count && least; i++) {
        int64_t *values = calloc(least, sizeof *values);
        if (!values)
            generate_fail("not enough memory");
        for (uint64_t n = 0; n < rows[i].count; n++)
            values[block_index(best, n)] = rows[i].values[n];
        rows[i].count = block_index(best, rows[i].count - 1) / best->turn * best->turn + best->turn;
        free(rows[i].values);
        rows[i].values = values;
    }
    return least > 0;
}

static const char *block_text(const struct turn_blocks *b, const char *n)
{
    const char *from = b->offset ? text_format("(%s + %" PRIu64 ")", n, b->offset) : n;
    const char *block = text_format("%s / %" PRIu64, from, b->length);
    return b->turn == 1 ? block : text_format("%s * %" PRIu64 " + %s %% %" PRIu64, block, b->turn, n, b->turn);
}

const char *turns_text(const struct proxy *p, struct text *tables, const struct column_use *use, struct turns_row *rows,
                       size_t count, const int64_t *variant, const bool *has, const char *index)
{
    uint64_t period = common_period(rows, count);
    struct turn_blocks blocks;
    bool large = false, is_blocks = !period && make_blocks(rows, count, &blocks);
    const char *which = period      ? text_format("[%s %% %" PRIu64 "]", index, period)
                        : is_blocks ? text_format("[%s]", block_text(&blocks, index))
                                    : text_format("[%s]", index);
    struct text content = {0};
    for (size_t i = 0; i < count; i++) {
        if (!is_blocks)
            extend_row(&rows[i], period ? period : rows[i].whole);
        large = large || table_is_large(rows[i].values, NULL, rows[i].count);
    }
    for (size_t i = 0; i < count; i++) {
        if (count > 1)
            text_put(&content, "%s    (const %s[])", i ? ",\n" : "{\n", large ? "long" : "int");
        table_numbers(p, &content, rows[i].values, NULL, rows[i].count, count > 1 ? "        " : "    ");
        free(rows[i].values);
    }
    const char *type = large ? "long " : "int ", *by = index[0] == 'n' ? "visit" : "trip";
    if (count == 1)
        return text_format("%s%s", table_put(tables, use, type, "[]", &content, text_format("by %s", by)), which);
    ranks_refuse(p, use, "it changes from call to call, and not alike in all ranks");
    text_put(&content, "}");
    const char *kind = count == p->rank_count ? "rank" : "kind of rank";
    const char *name =
        table_put(tables, use, text_format("%s*const ", type), "[]", &content, text_format("by %s and %s", kind, by));
    return text_format("%s[%s]%s", name, text_bare(column_expression(p, tables, use, variant, has)), which);
}
