/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of objects; see object_names.h. The calls that name objects or free them are found by their classes, and a
 * second cursor reads the values of these only. What was read of the last ranks is kept. */
#include "analysis/object_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"

enum {
    EVENTS_MOST = 1 << 16, /* of a rank; later ones are not known */
    NUMBERS_MOST = 1024,   /* objects with higher numbers have no names */
    LISTS = 64             /* kept lists: that of rank R is in slot R modulo LISTS */
};

/* The kinds of objects that may have names. */
static const char *const named_kinds[] = {"comm", "datatype", "win"};

enum { NAMED_KINDS = sizeof named_kinds / sizeof *named_kinds, OBJECTS = NAMED_KINDS * NUMBERS_MOST };

/* The calls that give an object a name or end it: the parameters that have the object and its name; NULL: it ends. The
 * tag that processes make a communicator by is its name until they give it another one. */
static const struct {
    const char *function;
    unsigned kind; /* in named_kinds */
    const char *object, *name;
} naming_calls[] = {{"MPI_Comm_set_name", 0, "comm", "comm_name"},
                    {"MPI_Type_set_name", 1, "datatype", "type_name"},
                    {"MPI_Win_set_name", 2, "win", "win_name"},
                    {"MPI_Comm_create_from_group", 0, "newcomm", "stringtag"},
                    {"MPI_Intercomm_create_from_groups", 0, "newintercomm", "stringtag"},
                    {"MPI_Comm_free", 0, "comm", NULL},
                    {"MPI_Comm_disconnect", 0, "comm", NULL},
                    {"MPI_Type_free", 1, "datatype", NULL},
                    {"MPI_Win_free", 2, "win", NULL}};

enum { NAMING_CALLS = sizeof naming_calls / sizeof *naming_calls };

/* A call behind which an object has NAME, or, if that is NULL, none. */
struct object_naming {
    uint32_t thread;
    uint64_t seq;
    size_t object; /* its kind times NUMBERS_MOST, and its number */
    char *name;
};

/* The events of all threads of a rank, thread by thread. */
struct object_naming_list {
    struct object_naming *events;
    size_t count, capacity;
    uint32_t rank;
    bool is_read;
};

struct object_names {
    const struct pilgrim_trace *trace;
    unsigned char *ranks; /* by rank: RANK_KNOWN, and a bit for each kind that it gives names */
    struct object_naming_list lists[LISTS];
    const struct object_naming_list *list; /* of the rank; NULL: it gives no names */
    size_t next, end;                      /* the thread's events that are not yet done */
    const char *now[OBJECTS];
    uint32_t listed; /* the rank of object_names_next, plus 1; 0: none yet */
    const struct object_naming_list *listed_events;
    size_t at[OBJECTS]; /* the events up to where the last object of that number was freed */
};

enum { RANK_KNOWN = 0x80 };

struct object_names *object_names_new(const struct pilgrim_trace *trace)
{
    struct object_names *n = calloc(1, sizeof *n);
    if (n)
        n->ranks = calloc(pilgrim_rank_count(trace), 1);
    if (!n || !n->ranks) {
        free(n);
        return NULL;
    }
    n->trace = trace;
    return n;
}

static void clear(struct object_naming_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->events[i].name);
    free(list->events);
    *list = (struct object_naming_list){0};
}

void object_names_free(struct object_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < LISTS; i++)
        clear(&n->lists[i]);
    free(n->ranks);
    free(n);
}

/* ---- reading ---- */

/* Returns the number in naming_calls of a function; NAMING_CALLS: it is none of them. */
static size_t naming_call(const char *function)
{
    size_t i = 0;
    while (i < NAMING_CALLS && strcmp(function, naming_calls[i].function) != 0)
        i++;
    return i;
}

/* Returns the number of the object V; OBJECTS: V is none that may have a name. */
static size_t object_of(const struct pilgrim_value *v)
{
    for (size_t kind = 0; v->type == PILGRIM_OBJECT && v->id >= 0 && v->id < NUMBERS_MOST && kind < NAMED_KINDS; kind++)
        if (strcmp(v->text, named_kinds[kind]) == 0)
            return kind * NUMBERS_MOST + (size_t)v->id;
    return OBJECTS;
}

