/* SPDX-License-Identifier: BSD-3-Clause */
/* What text and JSON have in common; see diff_report.h. */
#include "diff_report.h"

#include <stdlib.h>
#include <string.h>

const char *kind_site(const struct diff_report *r, uint32_t kind, unsigned side)
{
    const struct call_kind *k = call_kinds_at(r->comparison->kinds, kind);
    const char *site = k ? k->site[side] : NULL;
    if (k && !site)
        site = k->site[!side];
    return site ? site : "?";
}

const char *kind_via(const struct diff_report *r, uint32_t kind, unsigned side)
{
    const struct call_kind *k = call_kinds_at(r->comparison->kinds, kind), *other;
    const char *via = k && k->via[side] ? k->via[side] : k ? k->via[!side] : NULL;
    for (uint32_t i = 0; via && (other = call_kinds_at(r->comparison->kinds, i)) != NULL; i++)
        if (i != kind && strcmp(other->function, k->function) == 0 && other->failed_poll == k->failed_poll &&
            (other->site[0] || other->site[1]) && strcmp(kind_site(r, i, side), kind_site(r, kind, side)) == 0)
            return via;
    return NULL;
}

unsigned loops_of_where(const struct diff_report *r, const struct diff_where *where,
                        struct loop_around loops[LOOPS_AROUND_MAX], unsigned *side)
{
    struct loop_around found[2][LOOPS_AROUND_MAX];
    unsigned counts[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++)
        if (where->call[i] != NO_CALL && where->walked)
            counts[i] = walked_loops_around(&r->walked[i], r->comparison->sides[i], where->ranks[i], where->thread,
                                            where->call[i], found[i]);
        else if (where->call[i] != NO_CALL && where->group[i] != NO_GROUP)
            counts[i] = loops_around(&r->comparison->sides[i]->groups[where->group[i]], r->comparison->kinds,
                                     where->at[i], found[i]);
    *side = counts[1] > counts[0];
    for (unsigned i = 0; i < counts[*side]; i++)
        loops[i] = found[*side][i];
    return counts[*side];
}

/* Sets *LOOPS to the loops of a thread of the row; to be freed. Returns how many there are. */
static size_t loops_of_row(const struct diff_report *r, const struct first_row *row, int side, struct diff_loop **loops)
{
    const struct diff_where *where = &row->where;
    const struct diff_side *s = r->comparison->sides[side];
    if (where->walked)
        return walked_loops_of(&r->walked[side], s, where->ranks[side], where->thread, loops);
    return loops_of(&s->groups[where->group[side]], r->comparison->kinds, loops);
}

/* Returns the innermost of the loops that begin with KIND; NULL: there is none. */
static const struct diff_loop *innermost(const struct diff_loop *loops, size_t count, uint32_t kind)
{
    const struct diff_loop *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (loops[i].kind == kind && (!found || loops[i].depth > found->depth))
            found = &loops[i];
    return found;
}

/* True if two loops have other iterations. That they are entered more often is the change of another loop. */
static bool trips_differ(const struct diff_loop *a, const struct diff_loop *b)
{
    bool same_each = a->min == b->min && a->max == b->max &&
                     (double)a->total * (double)b->entered == (double)b->total * (double)a->entered;
    return a->total != b->total && !same_each;
}

size_t loop_changes(const struct diff_report *r, const struct first_row *row, struct loop_change **changes)
{
    static const struct diff_loop none;
    struct diff_loop *loops[2] = {NULL, NULL};
    size_t counts[2] = {0, 0}, count = 0;
    *changes = NULL;
    if (!row->where.walked && (row->where.group[0] == NO_GROUP || row->where.group[1] == NO_GROUP))
        return 0;
    for (int side = 0; side < 2; side++)
        counts[side] = loops_of_row(r, row, side, &loops[side]);
    *changes = calloc(counts[0] + counts[1] + 1, sizeof **changes);
    for (int side = 0; side < 2 && *changes; side++)
        for (size_t i = 0; i < counts[side]; i++) {
            const struct diff_loop *own = &loops[side][i], *other = innermost(loops[!side], counts[!side], own->kind);
            bool is_new = innermost(loops[side], counts[side], own->kind) == own && !(side && other);
            const struct diff_loop *a = side ? &none : own, *b = side ? own : other ? other : &none;
            if (is_new && trips_differ(a, b))
                (*changes)[count++] = (struct loop_change){row, {*a, *b}};
        }
    free(loops[0]);
    free(loops[1]);
    return count;
}
