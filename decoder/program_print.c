/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints programs as trees of functions, loops and calls (--loops of a trace with call paths); pilgrim-decode(1),
 * LOOPS, explains the output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv_cells.h"
#include "decode_errors.h"
#include "print.h"
#include "site_place.h"
#include "analysis/program_tree.h"

/* Prints "FILE:LINE" or "FILE:FIRST..LAST"; without lines "FUNCTION+0xOFFSET", or "+0xOFFSET" if the reader knows that
 * it is in the function AROUND, which may be "[MODULE]". */
static void out_place(struct output *o, const struct program_node *node, const char *around)
{
    bool is_line;
    const char *place = node->place, *number = program_place_number(place, &is_line);
    bool is_module = around && around[0] == '[';
    size_t length = around ? strlen(around) - 2 * is_module : 0;
    if (length > 0 && strncmp(place, around + is_module, length) == 0 && number == place + length + 3)
        place += length;
    if (node->place_first == node->place_last) {
        out_name(o, place);
        return;
    }
    out_json_escaped(o, place, (size_t)(number - place));
    void (*out_number)(struct output *, uint64_t) = is_line ? out_uint : out_hex;
    out_number(o, node->place_first);
    out_text(o, is_line ? ".." : "..0x");
    out_number(o, node->place_last);
}

/* Which threads are named of at most so many; of more only how many. */
enum { NAMED_MAX = 1 << 16 };

/* Prints on which of the threads AROUND the threads of NODE are. */
static void out_threads(struct output *o, const struct program_node *node, const struct thread_set *around)
{
    size_t count, around_count;
    struct shown_thread *some = program_threads(node->set, &count), *all = program_threads(around, &around_count);
    if (!some || !all || !threads_print_some(o, some, count, all, around_count))
        o->error = ENOMEM;
    free(some);
    free(all);
}

/* Prints what the line of the nodes from FIRST to NODE has behind the name. AROUND are the THREADS that have the node
 * around them. */
static void out_figures(struct output *o, const struct program_node *first, const struct program_node *node,
                        const struct thread_set *around, size_t threads)
{
    const struct program_node *line = first;
    const char *separator = "   ";
    while (first < node && first->counts.times >= first->around)
        first++;
    if (node->kind == PROGRAM_CALLS && (node->counts.min != 1 || node->counts.max != 1)) {
        out_text(o, separator);
        if (node->loop_first)
            loops_number(o, node->loop_first, node->loop_last);
        loops_counts(o, &node->counts);
        separator = ", ";
    }
    loops_share(o, first->counts.times, first->around, &separator);
    if (node->kind == PROGRAM_CALLS) {
        loops_time(o, node->ns, node->gap_ns, node->counts.total, node->threads, separator);
        separator = node->ns > 0 || node->gap_ns > 0 ? ", " : separator;
    } else if (node->ns > 0) {
        out_text(o, separator);
        out_duration(o, node->ns / (double)node->threads);
        out_text(o, " in MPI");
        separator = ", ";
    }
    if (node->kind == PROGRAM_PHASE)
        loops_time(o, 0, node->gap_ns, node->counts.total, node->threads, separator);
    if (node->kind == PROGRAM_FUNCTION && node->size == 1) {
        out_text(o, separator);
        if (node->counts.total % node->threads == 0)
            out_uint(o, node->counts.total / node->threads);
        else
            out_decimal(o, (double)node->counts.total / (double)node->threads);
        out_text(o, node->counts.total == node->threads ? " call" : " calls");
        separator = ", ";
    }
    if (line->threads < threads) {
        out_text(o, separator);
        if (threads <= NAMED_MAX) {
            out_threads(o, line, around);
        } else {
            out_text(o, "on ");
            out_uint(o, line->threads);
            out_text(o, line->threads == 1 ? " thread" : " threads");
        }
    }
}

/* A function that is repeated is looked for among so many nodes. */
enum { REPEATED_MAX = 8192 };

/* True if NODE is on one line with the node behind it. Only a thread's first function is certain to be around a loop.
 */
static bool is_joined(const struct program_node *node)
{
    return program_is_chained(node) && (node->depth > 0 || node[1].kind != PROGRAM_LOOP) &&
           node[1].kind != PROGRAM_PHASE;
}

