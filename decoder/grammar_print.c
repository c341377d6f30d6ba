/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what is stored of one thread (--grammar): its structure grammar, its call classes, and their value grammars
 * and signatures, in the notation of the Pilgrim paper (SC'21). */
#include <stdlib.h>

#include "decode_errors.h"
#include "print.h"

#define NONE SIZE_MAX

/* The thread that is printed, and how many segments the trace has. */
struct whose {
    uint32_t rank, thread, segments;
};

/* Prints the name of a rule: S for rule 0; then A, B, ... without S; beyond Z: R27, R28, ... */
static void print_rule_name(struct output *o, uint32_t rule)
{
    static const char letters[] = "SABCDEFGHIJKLMNOPQRTUVWXYZ";
    if (rule < sizeof letters - 1) {
        out_char(o, letters[rule]);
    } else {
        out_char(o, 'R');
        out_uint(o, rule);
    }
}

/* Prints a class: 7, or L7* if it is a loop. BODIES: the bodies of loops, by class, 0 for classes of calls; NULL: the
 * numbers are signatures, not classes. */
static void print_class(struct output *o, uint64_t number, const uint64_t *bodies)
{
    bool is_loop = bodies && bodies[number];
    if (is_loop)
        out_char(o, 'L');
    out_uint(o, number);
    if (is_loop)
        out_char(o, '*');
}

/* Prints a symbol: 3^4 is 3 four times, 3..6 is 3, 4, 5, 6. */
static void print_symbol(struct output *o, const struct pilgrim_symbol *symbol, const uint64_t *bodies)
{
    out_char(o, ' ');
    if (symbol->is_rule)
        print_rule_name(o, (uint32_t)symbol->value);
    else
        print_class(o, symbol->value, bodies);
    if (symbol->exponent > 1) {
        out_text(o, symbol->ramp ? ".." : "^");
        out_uint(o, symbol->ramp ? symbol->value + symbol->exponent - 1 : symbol->exponent);
    }
}

/* Prints the rules of a grammar, one a line. LOOP: the grammar is the body of this class; NONE: it is not the body of a
 * loop. */
static void print_rules(struct output *o, const struct pilgrim_grammar *grammar, const char *indent,
                        const uint64_t *bodies, size_t loop)
{
    for (uint32_t rule = 0; rule < pilgrim_grammar_rules(grammar); rule++) {
        out_text(o, indent);
        if (rule > 0 || loop == NONE)
            print_rule_name(o, rule);
        else
            print_class(o, loop, bodies);
        out_text(o, " ->");
        for (size_t i = 0; i < pilgrim_grammar_symbols(grammar, rule); i++) {
            struct pilgrim_symbol symbol = pilgrim_grammar_symbol(grammar, rule, i);
            print_symbol(o, &symbol, bodies);
        }
        out_char(o, '\n');
    }
}

static void print_count(struct output *o, uint64_t count, const char *what)
{
    out_uint(o, count);
    out_char(o, ' ');
    out_text(o, what);
    if (count != 1)
        out_char(o, 's');
}

static void print_mean(struct output *o, const char *what, double ns)
{
    out_text(o, what);
    out_uint(o, (uint64_t)(ns + 0.5));
}

/* Prints how long the calls of CLASS with SIGNATURES took, and the gaps before them; nothing if no times are stored. */
static void print_times(struct output *o, const struct pilgrim_cursor *cursor, size_t class, uint64_t signatures,
                        const char *separator)
{
    struct pilgrim_statistic durations, gaps;
    if (pilgrim_durations(cursor, class, signatures, &durations) != PILGRIM_OK || durations.count == 0)
        return;
    out_text(o, separator);
    print_mean(o, "ns: mean ", durations.mean_ns);
    if (!durations.brief) /* else it is not known */
        print_mean(o, " min ", (double)durations.min_ns);
    print_mean(o, " max ", (double)durations.max_ns);
    if (pilgrim_gaps(cursor, class, signatures, PILGRIM_ANY_CALL, &gaps) == PILGRIM_OK && gaps.count > 0)
        print_mean(o, ", gap mean ", gaps.mean_ns);
}

/* Signatures are those of all threads of a value group. One that this thread never calls may have values of the others
 * that are none here; if it is called, printing the calls says so. */
static void print_none(struct output *o, uint64_t number)
{
    out_text(o, "   ");
    out_uint(o, number);
    out_text(o, "  has no values on this rank\n");
}

/* Prints a signature and, if it has a statistic of its own, its times. CALLS: how many calls the statistic of the whole
 * class has; a signature with as many shares it, and its times are not printed. 0: print no times. */
static enum pilgrim_status print_signature(struct output *o, struct pilgrim_cursor *cursor, size_t class,
                                           uint64_t number, uint64_t calls, struct pilgrim_error *error)
{
    struct pilgrim_statistic durations;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_signature(cursor, class, number, &call, error);
    if (status == PILGRIM_DAMAGED) {
        print_none(o, number);
        return PILGRIM_OK;
    }
    if (status != PILGRIM_OK)
        return status;
    out_text(o, "   ");
    out_uint(o, number);
    out_text(o, "  ");
    text_arguments(o, &call, true);
    status = pilgrim_durations(cursor, class, number, &durations);
    if (status == PILGRIM_OK && durations.count < calls)
        print_times(o, cursor, class, number, "   ");
    out_char(o, '\n');
    return status;
}

/* Prints the signatures of a class; of each signature series the first and the last one. */
static enum pilgrim_status print_signatures(struct output *o, struct pilgrim_cursor *cursor, size_t class,
                                            uint64_t count, struct pilgrim_error *error)
{
    struct pilgrim_statistic all;
    enum pilgrim_status status = pilgrim_durations(cursor, class, PILGRIM_VALUE_GROUP, &all);
    for (uint64_t i = 0, run; i < count && status == PILGRIM_OK; i += run) {
        run = pilgrim_signature_run(cursor, class, i);
        status = print_signature(o, cursor, class, i, all.count, error);
        if (pilgrim_signature_varies(cursor, class, i))
            out_text(o, "   ...   other numbers each time\n");
        if (run > 2)
            out_text(o, "   ...\n");
        if (run > 1 && status == PILGRIM_OK)
            status = print_signature(o, cursor, class, i + run - 1, 0, error);
    }
    return status;
}

static enum pilgrim_status print_call_class(struct output *o, struct pilgrim_cursor *cursor, size_t number,
                                            const struct pilgrim_class_info *info, struct source_lines *lines,
                                            struct pilgrim_error *error)
{
    struct pilgrim_grammar *values;
    enum pilgrim_status status = pilgrim_grammar_open(cursor, info->values, &values, error);
    if (status != PILGRIM_OK)
        return status;
    out_uint(o, number);
    out_text(o, "  ");
    out_name(o, info->class_->function->name);
    out_text(o, " at ");
    text_site(o, info->class_, UINT64_MAX, lines);
    out_text(o, "   ");
    print_count(o, info->signature_count, "signature");
    out_text(o, ", value group ");
    out_uint(o, info->value_group);
    out_text(o, " (");
    print_count(o, info->value_group_size, "rank");
    out_char(o, ')');
    print_times(o, cursor, number, PILGRIM_VALUE_GROUP, ", ");
    out_char(o, '\n');
    print_rules(o, values, "   ", NULL, NONE);
    pilgrim_grammar_close(values);
    return print_signatures(o, cursor, number, info->signature_count, error);
}

/* Prints a loop: how often it is entered, its trips, and its body (L7* -> 3 4 5). */
static enum pilgrim_status print_loop(struct output *o, const struct pilgrim_cursor *cursor, size_t number,
                                      const uint64_t *bodies, struct pilgrim_error *error)
{
    struct pilgrim_grammar *body;
    struct pilgrim_trips trips;
    enum pilgrim_status status = pilgrim_loop_trips(cursor, number, &trips, error);
    if (status == PILGRIM_OK)
        status = pilgrim_grammar_open(cursor, bodies[number], &body, error);
    if (status != PILGRIM_OK)
        return status;
    print_class(o, number, bodies);
    out_text(o, "  loop   entered ");
    print_count(o, trips.entered, "time");
    if (trips.entered > 0) {
        out_text(o, ", trips: mean ");
        out_decimal(o, (double)trips.total / (double)trips.entered);
        out_text(o, " min ");
        out_uint(o, trips.min);
        out_text(o, " max ");
        out_uint(o, trips.max);
    }
    out_char(o, '\n');
    print_rules(o, body, "   ", bodies, number);
    pilgrim_grammar_close(body);
    return PILGRIM_OK;
}

/* Returns the bodies of a thread's loops, by class, 0 for classes of calls; to be freed. NULL: no memory. */
static uint64_t *read_bodies(const struct pilgrim_cursor *cursor, size_t class_count)
{
    struct pilgrim_class_info class;
    uint64_t *bodies = calloc(class_count + 1, sizeof *bodies);
    for (size_t i = 0; bodies && i < class_count; i++)
        if (pilgrim_class_info(cursor, i, &class) == PILGRIM_OK)
            bodies[i] = class.body;
    return bodies;
}

/* Prints the head line of a thread and its structure grammar. CALLS: of the thread in this segment. */
static enum pilgrim_status print_structure(struct output *o, const struct pilgrim_cursor *cursor,
                                           const struct whose *whose, const struct pilgrim_thread_info *info,
                                           uint64_t calls, const uint64_t *bodies, struct pilgrim_error *error)
{
    struct pilgrim_grammar *structure;
    enum pilgrim_status status = pilgrim_grammar_open(cursor, info->structure, &structure, error);
    if (status != PILGRIM_OK)
        return status;
    out_text(o, "rank ");
    out_uint(o, whose->rank);
    out_text(o, " thread ");
    out_uint(o, whose->thread);
    if (whose->segments > 1) {
        out_text(o, " segment ");
        out_uint(o, pilgrim_cursor_segment(cursor));
    }
    out_text(o, "   structure group ");
    out_uint(o, info->structure_group);
    out_text(o, " (");
    print_count(o, info->structure_group_size, "rank");
    out_text(o, ")   ");
    out_uint(o, info->class_count - info->loop_count);
    out_text(o, info->class_count - info->loop_count == 1 ? " class, " : " classes, ");
    print_count(o, pilgrim_grammar_rules(structure), "rule");
    out_text(o, ", ");
    if (info->loop_count > 0) {
        print_count(o, info->loop_count, "loop");
        out_text(o, ", ");
    }
    print_count(o, calls, "call");
    out_char(o, '\n');
    print_rules(o, structure, "", bodies, NONE);
    pilgrim_grammar_close(structure);
    return PILGRIM_OK;
}

static enum pilgrim_status print_segment(struct output *o, struct pilgrim_cursor *cursor, const struct whose *whose,
                                         struct source_lines *lines, struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    pilgrim_thread_info(cursor, &info);
    uint64_t *bodies = read_bodies(cursor, info.class_count);
    if (!bodies)
        return no_memory(error);
    enum pilgrim_status status =
        print_structure(o, cursor, whose, &info, pilgrim_cursor_segment_calls(cursor), bodies, error);
    for (size_t i = 0; status == PILGRIM_OK && i < info.class_count; i++) {
        struct pilgrim_class_info class;
        status = pilgrim_class_info(cursor, i, &class);
        if (status == PILGRIM_OK)
            status = class.body ? print_loop(o, cursor, i, bodies, error)
                                : print_call_class(o, cursor, i, &class, lines, error);
    }
    free(bodies);
    return status;
}

enum pilgrim_status grammar_print(struct output *o, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                  struct source_lines *lines, struct pilgrim_error *error)
{
    const struct whose whose = {rank, thread, pilgrim_segment_count(trace)};
    struct pilgrim_cursor *cursor;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    while (status == PILGRIM_OK && !o->error) {
        status = print_segment(o, cursor, &whose, lines, error);
        if (status == PILGRIM_OK)
            status = pilgrim_cursor_next_segment(cursor, error);
    }
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}
