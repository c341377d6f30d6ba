/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the section of calls: rules, columns, signatures, partitions, ranks, group classes, groups (docs/FORMAT.md,
 * section 4).
 *
 * A signature may stand in any number of value groups, and a group class in any number of groups. So each is checked
 * once, when it is read; the result says where it may be used.
 *
 * The file is long: it has one function or two for each table of the section. */
#include "read/table/calls.h"

#include <stdlib.h>

#include "base/value.h"
#include "read/table/columns.h"
#include "read/table/member_index.h"
#include "read/table/streams.h"
#include "rules/rules_uses.h"

/* The state until all groups are read. */
struct calls_parser {
    struct parser *p;
    struct {
        uint32_t shape, column, signature, class, partition, group_class;
    } next;                /* what a reference of 0 means, by table */
    uint64_t *counts;      /* calls of a member, by class index */
    uint64_t counted;      /* COUNTS is of this sequence ... */
    uint32_t count_number; /* ... and of a group with so many classes */
    struct loop_counts {   /* of a group with loops, by class index */
        uint64_t *body;    /* how often the class occurs in the current body */
        bool *inside;      /* the class occurs in some body */
    } loops;
};

static void parse_rules(struct parser *p)
{
    struct shard *v = p->shard;
    enum pilgrim_status status = rules_parse_table(&p->in, &p->budget->bytes, &v->rules);
    if (status == PILGRIM_LIMIT)
        parser_fail_with(p, status, p->budget->problem);
    else if (status == PILGRIM_NOMEM)
        parser_fail_with(p, status, "not enough memory");
    else if (status != PILGRIM_OK)
        parser_fail(p, "a wrong rule");
}

static const struct stored_column *parse_column(struct calls_parser *c)
{
    const struct shard *v = c->p->shard;
    uint32_t number = parser_reference(c->p, v->column_count, &c->next.column, "a column that does not exist");
    return parser_good(c->p) ? &v->columns[number] : NULL;
}

/* Returns the number of members that fits LENGTH and OTHER; both may be LENGTH_ANY or LENGTH_NONE. */
static uint64_t common_length(uint64_t length, uint64_t other)
{
    if (length == LENGTH_ANY || length == other)
        return other;
    return other == LENGTH_ANY ? length : LENGTH_NONE;
}

/* ---- signatures ---- */

static void parse_long_head(struct parser *p, struct stored_signature *s)
{
    uint64_t count = cursor_varint(&p->in);
    if (!parser_good(p) || count == 1 || count > INT64_MAX)
        parser_fail(p, "a vector with a wrong number of values");
    else if (p->shard->shapes[s->shape].has_series)
        parser_fail(p, "a series in a vector");
    s->is_unzipped = count == 0;
    s->is_vector = count > 1;
    s->count = count + s->is_unzipped;
}

static void parse_signature(struct calls_parser *c, struct stored_signature *s)
{
    struct parser *p = c->p;
    const struct shard *v = p->shard;
    uint64_t word = cursor_varint(&p->in);
    s->shape = parser_resolve(p, word >> 1, v->shape_count, &c->next.shape, "a shape that does not exist");
    if (!parser_good(p))
        return;
    const struct shape *shape = &v->shapes[s->shape];
    s->count = 1;
    if (word & 1)
        parse_long_head(p, s);
    s->columns = p->in.data + p->in.position;
    s->next_column = c->next.column;
    s->length = LENGTH_ANY;
    uint64_t columns = shape->column_count; /* columns of the slots, without those of series */
    columns *= s->is_unzipped ? 3 : s->is_vector ? 2 : 1;
    for (uint64_t i = 0; i < columns && parser_good(p); i++) {
        const struct stored_column *column = parse_column(c);
        s->length = common_length(s->length, column ? column->length : LENGTH_NONE);
    }
}

static void parse_signatures(struct calls_parser *c)
{
    struct shard *v = c->p->shard;
    size_t count = parser_count(c->p, 1, "more signatures than bytes");
    v->signatures = parser_take(c->p, count, sizeof *v->signatures);
    for (size_t i = 0; i < count && parser_good(c->p); i++)
        parse_signature(c, &v->signatures[i]);
    v->signature_count = count;
}

