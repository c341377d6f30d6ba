/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads share; see generate_threads.h. A trace does not say when threads begin and end, nor in which order they
 * do what. But it says who made what, and a request or an object of one name is used by others before it is freed. */
#include "generate_threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "generate_functions.h"

enum { THREAD_OF = 16, NOBODY = -1, NAME_BUCKETS = 1 << 14 };

/* A name of an object or request in a rank. */
struct shared_name {
    struct shared_name *next, *later; /* in the bucket; of all, in the order of their making */
    uint32_t rank;
    const char *kind; /* interned; NULL: a request */
    int64_t id, offset;
    int64_t maker; /* the lowest thread that makes it, or NOBODY */
    uint64_t made; /* so often, by all threads */
    int64_t user, user_count;
    int64_t own_thread, own_count; /* while a thread is read: how many it has made and not freed */
    int64_t number;                /* among shared objects, or of the request class; -1: it is not shared */
    bool used_by_others;           /* otherwise than to free it */
    bool given;                    /* see number_names */
    uint32_t *uses;                /* of an object by its maker, by making */
    size_t uses_count, next_uses;
    uint32_t uses_left; /* until the maker gives it away */
    /* requests: */
    bool taken_by_others;
    unsigned char *kept; /* by making: 1: the thread that began it completes it */
    size_t kept_count, next_making;
};

static struct shared_name *buckets[NAME_BUCKETS], *first_name, *last_name;

static struct shared_name *find(uint32_t rank, const char *kind, int64_t id, int64_t offset, bool make)
{
    uint64_t hash = (uint64_t)rank * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)kind ^
                    (uint64_t)id * UINT64_C(0xc2b2ae3d27d4eb4f) ^ (uint64_t)offset * UINT64_C(0x165667b19e3779f9);
    hash = (hash ^ hash >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    struct shared_name **bucket = &buckets[(hash >> 40) % NAME_BUCKETS], *n = *bucket;
    while (n && (n->rank != rank || n->kind != kind || n->id != id || n->offset != offset))
        n = n->next;
    if (n || !make)
        return n;
    n = generate_alloc(sizeof *n);
    *n = (struct shared_name){.next = *bucket,
                              .rank = rank,
                              .kind = kind,
                              .id = id,
                              .offset = offset,
                              .maker = NOBODY,
                              .user = NOBODY,
                              .own_thread = NOBODY,
                              .number = -1};
    *bucket = n;
    if (last_name)
        last_name->later = n;
    else
        first_name = n;
    return last_name = n;
}

static const char *kind_name(const char *kind)
{
    return text_intern(kind, strlen(kind));
}

/* ---- reading ---- */

static struct shared_name *object_of(uint32_t rank, uint32_t thread, const struct pilgrim_value *v)
{
    struct shared_name *n = find(rank, kind_name(v->text), v->id, 0, true);
    if (n->own_thread != thread) {
        n->own_thread = thread;
        n->own_count = 0;
    }
    return n;
}

static void note_use(struct shared_name *n, uint32_t thread)
{
    if (n->user != thread)
        n->user_count++;
    n->user = thread;
}

static void note_making(struct shared_name *n, uint32_t thread)
{
    n->made++;
    if (n->maker == NOBODY)
        n->maker = thread;
}

