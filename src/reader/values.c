/* The values: columns, signatures, value groups, and the times beside them; docs/FORMAT.md, sections 5 and 6.
 *
 * Lists of signatures may name the same signature any number of times, so each signature is judged once, when its entry is
 * read, and a list then costs constant time an entry. */
#include <string.h>

#include "base/value.h"
#include "reader/trace.h"
#include "timing/timing.h"

#define TIME_CODE_COUNT 7424 /* docs/FORMAT.md, section 6 */

static int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* ---- columns ---- */

static void parse_pieces(struct parser *p, struct column *column)
{
    size_t count = parser_count(p, 2, "more runs of a column than bytes");
    struct piece *pieces = parser_take(p, count, sizeof *pieces);
    uint64_t end = 0;
    int64_t before = 0;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        int64_t first = wrapping_add(before, cursor_svarint(&p->in));
        uint64_t more = cursor_varint(&p->in);
        int64_t step = more ? cursor_svarint(&p->in) : 0;
        if (parser_good(p) && more >= INT64_MAX - end) {
            parser_fail(p, "a column of 2^63 values");
            return;
        }
        pieces[i] = (struct piece){.start = end, .first = first, .step = step};
        before = (int64_t)((uint64_t)first + (uint64_t)step * more);
        end += more + 1;
    }
    column->pieces = pieces;
    column->count = count;
    column->length = end;
}

static void parse_list(struct parser *p, struct column *column)
{
    size_t count = parser_count(p, 1, "more values of a column than bytes");
    int64_t *list = parser_take(p, count, sizeof *list);
    int64_t before = 0;
    for (size_t i = 0; i < count && parser_good(p); i++)
        list[i] = before = wrapping_add(before, cursor_svarint(&p->in));
    column->list = list;
    column->length = count;
}

static void parse_columns(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more columns than bytes");
    t->columns = parser_take(p, count, sizeof *t->columns);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        struct column *column = &t->columns[i];
        column->kind = (enum column_kind)parser_index(p, COLUMN_KIND_COUNT, "a column of unknown kind");
        column->length = LENGTH_ANY;
        if (column->kind == COLUMN_PIECES)
            parse_pieces(p, column);
        else if (column->kind == COLUMN_LIST)
            parse_list(p, column);
        else
            column->constant = cursor_svarint(&p->in);
    }
    if (!parser_good(p))
        parser_fail(p, "a column that is not complete");
    t->column_count = count;
}

/* ---- signatures ---- */

static void parse_signature(struct parser *p, struct signature *s)
{
    const struct pilgrim_trace *t = p->trace;
    s->shape = parser_index(p, t->shape_count, "a shape that does not exist");
    if (!parser_good(p))
        return;
    uint32_t slots = t->shapes[s->shape].slot_count;
    if (slots > cursor_left(&p->in)) {
        parser_fail(p, "a signature that is not complete");
        return;
    }
    s->columns = p->in.data + p->in.position;
    s->length = LENGTH_ANY;
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t column = parser_index(p, t->column_count, "a column that does not exist");
        if (!parser_good(p))
            return;
        uint64_t length = t->columns[column].length;
        if (s->length == LENGTH_ANY)
            s->length = length;
        else if (length != LENGTH_ANY && length != s->length)
            s->length = LENGTH_NONE;
    }
}

static void parse_signatures(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 1, "more signatures than bytes");
    t->signatures = parser_take(p, count, sizeof *t->signatures);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_signature(p, &t->signatures[i]);
    t->signature_count = count;
}

/* ---- value groups ---- */

static void parse_partition(struct parser *p, struct partition *partition)
{
    uint64_t length = cursor_varint(&p->in);
    uint64_t parts = cursor_varint(&p->in);
    if (!parser_good(p) || parts < 2 || parts > UINT32_MAX) {
        parser_fail(p, "a partition with a wrong number of parts");
        return;
    }
    parser_runs(p, length, parts, &partition->runs);
    if (!parser_good(p))
        return;
    /* A part without members is of no use; without this check a few bytes could announce any number of them. */
    if (parts > partition->runs.count) {
        parser_fail(p, "a partition with empty parts");
        return;
    }
    partition->parts = (uint32_t)parts;
    partition->sizes = parser_take(p, (size_t)parts, sizeof *partition->sizes);
    if (!partition->sizes)
        return;
    runs_rank(&partition->runs, partition->sizes);
    for (uint32_t i = 0; i < partition->parts; i++)
        if (partition->sizes[i] == 0)
            parser_fail(p, "a partition with empty parts");
}

