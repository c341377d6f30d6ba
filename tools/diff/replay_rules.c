/* SPDX-License-Identifier: BSD-3-Clause */
/* What a replay changes; see replay_rules.h. docs/pilgrim-replay.1 lists it for users. */
#include "replay_rules.h"

#include <string.h>

/* Results that are of the run, and names in whose place a replay has its own. A parameter "*": all; a star before a
 * text: names that end so. */
static const char *const changed[][2] = {
    {"MPI_Init", "*"},
    {"MPI_Init_thread", "*"},
    {"MPI_Get_address", "location"},
    {"MPI_Address", "location"},
    {"MPI_Get_processor_name", "*"},
    {"MPI_Get_library_version", "*"},
    {"MPI_Open_port", "port_name"},
    {"MPI_Lookup_name", "port_name"},
    {"MPI_Error_string", "*"},
    {"MPI_Attr_get", "attribute_val"},
    {"MPI_Comm_get_attr", "attribute_val"},
    {"MPI_Win_get_attr", "attribute_val"},
    {"MPI_Type_get_attr", "attribute_val"},
    {"MPI_Query_thread", "provided"},
    {"MPI_Is_thread_main", "flag"},
    {"MPI_Buffer_detach", "buffer_addr"},
    {"MPI_Session_get_nth_pset", "*"},
    {"MPI_Add_error_class", "errorclass"},
    {"MPI_Add_error_code", "errorcode"},
    {"MPI_Type_get_contents", "array_of_addresses"},
    {"MPI_Type_get_contents_c", "array_of_addresses"},
    {"MPI_Initialized", "flag"},
    {"MPI_Finalized", "flag"},
    {"MPI_Status_set_elements", "status"},
    {"MPI_Status_set_elements_x", "status"},
    {"MPI_Status_set_elements_c", "status"},
    {"MPI_Status_set_cancelled", "status"},
    {"MPI_Comm_get_errhandler", "errhandler"},
    {"MPI_Errhandler_get", "errhandler"},
    {"MPI_File_open", "filename"},
    {"MPI_File_delete", "filename"},
    {"MPI_Comm_connect", "port_name"},
    {"MPI_Comm_accept", "port_name"},
    {"MPI_Close_port", "port_name"},
    {"MPI_Publish_name", "port_name"},
    {"MPI_Unpublish_name", "port_name"},
};

/* The same where texts are other ones: how long they are. */
static const char *const lengths[] = {"resultlen", "valuelen", "buflen"};

/* These take a request that is there already. */
static const char *const takes_request[] = {
    "MPI_Cancel",      "MPI_Request_get_status", "MPI_Grequest_complete", "MPI_Pready",
    "MPI_Pready_list", "MPI_Pready_range",       "MPI_Parrived",
};

