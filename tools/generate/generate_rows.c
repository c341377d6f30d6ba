/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls as C with holes: each argument by what the table of functions says of it. Nothing of a trace becomes code as it
 * is: names are checked, texts are written as numbers of characters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "generate.h"
#include "generate_functions.h"
#include "generate_state.h"
#include "generate_threads.h"

/* ---- names ---- */

static bool is_constant(const char *text)
{
    size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return text[length] == 0 && length < 64 && (strncmp(text, "MPI_", 4) == 0 || strncmp(text, "MPIX_", 5) == 0);
}

/* Returns the number that stands for a constant; 0 if it is none. */
static int64_t name_number(struct call_writer *w, const char *text)
{
    struct proxy *p = w->state->proxy;
    if (strcmp(text, "NULL") == 0)
        return 0;
    if (!is_constant(text)) {
        w->problem = "a constant without a name";
        return 0;
    }
    const char *name = text_intern(text, strlen(text));
    for (size_t i = 0; i < p->name_count; i++)
        if (p->names[i] == name)
            return NAME_FIRST + (int64_t)i;
    p->names = generate_grow(p->names, p->name_count, sizeof *p->names);
    p->names[p->name_count] = name;
    return NAME_FIRST + (int64_t)p->name_count++;
}

/* ---- pieces of a row ---- */

void row_text(struct call_writer *w, const char *text)
{
    text_bytes(&w->form, text, strlen(text));
}

void row_hole(struct call_writer *w, char hole, int64_t number)
{
    text_bytes(&w->form, &hole, 1);
    row_number(w, number);
}

void row_number(struct call_writer *w, int64_t number)
{
    w->numbers = generate_grow(w->numbers, w->number_count, sizeof *w->numbers);
    w->numbers[w->number_count++] = number;
}

int64_t row_integer(struct call_writer *w, const struct pilgrim_value *v)
{
    switch (v->type) {
    case PILGRIM_INT:
    case PILGRIM_BOOL:
    case PILGRIM_RANK:
        if (number_is_name(v->integer))
            w->problem = "a number out of range";
        return v->integer;
    case PILGRIM_NAME:
        return name_number(w, v->text);
    case PILGRIM_REAL:
        return (int64_t)(v->real > -9e18 && v->real < 9e18 ? v->real : 0);
    default:
        return 0;
    }
}

/* ---- memory ---- */

static const char *const memories[] = {"heap", "data", "stack", "device"};

static int memory_of(const struct pilgrim_value *v)
{
    switch (v->type) {
    case PILGRIM_HEAP:
        return 0;
    case PILGRIM_STATIC:
        return 1;
    case PILGRIM_STACK:
        return 2;
    case PILGRIM_DEVICE:
        return 3;
    default:
        return -1;
    }
}

enum { MEMORIES_MAX = 100000 };

/* Writes "heap[3] + 8". */
static void put_address(struct call_writer *w, const struct pilgrim_value *v)
{
    struct proxy *p = w->state->proxy;
    int memory = memory_of(v);
    if (v->id < 0 || v->id >= MEMORIES_MAX) {
        w->problem = "too many allocations";
        return;
    }
    int64_t id = v->type == PILGRIM_STACK ? state_own_stack(w->state, v->id) : v->id;
    if (p->most_memory[memory] < id)
        p->most_memory[memory] = id;
    uint64_t offset = v->offset < 0 ? 0 - (uint64_t)v->offset : (uint64_t)v->offset;
    if (p->most_offset < offset)
        p->most_offset = offset;
    row_text(w, memories[memory]);
    row_text(w, "[");
    row_hole(w, HOLE, id);
    row_text(w, "] + ");
    row_hole(w, HOLE, v->offset);
}

void row_address(struct call_writer *w, const struct pilgrim_value *v)
{
    if (memory_of(v) >= 0)
        put_address(w, v);
    else if (v->type == PILGRIM_NAME)
        row_name(w, v->text);
    else
        row_text(w, "NULL");
}

