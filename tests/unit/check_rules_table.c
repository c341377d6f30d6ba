/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests tables of rules, and blocks: every field is read as FORMAT.md says; walks, skips, sums and positions agree with
 * the drawn values; and damaged tables are refused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rules/rules_uses.h"
#include "rules/rules_walk.h"
#include "trials.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof *(a))

/* A symbol's word as in FORMAT.md. */
#define T(value)      ((value) << 2)
#define T_RUN(value)  ((value) << 2 | 2)
#define R(number)     ((number) << 2 | 1)
#define R_RUN(number) ((number) << 2 | 3)

#define FORM(width) (width) << 2
#define PLANES      2
#define SUMS        1
#define BASE_62     0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f /* 2^62 - 1 */
#define BASE_61     0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40 /* 2^61 */

#define MORE(exponent) ((exponent)-2) << 1
#define RAMP(count)    (((count)-2) << 1 | 1)

/* 0: 5 6 7 8 0 0; 1: (rule 0)^3 2; 2: 4^3; 3: (rule 2)^2 6 */
static const uint8_t table[] = {4,    2, T_RUN(5), RAMP(4), T_RUN(0), MORE(2),  2,       R_RUN(0), MORE(3),
                                T(2), 1, T_RUN(4), MORE(3), 2,        R_RUN(2), MORE(2), T(6)};

static enum pilgrim_status parse_table(const void *data, size_t length, uint64_t budget, struct rules *r)
{
    struct cursor c;
    cursor_init(&c, data, length);
    enum pilgrim_status status = rules_parse_table(&c, &budget, r);
    if (status == PILGRIM_OK && cursor_left(&c) > 0)
        ck_abort_msg("not all of it was read");
    if (status != PILGRIM_OK &&
        (r->first || r->symbols || r->total || r->marks || r->blocks || r->block_marks || r->rule_count))
        ck_abort_msg("something is left after an error");
    return status;
}

/* Walks SEQUENCE; its terminals are EXPECTED. */
static void expect_sequence(const struct rules *r, uint64_t sequence, const uint64_t *expected, size_t length)
{
    uint64_t terminal;
    ck_assert_uint_eq(rules_length(r, sequence), length);
    for (size_t skip = 0; skip <= length; skip++) {
        struct rules_cursor c;
        ck_assert_int_eq(rules_cursor_init(&c, r, sequence), PILGRIM_OK);
        ck_assert_uint_eq(rules_cursor_skip(&c, skip), skip);
        for (size_t i = skip; i < length; i++) {
            ck_assert(rules_cursor_next(&c, &terminal));
            ck_assert_uint_eq(terminal, expected[i]);
        }
        ck_assert(!rules_cursor_next(&c, &terminal));
        ck_assert_uint_eq(rules_cursor_skip(&c, 1), 0);
        rules_cursor_free(&c);
    }
}

START_TEST(table_fields)
{
    static const uint64_t expected[] = {5, 6, 7, 8, 0, 0, 5, 6, 7, 8, 0, 0, 5, 6, 7, 8, 0, 0, 2};
    static const uint64_t differences[] = {4, 4, 4, 4, 4, 4, 6};
    struct rules r;
    ck_assert_int_eq(parse_table(table, sizeof table, UINT64_MAX, &r), PILGRIM_OK);
    expect_sequence(&r, 0, NULL, 0);
    expect_sequence(&r, 2 * 77 + 1, (uint64_t[]){77}, 1);
    expect_sequence(&r, RULES_SEQUENCE(0), expected, 6);
    expect_sequence(&r, RULES_SEQUENCE(1), expected, 19);
    expect_sequence(&r, RULES_SEQUENCE(3), differences, 7);
    ck_assert(rules_have(&r, RULES_SEQUENCE(3)) && !rules_have(&r, RULES_SEQUENCE(4)) && rules_have(&r, UINT64_MAX));
    ck_assert(!rules_have(&r, UINT64_MAX - 1));
    const struct rules_total ramp = rules_sequence_total(&r, RULES_SEQUENCE(1));
    ck_assert(ramp.has_ramp && ramp.limit == 9 && ramp.depth == 2);
    const struct rules_total sums = rules_sequence_total(&r, RULES_SEQUENCE(3));
    ck_assert(!sums.has_ramp && sums.rises && sums.increases && sums.sum == 15 && sums.limit == 7);
    const struct rules_total single = rules_sequence_total(&r, 2 * 3 + 1);
    ck_assert(single.sum == -2 && single.limit == 4 && !single.rises && single.length == 1);
    uint64_t counts[10], work;
    static const uint64_t times[] = {6, 0, 1, 0, 0, 3, 3, 3, 3};
    ck_assert_int_eq(rules_count_terminals(&r, RULES_SEQUENCE(1), 19, counts, 9, &work), PILGRIM_OK);
    for (size_t i = 0; i < 9; i++)
        ck_assert_uint_eq(counts[i], times[i]);
    struct rules_use *uses;
    size_t use_count;
    ck_assert_int_eq(rules_uses(&r, RULES_SEQUENCE(3), &uses, &use_count), PILGRIM_OK);
    ck_assert_uint_eq(use_count, 2);
    ck_assert(uses[0].rule == 3 && uses[0].times == 1 && uses[1].rule == 2 && uses[1].times == 2);
    free(uses);
    rules_free(&r);
}
END_TEST

