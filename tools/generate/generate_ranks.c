/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns for another number of ranks: expressions that hold in the recorded ranks, and say what others would do.
 *
 * Only what has one meaning is taken: the first and the last rank, neighbours in the ring of all ranks, and places in
 * the grids that the program asked MPI for. The grid of the new ranks is the one that MPI_Dims_create makes. What is
 * equal in all ranks stays. All else is told, and no program is written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "generate.h"

enum { GRIDS_MAX = 8, AXES = 8, PLACES_MAX = GRIDS_MAX * AXES + 2, PIECES = 4, TOLD_MAX = 50 };

struct rank_grid {
    size_t axes;
    int64_t dims[AXES], now[AXES]; /* NOW: of the new ranks */
};

/* rank / d % m; m of 0: not taken. */
struct rank_place {
    int64_t d, m, new_d, new_m, range;
    bool parity; /* its ends mean nothing */
};

static struct rank_grid grids[GRIDS_MAX];
static size_t grid_count;

/* ---- grids ---- */

/* Sets DIMS[AT...] to the factors of LEFT, none above MOST, that are nearest to each other; BEST: so far. */
static void balance(int64_t left, int64_t most, size_t at, size_t axes, int64_t *dims, int64_t *best, int64_t *spread)
{
    if (at + 1 == axes) {
        dims[at] = left;
        if (left > most || (*spread >= 0 && dims[0] - left >= *spread))
            return;
        *spread = dims[0] - left;
        memcpy(best, dims, axes * sizeof *best);
        return;
    }
    for (int64_t f = 1; f <= left && f <= most; f++)
        if (left % f == 0) {
            dims[at] = f;
            balance(left / f, f, at + 1, axes, dims, best, spread);
        }
}

/* Returns true if DIMS, where FREE, are those that MPI_Dims_create chooses for RANKS. */
static bool set_dims(int64_t ranks, size_t axes, const bool *is_free, int64_t *dims)
{
    int64_t some[AXES], best[AXES], spread = -1;
    size_t count = 0;
    for (size_t i = 0; i < axes; i++) {
        count += is_free[i];
        if (!is_free[i] && (dims[i] < 1 || ranks % dims[i]))
            return false;
        ranks = is_free[i] ? ranks : ranks / dims[i];
    }
    if (count == 0)
        return ranks == 1;
    balance(ranks, ranks, 0, count, some, best, &spread);
    for (size_t i = 0, k = 0; i < axes; i++)
        dims[i] = is_free[i] ? best[k++] : dims[i];
    return true;
}

void ranks_learn_grid(const struct proxy *p, const struct pilgrim_value *asked, const struct pilgrim_value *given)
{
    struct rank_grid g = {.axes = given->count};
    bool is_free[AXES];
    int64_t product = 1;
    if (!p->options->ranks || given->type != PILGRIM_ARRAY || given->count > AXES || given->count == 0 ||
        (asked && (asked->type != PILGRIM_ARRAY || asked->count != given->count)))
        return;
    for (size_t i = 0; i < g.axes; i++) {
        int64_t own = given->items[i].type == PILGRIM_INT ? given->items[i].integer : 0;
        if (own < 1 || own > p->rank_count)
            return;
        product *= own;
        g.dims[i] = g.now[i] = own;
        is_free[i] = !asked || asked->items[i].integer == 0;
        if (product > p->rank_count)
            return;
    }
    for (size_t i = 0; i < grid_count; i++)
        if (grids[i].axes == g.axes && memcmp(grids[i].dims, g.dims, sizeof g.dims) == 0)
            return;
    int64_t again[AXES];
    memcpy(again, g.dims, sizeof again);
    if (product != p->rank_count || grid_count == GRIDS_MAX || !set_dims(product, g.axes, is_free, again) ||
        memcmp(again, g.dims, g.axes * sizeof *again) || !set_dims(p->options->ranks, g.axes, is_free, g.now))
        return;
    grids[grid_count++] = g;
}