/* ---- partitions ---- */

static const char wrong_partition[] = "a partition whose value groups do not hold each member once";

static const struct stored_column *parse_members(struct calls_parser *c, const char *what)
{
    const struct stored_column *column = parse_column(c);
    if (column && !column->increases)
        parser_fail(c->p, what);
    return parser_good(c->p) ? column : NULL;
}

/* Reads the columns of the COUNT value groups of PARTITION. */
static void parse_member_lists(struct calls_parser *c, struct member_index *partition, size_t count)
{
    struct parser *p = c->p;
    uint64_t total = 0;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        const struct stored_column *column = parse_members(c, wrong_partition);
        uint64_t size = column ? column_size(column) : 0;
        if (size > INT64_MAX - total)
            parser_fail(p, wrong_partition);
        if (!parser_good(p))
            return;
        member_index_add(partition, column, (uint32_t)i);
        total += size;
    }
    member_index_parse(p, partition, total, wrong_partition);
}

static void parse_partition(struct calls_parser *c, struct member_index *partition)
{
    struct parser *p = c->p;
    uint64_t count = cursor_varint(&p->in);
    const bool has_labels = count == 0;
    if (has_labels)
        count = cursor_varint(&p->in);
    if (count < 2 || count > (has_labels ? LABELS_MAX : cursor_left(&p->in)))
        parser_fail(p, "a partition with a wrong number of value groups");
    partition->sets = parser_good(p) ? parser_take(p, (size_t)count, sizeof *partition->sets) : NULL;
    if (!parser_good(p))
        return;
    if (!has_labels) {
        parse_member_lists(c, partition, (size_t)count);
        return;
    }
    const struct stored_column *labels = parse_column(c);
    if (labels)
        member_index_parse_labels(p, partition, labels, (size_t)count, wrong_partition);
}

static void parse_partitions(struct calls_parser *c)
{
    struct shard *v = c->p->shard;
    size_t count = parser_count(c->p, 3, "more partitions than bytes");
    v->partitions = parser_take(c->p, count, sizeof *v->partitions);
    for (size_t i = 0; i < count && parser_good(c->p); i++)
        parse_partition(c, &v->partitions[i]);
    v->partition_count = count;
}

/* ---- ranks and threads ---- */

/* True if no rank has 2^32 threads or more. */
static bool threads_fit(const struct shard *v, const struct stored_column *c)
{
    if (c->kind == EXPRESSION_SUMS)
        return (rules_sequence_total(&v->rules, c->sequence).limit - 1) >> 1 <= UINT32_MAX; /* the largest difference */
    for (uint64_t i = 1; c->kind == EXPRESSION_LIST && i < c->length; i++)
        if (c->list[i] - c->list[i - 1] > UINT32_MAX)
            return false;
    return true;
}

static void parse_ranks(struct calls_parser *c)
{
    struct parser *p = c->p;
    struct shard *v = p->shard;
    uint64_t word = cursor_varint(&p->in), ranks = word >> 1;
    v->begins_segment = word & 1;
    if (!parser_good(p) || ranks == 0)
        parser_fail(p, "no ranks");
    else if (ranks > UINT32_MAX)
        parser_fail_with(p, PILGRIM_LIMIT, "more than 4294967295 ranks");
    const struct stored_column *threads = parse_column(c);
    if (!threads)
        return;
    v->rank_count = (uint32_t)ranks;
    v->threads = threads;
    if (!threads->rises || (threads->length != LENGTH_ANY && threads->length != ranks + 1) ||
        column_value(v, threads, 0, 0) != 0)
        parser_fail(p, "numbers of threads that do not begin with 0, fall, or are not one for each rank");
    else if (!threads_fit(v, threads))
        parser_fail_with(p, PILGRIM_LIMIT, "more than 4294967295 threads of a rank");
}

/* ---- group classes ---- */

