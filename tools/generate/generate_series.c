/* SPDX-License-Identifier: BSD-3-Clause */
/* What changes from visit to visit: as an expression of the rank and of the loops around, else a table.
 *
 * Tried: one number for each rank (a column); a function of one loop's index, plus a column; a sum of multiples of all
 * indices, plus a column; tables of all visits. What is found was checked for each visit of each rank. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "generate_tables.h"
#include "generate_turns.h"

enum { LOOPS_MAX = 64, INDEX_MAX = 1 << 20 };

#define POINTS_MAX UINT64_C(20000000)

static bool series_value(const struct proxy *p, const struct series *s, int64_t raw, int64_t *value)
{
    *value = raw;
    if (s->form_count) {
        const struct filled_form *row = proxy_row(raw);
        size_t i = 0;
        while (i < s->form_count && s->forms[i]->text != row->form->text)
            i++;
        *value = (int64_t)i;
        return true;
    }
    if (!s->form)
        return true;
    const struct filled_form *row = proxy_row(raw);
    if (row->form->text != s->form->text)
        return false;
    *value = row->numbers[s->hole];
    if (s->request && *value >= 0)
        *value = p->requests[*value >> 20].base + (*value & ((1 << 20) - 1));
    return !(s->request && s->null_fits && *value < 0);
}

bool series_by_rank(const struct proxy *p, const struct series *s, int64_t *values, bool *has)
{
    for (uint32_t r = 0; r < p->rank_count; r++) {
        const struct node_visits *v = s->node->ranks[r];
        has[r] = false;
        for (uint64_t k = 0; v && k < v->stored; k++) {
            int64_t value;
            if (!series_value(p, s, v->first[k], &value))
                continue;
            if (has[r] && values[r] != value)
                return false;
            values[r] = value;
            has[r] = true;
        }
    }
    return true;
}

/* ---- visits one by one, with the indices of the loops around ---- */

struct points {
    const struct series *s;
    const struct node_visits *visits;
    uint32_t rank;
    uint64_t k; /* of the next visit */
    uint64_t entry[LOOPS_MAX], trips[LOOPS_MAX], index[LOOPS_MAX];
    size_t depth;
    bool begun;
};

static bool points_begin(struct points *at, const struct series *s, uint32_t rank)
{
    memset(at, 0, sizeof *at);
    at->s = s;
    at->rank = rank;
    at->visits = s->node->ranks[rank];
    return at->visits != NULL;
}

/* Moves to the next visit; index and k - 1 are its. */
static bool points_next(struct points *at)
{
    size_t count = at->s->loop_count;
    if (at->k >= at->visits->count)
        return false;
    if (at->begun && at->depth > 0)
        at->index[at->depth - 1]++;
    else if (at->begun && count == 0)
        at->depth = 0;
    at->begun = true;
    for (uint64_t steps = 0; steps < POINTS_MAX; steps++) {
        while (at->depth > 0 && at->index[at->depth - 1] >= at->trips[at->depth - 1]) {
            at->depth--;
            if (at->depth > 0)
                at->index[at->depth - 1]++;
        }
        if (at->depth == count && count > 0)
            break;
        while (at->depth < count) {
            const struct node_visits *loop = at->s->loops[at->depth].loop->ranks[at->rank];
            uint64_t entry = at->entry[at->depth]++;
            if (!loop || entry >= loop->count)
                return false;
            at->trips[at->depth] = (uint64_t)visits_get(loop, entry);
            at->index[at->depth] = 0;
            at->depth++;
            if (at->trips[at->depth - 1] == 0)
                break;
        }
        if (at->depth == count && (count == 0 || at->trips[count - 1] > 0))
            break;
    }
    at->k++;
    return true;
}

static bool points_value(const struct proxy *p, const struct points *at, int64_t *value)
{
    return series_value(p, at->s, visits_get(at->visits, at->k - 1), value);
}

/* ---- a function of one index ---- */

struct index_function {
    int64_t *values;
    bool *has;
    uint64_t count, capacity;
};

static bool set_index(struct index_function *f, uint64_t x, int64_t value)
{
    if (x >= INDEX_MAX)
        return false;
    while (x >= f->capacity) {
        uint64_t capacity = f->capacity ? 2 * f->capacity : 16;
        int64_t *values = calloc(capacity, sizeof *values);
        bool *has = calloc(capacity, sizeof *has);
        if (!values || !has)
            generate_fail("not enough memory");
        if (f->capacity) {
            memcpy(values, f->values, f->capacity * sizeof *values);
            memcpy(has, f->has, f->capacity * sizeof *has);
        }
        free(f->values);
        free(f->has);
        *f = (struct index_function){values, has, f->count, capacity};
    }
    if (x >= f->count)
        f->count = x + 1;
    if (f->has[x])
        return f->values[x] == value;
    f->has[x] = true;
    f->values[x] = value;
    return true;
}