static size_t list_places(const struct proxy *p, struct rank_place *places)
{
    size_t count = 0;
    places[count++] = (struct rank_place){1, 0, 1, 0, p->rank_count, false};
    for (size_t i = 0; i < grid_count; i++) {
        int64_t d = 1, new_d = 1;
        for (size_t k = grids[i].axes; k-- > 0;) {
            const struct rank_grid *g = &grids[i];
            /* an axis of one rank tells nothing */
            if (g->dims[k] > 1 && g->dims[k] < p->rank_count)
                places[count++] =
                    (struct rank_place){d, k ? g->dims[k] : 0, new_d, k ? g->now[k] : 0, g->dims[k], false};
            d *= g->dims[k];
            new_d *= g->now[k];
        }
    }
    if (p->rank_count != 4 && p->options->ranks % 2 == p->rank_count % 2)
        places[count++] = (struct rank_place){1, 2, 1, 2, 2, true};
    return count;
}

static int64_t place_value(const struct rank_place *f, int64_t rank)
{
    return f->m ? rank / f->d % f->m : rank / f->d;
}

static const char *place_text(const struct rank_place *f)
{
    const char *divided = f->new_d == 1 ? "rank" : text_format("rank / %" PRId64, f->new_d);
    return f->m ? text_format("%s %% %" PRId64, divided, f->new_m) : divided;
}

/* True if a number may be the extent of the ranks, or of one of their grids, or one less. */
static bool is_extent(const struct proxy *p, int64_t number)
{
    bool found = number == p->rank_count || number == (int64_t)p->rank_count - 1;
    for (size_t i = 0; i < grid_count; i++)
        for (size_t k = 0; k < grids[i].axes; k++)
            found = found || number == grids[i].dims[k] || number == grids[i].dims[k] - 1;
    return found && number > 1;
}

/* ---- expressions ---- */

struct rank_sample {
    const struct proxy *p;
    int64_t n;
    enum column_meaning meaning;
    struct rank_place places[PLACES_MAX];
    size_t place_count;
};

static const char *sum(const char *text, int64_t c)
{
    if (c == 0)
        return text;
    return c > 0 ? text_format("%s + %" PRId64, text, c) : text_format("%s - %" PRId64, text, -c);
}

/* Sets *C to the distance of the new ranks for a distance of the recorded ones; false: it has no one meaning. */
static bool distance(const struct rank_sample *s, int64_t *c)
{
    int64_t size = *c < 0 ? -*c : *c;
    for (size_t i = 1; i < s->place_count; i++)
        if (!s->places[i].parity && s->places[i].d > 1 && s->places[i].d == size) {
            *c = *c < 0 ? -s->places[i].new_d : s->places[i].new_d;
            return true;
        }
    return 2 * size < s->n;
}

/* A number that all of them have; ONLY: the one rank that has it, or -1. */
static const char *constant(const struct rank_sample *s, int64_t v, int64_t only)
{
    if (s->meaning != COLUMN_RANK || number_is_name(v) || v <= 1)
        return s->meaning == COLUMN_SIZE && v == s->n ? "size" : number_text(s->p, v);
    int64_t c = only >= 0 ? v - only : 0;
    if (only >= 0 && c && (c == 1 || c == -1 || distance(s, &c)))
        return sum("rank", c);
    if (v == s->n - 1)
        return "size - 1";
    return v == s->n - 2 && s->n > 4 ? "size - 2" : NULL;
}

