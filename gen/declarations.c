/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes C declarations from the standard; see declarations.h. The kind of a parameter gives its type; direction, length
 * and the words `constant` and `pointer` say how it is passed. tests/standard compares the result with mpi.h. */
#include "declarations.h"

#include <string.h>

#include "emit.h"

/* Returns the C type of a value of kind P->kind, or of what it points to. */
static const char *value_type(const struct standard_parameter *p, bool large)
{
    if (p->func_type)
        return strcmp(p->kind->name, "POLYFUNCTION") == 0 && large ? gen_format("%s_c", p->func_type) : p->func_type;
    return large ? p->kind->c_type_large : p->kind->c_type;
}

/* Returns what stands before and after the name of a string or an array of strings, which are arrays themselves. */
static struct c_parameter text_of(const struct standard_parameter *p)
{
    static const char *const forms[][3] = {
        {"ARGUMENT_LIST", "char ***", ""}, /* argv of MPI_Init */
        {"STRING_ARRAY", "char *", "[]"},
        {"STRING_2DARRAY", "char **", "[]"},
    };
    struct c_parameter c = {.type = p->constant ? "const char *" : "char *", .array = ""};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i][0], p->kind->name) == 0)
            c = (struct c_parameter){.type = forms[i][1], .array = forms[i][2]};
    if (p->pointer == 0) /* argv of MPI_Info_create_env, and "const char datarep[]" */
        c = (struct c_parameter){.type = p->constant ? "const char" : "char *", .array = "[]"};
    return c;
}

static struct c_parameter parameter_of(const struct standard_parameter *p, bool large)
{
    const char *value = value_type(p, large);
    bool address = strcmp(value, "void") == 0 || strstr(value, "_function");
    bool array = p->length && !address && p->pointer != 1;
    struct c_parameter c = {.array = ""};
    if (strcmp(value, "char") == 0) {
        c = text_of(p);
    } else {
        bool written = p->direction != DIRECTION_IN && p->pointer != 0;
        bool star = address || (!array && (written || p->pointer == 1 || strstr(p->kind->name, "STATUS")));
        c.type = gen_format("%s%s%s", p->constant ? "const " : "", value, star ? " *" : "");
        if (array) /* "[n,3]": an array of arrays */
            c.array = strchr(p->length, ',') ? gen_format("[][%s", strchr(p->length, ',') + 1) : "[]";
    }
    for (const char *s = c.type; *s; s++)
        c.pointers += *s == '*';
    for (const char *s = c.array; *s; s++)
        c.pointers += *s == '[';
    return c;
}

/* Returns the type of what BINDING returns. */
static const char *return_type(const struct standard *standard, const struct function_binding *binding)
{
    const char *kind = binding->return_kind;
    return kind ? standard_kind_find(standard, kind)->c_type : "int";
}

struct prototype *declaration_of(const struct standard *standard, const struct function_binding *binding, bool large)
{
    struct prototype *prototype = gen_alloc(sizeof *prototype);
    prototype->name = large ? gen_format("%s_c", binding->name) : binding->name;
    prototype->type = return_type(standard, binding);
    for (size_t i = 0; i < binding->parameter_count; i++) {
        const struct standard_parameter *p = &binding->parameters[i];
        if (p->large_only && !large)
            continue;
        if (strcmp(p->kind->name, "VARARGS") == 0) {
            prototype->variadic = true;
            continue;
        }
        prototype->parameters =
            gen_grow(prototype->parameters, prototype->parameter_count, sizeof *prototype->parameters);
        prototype->parameters[prototype->parameter_count++] = parameter_of(p, large);
    }
    return prototype;
}

/* True if LIBRARY declares the type that TEXT names; types of C itself count as declared. */
static bool type_fits(const char *text, const struct library *library)
{
    const char *name = strncmp(text, "const ", 6) ? text : text + 6;
    name = gen_copy(name, strcspn(name, " *"));
    return strncmp(name, "MPI", 3) || library_has(library, name);
}

bool declaration_fits(const struct prototype *prototype, const struct library *library)
{
    bool fits = type_fits(prototype->type, library);
    for (size_t i = 0; i < prototype->parameter_count; i++)
        fits = fits && type_fits(prototype->parameters[i].type, library);
    return fits;
}

/* Returns P's parameters with the names that the standard gives them. */
static const char *named_parameters(const struct prototype *p, const struct function_binding *binding, bool large)
{
    struct gen_text out = {0};
    size_t at = 0;
    for (size_t i = 0; i < binding->parameter_count; i++) {
        const struct standard_parameter *s = &binding->parameters[i];
        if ((s->large_only && !large) || strcmp(s->kind->name, "VARARGS") == 0)
            continue;
        text_add(&out, "%s%s", at ? ", " : "", emit_declaration(&p->parameters[at], s->name));
        at++;
    }
    if (p->variadic)
        text_add_string(&out, ", ...");
    return at ? text_string(&out) : "void";
}

void emit_declarations(const struct generated_file *output)
{
    const struct model *model = output->model;
    struct gen_text lines = {0}, file = {0};
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        bool large = f->name != f->binding->name;
        const struct prototype *p = declaration_of(&model->standard, f->binding, large);
        const char *parameters = named_parameters(p, f->binding, large);
        text_add(&lines, "%s (P%s)(%s);\n", p->type, f->name, parameters);
    }
    template_fill(&file, output->templates, "declarations.tmpl",
                  (struct field[]){{"declarations", text_string(&lines)}, {NULL, NULL}});
    gen_write_file(output->folder, "declarations.h", &file);
}

void emit_features(const struct generated_file *output)
{
    const struct model *model = output->model;
    const struct library *library = &model->library;
    struct gen_text lines = {0}, file = {0};
    for (size_t i = 0; i < model->standard.kind_count; i++) {
        const char *type = model->standard.kinds[i].c_type;
        if (strncmp(type, "MPI_", 4) == 0 && !strstr(text_string(&lines), gen_format("HAS_%s ", type)))
            text_add(&lines, "#define HAS_%s %d\n", type, library_has(library, type));
    }
    for (size_t i = 0; i < model->standard.binding_count; i++) {
        const struct function_binding *b = &model->standard.bindings[i];
        for (int large = 0; large < 2; large++) {
            const char *name = gen_format("%s%s", b->name, large ? "_c" : "");
            bool has = b->callback ? library_has(library, name) : library_find(library, name) != NULL;
            if (!large || binding_has_large(b))
                text_add(&lines, "#define HAS_%s %d\n", name, has);
        }
    }
    template_fill(&file, output->templates, "features.tmpl",
                  (struct field[]){{"features", text_string(&lines)}, {NULL, NULL}});
    gen_write_file(output->folder, "mpi_features.h", &file);
}