/* Finds F and OFFSETS such that each value is F(index of LOOP) + OFFSETS[rank]. */
static bool find_index_function(const struct proxy *p, const struct series *s, size_t loop, struct index_function *f,
                                int64_t *offsets, bool *has)
{
    struct points at;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        has[r] = false;
        for (bool more = points_begin(&at, s, r); more && points_next(&at);) {
            int64_t value;
            uint64_t x = at.index[loop];
            if (!points_value(p, &at, &value))
                continue;
            if (!has[r]) {
                bool common = x < f->count && f->has[x];
                offsets[r] = common ? value - f->values[x] : 0;
                if (common && offsets[r] && (number_is_name(value) || number_is_name(f->values[x])))
                    return false;
                has[r] = true;
            }
            if (offsets[r] && number_is_name(value))
                return false;
            if (!set_index(f, x, value - offsets[r]))
                return false;
        }
    }
    return true;
}

/* Returns A * X + C. */
static const char *linear_text(int64_t a, const char *x, int64_t c)
{
    bool simple = strchr(x, ' ') == NULL;
    const char *product = a == 1              ? x
                          : a == -1 && c == 0 ? text_format(simple ? "-%s" : "-(%s)", x)
                                              : text_format(simple ? "%s * %" PRId64 : "(%s) * %" PRId64, x, a);
    if (a == -1 && c != 0)
        return text_format(simple ? "%" PRId64 " - %s" : "%" PRId64 " - (%s)", c, x);
    if (c == 0)
        return product;
    return c > 0 ? text_format("%s + %" PRId64, product, c) : text_format("%s - %" PRIu64, product, 0 - (uint64_t)c);
}

/* Returns true if the first COUNT values are A * x + C. */
static bool is_linear(const struct index_function *f, uint64_t count, int64_t *a, int64_t *c)
{
    uint64_t first = 0, second;
    while (first < count && !f->has[first])
        first++;
    for (second = first + 1; second < count && !f->has[second];)
        second++;
    if (second >= count || number_is_name(f->values[first]) || number_is_name(f->values[second]))
        return false;
    int64_t distance = (int64_t)(second - first), difference;
    if (__builtin_sub_overflow(f->values[second], f->values[first], &difference) || difference % distance ||
        difference > INT64_C(1) << 40 || difference < -(INT64_C(1) << 40))
        return false;
    *a = difference / distance;
    *c = f->values[first] - *a * (int64_t)first;
    for (uint64_t x = first; x < count; x++)
        if (f->has[x] && f->values[x] != *a * (int64_t)x + *c)
            return false;
    return *c < INT64_C(1) << 50 && *c > -(INT64_C(1) << 50);
}

/* Returns the contrary of "X == A" or "X < A". */
static const char *negated(const char *condition)
{
    const char *sign = strstr(condition, " == ");
    const char *less = sign ? sign : strstr(condition, " < ");
    return text_format("%.*s %s %s", (int)(less - condition), condition, sign ? "!=" : ">=", less + (sign ? 4 : 3));
}

/* Returns an expression for the first COUNT values, if all but one, or all behind the first ones, are equal. */
static const char *odd_text(const struct proxy *p, const struct index_function *f, uint64_t count, const char *x)
{
    uint64_t changes = 0, at = 0, second = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!f->has[i] || (i && f->values[i] != f->values[i - 1] && ++changes > 2))
            return NULL;
        if (i && f->values[i] != f->values[i - 1]) {
            second = at;
            at = i;
        }
    }
    int64_t first = f->values[0], last = f->values[count - 1];
    const char *condition = NULL;
    int64_t then = 0, otherwise = first;
    if (changes == 1) {
        condition = at == 1           ? text_format("%s == 0", x)
                    : at == count - 1 ? text_format("%s == %" PRIu64, x, at)
                                      : text_format("%s < %" PRIu64, x, at);
        then = at == count - 1 && at != 1 ? last : first;
        otherwise = at == count - 1 && at != 1 ? first : last;
    } else if (changes == 2 && at == second + 1 && first == last) {
        condition = text_format("%s == %" PRIu64, x, second);
        then = f->values[second];
    }
    if (!condition)
        return NULL;
    if (then == 1 && otherwise == 0)
        return text_format("(%s)", condition);
    if (then == 0 && otherwise == 1)
        return text_format("(%s)", negated(condition));
    return text_format("(%s ? %s : %s)", condition, number_text(p, then), number_text(p, otherwise));
}

