/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns; see columns.h. Nothing is expanded: values and their positions are found in the grammar of the differences.
 */
#include "read/table/columns.h"

static int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* ---- parsing ---- */

static void parse_sums(struct parser *p, struct stored_column *c)
{
    c->constant = cursor_svarint(&p->in);
    c->sequence = parser_sequence(p);
    if (!parser_good(p))
        return;
    const struct rules_total total = rules_sequence_total(&p->shard->rules, c->sequence);
    c->length = total.length + 1;
    c->rises = total.rises && (c->constant < 0 || total.sum <= INT64_MAX - c->constant);
    c->increases = c->rises && total.increases;
    if (total.has_ramp)
        parser_fail(p, "a column whose differences have a ramp");
}

static void parse_list(struct parser *p, struct stored_column *c)
{
    size_t count = parser_count(p, 1, "more values of a column than bytes");
    int64_t *list = parser_take(p, count, sizeof *list);
    c->rises = c->increases = true;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        list[i] = cursor_svarint(&p->in);
        c->rises &= i == 0 || list[i] >= list[i - 1];
        c->increases &= i == 0 || list[i] > list[i - 1];
    }
    c->list = list;
    c->length = count;
}

static void parse_column(struct parser *p, struct stored_column *c)
{
    c->kind = (enum expression_kind)parser_index(p, EXPRESSION_KIND_COUNT, "a column of unknown kind");
    c->length = LENGTH_ANY;
    if (c->kind == EXPRESSION_SUMS) {
        parse_sums(p, c);
        return;
    }
    if (c->kind == EXPRESSION_LIST) {
        parse_list(p, c);
        return;
    }
    c->constant = cursor_svarint(&p->in);
    c->rises = c->increases = c->kind == EXPRESSION_CONSTANT;
    if (c->kind != EXPRESSION_MODULO)
        return;
    c->modulus = cursor_varint(&p->in);
    if (parser_good(p) && (c->modulus == 0 || c->modulus > INT64_MAX))
        parser_fail(p, "a column with a wrong modulus");
}

void columns_parse(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 2, "more columns than bytes");
    v->columns = parser_take(p, count, sizeof *v->columns);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_column(p, &v->columns[i]);
    if (!parser_good(p))
        parser_fail(p, "a column that is not complete");
    v->column_count = count;
}

/* ---- values ---- */

/* Returns V mod N, which is not negative. */
static int64_t modulo(int64_t v, uint64_t n)
{
    if (v >= 0)
        return (int64_t)((uint64_t)v % n);
    uint64_t rest = (0 - (uint64_t)v) % n;
    return (int64_t)(rest ? n - rest : 0);
}

int64_t column_value(const struct shard *v, const struct stored_column *c, uint64_t position, int64_t x)
{
    uint64_t from = (uint64_t)x, constant = (uint64_t)c->constant;
    switch (c->kind) {
    case EXPRESSION_PLUS:
        return (int64_t)(from + constant);
    case EXPRESSION_MINUS:
        return (int64_t)(constant - from);
    case EXPRESSION_MINUS_TWICE:
        return (int64_t)(constant - 2 * from);
    case EXPRESSION_XOR_RELATIVE:
        return (int64_t)((from ^ constant) - from);
    case EXPRESSION_XOR:
        return (int64_t)(from ^ constant);
    case EXPRESSION_MODULO:
        return modulo((int64_t)(from + constant), c->modulus);
    case EXPRESSION_SUMS:
        return wrapping_add(c->constant, rules_sum(&v->rules, c->sequence, position));
    case EXPRESSION_LIST:
        return c->list[position];
    default: /* EXPRESSION_CONSTANT */
        return c->constant;
    }
}

/* ---- increasing columns ---- */

uint64_t column_size(const struct stored_column *c)
{
    return c->kind == EXPRESSION_CONSTANT ? 1 : c->length;
}

int64_t column_last(const struct shard *v, const struct stored_column *c)
{
    if (c->kind == EXPRESSION_SUMS)
        return wrapping_add(c->constant, rules_sequence_total(&v->rules, c->sequence).sum);
    return c->kind == EXPRESSION_LIST ? c->list[c->length - 1] : c->constant;
}

static bool list_find(const struct stored_column *c, int64_t value, uint64_t *position)
{
    uint64_t low = 0, high = c->length;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (c->list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    *position = low;
    return low < c->length && c->list[low] == value;
}

bool column_find(const struct shard *v, const struct stored_column *c, int64_t value, uint64_t *position)
{
    *position = 0;
    if (c->kind == EXPRESSION_LIST)
        return list_find(c, value, position);
    if (value <= c->constant || c->kind == EXPRESSION_CONSTANT)
        return value == c->constant;
    return rules_find_sum(&v->rules, c->sequence, (uint64_t)value - (uint64_t)c->constant, position);
}