void row_name(struct call_writer *w, const char *text)
{
    if (strcmp(text, "NULL") != 0 && !is_constant(text))
        w->problem = "a constant without a name";
    else
        row_text(w, text);
}

/* A number by value, or an element of an array. */
static void put_integer(struct call_writer *w, const struct pilgrim_value *v)
{
    if (memory_of(v) >= 0) {
        row_text(w, "(MPI_Aint)(intptr_t)(");
        put_address(w, v);
        row_text(w, ")");
    } else if (v->type == PILGRIM_FLAGS) {
        for (size_t i = 0; i < v->count; i++) {
            row_text(w, i ? " | " : "");
            row_hole(w, HOLE, row_integer(w, &v->items[i]));
        }
        if (!v->count)
            row_text(w, "0");
    } else {
        row_hole(w, HOLE, row_integer(w, v));
    }
}

/* Writes "1, 2, 3", and arrays of arrays with braces. */
static void put_elements(struct call_writer *w, const struct pilgrim_value *v)
{
    for (size_t i = 0; i < v->count; i++) {
        row_text(w, i ? ", " : "");
        if (v->items[i].type == PILGRIM_ARRAY) {
            row_text(w, "{");
            put_elements(w, &v->items[i]);
            row_text(w, "}");
        } else {
            put_integer(w, &v->items[i]);
        }
    }
    if (!v->count)
        row_text(w, "0");
}

/* Writes "(int[]){1, 2}", which lives as long as a request of the call may. */
static void put_integers(struct call_writer *w, size_t i, const struct pilgrim_value *v)
{
    const struct generate_parameter *g = &w->function->parameters[i];
    if (v->type == PILGRIM_NAME && w->call->function->parameters[i].direction == PILGRIM_IN) {
        row_address(w, v);
        return;
    }
    if (v->type == PILGRIM_NONE || v->type == PILGRIM_NAME) {
        row_text(w, "NULL");
        return;
    }
    if (strcmp(g->type, "void") == 0) { /* the value of an attribute of a window or type */
        row_text(w, "any_pointer[0]");
        return;
    }
    row_text(w, w->begins ? "keep(sizeof(" : "");
    if (w->begins)
        text_put(&w->form, "%s[%zu]%s), ", g->type, v->type == PILGRIM_ARRAY && v->count ? v->count : 1, g->inner);
    text_put(&w->form, "(%s[]%s){", g->type, g->inner);
    if (v->type == PILGRIM_ARRAY)
        put_elements(w, v);
    else
        put_integer(w, v);
    row_text(w, w->begins ? "})" : "}");
}

/* ---- what comes out ---- */

void row_scratch(struct call_writer *w, size_t i)
{
    const char *type = w->function->parameters[i].type;
    struct text name = {0};
    size_t before = 0;
    text_put(&name, "any_%s", strncmp(type, "MPI_", 4) == 0 ? type + 4 : type);
    for (size_t k = 0; k < name.length; k++)
        name.chars[k] = name.chars[k] >= 'A' && name.chars[k] <= 'Z' ? (char)(name.chars[k] + 32) : name.chars[k];
    if (strcmp(text_of(&name), "any_void") == 0 || strchr(text_of(&name), '*')) {
        name.length = 0;
        text_put(&name, "any_pointer");
    }
    for (size_t k = 0; k < i; k++)
        before += strcmp(w->function->parameters[k].type, type) == 0;
    text_put(&w->form, "%s[%zu]", text_of(&name), before < SCRATCH_ROWS ? before : SCRATCH_ROWS - 1);
    text_free(&name);
}