static const char *index_text(const struct proxy *p, struct text *tables, const struct column_use *use,
                              const struct index_function *f, const char *variable)
{
    int64_t a, c;
    if (is_linear(f, f->count, &a, &c))
        return a ? linear_text(a, variable, c) : number_text(p, c);
    uint64_t period = turns_period(f->values, f->count);
    for (uint64_t x = period; x < f->count && period < f->count; x++)
        if (f->has[x] != f->has[x - period])
            period = f->count;
    if (period < f->count) {
        const char *turn = text_format("%s %% %" PRIu64, variable, period);
        const char *turns = period > 2 ? odd_text(p, f, period, turn) : NULL;
        if (turns)
            return turns;
        if (is_linear(f, period, &a, &c))
            return linear_text(a, turn, c);
        if (period == 2)
            return text_format("(%s ? %s : %s)", turn, number_text(p, f->values[1]), number_text(p, f->values[0]));
        return text_format("%s[%s]", table_of(p, tables, use, f->values, f->has, period, "in turn"), turn);
    }
    const char *exception = f->count > 2 ? odd_text(p, f, f->count, variable) : NULL;
    if (exception)
        return exception;
    return text_format("%s[%s]", table_of(p, tables, use, f->values, f->has, f->count, "by trip"), variable);
}

/* ---- a sum over all indices ---- */

static const char *sum_text(const struct proxy *p, struct text *tables, const struct series *s, int64_t *offsets,
                            bool *has)
{
    int64_t slope[LOOPS_MAX] = {0}, before = 0;
    uint64_t last[LOOPS_MAX] = {0};
    bool known[LOOPS_MAX] = {0}, some = false;
    struct points at;
    uint32_t rank = 0;
    while (rank < p->rank_count && !s->node->ranks[rank])
        rank++;
    /* slopes: from one visit to the next, the innermost loop that goes on tells its own, outer ones follow */
    for (bool more = rank < p->rank_count && points_begin(&at, s, rank); more && points_next(&at);) {
        int64_t value;
        if (!points_value(p, &at, &value) || number_is_name(value) || value > INT64_C(1) << 50 ||
            value < -(INT64_C(1) << 50))
            return NULL;
        size_t changed = 0, unknown = 0, which = 0;
        int64_t rest = value - before;
        for (size_t j = 0; j < s->loop_count && some; j++)
            if (at.index[j] != last[j]) {
                changed++;
                unknown += !known[j];
                which = known[j] ? which : j;
                rest -= known[j] ? slope[j] * ((int64_t)at.index[j] - (int64_t)last[j]) : 0;
            }
        if (some && changed && unknown == 1) {
            int64_t step = (int64_t)at.index[which] - (int64_t)last[which];
            if (rest % step)
                return NULL;
            slope[which] = rest / step;
            if (slope[which] > INT64_C(1) << 30 || slope[which] < -(INT64_C(1) << 30))
                return NULL;
            known[which] = true;
        }
        memcpy(last, at.index, sizeof last);
        before = value;
        some = true;
    }
    for (uint32_t r = 0; r < p->rank_count; r++) {
        has[r] = false;
        for (bool more = points_begin(&at, s, r); more && points_next(&at);) {
            int64_t value;
            if (!points_value(p, &at, &value) || number_is_name(value))
                return NULL;
            for (size_t j = 0; j < s->loop_count; j++)
                value -= slope[j] * (int64_t)at.index[j];
            if (has[r] && offsets[r] != value)
                return NULL;
            offsets[r] = value;
            has[r] = true;
        }
    }
    const char *text = NULL;
    for (size_t j = 0; j < s->loop_count; j++)
        if (slope[j])
            text = text ? text_format("%s + %s", text, linear_text(slope[j], s->loops[j].variable, 0))
                        : linear_text(slope[j], s->loops[j].variable, 0);
    const char *column = column_expression(p, tables, &s->use, offsets, has);
    return !text ? column : strcmp(column, "0") == 0 ? text : text_format("%s + %s", column, text);
}

/* ---- tables of all visits ---- */

static bool same_visits(const struct proxy *p, const struct series *s, uint32_t a, uint32_t b)
{
    const struct node_visits *x = s->node->ranks[a], *y = s->node->ranks[b];
    for (uint64_t k = 0; k < x->count && k < y->count; k++) {
        int64_t v, w;
        bool one = series_value(p, s, visits_get(x, k), &v), other = series_value(p, s, visits_get(y, k), &w);
        if (one != other || (one && v != w))
            return false;
    }
    return x->count == y->count;
}

