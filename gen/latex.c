/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the standard's LaTeX; see latex.h. Between \begin{mpi-binding} and \end{mpi-binding} there are calls in
 * Python's notation, one for the function's name and one for each parameter. The rest of a chapter is skipped, as are
 * comments and verbatim text. An error in a block ends the program with file and line: a function that was left out
 * silently would never be traced.
 *
 * One topic, a parser, so the file is longer than 400 lines. */
#include "latex.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "gen_text.h"

/* An argument of a call: KEYWORD=VALUE, or VALUE. */
struct argument {
    const char *keyword; /* NULL: positional */
    const char *value;   /* strings without quotes, lists as "[a,b]" */
    int line;
};

enum { ARGUMENTS_MAX = 32 };

struct reader {
    struct standard *standard;
    const char *file;
    const char *chapter;
    const char *p;
    int line;
    int block_line;
};

/* ---- characters ---- */

static void advance(struct reader *r)
{
    if (*r->p == '\n')
        r->line++;
    r->p++;
}

static bool at(const struct reader *r, const char *word)
{
    return strncmp(r->p, word, strlen(word)) == 0;
}

static void skip_line(struct reader *r)
{
    while (*r->p && *r->p != '\n')
        r->p++;
}

/* Skips blanks and comments inside a block, those of LaTeX and of Python. */
static void skip_blanks(struct reader *r)
{
    for (;;) {
        if (isspace((unsigned char)*r->p))
            advance(r);
        else if (*r->p == '%' || *r->p == '#')
            skip_line(r);
        else
            return;
    }
}

static _Noreturn void unterminated_block(const struct reader *r)
{
    gen_fail(r->file, r->block_line, "mpi-binding block without \\end{mpi-binding}");
}

/* Fails if the text or the block ends here, inside a call. */
static void need_more(const struct reader *r, const char *what, int line)
{
    if (!*r->p)
        unterminated_block(r);
    if (at(r, "\\end{mpi-binding}") || at(r, "\\begin{"))
        gen_fail(r->file, line, "%s is not closed before the block's end", what);
}

/* ---- values ---- */

static char *read_word(struct reader *r)
{
    const char *start = r->p;
    while (isalnum((unsigned char)*r->p) || *r->p == '_' || *r->p == '.')
        r->p++;
    return gen_copy(start, (size_t)(r->p - start));
}

static bool at_string(const struct reader *r)
{
    const char *p = r->p;
    if (*p && strchr("rRuUfFbB", *p))
        p++;
    return *p == '\'' || *p == '"';
}

/* Reads a string literal. A backslash stays, except at the end of a line and before a quote. */
static void read_string(struct reader *r, struct gen_text *value)
{
    int line = r->line;
    if (*r->p != '\'' && *r->p != '"')
        r->p++;
    char quote = *r->p;
    bool triple = r->p[1] == quote && r->p[2] == quote;
    r->p += triple ? 3 : 1;
    for (;;) {
        if (!*r->p || at(r, "\\end{mpi-binding}"))
            gen_fail(r->file, line, "string is not closed");
        if (*r->p == '\n' && !triple)
            gen_fail(r->file, line, "string is not closed on its line");
        if (*r->p == quote && (!triple || (r->p[1] == quote && r->p[2] == quote)))
            break;
        if (*r->p == '\\' && r->p[1] == '\n') {
            r->p++;
            advance(r);
            continue;
        }
        if (*r->p == '\\' && (r->p[1] == quote || r->p[1] == '\\'))
            r->p++;
        text_add(value, "%c", *r->p);
        advance(r);
    }
    r->p += triple ? 3 : 1;
}

static char *read_value(struct reader *r);

static char *read_list(struct reader *r)
{
    int line = r->line;
    char close = *r->p == '[' ? ']' : ')';
    struct gen_text list = {0};
    text_add_string(&list, "[");
    r->p++;
    for (skip_blanks(r); *r->p != close; skip_blanks(r)) {
        need_more(r, "list", line);
        if (list.length > 1)
            text_add_string(&list, ",");
        text_add_string(&list, read_value(r));
        skip_blanks(r);
        if (*r->p == ',')
            r->p++;
        else if (*r->p != close)
            gen_fail(r->file, r->line, "',' or '%c' expected in a list", close);
    }
    r->p++;
    text_add_string(&list, "]");
    return list.chars;
}

