/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for communicators and datatypes of calls; see table_names.h.
 *
 * A process has names of its own for communicators ("comm:3"), so two of them are one row only if the trace says that
 * they are one communicator: by the identity in the list of those that each thread creates. A call that creates one has
 * its name as an output, and takes the next of the list. */
#include "analysis/table_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_values.h"

enum { TEXTS_MAX = 1 << 23, NAME_MAX_BYTES = 64 };

/* ---- texts ---- */

bool texts_add(struct texts *t, const char *text, uint64_t mark, uint32_t *number)
{
    uint64_t hash = mark;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    for (uint64_t probe = 0;; probe++) {
        const uint64_t *found = key_table_find(&t->numbers, (struct key){{hash, probe}});
        if (!found) {
            if (t->count >= TEXTS_MAX)
                return false;
            if (t->count + 1 >= t->capacity) {
                size_t capacity = 2 * t->capacity + 16;
                char **texts = realloc(t->texts, capacity * sizeof *texts);
                t->texts = texts ? texts : t->texts;
                char **given = texts ? realloc(t->given, capacity * sizeof *given) : NULL;
                t->given = given ? given : t->given;
                uint64_t *marks = given ? realloc(t->marks, capacity * sizeof *marks) : NULL;
                t->marks = marks ? marks : t->marks;
                if (!marks)
                    return false;
                t->capacity = capacity;
            }
            char *copy = strdup(text);
            if (!copy || !key_table_put(&t->numbers, (struct key){{hash, probe}}, t->count + 1)) {
                free(copy);
                return false;
            }
            t->texts[t->count] = copy;
            t->given[t->count] = NULL;
            t->marks[t->count] = mark;
            *number = (uint32_t)++t->count;
            return true;
        }
        if (t->marks[*found - 1] == mark && strcmp(t->texts[*found - 1], text) == 0) {
            *number = (uint32_t)*found;
            return true;
        }
    }
}

const char *texts_at(const struct texts *t, uint32_t number)
{
    return number ? t->texts[number - 1] : NULL;
}

uint64_t texts_mark(const struct texts *t, uint32_t number)
{
    return number ? t->marks[number - 1] : 0;
}

const char *texts_given(const struct texts *t, uint32_t number)
{
    return number ? t->given[number - 1] : NULL;
}

/* Notes what the program named the text with this number, if it has no name yet. False: no memory. */
static bool texts_give(struct texts *t, uint32_t number, const char *name)
{
    if (!number || !name || t->given[number - 1])
        return true;
    t->given[number - 1] = strdup(name);
    return t->given[number - 1];
}

void texts_free(struct texts *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->texts[i]);
        free(t->given[i]);
    }
    free(t->texts);
    free(t->given);
    free(t->marks);
    key_table_clear(&t->numbers);
}

/* ---- communicators ---- */

/* Sets *NUMBER to that of the communicator NAME of the rank with IDENTITY. Those of one identity are one, whatever
 * their names. */
static bool number_of(struct table_names *n, const char *name, uint64_t identity, uint32_t *number)
{
    char text[NAME_MAX_BYTES];
    if (!identity)
        return texts_add(&n->communicators, name, 0, number);
    const struct key key = {{identity, 0, 1}};
    const uint64_t *known = key_table_find(&n->communicators.numbers, key);
    if (known) {
        *number = (uint32_t)*known;
        return true;
    }
    snprintf(text, sizeof text, "%s of rank %" PRIu32, name, n->rank);
    return texts_add(&n->communicators, text, identity, number) &&
           key_table_put(&n->communicators.numbers, key, *number);
}

enum { NOT_SENT = 0x7fffffff }; /* the number of a request that sends nothing */

enum { KIND_COMMUNICATOR, KIND_WINDOW, KIND_FILE, KIND_REQUEST, KIND_REQUEST_TYPE };

static struct key object_key(int kind, const struct pilgrim_value *v)
{
    return (struct key){{(uint64_t)kind, (uint64_t)v->id, v->type == PILGRIM_REQUEST ? (uint64_t)v->offset + 1 : 0}};
}

static bool bind(struct table_names *n, struct key_table *table, struct key key, uint32_t number)
{
    uint64_t *known = key_table_put(table, key, UINT64_MAX);
    if (!known)
        return false;
    n->changes += *known != number;
    *known = number;
    return true;
}

/* Moves to the next communicator that the thread creates. */
static void find_next(struct table_names *n)
{
    struct pilgrim_error error;
    n->has_next = false;
    while (!n->has_next && pilgrim_communicators_next(n->created, &n->next, &error) == PILGRIM_OK)
        n->has_next = n->next.thread == n->thread;
    if (n->has_next)
        snprintf(n->next_name, sizeof n->next_name, "%s", n->next.name);
}