static struct turns_row make_row(const struct proxy *p, const struct series *s, uint32_t rank)
{
    const struct node_visits *v = s->node->ranks[rank];
    struct turns_row row = {.rank = rank, .count = v->stored < v->count ? 2 * v->period : v->count, .whole = v->count};
    if (row.count > TABLE_MAX)
        generate_fail("the trace is too irregular: tables would have more than %d numbers", TABLE_MAX);
    row.values = calloc(row.count + 1, sizeof *row.values);
    if (!row.values)
        generate_fail("not enough memory");
    for (uint64_t k = 0; k < row.count; k++)
        if (!series_value(p, s, visits_get(v, k), &row.values[k]))
            row.values[k] = 0;
    row.period = turns_period(row.values, row.count);
    return row;
}

static const char *visits_text(const struct proxy *p, struct text *tables, const struct series *s)
{
    int64_t *variant = generate_alloc(p->rank_count * sizeof *variant);
    bool *has = generate_alloc(p->rank_count);
    struct turns_row *rows = NULL;
    size_t count = 0;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        has[r] = s->node->ranks[r];
        size_t own = 0;
        while (has[r] && own < count && !same_visits(p, s, rows[own].rank, r))
            own++;
        variant[r] = (int64_t)own;
        if (!has[r] || own < count)
            continue;
        rows = generate_grow(rows, count, sizeof *rows);
        rows[count++] = make_row(p, s, r);
    }
    return turns_text(p, tables, &s->use, rows, count, variant, has, "n");
}

/* ---- functions of one index, another one in each rank ---- */

/* Sets *ROW to the values of RANK by the index of LOOP. False: they are no function of it. */
static bool index_row(const struct proxy *p, const struct series *s, uint32_t rank, size_t loop, struct turns_row *row)
{
    enum { COUNT_MAX = 4096 };
    struct index_function f = {0};
    struct points at;
    bool good = true;
    for (bool more = points_begin(&at, s, rank); good && more && points_next(&at);) {
        int64_t value;
        good = at.index[loop] < COUNT_MAX && points_value(p, &at, &value) && set_index(&f, at.index[loop], value);
    }
    for (uint64_t x = 0; x < f.count; x++)
        good = good && f.has[x];
    free(f.has);
    *row = (struct turns_row){rank, f.values, f.count, 0, f.count};
    if (good && f.count)
        row->period = turns_period(f.values, f.count);
    else
        free(f.values);
    return good && f.count;
}

/* True if the values are ranks that are 1, 2, 4, ... further: such a loop has as many trips as the number of ranks
 * wants. */
static bool doubles(const struct proxy *p, const struct turns_row *rows, uint64_t turn, const int64_t *variant,
                    const bool *has)
{
    bool up = true, down = true;
    int64_t n = p->rank_count;
    for (uint32_t r = 0; r < p->rank_count; r++)
        for (uint64_t x = 0; has[r] && x < turn; x++) {
            int64_t by = (INT64_C(1) << x) % n, v = rows[variant[r]].values[x];
            up = up && v == (r + by) % n;
            down = down && v == (r + n - by) % n;
        }
    return up || down;
}

/* Returns a list of expressions of the rank, one for each index of a short loop, or of one turn; NULL: not all values
 * have one, or a table is shorter. VARIANT: each rank's row, where HAS. */
static const char *expressions_text(const struct proxy *p, const struct column_use *use, const struct turns_row *rows,
                                    size_t count, const int64_t *variant, const bool *has, const char *index)
{
    enum { LISTED_MAX = 8, CHARS_MAX = 400, ROW_CHARS = 12, NUMBER_CHARS = 4 };
    int64_t *values = generate_alloc(p->rank_count * sizeof *values);
    struct text list = {0};
    uint64_t turn = rows[0].period;
    bool wide = false;
    for (size_t i = 0; i < count; i++) {
        turn = rows[i].period == rows[0].period && turn ? turn : rows[0].count;
        if (rows[i].count != rows[0].count)
            return NULL;
    }
    if (count < 2 || turn < 2 || turn > LISTED_MAX || (p->options->ranks && doubles(p, rows, turn, variant, has)))
        return NULL;
    for (uint64_t x = 0; x < turn; x++) {
        for (uint32_t r = 0; r < p->rank_count; r++)
            if (has[r]) {
                values[r] = rows[variant[r]].values[x];
                wide = wide || (!number_is_name(values[r]) && values[r] != (int32_t)values[r]);
            }
        const char *one = p->options->ranks ? ranks_formula(p, use, values, has) : column_formula(p, values, has);
        if (!one || list.length > CHARS_MAX)
            return NULL;
        text_put(&list, "%s%s", x ? ", " : "", text_bare(one));
    }
    if (!p->options->ranks && list.length > count * (ROW_CHARS + turn * NUMBER_CHARS))
        return NULL;
    return text_format("(const %s[]){%s}[%s%s]", wide ? "long" : "int", text_of(&list), index,
                       turn < rows[0].count ? text_format(" %% %" PRIu64, turn) : "");
}

