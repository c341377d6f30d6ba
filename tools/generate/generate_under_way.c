/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of requests without their numbers, and requests that MPI chose from.
 *
 * A program that sends to those neighbours that it has puts requests into an array one after the other, and waits for
 * as many. So which operation's request is element 3 differs from rank to rank. If MPI_Waitall completes all that are
 * under way of those that it ever completes, and there is one order that all ranks keep, the generated program collects
 * those that are under way, in that order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "generate_state.h"
#include "generate_tables.h"

enum { PLACES_MAX = 4096, SHORT = 8 };

/* What comes before what: places by their order of coming, until they are sorted. */
struct places {
    int64_t *numbers;
    size_t count;
    unsigned char *before; /* of PLACES_MAX / 8 bytes each: by index, which others come before it */
};

static int64_t place_number(const struct proxy *p, int64_t raw)
{
    return p->requests[raw >> 20].base + (raw & ((1 << 20) - 1));
}

/* Returns the index of a place; PLACES_MAX: there are too many. */
static size_t index_of(struct places *places, int64_t number)
{
    size_t i = 0;
    while (i < places->count && places->numbers[i] != number)
        i++;
    if (i == places->count && i < PLACES_MAX)
        places->numbers[places->count++] = number;
    return i;
}

/* Adds what a row says. False: it does not fit. */
static bool add_row(const struct proxy *p, struct places *places, const char *key, const int64_t *numbers, size_t count)
{
    size_t last = PLACES_MAX, used = 0;
    while (used < count && numbers[used] >= 0)
        used++;
    for (size_t i = used; i < count; i++)
        if (numbers[i] >= 0)
            return false;
    for (size_t i = 0; i < used; i++) {
        if (p->requests[numbers[i] >> 20].completer != key)
            return false;
        const size_t own = index_of(places, place_number(p, numbers[i]));
        if (own == PLACES_MAX || own == last)
            return false;
        if (last < PLACES_MAX)
            places->before[own * (PLACES_MAX / 8) + last / 8] |= (unsigned char)(1 << last % 8);
        last = own;
    }
    return true;
}

static bool is_before(const struct places *places, size_t one, size_t other)
{
    return places->before[other * (PLACES_MAX / 8) + one / 8] >> one % 8 & 1;
}

/* Sets ORDER to the places, each behind those that come before it. False: there is no such order. */
static bool sort(const struct places *places, int64_t *order)
{
    bool *done = generate_alloc(places->count + 1);
    for (size_t n = 0; n < places->count; n++) {
        size_t best = places->count;
        for (size_t i = 0; i < places->count; i++) {
            bool free = !done[i] && (best == places->count || places->numbers[i] < places->numbers[best]);
            for (size_t k = 0; k < places->count && free; k++)
                free = done[k] || !is_before(places, k, i);
            best = free ? i : best;
        }
        if (best == places->count)
            return false;
        done[best] = true;
        order[n] = places->numbers[best];
    }
    return true;
}

static const char *short_list(const int64_t *order, size_t count)
{
    struct text list = {0};
    for (size_t i = 0; i < count; i++)
        text_put(&list, "%s%" PRId64, i ? ", " : "", order[i]);
    return text_format("(const int[]){%s}", text_of(&list));
}

const char *requests_under_way(const struct proxy *p, struct text *tables, const struct node *node,
                               const struct form *form, size_t hole, size_t count)
{
    const char *key = request_key(node->name, node->place);
    struct places places = {.numbers = calloc(PLACES_MAX, sizeof(int64_t)),
                            .before = calloc(PLACES_MAX, PLACES_MAX / 8)};
    int64_t *order = calloc(PLACES_MAX, sizeof *order);
    bool fits = places.numbers && places.before && order && strcmp(node->name, "MPI_Waitall") == 0;
    const char *list = NULL;
    key = text_intern(key, strlen(key));
    for (uint32_t r = 0; fits && r < p->rank_count; r++) {
        const struct node_visits *v = node->ranks[r];
        for (uint64_t k = 0; v && fits && k < v->stored; k++) {
            const struct filled_form *row = proxy_row(v->first[k]);
            const bool again = k && v->first[k] == v->first[k - 1];
            if (!again && row->form->text == form->text)
                fits = add_row(p, &places, key, row->numbers + hole, count);
        }
    }
    if (fits && places.count && sort(&places, order)) {
        const struct column_use use = {.node = node, .argument = "requests"};
        const char *table = places.count > SHORT
                                ? table_of(p, tables, &use, order, NULL, places.count, "in their order")
                                : short_list(order, places.count);
        list = text_format("under_way(%zu, %zu, %s)", count, places.count, table);
    }
    free(order);
    free(places.before);
    free(places.numbers);
    return list;
}

/* True if MPI chooses when some of the requests end that the form has. */
static bool is_left_to_mpi(const struct proxy *p, const struct form *form, const struct filled_form *row)
{
    size_t hole = 0;
    for (const char *at = form->text; *at; at++) {
        const bool list = *at == HOLE_REQUESTS, request = list || *at == HOLE_REQUEST;
        if (!request && *at != HOLE && *at != HOLE_TEXT)
            continue;
        const size_t end = hole + (list ? strtoul(at + 1, NULL, 10) : 1);
        for (; hole < end; hole++)
            if (request && row->numbers[hole] >= 0 && p->requests[row->numbers[hole] >> 20].chosen)
                return true;
        at += list ? strcspn(at, ";") : 0;
    }
    return false;
}

const char *requests_started(const struct proxy *p, const struct node *node, const struct form *form, const char *call)
{
    const bool all = strcmp(node->name, "MPI_Startall") == 0;
    bool chosen = false;
    if (!all && strcmp(node->name, "MPI_Start") != 0)
        return call;
    for (uint32_t r = 0; r < p->rank_count && !chosen; r++) {
        const struct node_visits *v = node->ranks[r];
        for (uint64_t k = 0; v && k < v->stored && !chosen; k++) {
            const struct filled_form *row = proxy_row(v->first[k]);
            chosen = row->form->text == form->text && is_left_to_mpi(p, form, row);
        }
    }
    const char *begin = strstr(call, all ? "MPI_Startall(" : "MPI_Start("), *end = begin ? strstr(begin, ");") : NULL;
    const char *requests = !begin ? NULL : all ? strstr(begin, ", ") : strchr(begin, '(');
    if (!chosen || !end || !requests || requests > end)
        return call;
    const char *count = all ? begin + strlen("MPI_Startall(") : "1";
    requests += all ? 2 : 1;
    return text_format("%.*sidle(%.*s, %.*s)%s", (int)(requests - call), call, (int)strcspn(count, ","), count,
                       (int)(end - requests), requests, end);
}
