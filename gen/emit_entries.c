/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes how calls get from the names that the program calls to the wrappers, and from the wrappers to the library: its
 * variables, and a pointer for each of its functions. */
#include <string.h>

#include "emit.h"

/* Adds the library's variables that constants refer to. Open MPI's macros name them; MPICH declares them. */
static void add_symbols(struct gen_text *out, const struct library *library)
{
    static const char call[] = "OMPI_PREDEFINED_GLOBAL(";
    static const char *const variables[] = {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_T_PVAR_ALL_HANDLES"};
    struct gen_text seen = {0};
    text_add_string(&seen, " ");
    for (size_t i = 0; i < library->macro_count; i++) {
        const char *value = library->macros[i].value;
        const char *symbol = strncmp(value, call, sizeof call - 1) ? NULL : strchr(value, ',');
        if (!symbol)
            continue;
        symbol += 1 + strspn(symbol + 1, " ");
        symbol = gen_copy(symbol, strcspn(symbol, " )"));
        if (strcmp(symbol, "global") == 0 || strstr(seen.chars, gen_format(" %s ", symbol)))
            continue;
        text_add(&seen, "%s ", symbol);
        text_add(out, "\\\n    X(%s) ", symbol);
    }
    if (out->length)
        return;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        text_add(out, "\\\n    X(%s) ", variables[i]);
}

static void emit_library_functions(const struct generated_file *output)
{
    const struct model *model = output->model;
    struct gen_text members = {0}, macros = {0}, rows = {0}, addresses = {0}, header = {0}, file = {0};
    struct gen_text absent = {0}, left_out = {0};
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        const char *name = gen_format("P%s", f->name);
        if (f->reason)
            text_add(&left_out, "\"%s\",\n", name);
        if (!function_wrapped(f))
            continue;
        if (f->absent) {
            text_add(&members, "%s (*call_%s)(%s);\n", f->prototype->type, f->name, emit_parameters(f));
            text_add(&absent, "%s\n", f->name);
        } else {
            text_add(&members, "__typeof__(%s) *call_%s;\n", name, f->name);
            text_add(&addresses, ".call_%s = %s,\n", f->name, name);
        }
        text_add(&macros, "#undef %s\n#define %s (*mpi_functions.call_%s)\n", name, name, f->name);
        text_add(&macros, "#define NEXT_%s (*mpi_next.call_%s)\n", f->name, f->name);
        text_add(&rows, "{\"%s\", (void **)(void *)&mpi_functions.call_%s, (void **)(void *)&mpi_next.call_%s},\n",
                 name, f->name, f->name);
    }
    /* What mpi.h declares and the standard does not: coverage.txt names it. */
    for (size_t i = 0; i < model->library.prototype_count; i++)
        if (!model_find(model, model->library.prototypes[i].name))
            text_add(&left_out, "\"P%s\",\n", model->library.prototypes[i].name);
    struct field fields[] = {{"members", text_string(&members)},   {"macros", text_string(&macros)},
                             {"rows", text_string(&rows)},         {"addresses", text_string(&addresses)},
                             {"left_out", text_string(&left_out)}, {NULL, NULL}};
    template_fill(&header, output->templates, "mpi_functions_header.tmpl", fields);
    gen_write_file(output->folder, "mpi_functions.h", &header);
    template_fill(&file, output->templates, "mpi_functions.tmpl", fields);
    gen_write_file(output->folder, "mpi_functions.c", &file);
    text_add_string(&absent, "# for objcopy, which refuses an empty file\n");
    gen_write_file(output->folder, "absent.symbols", &absent);
}

void emit_entries(const struct generated_file *output)
{
    const struct model *model = output->model;
    emit_library_functions(output);
    struct gen_text symbols = {0}, header = {0}, declarations = {0}, rows = {0}, file = {0};
    add_symbols(&symbols, &model->library);
    template_fill(&header, output->templates, "mpi_symbols.tmpl",
                  (struct field[]){{"symbols", text_string(&symbols)}, {NULL, NULL}});
    gen_write_file(output->folder, "mpi_symbols.h", &header);
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        if (!function_wrapped(f) || f->prototype->variadic)
            continue;
        text_add(&declarations, "extern void *entry_%s;\n", f->name);
        text_add(&rows, "{\"%s\", &entry_%s},\n", f->name, f->name);
    }
    template_fill(
        &file, output->templates, "entries.tmpl",
        (struct field[]){{"declarations", text_string(&declarations)}, {"rows", text_string(&rows)}, {NULL, NULL}});
    gen_write_file(output->folder, "entries.c", &file);
}
