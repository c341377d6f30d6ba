/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects, requests and memory as arguments: elements of arrays, by the numbers that the trace has for them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/type_sizes.h"
#include "generate.h"
#include "generate_functions.h"
#include "generate_state.h"
#include "generate_threads.h"

enum { REQUEST_OFFSETS = 1 << 20 };

static struct object_kind kinds[OBJECT_KINDS] = {
    {"comm", "comm", "MPI_Comm", "MPI_COMM_NULL", -1, false},
    {"datatype", "type", "MPI_Datatype", "MPI_DATATYPE_NULL", -1, false},
    {"group", "group", "MPI_Group", "MPI_GROUP_NULL", -1, false},
    {"op", "op", "MPI_Op", "MPI_OP_NULL", -1, false},
    {"win", "win", "MPI_Win", "MPI_WIN_NULL", -1, false},
    {"file", "file", "MPI_File", "MPI_FILE_NULL", -1, false},
    {"info", "info", "MPI_Info", "MPI_INFO_NULL", -1, false},
    {"errhandler", "handler", "MPI_Errhandler", "MPI_ERRHANDLER_NULL", -1, false},
    {"keyval", "keyval", "int", "MPI_KEYVAL_INVALID", -1, false},
    {"message", "message", "MPI_Message", "MPI_MESSAGE_NULL", -1, false},
    {"session", "session", "MPI_Session", "MPI_SESSION_NULL", -1, false},
};

struct rank_state *rank_state_new(struct proxy *p, uint32_t rank, uint32_t thread)
{
    struct rank_state *s = generate_alloc(sizeof *s);
    s->proxy = p;
    s->rank = rank;
    s->thread = thread;
    p->kinds = kinds;
    return s;
}

/* Returns the index of the kind of an object; OBJECT_KINDS if it is unknown. */
static size_t kind_of(const struct pilgrim_value *v)
{
    size_t kind = 0;
    while (kind < OBJECT_KINDS && strcmp(kinds[kind].word, v->text) != 0)
        kind++;
    return v->id >= 0 && v->id < OBJECTS_MAX ? kind : OBJECT_KINDS;
}

static bool is_made(const struct rank_state *s, size_t kind, int64_t id)
{
    return (size_t)id < s->made_capacity[kind] && s->made[kind][id];
}

/* Adds CHANGE to how often an object was given out; 0: it is not there any more. */
static void set_made(struct rank_state *s, size_t kind, int64_t id, int change)
{
    while ((size_t)id >= s->made_capacity[kind]) {
        size_t capacity = s->made_capacity[kind] ? 2 * s->made_capacity[kind] : 64;
        unsigned char *larger = generate_alloc(capacity);
        if (s->made_capacity[kind])
            memcpy(larger, s->made[kind], s->made_capacity[kind]);
        s->made[kind] = larger;
        s->made_capacity[kind] = capacity;
    }
    unsigned char *made = &s->made[kind][id];
    if (change == 0)
        *made = 0;
    else if (change > 0 ? *made < 255 : *made > 0)
        *made = (unsigned char)(*made + change);
}

/* ---- numbers of a thread's own ---- */

enum { NO_NUMBER = -1 };

/* Returns where NUMBER stands in a list; it takes the first free place if it is not there. */
static int64_t place_of(int64_t **list, size_t *count, int64_t number)
{
    size_t i = 0, free_place;
    while (i < *count && (*list)[i] != number)
        i++;
    if (i < *count)
        return (int64_t)i;
    for (free_place = 0; free_place < *count && (*list)[free_place] != NO_NUMBER;)
        free_place++;
    if (free_place == *count) {
        *list = generate_grow(*list, *count, sizeof **list);
        ++*count;
    }
    (*list)[free_place] = number;
    return (int64_t)free_place;
}

int64_t state_own_object(struct rank_state *s, size_t kind, int64_t id)
{
    return s->proxy->thread_count > 1 ? place_of(&s->own[kind], &s->own_count[kind], id) : id;
}

int64_t state_own_stack(struct rank_state *s, int64_t id)
{
    return s->proxy->thread_count > 1 ? place_of(&s->stacks, &s->stack_count, id) : id;
}

static void forget_own(struct rank_state *s, size_t kind, int64_t id)
{
    for (size_t i = 0; i < s->own_count[kind]; i++)
        if (s->own[kind][i] == id)
            s->own[kind][i] = NO_NUMBER;
}

