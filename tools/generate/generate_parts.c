/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a generated program, and the computing before calls.
 *
 * A part of the program that one function of the original made becomes a function, with its name where C allows. The
 * indices of loops around become parameters, and all indices are named anew, so that parts that several places have are
 * equal texts, and one function. How long they compute is not compared: it stands in them as a mark with a number until
 * all is written, and becomes the mean of all places. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "generate_tables.h"

enum { MARK = 5, NAME_MAX_BYTES = 60, INDICES_MAX = 64, PARAMETERS_MAX = 64, GAP_LEAST_NS = 1000 };

struct gap {
    double ns, count; /* the sum, of so many calls */
};

struct program_part {
    const char *name, *body; /* the body: with marks, behind which no numbers stand */
    size_t parameters;
    size_t *gaps, gap_count; /* in the order of the marks */
};

struct parts {
    struct program_part *made;
    size_t count;
    struct gap *gaps;
    size_t gap_count;
};

struct parts *parts_new(void)
{
    return generate_alloc(sizeof(struct parts));
}

/* ---- computing ---- */

const char *parts_gap(struct parts *p, double mean_ns, double count)
{
    p->gaps = generate_grow(p->gaps, p->gap_count, sizeof *p->gaps);
    p->gaps[p->gap_count] = (struct gap){mean_ns * count, count};
    return text_format("%c%zu", MARK, p->gap_count++);
}

/* Returns the nanoseconds with three digits. */
static double rounded(double ns)
{
    double unit = 1;
    ns = ns < 1e15 ? ns : 1e15;
    while (ns / unit >= 1000 && unit < 1e15)
        unit *= 10;
    return (double)(int64_t)(ns / unit + 0.5) * unit;
}

void parts_fill(const struct parts *p, struct text *text)
{
    struct text filled = {0};
    const char *at = text_of(text);
    while (*at) {
        size_t length = strcspn(at, "\n"), spaces = strspn(at, " ");
        if (at[spaces] == MARK) {
            const struct gap *gap = &p->gaps[strtoul(at + spaces + 1, NULL, 10)];
            double ns = gap->count > 0 ? gap->ns / gap->count : 0;
            if (ns >= GAP_LEAST_NS)
                text_put(&filled, "%*scompute(%.0f);\n", (int)spaces, "", rounded(ns));
        } else {
            text_bytes(&filled, at, length);
            text_put(&filled, "\n");
        }
        at += length + (at[length] == '\n');
    }
    text_free(text);
    *text = filled;
}

/* ---- conditions ---- */

/* Returns the length of the line that ends before END. */
static size_t line_before(const char *text, size_t end)
{
    size_t first = end - (end > 0);
    while (first > 0 && text[first - 1] != '\n')
        first--;
    return end - first;
}

/* Returns where the `if` begins that ends with the line "}" before END, SPACES deep; END: there is none. */
static size_t opening_if(const char *text, size_t end, size_t spaces)
{
    size_t at = end - line_before(text, end);
    if (strspn(text + at, " ") != spaces || strncmp(text + at + spaces, "}\n", 2) != 0)
        return end;
    do {
        size_t length = line_before(text, at);
        if (length == 0)
            return end;
        at -= length;
    } while (strspn(text + at, " ") > spaces || text[at] == '\n');
    return strspn(text + at, " ") == spaces && strncmp(text + at + spaces, "if (", 4) == 0 ? at : end;
}

/* True if the `if` whose first line is at TEXT, SPACES deep, has no `else`. */
static bool ends_without_else(const char *text, size_t spaces)
{
    do
        text += strcspn(text, "\n") + 1;
    while (*text == '\n' || strspn(text, " ") > spaces);
    return strncmp(text + spaces, "}\n", 2) == 0;
}

/* True if the lines, of LENGTH and OTHER characters, have contrary conditions of one comparison. */
static bool are_contrary(const char *one, size_t length, const char *other, size_t other_length)
{
    static const char *const signs[][2] = {{" == ", " != "}, {" < ", " >= "}};
    for (size_t i = 0; i < 2; i++)
        for (int turned = 0; turned < 2; turned++) {
            const char *a = signs[i][turned], *b = signs[i][!turned], *at = strstr(one, a);
            const size_t before = at ? (size_t)(at - one) : length, behind = before + strlen(a);
            if (behind < length && !memchr(one, '&', length) && !memchr(one, '?', length) &&
                other_length == length - strlen(a) + strlen(b) && strncmp(one, other, before) == 0 &&
                strncmp(other + before, b, strlen(b)) == 0 &&
                strncmp(one + behind, other + before + strlen(b), length - behind) == 0)
                return true;
        }
    return false;
}

