/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what Fortran programs call (fortran/fortran.h): the entries, the slots for MPI's Fortran layer, and the
 * conversions for direct functions.
 *
 * The name of an entry is the function's name in lower or upper case, as compilers spell it. Large-count functions have
 * entries only in the Fortran 2008 module, under the name of the ordinary function. */
#include <ctype.h>
#include <string.h>

#include "emit.h"

enum { WORDS_MAX = 16 }; /* FORTRAN_WORDS */

static char *spelled(const char *s, int (*message)(int))
{
    char *t = gen_copy(s, strlen(s));
    for (char *p = t; *p; p++)
        *p = (char)message((unsigned char)*p);
    return t;
}

static bool in_fortran(const struct parameter *p)
{
    return strcmp(p->standard->kind->fortran_type, "None") != 0;
}

static bool has_fortran(const struct mpi_function *f)
{
    return function_wrapped(f) && !(f->binding->not_f90 && f->binding->not_f08);
}

/* Returns the index of parameter NAME among the Fortran arguments, -1 if it is not there. NAME NULL: the index of
 * ierror. */
static int argument_of(const struct mpi_function *f, const char *name)
{
    int at = 0;
    for (size_t i = 0; i < f->parameter_count; i++) {
        if (name && strcmp(f->parameters[i].name, name) == 0)
            return at;
        at += in_fortran(&f->parameters[i]);
    }
    return name ? -1 : at;
}

static bool is_text(const struct parameter *p)
{
    return strncmp(p->standard->kind->fortran_type, "CHARACTER", 9) == 0;
}

/* Returns the index of the hidden length of the string P. These come after ierror. */
static int text_length_of(const struct mpi_function *f, const struct parameter *p)
{
    int at = argument_of(f, NULL) + 1;
    for (const struct parameter *before = f->parameters; before < p; before++)
        at += is_text(before);
    return at;
}

/* Returns 8 or 16, enough for the arguments, ierror, and the hidden lengths of strings. */
static int words_of(const struct mpi_function *f)
{
    int count = text_length_of(f, f->parameters + f->parameter_count);
    if (count > WORDS_MAX)
        gen_fail(f->binding->file, f->binding->line, "%s: more than %d arguments in Fortran", f->name, WORDS_MAX);
    return count > 8 ? WORDS_MAX : 8;
}

static void add_entry(struct gen_text *out, const struct mpi_function *f, const char *symbol)
{
    if (strcmp(f->prototype->type, "double") == 0)
        text_add(out, "FORTRAN_ENTRY_REAL(%s, FUNCTION_%s)\n", symbol, f->name);
    else
        text_add(out, "FORTRAN_ENTRY_%d(%s, FUNCTION_%s, %d)\n", words_of(f), symbol, f->name,
                 f->status ? argument_of(f, f->status) : -1);
}

static void add_spellings(struct gen_text *out, const struct mpi_function *f, const char *name)
{
    const char *lower = spelled(name, tolower);
    add_entry(out, f, lower);
    add_entry(out, f, gen_format("%s_", lower));
    add_entry(out, f, gen_format("%s__", lower));
    add_entry(out, f, spelled(name, toupper));
}

static bool gives_pointer(const struct mpi_function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (strncmp(f->parameters[i].standard->kind->name, "C_BUFFER", 8) == 0)
            return true;
    return false;
}

static void add_entries(struct gen_text *out, const struct mpi_function *f)
{
    const char *name = f->binding->name;
    bool large = strcmp(name, f->name) != 0;
    if (!large && !f->binding->not_f90) {
        add_spellings(out, f, name);
        if (gives_pointer(f))
            add_spellings(out, f, gen_format("%s_cptr", name));
    }
    if (!f->binding->not_f08)
        for (int descriptors = 0; descriptors < 2; descriptors++)
            add_entry(
                out, f,
                gen_format("%s_f08%s_%s", spelled(name, tolower), descriptors ? "ts" : "", large ? "large_" : ""));
}

/* ---- slots ---- */

static void add_slot(struct gen_text *functions, struct gen_text *rows, const struct generated_file *output,
                     const struct mpi_function *f)
{
    template_fill(functions, output->templates, "fortran_slot.tmpl",
                  (struct field[]){{"name", f->name},
                                   {"type", f->prototype->type},
                                   {"parameters", emit_parameters(f)},
                                   {"pass", f->prototype->variadic ? "..." : ""},
                                   {"arguments", emit_arguments(f, false)},
                                   {NULL, NULL}});
    text_add(rows, "{\"%s\", (void *)slot_%s},\n", f->name, f->name);
}

/* ---- direct functions ---- */