/* Returns the first function before NODE that does the same, if it takes more than a line to say what. NULL: none. */
static const struct program_node *find_same(const struct program *p, const struct program_node *node)
{
    const struct program_node *last = node;
    while (program_is_chained(last))
        last++;
    if (node->kind != PROGRAM_FUNCTION || last->kind == PROGRAM_CALLS || last->size == 1)
        return NULL;
    for (const struct program_node *before = p->nodes; before < node && before < p->nodes + REPEATED_MAX; before++)
        if (program_is_repeated(before, node))
            return before;
    return NULL;
}

/* Returns the node of P whose place is on the line of NODE; NULL: there is none. */
static const struct program_node *find_placed(const struct program *p, const struct program_node *node)
{
    const struct program_node *placed = node;
    while (placed > p->nodes && is_joined(placed - 1))
        placed--;
    if (!placed->place && placed < node)
        placed++;
    return placed->place ? placed : NULL;
}

/* Returns the node whose place is on the line below which stands what NODE does; NULL: there is none before NODE. A
 * line has nothing below it if a function on it has all of that, and does the same as one before. */
static const struct program_node *repeated(const struct program *p, const struct program_node *node)
{
    const struct program_node *same = find_same(p, node), *before;
    if (!same)
        return NULL;
    for (const struct program_node *last = same; is_joined(last);) {
        before = find_same(p, ++last);
        if (before && find_placed(p, before))
            return NULL;
    }
    return find_placed(p, same);
}

/* Prints the functions from FIRST on that have one node each, up to LAST; FIRST is in the function AROUND. Only the
 * first one that has a place has it, and MPI calls have theirs: those between are called from one place each. */
static void out_chain(struct output *o, const struct program_node *first, const struct program_node *last,
                      const char *around)
{
    for (const struct program_node *node = first; node <= last; node++) {
        if (node > first && node->sites == 1 && call_path_repeats(node->name, node[-1].name))
            continue;
        if (node - first >= CHAIN_SHOWN / 2 && last - node >= CHAIN_SHOWN / 2) {
            node = last - CHAIN_SHOWN / 2;
            out_text(o, " > ...");
            continue;
        }
        if (node > first)
            out_text(o, " > ");
        out_name(o, node->name);
        if (node->phases.count > 0) {
            out_char(o, '(');
            loops_texts(o, &node->phases);
            out_char(o, ')');
        }
        if (node->kind == PROGRAM_FUNCTION && node->sites > 1) {
            out_char(o, ' ');
            out_uint(o, node->sites);
            out_char(o, 'x');
        }
        const bool is_placed = node == first || (node == first + 1 && !first->place);
        if (node->place && (is_placed || node->kind == PROGRAM_CALLS)) {
            out_text(o, " at ");
            out_place(o, node, node == first ? around : node[-1].name);
        }
    }
}

/* A line: the nodes from FIRST to LAST, one in the other. */
struct shown_line {
    const struct program_node *first, *last;
    const struct program_node *before; /* has the place of the line with what LAST does; NULL: there is none before */
};

static struct shown_line line_of(const struct program *p, const struct program_node *first)
{
    struct shown_line l = {first, first, repeated(p, first)};
    while (!l.before && is_joined(l.last))
        l.before = repeated(p, ++l.last);
    return l;
}

/* True if LINE has nothing but functions, and another line has what they do. */
static bool is_repetition(const struct shown_line *line)
{
    for (const struct program_node *node = line->first; node < line->last; node++)
        if (node->kind != PROGRAM_FUNCTION)
            return false;
    return line->before;
}

/* Lines that stand together and are repetitions. From RUN_LEAST on they are one. */
enum { RUN_LEAST = 3, RUN_SHOWN = 3 };

struct line_run {
    size_t lines;
    const struct program_node *end;
    struct program_node sum;
    unsigned name_count, before_count; /* one more than RUN_SHOWN: more */
    const struct program_node *names[RUN_SHOWN + 1], *befores[RUN_SHOWN + 1];
};

/* True if NODE can be on one line with FIRST: called in the same file, or function, and the same of the THREADS have
 * both, in the same iterations. */
