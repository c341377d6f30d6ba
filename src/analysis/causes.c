/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders events; see causes.h. */
#include "analysis/causes.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS_ALL = 1 << 22,
    STEPS_LEAST = 512,
    STEPS_MOST = 1 << 14,
    STEPS_A_POINT = 4,
    QUEUED_MOST = 1 << 22,
    ITEMS_FIRST = 16
};

/* A stretch of time, or an event. */
struct cause_item {
    struct cause_event *event;
    uint64_t ns;
    uint32_t class;
};

/* ---- events ---- */

struct cause_event *cause_event_new(void)
{
    struct cause_event *event = calloc(1, sizeof *event);
    if (event)
        event->references = 1;
    return event;
}

static void drop_dependencies(struct causes *c, struct cause_event *event)
{
    struct cause_dependency *dependencies = event->dependencies;
    const size_t count = event->dependency_count;
    event->dependencies = NULL;
    event->dependency_count = event->dependency_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        cause_event_drop(c, dependencies[i].event);
        cause_hub_drop(c, dependencies[i].hub);
    }
    free(dependencies);
}

static void drop_late(struct causes *c, struct cause_event *event)
{
    struct cause_event *late = event->late;
    event->late = NULL;
    cause_event_drop(c, late);
}

void cause_event_drop(struct causes *c, struct cause_event *event)
{
    if (!event || --event->references > 0)
        return;
    drop_dependencies(c, event);
    drop_late(c, event);
    path_release(&c->tree, event->path);
    free(event);
}

struct cause_hub *cause_hub_new(void)
{
    struct cause_hub *hub = calloc(1, sizeof *hub);
    if (hub)
        hub->references = 1;
    return hub;
}

bool cause_hub_add(struct cause_hub *hub, struct cause_event *event)
{
    if (hub->count == hub->capacity) {
        const size_t capacity = hub->capacity ? 2 * hub->capacity : 8;
        struct cause_event **events = realloc(hub->events, capacity * sizeof *events);
        if (!events)
            return false;
        hub->events = events;
        hub->capacity = capacity;
    }
    event->references++;
    hub->events[hub->count++] = event;
    return true;
}

void cause_hub_drop(struct causes *c, struct cause_hub *hub)
{
    if (!hub || --hub->references > 0)
        return;
    for (size_t i = hub->done; i < hub->count; i++)
        cause_event_drop(c, hub->events[i]);
    free(hub->events);
    free(hub);
}

bool cause_depends(struct cause_event *event, struct cause_event *on, struct cause_hub *hub)
{
    if (event->dependency_count == event->dependency_capacity) {
        const size_t capacity = event->dependency_capacity ? 2 * event->dependency_capacity : 2;
        struct cause_dependency *dependencies = realloc(event->dependencies, capacity * sizeof *dependencies);
        if (!dependencies)
            return false;
        event->dependencies = dependencies;
        event->dependency_capacity = capacity;
    }
    if (on)
        on->references++;
    if (hub)
        hub->references++;
    event->dependencies[event->dependency_count++] = (struct cause_dependency){.event = on, .hub = hub};
    return true;
}

/* ---- a thread's queue ---- */

static struct cause_item *item_at(const struct cause_thread *t, uint64_t position)
{
    return &t->items[position & (t->capacity - 1)];
}

static bool push(struct causes *c, struct cause_thread *t, struct cause_item item)
{
    if (t->tail > t->head && !item.event) {
        struct cause_item *last = item_at(t, t->tail - 1);
        if (!last->event && last->class == item.class) {
            last->ns += item.ns;
            return true;
        }
    }
    if (t->tail - t->head == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : ITEMS_FIRST;
        struct cause_item *items = malloc(capacity * sizeof *items);
        if (!items)
            return false;
        for (uint64_t i = t->head; i < t->tail; i++)
            items[i & (capacity - 1)] = *item_at(t, i);
        free(t->items);
        t->items = items;
        t->capacity = capacity;
    }
    *item_at(t, t->tail++) = item;
    c->queued++;
    return true;
}

static void make_ready(struct causes *c, uint32_t thread)
{
    if (!c->threads[thread].ready) {
        c->threads[thread].ready = true;
        c->ready[c->ready_count++] = thread;
    }
}

/* ---- what happens ---- */