/* Returns a bit for each kind of objects that the cursor's segment gives names. */
static unsigned kinds_of_segment(const struct pilgrim_cursor *cursor)
{
    struct pilgrim_thread_info thread;
    struct pilgrim_class_info class;
    unsigned kinds = 0;
    pilgrim_thread_info(cursor, &thread);
    for (size_t i = 0; i < thread.class_count; i++) {
        if (pilgrim_class_info(cursor, i, &class) != PILGRIM_OK || !class.class_ || class.body)
            continue;
        const size_t call = naming_call(class.class_->function->name);
        if (call < NAMING_CALLS && naming_calls[call].name)
            kinds |= 1U << naming_calls[call].kind;
    }
    return kinds;
}

/* Returns the same for all segments of a thread. */
static unsigned kinds_of_thread(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    if (pilgrim_cursor_open(trace, rank, thread, &cursor, NULL) != PILGRIM_OK)
        return 0;
    unsigned kinds = kinds_of_segment(cursor);
    while (pilgrim_cursor_next_segment(cursor, NULL) == PILGRIM_OK)
        kinds |= kinds_of_segment(cursor);
    pilgrim_cursor_close(cursor);
    return kinds;
}

/* Adds what CALL does to names. False: no memory. */
static bool add_event(struct object_naming_list *list, const struct pilgrim_call *call)
{
    const size_t number = naming_call(call->function->name);
    if (number == NAMING_CALLS || !call_succeeded(call))
        return true;
    const bool is_naming = naming_calls[number].name;
    const struct pilgrim_value *before = call_in(call, naming_calls[number].object),
                               *name = is_naming ? call_in(call, naming_calls[number].name) : NULL;
    const size_t object =
        object_of(before->type == PILGRIM_NONE ? call_out(call, naming_calls[number].object) : before);
    if (object == OBJECTS || (is_naming && name->type != PILGRIM_STRING))
        return true;
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 16;
        struct object_naming *more = realloc(list->events, capacity * sizeof *more);
        if (!more)
            return false;
        list->events = more;
        list->capacity = capacity;
    }
    struct object_naming *event = &list->events[list->count];
    *event = (struct object_naming){.thread = call->thread, .seq = call->seq, .object = object};
    if (is_naming && name->length > 0 && !(event->name = strndup(name->text, name->length)))
        return false;
    list->count++;
    return true;
}

/* Reads the next call, number SEQ, with the cursor VALUES, which is at call *AT. */
static bool read_event(struct object_naming_list *list, struct pilgrim_cursor *values, uint64_t seq, uint64_t *at)
{
    struct pilgrim_call call;
    if (pilgrim_cursor_skip(values, seq - *at) != PILGRIM_OK)
        return false;
    *at = seq + 1;
    if (pilgrim_cursor_next(values, &call, NULL) != PILGRIM_OK)
        return true; /* a name is missing; who reads the calls themselves says what is damaged */
    return add_event(list, &call);
}

/* Adds what the thread does to names of objects of KINDS. False: no memory. */
static bool read_thread(const struct pilgrim_trace *trace, struct object_naming_list *list, uint32_t rank,
                        uint32_t thread, unsigned kinds)
{
    struct pilgrim_cursor *classes = NULL, *values = NULL;
    struct pilgrim_class_info class;
    uint64_t count, seq = 0, at = 0;
    size_t number;
    bool good = true;
    if (pilgrim_cursor_open(trace, rank, thread, &classes, NULL) == PILGRIM_OK &&
        pilgrim_cursor_open(trace, rank, thread, &values, NULL) == PILGRIM_OK) {
        while (good && list->count < EVENTS_MOST && pilgrim_cursor_pass(classes, &number, &count, NULL) == PILGRIM_OK) {
            const bool is_call = count > 0 && pilgrim_class_info(classes, number, &class) == PILGRIM_OK && class.class_;
            const size_t naming = is_call ? naming_call(class.class_->function->name) : NAMING_CALLS;
            if (naming < NAMING_CALLS && (kinds & 1U << naming_calls[naming].kind))
                for (uint64_t i = 0; i < count && good && list->count < EVENTS_MOST; i++)
                    good = read_event(list, values, seq + i, &at);
            seq += count;
        }
    }
    pilgrim_cursor_close(classes);
    pilgrim_cursor_close(values);
    return good;
}

/* Sets *LIST to that of RANK, NULL if it gives no names. False: no memory. */
static bool find_list(struct object_names *n, uint32_t rank, const struct object_naming_list **list)
{
    struct object_naming_list *slot = &n->lists[rank % LISTS];
    const uint32_t threads = pilgrim_thread_count(n->trace, rank);
    bool good = true;
    *list = NULL;
    if (!n->ranks[rank]) {
        unsigned kinds = RANK_KNOWN;
        for (uint32_t thread = 0; thread < threads; thread++)
            kinds |= kinds_of_thread(n->trace, rank, thread);
        n->ranks[rank] = (unsigned char)kinds;
    }
    if (n->ranks[rank] == RANK_KNOWN)
        return true;
    if (!slot->is_read || slot->rank != rank) {
        clear(slot);
        for (uint32_t thread = 0; thread < threads && good; thread++)
            good = read_thread(n->trace, slot, rank, thread, n->ranks[rank]);
        slot->rank = rank;
        slot->is_read = good;
    }
    *list = slot;
    return good;
}