static char *read_value(struct reader *r)
{
    if (*r->p == '[' || *r->p == '(')
        return read_list(r);
    if (at_string(r)) {
        struct gen_text value = {0};
        text_add_string(&value, "");
        do { /* adjacent literals are one string */
            read_string(r, &value);
            skip_blanks(r);
        } while (at_string(r));
        return value.chars;
    }
    if (*r->p == '-')
        r->p++;
    char *word = read_word(r);
    if (!*word)
        gen_fail(r->file, r->line, "value expected, found '%c'", *r->p);
    return word;
}

/* ---- calls ---- */

/* Reads "(...)" after the name CALL. Returns the number of arguments. */
static size_t read_arguments(struct reader *r, const char *call, struct argument *arguments)
{
    int line = r->line;
    size_t count = 0;
    skip_blanks(r);
    if (*r->p != '(')
        gen_fail(r->file, line, "'(' expected after %s", call);
    r->p++;
    for (skip_blanks(r); *r->p != ')'; skip_blanks(r)) {
        need_more(r, call, line);
        if (count == ARGUMENTS_MAX)
            gen_fail(r->file, line, "too many arguments of %s", call);
        struct argument *a = &arguments[count++];
        *a = (struct argument){.line = r->line};
        bool string = at_string(r);
        a->value = read_value(r);
        skip_blanks(r);
        if (*r->p == '=') {
            if (string)
                gen_fail(r->file, a->line, "'=' after a string");
            r->p++;
            skip_blanks(r);
            need_more(r, call, line);
            a->keyword = a->value;
            a->value = read_value(r);
            skip_blanks(r);
        }
        if (*r->p == ',')
            r->p++;
        else if (*r->p != ')') {
            need_more(r, call, line);
            gen_fail(r->file, r->line, "',' or ')' expected in %s", call);
        }
    }
    r->p++;
    return count;
}

static bool read_bool(const struct reader *r, const struct argument *a)
{
    if (strcmp(a->value, "True") && strcmp(a->value, "False"))
        gen_fail(r->file, a->line, "%s is True or False, not '%s'", a->keyword, a->value);
    return a->value[0] == 'T';
}

static enum direction read_direction(const struct reader *r, const struct argument *a)
{
    if (strcmp(a->value, "in") == 0)
        return DIRECTION_IN;
    if (strcmp(a->value, "out") == 0)
        return DIRECTION_OUT;
    if (strcmp(a->value, "inout") == 0)
        return DIRECTION_INOUT;
    gen_fail(r->file, a->line, "direction is in, out or inout, not '%s'", a->value);
}

const struct standard_kind *standard_kind_find(const struct standard *standard, const char *name)
{
    for (size_t i = 0; i < standard->kind_count; i++)
        if (strcmp(standard->kinds[i].name, name) == 0)
            return &standard->kinds[i];
    return NULL;
}

static void set_keyword(struct reader *r, struct standard_parameter *parameter, const struct argument *a)
{
    /* These are for Fortran, or for the printed page. */
    static const char *const of_no_use[] = {"desc", "suppress", "optional", "asynchronous"};

    if (strcmp(a->keyword, "direction") == 0)
        parameter->direction = read_direction(r, a);
    else if (strcmp(a->keyword, "length") == 0)
        parameter->length = a->value;
    else if (strcmp(a->keyword, "constant") == 0)
        parameter->constant = read_bool(r, a);
    else if (strcmp(a->keyword, "root_only") == 0)
        parameter->root_only = read_bool(r, a);
    else if (strcmp(a->keyword, "large_only") == 0)
        parameter->large_only = read_bool(r, a);
    else if (strcmp(a->keyword, "pointer") == 0)
        parameter->pointer = read_bool(r, a);
    else if (strcmp(a->keyword, "func_type") == 0)
        parameter->func_type = a->value;
    else {
        for (size_t i = 0; i < sizeof of_no_use / sizeof *of_no_use; i++)
            if (strcmp(a->keyword, of_no_use[i]) == 0)
                return;
        gen_warn(r->file, a->line, "unknown keyword '%s' of parameter %s, skipped", a->keyword, parameter->name);
        r->standard->skipped++;
    }
}

