/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests of a rank have the same places in the program's array.
 *
 * A trace names requests by the call path that begins them. Where a function is called from many places, its requests
 * mostly end before it returns. So those that one line begins share places, unless some of two paths are ever under way
 * at once: then calls of the function are equal texts, and one function. Which of several requests MPI_Waitany and the
 * like complete is left to MPI, so the others may be under way for longer: paths of such requests share no places. */
#include <string.h>

#include "generate.h"
#include "generate_state.h"

enum { CLASSES_MAX = 1 << 16 };

/* A line that completes requests, in one function. */
struct completer {
    const char *key; /* interned */
    bool waitall;
    uint64_t last; /* the number of its last call that was noted */
    struct completer *next;
};

/* Operations that one line begins on one path. */
struct path_requests {
    int64_t id;
    uint64_t live;
    uint64_t since;              /* the number of the call since which there are some under way */
    struct completer *completer; /* NULL: none was completed yet */
    bool left;                   /* others than one MPI_Waitall complete them, or it left some */
    bool alone;                  /* shares no places */
    struct begin_site *line;
    size_t index;               /* among those of the line */
    unsigned char *at_once;     /* by index: is one of those under way with one of these? */
    size_t at_once_capacity;    /* of at_once */
    size_t number;              /* those with equal numbers share places */
    struct path_requests *next; /* those of the line that are under way */
};

/* A line that begins requests. */
struct begin_site {
    const char *key; /* interned */
    struct path_requests **classes;
    size_t count;
    struct path_requests *live;
    struct begin_site *next;
};

static struct path_requests *by_id[CLASSES_MAX]; /* of the scan that is made */

struct request_scan {
    struct path_requests **order; /* as they came */
    size_t count;
    struct begin_site *lines;
    struct completer *completers;
    uint64_t calls;
};

struct request_scan *requests_new(void)
{
    return generate_alloc(sizeof(struct request_scan));
}

static struct path_requests *class_of(int64_t id)
{
    struct path_requests *b = by_id[id & (CLASSES_MAX - 1)];
    return b && b->id == id ? b : NULL;
}

static struct path_requests *new_class(struct request_scan *s, int64_t id, const char *key)
{
    struct begin_site *line = s->lines;
    while (line && line->key != key)
        line = line->next;
    if (!line) {
        line = generate_alloc(sizeof *line);
        *line = (struct begin_site){.key = key, .next = s->lines};
        s->lines = line;
    }
    struct path_requests *b = generate_alloc(sizeof *b);
    *b = (struct path_requests){.id = id, .line = line, .index = line->count};
    line->classes = generate_grow(line->classes, line->count, sizeof(struct path_requests *));
    line->classes[line->count++] = b;
    s->order = generate_grow(s->order, s->count, sizeof(struct path_requests *));
    s->order[s->count++] = b;
    return by_id[id & (CLASSES_MAX - 1)] = b;
}

static void set_at_once(struct path_requests *a, const struct path_requests *b)
{
    if (b->index >= a->at_once_capacity) {
        size_t capacity = 2 * b->index + 8;
        unsigned char *larger = generate_alloc(capacity);
        if (a->at_once_capacity)
            memcpy(larger, a->at_once, a->at_once_capacity);
        a->at_once = larger;
        a->at_once_capacity = capacity;
    }
    a->at_once[b->index] = 1;
}

static bool are_at_once(const struct path_requests *a, const struct path_requests *b)
{
    return a->alone || b->alone || (b->index < a->at_once_capacity && a->at_once[b->index]);
}

/* True if MPI chooses which requests the call completes. */
static bool is_left_to_mpi(const char *function)
{
    return strstr(function, "any") || strstr(function, "some");
}

static void note_alone(int64_t id)
{
    struct path_requests *b = class_of(id);
    if (b)
        b->alone = true;
}