/* Notes what stands in one value: IN goes in, OUT is what came of it. COMPLETIONS: the second reading, for requests. */
static void note_value(const struct pilgrim_call *call, const struct pilgrim_value *in, const struct pilgrim_value *out,
                       bool completions)
{
    uint32_t rank = call->rank, thread = call->thread;
    if (in->type == PILGRIM_OBJECT && !completions) {
        struct shared_name *n = object_of(rank, thread, in);
        const bool freed = out->type == PILGRIM_NAME;
        if (!n->own_count)
            note_use(n, thread);
        n->used_by_others = n->used_by_others || (!n->own_count && !freed);
        if (n->own_count && freed)
            n->own_count--;
        else if (n->own_count)
            n->uses[n->uses_count - 1]++;
    } else if (in->type == PILGRIM_REQUEST && in->offset >= 0) {
        struct shared_name *n = find(rank, NULL, in->id, in->offset, !completions);
        bool own = in->id >> THREAD_OF == thread, taken = out->type == PILGRIM_NAME;
        if (!completions && !own && strncmp(call->function->name, "MPI_Request_get", 15) != 0) {
            note_use(n, thread);
            n->taken_by_others = n->taken_by_others || taken;
        } else if (completions && own && taken && n && n->kept_count) {
            n->kept[n->kept_count - 1] = 1;
        }
    } else if (out->type == PILGRIM_OBJECT && !completions) {
        struct shared_name *n = object_of(rank, thread, out);
        if (!n->own_count++)
            note_making(n, thread);
        n->uses = generate_grow(n->uses, n->uses_count, sizeof *n->uses);
        n->uses[n->uses_count++] = 0;
    } else if (out->type == PILGRIM_REQUEST && out->offset >= 0) {
        struct shared_name *n = find(rank, NULL, out->id, out->offset, !completions);
        if (!completions)
            note_making(n, thread);
        else if (n && n->number >= 0) {
            n->kept = generate_grow(n->kept, n->kept_count, 1);
            n->kept[n->kept_count++] = 0;
        }
    }
}

static void scan_thread(struct proxy *p, uint32_t rank, uint32_t thread, bool completions)
{
    static const struct pilgrim_value none = {.type = PILGRIM_NONE};
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_cursor_open(p->trace, rank, thread, &cursor, &error);
    if (status != PILGRIM_OK)
        generate_fail("rank %" PRIu32 ": %s", rank, error.message);
    while ((status = pilgrim_cursor_next(cursor, &call, &error)) == PILGRIM_OK)
        for (size_t i = 0; i < call.function->parameter_count && !call_is_failed_poll(&call); i++) {
            const struct pilgrim_value *in = &call.in[i], *out = &call.out[i];
            size_t count = in->type == PILGRIM_ARRAY ? in->count : out->type == PILGRIM_ARRAY ? out->count : 1;
            for (size_t k = 0; k < count; k++)
                note_value(&call,
                           in->type != PILGRIM_ARRAY ? in
                           : k < in->count           ? &in->items[k]
                                                     : &none,
                           out->type != PILGRIM_ARRAY ? out
                           : k < out->count           ? &out->items[k]
                                                      : &none,
                           completions);
        }
    if (status != PILGRIM_END)
        generate_fail("rank %" PRIu32 ": %s", rank, error.message);
    pilgrim_cursor_close(cursor);
}

static size_t request_class(struct proxy *p, int64_t id)
{
    const char *key =
        text_format("operations %" PRId64 " of thread %" PRId64, id & ((1 << THREAD_OF) - 1), id >> THREAD_OF);
    size_t number = 0;
    while (number < p->request_count && strcmp(p->requests[number].key, key) != 0)
        number++;
    if (number == p->request_count) {
        p->requests = generate_grow(p->requests, p->request_count, sizeof *p->requests);
        p->requests[p->request_count++] = (struct request_class){.key = key, .most = -1};
    }
    return number;
}

/* Kinds whose objects are freed by one process alone. */
static struct {
    const char *word;
    uint32_t rank;
    size_t now, most; /* makings, in that rank and in any */
} given_kinds[] = {{.word = "datatype"}, {.word = "group"},      {.word = "op"},
                   {.word = "info"},     {.word = "errhandler"}, {.word = "keyval"}};

enum { GIVEN_KINDS = sizeof given_kinds / sizeof *given_kinds };

static size_t given_kind(const char *word)
{
    size_t i = 0;
    while (i < GIVEN_KINDS && strcmp(given_kinds[i].word, word) != 0)
        i++;
    return i;
}

size_t threads_given_most(const char *kind)
{
    const size_t i = given_kind(kind);
    return i < GIVEN_KINDS ? given_kinds[i].most : 0;
}

