/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the layer of the shadow between the wrappers and MPI: each argument as JSON, straight from the arguments.
 *
 * The shadow prints the outputs of a call after the wrapper has recorded them, because only then new objects have
 * names. So the layer saves the arguments that are needed then. */
#include <string.h>

#include "emit.h"

/* Returns S with the words of gen/overrides replaced by what they are in the shadow. */
static char *in_shadow(const char *s)
{
    char *t = gen_replace(s, "$at(", "shadow_at_root(rank_base, ");
    t = gen_replace(t, "$peers", "rank_base->size");
    return gen_replace(t, "$local", "rank_base->local_size");
}

static bool is_string(const struct recipe *r)
{
    return strncmp(r->name, "string", 6) == 0 || strcmp(r->name, "arguments") == 0;
}

/* Returns the statements that print one value, or an array of values. */
static const char *shadow_statement(const struct parameter *p, const struct value *v)
{
    const struct recipe *r = v->recipe;
    struct gen_text out = {0};
    if (!p->array || is_string(r)) {
        const char *pattern = p->array && r->shadow_array ? r->shadow_array : r->shadow;
        text_add_string(&out,
                        in_shadow(emit_recipe(pattern, p, v, p->c->pointers ? gen_format("*%s", p->name) : p->name)));
    } else if (r->shadow_array) {
        text_add_string(&out, in_shadow(emit_recipe(r->shadow_array, p, v, p->name)));
    } else {
        text_add(&out, "shadow_open(s);\nfor (int64_t i = 0, end = %s; i < end; i++)\n    %s\nshadow_close(s);",
                 in_shadow(p->length), emit_recipe(r->shadow, p, v, gen_format("%s[i]", p->name)));
    }
    /* The functions for requests, statuses and strings handle NULL themselves. */
    bool null = p->array && !is_string(r) && !strstr(r->name, "request") && !strstr(r->name, "status");
    const char *sentinel = v->sentinel ? v->sentinel : null ? "NULL" : NULL;
    if (!sentinel)
        return out.chars;
    struct gen_text guarded = {0};
    emit_if(&guarded, strcmp(sentinel, "NULL") == 0 ? p->name : gen_format("%s != %s", p->name, sentinel), out.chars,
            gen_format("shadow_name(s, \"%s\");", sentinel));
    return guarded.chars;
}

static char *shadow_body(const struct mpi_function *f, bool after)
{
    struct gen_text out = {0};
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
                     strrchr(shadow_statement(p, v), '\n') && !strrchr(shadow_statement(p, v), '\n')[1] ? "" : "\n");
    }
    if (!after)
        return gen_format("%s", text_string(&out));
    if (f->template_name && strstr(f->template_name, "no_return"))
        text_add_string(&out, "shadow_return(s);\nshadow_null(s);\n");
    else if (f->returns_value)
        text_add(&out, "shadow_return(s);\n%s\n", emit_recipe(f->returned.recipe->shadow, NULL, &f->returned, "ret"));
    else
        text_add_string(&out, "shadow_ret(s, ret);\n");
    if (!gen_mentions(out.chars, "ok"))
        return out.chars;
    const char *ok =
        strcmp(f->leave, "_statuses") ? "ret == MPI_SUCCESS" : "ret == MPI_SUCCESS || shadow_in_status(ret)";
    return gen_format("bool ok = %s;\n%s", ok, out.chars);
}

/* A variable that a shadow_in_ or shadow_out_ function needs besides the shadow. */
struct needed {
    const char *name, *declaration;
    const char *member; /* as a member of a struct: arrays are pointers there */
    bool is_rank_base;  /* the rank base of the call: it is asked for, not passed */
};

static const char *member_of(const struct c_parameter *c, const char *name)
{
    const char *first = strchr(c->array, ']');
    return first ? gen_format("%s (*%s)%s", c->type, name, first + 1) : emit_declaration(c, name);
}

static struct needed needed_local(const char *type, const char *name)
{
    const char *declaration = gen_format("%s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", name);
    return (struct needed){name, declaration, declaration, false};
}

/* Returns the variables that a function needs. The last one has no name. */
static struct needed *needed_by(const struct mpi_function *f, bool after)
{
    struct needed *list = gen_alloc((f->parameter_count + f->local_count + 4) * sizeof *list);
    const char *body = shadow_body(f, after);
    size_t count = 0;
    if (gen_mentions(body, "rank_base"))
        list[count++] = (struct needed){"rank_base", "const struct rank_base *rank_base", NULL, true};
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (gen_mentions(body, p->name))
            list[count++] = (struct needed){p->name, emit_declaration(p->c, p->name), member_of(p->c, p->name), false};
    }
    for (size_t i = 0; i < f->local_count; i++)
        if (gen_mentions(body, f->locals[i].name))
            list[count++] = needed_local(f->locals[i].type, f->locals[i].name);
    if (gen_mentions(body, "ignored"))
        list[count++] = needed_local("bool", "ignored");
    if (gen_mentions(body, "ret"))
        list[count++] = needed_local(f->prototype->type, "ret");
    list[count] = (struct needed){NULL, NULL, NULL, false};
    return list;
}

/* Returns ", buf, count": LIST as arguments, with PREFIX before each name. */
static char *passed(const struct needed *list, const char *prefix)
{
    struct gen_text out = {0};
    for (; list->name; list++)
        text_add(&out, ", %s%s", list->is_rank_base ? "" : prefix,
                 list->is_rank_base ? "shadow_rank_base(s)" : list->name);
    text_add_string(&out, "");
    return out.chars;
}

