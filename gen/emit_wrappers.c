/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the wrappers: a file for the hot functions, and one for the others of each chapter. */
#include <string.h>

#include "emit.h"

enum { WRAPPER_VALUES_MAX = 32 }; /* CALL_ROOM / CALL_ROOM_OF_VALUE of wrap/call.h; call_inline.h checks it */

/* Returns S with the words of gen/overrides replaced by what they are in a wrapper. */
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

/* Returns PUT. If it appends to the key, adds that `at` is written back before it and read again after it. */
static const char *hand_over(const char *put)
{
    return strncmp(put, "at = ", 5) ? gen_format("call_flush(&c, at);\n%s\nat = call_resume(&c);", put) : put;
}

/* True if V is the handle that call_rank_base gets. */
static bool is_base_handle(const struct mpi_function *f, const struct parameter *p, const struct value *v)
{
    return f->rank_base && strcmp(v->recipe->name, "handle") == 0 && !p->array && !p->c->pointers &&
           strcmp(f->rank_base, gen_format("%s, HANDLE(%s)", v->word, p->name)) == 0;
}

static const char *put_statement(const struct mpi_function *f, const struct parameter *p, const struct value *v)
{
    const struct recipe *r = v->recipe;
    const char *value = p->c->pointers ? gen_format("*%s", p->name) : p->name;
    const char *pattern = p->array && r->put_array ? r->put_array : r->put;
    if (is_base_handle(f, p, v))
        pattern = "at = store_with_base(&c, at, &base_token, $k, HANDLE($v));";
    const char *put = hand_over(in_wrapper(emit_recipe(pattern, p, v, value)));
    if (!v->sentinel)
        return put;
    struct gen_text guarded = {0};
    bool null = strcmp(v->sentinel, "NULL") == 0;
    emit_if(&guarded, null ? p->name : gen_format("%s != %s", p->name, v->sentinel), put,
            gen_format("at = store_name(at, NAME_%s);", v->sentinel));
    return guarded.chars;
}

/* Returns the statement that sets c.base. If call_rank_base gets one of F's arguments, its result is used to store
 * that. */
static const char *rank_base_of(const struct mpi_function *f)
{
    if (!f->rank_base)
        return "c.base = capture.world;";
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].in.recipe && is_base_handle(f, &f->parameters[i], &f->parameters[i].in))
            return gen_format("const struct short_token base_token = call_rank_base(&c, %s);", f->rank_base);
    return gen_format("(void)call_rank_base(&c, %s);", f->rank_base);
}

/* Returns what F does to objects. Persistent requests live long, like other objects. */
static const char *follows_of(const struct mpi_function *f)
{
    static const char *const words[] = {"FOLLOWS_NOTHING", "FOLLOWS_REQUESTS", "FOLLOWS_OBJECTS"};
    enum follows most = f->template_name ? FOLLOWS_OBJECTS : FOLLOWS_NOTHING;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct value *values[] = {&f->parameters[i].in, &f->parameters[i].out};
        for (size_t j = 0; j < 2; j++) {
            if (!values[j]->recipe)
                continue;
            bool persistent = strstr(values[j]->recipe->name, "new_re") && strstr(values[j]->word, ", true");
            enum follows follows = persistent ? FOLLOWS_OBJECTS : values[j]->recipe->follows;
            most = follows > most ? follows : most;
        }
    }
    return words[most];
}

static const char *puts_before(const struct mpi_function *f)
{
    struct gen_text out = {0};
    struct record_step *items = gen_alloc((f->parameter_count + 1) * sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (p->in.recipe)
            items[count++] =
                (struct record_step){{condition_in_wrapper(p->in.when), NULL}, put_statement(f, p, &p->in)};
    }
    emit_items(&out, items, count, "at = store_none(at, $n);");
    return text_string(&out);
}

/* True if the function that stores another output of the call stores P, too. */
static bool stored_with_another(const struct parameter *p)
{
    return p->array && p->out.recipe->put_array && !*p->out.recipe->put_array;
}

/* Returns the statements for outputs. What was passed in can be read even after a failure; pure outputs cannot. */
static const char *puts_after(const struct mpi_function *f)
{
    struct gen_text out = {0};
    struct record_step *items = gen_alloc((f->parameter_count + 1) * sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (p->out.recipe && !stored_with_another(p))
            items[count++] = (struct record_step){
                {p->direction == DIRECTION_OUT && !f->returns_value ? "c.ok" : NULL, condition_in_wrapper(p->out.when)},
                put_statement(f, p, &p->out)};
    }
    emit_items(&out, items, count, "at = store_none(at, $n);");
    return text_string(&out);
}

/* Returns how many requests F takes, which is also how many statuses it may need. */
static const char *requests_length(const struct mpi_function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].array && strcmp(f->parameters[i].standard->kind->name, "REQUEST") == 0)
            return f->parameters[i].length;
    return "1";
}

