/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins standard, prototypes and overrides into struct mpi_function; see model.h. What contradicts (a parameter too
 * many, an array of unknown length) ends the program: the wrapper would read memory that it must not. */
#include "model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "declarations.h"
#include "gen_text.h"

bool binding_has_large(const struct function_binding *binding)
{
    for (size_t i = 0; i < binding->parameter_count; i++)
        if (binding->parameters[i].large_only || strncmp(binding->parameters[i].kind->name, "POLY", 4) == 0)
            return true;
    return false;
}

static const struct recipe *need_recipe(const struct model *model, const struct mpi_function *f, const char *name)
{
    const struct recipe *recipe = recipe_find(name);
    if (!recipe)
        gen_fail(model->overrides.file, 0, "%s: no recipe is named '%s'", f->name, name);
    return recipe;
}

/* Returns the recipe for an inout parameter after the call, from the one before the call. */
static const char *recipe_after(const char *before)
{
    if (strcmp(before, "handle") == 0)
        return "released";
    return strcmp(before, "request") == 0 ? "request_after" : before;
}

/* Returns the row of kinds for KIND. Kinds without a row are recorded as they are: as numbers or addresses. */
static struct kind_recipe kind_of(const struct standard_kind *kind, const struct c_parameter *c)
{
    const struct kind_recipe *row = kind_recipe_find(kind->name);
    if (row)
        return *row;
    const char *recipe = c && c->pointers ? "plain_pointer" : "plain_int";
    return (struct kind_recipe){kind->name, recipe, recipe, ""};
}

static void set_recipes(struct model *model, const struct mpi_function *f, struct parameter *p)
{
    const struct overrides *o = &model->overrides;
    struct kind_recipe kind = kind_of(p->standard->kind, p->c);
    const char *in = override_find(o, "in", f->name, p->name);
    const char *out = override_find(o, "out", f->name, p->name);
    const char *word = override_find(o, "word", f->name, p->name);
    if (!in)
        in = kind.in;
    if (!out)
        out = p->standard->direction == DIRECTION_INOUT ? recipe_after(in) : kind.out;
    p->direction = p->standard->direction;
    if (p->direction == DIRECTION_OUT && need_recipe(model, f, out)->by_value) {
        p->direction = DIRECTION_IN;
        in = out;
    }
    if (p->direction == DIRECTION_INOUT && (need_recipe(model, f, in)->by_value || p->standard->pointer == 0))
        p->direction = DIRECTION_IN;
    if (p->direction & DIRECTION_IN)
        p->in.recipe = need_recipe(model, f, in);
    if (p->direction & DIRECTION_OUT)
        p->out.recipe = need_recipe(model, f, out);
    p->in.word = p->out.word = word ? word : kind.word;

    const char *when = override_find(o, "when", f->name, p->name);
    if (p->standard->root_only && !when)
        when = "$at(root)";
    if (when && strcmp(when, "always") == 0)
        when = NULL;
    if (p->direction == DIRECTION_IN)
        p->in.when = when;
    else
        p->out.when = when;
    const char *sentinel = override_find(o, "sentinel", f->name, p->name);
    if (sentinel && strcmp(sentinel, "none") == 0)
        sentinel = NULL;
    p->in.sentinel = p->out.sentinel = p->c->pointers ? sentinel : NULL;
}

static const struct parameter *find_parameter(const struct mpi_function *f, const char *name)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (strcmp(f->parameters[i].name, name) == 0)
            return &f->parameters[i];
    return NULL;
}

static void set_length(struct model *model, const struct mpi_function *f, struct parameter *p)
{
    const struct recipe *recipe = p->in.recipe ? p->in.recipe : p->out.recipe;
    const char *override = override_find(&model->overrides, "length", f->name, p->name);
    const char *length = p->standard->length;
    p->array = override || (length && p->c->pointers > 0);
    if (!p->array)
        return;
    if (override) {
        p->length = override;
        return;
    }
    if (length[0] == '[')
        length = gen_copy(length + 1, strcspn(length + 1, ",]"));
    if (strstr(recipe->name, "string") == recipe->name && strcmp(recipe->name, "string_lists")) {
        p->length = "-1"; /* strings have an end */
        return;
    }
    if (!*length || strcmp(length, "*") == 0)
        gen_fail(f->binding->file, f->binding->line, "%s: the length of %s is in no row of %s", f->name, p->name,
                 model->overrides.file);
    const struct parameter *counter = find_parameter(f, length);
    p->length = counter && counter->c->pointers ? gen_format("*%s", length) : length;
}

