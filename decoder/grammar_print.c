/* --grammar: what is stored of one thread, so that a reader of the paper recognises it. */
#include "print.h"

/* Rule 0 is S; then A, B, ..., but for S; beyond Z: R27, R28, ... */
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

/* 3^4: 3 four times; 3..6: 3, 4, 5, 6. */
static void print_symbol(struct output *o, const struct pilgrim_symbol *symbol)
{
    out_char(o, ' ');
    if (symbol->is_rule)
        print_rule_name(o, (uint32_t)symbol->value);
    else
        out_uint(o, symbol->value);
    if (symbol->exponent > 1) {
        out_text(o, symbol->ramp ? ".." : "^");
        out_uint(o, symbol->ramp ? symbol->value + symbol->exponent - 1 : symbol->exponent);
    }
}

static void print_rules(struct output *o, const struct pilgrim_grammar *grammar, const char *indent)
{
    for (uint32_t rule = 0; rule < pilgrim_grammar_rules(grammar); rule++) {
        out_text(o, indent);
        print_rule_name(o, rule);
        out_text(o, " ->");
        for (size_t i = 0; i < pilgrim_grammar_symbols(grammar, rule); i++) {
            struct pilgrim_symbol symbol = pilgrim_grammar_symbol(grammar, rule, i);
            print_symbol(o, &symbol);
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

static void print_durations(struct output *o, const struct pilgrim_class_info *info)
{
    out_text(o, ", ns: mean ");
    out_uint(o, info->mean_ns);
    out_text(o, " min ");
    out_uint(o, info->min_ns);
    out_text(o, " max ");
    out_uint(o, info->max_ns);
}

static enum pilgrim_status print_signature(struct output *o, struct pilgrim_cursor *cursor, size_t class, uint64_t number,
                                           struct pilgrim_error *error)
{
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_signature(cursor, class, number, &call, error);
    if (status != PILGRIM_OK)
        return status;
    out_text(o, "   ");
    out_uint(o, number);
    out_text(o, "  ");
    text_arguments(o, &call, true);
    out_char(o, '\n');
    return PILGRIM_OK;
}

/* Of those that are stored as one, the first and the last. */
static enum pilgrim_status print_signatures(struct output *o, struct pilgrim_cursor *cursor, size_t class, uint64_t count,
                                            struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint64_t i = 0, run; i < count && status == PILGRIM_OK; i += run) {
        run = pilgrim_signature_run(cursor, class, i);
        status = print_signature(o, cursor, class, i, error);
        if (run > 2)
            out_text(o, "   ...\n");
        if (run > 1 && status == PILGRIM_OK)
            status = print_signature(o, cursor, class, i + run - 1, error);
    }
    return status;
}

static enum pilgrim_status print_class(struct output *o, const struct pilgrim_trace *trace, uint32_t rank,
                                       struct pilgrim_cursor *cursor, size_t number,
                                       const struct pilgrim_class_info *info, struct source_lines *lines,
                                       struct pilgrim_error *error)
{
    struct pilgrim_grammar *values;
    enum pilgrim_status status = pilgrim_grammar_open(trace, rank, info->values, &values, error);
    if (status != PILGRIM_OK)
        return status;
    out_uint(o, number);
    out_text(o, "  ");
    out_text(o, info->class_->function->name);
    out_text(o, " at ");
    text_site(o, info->class_, lines);
    out_text(o, "   ");
    print_count(o, info->signature_count, "signature");
    out_text(o, ", value group ");
    out_uint(o, info->value_group);
    out_text(o, " (");
    print_count(o, info->value_group_size, "rank");
    out_char(o, ')');
    if (info->timed)
        print_durations(o, info);
    out_char(o, '\n');
    print_rules(o, values, "   ");
    pilgrim_grammar_close(values);
    return print_signatures(o, cursor, number, info->signature_count, error);
}

static enum pilgrim_status print_structure(struct output *o, const struct pilgrim_trace *trace, uint32_t rank,
                                           uint32_t thread, const struct pilgrim_thread_info *info,
                                           struct pilgrim_error *error)
{
    struct pilgrim_grammar *structure;
    enum pilgrim_status status = pilgrim_grammar_open(trace, rank, info->structure, &structure, error);
    if (status != PILGRIM_OK)
        return status;
    out_text(o, "rank ");
    out_uint(o, rank);
    out_text(o, " thread ");
    out_uint(o, thread);
    out_text(o, "   structure group ");
    out_uint(o, info->structure_group);
    out_text(o, " (");
    print_count(o, info->structure_group_size, "rank");
    out_text(o, ")   ");
    out_uint(o, info->class_count);
    out_text(o, info->class_count == 1 ? " class, " : " classes, ");
    print_count(o, pilgrim_grammar_rules(structure), "rule");
    out_text(o, ", ");
    print_count(o, pilgrim_grammar_length(structure), "call");
    out_char(o, '\n');
    print_rules(o, structure, "");
    pilgrim_grammar_close(structure);
    return PILGRIM_OK;
}

enum pilgrim_status grammar_print(struct output *o, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                  struct source_lines *lines, struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    struct pilgrim_cursor *cursor;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    status = pilgrim_thread_info(trace, rank, thread, &info);
    if (status == PILGRIM_OK)
        status = print_structure(o, trace, rank, thread, &info, error);
    for (size_t i = 0; status == PILGRIM_OK && i < info.class_count; i++) {
        struct pilgrim_class_info class;
        status = pilgrim_class_info(trace, rank, thread, i, &class);
        if (status == PILGRIM_OK)
            status = print_class(o, trace, rank, cursor, i, &class, lines, error);
    }
    pilgrim_cursor_close(cursor);
    return status;
}