/* Numbers the signatures of a value group. */
static void count_numbers(struct parser *p, struct stored_value_group *part)
{
    const struct stored_signature *signatures = p->shard->signatures;
    bool has_vector = false;
    for (uint32_t i = 0; i < part->count && parser_good(p); i++) {
        uint64_t count = signatures[part->signatures[i]].count;
        has_vector |= count > 1;
        part->has_unzipped |= signatures[part->signatures[i]].is_unzipped;
        part->needs_registers |= p->shard->shapes[signatures[part->signatures[i]].shape].needs_registers;
        part->has_posted |= p->shard->shapes[signatures[part->signatures[i]].shape].has_posted;
        part->follows |= p->shard->shapes[signatures[part->signatures[i]].shape].follows;
        if (count > INT64_MAX - part->call_count_limit)
            parser_fail(p, "2^63 values of a class or more");
        part->call_count_limit += count;
    }
    part->first = has_vector ? parser_take(p, part->count, sizeof *part->first) : NULL;
    for (uint32_t i = 1; part->first && i < part->count; i++)
        part->first[i] = part->first[i - 1] + signatures[part->signatures[i - 1]].count;
}

/* Reads a value group of function F. *LENGTH: the number of members that fits its columns. */
static void parse_value_group(struct calls_parser *c, struct stored_value_group *part, const struct stored_function *f,
                              uint64_t *length)
{
    struct parser *p = c->p;
    const struct shard *v = p->shard;
    part->sequence = parser_sequence(p);
    size_t count = parser_count(p, 1, "more signatures of a class than bytes");
    part->signatures = parser_take(p, count, sizeof *part->signatures);
    part->count = (uint32_t)count;
    *length = LENGTH_ANY;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        uint32_t number =
            parser_reference(p, v->signature_count, &c->next.signature, "a signature that does not exist");
        if (!parser_good(p))
            return;
        const struct stored_signature *s = &v->signatures[number];
        if (v->shapes[s->shape].value_count != f->value_count)
            parser_fail(p, "a shape that does not hold the values of its function");
        else if (f->is_loop && v->shapes[s->shape].tokens[0] != VALUE_INT)
            parser_fail(p, "trips of a loop that are no number");
        part->signatures[i] = number;
        *length = common_length(*length, s->length);
    }
    count_numbers(p, part);
    const struct rules_total total = rules_sequence_total(&v->rules, part->sequence);
    if (total.has_sums)
        parser_fail(p, "a sequence of values with sums");
    if (parser_good(p) && total.limit > part->call_count_limit)
        parser_fail(p, "a sequence of values with a signature that its class does not have");
}

static void parse_group_class(struct calls_parser *c, struct group_class *row)
{
    struct parser *p = c->p;
    const struct shard *v = p->shard;
    row->class = parser_reference(p, v->class_count, &c->next.class, "a call class that does not exist");
    uint64_t word = cursor_varint(&p->in);
    if (word > 0)
        row->partition =
            1 + parser_resolve(p, word - 1, v->partition_count, &c->next.partition, "a partition that does not exist");
    if (!parser_good(p))
        return;
    const struct member_index *partition = row->partition ? &v->partitions[row->partition - 1] : NULL;
    const struct stored_function *f = &v->functions[v->classes[row->class].function];
    size_t parts = partition ? partition->count : 1;
    if (parts > cursor_left(&p->in) / 2)
        parser_fail(p, "more value groups than bytes");
    row->value_groups = parser_take(p, parts, sizeof *row->value_groups);
    for (size_t i = 0; i < parts && parser_good(p); i++) {
        uint64_t length;
        parse_value_group(c, &row->value_groups[i], f, &length);
        if (partition && common_length(length, partition->sets[i].size) == LENGTH_NONE)
            parser_fail(p, "a column that is not as long as its value group");
        row->members = partition ? partition->total : length;
        uint64_t calls = rules_length(&v->rules, row->value_groups[i].sequence);
        row->calls = i == 0 || row->calls == calls ? calls : COUNT_NONE;
    }
}