static bool is_one(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int find(const struct pilgrim_function *f, const char *name)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (strcmp(f->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

static struct key key_of(const struct pilgrim_value *v)
{
    return (struct key){{(uint64_t)v->id, (uint64_t)v->offset}};
}

void replayed_thread_free(struct replayed_thread *t)
{
    key_table_clear(&t->requests);
    key_table_clear(&t->general);
    key_table_clear(&t->windows);
}

/* ---- calls ---- */

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static bool failed(const struct pilgrim_call *call)
{
    if (!call->function->returns_error_code)
        return false;
    if (call->ret.type == PILGRIM_NAME)
        return strcmp(call->ret.text, "MPI_SUCCESS") != 0;
    return call->ret.type != PILGRIM_INT || call->ret.integer != 0;
}

static bool is_dynamic(const struct replayed_thread *t, const struct pilgrim_value *window)
{
    const uint64_t *found = key_table_find(&t->windows, key_of(window));
    return found && *found;
}

bool replay_leaves_out(const struct replayed_thread *t, const struct pilgrim_call *call, const char *not_replayed)
{
    const struct pilgrim_function *f = call->function;
    int window = find(f, "win");
    if (strcmp(f->name, "pilgrim_marker") == 0 || is_listed(not_replayed, f->name) || failed(call))
        return true;
    return window >= 0 && find(f, "target_disp") >= 0 && is_dynamic(t, &call->in[window]);
}

static void begin(struct replayed_thread *t, const struct pilgrim_call *call, const struct pilgrim_value *request)
{
    uint64_t *number = key_table_put(&t->requests, key_of(request), 0);
    uint64_t *general = key_table_put(&t->general, key_of(request), 0);
    t->begun++;
    if (number)
        *number = t->begun;
    if (general)
        *general = strcmp(call->function->name, "MPI_Grequest_start") == 0;
}

void replay_follow(struct replayed_thread *t, const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    int request = find(f, "request"), window = find(f, "win");
    if (failed(call))
        return;
    if (request >= 0 && f->parameters[request].direction == PILGRIM_OUT && call->out[request].type == PILGRIM_REQUEST &&
        !is_one(f->name, takes_request, sizeof takes_request / sizeof *takes_request))
        begin(t, call, &call->out[request]);
    if (window >= 0 && f->parameters[window].direction == PILGRIM_OUT && call->out[window].type == PILGRIM_OBJECT) {
        uint64_t *dynamic = key_table_put(&t->windows, key_of(&call->out[window]), 0);
        if (dynamic)
            *dynamic = strcmp(f->name, "MPI_Win_create_dynamic") == 0;
    }
}

uint64_t replay_request(const struct replayed_thread *t, const struct pilgrim_value *request)
{
    const uint64_t *number = key_table_find(&t->requests, key_of(request));
    return number ? *number : 0;
}

/* ---- values ---- */

static bool fits(const char *pattern, const char *name)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0;
}

static bool is_wildcard(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_NAME && strncmp(v->text, "MPI_ANY_", 8) == 0;
}

/* The indices of the requests that the call completed, where it chose; NULL: it did not. */
static const struct pilgrim_value *chosen(const struct pilgrim_call *call)
{
    int index = find(call->function, "index"), indices = find(call->function, "array_of_indices");
    if (index >= 0 && call->out[index].type == PILGRIM_INT)
        return &call->out[index];
    return indices >= 0 && call->out[indices].type == PILGRIM_ARRAY ? &call->out[indices] : NULL;
}

/* The status of a request whose status the program's own function sets. */
static bool is_general(const struct replayed_thread *t, const struct pilgrim_call *call)
{
    int request = find(call->function, "request");
    if (request < 0 || call->function->parameters[request].direction != PILGRIM_INOUT)
        return false;
    const uint64_t *general = key_table_find(&t->general, key_of(&call->in[request]));
    return general && *general;
}

bool replay_changes(const struct replayed_thread *t, const struct pilgrim_call *a, size_t i, bool texts)
{
    const struct pilgrim_function *f = a->function;
    const char *name = f->parameters[i].name;
    for (size_t k = 0; k < sizeof changed / sizeof *changed; k++)
        if (strcmp(changed[k][0], f->name) == 0 && fits(changed[k][1], name))
            return true;
    if (texts && is_one(name, lengths, sizeof lengths / sizeof *lengths))
        return true;
    if (is_wildcard(&a->in[i]))
        return true;
    if (strcmp(name, "status") != 0)
        return false;
    int index = find(f, "index"); /* nothing ended: the status has no meaning */
    return is_general(t, a) || (index >= 0 && a->out[index].type == PILGRIM_NAME);
}

bool replay_changes_item(const struct pilgrim_call *a, size_t i, size_t j)
{
    const struct pilgrim_value *c = strcmp(a->function->parameters[i].name, "array_of_requests") ? NULL : chosen(a);
    if (!c)
        return false;
    if (c->type == PILGRIM_INT)
        return c->integer != (int64_t)j;
    for (size_t k = 0; k < c->count; k++)
        if (c->items[k].integer == (int64_t)j)
            return false;
    return true;
}

/* The error of a status is that of the call; a probe leaves what says if a message was cancelled as it was. */
bool replay_changes_status(const struct pilgrim_call *a, size_t j)
{
    const char *name = a->function->name;
    size_t length = strlen(name);
    return j == 4 || (j == 3 && length > 5 && strcmp(name + length - 5, "probe") == 0);
}