static void put_object(struct call_writer *w, const struct pilgrim_value *v, bool is_new)
{
    size_t kind = kind_of(v);
    if (kind == OBJECT_KINDS) {
        w->problem = "an object of an unknown kind";
        return;
    }
    bool own = is_new || is_made(w->state, kind, v->id);
    int64_t shared = threads_shared(w->state, v->text, v->id, own);
    if (!own && shared < 0)
        w->problem = "it needs an object that no call here makes";
    else if (!own)
        threads_note_use(w->state, shared);
    int64_t number = shared >= 0 ? shared : state_own_object(w->state, kind, v->id);
    if (shared < 0 && kinds[kind].most < number)
        kinds[kind].most = number;
    kinds[kind].shared = kinds[kind].shared || shared >= 0;
    row_text(w, shared < 0 ? "" : "shared_");
    row_text(w, kinds[kind].array);
    row_text(w, "[");
    row_hole(w, HOLE, number);
    row_text(w, "]");
    w->varies = true;
}

/* ---- requests ---- */

const char *request_key(const char *function, const char *place)
{
    return text_format("%s at %s", function, place ? place : "?");
}

struct request_name *state_name_request(struct rank_state *s, int64_t id, const char *key, size_t number)
{
    struct proxy *p = s->proxy;
    size_t class_number = 0;
    key = text_format("%s#%zu", key, number);
    while (class_number < p->request_count && strcmp(p->requests[class_number].key, key) != 0)
        class_number++;
    if (class_number == p->request_count) {
        p->requests = generate_grow(p->requests, p->request_count, sizeof *p->requests);
        p->requests[p->request_count++] = (struct request_class){.key = key, .most = -1};
    }
    s->requests = generate_grow(s->requests, s->request_count, sizeof *s->requests);
    s->requests[s->request_count] = (struct request_name){id, class_number};
    return &s->requests[s->request_count++];
}

/* Returns the class of the request, which this call may begin. */
static struct request_name *find_request(struct call_writer *w, const struct pilgrim_value *v, bool is_new)
{
    struct rank_state *s = w->state;
    struct proxy *p = s->proxy;
    for (size_t i = 0; i < s->request_count; i++)
        if (s->requests[i].id == v->id)
            return &s->requests[i];
    if (!is_new)
        return NULL;
    size_t before = 0;
    const char *own = request_key(w->call->function->name, w->place);
    if (p->requests_shared)
        own = text_format("%s in thread %u", own, (unsigned)s->thread);
    size_t length = strlen(own);
    for (size_t i = 0; i < s->request_count; i++) {
        const char *other = p->requests[s->requests[i].class_number].key;
        before += strncmp(other, own, length) == 0 && other[length] == '#';
    }
    return state_name_request(s, v->id, own, before);
}

/* True if the call takes MPI_REQUEST_NULL for a request that was begun while nothing was recorded. */
static bool takes_null_request(const struct pilgrim_call *call)
{
    static const char *const functions[] = {"MPI_Wait", "MPI_Test", "MPI_Request_get_status"};
    bool takes = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        takes |= strncmp(call->function->name, functions[i], strlen(functions[i])) == 0;
    return takes;
}

/* Returns what stands for a request until all are known; -1: MPI_REQUEST_NULL, or one that no call here begins. */
static int64_t request_number(struct call_writer *w, const struct pilgrim_value *v, bool is_new)
{
    if (v->type != PILGRIM_REQUEST || v->offset < 0 || v->offset >= REQUEST_OFFSETS)
        return -1;
    bool foreign, query = strncmp(w->call->function->name, "MPI_Request_get", 15) == 0;
    size_t shared = threads_request(w->state, v->id, v->offset, &foreign);
    struct request_name other = {.class_number = shared};
    struct request_name *name = shared == SIZE_MAX ? find_request(w, v, is_new) : foreign && query ? NULL : &other;
    if (!name) {
        w->varies = true;
        if (!takes_null_request(w->call))
            w->problem = "it needs a request that no call here makes";
        return -1;
    }
    struct request_class *class = &w->state->proxy->requests[name->class_number];
    if (class->left_out && !is_new && !takes_null_request(w->call))
        w->problem = "it needs a request that no call here makes";
    if (class->most < v->offset)
        class->most = v->offset;
    return (int64_t)name->class_number * REQUEST_OFFSETS + v->offset;
}