static void parse_group_classes(struct calls_parser *c)
{
    struct shard *v = c->p->shard;
    size_t count = parser_count(c->p, 4, "more group classes than bytes");
    v->group_classes = parser_take(c->p, count, sizeof *v->group_classes);
    for (size_t i = 0; i < count && parser_good(c->p); i++)
        parse_group_class(c, &v->group_classes[i]);
    v->group_class_count = count;
}

/* ---- groups ---- */

/* Sets c->counts for the sequence of GROUP. */
static void count_calls(struct calls_parser *c, const struct stored_group *group)
{
    struct parser *p = c->p;
    const struct rules *rules = &p->shard->rules;
    uint64_t work = 0, length = rules_length(rules, group->sequence);
    if (c->counts && c->counted == group->sequence && c->count_number == group->class_count)
        return;
    uint64_t *counts = realloc(c->counts, ((size_t)group->class_count + 1) * sizeof *counts);
    if (counts)
        c->counts = counts;
    c->counted = group->sequence;
    c->count_number = group->class_count;
    if (!counts ||
        rules_count_terminals(rules, group->sequence, length, counts, group->class_count, &work) != PILGRIM_OK)
        parser_fail_with(p, PILGRIM_NOMEM, "not enough memory");
    parser_work(p, work);
}

static void check_group_class(struct calls_parser *c, const struct stored_group *group, uint32_t class_index)
{
    struct parser *p = c->p;
    const struct group_class *row = &p->shard->group_classes[group->classes[class_index]];
    if (common_length(row->members, column_size(group->members)) == LENGTH_NONE)
        parser_fail(p, row->partition ? "a partition that is not as long as its group"
                                      : "a column that is not as long as its value group");
    else if (!(group->loop_count > 0 && c->loops.inside[class_index]) && row->calls != c->counts[class_index])
        parser_fail(p, "more or fewer values than calls of a class");
}

/* Reads the loop at CLASS_INDEX of GROUP, the next of COUNT loops. */
static void parse_loop(struct calls_parser *c, struct stored_group *group, uint32_t class_index, size_t count)
{
    struct parser *p = c->p;
    uint64_t body = parser_sequence(p);
    if (group->is_process)
        parser_fail(p, "a loop in a process stream");
    if (body == 0)
        parser_fail(p, "a loop without a body");
    if (!group->loops)
        group->loops = parser_take(p, count - class_index, sizeof *group->loops);
    if (parser_good(p))
        group->loops[group->loop_count++] = (struct stored_loop){.class_index = class_index, .body = body};
}

/* Returns how many of the LENGTH terminals counted in COUNTS are calls. *LOOP: 1 + the class index of the last loop
 * among them, or 0. */
static uint64_t count_no_loops(const struct stored_group *group, const uint64_t *counts, uint64_t length,
                               uint32_t *loop)
{
    *loop = 0;
    for (uint32_t i = 0; i < group->loop_count; i++) {
        length -= counts[group->loops[i].class_index];
        if (counts[group->loops[i].class_index] > 0)
            *loop = group->loops[i].class_index + 1;
    }
    return length;
}

/* Counts the classes in the body of LOOP. The counts depend on the body alone, so one count suffices. */
static void check_body(struct calls_parser *c, const struct stored_group *group, struct stored_loop *loop)
{
    struct parser *p = c->p;
    const struct rules *rules = &p->shard->rules;
    uint64_t work = 0, length = rules_length(rules, loop->body);
    uint32_t last;
    const struct rules_total total = rules_sequence_total(rules, loop->body);
    if (total.has_sums || total.limit > group->class_count) {
        parser_fail(p, total.has_sums ? "a loop whose body is one of differences"
                                      : "a loop with a class that its group does not have");
        return;
    }
    if (rules_count_terminals(rules, loop->body, length, c->loops.body, group->class_count, &work) != PILGRIM_OK)
        parser_fail_with(p, PILGRIM_NOMEM, "not enough memory");
    parser_work(p, work + group->class_count);
    loop->calls = count_no_loops(group, c->loops.body, length, &last);
    loop->has_loops = last > 0;
    if (last > loop->class_index)
        parser_fail(p, "a loop with a loop that does not come before");
    for (uint32_t i = 0; i < group->class_count; i++)
        c->loops.inside[i] |= c->loops.body[i] > 0;
}