static const char *line(const struct rank_sample *s, const struct rank_place *f, const int64_t *v, const bool *has)
{
    int64_t x0 = 0, v0 = 0, a = 0;
    int found = 0;
    for (int64_t r = 0; r < s->n; r++) {
        if (!has[r])
            continue;
        int64_t x = place_value(f, r);
        if (number_is_name(v[r]) || v[r] > INT64_C(1) << 50 || v[r] < -(INT64_C(1) << 50))
            return NULL;
        if (found == 1 && x != x0) {
            a = (v[r] - v0) / (x - x0);
            found = 2;
        } else if (found == 0) {
            x0 = x;
            v0 = v[r];
            found = 1;
        }
        if (a > INT64_C(1) << 30 || a < -(INT64_C(1) << 30) || v[r] != v0 + a * (x - x0))
            return NULL;
    }
    if (found < 2 || a == 0)
        return NULL;
    int64_t c = v0 - a * x0;
    bool rank = f->d == 1 && f->m == 0;
    const char *x = place_text(f), *factor = rank || a == 1 ? x : text_format("(%s)", x);
    if (rank && a == -1 && (c == s->n || c == s->n - 1))
        return c == s->n ? "size - rank" : "size - 1 - rank";
    if (s->meaning == COLUMN_RANK) {
        if (rank && a == 1)
            return distance(s, &c) ? sum(x, c) : NULL;
        if (a == 1 && c == 0)
            return x;
        return a == f->d && f->m == 0 && c == 0 ? text_format("%s * %" PRId64, x, f->new_d) : NULL;
    }
    return sum(a == 1 ? x : text_format("%s * %" PRId64, factor, a), c);
}

/* A shift on the ring of all ranks, or on an axis. */
static const char *shift(const struct rank_sample *s, const struct rank_place *f, const int64_t *v, const bool *has)
{
    int64_t by = 0, m = f->range;
    bool known = false;
    for (int64_t r = 0; r < s->n; r++) {
        if (!has[r])
            continue;
        int64_t x = place_value(f, r), base = r - x * f->d, to = v[r] - base;
        if (number_is_name(v[r]) || v[r] < 0 || v[r] >= s->n || to < 0 || to % f->d || to / f->d >= m)
            return NULL;
        int64_t own = (to / f->d + m - x) % m;
        if (known && own != by)
            return NULL;
        by = own;
        known = true;
    }
    if (!known || by == 0 || 2 * by == m || m == 2 || f->parity)
        return NULL;
    by = 2 * by < m ? by : by - m;
    int64_t extent = f->new_m ? f->new_m : (int64_t)s->p->options->ranks / f->new_d;
    if ((by < 0 ? -by : by) >= extent && by != 1 && by != -1)
        return NULL;
    if (f->m == 0 && f->d == 1)
        return by > 0 ? text_format("(rank + %" PRId64 ") %% size", by)
                      : text_format("(rank + size - %" PRId64 ") %% size", -by);
    return text_format("torus(%" PRId64 ", %" PRId64 ", %" PRId64 ")", f->new_d, extent, by);
}

static const char *simple(const struct rank_sample *s, const int64_t *v, const bool *has)
{
    bool equal = true, other = true;
    int64_t first = -1, count = 0;
    const char *found = NULL;
    for (int64_t r = 0; r < s->n; r++)
        if (has[r]) {
            first = first < 0 ? r : first;
            equal = equal && v[r] == v[first];
            other = other && !number_is_name(v[r]) && v[r] == (r ^ 1);
            count++;
        }
    if (first < 0)
        return "0";
    if (equal)
        return constant(s, v[first], count == 1 ? first : -1);
    if (s->meaning == COLUMN_FIXED)
        return NULL;
    /* neighbours in a grid before those in the ring: 3 ranks further is the next row of a grid of 3 columns */
    for (size_t i = 0; i < s->place_count && !found; i++)
        found = line(s, &s->places[i], v, has);
    for (size_t i = s->place_count; i-- > 0 && !found;)
        found = shift(s, &s->places[i], v, has);
    if (!found && other && grid_count == 0 && s->n > 4 && s->n % 2 == 0 && s->p->options->ranks % 2 == 0)
        found = "(rank ^ 1)";
    return found;
}

/* ---- conditions ---- */

struct ranks_condition {
    const struct rank_place *place;
    int64_t value;
    bool last, is_not;
};