/* True if others only free objects of that name. */
static bool is_given(const struct shared_name *n)
{
    const size_t i = n->kind && !n->used_by_others ? given_kind(n->kind) : GIVEN_KINDS;
    if (i == GIVEN_KINDS)
        return false;
    given_kinds[i].now = n->uses_count + (given_kinds[i].rank == n->rank ? given_kinds[i].now : 0);
    given_kinds[i].rank = n->rank;
    given_kinds[i].most = given_kinds[i].now > given_kinds[i].most ? given_kinds[i].now : given_kinds[i].most;
    return true;
}

/* Numbers what is shared: objects alike in all ranks. Which of several objects of one name a thread frees is not known,
 * and does not matter: their makers give them away behind their last use, and whoever frees one takes any. */
static void number_names(struct proxy *p)
{
    for (struct shared_name *n = first_name; n && n->rank != UINT32_MAX; n = n->later) {
        if (!n->user_count || n->maker == NOBODY || (n->given = is_given(n)))
            continue;
        if (!n->kind) {
            n->number = (int64_t)request_class(p, n->id);
            p->requests_shared = true;
        } else {
            struct shared_name *all = find(UINT32_MAX, n->kind, n->id, n->maker, true);
            if (all->number < 0)
                all->number = p->shared_count++;
            n->number = all->number;
        }
        if (n->made > 1 && n->kind && !p->uncertain)
            p->uncertain =
                text_format("%s:%" PRId64 " of rank %" PRIu32 " is made several times", n->kind, n->id, n->rank);
    }
}

void threads_scan(struct proxy *p)
{
    for (uint32_t rank = 0; rank < p->rank_count; rank++) {
        uint32_t count = pilgrim_thread_count(p->trace, rank);
        if (count > p->thread_count)
            p->thread_count = count;
    }
    if (p->thread_count <= 1)
        return;
    if (p->thread_count > GENERATE_THREADS_MAX)
        generate_fail("%s: a process has %" PRIu32 " threads, and a program of at most %d is made", p->options->path,
                      p->thread_count, GENERATE_THREADS_MAX);
    if (p->options->ranks)
        generate_fail("%s: there are several threads: --ranks is for programs without", p->options->path);
    for (int completions = 0; completions <= 1; completions++) {
        for (uint32_t rank = 0; rank < p->rank_count; rank++)
            for (uint32_t thread = 0; thread < pilgrim_thread_count(p->trace, rank); thread++)
                scan_thread(p, rank, thread, completions);
        if (!completions)
            number_names(p);
        if (!p->requests_shared)
            break;
    }
}

/* ---- objects that others free ---- */

static struct shared_name *given_name(const struct rank_state *s, const struct pilgrim_value *v)
{
    struct shared_name *n = s->proxy->thread_count > 1 && v->type == PILGRIM_OBJECT
                                ? find(s->rank, kind_name(v->text), v->id, 0, false)
                                : NULL;
    return n && n->given ? n : NULL;
}

bool threads_given(const struct rank_state *s, const struct pilgrim_value *v)
{
    return given_name(s, v) != NULL;
}

bool threads_given_away(const struct rank_state *s, const struct pilgrim_value *v)
{
    const struct shared_name *n = given_name(s, v);
    return n && n->uses_left == 0;
}

/* Gives away what the call used for the last time. */
static void give_objects(struct call_writer *w)
{
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const struct pilgrim_value *in = &w->call->in[i], *out = &w->call->out[i];
        size_t count = in->type == PILGRIM_ARRAY ? in->count : out->type == PILGRIM_ARRAY ? out->count : 1;
        for (size_t k = 0; k < count; k++) {
            const struct pilgrim_value *a = in->type == PILGRIM_ARRAY    ? &in->items[k]
                                            : out->type == PILGRIM_ARRAY ? out
                                                                         : in;
            const struct pilgrim_value *b = out->type == PILGRIM_ARRAY && k < out->count ? &out->items[k] : out;
            const bool makes = a->type != PILGRIM_OBJECT && b->type == PILGRIM_OBJECT;
            struct shared_name *n = given_name(w->state, makes ? b : a);
            if (!n || (!makes && b->type == PILGRIM_NAME) || (makes && n->next_uses == n->uses_count))
                continue;
            if (makes)
                n->uses_left = n->uses[n->next_uses++];
            else if (!n->uses_left || --n->uses_left)
                continue;
            if (n->uses_left == 0)
                row_give(w, makes ? b : a);
        }
    }
}