static bool is_together(const struct program_node *first, const struct program_node *node, size_t threads)
{
    bool is_line;
    const char *place = first->place, *other = node->place;
    const char *number = place ? program_place_number(place, &is_line) : NULL;
    const char *other_number = other ? program_place_number(other, &is_line) : NULL;
    if (!number || !other_number || number - place != other_number - other ||
        strncmp(place, other, (size_t)(number - place)) != 0)
        return false;
    return ((first->threads == threads && node->threads == threads) || first->set == node->set) &&
           ((first->counts.times >= first->around && node->counts.times >= node->around) ||
            (first->counts.times == node->counts.times && first->around == node->around));
}

static void run_add(struct line_run *r, const struct shown_line *line)
{
    const struct program_node *node = line->first;
    unsigned i = 0, k = 0;
    while (i < r->name_count && strcmp(r->names[i]->name, node->name) != 0)
        i++;
    if (i == r->name_count && i <= RUN_SHOWN)
        r->names[r->name_count++] = node;
    while (k < r->before_count && r->befores[k] != line->before)
        k++;
    if (k == r->before_count && k <= RUN_SHOWN)
        r->befores[r->before_count++] = line->before;
    r->sum.ns += node->ns;
    r->sum.sites += node->sites;
    r->sum.place_first = node->place_first < r->sum.place_first ? node->place_first : r->sum.place_first;
    r->sum.place_last = node->place_last > r->sum.place_last ? node->place_last : r->sum.place_last;
    r->lines++;
    r->end = node + node->size;
}

/* Returns the nodes from FIRST on, before END, that can be on one line. */
static struct line_run run_of(const struct program *p, const struct program_node *first, const struct program_node *end,
                              size_t threads)
{
    struct line_run r = {.sum = *first};
    r.sum.ns = 0;
    r.sum.sites = 0;
    for (const struct program_node *node = first; node < end && is_together(first, node, threads); node = r.end) {
        const struct shown_line line = line_of(p, node);
        if (!is_repetition(&line))
            break;
        run_add(&r, &line);
    }
    return r;
}

static void out_run(struct output *o, const struct line_run *r, const char *around, const struct thread_set *set,
                    size_t threads)
{
    for (unsigned i = 0; i < r->name_count; i++) {
        out_text(o, i == 0 ? "" : ", ");
        out_name(o, i < RUN_SHOWN ? r->names[i]->name : "...");
    }
    out_char(o, ' ');
    out_uint(o, r->sum.sites);
    out_text(o, "x at ");
    out_place(o, &r->sum, around);
    out_figures(o, &r->sum, &r->sum, set, threads);
    for (unsigned i = 0; i < r->before_count; i++) {
        out_text(o, i == 0 ? ", as at " : ", ");
        if (i < RUN_SHOWN)
            out_place(o, r->befores[i], NULL);
        else
            out_text(o, "...");
    }
    out_char(o, '\n');
}

/* Prints LINE without what is behind the names and places. */
static void out_line(struct output *o, const struct shown_line *line, const char *around)
{
    if (line->last->kind == PROGRAM_LOOP) {
        loops_number(o, line->last->loop_first, line->last->loop_last);
        loops_counts(o, &line->last->counts);
        if (line->last > line->first) {
            out_text(o, " of ");
            out_chain(o, line->first, line->last - 1, around);
        }
    } else if (line->last->kind == PROGRAM_PHASE) {
        loops_phase(o, &line->last->phases);
        if (line->last->place) {
            out_text(o, " at ");
            out_place(o, line->last, around);
        }
    } else {
        out_chain(o, line->first, line->last, around);
    }
}

/* Prints the nodes from BEGIN to END, of a node that the THREADS of SET have, in the function AROUND. Recursion is as
 * deep as the tree. */