void row_requests_left_out(struct call_writer *w)
{
    for (size_t i = 0; i < w->call->function->parameter_count; i++) {
        const struct pilgrim_value *v = &w->call->out[i];
        const struct request_name *name =
            v->type == PILGRIM_REQUEST && w->call->in[i].type != PILGRIM_REQUEST ? find_request(w, v, true) : NULL;
        if (name)
            w->state->proxy->requests[name->class_number].left_out = true;
    }
}

void row_request_hole(struct call_writer *w, const struct pilgrim_value *v)
{
    row_hole(w, HOLE_REQUEST, request_number(w, v, false));
}

static void put_request(struct call_writer *w, const struct pilgrim_value *v, bool pointer)
{
    int64_t number = request_number(w, v, false);
    if (number < 0) {
        row_text(w, pointer ? "&(MPI_Request){MPI_REQUEST_NULL}" : "MPI_REQUEST_NULL");
        return;
    }
    row_text(w, pointer ? "&request[" : "request[");
    row_hole(w, HOLE_REQUEST, number);
    row_text(w, "]");
}

static void put_requests(struct call_writer *w, const struct pilgrim_value *v)
{
    const char hole = HOLE_REQUESTS;
    if (!v->count) {
        row_text(w, "request");
        return;
    }
    text_bytes(&w->form, &hole, 1);
    text_put(&w->form, "%zu;", v->count);
    for (size_t i = 0; i < v->count; i++)
        row_number(w, request_number(w, &v->items[i], false));
    if (w->state->proxy->most_elements < v->count)
        w->state->proxy->most_elements = v->count;
}

/* ---- arguments ---- */

/* Writes an element of type TYPE. */
static void put_element(struct call_writer *w, const struct pilgrim_value *v, const char *type)
{
    size_t kind = 0;
    if (v->type == PILGRIM_OBJECT)
        put_object(w, v, false);
    else if (v->type == PILGRIM_NAME && strcmp(v->text, "NULL") != 0)
        row_name(w, v->text);
    else {
        while (kind < OBJECT_KINDS && strcmp(kinds[kind].type, type) != 0)
            kind++;
        row_text(w, kind < OBJECT_KINDS ? kinds[kind].none : "0");
    }
}

/* True if the call frees the object that is parameter I. */
static bool releases(const struct pilgrim_call *call, size_t i)
{
    return call->in[i].type == PILGRIM_OBJECT && call->out[i].type == PILGRIM_NAME;
}

void row_give(struct call_writer *w, const struct pilgrim_value *v)
{
    text_put(&w->form, "\ngive_%s(", kinds[kind_of(v)].array);
    put_object(w, v, true);
    row_text(w, ");");
}

void row_handle(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->in[i];
    const struct generate_parameter *g = &w->function->parameters[i];
    bool request = strcmp(g->type, "MPI_Request") == 0;
    if (g->pointers > 0 && releases(w->call, i) && threads_given(w->state, v)) {
        text_put(&w->form, "take_%s()", kinds[kind_of(v)].array);
        w->varies = true;
    } else if (v->type == PILGRIM_ARRAY && request) {
        put_requests(w, v);
    } else if (v->type == PILGRIM_ARRAY) {
        if (w->begins)
            text_put(&w->form, "keep(sizeof(%s[%zu]), ", g->type, v->count ? v->count : 1);
        text_put(&w->form, "(%s[]){", g->type);
        for (size_t k = 0; k < v->count; k++) {
            row_text(w, k ? ", " : "");
            put_element(w, &v->items[k], g->type);
        }
        row_text(w, v->count ? "}" : "0}");
        row_text(w, w->begins ? ")" : "");
    } else if (request) {
        put_request(w, v, g->pointers > 0);
    } else if (v->type == PILGRIM_NONE && g->pointers > 0) {
        row_text(w, "NULL");
    } else if (g->pointers == 0 || v->type != PILGRIM_OBJECT) {
        if (g->pointers > 0)
            text_put(&w->form, "&(%s){", g->type);
        put_element(w, v, g->type);
        row_text(w, g->pointers > 0 ? "}" : "");
    } else if (releases(w->call, i) && kind_of(v) < OBJECT_KINDS && is_made(w->state, kind_of(v), v->id) &&
               w->state->made[kind_of(v)][v->id] > 1) { /* MPI gave it several times, each of which is freed */
        text_put(&w->form, "&(%s){", g->type);
        put_object(w, v, false);
        row_text(w, "}");
    } else {
        row_text(w, "&");
        put_object(w, v, false);
    }
}