static void parse_partitions(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 3, "more partitions than bytes");
    t->partitions = parser_take(p, count, sizeof *t->partitions);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_partition(p, &t->partitions[i]);
    t->partition_count = count;
}

/* A part with MEMBERS members that each call function F CALLS times. */
static void parse_part(struct parser *p, struct part *part, const struct function *f, uint64_t members, uint64_t calls)
{
    const struct pilgrim_trace *t = p->trace;
    part->sequence = parser_index(p, t->sequence_count, "a sequence that does not exist");
    size_t count = parser_count(p, 1, "more signatures of a class than bytes");
    part->signatures = parser_take(p, count, sizeof *part->signatures);
    part->signature_count = (uint32_t)count;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        part->signatures[i] = parser_index(p, t->signature_count, "a signature that does not exist");
        if (!parser_good(p))
            return;
        const struct signature *s = &t->signatures[part->signatures[i]];
        if (t->shapes[s->shape].value_count != f->value_count)
            parser_fail(p, "a shape that does not hold the values of its function");
        else if (s->length != LENGTH_ANY && s->length != members)
            parser_fail(p, "a column that is not as long as its value group");
    }
    if (!parser_good(p))
        return;
    const struct pilgrim_grammar *g = &t->sequences[part->sequence];
    if (g->terminal_limit > count)
        parser_fail(p, "a sequence of values with a signature that its class does not have");
    else if (pilgrim_grammar_length(g) != calls)
        parser_fail(p, "more or fewer values than calls of a class");
}

static void parse_group_class(struct parser *p, const struct group *group, uint32_t place)
{
    const struct pilgrim_trace *t = p->trace;
    struct group_class *c = &group->classes[place];
    const struct pilgrim_grammar *structure = &t->sequences[group->sequence];
    uint64_t calls = place < structure->terminal_limit ? structure->counts[place] : 0;
    c->partition = parser_index(p, t->partition_count + 1, "a partition that does not exist");
    if (!parser_good(p))
        return;
    const struct partition *partition = c->partition ? &t->partitions[c->partition - 1] : NULL;
    if (partition && partition->runs.length != group->members) {
        parser_fail(p, "a partition that is not as long as its group");
        return;
    }
    uint32_t parts = partition ? partition->parts : 1;
    if (parts > cursor_left(&p->in) / 2) {
        parser_fail(p, "more value groups than bytes");
        return;
    }
    c->parts = parser_take(p, parts, sizeof *c->parts);
    const struct function *f = &t->functions[t->classes[c->class].function];
    for (uint32_t i = 0; i < parts && parser_good(p); i++)
        parse_part(p, &c->parts[i], f, partition ? partition->sizes[i] : group->members, calls);
}

void values_parse(struct parser *p)
{
    parse_columns(p);
    parse_signatures(p);
    parse_partitions(p);
    const struct pilgrim_trace *t = p->trace;
    for (size_t i = 0; i < t->group_count && parser_good(p); i++)
        for (uint32_t k = 0; k < t->groups[i].class_count && parser_good(p); k++)
            parse_group_class(p, &t->groups[i], k);
}

/* ---- times ---- */

static uint64_t parse_time(struct parser *p)
{
    unsigned code = cursor_u8(&p->in);
    code |= (unsigned)cursor_u8(&p->in) << 8;
    if (!parser_good(p) || code >= TIME_CODE_COUNT) {
        parser_fail(p, "a time that does not exist");
        return 0;
    }
    return timing_decode((uint16_t)code);
}

void times_parse(struct parser *p)
{
    const struct pilgrim_trace *t = p->trace;
    for (size_t i = 0; i < t->group_count && parser_good(p); i++) {
        for (uint32_t k = 0; k < t->groups[i].class_count && parser_good(p); k++) {
            struct group_class *c = &t->groups[i].classes[k];
            c->mean_ns = parse_time(p);
            c->min_ns = parse_time(p);
            c->max_ns = parse_time(p);
        }
    }
}
