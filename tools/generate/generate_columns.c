/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns: values by rank, as expressions of rank and size.
 *
 * Tried in this order: a constant; x + c, c - x, and a * x + c for features x of the rank (rank, rank / d, rank % m,
 * rank / d % m); a shift on a ring or on an axis of a torus; rank ^ c; two or three such pieces, told apart by a
 * condition; a table. Everything that is found was checked for each rank. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "generate_tables.h"

/* A feature: rank / d % m. M of 0: not taken. */
struct feature {
    int64_t d, m;
};

enum { FEATURES_MAX = 200, PIECES_MAX = 3 };

struct fit {
    const struct proxy *p;
    int64_t n; /* ranks */
    struct feature features[FEATURES_MAX];
    size_t feature_count;
};

static int64_t feature_value(const struct feature *f, int64_t rank)
{
    return f->m ? rank / f->d % f->m : rank / f->d;
}

static const char *feature_text(const struct feature *f)
{
    const char *divided = f->d == 1 ? "rank" : text_format("rank / %" PRId64, f->d);
    return f->m ? text_format("%s %% %" PRId64, divided, f->m) : divided;
}

static void add_feature(struct fit *fit, int64_t d, int64_t m)
{
    if (fit->feature_count < FEATURES_MAX)
        fit->features[fit->feature_count++] = (struct feature){d, m};
}

static void fit_begin(struct fit *fit, const struct proxy *p)
{
    *fit = (struct fit){.p = p, .n = p->rank_count};
    add_feature(fit, 1, 0);
    for (int64_t d = 2; d < fit->n; d++)
        if (fit->n % d == 0 || d == 2)
            add_feature(fit, 1, d);
    for (int64_t d = 2; d < fit->n; d++)
        if (fit->n % d == 0)
            add_feature(fit, d, 0);
    for (int64_t d = 2; d < fit->n; d++)
        for (int64_t m = 2; fit->n % d == 0 && m < fit->n / d; m++)
            if (fit->n / d % m == 0)
                add_feature(fit, d, m);
}

const char *number_text(const struct proxy *p, int64_t number)
{
    if (number_is_name(number))
        return (size_t)(number - NAME_FIRST) < p->name_count ? p->names[number - NAME_FIRST] : "0";
    if (number == INT64_MIN)
        return "INT64_MIN";
    bool small = number >= INT32_MIN && number <= INT32_MAX;
    return text_format(small && number != INT32_MIN ? "%" PRId64 : "%" PRId64 "L", number);
}

/* ---- simple expressions ---- */

static const char *plus(const char *text, int64_t c)
{
    if (c == 0)
        return text;
    return c > 0 ? text_format("%s + %" PRId64, text, c) : text_format("%s - %" PRIu64, text, 0 - (uint64_t)c);
}

static const char *fit_linear(const struct fit *fit, const struct feature *f, const int64_t *v, const bool *has)
{
    int64_t x0 = 0, x1 = 0, v0 = 0, a = 0;
    bool two_points = true;
    int found = 0;
    for (int64_t r = 0; r < fit->n; r++) {
        if (!has[r])
            continue;
        int64_t x = feature_value(f, r);
        if (number_is_name(v[r]) || v[r] > INT64_C(1) << 50 || v[r] < -(INT64_C(1) << 50))
            return NULL;
        if (found == 0) {
            x0 = x;
            v0 = v[r];
            found = 1;
        } else if (found == 1 && x != x0) {
            a = (v[r] - v0) / (x - x0);
            x1 = x;
            found = 2;
            if (a == 0 || a > (INT64_C(1) << 30) || a < -(INT64_C(1) << 30))
                return NULL;
        }
        if (v[r] != v0 + a * (x - x0))
            return NULL;
        two_points = two_points && (x == x0 || found < 2 || x == x1);
    }
    if (found < 2)
        return NULL;
    int64_t c = v0 - a * x0;
    const bool sizes = a >= 8 && c % a == 0; /* any two numbers are on a line: it has to say something */
    if (two_points && a != 1 && a != -1 && (a != f->d || f->m) && !sizes)
        return NULL;
    const char *x = feature_text(f);
    if (a == 1)
        return plus(x, c);
    if (a == -1) {
        if (c == fit->n)
            return text_format("size - %s", x);
        return c == 0            ? text_format("-%s", x)
               : c == fit->n - 1 ? text_format("size - 1 - %s", x)
                                 : text_format("%" PRId64 " - %s", c, x);
    }
    if (f->d > 1 && f->m == 0 && a == f->d)
        return plus(text_format("%s * %" PRId64, x, a), c);
    return plus(f->m || f->d > 1 ? text_format("(%s) * %" PRId64, x, a) : text_format("%s * %" PRId64, x, a), c);
}