void row_new_handle(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->out[i];
    if (v->type == PILGRIM_REQUEST) {
        row_text(w, "&request[");
        row_hole(w, HOLE_REQUEST, request_number(w, v, true));
        row_text(w, "]");
    } else if (v->type == PILGRIM_OBJECT) {
        row_text(w, "&");
        put_object(w, v, true);
    } else {
        row_scratch(w, i);
    }
}

/* ---- memory that MPI gives ---- */

static int64_t *window_memory(struct rank_state *s, const struct pilgrim_value *win)
{
    if (win->type != PILGRIM_OBJECT || win->id < 0 || win->id >= WINDOW_MEMORIES)
        return NULL;
    if (!s->window_memory) {
        s->window_memory = generate_alloc(WINDOW_MEMORIES * sizeof *s->window_memory);
        s->window_capacity = WINDOW_MEMORIES;
    }
    return &s->window_memory[win->id];
}

void row_new_memory(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->out[i];
    struct proxy *p = w->state->proxy;
    if (v->type != PILGRIM_HEAP || v->id < 0 || v->id >= OBJECTS_MAX || strstr(w->function->name, "shared_query")) {
        row_text(w, "any_pointer[0]");
        return;
    }
    if (p->most_memory[0] < v->id)
        p->most_memory[0] = v->id;
    if (v->offset != 0) { /* see row_after */
        row_text(w, "any_pointer[0]");
    } else {
        row_text(w, "&heap[");
        row_hole(w, HOLE, v->id);
        row_text(w, "]");
    }
    int64_t *memory = window_memory(w->state, call_out(w->call, "win"));
    if (memory)
        *memory = v->id + 1;
    w->varies = true;
}

bool window_is_dynamic(struct rank_state *s, const struct pilgrim_value *win)
{
    const int64_t *memory = window_memory(s, win);
    return memory && *memory == WINDOW_IS_DYNAMIC;
}

static void put_arena(struct call_writer *w, int64_t id)
{
    row_text(w, "\nheap[");
    row_hole(w, HOLE, id);
    row_text(w, "] = arena();");
    w->varies = true;
}

void row_after(struct call_writer *w)
{
    const struct pilgrim_value *base = call_in(w->call, "base");
    int64_t *memory =
        strcmp(w->function->name, "MPI_Win_free") == 0 ? window_memory(w->state, call_in(w->call, "win")) : NULL;
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const struct pilgrim_value *v = &w->call->out[i];
        if (w->function->parameters[i].argument == ARGUMENT_NEW_POINTER && v->type == PILGRIM_HEAP && v->offset != 0 &&
            v->id >= 0 && v->id < OBJECTS_MAX && !strstr(w->function->name, "shared_query")) {
            row_text(w, "\nheap[");
            row_hole(w, HOLE, v->id);
            row_text(w, "] = (char *)any_pointer[0][0] - ");
            row_hole(w, HOLE, v->offset);
            row_text(w, ";");
        }
        for (size_t k = 0; v->type == PILGRIM_ARRAY && k < v->count && v->items[k].type == PILGRIM_OBJECT; k++) {
            if (w->function->parameters[i].argument != ARGUMENT_NEW_HANDLE)
                break;
            row_text(w, "\n");
            put_object(w, &v->items[k], true);
            row_text(w, " = ");
            row_scratch(w, i);
            text_put(&w->form, "[%zu];", k);
        }
    }
    if (strcmp(w->function->name, "MPI_Free_mem") == 0 && base->type == PILGRIM_HEAP)
        put_arena(w, base->id);
    if (memory && *memory > 0)
        put_arena(w, *memory - 1);
    if (memory)
        *memory = 0;
    memory = strncmp(w->function->name, "MPI_Win_create", 14) == 0 ? window_memory(w->state, call_out(w->call, "win"))
                                                                   : NULL;
    if (memory)
        *memory = strcmp(w->function->name, "MPI_Win_create_dynamic") == 0 ? WINDOW_IS_DYNAMIC : 0;
}

/* ---- what is learnt ---- */

#define BYTES_MOST (UINT64_C(1) << 28)

static uint64_t times(uint64_t a, uint64_t b)
{
    return a && b > BYTES_MOST / a ? BYTES_MOST : a * b;
}

static uint64_t magnitude(const struct pilgrim_value *v)
{
    uint64_t most = 0;
    if (v->type == PILGRIM_INT)
        most = v->integer < 0 ? 0 - (uint64_t)v->integer : (uint64_t)v->integer;
    for (size_t i = 0; v->type == PILGRIM_ARRAY && i < v->count; i++) {
        uint64_t one = magnitude(&v->items[i]);
        most = one > most ? one : most;
    }
    return most < BYTES_MOST ? most : BYTES_MOST;
}