static bool holds(const struct ranks_condition *c, int64_t rank)
{
    return (place_value(c->place, rank) == c->value) != c->is_not;
}

static bool next_condition(const struct rank_sample *s, size_t *i, struct ranks_condition *c)
{
    size_t at = (*i)++;
    if (at / 4 < s->place_count) {
        const struct rank_place *f = &s->places[at / 4];
        bool last = at % 2 == 1 && !f->parity;
        *c = (struct ranks_condition){f, last ? f->range - 1 : (int64_t)(at % 2), last, at % 4 >= 2};
        return true;
    }
    *c = (struct ranks_condition){&s->places[0], 1, false, at % 2 == 1};
    return at / 4 == s->place_count && at % 4 < 2;
}

static const char *condition_text(const struct rank_sample *s, const struct ranks_condition *c)
{
    const struct rank_place *f = c->place;
    int64_t extent = f->new_m ? f->new_m : (int64_t)s->p->options->ranks / f->new_d;
    bool all = f->d == 1 && f->m == 0;
    const char *value = !c->last ? text_format("%" PRId64, c->value)
                        : all    ? "size - 1"
                                 : text_format("%" PRId64, extent - 1);
    return text_format("%s %s %s", place_text(f), c->is_not ? "!=" : "==", value);
}

static bool find(const struct rank_sample *s, const bool *wanted, const bool *has, struct ranks_condition *c)
{
    for (size_t i = 0; next_condition(s, &i, c);) {
        int64_t r = 0;
        while (r < s->n && (!has[r] || holds(c, r) == wanted[r]))
            r++;
        if (r == s->n)
            return true;
    }
    return false;
}

static const char *pieces(const struct rank_sample *s, const int64_t *v, const bool *has, int most);

static const char *split(const struct rank_sample *s, const int64_t *v, const bool *has,
                         const struct ranks_condition *c, int most)
{
    bool *in = calloc((size_t)s->n, 1), *out = calloc((size_t)s->n, 1), some = false, others = false;
    if (!in || !out)
        generate_fail("not enough memory");
    for (int64_t r = 0; r < s->n; r++) {
        in[r] = has[r] && holds(c, r);
        out[r] = has[r] && !in[r];
        some = some || in[r];
        others = others || out[r];
    }
    const char *a = some && others ? simple(s, v, in) : NULL, *b = a ? pieces(s, v, out, most - 1) : NULL;
    free(in);
    free(out);
    return b ? text_format("(%s ? %s : %s)", condition_text(s, c), a, b) : NULL;
}

static const char *pieces(const struct rank_sample *s, const int64_t *v, const bool *has, int most)
{
    const char *found = simple(s, v, has);
    struct ranks_condition c;
    if (found || most == 1 || s->meaning == COLUMN_FIXED)
        return found;
    /* ranks that have a name, MPI_PROC_NULL, for a number stand at a border */
    for (int64_t r = 0; r < s->n; r++)
        if (has[r] && number_is_name(v[r])) {
            bool *in = calloc((size_t)s->n, 1);
            if (!in)
                generate_fail("not enough memory");
            for (int64_t q = 0; q < s->n; q++)
                in[q] = has[q] && v[q] == v[r];
            bool fits = find(s, in, has, &c);
            free(in);
            return fits ? split(s, v, has, &c, most) : NULL;
        }
    for (size_t i = 0; next_condition(s, &i, &c) && !found;)
        found = split(s, v, has, &c, most);
    return found;
}

/* ---- what does not generalise ---- */

static size_t told;

static const char *place_of(const struct node *n)
{
    while (n->child_count && !n->name)
        n = n->children[0];
    return text_format("%s%s%s", n->name ? n->name : "a call", n->place ? " at " : "",
                       n->place ? text_comment(n->place) : "");
}