/* ---- what the function needs as a whole ---- */

static bool mentions_rank_base(const char *s)
{
    return s && (strstr(s, "$at(") || strstr(s, "$peers") || strstr(s, "$local"));
}

static bool value_needs_rank_base(const struct value *v)
{
    if (!v->recipe)
        return false;
    if (v->recipe->needs_rank_base || mentions_rank_base(v->when))
        return true;
    return strcmp(v->recipe->name, "new_request") == 0 && strstr(v->word, "RECV");
}

static const char *rank_base_of(struct model *model, const struct mpi_function *f)
{
    const char *override = override_find(&model->overrides, "rank_base", f->name, "-");
    bool needed = override != NULL;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        needed =
            needed || value_needs_rank_base(&p->in) || value_needs_rank_base(&p->out) || mentions_rank_base(p->length);
    }
    if (!needed || override)
        return override;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (p->in.recipe && !p->array && strcmp(p->in.recipe->name, "handle") == 0 &&
            (strcmp(p->in.word, "KIND_COMM") == 0 || strcmp(p->in.word, "KIND_WIN") == 0))
            return gen_format("%s, HANDLE(%s)", p->in.word, p->name);
    }
    gen_fail(f->binding->file, f->binding->line, "%s: no communicator or window that its ranks refer to", f->name);
}

static void set_locals(struct model *model, struct mpi_function *f)
{
    size_t at = 0;
    const char *row;
    while ((row = override_next(&model->overrides, "local", f->name, &at))) {
        struct local local;
        local.type = gen_copy(row, strcspn(row, " "));
        row += strcspn(row, " ");
        row += strspn(row, " ");
        local.name = gen_copy(row, strcspn(row, " "));
        local.value = row + strcspn(row, " ") + 1;
        f->locals = gen_grow(f->locals, f->local_count, sizeof *f->locals);
        f->locals[f->local_count++] = local;
    }
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (!p->out.recipe || strcmp(p->out.recipe->name, "released"))
            continue;
        f->locals = gen_grow(f->locals, f->local_count, sizeof *f->locals);
        f->locals[f->local_count++] =
            (struct local){"uint64_t", "before",
                           gen_format("object_releasing(%s, %s ? HANDLE(*%s) : 0)", p->in.word, p->name, p->name)};
    }
}

static void set_return(struct model *model, struct mpi_function *f)
{
    const char *kind = f->binding->return_kind;
    f->leave = override_find(&model->overrides, "leave", f->name, "-");
    if (!f->leave)
        f->leave = "";
    if (!kind || strcmp(kind, "ERROR_CLASS") == 0)
        return;
    struct kind_recipe row = kind_of(standard_kind_find(&model->standard, kind), NULL);
    f->returns_value = true;
    f->leave = "_value";
    const char *out = override_find(&model->overrides, "out", f->name, "-");
    f->returned = (struct value){.recipe = need_recipe(model, f, out ? out : row.in), .word = row.word};
}

static bool is_status(const struct value *v)
{
    return v->recipe && strncmp(v->recipe->name, "status", 6) == 0 && strcmp(v->recipe->name, "status_plain");
}

/* Guards what is read before the call: the wrapper reads it before the library can refuse a null pointer. */
static void guard_null(struct parameter *p)
{
    if (!p->in.recipe || p->array || !p->c->pointers || p->in.sentinel || !strstr(p->in.recipe->put, "$v"))
        return;
    p->in.sentinel = "NULL";
    if (p->direction == DIRECTION_INOUT)
        p->out.sentinel = "NULL";
}