/* The thread spends NS in CLASS. */
static bool spend(struct causes *c, struct cause_thread *t, uint32_t class, uint64_t ns, bool on_path)
{
    const uint64_t number = (uint64_t)(t - c->threads);
    if (class >= c->classes) {
        const size_t classes = 2 * (size_t) class + 64;
        uint64_t *by_class = realloc(c->by_class, classes * sizeof *by_class);
        if (!by_class)
            return false;
        memset(by_class + c->classes, 0, (classes - c->classes) * sizeof *by_class);
        c->by_class = by_class;
        c->classes = classes;
    }
    c->by_class[class] += ns;
    if (!delay_log_add(&t->log, c->steps_most, class, ns, NULL))
        return false;
    return !on_path || path_add(&c->tree, &t->path, number << 32 | class, ns);
}

static void wake(struct causes *c, struct cause_event *event)
{
    uint32_t sleeper = event->sleeper;
    event->sleeper = 0;
    while (sleeper) {
        struct cause_thread *t = &c->threads[sleeper - 1];
        make_ready(c, sleeper - 1);
        t->asleep = NULL;
        sleeper = t->next_sleeper;
        t->next_sleeper = 0;
    }
}

static void enter(struct causes *c, struct cause_thread *t, struct cause_event *event)
{
    event->entered = true;
    event->position = delay_log_mark(&t->log);
    event->ideal_ns = t->ideal_ns;
    if (event->references > 1)
        event->path = path_hold(t->path);
    wake(c, event);
}

/* Returns what an event still needs; NULL: nothing. */
static struct cause_event *needed(struct causes *c, struct cause_event *event)
{
    for (size_t i = 0; i < event->dependency_count; i++) {
        struct cause_dependency *on = &event->dependencies[i];
        if (on->event && !on->event->entered)
            return on->event;
        for (struct cause_hub *hub = on->hub; hub && hub->done < hub->count; hub->done++) {
            struct cause_event *one = hub->events[hub->done];
            if (!one->entered)
                return one;
            hub->ideal_ns = one->ideal_ns > hub->ideal_ns ? one->ideal_ns : hub->ideal_ns;
            cause_event_drop(c, one);
        }
    }
    return event->late && !event->late->entered ? event->late : NULL;
}

/* EVENT waited: for what, and where the way goes on from. */
static bool waited(struct causes *c, struct cause_thread *t, struct cause_event *event)
{
    const uint32_t thread = (uint32_t)(t - c->threads), mpi = delay_class(event->site, true);
    const struct cause_event *late = event->late;
    struct cause_thread *other = &c->threads[late->thread];
    struct delay_roots *roots = delays_find(&c->scratch, &t->log, &other->log, late->thread, late->position,
                                            delay_class(late->site, false), event->wait_ns);
    if (!roots)
        return false;
    const uint64_t took = event->leave_ns - event->enter_ns; /* as rounded: it may have waited longer */
    if (!c->found(c->context, event, roots) ||
        !spend(c, t, mpi, took > event->wait_ns ? took - event->wait_ns : 0, false)) {
        free(roots);
        return false;
    }
    if (!delay_log_add(&t->log, c->steps_most, 0, event->wait_ns, roots)) {
        free(roots);
        return false;
    }
    t->wait_ns += event->wait_ns;
    if (!delay_log_point(&t->log, c->points_most, late->enter_ns, late->number, delay_log_mark(&t->log)) ||
        !delay_log_point(&other->log, c->points_most, late->enter_ns, late->number, late->position))
        return false;
    /* The way of the one that was late leads here. It cannot have begun after this event's end: if the clocks say so,
     * by no more than their error, what it did before was that much shorter, so that the way is as long as the time. */
    const uint64_t early = late->enter_ns > event->leave_ns ? late->enter_ns - event->leave_ns : 0;
    if (early > event->error_ns || early > late->gap_ns)
        return path_add(&c->tree, &t->path, (uint64_t)thread << 32 | mpi, event->leave_ns - event->enter_ns);
    struct way_node *own = t->path;
    t->path = path_hold(late->path);
    path_release(&c->tree, own);
    if (early) /* sums of one key are added up, whichever nodes they are in, so this one may be below 0 */
        return path_add(&c->tree, &t->path, (uint64_t)late->thread << 32 | delay_class(late->site, false), 0 - early);
    return path_add(&c->tree, &t->path, (uint64_t)thread << 32 | mpi, event->leave_ns - late->enter_ns);
}

