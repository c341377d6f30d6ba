/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what pilgrim-replay (tools/replay) performs calls by: a function for each MPI function, which makes the
 * arguments from recorded values and calls MPI, and the table of them. A recorded function without such an action has
 * its reason in the table below. */
#include "emit_replay.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"

/* Later rows do not override earlier ones: the first pattern that fits counts. */
static const char *const not_replayed[][2] = {
    {"MPI_Init|MPI_Init_thread", "the replay has initialised MPI before"},
    {"MPI_Finalize", "the replay ends with it"},
    {"MPI_Abort", "the replay ends as other replays do"},
    {"MPI_T_*", "concerns the library's own variables, which other libraries do not have"},
    {"MPI_*_f2c|MPI_*_c2f|MPI_Status_*f08*", "Fortran handles are of that run only; it is local"},
    {"MPI_Comm_spawn|MPI_Comm_spawn_multiple", "the children's calls are in another trace"},
    {"MPI_Comm_join", "the socket was the program's"},
    {"MPI_*_call_errhandler", "what the program's handler did was not recorded"},
    {"MPI_Error_class|MPI_Error_string", "its codes are of that run; it is local"},
    {"MPI_Register_datarep*", "what the program's conversion did was not recorded"},
    {"MPIX_Grequest_*", "what completed the request inside MPI was not recorded"},
    {"MPI_Info_create_env", "the arguments are the program's own"},
    {"MPI_Pcontrol", "it would switch off the recording of the replay"},
};

/* What a string says, as enum replay_text (tools/replay/replay_step.h). Others are kept. */
static const char *const texts[][3] = {
    {"MPI_File_open|MPI_File_delete", "filename", "REPLAY_FILE_NAME"},
    {"MPI_Comm_connect", "port_name", "REPLAY_OTHERS_PORT"},
    {"MPI_Comm_accept|MPI_Close_port|MPI_Publish_name|MPI_Unpublish_name", "port_name", "REPLAY_PORT"},
    {"MPI_Publish_name|MPI_Unpublish_name|MPI_Lookup_name", "service_name", "REPLAY_USER_TEXT"},
    {"MPI_Info_set", "value", "REPLAY_INFO_VALUE"},
    {"MPI_*_set_name", "*_name", "REPLAY_USER_TEXT"},
    {"MPI_Add_error_string", "string", "REPLAY_USER_TEXT"},
};

/* What is done beside the call. */
static const char *const flags[][2] = {
    {"MPI_Waitany|MPI_Waitsome|MPI_Testany|MPI_Testsome", "REPLAY_CHOOSES"},
    {"MPI_Open_port", "REPLAY_OPENS_PORT"},
    {"MPI_File_open", "REPLAY_OPENS_FILE"},
    {"MPI_Win_free", "REPLAY_FREES_WINDOW"},
    {"MPI_Free_mem", "REPLAY_FREES_MEMORY"},
    {"MPI_Alloc_mem|MPI_Win_allocate*|MPI_Win_shared_query*", "REPLAY_GIVES_MEMORY"},
    {"MPI_Wait*|MPI_Test|MPI_Testall|MPI_Testany|MPI_Testsome|MPI_Recv*|MPI_Mrecv*|MPI_Sendrecv*",
     "REPLAY_REPEATS_ERROR"},
};

const char *replay_reason(const struct mpi_function *f)
{
    if (f->absent)
        return "the MPI that pilgrim-replay was built for does not have it";
    for (size_t i = 0; i < sizeof not_replayed / sizeof *not_replayed; i++)
        if (gen_matches(not_replayed[i][0], f->name))
            return not_replayed[i][1];
    return NULL;
}

/* The callbacks that tools/replay/replay_stubs.h has a stub for. In place of any other one a function is passed that
 * does nothing. So each is named here: a pattern would fit one without a stub, too, and break the build. */