static struct pilgrim_value object_of(const char *name)
{
    const char *number = strchr(name, ':');
    struct pilgrim_value v = {.type = PILGRIM_NONE};
    if (number)
        v = (struct pilgrim_value){.type = PILGRIM_OBJECT, .text = "comm", .id = strtoll(number + 1, NULL, 10)};
    return v;
}

/* Binds the communicators of the rank that no recorded call made. */
static enum pilgrim_status begin_rank(struct table_names *n, uint32_t rank, struct pilgrim_error *error)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    enum pilgrim_status status = pilgrim_communicators_open(n->trace, rank, &list, error);
    key_table_clear(&n->common);
    while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, error)) == PILGRIM_OK) {
        const struct pilgrim_value v = object_of(c.name);
        uint32_t number;
        if (c.thread == n->thread || v.type == PILGRIM_NONE)
            continue;
        if (!number_of(n, c.name, c.identity, &number) ||
            !bind(n, &n->common, object_key(KIND_COMMUNICATOR, &v), number))
            status = no_memory(error);
    }
    pilgrim_communicators_close(list);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

enum pilgrim_status table_names_begin(struct table_names *n, uint32_t rank, uint32_t thread,
                                      struct pilgrim_error *error)
{
    key_table_clear(&n->bound);
    pilgrim_communicators_close(n->created);
    n->created = NULL;
    n->has_next = false;
    n->rank = rank;
    n->thread = thread;
    n->changes++;
    if (n->given && !n->objects && !(n->objects = object_names_new(n->trace)))
        return no_memory(error);
    if (n->objects && !object_names_begin(n->objects, rank, thread))
        return no_memory(error);
    enum pilgrim_status status = begin_rank(n, rank, error);
    if (status == PILGRIM_OK)
        status = pilgrim_communicators_open(n->trace, rank, &n->created, error);
    if (status == PILGRIM_OK)
        find_next(n);
    return status;
}

static bool is_object(const struct pilgrim_value *v, const char *kind)
{
    return v->type == PILGRIM_OBJECT && strcmp(v->text, kind) == 0;
}

/* Returns what the program named the object V; NULL: nothing, or names are not wanted. */
static const char *given_name(const struct table_names *n, const struct pilgrim_value *v)
{
    return n->objects ? object_names_find(n->objects, v) : NULL;
}

/* Sets *NUMBER to that of the communicator V, or of a window or file. 0: it is none. */
static bool find_communicator(struct table_names *n, const struct pilgrim_value *v, int kind, uint32_t *number)
{
    char name[NAME_MAX_BYTES];
    *number = 0;
    if (kind == KIND_COMMUNICATOR && v->type == PILGRIM_NAME)
        return texts_add(&n->communicators, v->text, 0, number);
    if (v->type != PILGRIM_OBJECT && v->type != PILGRIM_REQUEST)
        return true;
    const uint64_t *known = key_table_find(&n->bound, object_key(kind, v));
    if (!known)
        known = key_table_find(&n->common, object_key(kind, v));
    if (known)
        *number = (uint32_t)*known;
    if (kind != KIND_COMMUNICATOR)
        return true;
    if (!known) {
        snprintf(name, sizeof name, "%s:%" PRId64, v->text, v->id);
        if (!texts_add(&n->communicators, name, 0, number))
            return false;
    }
    return texts_give(&n->communicators, *number, given_name(n, v));
}

/* ---- calls ---- */

/* The parameters that have a call's communicator; of a window and a file, the one that it was made with. */
static bool communicator_of(struct table_names *n, const struct pilgrim_call *call, uint32_t *number)
{
    static const struct {
        const char *name;
        int kind;
    } names[] = {{"comm", KIND_COMMUNICATOR},
                 {"win", KIND_WINDOW},
                 {"fh", KIND_FILE},
                 {"local_comm", KIND_COMMUNICATOR},
                 {"comm_old", KIND_COMMUNICATOR},
                 {"intercomm", KIND_COMMUNICATOR}};
    *number = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pilgrim_value *v = call_in(call, names[i].name);
        if (v->type == PILGRIM_NONE)
            continue;
        return find_communicator(n, v, names[i].kind, number);
    }
    return true;
}

static bool datatype_number(struct table_names *n, const struct pilgrim_value *v, struct messages *messages,
                            uint32_t *number)
{
    char name[NAME_MAX_BYTES];
    *number = 0;
    if (v->type == PILGRIM_NAME)
        return texts_add(&n->datatypes, v->text, 0, number);
    if (v->type != PILGRIM_OBJECT)
        return true;
    const uint64_t size = messages_type_size(messages, v);
    if (size == UINT64_MAX)
        snprintf(name, sizeof name, "derived, of unknown size");
    else
        snprintf(name, sizeof name, "derived, %" PRIu64 " bytes", size);
    const char *given = given_name(n, v);
    uint64_t mark = 0;
    for (const char *c = given; c && *c; c++)
        mark = (mark ^ (unsigned char)*c) * UINT64_C(0x100000001b3) + 1;
    return texts_add(&n->datatypes, name, mark, number) && texts_give(&n->datatypes, *number, given);
}