/* ---- asking ---- */

/* Fills in the names that other threads give, of objects that only one call names. */
static void begin_others(struct object_names *n, uint32_t thread)
{
    unsigned char times[OBJECTS] = {0};
    for (size_t i = 0; i < n->list->count; i++) {
        const struct object_naming *event = &n->list->events[i];
        if (!event->name)
            continue;
        n->now[event->object] = event->thread != thread && !times[event->object] ? event->name : NULL;
        times[event->object] = 1;
    }
}

bool object_names_begin(struct object_names *n, uint32_t rank, uint32_t thread)
{
    n->next = n->end = 0;
    if (n->list)
        memset(n->now, 0, sizeof n->now);
    if (!find_list(n, rank, &n->list))
        return false;
    if (!n->list)
        return true;
    while (n->next < n->list->count && n->list->events[n->next].thread != thread)
        n->next++;
    n->end = n->next;
    while (n->end < n->list->count && n->list->events[n->end].thread == thread)
        n->end++;
    begin_others(n, thread);
    return true;
}

bool object_names_at(struct object_names *n, uint64_t seq)
{
    const size_t before = n->next;
    while (n->next < n->end && n->list->events[n->next].seq < seq) {
        const struct object_naming *event = &n->list->events[n->next++];
        n->now[event->object] = event->name;
    }
    return n->next != before;
}

const char *object_names_find(const void *names, const struct pilgrim_value *v)
{
    const struct object_names *n = names;
    const size_t object = n->list ? object_of(v) : OBJECTS;
    return object < OBJECTS ? n->now[object] : NULL;
}

struct naming_visit {
    const struct object_names *names;
    object_names_visitor visit;
    void *context;
    bool seen[OBJECTS];
};

static void visit_value(struct naming_visit *to, const struct pilgrim_value *v)
{
    if (v->type == PILGRIM_ARRAY)
        for (size_t i = 0; i < v->count; i++)
            visit_value(to, &v->items[i]);
    const size_t object = object_of(v);
    if (object == OBJECTS || to->seen[object] || !to->names->now[object])
        return;
    to->seen[object] = true;
    to->visit(to->context, v, to->names->now[object]);
}

void object_names_visit(const struct object_names *n, const struct pilgrim_call *call, object_names_visitor visit,
                        void *context)
{
    if (!n->list)
        return;
    struct naming_visit to = {.names = n, .visit = visit, .context = context};
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        visit_value(&to, &call->in[i]);
        visit_value(&to, &call->out[i]);
    }
}

/* Begins with the objects of RANK. Those that several threads named or freed have no events left. */
static bool list_rank(struct object_names *n, uint32_t rank)
{
    static const uint32_t nobody = UINT32_MAX;
    uint32_t threads[OBJECTS];
    if (!find_list(n, rank, &n->listed_events))
        return false;
    n->listed = rank + 1;
    memset(n->at, 0, sizeof n->at);
    for (size_t i = 0; i < OBJECTS; i++)
        threads[i] = nobody;
    for (size_t i = 0; n->listed_events && i < n->listed_events->count; i++) {
        const struct object_naming *event = &n->listed_events->events[i];
        if (threads[event->object] != nobody && threads[event->object] != event->thread)
            n->at[event->object] = n->listed_events->count;
        threads[event->object] = event->thread;
    }
    return true;
}

bool object_names_next(struct object_names *n, uint32_t rank, const char *comm, const char **name)
{
    struct pilgrim_value v = {.type = PILGRIM_OBJECT, .text = "comm"};
    *name = NULL;
    if (n->listed != rank + 1 && !list_rank(n, rank))
        return false;
    const bool is_number = sscanf(comm, "comm:%" SCNd64, &v.id) == 1;
    const size_t object = is_number ? object_of(&v) : OBJECTS;
    if (!n->listed_events || object == OBJECTS)
        return true;
    for (size_t *at = &n->at[object]; *at < n->listed_events->count;) {
        const struct object_naming *event = &n->listed_events->events[(*at)++];
        if (event->object != object)
            continue;
        if (!event->name)
            break;
        *name = event->name;
    }
    return true;
}
