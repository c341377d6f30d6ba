/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the library's prototypes from its preprocessed mpi.h; see prototypes.h. Only declarations of PMPI functions
 * count, because others cannot be wrapped. Parameter names are ignored (MPICH's mpio.h has none); those of the standard
 * are used. */
#include "prototypes.h"

#include <ctype.h>
#include <string.h>

#include "gen_text.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns S without blanks at both ends; other blanks and line breaks become one space each. */
static char *squeeze(const char *s, size_t length)
{
    char *out = gen_alloc(length + 1);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isspace((unsigned char)s[i]))
            out[n++] = s[i];
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    return out;
}

/* Returns the preprocessed text without line markers and __attribute__ (( )). */
static char *clean(const char *text)
{
    struct gen_text out = {0};
    text_add_string(&out, "");
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (*text != '#')
            text_add_string(&out, gen_copy(text, length));
        text_add_string(&out, "\n");
        text += length + (text[length] == '\n');
    }
    for (char *p = out.chars; (p = strstr(p, "__attribute__"));) {
        char *end = p + strlen("__attribute__");
        end += strcspn(end, "(");
        int depth = 0;
        do {
            depth += *end == '(';
            depth -= *end == ')';
        } while (*end && (end++, depth > 0));
        memset(p, ' ', (size_t)(end - p));
    }
    return out.chars;
}

/* True if WORD is part of a type, but names no type alone. */
static bool is_qualifier(const char *word, size_t length)
{
    static const char *const words[] = {"const", "volatile", "restrict", "struct", "enum", "unsigned", "signed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
            return true;
    return false;
}

static struct c_parameter read_parameter(const char *s, size_t length)
{
    struct c_parameter parameter = {.array = ""};
    char *declaration = squeeze(s, length);
    char *bracket = strchr(declaration, '[');
    if (bracket) {
        parameter.array = gen_copy(bracket, strlen(bracket));
        *bracket = 0;
        declaration = squeeze(declaration, strlen(declaration));
    }
    /* The last word is the name, unless no other word names a type. */
    size_t end = strlen(declaration), start = end;
    while (start && is_word(declaration[start - 1]))
        start--;
    unsigned type_words = 0;
    for (const char *p = declaration; p < declaration + start;) {
        size_t word = 0;
        while (is_word(p[word]))
            word++;
        if (word && !is_qualifier(p, word))
            type_words++;
        p += word ? word : 1;
    }
    if (type_words)
        end = start;
    parameter.type = squeeze(declaration, end);
    for (const char *p = parameter.type; *p; p++)
        parameter.pointers += *p == '*';
    for (const char *p = parameter.array; *p; p++)
        parameter.pointers += *p == '[';
    return parameter;
}

static void read_parameters(struct prototype *prototype, const char *s, const char *end)
{
    if (strcmp(squeeze(s, (size_t)(end - s)), "void") == 0)
        return;
    while (s < end) {
        size_t length = 0;
        for (int depth = 0; s + length < end && (depth || s[length] != ','); length++)
            depth += (s[length] == '(') - (s[length] == ')');
        if (strcmp(squeeze(s, length), "...") == 0) {
            prototype->variadic = true;
        } else {
            prototype->parameters =
                gen_grow(prototype->parameters, prototype->parameter_count, sizeof *prototype->parameters);
            prototype->parameters[prototype->parameter_count++] = read_parameter(s, length);
        }
        s += length + 1;
    }
}

static void read_prototypes(struct library *library, const char *text)
{
    for (const char *p = text; (p = strstr(p, "PMPI"));) {
        const char *name = p;
        const char *name_end = name;
        while (is_word(*name_end))
            name_end++;
        p = name_end;
        const char *open = name_end + strspn(name_end, " \t\n");
        if (*open != '(' || (name > text && is_word(name[-1])) ||
            (strncmp(name, "PMPI_", 5) && strncmp(name, "PMPIX_", 6)))
            continue;
        const char *type = name;
        while (type > text && !strchr(";}{", type[-1]))
            type--;
        const char *close = open + 1;
        for (int depth = 1; *close && depth; close++)
            depth += (*close == '(') - (*close == ')');
        struct prototype prototype = {.name = gen_copy(name + 1, (size_t)(name_end - name - 1))};
        prototype.type = squeeze(type, (size_t)(name - type));
        if (strncmp(prototype.type, "extern ", 7) == 0)
            prototype.type += 7;
        if (!*prototype.type || library_find(library, prototype.name))
            continue;
        read_parameters(&prototype, open + 1, close - 1);
        library->prototypes = gen_grow(library->prototypes, library->prototype_count, sizeof *library->prototypes);
        library->prototypes[library->prototype_count++] = prototype;
    }
}

static void add_constant(struct c_constant **constants, size_t *count, const char *name, const char *value)
{
    *constants = gen_grow(*constants, *count, sizeof **constants);
    (*constants)[(*count)++] = (struct c_constant){name, value};
}

static void read_enums(struct library *library, const char *text)
{
    for (const char *p = text; (p = strstr(p, "enum "));) {
        size_t skip = strcspn(p, "{;()");
        p += skip;
        if (*p != '{')
            continue;
        const char *end = p + strcspn(p, "}");
        add_constant(&library->enumerators, &library->enumerator_count, "", NULL);
        for (p++; p < end;) {
            size_t length = strcspn(p, ",}");
            char *item = squeeze(p, length);
            char *value = strchr(item, '=');
            if (value) {
                *value++ = 0;
                item = squeeze(item, strlen(item));
            }
            if (*item)
                add_constant(&library->enumerators, &library->enumerator_count, item, value);
            p += length + 1;
        }
    }
}

static void read_macros(struct library *library, const char *file)
{
    char *p = gen_read_file(file, NULL);
    while (*p) {
        size_t length = strcspn(p, "\n");
        if (strncmp(p, "#define ", 8) == 0) {
            const char *name = p + 8;
            size_t name_length = 0;
            while (is_word(name[name_length]))
                name_length++;
            if (name[name_length] != '(') {
                add_constant(&library->macros, &library->macro_count, gen_copy(name, name_length),
                             squeeze(name + name_length, length - 8 - name_length));
            } else {
                library->calls = gen_grow(library->calls, library->call_count, sizeof *library->calls);
                library->calls[library->call_count++] = gen_copy(name, name_length);
            }
        }
        p += length + (p[length] == '\n');
    }
}

void library_read(struct library *library, const char *header, const char *macros)
{
    library->header = header;
    library->text = clean(gen_read_file(header, NULL));
    read_prototypes(library, library->text);
    read_enums(library, library->text);
    read_macros(library, macros);
    if (!library->prototype_count)
        gen_fail(header, 0, "declares no PMPI function");
}

const struct prototype *library_find(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->prototype_count; i++)
        if (strcmp(library->prototypes[i].name, name) == 0)
            return &library->prototypes[i];
    return NULL;
}

