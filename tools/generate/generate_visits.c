/* SPDX-License-Identifier: BSD-3-Clause */
/* What a node did in one rank: a sequence of numbers, stored as one period while it repeats itself.
 *
 * The period of what is stored is its length less that of its longest border (Knuth, Morris, Pratt). If it is short
 * when PREFIX numbers are there, later ones are only compared. If one differs then, all are written out. */
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { PREFIX = 1024, PERIOD_MAX = 512 };

static void store(struct node_visits *v, int64_t what)
{
    if (v->stored == v->capacity) {
        uint64_t capacity = v->capacity ? 2 * v->capacity : 4;
        int64_t *larger = generate_alloc(capacity * sizeof *larger);
        if (v->stored)
            memcpy(larger, v->first, v->stored * sizeof *larger);
        v->first = larger;
        if (v->capacity < PREFIX) {
            uint32_t *border = generate_alloc(capacity * sizeof *border);
            if (v->stored)
                memcpy(border, v->border, v->stored * sizeof *border);
            v->border = border;
        }
        v->capacity = capacity;
    }
    v->first[v->stored] = what;
    if (v->stored < PREFIX) {
        uint32_t b = v->stored ? v->border[v->stored - 1] : 0;
        while (b && v->first[b] != what)
            b = v->border[b - 1];
        v->border[v->stored] = v->stored && v->first[b] == what ? b + 1 : 0;
    }
    v->stored++;
}

void visits_add(struct node_visits *v, int64_t what)
{
    if (v->listed || v->count < PREFIX) {
        store(v, what);
        v->count++;
        return;
    }
    if (v->count == PREFIX)
        v->period = PREFIX - v->border[PREFIX - 1];
    if (v->period > PERIOD_MAX || v->first[v->count % v->period] != what) {
        v->listed = true;
        while (v->stored < v->count)
            store(v, v->first[v->stored % v->period]);
        store(v, what);
    }
    v->count++;
}

int64_t visits_get(const struct node_visits *v, uint64_t k)
{
    return k < v->stored ? v->first[k] : v->first[k % v->period];
}