/* Returns the word in names of conversions for the handle type TYPE; NULL: it is no handle. */
static const char *handle_word(const char *type)
{
    static const char *const words[][2] = {{"MPI_Comm", "Comm"},       {"MPI_Datatype", "Type"},
                                           {"MPI_Win", "Win"},         {"MPI_File", "File"},
                                           {"MPI_Op", "Op"},           {"MPI_Info", "Info"},
                                           {"MPI_Request", "Request"}, {"MPI_Group", "Group"},
                                           {"MPI_Session", "Session"}, {"MPI_Errhandler", "Errhandler"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], type) == 0)
            return words[i][1];
    return NULL;
}

/* Returns the type that a pointer parameter points to. */
static const char *target_type(const struct parameter *p)
{
    if (strcmp(p->standard->kind->c_type, "void") == 0)
        return "void *";
    size_t length = strcspn(p->c->type, "*");
    while (length && p->c->type[length - 1] == ' ')
        length--;
    return gen_copy(p->c->type, length);
}

/* Returns the expression for the Fortran argument WORD in C. TYPE: its C type. */
static const char *from_fortran(const struct mpi_function *f, const struct parameter *p, const char *type,
                                const char *word)
{
    const char *fortran = p->standard->kind->fortran_type;
    const char *handle = handle_word(type);
    if (handle)
        return gen_format("PMPI_%s_f2c(fortran_integer(%s))", handle, word);
    if (strcmp(fortran, "EXTERNAL") == 0)
        return gen_format("(%s)%s", type, word);
    if (strcmp(p->standard->kind->name, "KEYVAL") == 0)
        return gen_format("fortran_keyval(%s)", word);
    if (strcmp(fortran, "LOGICAL") == 0)
        return gen_format("fortran_integer(%s) != 0", word);
    const char *pointer = strchr(type, '*') ? gen_format("(%s)(intptr_t)", type) : "";
    if (strcmp(fortran, "INTEGER") == 0)
        return gen_format("%sfortran_integer(%s)", pointer, word);
    if (strcmp(fortran, "INTEGER(KIND=MPI_ADDRESS_KIND)") == 0)
        return gen_format("%sfortran_address(%s)", pointer, word);
    gen_fail(f->binding->file, f->binding->line, "%s: no conversion of %s for a direct function", f->name, p->name);
}

bool emit_is_direct(const struct mpi_function *f)
{
    return has_fortran(f) && f->fortran && strcmp(f->fortran, "direct") == 0;
}

static void add_direct(struct gen_text *out, struct gen_text *prototypes, struct gen_text *rows,
                       const struct generated_file *output, const struct mpi_function *f)
{
    struct gen_text locals = {0}, passed = {0}, results = {0};
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        const char *word = gen_format("words[%d]", argument_of(f, p->name));
        text_add_string(&passed, i ? ", " : "");
        if (is_text(p) && !emit_is_direct(f)) {
            text_add(&locals, "char %s[FORTRAN_TEXT_BYTES];\n", p->name);
            if (p->direction == DIRECTION_IN)
                text_add(&passed, "fortran_text(%s, %s, words[%d])", p->name, word, text_length_of(f, p));
            else
                text_add_string(&passed, p->name);
            continue;
        }
        if (p->direction == DIRECTION_IN) {
            text_add_string(&passed, from_fortran(f, p, p->c->type, word));
            continue;
        }
        const char *type = target_type(p);
        text_add(&locals, "%s %s = 0;\n", type, p->name);
        text_add(&passed, "&%s", p->name);
        text_add(&results, "*(%s *)%s = %s;\n", type, p->name, from_fortran(f, p, type, word));
    }
    char ierror[16];
    strcpy(ierror, gen_format("%d", argument_of(f, NULL)));
    if (f->through && !emit_is_direct(f))
        gen_fail(f->name, 0, "`through` is for functions that are called directly from Fortran");
    if (emit_is_direct(f)) {
        const char *head = gen_format("/* Called in place of P%s. */\nint fortran_real_%s", f->name, f->name);
        template_fill(
            out, output->templates, "fortran_real.tmpl",
            (struct field[]){
                {"name", f->name},
                {"head", f->through ? gen_format("static int real_%s", f->name) : head},
                {"through", f->through
                                ? gen_format("\n%s(%s)\n{\n    return %s(real_%s, FUNCTION_%s, %s);\n}\n", head,
                                             emit_parameters(f), f->through, f->name, f->name, emit_arguments(f, false))
                                : ""},
                {"parameters", emit_parameters(f)},
                {"arguments", emit_arguments(f, false)},
                {"results", text_string(&results)},
                {"ierror", ierror},
                {NULL, NULL}});
        text_add(prototypes, "int fortran_real_%s(%s);\n", f->name, emit_parameters(f));
    }
    template_fill(out, output->templates, "fortran_direct.tmpl",
                  (struct field[]){{"name", f->name},
                                   {"type", f->prototype->type},
                                   {"parameters", emit_parameters(f)},
                                   {"locals", text_string(&locals)},
                                   {"passed", text_string(&passed)},
                                   {NULL, NULL}});
    text_add(rows, "{FUNCTION_%s, %s, %s, direct_%s},\n", f->name, emit_is_direct(f) ? "false" : "true",
             f->returns_value ? "-1" : ierror, f->name);
}