/* Returns the expression of values that are a function of the index of LOOP in each rank; NULL: they are not. */
static const char *index_rows_text(const struct proxy *p, struct text *tables, const struct series *s, size_t loop)
{
    int64_t *variant = generate_alloc(p->rank_count * sizeof *variant);
    bool *has = generate_alloc(p->rank_count), good = true;
    struct turns_row *rows = NULL;
    size_t count = 0;
    for (uint32_t r = 0; r < p->rank_count && good; r++) {
        struct turns_row row;
        has[r] = s->node->ranks[r];
        if (!has[r] || !(good = index_row(p, s, r, loop, &row)))
            continue;
        size_t own = 0;
        while (own < count && (rows[own].count != row.count ||
                               memcmp(rows[own].values, row.values, row.count * sizeof *row.values) != 0))
            own++;
        variant[r] = (int64_t)own;
        if (own < count) {
            free(row.values);
            continue;
        }
        rows = generate_grow(rows, count, sizeof *rows);
        rows[count++] = row;
    }
    const char *listed =
        good && count ? expressions_text(p, &s->use, rows, count, variant, has, s->loops[loop].variable) : NULL;
    if (good && count && !listed)
        return turns_text(p, tables, &s->use, rows, count, variant, has, s->loops[loop].variable);
    for (size_t i = 0; i < count; i++)
        free(rows[i].values);
    return listed;
}

static const char *changing_expression(const struct proxy *p, struct text *tables, const struct series *s,
                                       int64_t *values, bool *has, bool *counted)
{
    uint64_t points = 0;
    for (uint32_t r = 0; r < p->rank_count; r++)
        points += s->node->ranks[r] ? s->node->ranks[r]->count : 0;
    const char *found = NULL;
    for (size_t j = s->loop_count; points < POINTS_MAX && s->loop_count < LOOPS_MAX && j-- > 0 && !found;) {
        struct index_function f = {0};
        if (find_index_function(p, s, j, &f, values, has)) {
            found = index_text(p, tables, &s->use, &f, s->loops[j].variable);
            const char *column = column_expression(p, tables, &s->use, values, has);
            if (strcmp(column, "0") != 0)
                found = text_format("%s + %s", column, found);
        }
        free(f.values);
        free(f.has);
    }
    if (!found && points < POINTS_MAX && s->loop_count > 1 && s->loop_count < LOOPS_MAX)
        found = sum_text(p, tables, s, values, has);
    for (size_t j = s->loop_count; points < POINTS_MAX && s->loop_count < LOOPS_MAX && j-- > 0 && !found;)
        found = index_rows_text(p, tables, s, j);
    if (found)
        return found;
    *counted = true;
    return visits_text(p, tables, s);
}

/* Returns true if a rank does not come to the node. */
static bool is_passed_by(const struct proxy *p, const struct node *n)
{
    for (uint32_t r = 0; r < p->rank_count; r++)
        if (!n->ranks[r])
            return true;
    return false;
}

const char *series_expression(const struct proxy *p, struct text *tables, const struct series *s, bool *counted)
{
    int64_t *values = generate_alloc(p->rank_count * sizeof *values);
    bool *has = generate_alloc(p->rank_count);
    if (series_by_rank(p, s, values, has))
        return column_expression(p, tables, &s->use, values, has);
    size_t length = tables->length;
    unsigned uses = tables_used();
    const char *found = changing_expression(p, tables, s, values, has, counted);
    bool of_ranks = s->use.meaning == COLUMN_RANK || s->use.meaning == COLUMN_SIZE || s->use.meaning == COLUMN_EXTENT;
    if (of_ranks && strncmp(found, "(const int[]){", 14) != 0)
        ranks_refuse(p, &s->use, "it changes from call to call: what it is in other ranks is not clear");
    if ((tables->length > length || tables_used() > uses) && is_passed_by(p, s->node))
        ranks_refuse(p, &s->use, "it changes from call to call, in some ranks only");
    return found;
}