/* Writes the function that prints the inputs or, if AFTER, the outputs of a call. Writes nothing if there are none. */
static void emit_direction(struct gen_text *file, const struct generated_file *output, const struct mpi_function *f,
                           bool after)
{
    const char *body = shadow_body(f, after);
    struct gen_text parameters = {0};
    if (!*body)
        return;
    for (const struct needed *n = needed_by(f, after); n->name; n++)
        text_add(&parameters, ", %s", n->declaration);
    text_add_string(&parameters, "");
    template_fill(file, output->templates, "shadow_function.tmpl",
                  (struct field[]){{"prototype", gen_format("static void shadow_%s_%s(struct shadow *s%s)",
                                                            after ? "out" : "in", f->name, parameters.chars)},
                                   {"body", body},
                                   {NULL, NULL}});
}

/* Writes the function LAYER that is called in place of REAL. */
static void emit_layer(struct gen_text *file, struct gen_text *prototypes, const struct generated_file *output,
                       const struct mpi_function *f, const char *layer, const char *real)
{
    const struct needed *saved = needed_by(f, true);
    struct gen_text locals = {0}, values = {0};
    for (size_t i = 0; i < f->local_count; i++)
        if (gen_mentions(shadow_body(f, true), f->locals[i].name)) /* other locals are only for the wrapper */
            text_add(&locals, "%s %s = %s;\n", f->locals[i].type, f->locals[i].name, in_shadow(f->locals[i].value));
    for (; saved->name; saved++) {
        if (!saved->is_rank_base)
            text_add(&values, "%s.%s = %s", values.length ? ", " : "", saved->name, saved->name);
        if (strcmp(saved->name, "ignored") == 0)
            text_add(&locals, "bool ignored = shadow_ignores(s, %s);\n", f->status);
    }
    text_add(prototypes, "%s %s(%s);\n", f->prototype->type, layer, emit_parameters(f));
    template_fill(file, output->templates, "shadow_layer.tmpl",
                  (struct field[]){{"name", f->name},
                                   {"type", f->prototype->type},
                                   {"layer", layer},
                                   {"real", real},
                                   {"parameters", emit_parameters(f)},
                                   {"arguments", emit_arguments(f, false)},
                                   {"locals", text_string(&locals)},
                                   {"in", *shadow_body(f, false) ? gen_format("shadow_in_%s(s%s);", f->name,
                                                                              passed(needed_by(f, false), ""))
                                                                 : ""},
                                   {"values", text_string(&values)},
                                   {NULL, NULL}});
}

/* True if F has a layer. A call that is recorded before it is made has none, because it has no outputs. */
static bool has_layer(const struct mpi_function *f)
{
    return !f->template_name || !strstr(f->template_name, "no_return");
}

static void emit_function(struct gen_text *file, struct gen_text *prototypes, struct gen_text *wraps,
                          const struct generated_file *output, const struct mpi_function *f)
{
    const struct needed *saved = needed_by(f, true);
    struct gen_text members = {0};
    emit_direction(file, output, f, false);
    emit_direction(file, output, f, true);
    for (const struct needed *n = saved; n->name; n++)
        if (!n->is_rank_base)
            text_add(&members, "%s;\n", n->member);
    template_fill(file, output->templates, "shadow_after.tmpl",
                  (struct field[]){{"name", f->name},
                                   {"members", text_string(&members)},
                                   {"saved", passed(saved, "arguments->")},
                                   {NULL, NULL}});
    emit_layer(file, prototypes, output, f, gen_format("shadow_layer_%s", f->name),
               gen_format("SHADOW_NEXT(%s)", f->name));
    if (!emit_is_direct(f))
        return;
    const char *real = gen_format("fortran_real_%s", f->name);
    text_add(prototypes, "int __real_%s(%s);\n", real, emit_parameters(f));
    emit_layer(file, prototypes, output, f, gen_format("__wrap_%s", real), gen_format("__real_%s", real));
    text_add(wraps, "--wrap=%s\n", real);
}

static void write_file(const struct generated_file *output, const char *name, const char *template,
                       struct field *fields)
{
    struct gen_text file = {0};
    template_fill(&file, output->templates, template, fields);
    gen_write_file(output->folder, name, &file);
}

void emit_shadow(const struct generated_file *output)
{
    const struct model *model = output->model;
    struct gen_text *files = gen_alloc(model->function_count * sizeof *files);
    const char **chapters = gen_alloc(model->function_count * sizeof *chapters);
    struct gen_text prototypes = {0}, rows = {0}, wraps = {0};
    size_t count = 0;
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        if (!function_wrapped(f))
            continue;
        text_add(&rows, has_layer(f) ? "{FUNCTION_%s, (void *)shadow_layer_%s},\n" : "{FUNCTION_%s, NULL},\n", f->name,
                 f->name);
        if (!has_layer(f))
            continue;
        size_t at = 0;
        while (at < count && strcmp(chapters[at], f->chapter))
            at++;
        if (at == count) {
            chapters[count++] = f->chapter;
            template_fill(&files[at], output->templates, "shadow_head.tmpl",
                          (struct field[]){{"chapter", f->chapter}, {NULL, NULL}});
        }
        emit_function(&files[at], &prototypes, &wraps, output, f);
    }
    for (size_t i = 0; i < count; i++)
        gen_write_file(output->folder, gen_format("shadow-%s.c", chapters[i]), &files[i]);
    write_file(output, "shadow-table.c", "shadow_table.tmpl",
               (struct field[]){{"rows", text_string(&rows)}, {NULL, NULL}});
    write_file(output, "shadow_functions.h", "shadow_functions.tmpl",
               (struct field[]){{"prototypes", text_string(&prototypes)}, {NULL, NULL}});
    write_file(output, "topology_lengths.h", "topology_lengths.tmpl", (struct field[]){{NULL, NULL}});
    text_add_string(&wraps, "");
    gen_write_file(output->folder, "shadow.wraps", &wraps);
}