static void add_parameter(struct reader *r, struct function_binding *b, const struct argument *arguments, size_t count,
                          int line)
{
    struct standard_parameter parameter = {.direction = DIRECTION_IN, .pointer = -1};
    const char *kind = NULL;
    size_t positional = 0;
    for (size_t i = 0; i < count; i++) {
        const struct argument *a = &arguments[i];
        if (a->keyword ? strcmp(a->keyword, "name") == 0 : positional == 0)
            parameter.name = a->value;
        else if (a->keyword ? strcmp(a->keyword, "kind") == 0 : positional == 1)
            kind = a->value;
        else if (!a->keyword)
            gen_fail(r->file, a->line, "parameter takes a name and a kind; what is '%s'?", a->value);
        positional += !a->keyword;
    }
    if (!parameter.name || !kind || !*parameter.name)
        gen_fail(r->file, line, "parameter without name or kind");
    parameter.kind = standard_kind_find(r->standard, kind);
    if (!parameter.kind)
        gen_fail(r->file, line, "unknown kind '%s' of parameter %s", kind, parameter.name);
    for (size_t i = 0; i < b->parameter_count; i++)
        if (strcmp(b->parameters[i].name, parameter.name) == 0)
            gen_fail(r->file, line, "second parameter named %s", parameter.name);
    for (size_t i = 0; i < count; i++)
        if (arguments[i].keyword && strcmp(arguments[i].keyword, "name") && strcmp(arguments[i].keyword, "kind"))
            set_keyword(r, &parameter, &arguments[i]);
    b->parameters = gen_grow(b->parameters, b->parameter_count, sizeof *b->parameters);
    b->parameters[b->parameter_count++] = parameter;
}

static const char *only_value(const struct reader *r, const char *call, const struct argument *arguments, size_t count,
                              int line)
{
    if (count != 1 || arguments[0].keyword)
        gen_fail(r->file, line, "%s takes one value", call);
    return arguments[0].value;
}

static void read_call(struct reader *r, struct function_binding *b)
{
    /* These statements do not say how the function is called. */
    static const char *const of_no_use[] = {"lis_expressible", "deprecated"};

    struct argument arguments[ARGUMENTS_MAX];
    int line = r->line;
    char *call = read_word(r);
    if (!*call)
        gen_fail(r->file, line, "'%c' where a statement is expected", *r->p);
    size_t count = read_arguments(r, call, arguments);
    if (strcmp(call, "function_name") == 0) {
        if (b->name)
            gen_fail(r->file, line, "second function_name in one block");
        b->name = only_value(r, call, arguments, count, line);
        b->line = line;
    } else if (strcmp(call, "parameter") == 0) {
        add_parameter(r, b, arguments, count, line);
    } else if (strcmp(call, "return_kind") == 0) {
        b->return_kind = only_value(r, call, arguments, count, line);
        if (!standard_kind_find(r->standard, b->return_kind))
            gen_fail(r->file, line, "unknown kind '%s' of the return value", b->return_kind);
    } else if (strcmp(call, "callback") == 0 || strcmp(call, "predefined_function") == 0) {
        b->callback = true;
    } else if (strcmp(call, "c_expressible") == 0) {
        b->not_c = strcmp(only_value(r, call, arguments, count, line), "False") == 0;
    } else if (strcmp(call, "f90_expressible") == 0) {
        b->not_f90 = strcmp(only_value(r, call, arguments, count, line), "False") == 0;
    } else if (strcmp(call, "f08_expressible") == 0) {
        b->not_f08 = strcmp(only_value(r, call, arguments, count, line), "False") == 0;
    } else {
        for (size_t i = 0; i < sizeof of_no_use / sizeof *of_no_use; i++)
            if (strcmp(call, of_no_use[i]) == 0)
                return;
        gen_warn(r->file, line, "unknown statement '%s', skipped", call);
        r->standard->skipped++;
    }
}

/* Fails if the block has no end. This is tested before the block is read, so that the message is about the block and
 * not about what follows it. */
static void need_end(const struct reader *r)
{
    bool comment = false;
    for (struct reader ahead = *r; *ahead.p; ahead.p++) {
        comment = *ahead.p != '\n' && (comment || *ahead.p == '%');
        if (at(&ahead, "\\end{mpi-binding}"))
            return;
        if (at(&ahead, "\\begin{mpi-binding}") && !comment)
            break;
    }
    unterminated_block(r);
}