/* The terminals of every beginning of every sequence. */
START_TEST(beginnings_counted)
{
    struct rules r;
    uint64_t counts[10], times[10], work, terminal;
    ck_assert_int_eq(parse_table(table, sizeof table, UINT64_MAX, &r), PILGRIM_OK);
    for (uint64_t sequence = 0; sequence <= RULES_SEQUENCE(3); sequence++) {
        if (rules_sequence_total(&r, sequence).limit > 9)
            continue;
        struct rules_cursor c;
        ck_assert_int_eq(rules_cursor_init(&c, &r, sequence), PILGRIM_OK);
        memset(times, 0, sizeof times);
        for (uint64_t count = 0; count <= rules_length(&r, sequence); count++) {
            ck_assert_int_eq(rules_count_terminals(&r, sequence, count, counts, 9, &work), PILGRIM_OK);
            ck_assert_mem_eq(counts, times, sizeof times);
            if (rules_cursor_next(&c, &terminal))
                times[terminal]++;
        }
        rules_cursor_free(&c);
    }
    rules_free(&r);
}
END_TEST

static const struct {
    const char *what;
    enum pilgrim_status status;
    size_t length;
    uint8_t data[40];
} bad_tables[] = {
    {"nothing", PILGRIM_TRUNCATED, 0, {0}},
    {"more rules than bytes", PILGRIM_DAMAGED, 4, {2, 1, T(0), 1}},
    {"a rule of itself", PILGRIM_DAMAGED, 3, {1, 1, R(0)}},
    {"a rule that comes later", PILGRIM_DAMAGED, 5, {2, 1, R(1), 1, T(0)}},
    {"a ramp of a rule", PILGRIM_DAMAGED, 6, {2, 1, T(0), 1, R_RUN(0), RAMP(3)}},
    {"a product of 2^63",
     PILGRIM_DAMAGED,
     16,
     {2, 2, T(0), T(1), 1, R_RUN(0), 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0}},
    {"an exponent missing", PILGRIM_TRUNCATED, 3, {1, 1, T_RUN(0)}},
    {"a block of none", PILGRIM_DAMAGED, 7, {1, 0, 0, FORM(4), 0, 0, 0}},
    {"a block of one", PILGRIM_DAMAGED, 7, {1, 0, 1, FORM(4), 0, 1, 0}},
    {"a block of 65537", PILGRIM_DAMAGED, 10, {1, 0, 0x81, 0x80, 4, FORM(4), 0, 0x12, 0x34, 0x56}},
    {"a block of 2^62",
     PILGRIM_DAMAGED,
     14,
     {1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, FORM(4), 0, 0}},
    {"a width of 0", PILGRIM_DAMAGED, 6, {1, 0, 2, FORM(0), 0, 0}},
    {"a width of 63", PILGRIM_DAMAGED, 21, {1, 0, 2, FORM(63), 0, 1}},
    {"planes of 12 bits", PILGRIM_DAMAGED, 8, {1, 0, 2, FORM(12) | PLANES, 0, 1, 2, 3}},
    {"planes of 0 bits", PILGRIM_DAMAGED, 6, {1, 0, 2, PLANES, 0, 1}},
    {"a number missing", PILGRIM_TRUNCATED, 7, {1, 0, 4, FORM(5), 0, 0xff, 0xff}},
    {"a plane missing", PILGRIM_TRUNCATED, 7, {1, 0, 2, FORM(16) | PLANES, 0, 0xff, 0xff}},
    {"no base", PILGRIM_TRUNCATED, 4, {1, 0, 2, FORM(4)}},
    {"no form", PILGRIM_TRUNCATED, 3, {1, 0, 2}},
    {"a bit that is left over", PILGRIM_DAMAGED, 7, {1, 0, 3, FORM(5), 0, 0xff, 0xff}},
    {"a base that is not as short as it can be", PILGRIM_DAMAGED, 8, {1, 0, 2, FORM(4), 0x80, 0, 0x11, 0}},
    {"a negative terminal", PILGRIM_DAMAGED, 6, {1, 0, 2, FORM(4), 3, 0x12}},
    {"a terminal of 2^62", PILGRIM_DAMAGED, 14, {1, 0, 2, FORM(4), BASE_62, 0x10}},
    {"a base of -2^63",
     PILGRIM_DAMAGED,
     15,
     {1, 0, 2, FORM(4), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}},
    {"a difference of 2^61",
     PILGRIM_DAMAGED,
     22,
     {1, 0, 2, FORM(62) | SUMS, 0, 1, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 8, 0}},
    {"a first difference of 2^61", PILGRIM_DAMAGED, 14, {1, 0, 2, FORM(4) | SUMS, BASE_61, 0}},
};

