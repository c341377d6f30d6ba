/* The structure: ranks, threads, sequences, structure groups; docs/FORMAT.md, section 4. */
#include "reader/trace.h"

static void parse_ranks(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    uint64_t ranks = cursor_varint(&p->in);
    if (!parser_good(p) || ranks == 0)
        parser_fail(p, "no ranks");
    else if (ranks > UINT32_MAX)
        parser_fail_with(p, PILGRIM_LIMIT, "more than 4294967295 ranks");
    t->rank_count = (uint32_t)ranks;
    parser_runs(p, ranks, UINT32_MAX, &t->threads);
}

/* Sets `before` to the sum of the threads of earlier ranks; returns the sum over all. Runs are at most 2^32 long, so no
 * sum overflows. */
static uint64_t sum_threads(struct runs *threads)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < threads->count; i++) {
        struct run *run = &threads->entries[i];
        run->before = sum;
        sum += run->value * (run->end - runs_start(threads, run));
    }
    return sum;
}

static void parse_sequences(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more sequences than bytes");
    t->sequences = parser_take(p, count, sizeof *t->sequences);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        struct pilgrim_grammar *g = &t->sequences[i];
        /* The largest terminal + 1 must be a number of 32 bits. */
        if (rules_parse(&p->in, UINT32_MAX, &g->rules) != PILGRIM_OK) {
            parser_fail_with(p, p->in.status, "a sequence with a wrong rule");
            return;
        }
        t->sequence_count = i + 1;
        uint32_t symbols = g->rules.first[g->rules.rule_count];
        parser_charge(p, 4 * sizeof(void *) * 4 + g->rules.rule_count * UINT64_C(20) +
                             symbols * (uint64_t)sizeof *g->rules.symbols);
        for (uint32_t s = 0; s < symbols; s++)
            if (!g->rules.symbols[s].is_rule && g->rules.symbols[s].value >= g->terminal_limit)
                g->terminal_limit = g->rules.symbols[s].value + 1;
    }
}

/* How often each class is called by a member, counted once for each sequence. */
static void count_calls(struct parser *p, struct pilgrim_grammar *g)
{
    if (g->counts)
        return;
    g->counts = parser_take(p, g->terminal_limit, sizeof *g->counts);
    if (g->counts)
        rules_count_terminals(&g->rules, g->counts, g->terminal_limit);
}

static void parse_group(struct parser *p, struct group *group)
{
    struct pilgrim_trace *t = p->trace;
    group->sequence = parser_index(p, t->sequence_count, "a sequence that does not exist");
    size_t count = parser_count(p, 1, "more classes of a group than bytes");
    group->classes = parser_take(p, count, sizeof *group->classes);
    for (size_t i = 0; i < count && parser_good(p); i++)
        group->classes[i].class = parser_index(p, t->class_count, "a call class that does not exist");
    group->class_count = (uint32_t)count;
    if (!parser_good(p))
        return;
    struct pilgrim_grammar *g = &t->sequences[group->sequence];
    if (g->terminal_limit > count)
        parser_fail(p, "a sequence of calls with a class that its group does not have");
    else
        count_calls(p, g);
}

static void parse_groups(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more groups than bytes");
    t->groups = parser_take(p, count, sizeof *t->groups);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_group(p, &t->groups[i]);
    t->group_count = count;
}

static void count_members(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    uint64_t *totals = parser_take(p, t->group_count, sizeof *totals);
    if (!totals)
        return;
    runs_rank(&t->members, totals);
    for (size_t i = 0; i < t->group_count; i++)
        t->groups[i].members = totals[i];
}

void structure_parse(struct parser *p)
{
    parse_ranks(p);
    if (!parser_good(p))
        return;
    uint64_t streams = p->trace->rank_count + sum_threads(&p->trace->threads);
    parse_sequences(p);
    parse_groups(p);
    parser_runs(p, streams, p->trace->group_count, &p->trace->members);
    if (parser_good(p))
        count_members(p);
}