static void join(struct model *model, struct mpi_function *f, bool large)
{
    const struct function_binding *b = f->binding;
    for (size_t i = 0; i < b->parameter_count; i++) {
        const struct standard_parameter *s = &b->parameters[i];
        if ((s->large_only && !large) || strcmp(s->kind->name, "VARARGS") == 0)
            continue;
        f->parameters = gen_grow(f->parameters, f->parameter_count, sizeof *f->parameters);
        f->parameters[f->parameter_count++] = (struct parameter){.name = s->name, .standard = s};
    }
    if (f->parameter_count != f->prototype->parameter_count)
        gen_fail(b->file, b->line, "%s has %zu parameters here and %zu in %s", f->name, f->parameter_count,
                 f->prototype->parameter_count, model->library.header);
    for (size_t i = 0; i < f->parameter_count; i++) {
        f->parameters[i].c = &f->prototype->parameters[i];
        set_recipes(model, f, &f->parameters[i]);
    }
    for (size_t i = 0; i < f->parameter_count; i++) {
        set_length(model, f, &f->parameters[i]);
        guard_null(&f->parameters[i]);
        if (is_status(&f->parameters[i].out))
            f->status = f->parameters[i].name;
    }
    set_return(model, f);
    set_locals(model, f);
    f->rank_base = rank_base_of(model, f);
    f->poll = override_find(&model->overrides, "poll", f->name, "-");
    f->first = override_find(&model->overrides, "first", f->name, "-");
    f->through = override_find(&model->overrides, "through", f->name, "-");
    f->after = override_find(&model->overrides, "after", f->name, "-");
    if (f->after)
        f->after = gen_replace(f->after, "\\n", "\n");
    f->template_name = override_find(&model->overrides, "template", f->name, "-");
    f->fortran = override_find(&model->overrides, "fortran", f->name, "-");
    f->hot = override_find(&model->overrides, "hot", f->name, "-") != NULL;
}

static void add_function(struct model *model, const struct function_binding *binding, bool large)
{
    struct mpi_function f = {.binding = binding, .chapter = binding->chapter};
    f.name = large ? gen_format("%s_c", binding->name) : binding->name;
    f.prototype = library_find(&model->library, f.name);
    f.absent = !f.prototype;
    f.macro = library_has_call(&model->library, gen_format("P%s", f.name));
    if (f.absent && !f.macro && strcmp(f.chapter, "removed")) {
        const struct prototype *declared = declaration_of(&model->standard, binding, large);
        f.prototype = declaration_fits(declared, &model->library) ? declared : NULL;
    }
    if (f.prototype)
        f.reason = override_find(&model->overrides, "not", f.name, "-");
    if (function_wrapped(&f))
        join(model, &f, large);
    model->functions = gen_grow(model->functions, model->function_count, sizeof *model->functions);
    model->functions[model->function_count++] = f;
}

/* Warns about rows of gen/overrides that apply to no function: they are probably misspelt. */
static void report_useless_rows(const struct model *model)
{
    for (size_t i = 0; i < model->overrides.count; i++) {
        const struct override *row = &model->overrides.rows[i];
        bool fits = false;
        for (size_t j = 0; j < model->function_count && !fits; j++) {
            const struct mpi_function *f = &model->functions[j];
            if (!gen_matches(row->functions, f->name))
                continue;
            fits = strcmp(row->parameters, "-") == 0;
            for (size_t k = 0; k < f->binding->parameter_count && !fits; k++)
                fits = gen_matches(row->parameters, f->binding->parameters[k].name);
        }
        if (!fits)
            gen_warn(model->overrides.file, row->line, "applies to no function of the standard");
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct mpi_function *)a)->name, ((const struct mpi_function *)b)->name);
}

void model_build(struct model *model)
{
    for (size_t i = 0; i < model->standard.binding_count; i++) {
        const struct function_binding *binding = &model->standard.bindings[i];
        if (binding->callback || binding->not_c)
            continue;
        add_function(model, binding, false);
        if (binding_has_large(binding))
            add_function(model, binding, true);
    }
    report_useless_rows(model);
    qsort(model->functions, model->function_count, sizeof *model->functions, by_name);
}

const struct mpi_function *model_find(const struct model *model, const char *name)
{
    const struct mpi_function key = {.name = name};
    return bsearch(&key, model->functions, model->function_count, sizeof key, by_name);
}
