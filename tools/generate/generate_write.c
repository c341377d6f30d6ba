/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the tree of a program as C. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { AROUND_MAX = 64, FORMS_MAX = 2000 };

struct writer {
    struct proxy *p;
    struct text tables, functions;
    struct parts *parts;
    struct written_loop around[AROUND_MAX];
    size_t depth;        /* loops around */
    bool texts;          /* the list of texts is used */
    size_t visit_number; /* nodes that count their visits */
};

/* Statements that follow each other. */
struct statements {
    struct node *const *nodes;
    size_t count;
    size_t level; /* so many functions of each call are those that are being written */
};

static void write_statements(struct writer *w, struct text *out, struct statements s, const bool *here,
                             unsigned indent);

/* ---- calls ---- */

/* Returns true if the texts are numbers that count up by one. */
static bool is_consecutive(const char *const *texts, size_t count, int64_t *first)
{
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (!texts[i])
            continue;
        int64_t number = strtoll(texts[i], &end, 10);
        if (*end || number < 0 || (known && number != *first + (int64_t)i))
            return false;
        *first = number - (int64_t)i;
        known = true;
    }
    return known && *first >= 0;
}

/* Returns an array of COUNT requests, from hole S->hole on, as a part of the program's own; NULL: it is none. */
static const char *own_requests(struct writer *w, struct series s, size_t count)
{
    const char **texts = generate_alloc((count + 1) * sizeof *texts);
    int64_t *values = generate_alloc(w->p->rank_count * sizeof *values), first = 0;
    bool *has = generate_alloc(w->p->rank_count);
    s.request = s.null_fits = true;
    for (size_t i = 0; i < count; i++, s.hole++) {
        int64_t only = -1;
        if (!series_by_rank(w->p, &s, values, has))
            return NULL;
        for (uint32_t r = 0; r < w->p->rank_count; r++) {
            if (has[r] && only >= 0 && values[r] != only)
                return NULL;
            only = has[r] ? values[r] : only;
        }
        texts[i] = only >= 0 ? text_format("%" PRId64, only) : NULL;
    }
    if (!is_consecutive(texts, count, &first))
        return NULL;
    return first ? text_format("&request[%" PRId64 "]", first) : "request";
}

/* Sets what the hole at AT of a call says: which argument it is in, and which of its elements. */
static void set_use(struct column_use *use, const struct node *n, const char *form, const char *at)
{
    char around[32];
    size_t depth = 0, argument = 0, element[32] = {0};
    const char *c = strncmp(form, "(void)", 6) == 0 ? form + 6 : form;
    *use = (struct column_use){.node = n, .argument = "a number of it"};
    for (; c < at; c++)
        if (strchr("([{", *c) && depth + 1 < sizeof around) {
            around[++depth] = *c;
            element[depth] = 0;
        } else if (strchr(")]}", *c) && depth > 0) {
            depth--;
        } else if (*c == ',' && depth > 0) {
            element[depth]++;
            argument += depth == 1;
        }
    if (depth == 0 || argument >= n->parameter_count)
        return;
    use->argument = n->parameters[argument];
    if (*at != HOLE)
        return;
    if (around[depth] != '[')
        use->meaning = ranks_meaning(n->name, use->argument);
    else
        use->is_number = true;
    use->element = around[depth] == '{' ? element[depth] : 0;
    for (use->elements = 1; *c && *c != '}'; c++)
        use->elements += *c == ',';
    use->elements += use->element;
}

/* True if what is put behind BEFORE, a text of LENGTH, and before BEHIND stands alone there: it is an argument, an
 * element, or an index. */
static bool is_alone(const char *before, size_t length, char behind)
{
    return length > 1 && strchr(",)}]", behind) && (strchr("([{", before[length - 1]) || before[length - 2] == ',');
}