static const char *locals_of(const struct mpi_function *f)
{
    struct gen_text out = {0};
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

char *emit_arguments(const struct mpi_function *f, bool actual)
{
    struct gen_text out = {0};
    for (size_t i = 0; i < f->parameter_count; i++) {
        const char *name = f->parameters[i].name;
        if (actual && f->status && strcmp(name, f->status) == 0)
            name = "actual";
        text_add(&out, "%s%s", i ? ", " : "", name);
    }
    text_add_string(&out, "");
    return out.chars;
}

char *emit_parameters(const struct mpi_function *f)
{
    struct gen_text out = {0};
    for (size_t i = 0; i < f->parameter_count; i++)
        text_add(&out, "%s%s", i ? ", " : "", emit_declaration(f->parameters[i].c, f->parameters[i].name));
    if (f->prototype->variadic)
        text_add_string(&out, ", ...");
    if (!f->parameter_count)
        text_add_string(&out, "void");
    return out.chars;
}

/* Returns CALL, a call of F in MPI that is not recorded, so that a request which it begins is noted. */
static const char *untracked_of(const struct mpi_function *f, const char *call)
{
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (p->out.recipe && strncmp(p->out.recipe->name, "new_re", 6) == 0)
            return gen_format("call_untracked(%s, %s, %s, %s)", call, p->name, p->out.word,
                              f->rank_base ? f->rank_base : "KIND_COUNT, 0");
    }
    return call;
}

/* Returns the statement for a call for which call_begin returned NULL: CALL, then call_passed. */
static const char *passed_of(const struct mpi_function *f, const char *call)
{
    if (strcmp(f->prototype->type, "int") == 0)
        return gen_format("return %s;", untracked_of(f, gen_format("call_passed(&c, %s)", call)));
    return gen_format("CALL_PASSED(&c, %s, %s);", f->prototype->type, call);
}

static void emit_wrapper(struct gen_text *out, const struct generated_file *output, const struct mpi_function *f)
{
    if (f->parameter_count + 1 > WRAPPER_VALUES_MAX)
        gen_fail(f->name, 0, "more values than a key is sure to have room for");
    const char *real = gen_format("%s%s", emit_is_direct(f) ? "fortran_real_" : "NEXT_", f->name);
    const char *call = gen_format("%s(%s)", real, emit_arguments(f, false));
    struct field fields[] = {
        {"name", f->name},
        {"real", real},
        {"pass", gen_format("return %s;", untracked_of(f, call))},
        {"passed", passed_of(f, call)},
        {"type", f->prototype->type},
        {"parameters", emit_parameters(f)},
        {"arguments", emit_arguments(f, false)},
        {"arguments_actual", emit_arguments(f, true)},
        {"follows", follows_of(f)},
        {"rank_base", rank_base_of(f)},
        {"locals", locals_of(f)},
        {"in", puts_before(f)},
        {"leave", f->returns_value ? "call_leave_value(&c);" : gen_format("call_leave%s(&c, ret);", f->leave)},
        {"poll", f->poll ? gen_format("c.failed_poll = c.ok && %s;", f->poll) : ""},
        {"first", f->first ? f->first : ""},
        {"after", f->after ? f->after : ""},
        {"out", puts_after(f)},
        {"end", f->returns_value
                    ? gen_format("%s\ncall_done(&c, at);",
                                 hand_over(emit_recipe(f->returned.recipe->put, NULL, &f->returned, "ret")))
                    : "call_end(&c, at, ret);"},
        {NULL, NULL},
    };
    template_fill(out, output->templates, f->template_name ? f->template_name : "wrapper.tmpl", fields);
}

void emit_wrappers(const struct generated_file *output)
{
    const struct model *model = output->model;
    struct gen_text *files = gen_alloc(model->function_count * sizeof *files);
    const char **names = gen_alloc(model->function_count * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        if (!function_wrapped(f))
            continue;
        const char *name = f->hot ? "hot" : f->chapter;
        size_t at = 0;
        while (at < count && strcmp(names[at], name))
            at++;
        if (at == count) {
            names[count++] = name;
            template_fill(
                &files[at], output->templates, "wrappers_head.tmpl",
                (struct field[]){
                    {"functions", f->hot ? "hot functions (gen/overrides)"
                                         : gen_format("functions in the standard's chapter \"%s\"", f->chapter)},
                    {"header", f->hot ? "call_inline.h" : "call_cold.h"},
                    {NULL, NULL}});
        }
        emit_wrapper(&files[at], output, f);
    }
    for (size_t i = 0; i < count; i++)
        gen_write_file(output->folder, gen_format("wrappers-%s.c", names[i]), &files[i]);
}