/* Their valid neighbours. */
static const struct {
    const char *what;
    size_t length;
    uint8_t data[40];
    uint64_t terminals[3];
} good_blocks[] = {
    {"two of 4 bits", 6, {1, 0, 2, FORM(4), 1, 0x21}, {0, 1}},
    {"bits that are left over", 7, {1, 0, 3, FORM(5), 0, 0xff, 0x7f}, {31, 31, 31}},
    {"planes", 9, {1, 0, 2, FORM(16) | PLANES, 0, 1, 2, 3, 4}, {0x301, 0x402}},
    {"sums", 7, {1, 0, 3, FORM(4) | SUMS, 3, 0x72, 0x05}, {0, 10, 3}},
    {"a terminal of 2^62 - 1",
     14,
     {1, 0, 2, FORM(4), BASE_62, 0x00},
     {(UINT64_C(1) << 62) - 1, (UINT64_C(1) << 62) - 1}},
};

START_TEST(blocks_accepted)
{
    struct rules r;
    size_t count = good_blocks[_i].data[2];
    enum pilgrim_status status = parse_table(good_blocks[_i].data, good_blocks[_i].length, UINT64_MAX, &r);
    ck_assert_msg(status == PILGRIM_OK, "%s: status %d", good_blocks[_i].what, status);
    expect_sequence(&r, RULES_SEQUENCE(0), good_blocks[_i].terminals, count);
    ck_assert_uint_eq(rules_first(&r, RULES_SEQUENCE(0)), good_blocks[_i].terminals[0]);
    rules_free(&r);
}
END_TEST

START_TEST(tables_refused)
{
    struct rules r;
    enum pilgrim_status status = parse_table(bad_tables[_i].data, bad_tables[_i].length, UINT64_MAX, &r);
    ck_assert_msg(status == bad_tables[_i].status, "%s: status %d", bad_tables[_i].what, status);
}
END_TEST

START_TEST(table_within_budget)
{
    struct rules r;
    uint64_t enough = 0;
    while (parse_table(table, sizeof table, enough, &r) == PILGRIM_LIMIT)
        enough++;
    rules_free(&r);
    ck_assert_uint_gt(enough, sizeof table);
    ck_assert_uint_lt(enough, 100 * sizeof table);
}
END_TEST

static uint64_t drawn;

static uint64_t draw_below(uint64_t limit)
{
    drawn = drawn * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (drawn >> 33) % limit;
}

enum { RULES = 12, SYMBOLS_MAX = 100, EXPANSION_MAX = 40000 };

enum { BLOCK_MAX = 700 };

