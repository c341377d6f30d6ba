/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the table by which pilgrim-generate (tools/generate) writes calls as C: types, and what each parameter is. */
#include <string.h>

#include "emit.h"
#include "emit_replay.h"

static bool is_recipe(const struct value *v, const char *pattern)
{
    return v->recipe && gen_matches(pattern, v->recipe->name);
}

/* Returns how the argument is written, as enum generate_argument (tools/generate/generate_functions.h). */
static const char *argument(const struct parameter *p)
{
    bool in = p->in.recipe != NULL;
    const struct value *v = in ? &p->in : &p->out;
    if (is_recipe(v, "function"))
        return "ARGUMENT_FUNCTION";
    if (is_recipe(v, "buffer|pointer|plain_pointer"))
        return "ARGUMENT_BUFFER";
    if (is_recipe(v, "attribute"))
        return "ARGUMENT_ATTRIBUTE";
    if (is_recipe(v, "new_pointer"))
        return "ARGUMENT_NEW_POINTER";
    if (is_recipe(v, "string"))
        return "ARGUMENT_TEXT";
    if (is_recipe(v, "string_out"))
        return "ARGUMENT_TEXT_ROOM";
    if (is_recipe(&p->out, "status|status_io|status_of|statuses*"))
        return p->array ? "ARGUMENT_STATUSES" : "ARGUMENT_STATUS";
    if (is_recipe(v, "status_plain"))
        return "ARGUMENT_STATUS_IN";
    if (is_recipe(v, "request*|handle|new|new_*|released"))
        return in ? "ARGUMENT_HANDLE" : "ARGUMENT_NEW_HANDLE";
    if (p->c->pointers == 0)
        return "ARGUMENT_INTEGER";
    return in ? "ARGUMENT_INTEGERS" : "ARGUMENT_ROOM";
}

void emit_generate(const struct generated_file *output)
{
    struct gen_text parameters = {0}, rows = {0}, file = {0};
    for (size_t i = 0; i < output->model->function_count; i++) {
        const struct mpi_function *f = &output->model->functions[i];
        if (!function_wrapped(f))
            continue;
        const char *reason = replay_reason(f);
        text_add(&parameters, "static const struct generate_parameter parameters_%s[] = {", f->name);
        for (size_t k = 0; k < f->parameter_count; k++) {
            const struct parameter *p = &f->parameters[k];
            text_add(&parameters, "%s{\"%s\", \"%s\", %d, %s, %s}", k ? ",\n    " : "", replay_element_type(p->c),
                     strncmp(p->c->array, "[]", 2) ? "" : p->c->array + 2, p->c->pointers, argument(p),
                     replay_text_class(f, p));
        }
        text_add(&parameters, "%s};\n", f->parameter_count ? "" : "{0}");
        text_add(&rows, "{\"%s\", \"%s\", %s%s%s, %s, %zu, parameters_%s},\n", f->name, f->prototype->type,
                 reason ? "\"" : "", reason ? reason : "NULL", reason ? "\"" : "", f->poll ? "true" : "false",
                 f->parameter_count, f->name);
    }
    template_fill(
        &file, output->templates, "generate_functions.tmpl",
        (struct field[]){{"parameters", text_string(&parameters)}, {"rows", text_string(&rows)}, {NULL, NULL}});
    gen_write_file(output->folder, "generate-functions.c", &file);
}