/* Returns FORM with its holes filled. */
static const char *fill_form(struct writer *w, const struct node *n, const struct form *form, bool *counted)
{
    struct text out = {0};
    struct series s = {.node = n, .form = form, .loops = w->around, .loop_count = w->depth};
    size_t hole = 0, lists = 0;
    struct text before = {0}, behind = {0};
    for (const char *at = form->text; *at; at++) {
        if (*at != HOLE && *at != HOLE_REQUEST && *at != HOLE_REQUESTS && *at != HOLE_TEXT) {
            text_bytes(&out, at, 1);
            continue;
        }
        s.hole = hole;
        s.request = *at == HOLE_REQUEST;
        set_use(&s.use, n, form->text, at);
        if (s.use.meaning == COLUMN_LIST)
            ranks_refuse(w->p, &s.use, "an array for the recorded ranks");
        if (*at == HOLE_REQUESTS) {
            size_t count = strtoul(at + 1, NULL, 10);
            const char *own = own_requests(w, s, count);
            own = own ? own : requests_under_way(w->p, &w->tables, n, form, hole, count);
            text_put(&out, "%s", own ? own : "");
            if (!own) {
                struct text list = {0};
                s.request = true;
                for (size_t i = 0; i < count; i++) {
                    s.hole = hole + i;
                    text_put(&list, "%s%s", i ? ", " : "", text_bare(series_expression(w->p, &w->tables, &s, counted)));
                }
                text_put(&before, "const int list%s[] = {%s};\n", lists ? "2" : "", text_of(&list));
                text_put(&out, "chosen(%zu, list%s)", count, lists ? "2" : "");
                text_put(&behind, "\n    give_back(%zu, list%s);", count, lists ? "2" : "");
                text_free(&list);
                lists++;
            }
            hole += count;
            at += strcspn(at, ";");
            continue;
        }
        const char *text = series_expression(w->p, &w->tables, &s, counted);
        hole++;
        if (*at == HOLE_TEXT) {
            bool same = strspn(text, "0123456789") == strlen(text);
            w->texts = w->texts || !same;
            text_put(&out, same ? "%s" : "texts[%s]", same ? w->p->texts[strtoul(text, NULL, 10)] : text);
            continue;
        }
        bool sum = out.length > 3 && memcmp(out.chars + out.length - 3, " + ", 3) == 0 && s.request == false &&
                   out.chars[out.length - 4] == ']';
        if (sum && strcmp(text, "0") == 0)
            out.length -= 3;
        else
            text_put(&out, "%s", is_alone(text_of(&out), out.length, at[1]) ? text_bare(text) : text);
    }
    const char *made, *taken = strstr(text_of(&out), "\ntake_requests(");
    if (lists && taken) { /* requests are given back before they are looked at */
        text_put(&behind, "%s", taken);
        out.length -= strlen(taken);
        out.chars[out.length] = 0;
    }
    if (lists)
        made = text_format("{\n    %s    %s%s\n}", text_of(&before), text_of(&out), text_of(&behind));
    else
        made = text_format("%s", text_of(&out));
    made = requests_started(w->p, n, form, made);
    text_free(&out);
    text_free(&before);
    text_free(&behind);
    return made;
}

static size_t find_forms(const struct proxy *p, const struct node *n, const struct form **forms)
{
    size_t count = 0;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        const struct node_visits *v = n->ranks[r];
        const char *last = NULL;
        for (uint64_t k = 0; v && k < v->stored; k++) {
            const struct form *form = proxy_row(v->first[k])->form;
            size_t i = 0;
            if (form->text == last)
                continue;
            last = form->text;
            while (i < count && forms[i]->text != form->text)
                i++;
            if (i == count && count == FORMS_MAX)
                generate_fail("a call at %s comes with more than %d different kinds of arguments",
                              n->place ? n->place : "an unknown place", FORMS_MAX);
            if (i == count)
                forms[count++] = form;
        }
    }
    return count;
}