/* Makes a block of random differences, from 2 to BLOCK_MAX, in any form, packed bit by bit. */
static void draw_block(struct bytes *b, bool increasing, uint64_t *expanded, size_t *length)
{
    size_t count = 2 + draw_below(draw_below(3) ? 20 : BLOCK_MAX - 1);
    bool sums = draw_below(2), planes = draw_below(2);
    unsigned bits = increasing ? 6 : 1 + (unsigned)draw_below(draw_below(4) ? 12 : 60);
    int64_t values[BLOCK_MAX + 1], sum = 0, low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        uint64_t code = (draw_below(UINT64_C(1) << 30) << 30 | draw_below(UINT64_C(1) << 30)) >> (60 - bits);
        if (increasing)
            code = 2 * code + 2;
        sum += unzigzag(code);
        if (sum > INT64_MAX >> 3 || sum < -(INT64_MAX >> 3)) {
            sum -= unzigzag(code);
            code = 0;
        }
        expanded[i] = code;
        values[i] = sums ? sum : (int64_t)code;
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    low -= (int64_t)draw_below(2) * (low > 0);
    unsigned width = 1;
    while ((uint64_t)(high - low) >> width)
        width++;
    width += (unsigned)draw_below(2) * (width < 62);
    planes &= width <= 56;
    if (planes)
        width = (width + 7) / 8 * 8;
    const uint8_t form = (uint8_t)(FORM(width) | (planes ? PLANES : 0) | (sums ? SUMS : 0));
    bytes_put_varint(b, 0);
    bytes_put_varint(b, count);
    bytes_put_u8(b, form);
    bytes_put_svarint(b, low);
    uint8_t *to = bytes_reserve(b, (count * width + 7) / 8);
    memset(to, 0, (count * width + 7) / 8);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < width; k++) {
            size_t at = planes ? 8 * (k / 8 * count + i) + k % 8 : i * width + k;
            to[at / 8] |= (uint8_t)(((uint64_t)(values[i] - low) >> k & 1) << at % 8);
        }
    b->length += (count * width + 7) / 8;
    *length = count;
}

/* Makes rules of differences, long and short, each of earlier rules, and blocks. EXPANDED: their expansions. Without
 * INCREASING, differences have any sign. */
static void draw_table(struct bytes *b, bool increasing, uint64_t *expanded[RULES], size_t *lengths)
{
    bytes_put_varint(b, RULES);
    for (uint32_t i = 0; i < RULES; i++) {
        size_t symbols = 1 + draw_below(i % 3 ? 5 : SYMBOLS_MAX);
        expanded[i] = calloc(EXPANSION_MAX + SYMBOLS_MAX, sizeof **expanded); /* a symbol stands for one at least */
        lengths[i] = 0;
        if (draw_below(4) == 0) {
            draw_block(b, increasing, expanded[i], &lengths[i]);
            continue;
        }
        bytes_put_varint(b, symbols);
        for (size_t s = 0; s < symbols; s++) {
            bool is_rule = i > 0 && draw_below(3) == 0;
            uint64_t value = is_rule ? draw_below(i) : increasing ? 2 + 2 * draw_below(50) : draw_below(9);
            size_t one = is_rule ? lengths[value] : 1, exponent = draw_below(3) ? 1 : 2 + draw_below(4);
            if (lengths[i] + one * exponent > EXPANSION_MAX) {
                is_rule = false;
                value = 2;
                one = 1;
                exponent = 1;
            }
            bytes_put_varint(b, value << 2 | (exponent > 1 ? 2 : 0) | is_rule);
            if (exponent > 1)
                bytes_put_varint(b, (exponent - 2) << 1);
            for (size_t k = 0; k < exponent; k++, lengths[i] += one)
                for (size_t j = 0; j < one; j++)
                    expanded[i][lengths[i] + j] = is_rule ? expanded[value][j] : value;
        }
    }
}