static void put_room(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->out[i];
    const char *parameter = w->call->function->parameters[i].name, *function = w->function->name;
    if (v->type == PILGRIM_NAME &&
        (strcmp(v->text, "NULL") == 0 || strstr(v->text, "IGNORE") || strstr(v->text, "WEIGHT"))) {
        row_address(w, v);
        return;
    }
    const struct pilgrim_value *comm = call_in(w->call, "comm");
    bool world = value_is_name(comm, "MPI_COMM_WORLD");
    if (world && (strcmp(function, "MPI_Comm_rank") == 0 || strcmp(function, "MPI_Comm_size") == 0))
        row_text(w, strcmp(parameter, "rank") == 0 ? "&rank" : "&size");
    else if (w->function->polls && (strcmp(parameter, "flag") == 0 || strcmp(parameter, "outcount") == 0))
        row_text(w, "&found");
    else
        row_scratch(w, i);
}

static void put_status(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->out[i], *first = v;
    for (size_t k = 0; v->type == PILGRIM_ARRAY && k < v->count && first->type != PILGRIM_STATUS; k++)
        first = &v->items[k];
    bool many = w->function->parameters[i].argument == ARGUMENT_STATUSES;
    if (first->type == PILGRIM_STATUS && first->ignored)
        row_text(w, many ? "MPI_STATUSES_IGNORE" : "MPI_STATUS_IGNORE");
    else
        row_text(w, "any_status");
}

static const char *const stubs[] = {"MPI_Copy_function",
                                    "MPI_Comm_copy_attr_function",
                                    "MPI_Type_copy_attr_function",
                                    "MPI_Win_copy_attr_function",
                                    "MPI_Delete_function",
                                    "MPI_Comm_delete_attr_function",
                                    "MPI_Type_delete_attr_function",
                                    "MPI_Win_delete_attr_function",
                                    "MPI_Comm_errhandler_function",
                                    "MPI_File_errhandler_function",
                                    "MPI_Win_errhandler_function",
                                    "MPI_Handler_function",
                                    "MPI_User_function",
                                    "MPI_Grequest_query_function",
                                    "MPI_Grequest_free_function",
                                    "MPI_Grequest_cancel_function"};

static void put_function(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->in[i];
    const char *type = w->function->parameters[i].type;
    if (v->type == PILGRIM_NAME) {
        row_address(w, v);
        return;
    }
    for (size_t k = 0; k < sizeof stubs / sizeof *stubs; k++)
        if (strcmp(stubs[k], type) == 0) {
            text_put(&w->form, "stub_%s", type + 4);
            return;
        }
    w->problem = "a function of the program";
}

/* ---- calls ---- */

/* Writes a source or tag; in place of a wildcard what the call's status says, unless FREE_ORDER is defined. */
static void put_wildcard(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *in = &w->call->in[i], *status = call_out(w->call, "status");
    bool source = value_is_name(in, "MPI_ANY_SOURCE"), tag = value_is_name(in, "MPI_ANY_TAG");
    if (strcmp(w->call->function->parameters[i].name, "target_disp") == 0 &&
        window_is_dynamic(w->state, call_in(w->call, "win")))
        w->problem = "its displacement is an address of the recorded run";
    const struct pilgrim_value *found =
        status->type == PILGRIM_STATUS && status->count >= 2 ? &status->items[!source] : in;
    if ((!source && !tag) || (found->type != PILGRIM_INT && found->type != PILGRIM_RANK)) {
        put_integer(w, in);
        return;
    }
    row_text(w, source ? "any_source(" : "any_tag(");
    row_hole(w, HOLE, found->integer);
    row_text(w, ")");
}

static void put_argument(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *in = &w->call->in[i];
    switch (w->function->parameters[i].argument) {
    case ARGUMENT_INTEGER:
        put_wildcard(w, i);
        break;
    case ARGUMENT_INTEGERS:
        put_integers(w, i, in);
        break;
    case ARGUMENT_ROOM:
        put_room(w, i);
        break;
    case ARGUMENT_BUFFER:
        row_address(w, in);
        break;
    case ARGUMENT_NEW_POINTER:
        row_new_memory(w, i);
        break;
    case ARGUMENT_ATTRIBUTE:
        row_text(w, "(void *)(intptr_t)(");
        put_integer(w, in);
        row_text(w, ")");
        break;
    case ARGUMENT_TEXT:
        row_string(w, i);
        break;
    case ARGUMENT_TEXT_ROOM:
        row_text(w, "any_text");
        break;
    case ARGUMENT_STATUS:
    case ARGUMENT_STATUSES:
        put_status(w, i);
        break;
    case ARGUMENT_STATUS_IN:
        row_text(w, "any_status");
        break;
    case ARGUMENT_HANDLE:
        row_handle(w, i);
        break;
    case ARGUMENT_NEW_HANDLE:
        row_new_handle(w, i);
        break;
    case ARGUMENT_FUNCTION:
        put_function(w, i);
        break;
    }
}