/* Writes a call, with its place behind its first statement. */
static void put_call(struct text *out, unsigned indent, const char *call, const char *place)
{
    size_t first = strcspn(call, "\n");
    if (!*call)
        return;
    while ((strncmp(call, "await_", 6) == 0 || strncmp(call, "end_threads", 11) == 0 ||
            strncmp(call, "before_end", 10) == 0 || strncmp(call, "all_ended", 9) == 0) &&
           call[first]) {
        put_lines(out, indent, text_format("%.*s", (int)first, call));
        call += first + 1;
        first = strcspn(call, "\n");
    }
    if (!place || strncmp(call, "/*", 2) == 0)
        put_lines(out, indent, call);
    else if (first && call[first - 1] == ';')
        put_lines(out, indent, text_format("%.*s /* %s */%s", (int)first, call, place, call + first));
    else
        put_lines(out, indent, text_format("/* %s */\n%s", place, call));
}

/* True if the call is one form in some ranks, and another in the others. */
static bool choose_by_rank(struct writer *w, struct series *s, const bool *here, const char **condition)
{
    int64_t *values = generate_alloc(w->p->rank_count * sizeof *values);
    bool *has = generate_alloc(w->p->rank_count), *first = generate_alloc(w->p->rank_count);
    if (s->form_count != 2 || !series_by_rank(w->p, s, values, has))
        return false;
    for (uint32_t r = 0; r < w->p->rank_count; r++)
        first[r] = has[r] && values[r] == 0;
    *condition = column_condition(w->p, &w->tables, &s->use, first, here);
    return *condition != NULL;
}

static void write_call(struct writer *w, struct text *out, const struct node *n, const bool *here, unsigned indent)
{
    const struct form **forms = generate_alloc(FORMS_MAX * sizeof *forms);
    size_t count = find_forms(w->p, n, forms);
    bool counted = false, some = false;
    const char **calls = generate_alloc((count + 1) * sizeof *calls), *condition = NULL, *choice = NULL;
    const char *place = n->place ? text_comment(n->place) : NULL;
    for (size_t i = 0; i < count; i++) {
        calls[i] = fill_form(w, n, forms[i], &counted);
        some = some || *calls[i];
    }
    if (!some)
        return;
    struct series s = {.node = n,
                       .forms = forms,
                       .form_count = count,
                       .loops = w->around,
                       .loop_count = w->depth,
                       .use = {.node = n, .argument = "the kinds of its arguments"}};
    if (count > 1 && !choose_by_rank(w, &s, here, &condition))
        choice = series_expression(w->p, &w->tables, &s, &counted);
    if (strncmp(n->name, "MPI_Init", 8) != 0)
        put_lines(out, indent, parts_gap(w->parts, n->gap_ns, n->gap_count));
    unsigned inner = indent;
    const char *joined = condition ? call_by_condition(condition, calls[0], calls[1]) : NULL;
    if (joined) {
        calls[0] = joined;
        count = 1;
    }
    if (counted) {
        put_lines(out, indent++, "{");
        put_lines(out, indent, text_format("const long n = visits[%zu]++;", w->visit_number++));
    }
    if (count == 1) {
        put_call(out, indent, calls[0], place);
    } else if (count == 2 && !condition) {
        put_lines(out, indent, text_format("if (%s) {", text_bare(choice)));
        put_call(out, indent + 1, calls[1], place);
        put_lines(out, indent, "} else {");
        put_call(out, indent + 1, calls[0], place);
        put_lines(out, indent, "}");
    } else if (condition && *calls[0]) {
        put_lines(out, indent, text_format("if (%s) {", condition));
        put_call(out, indent + 1, calls[0], place);
        if (*calls[1]) {
            put_lines(out, indent, "} else {");
            put_call(out, indent + 1, calls[1], place);
        }
        put_lines(out, indent, "}");
    } else if (condition) {
        put_lines(out, indent, text_format("if (!(%s)) {", condition));
        put_call(out, indent + 1, calls[1], place);
        put_lines(out, indent, "}");
    } else {
        put_lines(out, indent, text_format("switch (%s) {", text_bare(choice)));
        for (size_t i = 0; i < count; i++) {
            put_lines(out, indent, text_format("case %zu:", i));
            put_call(out, indent + 1, calls[i], place);
            put_lines(out, indent + 1, "break;");
        }
        put_lines(out, indent, "}");
    }
    if (counted)
        put_lines(out, inner, "}");
}

