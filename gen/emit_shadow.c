/* Writes the shadow's functions: each argument as JSON, straight from the arguments. */
#include <string.h>

#include "emit.h"

/* The words of gen/overrides, as the shadow says them. */
static char *in_shadow(const char *s)
{
    char *t = gen_replace(s, "$at(", "shadow_at_root(view, ");
    t = gen_replace(t, "$peers", "view->size");
    return gen_replace(t, "$local", "view->local_size");
}

static bool is_string(const struct recipe *r)
{
    return strncmp(r->name, "string", 6) == 0 || strcmp(r->name, "arguments") == 0;
}

/* One value, or an array of them. */
static const char *shadow_statement(const struct parameter *p, const struct value *v)
{
    const struct recipe *r = v->recipe;
    struct text out = { 0 };
    if (!p->array || is_string(r)) {
        const char *pattern = p->array && r->shadow_array ? r->shadow_array : r->shadow;
        text_add_string(&out, in_shadow(emit_recipe(pattern, p, v, p->c->pointers ? gen_format("*%s", p->name) : p->name)));
    } else if (r->shadow_array) {
        text_add_string(&out, in_shadow(emit_recipe(r->shadow_array, p, v, p->name)));
    } else {
        text_add(&out, "shadow_open(s);\nfor (int64_t i = 0, end = %s; i < end; i++)\n    %s\nshadow_close(s);",
                 in_shadow(p->length), emit_recipe(r->shadow, p, v, gen_format("%s[i]", p->name)));
    }
    /* The runtime's functions for requests, statuses and strings look for NULL themselves. */
    bool null = p->array && !is_string(r) && !strstr(r->name, "request") && !strstr(r->name, "status");
    const char *sentinel = v->sentinel ? v->sentinel : null ? "NULL" : NULL;
    if (!sentinel)
        return out.chars;
    struct text guarded = { 0 };
    emit_if(&guarded, strcmp(sentinel, "NULL") == 0 ? p->name : gen_format("%s != %s", p->name, sentinel), out.chars,
            gen_format("shadow_name(s, \"%s\");", sentinel));
    return guarded.chars;
}

static char *shadow_body(const struct function *f, bool after)
{
    struct text out = { 0 };
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        const struct value *v = after ? &p->out : &p->in;
        if (!v->recipe)
            continue;
        const char *when = v->when ? in_shadow(v->when) : NULL;
        if (after && p->direction == DIRECTION_OUT && !f->returns_value)
            when = when ? gen_format("ok && %s", strpbrk(when, "|") ? gen_format("(%s)", when) : when) : "ok";
        text_add(&out, "shadow_%s(s, %zu);\n", after ? "out" : "in", i);
        if (when)
            emit_if(&out, when, shadow_statement(p, v), "shadow_null(s);");
        else
            text_add(&out, "%s%s", shadow_statement(p, v),
                     strrchr(shadow_statement(p, v), '\n') &&
                             !strrchr(shadow_statement(p, v), '\n')[1] ? "" : "\n");
    }
    if (!after)
        return gen_format("%s", text_string(&out));
    if (f->template_name && strstr(f->template_name, "no_return"))
        text_add_string(&out, "shadow_return(s);\nshadow_null(s);\n");
    else if (f->returns_value)
        text_add(&out, "shadow_return(s);\n%s\n",
                 emit_recipe(f->returned.recipe->shadow, NULL, &f->returned, "ret"));
    else
        text_add_string(&out, "shadow_ret(s, ret);\n");
    if (!gen_mentions(out.chars, "ok"))
        return out.chars;
    const char *ok = strcmp(f->leave, "_statuses") ? "ret == MPI_SUCCESS" : "ret == MPI_SUCCESS || shadow_in_status(ret)";
    return gen_format("bool ok = %s;\n%s", ok, out.chars);
}

char *emit_shadow_list(const struct function *f, bool after, bool arguments)
{
    struct text out = { 0 };
    const char *body = shadow_body(f, after);
    if (!*body)
        return gen_format("%s", "");
    text_add_string(&out, arguments ? "c.shadow" : "struct shadow *s");
    if (gen_mentions(body, "view"))
        text_add_string(&out, arguments ? ", &c.view" : ", const struct view *view");
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (gen_mentions(body, p->name))
            text_add(&out, ", %s", arguments ? p->name : emit_declaration(p->c, p->name));
    }
    for (size_t i = 0; i < f->local_count; i++)
        if (gen_mentions(body, f->locals[i].name))
            text_add(&out, ", %s%s%s", arguments ? "" : f->locals[i].type, arguments ? "" : " ", f->locals[i].name);
    if (gen_mentions(body, "actual"))
        text_add_string(&out, arguments ? ", actual" : ", const MPI_Status *actual");
    if (gen_mentions(body, "ret"))
        text_add(&out, ", %s%sret", arguments ? "" : f->prototype->type, arguments ? "" : " ");
    return out.chars;
}

static void emit_function(struct text *file, struct text *header, const struct output *output,
                          const struct function *f, bool after)
{
    const char *body = shadow_body(f, after);
    if (!*body)
        return;
    char *prototype = gen_format("void shadow_%s_%s(%s)", after ? "out" : "in", f->name, emit_shadow_list(f, after, false));
    text_add(header, "%s;\n", prototype);
    template_fill(file, output->templates, "shadow_function.tmpl",
                  (struct field[]){ { "prototype", prototype }, { "body", body }, { NULL, NULL } });
}

void emit_shadow(const struct output *output)
{
    const struct model *model = output->model;
    struct text *files = gen_alloc(model->function_count * sizeof *files);
    const char **chapters = gen_alloc(model->function_count * sizeof *chapters);
    struct text header = { 0 }, prototypes = { 0 };
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
            template_fill(&files[at], output->templates, "shadow_head.tmpl",
                          (struct field[]){ { "chapter", f->chapter }, { NULL, NULL } });
        }
        emit_function(&files[at], &prototypes, output, f, false);
        emit_function(&files[at], &prototypes, output, f, true);
    }
    for (size_t i = 0; i < count; i++)
        gen_write_file(output->folder, gen_format("shadow-%s.c", chapters[i]), &files[i]);
    template_fill(&header, output->templates, "shadow_functions.tmpl",
                  (struct field[]){ { "prototypes", text_string(&prototypes) }, { NULL, NULL } });
    gen_write_file(output->folder, "shadow_functions.h", &header);
    struct text lengths = { 0 };
    template_fill(&lengths, output->templates, "topology_lengths.tmpl", (struct field[]){ { NULL, NULL } });
    gen_write_file(output->folder, "topology_lengths.h", &lengths);
}