/* A shift on the axis of a torus: M ranks that are D apart. */
static const char *fit_shift(const struct fit *fit, int64_t d, int64_t m, const int64_t *v, const bool *has)
{
    int64_t shift = 0;
    bool known = false;
    for (int64_t r = 0; r < fit->n; r++) {
        if (!has[r])
            continue;
        int64_t x = r / d % m, base = r - x * d, to = v[r] - base;
        if (number_is_name(v[r]) || v[r] < 0 || v[r] >= fit->n || to < 0 || to % d || to / d >= m)
            return NULL;
        int64_t own = (to / d + m - x) % m;
        if (known && own != shift)
            return NULL;
        shift = own;
        known = true;
    }
    if (!known || shift == 0)
        return NULL;
    if (d == 1 && m == fit->n)
        return 2 * shift <= m ? text_format("(rank + %" PRId64 ") %% size", shift)
                              : text_format("(rank + size - %" PRId64 ") %% size", m - shift);
    return text_format("torus(%" PRId64 ", %" PRId64 ", %" PRId64 ")", d, m, 2 * shift <= m ? shift : shift - m);
}

static const char *fit_xor(const struct fit *fit, const int64_t *v, const bool *has)
{
    int64_t c = -1;
    for (int64_t r = 0; r < fit->n; r++)
        if (has[r]) {
            if (v[r] < 0 || (c >= 0 && (v[r] ^ r) != c))
                return NULL;
            c = v[r] ^ r;
        }
    return c > 0 && c < (1 << 20) ? text_format("(rank ^ %" PRId64 ")", c) : NULL;
}