/* ---- rows ---- */

int64_t threads_shared(struct rank_state *s, const char *kind, int64_t id, bool own)
{
    if (s->proxy->thread_count <= 1)
        return -1;
    const struct shared_name *n = find(s->rank, kind_name(kind), id, 0, false);
    if (!n || n->number < 0 || (own && n->maker != s->thread))
        return -1;
    return n->number;
}

size_t threads_request(const struct rank_state *s, int64_t id, int64_t offset, bool *foreign)
{
    const struct shared_name *n = s->proxy->requests_shared ? find(s->rank, NULL, id, offset, false) : NULL;
    *foreign = id >> THREAD_OF != s->thread;
    return n && n->number >= 0 ? (size_t)n->number : SIZE_MAX;
}

/* Returns a request that the call begins for others; NULL: it does not. */
static struct shared_name *handed_over(const struct call_writer *w)
{
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const struct pilgrim_value *in = &w->call->in[i], *out = &w->call->out[i];
        struct shared_name *n = out->type == PILGRIM_REQUEST && in->type == PILGRIM_NONE
                                    ? find(w->state->rank, NULL, out->id, out->offset, false)
                                    : NULL;
        if (n && n->number >= 0)
            return n;
    }
    return NULL;
}

/* Adds the list of the requests that others began, and returns how many there are. */
static size_t put_foreign(struct call_writer *w, bool count_only)
{
    size_t count = 0;
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const struct pilgrim_value *in = &w->call->in[i];
        size_t items = in->type == PILGRIM_ARRAY ? in->count : 1;
        for (size_t k = 0; k < items; k++) {
            const struct pilgrim_value *v = in->type == PILGRIM_ARRAY ? &in->items[k] : in;
            bool foreign;
            if (v->type != PILGRIM_REQUEST || threads_request(w->state, v->id, v->offset, &foreign) == SIZE_MAX ||
                !foreign || strncmp(w->function->name, "MPI_Request_get", 15) == 0)
                continue;
            if (!count_only) {
                row_text(w, count ? ", " : "");
                row_request_hole(w, v);
            }
            count++;
        }
    }
    return count;
}

static void put_foreign_call(struct call_writer *w, const char *name)
{
    text_put(&w->form, "%s(%zu, (const int[]){", name, put_foreign(w, true));
    put_foreign(w, false);
    row_text(w, "});");
}

void threads_before(struct call_writer *w)
{
    if (!w->state->proxy->requests_shared)
        return;
    struct shared_name *handed = handed_over(w);
    w->hands_over = handed && handed->next_making < handed->kept_count &&
                    (!handed->kept[handed->next_making] || !handed->taken_by_others);
    if (handed) {
        handed->next_making++;
        w->varies = true;
    }
    if (w->hands_over && handed->taken_by_others) {
        row_text(w, "await_taken(");
        row_request_hole(w,
                         &(struct pilgrim_value){.type = PILGRIM_REQUEST, .id = handed->id, .offset = handed->offset});
        row_text(w, ");\n");
    }
    w->takes = put_foreign(w, true) > 0;
    if (w->takes) {
        put_foreign_call(w, "await_handed");
        row_text(w, "\n");
        w->varies = true;
    }
}

void threads_after(struct call_writer *w)
{
    struct rank_state *s = w->state;
    struct shared_name *handed = w->hands_over ? handed_over(w) : NULL;
    if (handed) {
        row_text(w, "\nhand_over(");
        row_request_hole(w,
                         &(struct pilgrim_value){.type = PILGRIM_REQUEST, .id = handed->id, .offset = handed->offset});
        row_text(w, ");");
    }
    if (w->takes) {
        row_text(w, "\n");
        put_foreign_call(w, "take_requests");
    }
    if (s->proxy->thread_count > 1)
        give_objects(w);
    for (size_t i = 0; s->proxy->thread_count > 1 && i < w->function->parameter_count; i++) {
        const struct pilgrim_value *in = &w->call->in[i], *out = &w->call->out[i];
        size_t count = out->type == PILGRIM_ARRAY ? out->count : 1;
        for (size_t k = 0; k < count && in->type == PILGRIM_NONE; k++) {
            const struct pilgrim_value *v = out->type == PILGRIM_ARRAY ? &out->items[k] : out;
            int64_t number = v->type == PILGRIM_OBJECT ? threads_shared(s, v->text, v->id, true) : -1;
            if (number < 0)
                continue;
            row_text(w, "\nhappened(");
            row_hole(w, HOLE, number);
            row_text(w, ");");
        }
    }
}