static void check_loops(struct calls_parser *c, const struct stored_group *group)
{
    size_t count = (size_t)group->class_count + 1;
    free(c->loops.body);
    free(c->loops.inside);
    c->loops.body = malloc(count * sizeof *c->loops.body);
    c->loops.inside = calloc(count, sizeof *c->loops.inside);
    if (!c->loops.body || !c->loops.inside)
        parser_fail_with(c->p, PILGRIM_NOMEM, "not enough memory");
    for (uint32_t i = 0; i < group->loop_count && parser_good(c->p); i++)
        check_body(c, group, &group->loops[i]);
}

static void parse_group(struct calls_parser *c, struct stored_group *group)
{
    struct parser *p = c->p;
    const struct shard *v = p->shard;
    uint64_t word = cursor_varint(&p->in);
    if (parser_good(p) && !rules_have(&v->rules, word >> 1))
        parser_fail(p, "a sequence that does not exist");
    size_t count = parser_count(p, 1, "more classes of a group than bytes");
    group->classes = parser_take(p, count, sizeof *group->classes);
    group->sequence = word >> 1;
    group->is_process = word & 1;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        group->classes[i] =
            parser_reference(p, v->group_class_count, &c->next.group_class, "a group class that does not exist");
        if (parser_good(p) && class_is_loop(v, group->classes[i]))
            parse_loop(c, group, (uint32_t)i, count);
    }
    group->class_count = (uint32_t)count;
    group->members = parse_members(c, "members of a group that do not increase");
    if (!parser_good(p))
        return;
    const struct rules_total total = rules_sequence_total(&v->rules, group->sequence);
    if (total.has_sums) {
        parser_fail(p, "a sequence of calls with sums");
        return;
    }
    if (total.limit > count) {
        parser_fail(p, "a sequence of calls with a class that its group does not have");
        return;
    }
    count_calls(c, group);
    if (!parser_good(p))
        return;
    uint32_t last;
    group->calls = count_no_loops(group, c->counts, rules_length(&v->rules, group->sequence), &last);
    if (group->loop_count > 0)
        check_loops(c, group);
    for (uint32_t i = 0; i < group->class_count && parser_good(p); i++)
        check_group_class(c, group, i);
}

/* Indexes the groups of process streams, or the other groups. */
static void index_streams(struct parser *p, bool process, struct member_index *cover, uint64_t total, const char *what)
{
    const struct shard *v = p->shard;
    size_t count = 0;
    for (size_t i = 0; i < v->group_count; i++)
        count += v->groups[i].is_process == process;
    cover->sets = parser_take(p, count, sizeof *cover->sets);
    for (size_t i = 0; i < v->group_count && parser_good(p); i++)
        if (v->groups[i].is_process == process)
            member_index_add(cover, v->groups[i].members, (uint32_t)i);
    member_index_parse(p, cover, total, what);
}

static void parse_groups(struct calls_parser *c)
{
    struct parser *p = c->p;
    struct shard *v = p->shard;
    size_t count = parser_count(p, 3, "more groups than bytes");
    v->groups = parser_take(p, count, sizeof *v->groups);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_group(c, &v->groups[i]);
    v->group_count = count;
    if (!parser_good(p))
        return;
    index_streams(p, true, &v->processes, v->rank_count, "groups that do not hold each rank once");
    index_streams(p, false, &v->thread_groups, (uint64_t)column_last(v, v->threads),
                  "groups that do not hold each thread once");
}

void calls_parse(struct parser *p)
{
    static void (*const parts[])(struct calls_parser *) = {parse_signatures, parse_partitions, parse_ranks,
                                                           parse_group_classes, parse_groups};
    struct calls_parser c = {.p = p};
    parse_rules(p);
    columns_parse(p);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && parser_good(p); i++)
        parts[i](&c);
    free(c.loops.body);
    free(c.loops.inside);
    free(c.counts);
}