/* ---- loops and parts that only some ranks have ---- */

static void present(const struct proxy *p, const struct node *n, bool *here)
{
    for (uint32_t r = 0; r < p->rank_count; r++)
        here[r] = n->ranks[r] != NULL;
}

/* Returns how many of the loops around have a variable. */
static size_t real_loops(const struct writer *w)
{
    size_t count = 0;
    for (size_t d = 0; d < w->depth; d++)
        count += *w->around[d].variable != '0';
    return count;
}

/* Sets ENTERS to the ranks that make trips through the loop. Returns the most trips. */
static int64_t count_trips(const struct proxy *p, const struct node *n, bool *enters)
{
    int64_t most = 0;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        enters[r] = false;
        for (uint64_t k = 0; n->ranks[r] && k < n->ranks[r]->stored; k++) {
            enters[r] = enters[r] || n->ranks[r]->first[k] > 0;
            most = n->ranks[r]->first[k] > most ? n->ranks[r]->first[k] : most;
        }
    }
    return most;
}

static void write_loop(struct writer *w, struct text *out, const struct node *n, size_t level, const bool *here,
                       unsigned indent)
{
    struct series s = {.node = n,
                       .loops = w->around,
                       .loop_count = w->depth,
                       .use = {.node = n, .argument = "its trips", .meaning = COLUMN_TRIPS}};
    int64_t *values = generate_alloc(w->p->rank_count * sizeof *values);
    bool *has = generate_alloc(w->p->rank_count), *enters = generate_alloc(w->p->rank_count), counted = false;
    struct text inside = {0};
    int64_t most = count_trips(w->p, n, enters);
    bool once = most <= 1, by_rank = once && series_by_rank(w->p, &s, values, has);
    if (w->depth == AROUND_MAX)
        generate_fail("the trace has more than %d loops in each other", AROUND_MAX);
    if (most == 0)
        return;
    const char *variable = once ? "0" : index_name(real_loops(w)), *trips = NULL;
    if (by_rank)
        trips = column_condition(w->p, &w->tables, &s.use, enters, here);
    w->around[w->depth++] = (struct written_loop){n, variable};
    write_statements(w, &inside, (struct statements){n->children, n->child_count, level}, enters, 0);
    w->depth--;
    if (!inside.length)
        return;
    if (!by_rank)
        trips = series_expression(w->p, &w->tables, &s, &counted);
    if (counted) {
        put_lines(out, indent++, "{");
        put_lines(out, indent,
                  text_format("const long n = visits[%zu]++, trips = %s;", w->visit_number++, text_bare(trips)));
        trips = "trips";
    }
    if (once && trips)
        put_lines(out, indent, text_format("if (%s) {", text_bare(trips)));
    else if (!once)
        put_lines(out, indent, text_format("for (long %s = 0; %s < %s; %s++) {", variable, variable, trips, variable));
    put_indented(out, indent + (trips != NULL), text_of(&inside));
    if (trips)
        put_lines(out, indent, "}");
    if (counted)
        put_lines(out, indent - 1, "}");
    text_free(&inside);
}

static bool same_ranks(const struct proxy *p, const struct node *a, const struct node *b)
{
    for (uint32_t r = 0; r < p->rank_count; r++)
        if (!a->ranks[r] != !b->ranks[r])
            return false;
    return true;
}

/* ---- functions ---- */

/* Sets the functions of loops, which are those that all their calls have. Recursion is as deep as the tree. */
static void find_functions(struct node *n)
{
    bool first = true;
    for (size_t i = 0; i < n->child_count; i++) {
        const struct node *child = n->children[i];
        if (strcmp(child->kind == NODE_CALL ? child->name : "", "await") == 0)
            continue;
        find_functions(n->children[i]);
        size_t same = 0;
        while (!first && same < n->function_count && same < child->function_count &&
               n->functions[same].name == child->functions[same].name &&
               n->functions[same].place == child->functions[same].place &&
               n->functions[same].call == child->functions[same].call)
            same++;
        if (first)
            n->functions = child->functions;
        n->function_count = first ? child->function_count : same;
        first = false;
    }
}