/* Compares sums and positions with those added up one by one. */
START_TEST(sums_and_places)
{
    drawn = (uint64_t)_i + 1;
    struct bytes b = {0};
    struct rules r;
    uint64_t *expanded[RULES], place;
    size_t lengths[RULES];
    bool increasing = _i % 2;
    draw_table(&b, increasing, expanded, lengths);
    ck_assert_int_eq(parse_table(b.data, b.length, UINT64_MAX, &r), PILGRIM_OK);
    for (uint32_t i = 0; i < RULES; i++) {
        const struct rules_total total = rules_sequence_total(&r, RULES_SEQUENCE(i));
        int64_t sum = 0;
        ck_assert_uint_eq(total.length, lengths[i]);
        ck_assert(!increasing || total.increases);
        for (size_t k = 0; k <= lengths[i]; k++) {
            if (rules_sum(&r, RULES_SEQUENCE(i), k) != sum)
                ck_abort_msg("sum of %zu", k);
            if (increasing && (!rules_find_sum(&r, RULES_SEQUENCE(i), (uint64_t)sum, &place) || place != k))
                ck_abort_msg("place of sum %zu", k);
            int64_t after = k < lengths[i] ? sum + unzigzag(expanded[i][k]) : sum + 5;
            for (int64_t between = sum + 1; increasing && between < after; between++)
                if (rules_find_sum(&r, RULES_SEQUENCE(i), (uint64_t)between, &place))
                    ck_abort_msg("a place between %zu and the next", k);
            sum = k < lengths[i] ? after : sum;
        }
        ck_assert_int_eq(total.sum, sum);
    }
    for (uint32_t i = 0; i < RULES; i++)
        free(expanded[i]);
    rules_free(&r);
    bytes_free(&b);
}
END_TEST

/* Checks each rule's terminals, from any position on, walked or with skips, and their counts. */
START_TEST(blocks_walked)
{
    enum { LIMIT = 5000 };
    drawn = (uint64_t)_i + 100;
    struct bytes b = {0};
    struct rules r;
    uint64_t *expanded[RULES], terminal, work;
    static uint64_t counts[LIMIT + 1], times[LIMIT + 1];
    size_t lengths[RULES];
    draw_table(&b, _i % 2, expanded, lengths);
    ck_assert_int_eq(parse_table(b.data, b.length, UINT64_MAX, &r), PILGRIM_OK);
    for (uint32_t i = 0; i < RULES; i++) {
        const struct rules_total total = rules_sequence_total(&r, RULES_SEQUENCE(i));
        uint64_t limit = 0;
        ck_assert_uint_eq(rules_first(&r, RULES_SEQUENCE(i)), expanded[i][0]);
        for (size_t k = 0; k < lengths[i]; k++)
            limit = expanded[i][k] >= limit ? expanded[i][k] + 1 : limit;
        ck_assert_uint_eq(total.limit, limit);
        for (unsigned round = 0; round < 30; round++) {
            struct rules_cursor c;
            size_t at = 0;
            ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(i)), PILGRIM_OK);
            while (at < lengths[i]) {
                size_t jump = draw_below(3) ? draw_below(5) : draw_below(lengths[i] + 1);
                jump = round == 0 ? 0 : jump < lengths[i] - at ? jump : lengths[i] - at;
                if (rules_cursor_skip(&c, jump) != jump)
                    ck_abort_msg("skip");
                at += jump;
                for (size_t steps = 1 + draw_below(10); steps > 0 && at < lengths[i]; steps--, at++)
                    if (!rules_cursor_next(&c, &terminal) || terminal != expanded[i][at])
                        ck_abort_msg("terminal %zu of rule %u", at, i);
            }
            ck_assert(!rules_cursor_next(&c, &terminal));
            rules_cursor_free(&c);
        }
        for (unsigned round = 0; round < 10 && total.limit <= LIMIT; round++) {
            size_t count = round == 0 ? lengths[i] : draw_below(lengths[i] + 1);
            memset(times, 0, sizeof times);
            for (size_t k = 0; k < count; k++)
                times[expanded[i][k]]++;
            ck_assert_int_eq(rules_count_terminals(&r, RULES_SEQUENCE(i), count, counts, LIMIT, &work), PILGRIM_OK);
            if (memcmp(counts, times, LIMIT * sizeof *counts) != 0)
                ck_abort_msg("how often");
        }
    }
    for (uint32_t i = 0; i < RULES; i++)
        free(expanded[i]);
    rules_free(&r);
    bytes_free(&b);
}
END_TEST