static const char stubs[] =
    "MPI_User_function|MPI_User_function_c|MPI_Copy_function|MPI_Comm_copy_attr_function|MPI_Type_copy_attr_function|"
    "MPI_Win_copy_attr_function|MPI_Delete_function|MPI_Comm_delete_attr_function|MPI_Type_delete_attr_function|"
    "MPI_Win_delete_attr_function|MPI_Handler_function|MPI_Comm_errhandler_function|MPI_File_errhandler_function|"
    "MPI_Win_errhandler_function|MPI_Session_errhandler_function|MPI_Grequest_query_function|"
    "MPI_Grequest_free_function|MPI_Grequest_cancel_function";

static bool is_recipe(const struct value *v, const char *pattern)
{
    return v->recipe && gen_matches(pattern, v->recipe->name);
}

bool replay_has_stub(const struct c_parameter *c)
{
    return gen_matches(stubs, replay_element_type(c));
}

/* Returns the type that a pointer or an array points to. */
const char *replay_element_type(const struct c_parameter *c)
{
    const char *type = c->type;
    if (strncmp(type, "const ", 6) == 0)
        type += 6;
    size_t length = strlen(type);
    if (!*c->array && length && type[length - 1] == '*')
        length--;
    while (length && type[length - 1] == ' ')
        length--;
    return gen_copy(type, length);
}

const char *replay_text_class(const struct mpi_function *f, const struct parameter *p)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (gen_matches(texts[i][0], f->name) && gen_matches(texts[i][1], p->name))
            return texts[i][2];
    return "REPLAY_KEPT_TEXT";
}

/* Returns the expression that makes parameter I. It is evaluated before the call. */
static const char *argument(const struct mpi_function *f, size_t i)
{
    const struct parameter *p = &f->parameters[i];
    const char *type = replay_element_type(p->c);
    bool in = p->in.recipe != NULL, pointer = p->c->pointers > 0;
    const struct value *v = in ? &p->in : &p->out;
    if (is_recipe(v, "function"))
        return gen_format("(%s)step_function(s, %zu, (step_any_function)stub_%s)", p->c->type, i,
                          replay_has_stub(p->c) ? type : "unknown");
    if (is_recipe(v, "buffer|pointer|plain_pointer"))
        return gen_format("step_buffer(s, %zu)", i);
    if (is_recipe(v, "attribute"))
        return gen_format("step_attribute(s, %zu)", i);
    if (is_recipe(v, "new_pointer"))
        return gen_format("step_new_pointer(s, %zu)", i);
    if (is_recipe(v, "string"))
        return gen_format("step_text(s, %zu, %s)", i, replay_text_class(f, p));
    if (is_recipe(v, "string_out"))
        return gen_format("step_text_room(s, %zu)", i);
    if (is_recipe(&p->out, "status|status_io|status_of|statuses*"))
        return gen_format("step_statuses(s, %zu, %d)", i, p->array);
    if (is_recipe(v, "status_plain"))
        return gen_format("step_status_in(s, %zu)", i);
    if (is_recipe(v, "request*") || is_recipe(v, "new_receive|new_request")) {
        if (p->array)
            return gen_format("step_requests(s, %zu)", i);
        return gen_format(pointer ? "step_handle(s, %zu, %d)" : "*(MPI_Request *)step_handle(s, %zu, %d)", i, !in);
    }
    if (is_recipe(v, "handle|new*|released")) {
        if (p->array)
            return gen_format("step_handles(s, %zu, sizeof(%s), %d)", i, type, !in);
        if (pointer)
            return gen_format("step_handle(s, %zu, %d)", i, !in);
        return gen_format("*(%s *)step_handle(s, %zu, 0)", type, i);
    }
    if (!pointer)
        return gen_format("(%s)step_integer(s, %zu)", type, i);
    if (in)
        return gen_format("step_integers(s, %zu, sizeof(%s))", i, type);
    return gen_format("step_room(s, %zu, sizeof(%s))", i, strcmp(type, "void") == 0 ? "void *" : type);
}