static void read_block(struct reader *r)
{
    struct function_binding b = {.chapter = r->chapter, .file = r->file};
    need_end(r);
    for (skip_blanks(r); !at(r, "\\end{mpi-binding}"); skip_blanks(r)) {
        need_more(r, "mpi-binding block", r->block_line);
        read_call(r, &b);
    }
    r->p += strlen("\\end{mpi-binding}");
    if (!b.name || !*b.name)
        gen_fail(r->file, r->block_line, "mpi-binding block without function_name");
    struct standard *s = r->standard;
    for (size_t i = 0; i < s->binding_count; i++)
        if (strcmp(s->bindings[i].name, b.name) == 0)
            gen_fail(r->file, b.line, "%s is already declared at %s:%d", b.name, s->bindings[i].file,
                     s->bindings[i].line);
    s->bindings = gen_grow(s->bindings, s->binding_count, sizeof *s->bindings);
    s->bindings[s->binding_count++] = b;
}

/* ---- chapters ---- */

/* Skips text that LaTeX does not interpret, if it begins here. */
static bool skip_verbatim(struct reader *r)
{
    static const char *const pairs[][2] = {
        {"\\begin{verbatim}", "\\end{verbatim}"},
        {"\\begin{lstlisting}", "\\end{lstlisting}"},
        {"\\begin{comment}", "\\end{comment}"},
        {"\\iffalse", "\\fi"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!at(r, pairs[i][0]))
            continue;
        r->p += strlen(pairs[i][0]);
        while (*r->p && !at(r, pairs[i][1]))
            advance(r);
        return true;
    }
    return false;
}

static void read_chapter(struct standard *standard, const char *file, const char *chapter)
{
    struct reader r = {.standard = standard, .file = file, .chapter = chapter, .line = 1};
    r.p = gen_read_file(file, NULL);
    while (*r.p) {
        if (*r.p == '%') {
            skip_line(&r);
        } else if (at(&r, "\\begin{mpi-binding}")) {
            r.block_line = r.line;
            r.p += strlen("\\begin{mpi-binding}");
            read_block(&r);
        } else if (at(&r, "\\end{mpi-binding}")) {
            gen_fail(file, r.line, "\\end{mpi-binding} without \\begin{mpi-binding}");
        } else if (!skip_verbatim(&r)) {
            if (*r.p == '\\' && r.p[1])
                r.p++; /* "\%" does not begin a comment */
            advance(&r);
        }
    }
}

static void read_kinds(struct standard *standard, const char *file)
{
    char *p = gen_read_file(file, NULL);
    for (int line = 1; *p; line++) {
        size_t length = strcspn(p, "\n");
        char *row = gen_copy(p, length);
        p += length + (p[length] == '\n');
        if (!*row || (line == 1 && strncmp(row, "kind\t", 5) == 0))
            continue;
        char *columns[3];
        for (size_t i = 0; i < 3; i++) {
            columns[i] = row;
            row += strcspn(row, "\t");
            if (!*row)
                gen_fail(file, line, "four columns expected: kind, C type, large C type, Fortran type");
            *row++ = 0;
        }
        if (standard_kind_find(standard, columns[0]))
            gen_fail(file, line, "kind %s is already declared", columns[0]);
        standard->kinds = gen_grow(standard->kinds, standard->kind_count, sizeof *standard->kinds);
        standard->kinds[standard->kind_count++] = (struct standard_kind){columns[0], columns[1], columns[2], row};
    }
}

static int keep_chapters(const struct dirent *entry)
{
    return strncmp(entry->d_name, "chap-", 5) == 0;
}

static int keep_tex(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 4 && strcmp(entry->d_name + length - 4, ".tex") == 0;
}

void standard_read(struct standard *standard, const char *folder, const char *kinds_file)
{
    struct dirent **chapters, **files;
    read_kinds(standard, kinds_file);
    int chapter_count = scandir(folder, &chapters, keep_chapters, alphasort);
    if (chapter_count <= 0)
        gen_fail(folder, 0, "no chap-* folders here");
    for (int i = 0; i < chapter_count; i++) {
        const char *path = gen_format("%s/%s", folder, chapters[i]->d_name);
        int file_count = scandir(path, &files, keep_tex, alphasort);
        for (int j = 0; j < file_count; j++) {
            read_chapter(standard, gen_format("%s/%s", path, files[j]->d_name),
                         gen_format("%s", chapters[i]->d_name + 5));
            free(files[j]);
        }
        if (file_count >= 0)
            free(files);
        free(chapters[i]);
    }
    free(chapters);
    if (!standard->binding_count)
        gen_fail(folder, 0, "no mpi-binding block found");
}
