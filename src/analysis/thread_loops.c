/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and groups the loops of threads; see thread_loops.h.
 *
 * Threads of a structure group without stored loops call the same classes in the same order, so one of them is read for
 * all. With stored loops, each thread is read. If a trace has several segments, each thread is read through all of
 * them: each segment numbers its classes anew.
 *
 * One file: reading a thread and joining it with others share the classes and the times. */
#include "analysis/thread_loops.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/class_walk.h"
#include "analysis/loop_classes.h"

#define NONE SIZE_MAX

/* The loops of one thread of a structure group. */
struct group_loops {
    bool known;
    struct shown_loops alone;
    size_t shown; /* the number, in the list, of the loops it was added to */
};

struct loops_list {
    struct loop_reader reader;
    struct shown_loops *shown;
    size_t count, capacity;
    size_t *table; /* hash table of numbers + 1, with 2 x `capacity` slots; 0: free */
    struct group_loops
        *groups; /* by number of the structure group; only for groups without stored loops, in a trace of one segment */
    size_t group_count;
};

struct loops_list *loops_list_new(const struct pilgrim_trace *trace, bool by_rank)
{
    struct loops_list *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->reader = (struct loop_reader){.trace = trace, .by_rank = by_rank};
    return l;
}

static void shown_free(struct shown_loops *s)
{
    free(s->items);
    free(s->classes);
    free(s->ns);
    free(s->gap_ns);
    free(s->phases);
    free(s->threads);
}

void loops_list_free(struct loops_list *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        shown_free(&l->shown[i]);
    for (size_t i = 0; i < l->group_count; i++)
        shown_free(&l->groups[i].alone);
    loop_reader_free(&l->reader);
    free(l->shown);
    free(l->table);
    free(l->groups);
    free(l);
}

static uint64_t add_hash(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* ---- one thread ---- */

/* Drops items of stored loops, and loops that hold nothing else. False: no memory. */
static bool drop_stored(struct shown_loops *s, const struct loop_class *classes)
{
    size_t count = 0, *slot = calloc(s->count + 1, sizeof *slot); /* first: 1 if the item stays; later: its new index */
    if (!slot)
        return false;
    for (size_t i = s->count; i-- > 0;) {
        const struct nest_item *item = &s->items[i];
        slot[i] = slot[i] || (!item->is_loop && !classes[item->class].is_loop);
        if (slot[i] && item->loop != NEST_NONE)
            slot[item->loop] = 1;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (!slot[i])
            continue;
        size_t next = nest_behind(s->items, s->count, i);
        for (; s->items[i].leads_on && !slot[next]; next = nest_behind(s->items, s->count, next))
            s->items[i].leads_on = s->items[next].leads_on;
        slot[i] = count;
        s->items[count] = s->items[i];
        if (s->items[count].loop != NEST_NONE)
            s->items[count].loop = slot[s->items[count].loop];
        count++;
    }
    s->count = count;
    free(slot);
    return true;
}

static bool is_repeated(const struct nest_item *item)
{
    return !item->is_loop && item->counts.max > 1;
}

/* Numbers the loops, and behind them those of one call. */
static void number_loops(struct shown_loops *s)
{
    uint32_t number = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].is_loop)
            s->items[i].number = s->items[i].number_last = ++number;
    for (size_t i = 0; i < s->count; i++)
        if (is_repeated(&s->items[i]))
            s->items[i].number = s->items[i].number_last = ++number;
}

/* Fills in the classes and the times of the items. ITEM_OF: room, by class. */
static void name_items(struct shown_loops *s, const struct loop_class *classes, size_t class_count, size_t *item_of)
{
    for (size_t i = 0; i < s->count; i++) {
        s->hash = add_hash(s->hash, (uint64_t)s->items[i].depth << 1 | s->items[i].is_loop);
        if (s->items[i].is_loop)
            continue;
        s->classes[i] = &classes[s->items[i].class].class->class;
        s->calls_min += s->items[i].counts.total;
        s->hash = add_hash(s->hash, classes[s->items[i].class].class->hash);
        item_of[s->items[i].class] = i;
    }
    s->calls_max = s->calls_min;
    for (size_t i = 0; i < class_count; i++) {
        const struct loop_class *class = &classes[i];
        const size_t item = item_of[class->shown_as];
        double calls = (double)class->calls;
        if (class->calls == 0)
            continue;
        if (strcmp(class->class->function.name, "MPI_Finalize") != 0) /* it is recorded before it runs */
            s->ns[item] += class->has_ns ? class->all_ns : class->mean_ns * calls;
        s->gap_ns[item] += class->has_gap_ns ? class->all_gap_ns : class->gap_ns * calls;
        if (s->phases)
            phase_texts_add(&s->phases[item], &class->phases);
    }
}