static void out_nodes(struct output *o, const struct program *p, const struct program_node *begin,
                      const struct program_node *end, const char *around, unsigned depth, const struct thread_set *set,
                      size_t threads)
{
    for (const struct program_node *node = begin, *next; node < end && !o->error; node = next) {
        const struct shown_line line = line_of(p, node);
        next = node + node->size;
        for (unsigned i = 0; i <= depth; i++)
            out_text(o, "    ");
        if (is_repetition(&line)) {
            const struct line_run run = run_of(p, node, end, threads);
            if (run.lines >= RUN_LEAST) {
                out_run(o, &run, around, set, threads);
                next = run.end;
                continue;
            }
        }
        out_line(o, &line, around);
        out_figures(o, node, line.last, set, threads);
        if (line.before) {
            out_text(o, ", as at ");
            out_place(o, line.before, NULL);
        }
        out_char(o, '\n');
        if (line.before)
            continue;
        const struct program_node *function = line.last;
        while (function > node && function->kind != PROGRAM_FUNCTION)
            function--;
        const char *name = function->kind == PROGRAM_FUNCTION ? function->name : around;
        out_nodes(o, p, line.last + 1, line.last + line.last->size, name, depth + 1, line.last->set,
                  line.last->threads);
    }
}

/* ---- JSON ---- */

static void json_text(struct output *o, const char *name, const char *text)
{
    out_text(o, name);
    out_json_string(o, text, strlen(text));
}

static void json_ns(struct output *o, const char *name, double ns)
{
    out_text(o, name);
    out_uint(o, ns < 0x1p64 ? (uint64_t)(ns + 0.5) : UINT64_MAX);
}

/* Prints which threads SET has. */
static void json_threads(struct output *o, const struct thread_set *set)
{
    size_t count;
    struct shown_thread *threads = program_threads(set, &count);
    out_text(o, ",\"on\":\"");
    if (!threads || !threads_print(o, threads, count))
        o->error = ENOMEM;
    out_char(o, '"');
    free(threads);
}

static void json_phases(struct output *o, const struct phase_texts *phases)
{
    for (size_t i = 0; i < phases->count; i++)
        json_text(o, i == 0 ? ",\"texts\":[" : ",", phases->texts[i]);
    if (phases->count > 0)
        out_text(o, phases->more ? "],\"more_texts\":true" : "]");
}

/* Prints the place of NODE, and its file and lines if they are known. */
static void json_at(struct output *o, const struct program_node *node)
{
    struct site_place place = {0};
    out_text(o, ",\"at\":\"");
    out_place(o, node, NULL);
    out_char(o, '"');
    split_place(&place, node->place);
    place.line = node->place_first;
    json_place_found(o, "", &place);
    if (*place.file && node->place_first != node->place_last)
        out_json_field(o, "last_line", (int64_t)node->place_last);
}

/* Prints the members of NODE of P, but for the nodes in it. */
static void json_node(struct output *o, const struct program *p, const struct program_node *node)
{
    static const char *const kinds[] = {[PROGRAM_FUNCTION] = "{\"function\":",
                                        [PROGRAM_LOOP] = "{\"loop\":true",
                                        [PROGRAM_CALLS] = "{\"func\":",
                                        [PROGRAM_PHASE] = "{\"phase\":true"};
    if (node->name)
        json_text(o, kinds[node->kind], node->name);
    else
        out_text(o, kinds[node->kind]);
    if (node->place)
        json_at(o, node);
    json_phases(o, &node->phases);
    if (node->loop_first && node->loop_first == node->loop_last)
        out_json_field(o, "number", (int64_t)node->loop_first);
    out_json_field(o, "places", (int64_t)node->sites);
    out_json_field(o, "threads", (int64_t)node->threads);
    if (node->threads < p->thread_count && p->thread_count <= NAMED_MAX)
        json_threads(o, node->set);
    out_json_field(o, "around", (int64_t)node->around);
    out_json_field(o, "times", (int64_t)node->counts.times);
    out_json_field(o, "total", (int64_t)node->counts.total);
    out_json_field(o, "min", (int64_t)node->counts.min);
    out_json_field(o, "max", (int64_t)node->counts.max);
    json_ns(o, ",\"time\":", node->ns);
    if (node->kind == PROGRAM_CALLS || node->kind == PROGRAM_PHASE)
        json_ns(o, ",\"gap\":", node->gap_ns);
}