static bool leave(struct causes *c, struct cause_thread *t, struct cause_event *event)
{
    for (size_t i = 0; i < event->dependency_count; i++) {
        const struct cause_dependency *on = &event->dependencies[i];
        const uint64_t ideal = on->event ? on->event->ideal_ns : on->hub->ideal_ns;
        t->ideal_ns = ideal > t->ideal_ns ? ideal : t->ideal_ns;
    }
    const bool told = !event->aside_ns || c->found(c->context, event, NULL);
    const bool good =
        told && event->wait_ns && event->late && event->late->entered
            ? waited(c, t, event)
            : told && spend(c, t, delay_class(event->site, true), event->leave_ns - event->enter_ns, true);
    drop_dependencies(c, event);
    if (event->resolved)
        drop_late(c, event);
    event->left = true; /* not resolved: the caller does not yet have its wait, and asks for what it is late for then */
    return good;
}

/* Goes on with a thread as far as possible. FORCED: its first event goes on without what it needs. */
static bool advance(struct causes *c, uint32_t number, bool forced)
{
    struct cause_thread *t = &c->threads[number];
    for (; t->head < t->tail && !t->asleep; forced = false) {
        const struct cause_item item = *item_at(t, t->head);
        if (!item.event) {
            if (!spend(c, t, item.class, item.ns, true))
                return false;
            if (item.class % 2 == 0)
                t->ideal_ns += item.ns;
        } else {
            struct cause_event *event = item.event, *on;
            if (!event->entered)
                enter(c, t, event);
            if (!event->resolved && !forced)
                return true;
            if ((on = needed(c, event)) != NULL && !forced) {
                t->next_sleeper = on->sleeper;
                on->sleeper = number + 1;
                t->asleep = on;
                return true;
            }
            c->forced += forced;
            if (!leave(c, t, event))
                return false;
            event->resolved = true;
            cause_event_drop(c, event);
        }
        t->head++;
        c->queued--;
    }
    return true;
}

/* Joins nodes of ways, if there are many. */
static bool join_paths(struct causes *c)
{
    if (c->tree.nodes < 2 * c->tree.nodes_last + 4 * (size_t)c->thread_count + 1024)
        return true;
    c->tree.turn++;
    for (uint32_t i = 0; i < c->thread_count; i++)
        if (!path_join(&c->tree, c->threads[i].path))
            return false;
    c->tree.nodes_last = c->tree.nodes;
    return true;
}

static bool advance_all(struct causes *c)
{
    while (c->ready_count) {
        const uint32_t thread = c->ready[--c->ready_count];
        c->threads[thread].ready = false;
        if (!advance(c, thread, false))
            return false;
    }
    return join_paths(c);
}

/* Takes a thread out of the list of those that sleep on the same event. */
static void wake_one(struct causes *c, uint32_t number)
{
    uint32_t *at = c->threads[number].asleep ? &c->threads[number].asleep->sleeper : NULL;
    c->threads[number].asleep = NULL;
    while (at && *at && *at != number + 1)
        at = &c->threads[*at - 1].next_sleeper;
    if (at && *at) {
        *at = c->threads[number].next_sleeper;
        c->threads[number].next_sleeper = 0;
    }
}

/* Lets the thread go on whose event began first. */
static bool force(struct causes *c)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < c->thread_count; i++) {
        const struct cause_thread *t = &c->threads[i];
        if (t->head < t->tail && !item_at(t, t->head)->event)
            make_ready(c, i);
        else if (t->head < t->tail &&
                 (first == UINT32_MAX || item_at(t, t->head)->event->enter_ns <
                                             item_at(&c->threads[first], c->threads[first].head)->event->enter_ns))
            first = i;
    }
    if (first == UINT32_MAX)
        return advance_all(c);
    wake_one(c, first);
    return advance(c, first, true) && advance_all(c);
}

/* ---- calls ---- */

bool causes_call(struct causes *c, uint32_t rank, uint32_t thread, uint32_t site, uint64_t enter_ns, uint64_t leave_ns,
                 struct cause_event *event)
{
    const uint32_t number = c->first_thread[rank] + thread;
    struct cause_thread *t = &c->threads[number];
    if (!t->begun) {
        t->begun = true;
        t->first_ns = t->left_ns = enter_ns;
    }
    enter_ns = enter_ns < t->left_ns ? t->left_ns : enter_ns; /* a call in a call */
    leave_ns = leave_ns < enter_ns ? enter_ns : leave_ns;
    const uint64_t gap = enter_ns - t->left_ns;
    t->useful_ns += gap;
    t->mpi_ns += leave_ns - enter_ns;
    t->last_ns = t->left_ns = leave_ns;
    if (gap && !push(c, t, (struct cause_item){.class = delay_class(site, false), .ns = gap}))
        return false;
    if (!event) {
        if (!push(c, t, (struct cause_item){.class = delay_class(site, true), .ns = leave_ns - enter_ns}))
            return false;
        /* what nobody waits for is dealt with in passing */
        return t->tail - t->head < ITEMS_FIRST || t->ready || (make_ready(c, number), advance_all(c));
    }
    event->thread = number;
    event->site = site;
    event->known = true;
    event->number = ++c->numbers;
    event->enter_ns = enter_ns;
    event->leave_ns = leave_ns;
    event->gap_ns = gap;
    event->references++;
    if (!push(c, t, (struct cause_item){.event = event})) {
        event->references--;
        return false;
    }
    make_ready(c, number);
    if (!advance_all(c))
        return false;
    while (c->queued > QUEUED_MOST) {
        const uint64_t before = c->queued;
        if (!force(c))
            return false;
        if (c->queued >= before)
            break;
    }
    return true;
}