bool library_has(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->macro_count; i++)
        if (strcmp(library->macros[i].name, name) == 0)
            return true;
    return gen_mentions(library->text, name);
}

bool library_has_call(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->call_count; i++)
        if (strcmp(library->calls[i], name) == 0)
            return true;
    return false;
}

/* ---- values of constants ---- */

enum { EXPRESSION_DEPTH = 16 };

static bool value_of_text(const struct library *library, const char *text, int64_t *value, int depth);

static bool value_of_name(const struct library *library, const char *name, int64_t *value, int depth)
{
    for (size_t i = 0; i < library->macro_count; i++)
        if (strcmp(library->macros[i].name, name) == 0)
            return value_of_text(library, library->macros[i].value, value, depth + 1);
    int64_t next = 0;
    for (size_t i = 0; i < library->enumerator_count; i++) {
        const struct c_constant *e = &library->enumerators[i];
        if (!*e->name) {
            next = 0;
            continue;
        }
        if (e->value && !value_of_text(library, e->value, &next, depth + 1))
            return false;
        if (strcmp(e->name, name) == 0) {
            *value = next;
            return true;
        }
        next++;
    }
    return false;
}

/* True if TEXT names a type, as in a cast: words, and maybe stars, that are no constant. */
static bool is_type(const struct library *library, const char *text, int depth)
{
    int64_t value;
    for (const char *p = text; *p; p++)
        if (!is_word(*p) && *p != ' ' && *p != '*')
            return false;
    return (isalpha((unsigned char)*text) || *text == '_') && !value_of_name(library, text, &value, depth);
}

/* Reads an operand: a number, a name, "(...)", or "-X". Skips casts. */
static bool read_operand(const struct library *library, const char **p, int64_t *value, int depth)
{
    *p += strspn(*p, " ");
    if (**p == '-') {
        ++*p;
        bool ok = read_operand(library, p, value, depth);
        *value = -*value;
        return ok;
    }
    if (**p == '(') {
        const char *start = ++*p;
        for (int level = 1; **p && level; ++*p)
            level += (**p == '(') - (**p == ')');
        const char *inside = gen_copy(start, (size_t)(*p - start - 1));
        if (is_type(library, inside, depth + 1))
            return read_operand(library, p, value, depth);
        return value_of_text(library, inside, value, depth + 1);
    }
    const char *start = *p;
    while (is_word(**p))
        ++*p;
    const char *word = gen_copy(start, (size_t)(*p - start));
    if (!isdigit((unsigned char)*word))
        return *word && value_of_name(library, word, value, depth + 1);
    bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    *value = 0;
    for (word += hex ? 2 : 0; isxdigit((unsigned char)*word); word++) {
        int digit = isdigit((unsigned char)*word) ? *word - '0' : tolower((unsigned char)*word) - 'a' + 10;
        *value = *value * (hex ? 16 : 10) + digit;
    }
    return true;
}

/* Evaluates operands joined by +, -, | and <<, from left to right. MPI headers use nothing else. */
static bool value_of_text(const struct library *library, const char *text, int64_t *value, int depth)
{
    if (depth > EXPRESSION_DEPTH || !read_operand(library, &text, value, depth))
        return false;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        char operator= * text;
        int64_t right;
        text += operator== '<' ? 2 : 1;
        if (!strchr("+-|<", operator) || !read_operand(library, &text, &right, depth))
            return false;
        if (operator== '+')
            *value += right;
        else if (operator== '-')
            *value -= right;
        else if (operator== '|')
            *value |= right;
        else
            *value <<= right;
    }
    return true;
}

bool library_value(const struct library *library, const char *name, int64_t *value)
{
    return value_of_name(library, name, value, 0);
}