/* ---- where threads wait for objects ---- */

static struct shared_use *use_of(struct rank_state *s, int64_t number)
{
    size_t i = 0;
    while (i < s->use_count && s->uses[i].number != number)
        i++;
    if (i == s->use_count) {
        s->uses = generate_grow(s->uses, s->use_count, sizeof *s->uses);
        s->uses[s->use_count++] = (struct shared_use){.number = number, .first = SIZE_MAX, .freed = SIZE_MAX};
    }
    return &s->uses[i];
}

void threads_note_use(struct rank_state *s, int64_t number)
{
    struct shared_use *u = use_of(s, number);
    u->first = s->top < u->first ? s->top : u->first;
    u->last = s->top > u->last ? s->top : u->last;
}

void threads_note_free(struct rank_state *s, const char *kind, int64_t id)
{
    int64_t number = threads_shared(s, kind, id, false);
    const struct shared_name *n = number < 0 ? NULL : find(s->rank, kind_name(kind), id, 0, false);
    if (!n || n->made > 1)
        return;
    struct shared_use *u = use_of(s, number);
    u->freed = s->top;
    u->waits_for = n->user_count - (n->maker != s->thread);
}

/* Returns the row of what rank S has to do before child TOP, or behind it; NOBODY: nothing. */
static int64_t statement(const struct proxy *p, struct rank_state *s, size_t top, bool behind)
{
    struct call_writer w = {.state = s};
    for (size_t i = 0; i < s->use_count; i++) {
        const struct shared_use *u = &s->uses[i];
        bool uses = u->first != SIZE_MAX, frees = u->freed == top && u->waits_for > 0;
        if (behind && uses && u->last == top && u->freed == SIZE_MAX) {
            row_text(&w, w.form.length ? "\nhappened(" : "happened(");
            row_hole(&w, HOLE, p->shared_count + u->number);
            row_text(&w, ");");
        }
        for (int free = 0; free < 2 && !behind; free++)
            if (free ? frees : uses && u->first == top) {
                row_text(&w, w.form.length ? "\nawait(" : "await(");
                row_hole(&w, HOLE, u->number + (free ? p->shared_count : 0));
                row_text(&w, ", ");
                row_hole(&w, HOLE, free ? u->waits_for : 1);
                row_text(&w, ");");
            }
    }
    if (!w.form.length)
        return NOBODY;
    struct form form = {.text = text_intern(text_of(&w.form), w.form.length), .holes = w.number_count};
    text_free(&w.form);
    return row_store(&form, w.numbers);
}

void threads_place(struct proxy *p, struct node *root, struct rank_state *const *states, size_t count)
{
    struct node made = {0};
    for (size_t top = 0; top < root->child_count; top++)
        for (int what = 0; what < 3; what++) {
            struct node *n = root->children[top];
            if (what != 1) {
                n = generate_alloc(sizeof *n);
                n->kind = NODE_CALL;
                n->name = text_intern("await", 5);
                n->ranks = generate_alloc(p->rank_count * sizeof *n->ranks);
                bool some = false;
                for (size_t i = 0; i < count; i++) {
                    int64_t row = statement(p, states[i], top, what == 2);
                    if (row == NOBODY)
                        continue;
                    some = true;
                    n->ranks[states[i]->rank] = generate_alloc(sizeof **n->ranks);
                    visits_add(n->ranks[states[i]->rank], row);
                }
                n = some ? n : NULL;
            }
            if (!n)
                continue;
            made.children = generate_grow(made.children, made.child_count, sizeof *made.children);
            made.children[made.child_count++] = n;
        }
    root->children = made.children;
    root->child_count = made.child_count;
}