static int compare_names(const void *name, const void *function)
{
    return strcmp(name, ((const struct generate_function *)function)->name);
}

static const struct generate_function *find_function(const char *name)
{
    return bsearch(name, generate_functions, generate_function_count, sizeof *generate_functions, compare_names);
}

/* True if a call is made although it failed: completions and receives took something all the same. */
static bool is_made_again(const char *name)
{
    static const char *const made[] = {"MPI_Wait", "MPI_Test", "MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strncmp(name, made[i], strlen(made[i])) == 0 && strcmp(name, "MPI_Test_cancelled") != 0)
            return true;
    return false;
}

/* True if the rank was killed in the call. */
static bool is_in_flight(const struct rank_state *s, const struct pilgrim_call *call)
{
    return s->proxy->killed && call->ret.type == PILGRIM_NONE &&
           call->seq + 1 == pilgrim_call_count(s->proxy->trace, call->rank, call->thread);
}

static const char *why_left_out(const struct rank_state *s, const struct pilgrim_call *call,
                                const struct generate_function *f)
{
    if (!f || f->parameter_count != call->function->parameter_count)
        return "the MPI that pilgrim-generate was built for lacks it";
    if (f->reason)
        return f->reason;
    if (is_in_flight(s, call))
        return call->thread ? "it had not returned" : NULL;
    if (call->function->returns_error_code && !call_succeeded(call) && !is_made_again(f->name))
        return call->ret.type == PILGRIM_NONE ? "it had not returned" : "it failed";
    return NULL;
}

bool call_is_failed_poll(const struct pilgrim_call *call)
{
    const struct generate_function *f = find_function(call->function->name);
    const struct pilgrim_value *v = f && f->polls ? call_out(call, "flag") : NULL;
    if (v && v->type == PILGRIM_NONE)
        v = call_out(call, "outcount");
    return v && (v->type == PILGRIM_INT || v->type == PILGRIM_BOOL) && v->integer == 0;
}

static void put_left_out(struct call_writer *w, const char *why)
{
    struct proxy *p = w->state->proxy;
    w->form.length = 0;
    w->number_count = 0;
    const char *name = text_comment(w->call->function->name);
    text_put(&w->form, "/* %s is left out: %s */", name, why);
    for (size_t i = 0; i < w->form.length; i++)
        if (w->form.chars[i] < ' ')
            w->form.chars[i] = '_';
    if (!p->left_out++)
        p->first_left_out = text_format("%s: %s", name, why);
    w->left_out = true;
}

static void put_call(struct call_writer *w)
{
    const struct generate_function *f = w->function;
    const char *name = f->name;
    bool flag = f->polls && call_out(w->call, "flag")->type != PILGRIM_NONE;
    bool polls = flag || (f->polls && call_out(w->call, "outcount")->type != PILGRIM_NONE);
    if (is_in_flight(w->state, w->call))
        row_text(w, "before_end();\n");
    threads_before(w);
    row_text(w, polls ? "do\n    " : strcmp(f->type, "int") == 0 || strcmp(f->type, "void") == 0 ? "" : "(void)");
    row_text(w, name);
    row_text(w, "(");
    for (size_t i = 0; i < f->parameter_count; i++) {
        row_text(w, i ? ", " : "");
        put_argument(w, i);
    }
    row_text(w, polls ? ");\nwhile (!found);" : ");");
    row_after(w);
    threads_after(w);
}

/* Writes the arguments argc and argv: those of the generated program, or NULL. */
static void put_program_arguments(struct call_writer *w)
{
    const struct pilgrim_value *count = call_in(w->call, "argc");
    bool given = count->type != PILGRIM_NAME || strcmp(count->text, "NULL") != 0;
    row_text(w, given ? "&argument_count, &arguments" : "NULL, NULL");
}

static void put_special(struct call_writer *w)
{
    const char *name = w->call->function->name;
    struct proxy *p = w->state->proxy;
    if (strcmp(name, "MPI_Init") == 0) {
        row_text(w, "MPI_Init(");
        put_program_arguments(w);
        row_text(w, p->thread_count > 1 ? ");\nstart();\nbegin_threads();" : ");\nstart();");
    } else if (strcmp(name, "MPI_Init_thread") == 0) {
        row_text(w, "MPI_Init_thread(");
        put_program_arguments(w);
        row_text(w, ", ");
        const struct pilgrim_value *required = call_in(w->call, "required");
        if (p->thread_count > 1) /* threads of the program took turns, those here may not */
            row_text(w, "MPI_THREAD_MULTIPLE");
        else
            row_hole(w, HOLE, required->type == PILGRIM_NONE ? 0 : row_integer(w, required));
        row_text(w, p->thread_count > 1 ? ", any_int[0]);\nstart();\nbegin_threads();" : ", any_int[0]);\nstart();");
    } else if (strcmp(name, "MPI_Finalize") == 0) {
        row_text(w, p->thread_count > 1 ? "end_threads();\nMPI_Finalize();" : "MPI_Finalize();");
        w->state->finalized = true;
    } else if (strcmp(name, "MPI_Abort") == 0) {
        if (p->killed) {
            row_text(w, "all_ended();\nMPI_Abort(MPI_COMM_WORLD, ");
            row_hole(w, HOLE, row_integer(w, call_in(w->call, "errorcode")));
            row_text(w, ");");
        } else {
            put_left_out(w, "the program ends as others do");
        }
    }
}

void rank_state_segment(struct rank_state *s)
{
    if (s->known_capacity)
        memset(s->known, 0, s->known_capacity * sizeof *s->known);
}

int64_t call_row(struct rank_state *s, const struct pilgrim_call *call, const char *place)
{
    const char *name = call->function->name;
    struct call_writer w = {.state = s, .call = call, .place = place};
    w.function = find_function(name);
    if (call->identity && call->identity < s->known_capacity && s->known[call->identity])
        return s->known[call->identity] - 1;
    const char *why = why_left_out(s, call, w.function);
    if (strncmp(name, "pilgrim_", 8) != 0)
        put_special(&w);
    if (w.form.length || strncmp(name, "pilgrim_", 8) == 0) {
        /* done */
    } else if (why) {
        put_left_out(&w, why);
        row_requests_left_out(&w);
    } else {
        for (size_t i = 0; i < w.function->parameter_count; i++)
            w.begins = w.begins || (strcmp(w.function->parameters[i].type, "MPI_Request") == 0 &&
                                    w.function->parameters[i].argument == ARGUMENT_NEW_HANDLE);
        put_call(&w);
        if (w.problem)
            put_left_out(&w, w.problem);
    }
    state_learn(&w);
    struct form form = {.text = text_intern(text_of(&w.form), w.form.length), .holes = w.number_count};
    int64_t row = row_store(&form, w.numbers);
    text_free(&w.form);
    if (call->identity && !w.problem && !w.varies && call->identity < (1 << 20)) {
        while (call->identity >= s->known_capacity) {
            size_t capacity = s->known_capacity ? 2 * s->known_capacity : 256;
            int64_t *larger = generate_alloc(capacity * sizeof *larger);
            if (s->known_capacity)
                memcpy(larger, s->known, s->known_capacity * sizeof *larger);
            s->known = larger;
            s->known_capacity = capacity;
        }
        s->known[call->identity] = row + 1;
    }
    return row;
}