static bool has_markers(const struct loop_classes *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->classes[i].phases.count > 0)
            return true;
    return false;
}

/* Has N see all calls of a thread. */
static enum pilgrim_status see_all(const struct loops_list *l, uint32_t rank, uint32_t thread,
                                   const struct loop_classes *seen, struct nest *n, struct pilgrim_error *error)
{
    struct class_walk *walk;
    enum pilgrim_status status = class_walk_open(l->reader.trace, rank, thread, seen, n, &walk, error);
    if (status == PILGRIM_OK)
        status = class_walk_see(walk, error);
    class_walk_close(walk);
    return status == PILGRIM_OK && !nest_build(n) ? no_memory(error) : status;
}

static enum pilgrim_status find_items(const struct loops_list *l, uint32_t rank, uint32_t thread,
                                      const struct loop_classes *seen, struct nest *n, struct shown_loops *s,
                                      struct pilgrim_error *error)
{
    enum pilgrim_status status = see_all(l, rank, thread, seen, n, error);
    if (status != PILGRIM_OK)
        return status;
    struct class_walk *walk;
    status = class_walk_open(l->reader.trace, rank, thread, seen, n, &walk, error);
    if (status == PILGRIM_OK)
        status = class_walk_count(walk, UINT64_MAX, error);
    class_walk_close(walk);
    if (status != PILGRIM_OK && status != PILGRIM_END)
        return status;
    if (!nest_items(n, &s->items, &s->count) || !drop_stored(s, seen->classes))
        return no_memory(error);
    number_loops(s);
    return PILGRIM_OK;
}

/* Finds the loops of CURSOR's thread; moves the cursor. *S is to be freed, also after an error. */
static enum pilgrim_status read_thread(struct loops_list *l, uint32_t rank, uint32_t thread,
                                       struct pilgrim_cursor *cursor, struct shown_loops *s,
                                       struct pilgrim_error *error)
{
    struct loop_classes seen;
    *s = (struct shown_loops){0};
    enum pilgrim_status status = loop_classes_read(&seen, &l->reader, rank, cursor, error);
    struct nest *n = nest_new(seen.count);
    size_t *item_of = calloc(seen.count + 1, sizeof *item_of);
    if (status == PILGRIM_OK && (!n || !item_of))
        status = no_memory(error);
    if (status == PILGRIM_OK)
        status = find_items(l, rank, thread, &seen, n, s, error);
    if (status == PILGRIM_OK && l->reader.by_rank)
        status = loop_classes_time(&seen, &l->reader, rank, thread, error);
    if (status == PILGRIM_OK) {
        const bool marked = has_markers(&seen);
        s->classes = calloc(s->count + 1, sizeof *s->classes);
        s->ns = calloc(s->count + 1, sizeof *s->ns);
        s->gap_ns = calloc(s->count + 1, sizeof *s->gap_ns);
        s->phases = marked ? calloc(s->count + 1, sizeof *s->phases) : NULL;
        if (s->classes && s->ns && s->gap_ns && (s->phases || !marked))
            name_items(s, seen.classes, seen.count, item_of);
        else
            status = no_memory(error);
    }
    nest_free(n);
    loop_classes_free(&seen);
    free(item_of);
    return status;
}

/* ---- many threads ---- */

static bool same_loops(const struct shown_loops *a, const struct shown_loops *b)
{
    bool same = a->hash == b->hash && a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = a->items[i].depth == b->items[i].depth && a->classes[i] == b->classes[i];
    return same;
}

static void add_number(struct nest_item *to, const struct nest_item *from)
{
    if (from->number && (!to->number || from->number < to->number))
        to->number = from->number;
    if (from->number_last > to->number_last)
        to->number_last = from->number_last;
}

