/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the tables: functions and their parameters, names, constants, predefined handles. */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

/* ---- descriptors ---- */

/* Returns the activity that calls of F are, by the chapter of F. The chapter on topologies also has collective
 * functions. */
static const char *activity(const struct mpi_function *f)
{
    static const char *const chapters[][2] = {
        {"pt2pt", "POINT_TO_POINT"},
        {"part", "POINT_TO_POINT"},
        {"coll", "COLLECTIVE"},
        {"one-side", "ONE_SIDED"},
        {"io", "FILE"},
    };
    for (size_t i = 0; i < sizeof chapters / sizeof chapters[0]; i++)
        if (strcmp(f->chapter, chapters[i][0]) == 0)
            return chapters[i][1];
    bool neighbor = strncmp(f->name, "MPI_Neighbor_", 13) == 0 || strncmp(f->name, "MPI_Ineighbor_", 14) == 0;
    return neighbor ? "COLLECTIVE" : "OTHER";
}

static const char *returns_of(const struct mpi_function *f)
{
    if (!f->returns_value)
        return "RETURNS_ERROR_CODE";
    return f->returned.recipe->is_time ? "RETURNS_TIME" : "RETURNS_VALUE";
}

static void add_descriptor(struct gen_text *parameters, struct gen_text *functions, const struct mpi_function *f)
{
    static const char *const directions[] = {NULL, "DIRECTION_IN", "DIRECTION_OUT", "DIRECTION_INOUT"};
    text_add(functions, "[FUNCTION_%s] = {\"%s\", %s, %zu, %s, ACTIVITY_%s},\n", f->name, f->name,
             f->parameter_count ? gen_format("parameters_%s", f->name) : "NULL", f->parameter_count, returns_of(f),
             activity(f));
    if (!f->parameter_count)
        return;
    text_add(parameters, "static const struct parameter_descriptor parameters_%s[] = {\n", f->name);
    for (size_t i = 0; i < f->parameter_count; i++)
        text_add(parameters, "    {\"%s\", %s},\n", f->parameters[i].name, directions[f->parameters[i].direction]);
    text_add_string(parameters, "};\n");
}

void emit_functions(const struct generated_file *output)
{
    struct gen_text parameters = {0}, functions = {0}, file = {0};
    for (size_t i = 0; i < output->model->function_count; i++)
        if (function_wrapped(&output->model->functions[i]))
            add_descriptor(&parameters, &functions, &output->model->functions[i]);
    template_fill(&file, output->templates, "descriptors.tmpl",
                  (struct field[]){
                      {"parameters", text_string(&parameters)}, {"functions", text_string(&functions)}, {NULL, NULL}});
    gen_write_file(output->folder, "descriptors.c", &file);
}

/* ---- gen/constants ---- */

/* A row: WHAT WORD NAME... */
struct constant_row {
    const char *what;
    const char *word;
    const char **names;
    size_t count;
};

struct constants {
    struct constant_row *rows;
    size_t count;
};

static char *next_word(const char **p)
{
    *p += strspn(*p, " \t");
    size_t length = strcspn(*p, " \t\n");
    char *word = gen_copy(*p, length);
    *p += length;
    return word;
}

/* Reads gen/constants. A line that begins with a blank continues the row before it. */
static struct constants read_constants(const char *file)
{
    struct constants constants = {0};
    struct constant_row *row = NULL;
    const char *p = gen_read_file(file, NULL);
    for (int line = 1; *p; line++) {
        const char *text = gen_copy(p, strcspn(p, "\n"));
        p += strcspn(p, "\n");
        p += *p == '\n';
        if (*text == '#' || !text[strspn(text, " \t")])
            continue;
        if (*text != ' ' && *text != '\t') {
            constants.rows = gen_grow(constants.rows, constants.count, sizeof *constants.rows);
            row = &constants.rows[constants.count++];
            *row = (struct constant_row){.what = next_word(&text), .word = next_word(&text)};
            if (strcmp(row->what, "enumeration") && strcmp(row->what, "handles") && strcmp(row->what, "names"))
                gen_fail(file, line, "enumeration, handles or names expected, not '%s'", row->what);
        }
        if (!row)
            gen_fail(file, line, "continues no row");
        for (char *name; *(name = next_word(&text));) {
            row->names = gen_grow(row->names, row->count, sizeof *row->names);
            row->names[row->count++] = name;
        }
    }
    return constants;
}