static size_t count_calls(const struct node *n)
{
    size_t calls = n->kind == NODE_CALL;
    for (size_t i = 0; i < n->child_count; i++)
        calls += count_calls(n->children[i]);
    return calls;
}

/* Returns how many of the statements are made by one call of one function: 0, or at least two calls. Sets DEEPEST to
 * the number of functions that they have in common. */
static size_t count_together(const struct proxy *p, const struct statements *s, size_t *deepest)
{
    size_t count = 0, calls = 0, at = s->level;
    struct node all = {.children = generate_alloc((s->count + 1) * sizeof *all.children)};
    const struct node *first = s->nodes[0];
    if (first->function_count <= at || first->functions[at].name[0] == '[')
        return 0;
    while (count < s->count) {
        const struct node *n = s->nodes[count];
        if (n->function_count <= at || n->functions[at].name != first->functions[at].name ||
            n->functions[at].place != first->functions[at].place || n->functions[at].call != first->functions[at].call)
            break;
        calls += count_calls(n);
        all.children[count] = s->nodes[count];
        count++;
    }
    bool *enters = generate_alloc(p->rank_count);
    if (calls < 2 || (count == 1 && first->kind == NODE_LOOP && count_trips(p, first, enters) > 1))
        return 0;
    all.child_count = count;
    *deepest = at + 1;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || all.children[i]->function_count < *deepest)
            *deepest = all.children[i]->function_count;
    for (size_t d = at + 1; d < *deepest; d++)
        for (size_t i = 1; i < count; i++)
            if (all.children[i]->functions[d].name != first->functions[d].name ||
                all.children[i]->functions[d].place != first->functions[d].place ||
                all.children[i]->functions[d].call != first->functions[d].call || first->functions[d].name[0] == '[')
                *deepest = d;
    return count;
}

/* Writes statements that one function of the program makes as a call of such a function. */
static void write_part(struct writer *w, struct text *out, struct statements s, const bool *here, unsigned indent)
{
    struct text body = {0};
    const char *before;
    write_statements(w, &body, s, here, 1);
    if (body.length) {
        const struct node_function *f = &s.nodes[0]->functions[s.level - 1];
        const char *call = parts_call(w->parts, &w->functions, f->name, text_of(&body), real_loops(w), &before);
        if (before)
            put_lines(out, indent, before);
        put_lines(out, indent, f->place ? text_format("%s /* %s */", call, text_comment(f->place)) : call);
    }
    text_free(&body);
}

/* Returns true if HERE is divided between ONE and OTHER. */
static bool divided(const struct proxy *p, const bool *here, const bool *one, const bool *other)
{
    for (uint32_t r = 0; r < p->rank_count; r++)
        if (one[r] == other[r] && (here[r] || one[r]))
            return false;
    return true;
}