bool causes_resolve(struct causes *c, struct cause_event *event)
{
    event->resolved = true;
    if (event->left)
        drop_late(c, event);
    if (!event->known)
        return true;
    const struct cause_thread *t = &c->threads[event->thread];
    if (t->head == t->tail || item_at(t, t->head)->event != event)
        return true;
    make_ready(c, event->thread);
    return advance_all(c);
}

bool causes_end(struct causes *c)
{
    for (uint32_t i = 0; i < c->thread_count; i++) {
        struct cause_thread *t = &c->threads[i];
        for (uint64_t k = t->head; k < t->tail; k++)
            if (item_at(t, k)->event)
                item_at(t, k)->event->resolved = true;
        if (t->head < t->tail)
            make_ready(c, i);
    }
    bool good = advance_all(c);
    while (good && c->queued)
        good = force(c);
    return good;
}

bool causes_begin(struct causes *c, const struct pilgrim_trace *trace, cause_found found, void *context)
{
    *c = (struct causes){.process_count = pilgrim_rank_count(trace), .found = found, .context = context};
    c->first_thread = calloc((size_t)c->process_count + 1, sizeof *c->first_thread);
    if (!c->first_thread)
        return false;
    for (uint32_t rank = 0; rank < c->process_count; rank++)
        c->first_thread[rank + 1] = c->first_thread[rank] + pilgrim_thread_count(trace, rank);
    c->thread_count = c->first_thread[c->process_count];
    c->threads = calloc((size_t)c->thread_count + 1, sizeof *c->threads);
    c->ready = calloc((size_t)c->thread_count + 1, sizeof *c->ready);
    for (uint32_t rank = 0; rank < c->process_count && c->threads; rank++)
        for (uint32_t i = c->first_thread[rank]; i < c->first_thread[rank + 1]; i++) {
            c->threads[i].rank = rank;
            c->threads[i].thread = i - c->first_thread[rank];
        }
    c->steps_most = STEPS_MOST;
    while (c->steps_most > STEPS_LEAST && c->steps_most * c->thread_count > STEPS_ALL)
        c->steps_most /= 2;
    c->points_most = c->steps_most / STEPS_A_POINT;
    return c->threads && c->ready;
}

const struct way_node *causes_path(struct causes *c)
{
    const struct cause_thread *last = NULL;
    for (uint32_t i = 0; i < c->thread_count; i++)
        if (c->threads[i].begun && (!last || c->threads[i].last_ns > last->last_ns))
            last = &c->threads[i];
    if (!last || !last->path)
        return NULL;
    for (uint32_t i = 0; i < c->thread_count; i++)
        if (&c->threads[i] != last) {
            path_release(&c->tree, c->threads[i].path);
            c->threads[i].path = NULL;
        }
    c->tree.turn++;
    return path_join(&c->tree, last->path) ? last->path : NULL;
}

void causes_free(struct causes *c)
{
    /* first what refers to others, so that no chain of references is as long as the queues */
    for (uint32_t i = 0; c->threads && i < c->thread_count; i++)
        for (uint64_t k = c->threads[i].head; k < c->threads[i].tail; k++)
            if (item_at(&c->threads[i], k)->event)
                drop_dependencies(c, item_at(&c->threads[i], k)->event);
    for (uint32_t i = 0; c->threads && i < c->thread_count; i++) {
        struct cause_thread *t = &c->threads[i];
        for (uint64_t k = t->head; k < t->tail; k++)
            cause_event_drop(c, item_at(t, k)->event);
        free(t->items);
        delay_log_free(&t->log);
        path_release(&c->tree, t->path);
    }
    free(c->threads);
    free(c->ready);
    free(c->first_thread);
    free(c->by_class);
    delay_scratch_free(&c->scratch);
    *c = (struct causes){0};
}