/* Prints the nodes from BEGIN to END. Recursion is as deep as the tree. */
static void json_nodes(struct output *o, const struct program *p, const struct program_node *begin,
                       const struct program_node *end)
{
    out_char(o, '[');
    for (const struct program_node *node = begin; node < end && !o->error; node += node->size) {
        if (node > begin)
            out_char(o, ',');
        json_node(o, p, node);
        if (node->size > 1) {
            out_text(o, ",\"in\":");
            json_nodes(o, p, node + 1, node + node->size);
        }
        out_char(o, '}');
    }
    out_char(o, ']');
}

static bool json_program(struct output *o, const struct program *p)
{
    out_text(o, "{\"threads\":\"");
    bool good = threads_print(o, p->threads, p->thread_count);
    out_char(o, '"');
    out_json_field(o, "count", (int64_t)p->thread_count);
    out_json_field(o, "calls_min", (int64_t)p->calls_min);
    out_json_field(o, "calls_max", (int64_t)p->calls_max);
    out_text(o, ",\"program\":");
    json_nodes(o, p, p->nodes, p->nodes + p->count);
    out_text(o, "}\n");
    return good;
}

/* ---- CSV ---- */

/* Prints the nodes of program NUMBER, a line each, before those in it. */
static void csv_program(struct output *o, const struct program *p, size_t number)
{
    static const char *const kinds[] = {
        [PROGRAM_FUNCTION] = "function", [PROGRAM_LOOP] = "loop", [PROGRAM_CALLS] = "calls", [PROGRAM_PHASE] = "phase"};
    static struct output quoted = {.descriptor = -1};
    quoted.into = o;
    for (size_t i = 0; i < p->count && !o->error; i++) {
        const struct program_node *node = &p->nodes[i];
        const uint64_t counts[] = {node->sites,        node->threads,    node->around,    node->counts.times,
                                   node->counts.total, node->counts.min, node->counts.max};
        struct csv c = {.out = o};
        csv_uint(&c, number);
        csv_uint(&c, node->depth);
        csv_name(&c, kinds[node->kind]);
        if (node->phases.count > 0) {
            csv_empty(&c, 1);
            out_char(o, '"');
            for (size_t k = 0; k < node->phases.count; k++) {
                out_text(&quoted, k > 0 ? ", " : "");
                out_name(&quoted, node->phases.texts[k]);
            }
            out_text(&quoted, node->phases.more ? ", ..." : "");
            out_flush(&quoted);
            out_char(o, '"');
        } else {
            csv_name(&c, node->name);
        }
        if (node->loop_first && node->loop_first == node->loop_last)
            csv_uint(&c, node->loop_first);
        else
            csv_empty(&c, 1);
        csv_empty(&c, 1);
        if (node->place) {
            out_char(o, '"');
            out_place(&quoted, node, NULL);
            out_flush(&quoted);
            out_char(o, '"');
        }
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            csv_uint(&c, counts[k]);
        csv_ns(&c, node->ns);
        csv_ns(&c, node->gap_ns);
        csv_end(&c);
    }
}

static bool text_program(struct output *o, const struct program *p, bool is_first)
{
    if (!is_first)
        out_char(o, '\n');
    bool good = threads_print(o, p->threads, p->thread_count);
    loops_calls(o, p->calls_min, p->calls_max, p->thread_count);
    out_nodes(o, p, p->nodes, p->nodes + p->count, NULL, 0, p->set, p->thread_count);
    return good;
}

enum pilgrim_status program_print(struct output *o, const struct loops_list *l, struct source_lines *lines,
                                  const struct loops_options *options, struct pilgrim_error *error)
{
    struct program_list list = {0};
    struct call_paths *paths = call_paths_new(lines);
    bool good = paths && program_list_make(&list, l, paths, options->depth);
    if (options->csv)
        out_text(o, "program,depth,kind,name,number,at,places,threads,around,times,total,min,max,time,gap\n");
    for (size_t i = 0; good && options->csv && i < list.count && !o->error; i++)
        csv_program(o, &list.programs[i], i + 1);
    for (size_t i = 0; good && !options->csv && i < list.count && !o->error; i++)
        good = options->json ? json_program(o, &list.programs[i]) : text_program(o, &list.programs[i], i == 0);
    program_list_free(&list);
    call_paths_free(paths);
    return good ? PILGRIM_OK : no_memory(error);
}
