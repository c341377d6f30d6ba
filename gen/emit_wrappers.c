/* Writes the wrappers, one file for each chapter. */
#include <string.h>

#include "emit.h"

/* The words of gen/overrides, as the wrapper says them. */
static char *in_wrapper(const char *s)
{
    char *t = gen_replace(s, "$at(", "call_at_root(&c, ");
    t = gen_replace(t, "$peers", "length_peers(&c)");
    return gen_replace(t, "$local", "length_local(&c)");
}

static const char *condition_in_wrapper(const char *s)
{
    return s ? in_wrapper(s) : NULL;
}

static const char *put_statement(const struct parameter *p, const struct value *v)
{
    const struct recipe *r = v->recipe;
    const char *value = p->c->pointers ? gen_format("*%s", p->name) : p->name;
    const char *pattern = p->array && r->put_array ? r->put_array : r->put;
    char *put = in_wrapper(emit_recipe(pattern, p, v, value));
    if (!v->sentinel)
        return put;
    struct text guarded = { 0 };
    bool null = strcmp(v->sentinel, "NULL") == 0;
    emit_if(&guarded, null ? p->name : gen_format("%s != %s", p->name, v->sentinel), put,
            gen_format("put_name(&c, NAME_%s);", v->sentinel));
    return guarded.chars;
}

static const char *puts_before(const struct function *f)
{
    struct text out = { 0 };
    struct item *items = gen_alloc((f->parameter_count + 1) * sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (p->in.recipe)
            items[count++] = (struct item){ { condition_in_wrapper(p->in.when), NULL }, put_statement(p, &p->in) };
    }
    emit_items(&out, items, count, "put_none(&c, $n);");
    return text_string(&out);
}

/* What was passed in can be read after a failure too; what only comes out cannot. */
static const char *puts_after(const struct function *f)
{
    struct text out = { 0 };
    struct item *items = gen_alloc((f->parameter_count + 1) * sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (p->out.recipe)
            items[count++] = (struct item){ { p->direction == DIRECTION_OUT && !f->returns_value ? "c.ok" : NULL,
                                              condition_in_wrapper(p->out.when) },
                                            put_statement(p, &p->out) };
    }
    emit_items(&out, items, count, "put_none(&c, $n);");
    return text_string(&out);
}

/* How many requests F takes, so how many statuses it may need. */
static const char *requests_length(const struct function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].array && strcmp(f->parameters[i].standard->kind->name, "REQUEST") == 0)
            return f->parameters[i].length;
    return "1";
}

static const char *locals_of(const struct function *f)
{
    struct text out = { 0 };
    for (size_t i = 0; i < f->local_count; i++)
        text_add(&out, "%s %s = %s;\n", f->locals[i].type, f->locals[i].name, in_wrapper(f->locals[i].value));
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (!f->status || strcmp(p->name, f->status))
            continue;
        if (p->array)
            text_add(&out, "MPI_Status *actual = call_statuses(&c, %s, %s);\n", p->name, requests_length(f));
        else
            text_add(&out, "MPI_Status *actual = call_status(&c, %s);\n", p->name);
    }
    return text_string(&out);
}

char *emit_arguments(const struct function *f, bool actual)
{
    struct text out = { 0 };
    for (size_t i = 0; i < f->parameter_count; i++) {
        const char *name = f->parameters[i].name;
        if (actual && f->status && strcmp(name, f->status) == 0)
            name = "actual";
        text_add(&out, "%s%s", i ? ", " : "", name);
    }
    text_add_string(&out, "");
    return out.chars;
}

char *emit_parameters(const struct function *f)
{
    struct text out = { 0 };
    for (size_t i = 0; i < f->parameter_count; i++)
        text_add(&out, "%s%s", i ? ", " : "", emit_declaration(f->parameters[i].c, f->parameters[i].name));
    if (f->prototype->variadic)
        text_add_string(&out, ", ...");
    if (!f->parameter_count)
        text_add_string(&out, "void");
    return out.chars;
}

static void emit_wrapper(struct text *out, const struct output *output, const struct function *f)
{
    struct field fields[] = {
        { "name", f->name },
        { "real", gen_format("%s%s", emit_is_direct(f) ? "fortran_real_" : "P", f->name) },
        { "type", f->prototype->type },
        { "parameters", emit_parameters(f) },
        { "arguments", emit_arguments(f, false) },
        { "arguments_actual", emit_arguments(f, true) },
        { "view", f->view ? gen_format("call_view(&c, %s);", f->view) : "" },
        { "locals", locals_of(f) },
        { "in", puts_before(f) },
        { "shadow_in", *emit_shadow_list(f, false, true)
                           ? gen_format("if (c.shadow)\n    shadow_in_%s(%s);", f->name, emit_shadow_list(f, false, true))
                           : "" },
        { "shadow_out", gen_format("if (c.shadow)\n    shadow_out_%s(%s);", f->name, emit_shadow_list(f, true, true)) },
        { "leave", f->returns_value ? "call_leave_value(&c);" : gen_format("call_leave%s(&c, ret);", f->leave) },
        { "poll", f->poll ? gen_format("c.failed_poll = c.ok && %s;", f->poll) : "" },
        { "after", f->after ? f->after : "" },
        { "out", puts_after(f) },
        { "end", f->returns_value ? gen_format("%s\ncall_done(&c);",
                                               emit_recipe(f->returned.recipe->put, NULL, &f->returned, "ret"))
                                  : "call_end(&c, ret);" },
        { NULL, NULL },
    };
    template_fill(out, output->templates, f->template_name ? f->template_name : "wrapper.tmpl", fields);
}

void emit_wrappers(const struct output *output)
{
    const struct model *model = output->model;
    struct text *files = gen_alloc(model->function_count * sizeof *files);
    const char **chapters = gen_alloc(model->function_count * sizeof *chapters);
    size_t count = 0;
    for (size_t i = 0; i < model->function_count; i++) {
        const struct function *f = &model->functions[i];
        if (!function_wrapped(f))
            continue;
        size_t at = 0;
        while (at < count && strcmp(chapters[at], f->chapter))
            at++;
        if (at == count) {
            chapters[count++] = f->chapter;
            template_fill(&files[at], output->templates, "wrappers_head.tmpl",
                          (struct field[]){ { "chapter", f->chapter }, { NULL, NULL } });
        }
        emit_wrapper(&files[at], output, f);
    }
    for (size_t i = 0; i < count; i++)
        gen_write_file(output->folder, gen_format("wrappers-%s.c", chapters[i]), &files[i]);
}