/* A block of 2^16 terminals is the longest one. Parsing a table with blocks stays within its budget, too. */
START_TEST(largest_block)
{
    struct bytes b = {0};
    struct rules r;
    uint64_t enough = 0, terminal;
    static const uint8_t head[] = {1, 0, 0x80, 0x80, 4, FORM(1), 0};
    bytes_put(&b, head, sizeof head);
    for (size_t i = 0; i < 65536 / 8; i++)
        bytes_put_u8(&b, 0x80);
    while (parse_table(b.data, b.length, enough, &r) == PILGRIM_LIMIT)
        enough++;
    ck_assert_uint_lt(enough, 2 * b.length);
    struct rules_cursor c;
    ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    ck_assert_uint_eq(rules_cursor_skip(&c, 65535), 65535);
    ck_assert(rules_cursor_next(&c, &terminal) && terminal == 1);
    ck_assert(!rules_cursor_next(&c, &terminal));
    ck_assert_int_eq(rules_sum(&r, RULES_SEQUENCE(0), 65535), -8191); /* code 1 is -1 */
    rules_cursor_free(&c);
    rules_free(&r);
    bytes_free(&b);
}
END_TEST

/* If changed bytes are a table again, it can be walked, counted and searched without harm. */
static void use_table(const struct rules *r)
{
    for (uint32_t i = 0; i < r->rule_count; i++) {
        uint64_t sequence = RULES_SEQUENCE(i), terminal, place, walked = 0, counts[257], work;
        const struct rules_total total = rules_sequence_total(r, sequence);
        struct rules_cursor c;
        if (rules_cursor_init(&c, r, sequence) != PILGRIM_OK)
            ck_abort_msg("no memory");
        while (walked < 100 && rules_cursor_next(&c, &terminal))
            walked++;
        if (walked + rules_cursor_skip(&c, UINT64_MAX) != total.length)
            ck_abort_msg("length");
        rules_cursor_free(&c);
        if (rules_sum(r, sequence, total.length) != total.sum && !total.has_ramp)
            ck_abort_msg("sum");
        if (total.increases && (!rules_find_sum(r, sequence, (uint64_t)total.sum, &place) || place != total.length))
            ck_abort_msg("place");
        if (total.limit > 256)
            continue;
        if (rules_count_terminals(r, sequence, total.length, counts, 256, &work) != PILGRIM_OK)
            ck_abort_msg("no memory");
        for (size_t k = 0; k < 256; k++)
            walked = k ? walked + counts[k] : counts[0];
        if (walked != total.length)
            ck_abort_msg("terminals do not add up");
    }
}

START_TEST(tables_changed)
{
    struct bytes b = {0};
    uint64_t *expanded[RULES];
    size_t lengths[RULES];
    unsigned accepted = 0;
    drawn = 7;
    draw_table(&b, false, expanded, lengths);
    for (size_t i = 0; i < b.length; i++) {
        uint8_t was = b.data[i];
        for (unsigned change = 1; change < 256; change += 1 + change % 5) {
            struct rules r;
            b.data[i] = (uint8_t)(was ^ change);
            struct cursor c;
            uint64_t budget = 1 << 20;
            cursor_init(&c, b.data, b.length);
            if (rules_parse_table(&c, &budget, &r) == PILGRIM_OK) {
                use_table(&r);
                rules_free(&r);
                accepted++;
            }
        }
        b.data[i] = was;
    }
    ck_assert_uint_gt(accepted, 0);
    for (uint32_t i = 0; i < RULES; i++)
        free(expanded[i]);
    bytes_free(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rules_table");
    TCase *right = tcase_create("right");
    TCase *wrong = tcase_create("wrong");
    tcase_set_timeout(right, 120);
    tcase_set_timeout(wrong, 300);
    tcase_add_test(right, table_fields);
    tcase_add_test(right, beginnings_counted);
    tcase_add_test(right, table_within_budget);
    tcase_add_loop_test(right, sums_and_places, 0, (int)trials(160));
    tcase_add_loop_test(right, blocks_accepted, 0, (int)ARRAY_COUNT(good_blocks));
    tcase_add_loop_test(right, blocks_walked, 0, 40);
    tcase_add_test(right, largest_block);
    tcase_add_loop_test(wrong, tables_refused, 0, (int)ARRAY_COUNT(bad_tables));
    tcase_add_test(wrong, tables_changed);
    suite_add_tcase(suite, right);
    suite_add_tcase(suite, wrong);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