static void tell(const struct column_use *use, const char *why)
{
    static const char **lines;
    const char *what = use->node->kind == NODE_LOOP
                           ? text_format("the loop around %s, %s", place_of(use->node), use->argument)
                           : text_format("%s, %s", place_of(use->node), use->argument);
    what = text_format("%s: %s", what, why);
    what = text_intern(what, strlen(what));
    for (size_t i = 0; i < told && i < TOLD_MAX; i++)
        if (lines[i] == what)
            return;
    if (told < TOLD_MAX) {
        lines = generate_grow(lines, told, sizeof *lines);
        lines[told] = what;
        complain("%s", what);
    }
    told++;
}

void ranks_refuse(const struct proxy *p, const struct column_use *use, const char *why)
{
    if (p->options->ranks)
        tell(use, why);
}

/* Returns the first values, as "0, 2, 1, ..." */
static const char *some_values(const struct proxy *p, const int64_t *v, const bool *has)
{
    struct text t = {0};
    size_t count = 0;
    for (uint32_t r = 0; r < p->rank_count && count < 9; r++)
        if (has[r] && ++count < 9)
            text_put(&t, "%s%s", count > 1 ? ", " : "", number_text(p, v[r]));
        else if (has[r])
            text_put(&t, ", ...");
    const char *made = text_format("%s", text_of(&t));
    text_free(&t);
    return made;
}

static struct rank_sample *sample_of(const struct proxy *p, enum column_meaning meaning)
{
    struct rank_sample *s = generate_alloc(sizeof *s);
    s->p = p;
    s->n = p->rank_count;
    s->meaning = meaning;
    s->place_count = list_places(p, s->places);
    return s;
}

/* The extents of a grid. */
static const char *extent(const struct column_use *use, int64_t v)
{
    if (v == 0)
        return "0";
    for (size_t i = 0; i < grid_count; i++)
        if (use->element < grids[i].axes && use->elements == grids[i].axes && grids[i].dims[use->element] == v)
            return text_format("%" PRId64, grids[i].now[use->element]);
    return NULL;
}

const char *ranks_expression(const struct proxy *p, const struct column_use *use, const int64_t *values,
                             const bool *has)
{
    const struct rank_sample *s = sample_of(p, use->meaning);
    const char *found = NULL;
    uint32_t first = 0;
    while (first < p->rank_count && !has[first])
        first++;
    if (first == p->rank_count)
        return "0";
    if (use->meaning == COLUMN_LIST)
        return "0";
    if (use->meaning == COLUMN_EXTENT) {
        bool equal = true;
        for (uint32_t r = first; r < p->rank_count; r++)
            equal = equal && (!has[r] || values[r] == values[first]);
        found = equal ? extent(use, values[first]) : NULL;
    } else {
        found = pieces(s, values, has, PIECES);
    }
    if (!found) {
        tell(use, text_format("in the recorded ranks it is %s: what it is in others is not clear",
                              some_values(p, values, has)));
        return "0";
    }
    char *end;
    int64_t trips = use->meaning == COLUMN_TRIPS ? strtoll(found, &end, 10) : 0;
    if (trips && !*end && is_extent(p, trips))
        tell(use, text_format("%" PRId64 ", which may come from the number of ranks: record another number of trips",
                              trips));
    return found;
}

const char *ranks_formula(const struct proxy *p, const struct column_use *use, const int64_t *values, const bool *has)
{
    bool listed = use->meaning == COLUMN_NUMBER || use->meaning == COLUMN_RANK;
    return listed ? pieces(sample_of(p, use->meaning), values, has, PIECES) : NULL;
}