static void add_counts(struct shown_loops *s, const struct shown_loops *other)
{
    for (size_t i = 0; i < s->count; i++) {
        struct nest_counts *to = &s->items[i].counts;
        const struct nest_counts *from = &other->items[i].counts;
        to->times += from->times;
        to->total += from->total;
        to->min = from->min < to->min ? from->min : to->min;
        to->max = from->max > to->max ? from->max : to->max;
        add_number(&s->items[i], &other->items[i]);
        s->items[i].leads_on = s->items[i].leads_on && other->items[i].leads_on;
        s->ns[i] += other->ns[i];
        s->gap_ns[i] += other->gap_ns[i];
        if (s->phases && other->phases)
            phase_texts_add(&s->phases[i], &other->phases[i]);
    }
    s->calls_min = other->calls_min < s->calls_min ? other->calls_min : s->calls_min;
    s->calls_max = other->calls_max > s->calls_max ? other->calls_max : s->calls_max;
}

/* Returns the slot of the loops that equal S, or the free slot where they belong; there is always one. */
static size_t *loops_slot(const struct loops_list *l, const struct shown_loops *s)
{
    size_t i = (size_t)(s->hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (2 * l->capacity);
    while (l->table[i] && !same_loops(&l->shown[l->table[i] - 1], s))
        i = (i + 1) % (2 * l->capacity);
    return &l->table[i];
}

/* Makes room for one more. False: no memory. */
static bool reserve_shown(struct loops_list *l)
{
    if (l->count < l->capacity)
        return true;
    size_t capacity = 2 * l->capacity + 8;
    struct shown_loops *shown = realloc(l->shown, capacity * sizeof *shown);
    if (!shown)
        return false;
    l->shown = shown;
    size_t *table = calloc(2 * capacity, sizeof *table);
    if (!table)
        return false;
    free(l->table);
    l->table = table;
    l->capacity = capacity;
    for (size_t i = 0; i < l->count; i++)
        *loops_slot(l, &shown[i]) = i + 1;
    return true;
}

/* Adds S to the loops that equal it, or appends it; returns their number, or NONE if there is no memory. Takes over
 * what S holds; if only counts are added, frees it. */
static size_t find_shown(struct loops_list *l, struct shown_loops *s)
{
    if (!reserve_shown(l)) {
        shown_free(s);
        return NONE;
    }
    size_t *slot = loops_slot(l, s);
    if (*slot) {
        add_counts(&l->shown[*slot - 1], s);
        shown_free(s);
    } else {
        l->shown[l->count++] = *s;
        *slot = l->count;
    }
    return *slot - 1;
}

static bool add_thread(struct shown_loops *s, uint32_t rank, uint32_t thread)
{
    if (s->thread_count == s->thread_capacity) {
        size_t capacity = 2 * s->thread_capacity + 8;
        struct shown_thread *grown = realloc(s->threads, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->threads = grown;
        s->thread_capacity = capacity;
    }
    s->threads[s->thread_count++] = (struct shown_thread){rank, thread};
    return true;
}

/* Returns the entry of structure group NUMBER. NULL: no memory. */
static struct group_loops *find_group(struct loops_list *l, uint32_t number)
{
    if (number >= l->group_count) {
        size_t count = (size_t)number + 1 + l->group_count;
        struct group_loops *grown = realloc(l->groups, count * sizeof *grown);
        if (!grown)
            return NULL;
        memset(grown + l->group_count, 0, (count - l->group_count) * sizeof *grown);
        l->groups = grown;
        l->group_count = count;
    }
    return &l->groups[number];
}

static bool copy_shown(struct shown_loops *to, const struct shown_loops *from)
{
    *to = *from;
    to->items = malloc((from->count + 1) * sizeof *to->items);
    to->classes = malloc((from->count + 1) * sizeof *to->classes);
    to->ns = malloc((from->count + 1) * sizeof *to->ns);
    to->gap_ns = malloc((from->count + 1) * sizeof *to->gap_ns);
    to->phases = from->phases ? malloc((from->count + 1) * sizeof *to->phases) : NULL;
    if (!to->items || !to->classes || !to->ns || !to->gap_ns || (from->phases && !to->phases))
        return false;
    memcpy(to->items, from->items, from->count * sizeof *to->items);
    memcpy(to->classes, from->classes, from->count * sizeof *to->classes);
    memcpy(to->ns, from->ns, from->count * sizeof *to->ns);
    memcpy(to->gap_ns, from->gap_ns, from->count * sizeof *to->gap_ns);
    if (to->phases)
        memcpy(to->phases, from->phases, from->count * sizeof *to->phases);
    return true;
}

/* Sets *GROUP to the entry of the structure group of CURSOR's thread; to NULL if its threads cannot share loops. */
static enum pilgrim_status group_of(struct loops_list *l, const struct pilgrim_cursor *cursor,
                                    struct group_loops **group, struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    *group = NULL;
    pilgrim_thread_info(cursor, &info);
    if (!loop_reader_alike(&l->reader, &info))
        return PILGRIM_OK;
    *group = find_group(l, info.structure_group);
    return *group ? PILGRIM_OK : no_memory(error);
}

/* Adds the texts of the markers of CURSOR's thread, whose loops equal S. */
static enum pilgrim_status add_markers(struct loops_list *l, struct pilgrim_cursor *cursor, struct shown_loops *s,
                                       struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    pilgrim_thread_info(cursor, &thread);
    for (size_t k = 0; k < thread.class_count; k++) {
        struct phase_texts texts = {0};
        struct pilgrim_class_info info;
        enum pilgrim_status status = phase_texts_read(&l->reader.markers, cursor, k, &texts, error);
        if (status != PILGRIM_OK)
            return status;
        if (texts.count == 0 || pilgrim_class_info(cursor, k, &info) != PILGRIM_OK)
            continue;
        struct class_copy *copy = copy_class(&l->reader.classes, info.class_);
        if (!copy)
            return no_memory(error);
        for (size_t i = 0; i < s->count; i++)
            if (s->classes[i] == &copy->class)
                phase_texts_add(&s->phases[i], &texts);
    }
    return PILGRIM_OK;
}

/* Adds the loops of CURSOR's thread, and sets *NUMBER to the number of those it was added to. */
static enum pilgrim_status add_loops(struct loops_list *l, uint32_t rank, uint32_t thread,
                                     struct pilgrim_cursor *cursor, size_t *number, struct pilgrim_error *error)
{
    struct group_loops *group;
    struct shown_loops s;
    enum pilgrim_status status = group_of(l, cursor, &group, error);
    if (status != PILGRIM_OK)
        return status;
    if (group && group->known) {
        *number = group->shown;
        add_counts(&l->shown[*number], &group->alone);
        return group->alone.phases ? add_markers(l, cursor, &l->shown[*number], error) : PILGRIM_OK;
    }
    status = read_thread(l, rank, thread, cursor, &s, error);
    if (status == PILGRIM_OK && group && !copy_shown(&group->alone, &s))
        status = no_memory(error);
    if (status != PILGRIM_OK) {
        shown_free(&s);
        return status;
    }
    *number = find_shown(l, &s);
    if (*number == NONE)
        return no_memory(error);
    if (group) {
        group->known = true;
        group->shown = *number;
    }
    return PILGRIM_OK;
}

/* Returns the loops of the structure group of a thread, if all that is to be added is known without a cursor; NULL: it
 * is not. */
static const struct group_loops *known_group(const struct loops_list *l, uint32_t rank, uint32_t thread)
{
    struct pilgrim_error ignored;
    uint32_t number;
    if (l->reader.by_rank || pilgrim_segment_count(l->reader.trace) != 1 ||
        pilgrim_thread_group(l->reader.trace, rank, thread, &number, &ignored) != PILGRIM_OK ||
        number >= l->group_count)
        return NULL;
    const struct group_loops *group = &l->groups[number];
    return group->known && !group->alone.phases ? group : NULL;
}

enum pilgrim_status loops_list_add(struct loops_list *l, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    size_t number = NONE;
    struct pilgrim_cursor *cursor;
    const struct group_loops *known = known_group(l, rank, thread);
    if (known) {
        add_counts(&l->shown[known->shown], &known->alone);
        return add_thread(&l->shown[known->shown], rank, thread) ? PILGRIM_OK : no_memory(error);
    }
    enum pilgrim_status status = pilgrim_cursor_open(l->reader.trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    status = add_loops(l, rank, thread, cursor, &number, error);
    pilgrim_cursor_close(cursor);
    if (status == PILGRIM_OK && !add_thread(&l->shown[number], rank, thread))
        status = no_memory(error);
    return status;
}

const struct shown_loops *loops_list_shown(const struct loops_list *l, size_t i)
{
    return i < l->count ? &l->shown[i] : NULL;
}

/* ---- places in loops ---- */

struct loop_places {
    struct loops_list *list;
    struct loop_classes seen;
    struct nest *whole, *now; /* one has counted all calls, the other those before `next` */
    struct nest_item *items;
    size_t item_count;
    size_t *item_of; /* by loop */
    uint64_t *most;  /* iterations, by loop */
    size_t count;
    struct class_walk *walk; /* of `now` */
    uint64_t next;           /* the call behind those that were counted */
};

/* Has NOW see all calls, and WHOLE count them. */
static enum pilgrim_status prepare_places(struct loop_places *p, uint32_t rank, uint32_t thread,
                                          struct pilgrim_error *error)
{
    struct shown_loops s = {0};
    enum pilgrim_status status = find_items(p->list, rank, thread, &p->seen, p->whole, &s, error);
    if (status == PILGRIM_OK)
        status = see_all(p->list, rank, thread, &p->seen, p->now, error);
    p->items = s.items;
    p->item_count = s.count;
    p->item_of = calloc(s.count + 1, sizeof *p->item_of);
    p->most = calloc(s.count + 1, sizeof *p->most);
    if (status == PILGRIM_OK && (!p->most || !p->item_of))
        status = no_memory(error);
    for (size_t i = 0; status == PILGRIM_OK && i < s.count; i++)
        if (s.items[i].number) {
            const size_t loop = s.items[i].number - 1;
            p->item_of[loop] = i;
            p->most[loop] = s.items[i].counts.max;
            p->count++;
        }
    return status;
}

enum pilgrim_status loop_places_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                     struct loop_places **places, struct pilgrim_error *error)
{
    struct loop_places *p = calloc(1, sizeof *p);
    *places = NULL;
    if (!p)
        return no_memory(error);
    struct pilgrim_cursor *cursor = NULL;
    p->list = loops_list_new(trace, false);
    enum pilgrim_status status = p->list ? pilgrim_cursor_open(trace, rank, thread, &cursor, error) : no_memory(error);
    if (status == PILGRIM_OK)
        status = loop_classes_read(&p->seen, &p->list->reader, rank, cursor, error);
    pilgrim_cursor_close(cursor);
    if (status == PILGRIM_OK) {
        p->whole = nest_new(p->seen.count);
        p->now = nest_new(p->seen.count);
        status = p->whole && p->now ? prepare_places(p, rank, thread, error) : no_memory(error);
    }
    if (status == PILGRIM_OK)
        status = class_walk_open(trace, rank, thread, &p->seen, p->now, &p->walk, error);
    if (status == PILGRIM_OK)
        *places = p;
    else
        loop_places_close(p);
    return status;
}

void loop_places_close(struct loop_places *p)
{
    if (!p)
        return;
    class_walk_close(p->walk);
    nest_free(p->whole);
    nest_free(p->now);
    loop_classes_free(&p->seen);
    loops_list_free(p->list);
    free(p->items);
    free(p->item_of);
    free(p->most);
    free(p);
}

size_t loop_places_count(const struct loop_places *p)
{
    return p->count;
}

uint64_t loop_places_most(const struct loop_places *p, size_t loop)
{
    return loop > 0 && loop <= p->count ? p->most[loop - 1] : 0;
}

bool loop_places_shape(const struct loop_places *p, size_t loop, struct loop_shape *shape)
{
    if (loop == 0 || loop > p->count)
        return false;
    const struct nest_item *item = &p->items[p->item_of[loop - 1]];
    size_t first = p->item_of[loop - 1] + item->is_loop;
    *shape = (struct loop_shape){.entries = item->counts.times, .iterations = item->counts.total};
    for (size_t i = 0; item->loop != NEST_NONE && i < p->count; i++)
        if (p->item_of[i] == item->loop)
            shape->parent = i + 1;
    while (first < p->item_count && p->items[first].is_loop)
        first++;
    if (first < p->item_count)
        shape->first = &p->seen.classes[p->items[first].class].class->class;
    return true;
}

uint64_t loop_places_before(const struct loop_places *p, size_t loop)
{
    const struct nest_item *item = &p->items[p->item_of[loop - 1]];
    return item->is_loop ? nest_iterations_before(p->now, p->whole, item->region)
                         : nest_before_run(p->now, item->class);
}

/* Returns the iteration of LOOP that the last call is in; 0: it is not in it. */
static uint64_t iteration_of(const struct loop_places *p, size_t loop)
{
    const struct nest_item *item = &p->items[p->item_of[loop - 1]];
    return item->is_loop ? nest_iteration(p->now, p->whole, item->region) : nest_run(p->now, item->class);
}

enum pilgrim_status loop_places_find(struct loop_places *p, size_t loop, uint64_t seq, uint64_t *iteration,
                                     struct pilgrim_error *error)
{
    *iteration = 0;
    if (p->next <= seq) {
        enum pilgrim_status status = class_walk_count(p->walk, seq + 1, error);
        if (status != PILGRIM_OK)
            return status;
        p->next = seq + 1;
    }
    if (loop > 0 && loop <= p->count)
        *iteration = iteration_of(p, loop);
    return PILGRIM_OK;
}

/* ---- chosen iterations ---- */

struct wished_places {
    const struct loop_places *p;
    const struct loop_wish *wish;
};

static uint64_t wished_from(const struct loop_wish *wish, uint64_t iteration)
{
    return wish->from(wish->context, iteration);
}

static bool is_wished(void *context)
{
    const struct wished_places *w = context;
    for (size_t i = 0; i < w->wish->count; i++) {
        const uint64_t iteration = iteration_of(w->p, w->wish->loops[i]);
        if (iteration && wished_from(w->wish, iteration) == iteration)
            return true;
    }
    return false;
}

/* Only a loop of that call gets further. */
static uint64_t calls_to_wish(void *context)
{
    const struct wished_places *w = context;
    uint64_t calls = UINT64_MAX;
    for (size_t i = 0; i < w->wish->count; i++) {
        const size_t loop = w->wish->loops[i];
        const uint64_t iteration = iteration_of(w->p, loop), next = wished_from(w->wish, iteration + 1);
        if (!w->p->items[w->p->item_of[loop - 1]].is_loop && iteration && next - iteration - 1 < calls)
            calls = next - iteration - 1;
    }
    return calls;
}

static void mark_iterations(void *context, uint64_t *now)
{
    const struct wished_places *w = context;
    for (size_t i = 0; i < w->wish->count; i++)
        now[i] = iteration_of(w->p, w->wish->loops[i]);
}

/* A loop that is entered in each stretch has the same iterations in each. */
static uint64_t stretches_to_wish(void *context, const uint64_t *before)
{
    const struct wished_places *w = context;
    uint64_t stretches = UINT64_MAX;
    for (size_t i = 0; i < w->wish->count; i++) {
        const uint64_t now = iteration_of(w->p, w->wish->loops[i]), next = wished_from(w->wish, now + 1);
        const uint64_t sure = now > before[i] ? (next - now - 1) / (now - before[i]) : UINT64_MAX;
        stretches = sure < stretches ? sure : stretches;
    }
    return stretches;
}

enum pilgrim_status loop_places_next(struct loop_places *p, uint64_t at, const struct loop_wish *wish, uint64_t *seq,
                                     struct pilgrim_error *error)
{
    struct wished_places wished = {p, wish};
    const struct class_goal goal = {&wished, is_wished, calls_to_wish, wish->count, mark_iterations, stretches_to_wish};
    enum pilgrim_status status = PILGRIM_OK;
    *seq = at;
    if (at > p->next)
        status = class_walk_count(p->walk, at, error);
    else if (at < p->next && is_wished(&wished))
        return PILGRIM_OK;
    if (status != PILGRIM_OK)
        return status;
    p->next = at > p->next ? at : p->next;
    status = class_walk_find(p->walk, &goal, seq, error);
    if (status == PILGRIM_OK)
        p->next = *seq + 1;
    return status;
}