/* Finds how large buffers and arrays have to be: more than that does no harm, memory is taken where it is used. */
static void learn_sizes(struct call_writer *w)
{
    static uint64_t extent = 16; /* of a datatype that calls make */
    struct proxy *p = w->state->proxy;
    const struct pilgrim_call *call = w->call;
    bool makes = strncmp(call->function->name, "MPI_Type_", 9) == 0, buffer = false;
    uint64_t most = 1, product = 1, element = 1;
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        const struct pilgrim_value *v = &call->in[i], *out = &call->out[i];
        uint64_t one = magnitude(v), elements = v->type == PILGRIM_ARRAY ? v->count : out->count;
        product = times(product, v->type == PILGRIM_ARRAY ? times(one + 1, v->count) : one > 1 ? one : 1);
        most = one > most && !strstr(call->function->parameters[i].name, "tag") ? one : most;
        elements = strncmp(call->function->parameters[i].name, "max", 3) == 0 && one > elements ? one : elements;
        p->most_elements = elements > p->most_elements && elements < (1 << 24) ? elements : p->most_elements;
        uint64_t size = v->type == PILGRIM_NAME                                         ? type_size_predefined(v->text)
                        : v->type == PILGRIM_OBJECT && strcmp(v->text, "datatype") == 0 ? extent
                                                                                        : 1;
        element = size != TYPE_SIZE_UNKNOWN && size > element ? size : element;
        buffer = buffer || (w->function && w->function->parameters[i].argument == ARGUMENT_BUFFER);
    }
    if (makes)
        extent = times(product, element) > extent ? times(product, element) : extent;
    uint64_t bytes = times(times(most, element), p->rank_count);
    if (buffer && !makes && bytes > p->most_bytes)
        p->most_bytes = bytes;
}

void state_learn(struct call_writer *w)
{
    struct rank_state *s = w->state;
    for (size_t i = 0; w->function && i < w->call->function->parameter_count && i < w->function->parameter_count; i++) {
        const struct pilgrim_value *v = &w->call->out[i];
        size_t count = v->type == PILGRIM_ARRAY ? v->count : 1;
        for (size_t k = 0; k < count && w->function->parameters[i].argument == ARGUMENT_NEW_HANDLE; k++) {
            const struct pilgrim_value *one = v->type == PILGRIM_ARRAY ? &v->items[k] : v;
            size_t kind = one->type == PILGRIM_OBJECT ? kind_of(one) : OBJECT_KINDS;
            if (kind == OBJECT_KINDS)
                continue;
            set_made(s, kind, one->id, w->left_out ? 0 : 1);
            if (w->left_out)
                forget_own(s, kind, one->id);
            w->varies = true;
        }
        size_t freed = !w->left_out && releases(w->call, i) ? kind_of(&w->call->in[i]) : OBJECT_KINDS;
        if (freed < OBJECT_KINDS)
            threads_note_free(s, w->call->in[i].text, w->call->in[i].id);
        if (freed < OBJECT_KINDS && is_made(s, freed, w->call->in[i].id))
            set_made(s, freed, w->call->in[i].id, -1);
        if (freed < OBJECT_KINDS && !is_made(s, freed, w->call->in[i].id))
            forget_own(s, freed, w->call->in[i].id);
    }
    for (size_t i = 0; w->function && i < w->call->function->parameter_count; i++)
        for (int out = 0; out < 2; out++) {
            const struct pilgrim_value *v = out ? &w->call->out[i] : &w->call->in[i];
            size_t count = v->type == PILGRIM_ARRAY ? v->count : 1;
            for (size_t k = 0; k < count; k++) {
                const struct pilgrim_value *one = v->type == PILGRIM_ARRAY ? &v->items[k] : v;
                if (one->type != PILGRIM_OBJECT || !threads_given_away(s, one) || kind_of(one) == OBJECT_KINDS)
                    continue;
                set_made(s, kind_of(one), one->id, 0);
                forget_own(s, kind_of(one), one->id);
            }
        }
    learn_sizes(w);
    if (strcmp(w->call->function->name, "MPI_Dims_create") == 0)
        ranks_learn_grid(s->proxy, call_in(w->call, "dims"), call_out(w->call, "dims"));
    else if (strcmp(w->call->function->name, "MPI_Cart_create") == 0)
        ranks_learn_grid(s->proxy, NULL, call_in(w->call, "dims"));
}