/* ---- what hidden calls do to objects ---- */

static int word_of(const struct mpi_function *f, const char *name)
{
    return name ? argument_of(f, name) : -1;
}

/* Returns the index of the argument that is the parent of the communicator V, by V's words in gen/overrides: "comm, 0",
 * "MPI_COMM_NULL, comm_salt(tag)", "comm". */
static int parent_of(const struct mpi_function *f, const struct value *v)
{
    return argument_of(f, gen_copy(v->word, strcspn(v->word, ",")));
}

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* Returns the index of the first communicator that is an input: a receive's source refers to it. */
static int communicator_of(const struct mpi_function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].in.recipe && strcmp(f->parameters[i].standard->kind->name, "COMMUNICATOR") == 0)
            return argument_of(f, f->parameters[i].name);
    return -1;
}

/* Adds a row for what F does to the object P, if it creates or frees it. Arrays of new objects are left out: of these
 * only handles are known. */
static void add_handle(struct gen_text *rows, const struct mpi_function *f, const struct parameter *p)
{
    const char *in = p->in.recipe ? p->in.recipe->name : "", *out = p->out.recipe ? p->out.recipe->name : "";
    const char *head = gen_format("{.function = FUNCTION_%s, .word = %d, .error = %d, ", f->name,
                                  argument_of(f, p->name), argument_of(f, NULL));
    int flag = p->out.when && strcmp(p->out.when, "*flag") == 0 ? argument_of(f, "flag") : -1;
    if (begins(in, "request"))
        text_add(rows, "%s.what = HANDLE_%s, .other = %d},\n", head,
                 f->after && strstr(f->after, "started") ? "STARTED" : "COMPLETED",
                 p->array ? word_of(f, p->length) : -1);
    else if (p->array || !*out)
        return;
    else if (begins(out, "new_re"))
        text_add(rows, "%s.what = HANDLE_BEGUN, .other = %d, .request = {%s}},\n", head, communicator_of(f),
                 p->out.word);
    else if (strcmp(out, "released") == 0)
        text_add(rows, "%s.what = HANDLE_RELEASED, .kind = %s},\n", head, p->out.word);
    else if (begins(out, "new_comm"))
        text_add(rows, "%s.what = HANDLE_%s, .kind = KIND_COMM, .other = %d},\n", head,
                 strstr(out, "pending")       ? "COMM_PENDING"
                 : strstr(p->out.word, ", 0") ? "COMM"
                                              : "COMM_OF_SOME",
                 parent_of(f, &p->out));
    else if (strcmp(out, "new") == 0 || strcmp(out, "new_pending") == 0)
        text_add(rows, "%s.what = HANDLE_NEW, .kind = %s, .other = %d, .flag = %d},\n", head, p->out.word,
                 communicator_of(f), flag);
}

static void add_handles(struct gen_text *rows, const struct mpi_function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (in_fortran(&f->parameters[i]))
            add_handle(rows, f, &f->parameters[i]);
}

static void write_file(const struct generated_file *output, const char *name, const char *template,
                       struct field *fields)
{
    struct gen_text file = {0};
    template_fill(&file, output->templates, template, fields);
    gen_write_file(output->folder, name, &file);
}

void emit_fortran(const struct generated_file *output)
{
    struct gen_text entries = {0}, slots = {0}, slot_rows = {0};
    struct gen_text directs = {0}, direct_rows = {0}, prototypes = {0}, handles = {0};
    for (size_t i = 0; i < output->model->function_count; i++) {
        const struct mpi_function *f = &output->model->functions[i];
        if (!has_fortran(f))
            continue;
        add_entries(&entries, f);
        add_slot(&slots, &slot_rows, output, f);
        add_handles(&handles, f);
        if (f->fortran)
            add_direct(&directs, &prototypes, &direct_rows, output, f);
    }
    write_file(output, "fortran_entries.c", "fortran_entries.tmpl",
               (struct field[]){{"entries", text_string(&entries)}, {NULL, NULL}});
    write_file(output, "fortran_slots.c", "fortran_slots.tmpl",
               (struct field[]){{"slots", text_string(&slots)}, {"rows", text_string(&slot_rows)}, {NULL, NULL}});
    write_file(output, "fortran_directs.c", "fortran_directs.tmpl",
               (struct field[]){{"directs", text_string(&directs)}, {"rows", text_string(&direct_rows)}, {NULL, NULL}});
    write_file(output, "fortran_directs.h", "fortran_directs_head.tmpl",
               (struct field[]){{"prototypes", text_string(&prototypes)}, {NULL, NULL}});
    write_file(output, "fortran_handles.c", "fortran_handles.tmpl",
               (struct field[]){{"rows", text_string(&handles)}, {NULL, NULL}});
}