const char *ranks_condition(const struct proxy *p, const struct column_use *use, const bool *wanted, const bool *all)
{
    const struct rank_sample *s = sample_of(p, COLUMN_NUMBER);
    struct ranks_condition c, inner;
    if (find(s, wanted, all, &c))
        return condition_text(s, &c);
    bool *within = generate_alloc(p->rank_count);
    for (size_t i = 0; next_condition(s, &i, &c);) {
        bool fits = true;
        for (uint32_t r = 0; r < p->rank_count; r++) {
            within[r] = all[r] && holds(&c, r);
            fits = fits && (within[r] || !all[r] || !wanted[r]);
        }
        if (fits && find(s, wanted, within, &inner))
            return text_format("%s && %s", condition_text(s, &c), condition_text(s, &inner));
    }
    struct text t = {0};
    size_t count = 0;
    for (uint32_t r = 0; r < p->rank_count; r++)
        if (wanted[r] && ++count <= 8)
            text_put(&t, "%s%" PRIu32, count > 1 ? ", " : "", r);
    tell(use, text_format("in the recorded ranks it is for %s%s only: for which of others is not clear", text_of(&t),
                          count > 8 ? ", ..." : ""));
    text_free(&t);
    return "1";
}

/* ---- arguments ---- */

struct meaning_row {
    const char *function; /* or how it begins; "": any */
    const char *argument;
    enum column_meaning meaning;
};

static const struct meaning_row meanings[] = {
    {"MPI_Type_create_subarray", "*", COLUMN_FIXED},
    {"MPI_Type_create_darray", "*", COLUMN_FIXED},
    {"MPI_Dims_create", "nnodes", COLUMN_SIZE},
    {"MPI_Dims_create", "dims", COLUMN_EXTENT},
    {"MPI_Cart_create", "dims", COLUMN_EXTENT},
    {"MPI_Cart_map", "dims", COLUMN_EXTENT},
    {"MPI_Neighbor_", "*", COLUMN_NUMBER},
    {"MPI_Ineighbor_", "*", COLUMN_NUMBER},
    {"MPI_Dist_graph_create_adjacent", "*weights", COLUMN_NUMBER},
    {"MPI_Dist_graph_create_adjacent", "sources", COLUMN_RANK},
    {"MPI_Dist_graph_create_adjacent", "destinations", COLUMN_RANK},
    {"", "dest", COLUMN_RANK},
    {"", "source", COLUMN_RANK},
    {"", "root", COLUMN_RANK},
    {"", "rank", COLUMN_RANK},
    {"", "target_rank", COLUMN_RANK},
    {"", "local_leader", COLUMN_RANK},
    {"", "remote_leader", COLUMN_RANK},
    {"", "color", COLUMN_RANK},
    {"", "key", COLUMN_RANK},
    {"", "coords", COLUMN_RANK},
    /* with an element for each rank, or a list of ranks */
    {"", "sendcounts", COLUMN_LIST},
    {"", "recvcounts", COLUMN_LIST},
    {"", "sdispls", COLUMN_LIST},
    {"", "rdispls", COLUMN_LIST},
    {"", "displs", COLUMN_LIST},
    {"", "sendtypes", COLUMN_LIST},
    {"", "recvtypes", COLUMN_LIST},
    {"", "ranks", COLUMN_LIST},
    {"", "ranges", COLUMN_LIST},
    {"", "ranks1", COLUMN_LIST},
    {"", "sources", COLUMN_LIST},
    {"", "destinations", COLUMN_LIST},
    {"", "degrees", COLUMN_LIST},
    {"", "index", COLUMN_LIST},
    {"", "edges", COLUMN_LIST},
};

enum column_meaning ranks_meaning(const char *function, const char *argument)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const struct meaning_row *m = &meanings[i];
        size_t length = strlen(m->argument), own = strlen(argument);
        const char *tail = m->argument + (*m->argument == '*');
        bool same = strcmp(m->argument, argument) == 0 ||
                    (*m->argument == '*' && own >= length - 1 && strcmp(argument + own - (length - 1), tail) == 0);
        if (same && strncmp(function, m->function, strlen(m->function)) == 0)
            return m->meaning;
    }
    return COLUMN_NUMBER;
}

bool ranks_told(void)
{
    if (told > TOLD_MAX)
        complain("and %zu more", told - TOLD_MAX);
    return told > 0;
}