static void add_action(struct gen_text *out, const struct mpi_function *f)
{
    text_add(out, "static int action_%s(struct replay_step *s)\n{\n", f->name);
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct c_parameter *c = f->parameters[i].c;
        bool array = c->array[0] != 0;
        if (array && strcmp(c->array, "[]"))
            text_add(out, "    %s (*a%zu)%s = %s;\n", c->type, i, c->array + 2, argument(f, i));
        else
            text_add(out, "    %s%sa%zu = %s;\n", c->type, array ? " *" : " ", i, argument(f, i));
    }
    struct gen_text call = {0};
    text_add(&call, "%s(", f->name);
    for (size_t i = 0; i < f->parameter_count; i++)
        text_add(&call, "%sa%zu", i ? ", " : "", i);
    text_add_string(&call, ")");
    text_add_string(out, "    if (!step_ready(s))\n        return MPI_SUCCESS;\n");
    if (f->returns_value)
        text_add(out, "    (void)%s;\n    return MPI_SUCCESS;\n}\n\n", text_string(&call));
    else
        text_add(out, "    return %s;\n}\n\n", text_string(&call));
}

/* Returns the parameters as traces declare them. */
static const char *declared(const struct mpi_function *f)
{
    struct gen_text out = {0};
    text_add_string(&out, "");
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        const char *mark = p->direction == DIRECTION_IN ? "," : p->direction == DIRECTION_OUT ? ">" : "&";
        text_add(&out, "%s%s", mark, p->name);
    }
    return text_string(&out);
}

static const char *flags_of(const struct mpi_function *f)
{
    struct gen_text out = {0};
    text_add_string(&out, f->poll ? "REPLAY_POLLS" : "0");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (gen_matches(flags[i][0], f->name))
            text_add(&out, " | %s", flags[i][1]);
    return text_string(&out);
}

/* Adds the constants of gen/constants that the library has: "{NAME, value},". */
static void add_constants(struct gen_text *out, const struct library *library, const char *file)
{
    const char *p = gen_read_file(file, NULL);
    const char *seen = "";
    bool skipped = false;
    while (*p) {
        size_t length = strcspn(p, "\n");
        const char *line = gen_copy(p, length);
        p += length + (p[length] == '\n');
        if (*line == '#')
            continue;
        if (*line && *line != ' ')
            skipped = strncmp(line, "handles CVAR", 12) == 0 || strncmp(line, "handles PVAR", 12) == 0 ||
                      strncmp(line, "handles EVENT", 13) == 0 || strncmp(line, "handles ENUM", 12) == 0;
        for (const char *word = line; !skipped && *word; word += strspn(word, " ")) {
            size_t n = strcspn(word, " ");
            const char *name = gen_copy(word, n);
            word += n;
            if (strncmp(name, "MPI_", 4) || strncmp(name, "MPI_T_", 6) == 0)
                continue;
            const char *known = gen_format(" %s ", name);
            bool is_function = strstr(name, "_FN") != NULL;
            if (strstr(seen, known) || !(library_has(library, name) || is_function))
                continue;
            seen = gen_format("%s%s", seen, known);
            if (is_function)
                text_add(out, "#ifdef %s\n    {\"%s\", (uint64_t)(uintptr_t)(%s)},\n#endif\n", name, name, name);
            else
                text_add(out, "    {\"%s\", (uint64_t)(uintptr_t)(%s)},\n", name, name);
        }
    }
}

void emit_replay(const struct generated_file *output, const char *constants_file)
{
    const struct model *model = output->model;
    struct gen_text actions = {0}, rows = {0}, constants = {0}, file = {0};
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        if (!function_wrapped(f))
            continue;
        const char *reason = replay_reason(f);
        if (!reason)
            add_action(&actions, f);
        if (reason)
            text_add(&rows, "{\"%s\", NULL, 0, \"\", \"%s\"},\n", f->name, reason);
        else
            text_add(&rows, "{\"%s\", action_%s, %s, \"%s\", NULL},\n", f->name, f->name, flags_of(f), declared(f));
    }
    add_constants(&constants, &model->library, constants_file);
    template_fill(&file, output->templates, "replay_actions.tmpl",
                  (struct field[]){{"actions", text_string(&actions)},
                                   {"rows", text_string(&rows)},
                                   {"constants", text_string(&constants)},
                                   {NULL, NULL}});
    gen_write_file(output->folder, "replay-actions.c", &file);
}