/* Recursion is as deep as the tree, and as functions call each other. */
static void write_statements(struct writer *w, struct text *out, struct statements s, const bool *here, unsigned indent)
{
    bool *some = generate_alloc(w->p->rank_count), *other = generate_alloc(w->p->rank_count);
    bool *last = generate_alloc(w->p->rank_count), ends_if = false; /* the ranks of an if that OUT ends with */
    for (size_t i = 0; i < s.count;) {
        struct text inside = {0};
        size_t first = i, deepest = 0;
        struct statements rest = {s.nodes + i, s.count - i, s.level};
        size_t together = count_together(w->p, &rest, &deepest);
        present(w->p, s.nodes[i], some);
        for (size_t k = 1; k < together; k++) {
            present(w->p, s.nodes[i + k], other);
            for (uint32_t r = 0; r < w->p->rank_count; r++)
                some[r] = some[r] || other[r];
        }
        const struct column_use use = {.node = s.nodes[i], .argument = "which ranks come to it"};
        const bool is_else = ends_if && divided(w->p, here, last, some);
        const char *condition = is_else ? "" : column_condition(w->p, &w->tables, &use, some, here);
        unsigned inner = indent + (condition != NULL);
        if (together) {
            write_part(w, &inside, (struct statements){rest.nodes, together, deepest}, some, inner);
            i += together;
        }
        while (!together && i < s.count && same_ranks(w->p, s.nodes[first], s.nodes[i])) {
            const struct node *child = s.nodes[i];
            rest = (struct statements){s.nodes + i, s.count - i, s.level};
            if (i > first && count_together(w->p, &rest, &deepest))
                break;
            if (child->kind == NODE_CALL)
                write_call(w, &inside, child, some, inner);
            else
                write_loop(w, &inside, child, s.level, some, inner);
            i++;
        }
        if (inside.length && is_else) {
            out->length -= 4 * indent + 2; /* the line "}" */
            put_lines(out, indent, "} else {");
        } else if (inside.length && condition)
            put_lines(out, indent, text_format("if (%s) {", condition));
        text_bytes(out, text_of(&inside), inside.length);
        if (inside.length && condition)
            put_lines(out, indent, "}");
        if (inside.length)
            ends_if = condition && !is_else;
        if (inside.length && ends_if)
            memcpy(last, some, w->p->rank_count);
        text_free(&inside);
    }
}

/* Writes what threads besides the first do, as functions, and how they begin and end. */
static void write_threads(struct writer *w, struct thread_text *threads)
{
    bool *here = generate_alloc(w->p->rank_count);
    const char **bodies = generate_alloc((w->p->thread_count + 1) * sizeof *bodies), *before;
    for (uint32_t number = 1; number < w->p->thread_count; number++) {
        struct node *root = w->p->threads[number];
        struct text body = {0};
        if (!root)
            continue;
        present(w->p, root, here);
        find_functions(root);
        write_loop(w, &body, root, root->function_count ? root->function_count : 1, here, 1);
        bodies[number] = text_format("%s", text_of(&body));
        text_free(&body);
    }
    for (uint32_t number = 1; number < w->p->thread_count; number++) {
        const struct node *root = w->p->threads[number];
        if (!root || !*bodies[number])
            continue;
        const char *name = root->function_count ? root->functions[0].name : "thread";
        const char *body = thread_text_merged(bodies[number - 1], bodies[number], bodies[number + 1], number);
        thread_text_add(threads, number, parts_call(w->parts, &w->functions, name, body, 0, &before));
    }
}

void proxy_write(struct proxy *p)
{
    struct writer *w = generate_alloc(sizeof *w);
    struct text body = {0}, out = {0};
    struct thread_text threads = {0};
    bool *all = generate_alloc(p->rank_count);
    memset(all, 1, p->rank_count);
    w->p = p;
    w->parts = parts_new();
    find_functions(p->root);
    write_loop(w, &body, p->root, p->root->function_count ? p->root->function_count : 1, all, 1);
    write_threads(w, &threads);
    parts_fill(w->parts, &w->functions);
    parts_fill(w->parts, &body);
    parts_join_ifs(&w->functions);
    parts_join_ifs(&body);
    if (p->thread_count > 1)
        thread_text_write(p, &w->tables, &threads, &w->functions);
    if (w->visit_number)
        text_put(&w->tables, "static %slong visits[%zu]; /* by statement: how often it was reached */\n",
                 p->thread_count > 1 ? "_Thread_local " : "", w->visit_number);
    if (w->texts) {
        text_put(&w->tables, "static const char *const texts[] = {");
        for (size_t i = 0; i < p->text_count; i++)
            text_put(&w->tables, "%s\n    %s", i ? "," : "", p->texts[i]);
        text_put(&w->tables, "};\n");
    }
    if (ranks_told())
        generate_fail("%s: no program for %" PRIu32 " ranks is made of it", p->options->path, p->options->ranks);
    write_frame(p, &out, &w->tables, &w->functions, &body);
    fwrite(text_of(&out), 1, out.length, stdout);
    text_free(&w->tables);
    text_free(&w->functions);
    text_free(&body);
    text_free(&out);
}
