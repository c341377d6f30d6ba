/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that are no objects: numbers, buffers, texts, statuses; see replay_step.h. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "replay_actions.h"
#include "replay_files.h"
#include "replay_thread.h"

enum { ELEMENTS_MAX = 1 << 26, TEXT_ROOM = 64 << 10 };

int step_find(const struct pilgrim_function *f, const char *name)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (strcmp(f->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- constants ---- */

static int constant_order(const void *a, const void *b)
{
    const struct replay_constant *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static struct replay_constant *sorted;
static size_t sorted_count;

static void sort_constants(void)
{
    const struct replay_constant *all = replay_constants(&sorted_count);
    sorted = malloc(sorted_count * sizeof *sorted);
    if (!sorted)
        replay_fail("no memory");
    memcpy(sorted, all, sorted_count * sizeof *sorted);
    qsort(sorted, sorted_count, sizeof *sorted, constant_order);
}

/* Returns the constant called NAME, or NULL. */
static const struct replay_constant *constant_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sort_constants);
    struct replay_constant key = {.name = name};
    return bsearch(&key, sorted, sorted_count, sizeof *sorted, constant_order);
}

/* Returns the value of the constant that V names. */
static uint64_t constant(struct replay_step *s, const struct pilgrim_value *v)
{
    struct replay_thread *t = s->thread;
    size_t at = ((uintptr_t)v->text >> 3) % REPLAY_CACHE;
    if (t && t->names[at].text == v->text)
        return t->names[at].bits;
    if (strcmp(v->text, "NULL") == 0)
        return 0;
    const struct replay_constant *found = constant_find(v->text);
    if (!found) {
        s->problem = "this MPI lacks a constant or predefined handle";
        return 0;
    }
    if (t) {
        t->names[at].text = v->text;
        t->names[at].bits = found->bits;
    }
    return found->bits;
}

/* ---- addresses ---- */

static enum replay_space space_of(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_HEAP ? ARENA_HEAP : v->type == PILGRIM_STATIC ? ARENA_STATIC : ARENA_DEVICE;
}

static char *address(struct replay_step *s, const struct pilgrim_value *v)
{
    struct replay_thread *t = s->thread;
    if (!t)
        return NULL;
    if (v->type == PILGRIM_STACK)
        return t->stack + (v->id & (STACK_AREAS - 1)) * STACK_AREA_BYTES +
               ((v->id / STACK_AREAS) & (STACK_TURNS - 1)) * STACK_TURN_BYTES;
    struct replay_process *r = t->replay;
    pool_lock(r);
    char *found = arena_address(&r->arenas, space_of(v), v->id, v->offset);
    pool_unlock(r);
    if (!found)
        s->problem = "a buffer has no room";
    return found;
}

bool step_memory(struct replay_step *s, const struct pilgrim_value *v, char **low, char **high)
{
    struct replay_process *r = s->thread->replay;
    if (v->type == PILGRIM_STACK) {
        *low = s->thread->stack;
        *high = *low + STACK_AREAS * (size_t)STACK_AREA_BYTES;
        return true;
    }
    pool_lock(r);
    const bool found = arena_limits(&r->arenas, space_of(v), v->id, v->offset, low, high);
    pool_unlock(r);
    return found;
}

void *step_buffer(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *v = &s->call->in[i];
    switch (v->type) {
    case PILGRIM_NAME:
        return (void *)(uintptr_t)constant(s, v);
    case PILGRIM_HEAP:
    case PILGRIM_STACK:
    case PILGRIM_STATIC:
    case PILGRIM_DEVICE:
        return address(s, v);
    default:
        return NULL;
    }
}

void *step_attribute(struct replay_step *s, size_t i)
{
    return (void *)(intptr_t)step_number(s, &s->call->in[i]);
}

void *step_new_pointer(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *v = &s->call->out[i];
    struct replay_process *r = s->thread->replay;
    if (s->action->flags & REPLAY_GIVES_MEMORY && v->type == PILGRIM_HEAP) {
        pool_lock(r);
        arena_release(&r->arenas, v->id);
        pool_unlock(r);
    }
    return step_room(s, i, sizeof(void *));
}

/* ---- numbers ---- */

int64_t step_number(struct replay_step *s, const struct pilgrim_value *v)
{
    int64_t sum = 0;
    switch (v->type) {
    case PILGRIM_INT:
    case PILGRIM_BOOL:
    case PILGRIM_RANK:
        return v->integer;
    case PILGRIM_NAME:
        return (int64_t)constant(s, v);
    case PILGRIM_REAL:
        return (int64_t)v->real;
    case PILGRIM_FLAGS:
        for (size_t i = 0; i < v->count; i++)
            sum |= step_number(s, &v->items[i]);
        return sum;
    case PILGRIM_HEAP:
    case PILGRIM_STACK:
    case PILGRIM_STATIC:
    case PILGRIM_DEVICE:
        return (int64_t)(intptr_t)address(s, v);
    default:
        return 0;
    }
}

int64_t step_integer(struct replay_step *s, size_t i)
{
    if ((int)i == s->source_at)
        return s->source;
    if ((int)i == s->tag_at)
        return s->tag;
    return step_number(s, &s->call->in[i]);
}

static size_t leaves(const struct pilgrim_value *v)
{
    size_t sum = 0;
    if (v->type != PILGRIM_ARRAY)
        return 1;
    for (size_t i = 0; i < v->count; i++)
        sum += leaves(&v->items[i]);
    return sum;
}

static char *put_leaves(struct replay_step *s, char *at, const struct pilgrim_value *v, size_t element)
{
    if (v->type == PILGRIM_ARRAY) {
        for (size_t i = 0; i < v->count; i++)
            at = put_leaves(s, at, &v->items[i], element);
        return at;
    }
    int64_t number = step_number(s, v);
    memcpy(at, &number, element < sizeof number ? element : sizeof number);
    return at + element;
}

/* Returns scratch memory. */
static void *room(struct replay_step *s, size_t count, size_t element)
{
    void *found = count <= ELEMENTS_MAX ? scratch_alloc(&s->thread->scratch, (count + 1) * element) : NULL;
    if (!found)
        s->problem = "an array is too long";
    return found;
}

void *step_integers(struct replay_step *s, size_t i, size_t element)
{
    const struct pilgrim_value *v = &s->call->in[i];
    if (v->type == PILGRIM_NAME && strstr(v->text, "WEIGHT") &&
        strstr(s->call->function->parameters[i].name, "weights"))
        return (void *)(uintptr_t)constant(s, v);
    if (v->type == PILGRIM_NONE || (v->type == PILGRIM_NAME && strcmp(v->text, "NULL") == 0))
        return NULL;
    char *array = room(s, leaves(v), element);
    if (array)
        put_leaves(s, array, v, element);
    s->has_arrays = true;
    s->rooms[i] = array;
    return array;
}

/* Returns an upper bound of the elements of an output array: what was recorded, and the counts that went in. */
static size_t room_count(const struct replay_step *s, size_t i)
{
    const struct pilgrim_call *call = s->call;
    size_t count = call->out[i].type == PILGRIM_ARRAY ? leaves(&call->out[i]) : 1;
    for (size_t j = 0; j < call->function->parameter_count; j++) {
        const struct pilgrim_value *v = &call->in[j];
        bool counts = strstr(call->function->parameters[j].name, "max") ||
                      strstr(call->function->parameters[j].name, "count") || call->function->parameters[j].name[1] == 0;
        if (counts && v->type == PILGRIM_INT && v->integer > 0 && v->integer < ELEMENTS_MAX &&
            (size_t)v->integer > count)
            count = (size_t)v->integer;
    }
    return count;
}

/* True if output I points to MPI's own memory: the value of an attribute that MPI has set. */
static bool is_of_mpi(const struct replay_step *s, size_t i)
{
    const struct pilgrim_function *f = s->call->function;
    int keyval = step_find(f, strcmp(f->name, "MPI_Attr_get") ? "comm_keyval" : "keyval");
    return strcmp(f->parameters[i].name, "attribute_val") == 0 && keyval >= 0 &&
           s->call->in[keyval].type == PILGRIM_NAME;
}

void *step_room(struct replay_step *s, size_t i, size_t element)
{
    const struct pilgrim_value *v = &s->call->out[i];
    if (v->type == PILGRIM_HEAP && is_of_mpi(s, i)) { /* the program's allocation of that name is gone */
        pool_lock(s->thread->replay);
        arena_release(&s->thread->replay->arenas, v->id);
        pool_unlock(s->thread->replay);
    }
    const char *name = s->call->function->parameters[i].name;
    if (v->type == PILGRIM_NAME && ((strstr(v->text, "IGNORE") && (strstr(name, "status") || strstr(name, "err"))) ||
                                    (strstr(v->text, "WEIGHT") && strstr(name, "weights"))))
        return (void *)(uintptr_t)constant(s, v);
    if (v->type == PILGRIM_NAME && strcmp(v->text, "NULL") == 0)
        return NULL;
    bool many = v->type == PILGRIM_ARRAY || v->type == PILGRIM_NONE ||
                strncmp(s->call->function->parameters[i].name, "array", 5) == 0;
    s->rooms[i] = room(s, (many ? room_count(s, i) : 1) + 8, element);
    return s->rooms[i];
}

/* ---- texts ---- */

/* Info values that say what MPI may rely on; the standard names their keys. */
static bool reserved_key(const struct pilgrim_value *key)
{
    static const char *const keys[] = {"mpi_",
                                       "no_locks",
                                       "accumulate_",
                                       "same_",
                                       "alloc_shared_noncontig",
                                       "thread_level",
                                       "access_style",
                                       "collective_buffering",
                                       "cb_",
                                       "chunked",
                                       "striping_",
                                       "num_files",
                                       "nb_proc",
                                       "romio_"};
    for (size_t i = 0; key->type == PILGRIM_STRING && i < sizeof keys / sizeof *keys; i++)
        if (strncmp(key->text, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

char *step_text(struct replay_step *s, size_t i, enum replay_text what)
{
    const struct pilgrim_value *v = &s->call->in[i];
    struct replay_process *r = s->thread->replay;
    if (v->type != PILGRIM_STRING)
        return NULL;
    if (what == REPLAY_FILE_NAME && r->options->no_files)
        s->problem = "--files=none";
    char *text = room(s, v->length + REPLAY_NAME_BYTES, 1);
    if (!text || s->problem)
        return NULL;
    bool kept = what == REPLAY_KEPT_TEXT ||
                ((what == REPLAY_USER_TEXT || what == REPLAY_INFO_VALUE) && r->options->keep_strings) ||
                (what == REPLAY_INFO_VALUE && i > 0 && reserved_key(&s->call->in[i - 1]));
    if (kept)
        memcpy(text, v->text, v->length);
    else if (what == REPLAY_FILE_NAME)
        text = files_path(&s->thread->scratch, r->folder, v->text, v->length);
    else if (what == REPLAY_PORT || what == REPLAY_OTHERS_PORT) {
        double limit_s = what == REPLAY_PORT ? 0 : r->options->stuck_s;
        char *port = files_port(&s->thread->scratch, r->folder, v->text, v->length, limit_s);
        if (port)
            text = port;
        else
            files_replaced(text, v->text, v->length);
    } else
        files_replaced(text, v->text, v->length);
    if (!text)
        s->problem = "a name could not be made";
    s->rooms[i] = text;
    return text;
}

char *step_text_room(struct replay_step *s, size_t i)
{
    s->rooms[i] = room(s, TEXT_ROOM, 1);
    return s->rooms[i];
}

/* ---- statuses ---- */

void *step_statuses(struct replay_step *s, size_t i, int is_array)
{
    const struct pilgrim_value *v = &s->call->out[i];
    const struct pilgrim_value *first = v;
    for (size_t j = 0; v->type == PILGRIM_ARRAY && j < v->count && first->type != PILGRIM_STATUS; j++)
        first = &v->items[j];
    if (first->type == PILGRIM_STATUS && first->ignored)
        return is_array ? (void *)(uintptr_t)MPI_STATUSES_IGNORE : (void *)(uintptr_t)MPI_STATUS_IGNORE;
    s->rooms[i] = room(s, is_array ? room_count(s, i) : 1, sizeof(MPI_Status));
    return s->rooms[i];
}

void *step_status_in(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *v = &s->call->in[i];
    MPI_Status *status = room(s, 1, sizeof *status);
    if (!status || v->type != PILGRIM_STATUS || v->count < 4)
        return status;
    int64_t bytes = step_number(s, &v->items[2]);
    PMPI_Status_set_elements(status, MPI_BYTE, (int)(bytes < 0 || bytes > INT32_MAX ? 0 : bytes));
    PMPI_Status_set_cancelled(status, (int)step_number(s, &v->items[3]));
    status->MPI_SOURCE = (int)step_number(s, &v->items[0]);
    status->MPI_TAG = (int)step_number(s, &v->items[1]);
    return status;
}

step_any_function step_function(struct replay_step *s, size_t i, step_any_function stub)
{
    const struct pilgrim_value *v = &s->call->in[i];
    if (v->type != PILGRIM_NAME || (strcmp(v->text, "NULL") && !strstr(v->text, "_FN")))
        return stub;
    return (step_any_function)(uintptr_t)constant(s, v);
}