static bool datatype_of(struct table_names *n, const struct pilgrim_call *call, struct messages *messages,
                        uint32_t *number)
{
    static const char *const names[] = {"datatype", "sendtype", "origin_datatype", "recvtype"};
    *number = 0;
    if (strncmp(call->function->name, "MPI_Type_", 9) == 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pilgrim_value *v = call_in(call, names[i]);
        if (v->type == PILGRIM_NAME || v->type == PILGRIM_OBJECT)
            return datatype_number(n, v, messages, number);
    }
    return true;
}

/* Binds a persistent request to the call's communicator and datatype; one that sends nothing: to NOT_SENT. */
static bool take_request(struct table_names *n, const struct pilgrim_call *call, const struct pilgrim_value *request,
                         struct messages *messages)
{
    uint32_t communicator = NOT_SENT, datatype = NOT_SENT;
    if (strstr(call->function->name, "end_init") && !value_is_name(call_in(call, "dest"), "MPI_PROC_NULL") &&
        !(communicator_of(n, call, &communicator) && datatype_of(n, call, messages, &datatype)))
        return false;
    return bind(n, &n->bound, object_key(KIND_REQUEST, request), communicator) &&
           bind(n, &n->bound, object_key(KIND_REQUEST_TYPE, request), datatype);
}

/* Binds the object V, an output of the call, to the call's communicator. */
static bool take_output(struct table_names *n, const struct pilgrim_call *call, const struct pilgrim_value *v,
                        struct messages *messages)
{
    uint32_t number;
    if (is_object(v, "win") || is_object(v, "file"))
        return communicator_of(n, call, &number) &&
               bind(n, &n->bound, object_key(is_object(v, "win") ? KIND_WINDOW : KIND_FILE, v), number);
    if (v->type == PILGRIM_REQUEST && strstr(call->function->name, "_init"))
        return take_request(n, call, v, messages);
    if (!n->has_next)
        return true;
    const struct pilgrim_value next = object_of(n->next_name);
    bool null = next.type == PILGRIM_NONE && value_is_name(v, "MPI_COMM_NULL");
    if (!null && (!is_object(v, "comm") || next.type == PILGRIM_NONE || next.id != v->id))
        return true;
    bool good = null || (number_of(n, n->next_name, n->next.identity, &number) &&
                         bind(n, &n->bound, object_key(KIND_COMMUNICATOR, v), number));
    find_next(n);
    return good;
}

enum pilgrim_status table_names_see(struct table_names *n, const struct pilgrim_call *call, struct messages *messages)
{
    const struct pilgrim_function *f = call->function;
    if (n->objects)
        n->changes += object_names_at(n->objects, call->seq);
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].direction == PILGRIM_OUT && !take_output(n, call, &call->out[i], messages))
            return PILGRIM_NOMEM;
    return PILGRIM_OK;
}

static bool sends(const struct table_names *n, const struct pilgrim_value *request)
{
    const uint64_t *known =
        request->type == PILGRIM_REQUEST ? key_table_find(&n->bound, object_key(KIND_REQUEST, request)) : NULL;
    return known && *known != NOT_SENT;
}

/* Returns the request that is started with message MESSAGE of the call; NULL: it starts none. */
static const struct pilgrim_value *started(const struct table_names *n, const struct pilgrim_call *call, size_t message)
{
    if (strncmp(call->function->name, "MPI_Start", 9) != 0)
        return NULL;
    const struct pilgrim_value *one = call_in(call, "request"), *all = call_in(call, "array_of_requests");
    if (all->type != PILGRIM_ARRAY)
        return sends(n, one) ? one : NULL;
    for (size_t i = 0; i < all->count; i++)
        if (sends(n, &all->items[i]) && message-- == 0)
            return &all->items[i];
    return NULL;
}

bool table_names_communicator(struct table_names *n, const struct pilgrim_call *call, size_t message, uint32_t *number)
{
    const struct pilgrim_value *request = started(n, call, message);
    return request ? find_communicator(n, request, KIND_REQUEST, number) : communicator_of(n, call, number);
}

bool table_names_datatype(struct table_names *n, const struct pilgrim_call *call, size_t message,
                          struct messages *messages, uint32_t *number)
{
    const struct pilgrim_value *request = started(n, call, message);
    return request ? find_communicator(n, request, KIND_REQUEST_TYPE, number) : datatype_of(n, call, messages, number);
}

void table_names_free(struct table_names *n)
{
    texts_free(&n->communicators);
    texts_free(&n->datatypes);
    key_table_clear(&n->bound);
    key_table_clear(&n->common);
    pilgrim_communicators_close(n->created);
    object_names_free(n->objects);
}