static void add_name(struct gen_text *list, struct gen_text *strings, const char *name)
{
    const char *entry = gen_format("NAME_%s,\n", name);
    if (list->chars && strstr(list->chars, gen_format("\n%s", entry)))
        return;
    text_add_string(list, entry);
    text_add(strings, "[NAME_%s] = \"%s\",\n", name, name);
}

/* A constant that the library has. `index` is its index in its row. */
struct named_value {
    const char *name;
    int64_t value;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct named_value *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Adds the table of those constants of ROW that the library has, sorted by value. Sets *LAST to the name of the
 * greatest, if there is one. Returns how many there are. */
static size_t add_enumeration(struct gen_text *tables, const struct generated_file *output, const char *file,
                              const struct constant_row *row, const char **last)
{
    struct named_value *found = gen_alloc((row->count + 1) * sizeof *found);
    size_t count = 0, written = 0;
    for (size_t i = 0; i < row->count; i++) {
        const char *name = row->names[i];
        if (!library_has(&output->model->library, name))
            continue;
        if (!library_value(&output->model->library, name, &found[count].value))
            gen_fail(file, 0, "%s: its value in this mpi.h is no plain integer", name);
        found[count].name = name;
        found[count].index = i;
        count++;
    }
    qsort(found, count, sizeof *found, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i && found[i].value == found[i - 1].value)
            continue;
        if (!written)
            text_add(tables, "static const struct constant constants_%s[] = {\n", row->word);
        text_add(tables, "    {%s, NAME_%s},\n", found[i].name, found[i].name);
        written++;
    }
    if (written) {
        text_add_string(tables, "};\n");
        *last = found[count - 1].name;
    }
    const char *before = NULL; /* lets the compiler check the order */
    for (size_t i = 0; i < count; i++) {
        if (before && found[i].value != found[i - 1].value)
            text_add(tables, "_Static_assert((int64_t)(%s) < (int64_t)(%s), \"sorted\");\n", before, found[i].name);
        before = found[i].name;
    }
    return written;
}

void emit_constants(const struct generated_file *output, const char *constants_file)
{
    struct constants constants = read_constants(constants_file);
    struct gen_text functions = {0}, names = {0}, strings = {0}, enumerations = {0}, tables = {0};
    struct gen_text rows = {0}, handles = {0}, kinds = {0}, header = {0}, file = {0};
    for (size_t i = 0; i < output->model->function_count; i++)
        if (function_wrapped(&output->model->functions[i]))
            text_add(&functions, "FUNCTION_%s,\n", output->model->functions[i].name);
    add_name(&names, &strings, "NULL");
    for (size_t i = 0; i < constants.count; i++) {
        const struct constant_row *row = &constants.rows[i];
        for (size_t j = 0; j < row->count; j++)
            add_name(&names, &strings, row->names[j]);
        if (strcmp(row->what, "enumeration") == 0) {
            text_add(&enumerations, "ENUM_%s,\n", row->word);
            const char *last = "INT64_MIN";
            size_t count = add_enumeration(&tables, output, constants_file, row, &last);
            text_add(&rows, "[ENUM_%s] = {%s, %zu, %s},\n", row->word,
                     count ? gen_format("constants_%s", row->word) : "NULL", count, last);
        } else if (strcmp(row->what, "handles") == 0) {
            /* the first name is the word for the kind */
            text_add(&kinds, "[KIND_%s] = NAME_%s,\n", row->word, row->names[0]);
            for (size_t j = 1; j < row->count; j++)
                if (library_has(&output->model->library, row->names[j]))
                    text_add(&handles, "{KIND_%s, NAME_%s, HANDLE(%s)},\n", row->word, row->names[j], row->names[j]);
        }
    }
    struct field fields[] = {
        {"functions", text_string(&functions)},
        {"names", text_string(&names)},
        {"strings", text_string(&strings)},
        {"enumerations", text_string(&enumerations)},
        {"tables", text_string(&tables)},
        {"rows", text_string(&rows)},
        {"handles", text_string(&handles)},
        {"kinds", text_string(&kinds)},
        {NULL, NULL},
    };
    template_fill(&header, output->templates, "functions.tmpl", fields);
    gen_write_file(output->folder, "functions.h", &header);
    template_fill(&file, output->templates, "constants.tmpl", fields);
    gen_write_file(output->folder, "constants.c", &file);
}