static void note_begin(struct request_scan *s, int64_t id, const struct pilgrim_call *call, const char *place)
{
    struct path_requests *b = class_of(id);
    if (!b && by_id[id & (CLASSES_MAX - 1)])
        return;
    if (!b) {
        const char *key = request_key(call->function->name, place);
        b = new_class(s, id, text_intern(key, strlen(key)));
    }
    if (b->live++)
        return;
    b->since = s->calls;
    for (struct path_requests *other = b->line->live; other; other = other->next) {
        set_at_once(b, other);
        set_at_once(other, b);
    }
    b->next = b->line->live;
    b->line->live = b;
}

static struct completer *completer_of(struct request_scan *s, const struct pilgrim_call *call, const char *place)
{
    const char *key = request_key(call->function->name, place);
    key = text_intern(key, strlen(key));
    struct completer *c = s->completers;
    while (c && c->key != key)
        c = c->next;
    if (!c) {
        c = generate_alloc(sizeof *c);
        *c = (struct completer){
            .key = key, .waitall = strcmp(call->function->name, "MPI_Waitall") == 0, .next = s->completers};
        s->completers = c;
    }
    return c;
}

static void note_end(int64_t id, struct completer *c)
{
    struct path_requests *b = class_of(id);
    if (!b || !b->live)
        return;
    b->left = b->left || !c->waitall || (b->completer && b->completer != c) || c->last > b->since;
    b->completer = c;
    if (--b->live)
        return;
    struct path_requests **at = &b->line->live;
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
}

static const struct pilgrim_value *element(const struct pilgrim_value *v, size_t k)
{
    static const struct pilgrim_value none = {.type = PILGRIM_NONE};
    return v->type != PILGRIM_ARRAY ? v : k < v->count ? &v->items[k] : &none;
}

void requests_note(struct request_scan *s, const struct pilgrim_call *call, const char *place)
{
    const bool chosen = is_left_to_mpi(call->function->name);
    const bool waitall = strcmp(call->function->name, "MPI_Waitall") == 0;
    struct completer *completer = waitall ? completer_of(s, call, place) : NULL;
    s->calls++;
    for (int begins = 0; begins < 2; begins++) /* what it ends may have the place of what it begins */
        for (size_t i = 0; i < call->function->parameter_count; i++) {
            const struct pilgrim_value *in = &call->in[i], *out = &call->out[i];
            size_t count = in->type == PILGRIM_ARRAY ? in->count : out->type == PILGRIM_ARRAY ? out->count : 1;
            for (size_t k = 0; k < count; k++) {
                const struct pilgrim_value *a = element(in, k), *b = element(out, k);
                if (!begins && chosen && a->type == PILGRIM_REQUEST)
                    note_alone(a->id);
                if (begins && a->type != PILGRIM_REQUEST && b->type == PILGRIM_REQUEST && b->offset >= 0)
                    note_begin(s, b->id, call, place);
                else if (!begins && a->type == PILGRIM_REQUEST && b->type == PILGRIM_NAME)
                    note_end(a->id, completer = completer ? completer : completer_of(s, call, place));
            }
        }
    if (completer)
        completer->last = s->calls;
}

/* What is known of a path of one rank holds for its class if it does for all paths of all ranks. */
static void name_completer(struct request_class *class, const struct path_requests *b)
{
    const bool left = b->left || !b->completer || (b->live && b->completer->last > b->since);
    const char *key = left ? "" : b->completer->key;
    class->chosen = class->chosen || b->alone;
    if (!class->completer)
        class->completer = key;
    else if (class->completer != key)
        class->completer = "";
}

void requests_name(struct request_scan *s, struct rank_state *state)
{
    for (size_t i = 0; i < s->count; i++) {
        struct path_requests *b = s->order[i];
        for (size_t k = 0; k < b->index; k++)
            if (b->line->classes[k]->number == b->number && are_at_once(b, b->line->classes[k])) {
                b->number++;
                k = (size_t)-1;
            }
        const struct request_name *name = state_name_request(state, b->id, b->line->key, b->number);
        name_completer(&state->proxy->requests[name->class_number], b);
        by_id[b->id & (CLASSES_MAX - 1)] = NULL;
    }
}