/* A multiple of the ranks: rank / d * d. */
static const char *fit_floor(const struct fit *fit, const int64_t *v, const bool *has)
{
    for (size_t i = 0; i < fit->feature_count; i++) {
        const struct feature *f = &fit->features[i];
        const char *found = f->m || f->d > 1 || i == 0 ? fit_linear(fit, f, v, has) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static const char *fit_simple(const struct fit *fit, const int64_t *v, const bool *has)
{
    bool equal = true;
    int64_t first = -1;
    for (int64_t r = 0; r < fit->n; r++)
        if (has[r]) {
            first = first < 0 ? r : first;
            equal = equal && v[r] == v[first];
        }
    if (first < 0)
        return "0";
    if (equal)
        return number_text(fit->p, v[first]);
    const char *found = fit_linear(fit, &fit->features[0], v, has);
    if (!found)
        found = fit_shift(fit, 1, fit->n, v, has);
    if (!found)
        found = fit_floor(fit, v, has);
    for (size_t i = 1; i < fit->feature_count && !found; i++) {
        const struct feature *f = &fit->features[i];
        found = fit->n % (f->m ? f->m : 1) == 0 ? fit_shift(fit, f->d, f->m ? f->m : fit->n / f->d, v, has) : NULL;
    }
    return found ? found : fit_xor(fit, v, has);
}

/* ---- conditions ---- */

enum comparison { IS, IS_NOT, BELOW, FROM, COMPARISONS };

struct condition {
    struct feature feature;
    enum comparison comparison;
    int64_t value;
};

static bool condition_holds(const struct condition *c, int64_t rank)
{
    int64_t x = feature_value(&c->feature, rank);
    return c->comparison == IS       ? x == c->value
           : c->comparison == IS_NOT ? x != c->value
           : c->comparison == BELOW  ? x < c->value
                                     : x >= c->value;
}

static const char *condition_text(const struct fit *fit, const struct condition *c)
{
    static const char *const signs[] = {"==", "!=", "<", ">="};
    const char *value = text_format("%" PRId64, c->value);
    bool whole = c->feature.m == 0 && c->feature.d == 1;
    if (whole && c->value == fit->n - 1 && c->value > 1)
        value = "size - 1";
    return text_format("%s %s %s", feature_text(&c->feature), signs[c->comparison], value);
}

/* Sets *C to the condition of number I; false behind the last. Those that people write come first. */
static bool next_condition(const struct fit *fit, size_t *i, struct condition *c)
{
    static const struct {
        enum comparison comparison;
        int side; /* of the feature's range: 0 its begin, 1 its end, 2 its middle, 3 one behind the begin */
    } forms[] = {{IS, 0}, {IS, 1}, {IS_NOT, 0}, {IS_NOT, 1}, {BELOW, 2}, {FROM, 2}, {IS, 3}, {IS_NOT, 3}};
    enum { FORMS = sizeof forms / sizeof *forms };
    if (*i >= fit->feature_count * FORMS)
        return false;
    const struct feature *f = &fit->features[*i / FORMS];
    int64_t range = f->m ? f->m : fit->n / f->d;
    c->feature = *f;
    c->comparison = forms[*i % FORMS].comparison;
    int side = forms[*i % FORMS].side;
    c->value = side == 0 ? 0 : side == 1 ? range - 1 : side == 2 ? range / 2 : 1;
    ++*i;
    return true;
}

/* Sets *C to the first condition that holds exactly where WANTED, among the ranks that count. */
static bool find_condition(const struct fit *fit, const bool *wanted, const bool *has, struct condition *c)
{
    for (size_t i = 0; next_condition(fit, &i, c);) {
        int64_t r = 0;
        while (r < fit->n && (!has[r] || condition_holds(c, r) == wanted[r]))
            r++;
        if (r == fit->n)
            return true;
    }
    /* a border, or a single rank, anywhere */
    for (int64_t r = 0; r < fit->n; r++)
        for (int k = 0; k < COMPARISONS && r < 4096; k++) {
            *c = (struct condition){{1, 0}, (enum comparison)k, r};
            int64_t q = 0;
            while (q < fit->n && (!has[q] || condition_holds(c, q) == wanted[q]))
                q++;
            if (q == fit->n)
                return true;
        }
    return false;
}

/* ---- pieces ---- */

static const char *fit_pieces(const struct fit *fit, const int64_t *v, const bool *has, int pieces);

/* The ranks that are IN, and the others. */
static const char *fit_split(const struct fit *fit, const int64_t *v, const bool *has, const bool *in, int pieces)
{
    bool *out = generate_alloc((size_t)fit->n), *inner = generate_alloc((size_t)fit->n);
    struct condition c;
    bool some = false, others = false;
    for (int64_t r = 0; r < fit->n; r++) {
        inner[r] = has[r] && in[r];
        out[r] = has[r] && !in[r];
        some = some || inner[r];
        others = others || out[r];
    }
    if (!some || !others || !find_condition(fit, in, has, &c))
        return NULL;
    const char *a = fit_simple(fit, v, inner), *b = a ? fit_pieces(fit, v, out, pieces - 1) : NULL;
    return b ? text_format("(%s ? %s : %s)", condition_text(fit, &c), a, b) : NULL;
}

static const char *fit_pieces(const struct fit *fit, const int64_t *v, const bool *has, int pieces)
{
    const char *found = fit_simple(fit, v, has);
    if (found || pieces == 1)
        return found;
    bool *in = generate_alloc((size_t)fit->n);
    for (int64_t r = 0; r < fit->n && !found; r++) {
        int64_t before = r;
        while (has[r] && number_is_name(v[r]) && before-- > 0)
            if (has[before] && v[before] == v[r])
                break;
        if (!has[r] || !number_is_name(v[r]) || before >= 0)
            continue;
        for (int64_t q = 0; q < fit->n; q++)
            in[q] = has[q] && v[q] == v[r];
        found = fit_split(fit, v, has, in, pieces);
    }
    if (found || fit->n > 1024)
        return found;
    struct condition c;
    for (size_t i = 0; next_condition(fit, &i, &c) && !found;) {
        for (int64_t q = 0; q < fit->n; q++)
            in[q] = condition_holds(&c, q);
        found = fit_split(fit, v, has, in, pieces);
    }
    return found;
}

/* ---- tables ---- */

static const char *make_table(const struct proxy *p, struct text *tables, const struct column_use *use,
                              const int64_t *v, const bool *has)
{
    return text_format("%s[rank]", table_of(p, tables, use, v, has, p->rank_count, "by rank"));
}

const char *column_formula(const struct proxy *p, const int64_t *values, const bool *has)
{
    static struct fit *fit;
    static uint32_t made_for;
    if (!fit || made_for != p->rank_count) {
        fit = generate_alloc(sizeof *fit);
        fit_begin(fit, p);
        made_for = p->rank_count;
    }
    const char *found = NULL;
    for (int pieces = 1; pieces <= PIECES_MAX && !found; pieces++)
        found = fit_pieces(fit, values, has, pieces);
    return found;
}

const char *column_expression(const struct proxy *p, struct text *tables, const struct column_use *use,
                              const int64_t *values, const bool *has)
{
    if (p->options->ranks)
        return ranks_expression(p, use, values, has);
    const char *found = column_formula(p, values, has);
    return found ? found : make_table(p, tables, use, values, has);
}

const char *column_condition(const struct proxy *p, struct text *tables, const struct column_use *use,
                             const bool *holds, const bool *all)
{
    struct fit *fit = generate_alloc(sizeof *fit);
    int64_t *numbers = generate_alloc(p->rank_count * sizeof *numbers);
    struct condition c;
    uint32_t count = 0;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        count += all[r] && !holds[r];
        numbers[r] = holds[r];
    }
    if (count == 0)
        return NULL;
    if (p->options->ranks)
        return ranks_condition(p, use, holds, all);
    fit_begin(fit, p);
    if (find_condition(fit, holds, all, &c))
        return condition_text(fit, &c);
    /* a part of a part */
    bool *within = generate_alloc(p->rank_count);
    struct condition inner;
    for (size_t i = 0; p->rank_count <= 1024 && next_condition(fit, &i, &c);) {
        bool fits = true;
        for (uint32_t r = 0; r < p->rank_count; r++) {
            within[r] = all[r] && condition_holds(&c, r);
            fits = fits && (within[r] || !all[r] || !holds[r]);
        }
        if (fits && find_condition(fit, holds, within, &inner))
            return text_format("%s && %s", condition_text(fit, &c), condition_text(fit, &inner));
    }
    return make_table(p, tables, use, numbers, all);
}