void parts_join_ifs(struct text *text)
{
    struct text out = {0};
    const char *at = text_of(text);
    while (*at) {
        size_t length = strcspn(at, "\n") + 1, spaces = strspn(at, " "), before = out.length;
        if (before && length > spaces + 5 && strncmp(at + spaces, "if (", 4) == 0 && at[length - 2] == '{')
            before = opening_if(out.chars, before, spaces);
        if (before < out.length && strncmp(out.chars + before, at, length) == 0) {
            out.length -= spaces + 2; /* the line "}" */
            out.chars[out.length] = 0;
        } else if (before < out.length && ends_without_else(at, spaces) &&
                   are_contrary(out.chars + before, strcspn(out.chars + before, "\n") + 1, at, length)) {
            out.length--;
            text_put(&out, " else {\n");
        } else {
            text_bytes(&out, at, length);
        }
        at += length;
    }
    text_free(text);
    *text = out;
}

/* ---- names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);
    return length >= own && strcmp(text + length - own, end) == 0;
}

/* True if a name may be one of C's, of its library's or headers', or of the generated program itself. Those of the
 * library are in small letters without '_', but for some kinds that are here. */
static bool may_be_taken(const char *name)
{
    static const char *const taken[] = {
        "argument_count", "some_requests", "under_way",     "any_",     "file_name",    "old_file",
        "give_",          "take_",         "given_",        "a_moment", "stub_",        "aligned_",
        "at_quick_exit",  "quick_exit",    "secure_getenv", "open_",    "canonicalize", "on_exit",
        "explicit_",      "free_",         "timespec_",     "__",       "strfrom"};
    static const char *const ends[] = {"_t", "_r", "_l", "_np", "_unlocked"};
    bool small = false, special = false, mpi = false;
    for (const char *c = name; *c; c++) {
        small = small || (*c >= 'a' && *c <= 'z');
        special = special || *c == '_' || (*c >= 'A' && *c <= 'Z');
        mpi = mpi || (c < name + 2 && (c[0] == 'm' || c[0] == 'M') && (c[1] == 'p' || c[1] == 'P') &&
                      (c[2] == 'i' || c[2] == 'I')); /* mpi, PMPI, ompi */
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        special = special && strncmp(name, taken[i], strlen(taken[i])) != 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        special = special && !ends_with(name, ends[i]);
    return !small || !special || mpi || table_may_be(name);
}

/* Returns the last identifier of NAME, before parameters of templates and functions; "": there is none. */
static const char *identifier(const char *name)
{
    size_t end = strcspn(name, "<("), first = end;
    while (first > 0 && is_word(name[first - 1]))
        first--;
    while (first < end && !is_letter(name[first]))
        first++;
    while (end > first && name[end - 1] == '_') /* as compilers of Fortran add them */
        end--;
    size_t length = end - first < NAME_MAX_BYTES ? end - first : NAME_MAX_BYTES;
    return text_format("%.*s", (int)length, name + first);
}

/* Returns the name of a new function. */
static const char *new_name(const struct parts *p, const char *original)
{
    const char *base = identifier(original), *name;
    if (!*base)
        base = "some";
    if (may_be_taken(base))
        base = text_format("%s_calls", base);
    if (may_be_taken(base))
        base = text_format("calls_of_%s", base);
    if (may_be_taken(base))
        base = "calls_of_it";
    name = base;
    for (size_t number = 2, i = 0; i < p->count; i++)
        if (strcmp(p->made[i].name, name) == 0) {
            name = text_format("%s_%zu", base, number++);
            i = (size_t)-1;
        }
    return name;
}

/* ---- indices of loops ---- */

const char *index_name(size_t depth)
{
    static const char *const names[] = {"i", "j", "k", "l", "m"};
    return depth < 5 ? names[depth] : text_format("i%zu", depth);
}

/* Returns which index the WORD is; INDICES_MAX: none. */
static size_t index_number(const char *word, size_t length)
{
    for (size_t depth = 0; depth < INDICES_MAX; depth++) {
        const char *name = depth < 5 || (length > 1 && *word == 'i') ? index_name(depth) : "";
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            return depth;
    }
    return INDICES_MAX;
}

/* Returns the length of what stands at TEXT: a comment, a text in quotes, a word, or one character. */
static size_t token_length(const char *text)
{
    size_t length = 1;
    if (strncmp(text, "/*", 2) == 0) {
        const char *end = strstr(text + 2, "*/");
        return end ? (size_t)(end + 2 - text) : strlen(text);
    }
    if (*text == '"') {
        for (; text[length] && text[length] != '"'; length++)
            length += text[length] == '\\' && text[length + 1];
        return length + (text[length] == '"');
    }
    while (is_word(text[0]) && is_word(text[length]))
        length++;
    return length;
}

/* Returns BODY with its indices named anew: those that it mentions are i, j and so on. Sets OUTER to the names of those
 * that are in BODY from loops around, which are COUNT. */
static const char *rename_indices(const char *body, size_t count, const char *outer[PARAMETERS_MAX], size_t *outers)
{
    bool used[INDICES_MAX] = {0};
    size_t number[INDICES_MAX], next = 0, which;
    struct text out = {0};
    *outers = 0;
    for (const char *at = body; *at; at += token_length(at))
        if (is_letter(*at) && (which = index_number(at, token_length(at))) < INDICES_MAX)
            used[which] = true;
    for (size_t i = 0; i < INDICES_MAX; i++) {
        number[i] = next;
        next += used[i];
        if (used[i] && i < count)
            outer[(*outers)++] = index_name(i);
    }
    for (const char *at = body; *at; at += token_length(at)) {
        size_t length = token_length(at);
        which = is_letter(*at) ? index_number(at, length) : INDICES_MAX;
        if (which < INDICES_MAX)
            text_put(&out, "%s", index_name(number[which]));
        else
            text_bytes(&out, at, length);
    }
    const char *made = text_format("%s", text_of(&out));
    text_free(&out);
    return made;
}

/* ---- functions ---- */

/* Sets PART's body, which is BODY without the numbers of marks, and its gaps, which are these. */
static void take_marks(struct program_part *part, const char *body)
{
    struct text out = {0};
    while (*body) {
        text_bytes(&out, body, 1);
        if (*body++ != MARK)
            continue;
        part->gaps = generate_grow(part->gaps, part->gap_count, sizeof *part->gaps);
        part->gaps[part->gap_count++] = strtoul(body, NULL, 10);
        body += strspn(body, "0123456789");
    }
    part->body = text_format("%s", text_of(&out));
    text_free(&out);
}

const char *parts_call(struct parts *p, struct text *functions, const char *original, const char *body, size_t loops,
                       const char **before)
{
    const char *outer[PARAMETERS_MAX];
    struct program_part part = {0};
    size_t i = 0, spaces = strspn(body, " ");
    *before = NULL;
    if (body[spaces] == MARK) { /* what comes before the function is computed where it is called */
        size_t length = strcspn(body, "\n");
        *before = text_format("%.*s", (int)(length - spaces), body + spaces);
        body += length + 1;
    }
    body = rename_indices(body, loops, outer, &part.parameters);
    take_marks(&part, body);
    while (i < p->count && (p->made[i].parameters != part.parameters || strcmp(p->made[i].body, part.body) != 0))
        i++;
    if (i < p->count) {
        for (size_t k = 0; k < part.gap_count; k++) {
            struct gap *to = &p->gaps[p->made[i].gaps[k]];
            to->ns += p->gaps[part.gaps[k]].ns;
            to->count += p->gaps[part.gaps[k]].count;
        }
        part.name = p->made[i].name;
    } else {
        part.name = new_name(p, original);
        p->made = generate_grow(p->made, p->count, sizeof *p->made);
        p->made[p->count++] = part;
        text_put(functions, "static void %s(", part.name);
        for (size_t k = 0; k < part.parameters; k++)
            text_put(functions, "%slong %s", k ? ", " : "", index_name(k));
        text_put(functions, "%s)\n{\n%s}\n\n", part.parameters ? "" : "void", body);
    }
    struct text call = {0};
    text_put(&call, "%s(", part.name);
    for (size_t k = 0; k < part.parameters; k++)
        text_put(&call, "%s%s", k ? ", " : "", outer[k]);
    text_put(&call, ");");
    const char *made = text_format("%s", text_of(&call));
    text_free(&call);
    return made;
}
