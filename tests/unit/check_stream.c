/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: failed polls and other calls are classes of their own, numbered by first appearance. Both are forgotten if
 * the call site moves. A run of failed polls is one symbol. A stream that is begun anew goes on as a new one would. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "rules/rules_walk.h"
#include "record/stream_inline.h"
#include "random.h"
#include "timing/times_block.h"

enum { FUNCTIONS = 3, SITES = 4, CALLS = 3000 };

static const struct function_descriptor functions[FUNCTIONS] = {
    {"MPI_Test", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Iprobe", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Barrier", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE},
};
static const struct vocabulary vocabulary = {functions, FUNCTIONS, NULL, 0};
static const char sites[SITES];
static uint64_t moved[SITES]; /* added to the site's offset */
static unsigned resolved;     /* how often */

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module program = {"program", {1, 2, 3, 4}, 4, NULL};
    size_t i = (size_t)((const char *)site - sites);
    frames[0] = (struct code_frame){&program, i * 16 + moved[i]};
    frames[1] = (struct code_frame){&program, 4096};
    resolved++;
    return 2;
}

struct stream_test_kind {
    unsigned function, site;
    bool failed;
};

/* Check writes a line for each assertion: too slow for many calls. */
static void append(struct stream *s, struct stream_test_kind kind)
{
    uint32_t class;
    char key[] = {(char)kind.function, (char)kind.site, kind.failed ? 'f' : 's'};
    if (stream_class(s, kind.function, sites + kind.site, false, &class) != PILGRIM_OK ||
        stream_append(s, class, kind.failed, key, sizeof key, 0, 1) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
}

static struct stream_test_kind draw_kind(void)
{
    struct stream_test_kind kind = {random_below(FUNCTIONS), random_below(SITES), false};
    kind.failed = kind.function != 2 && random_below(3) > 0;
    return kind;
}

/* The terminals of the structure grammar; to be freed. */
static uint64_t *structure_of(const struct stream *s, uint64_t count)
{
    struct bytes b = {0};
    struct cursor c;
    struct rules rules;
    struct rules_cursor walk;
    uint64_t *terminals = malloc((count + 1) * sizeof *terminals);
    ck_assert_int_eq(sequence_serialise(&s->structure, &s->chunks, &b), PILGRIM_OK);
    cursor_init(&c, b.data, b.length);
    ck_assert_int_eq(rules_parse(&c, (uint64_t)GRAMMAR_TERMINAL_MAX + 1, &rules), PILGRIM_OK);
    ck_assert_int_eq(rules_cursor_init(&walk, &rules, RULES_SEQUENCE(0)), PILGRIM_OK);
    for (uint64_t i = 0; i < count; i++)
        if (!rules_cursor_next(&walk, &terminals[i]))
            ck_abort_msg("call %u is missing", (unsigned)i);
    rules_cursor_free(&walk);
    rules_free(&rules);
    bytes_free(&b);
    return terminals;
}

START_TEST(failed_polls_are_classes)
{
    for (unsigned round = 0; round < 20; round++) {
        struct stream *s = stream_new(&vocabulary, resolve);
        static struct stream_test_kind calls[CALLS];
        unsigned known = 0;
        random_state = round;
        resolved = 0;
        for (unsigned i = 0; i < CALLS; i++) {
            /* runs of what came before, or of the other kind at the same place */
            calls[i] = i && random_below(4) ? calls[i - 1] : draw_kind();
            if (calls[i].function != 2 && random_below(8) == 0)
                calls[i].failed = !calls[i].failed;
            append(s, calls[i]);
        }
        uint64_t *terminals = structure_of(s, CALLS);
        for (unsigned i = 0; i < CALLS; i++) {
            uint64_t t = terminals[i];
            if (t > known || t >= s->class_count)
                ck_abort_msg("round %u: classes are not numbered by first appearance", round);
            known += t == known;
            const struct stream_class *class = s->classes[t];
            if (class->head.number != t || class->failed_poll != calls[i].failed ||
                class->head.key.function != calls[i].function || class->head.key.site != sites + calls[i].site ||
                class->signatures.count != 1)
                ck_abort_msg("round %u: call %u is of another class", round, i);
        }
        ck_assert_uint_eq(known, s->class_count);
        ck_assert_uint_le(resolved, FUNCTIONS * SITES); /* a twin has the site of its class */
        for (unsigned i = 0; i < s->class_count; i++) {
            const struct stream_class *class = s->classes[i];
            ck_assert_uint_eq(class->frame_count, 2);
            ck_assert_uint_eq(class->frames[0].offset, (uint64_t)((const char *)class->head.key.site - sites) * 16);
            ck_assert_uint_eq(class->frames[1].offset, 4096);
            ck_assert(!class->twin || class->twin->twin == class);
        }
        free(terminals);
        stream_free(s);
    }
}
END_TEST

START_TEST(both_are_forgotten)
{
    for (unsigned first = 0; first < 2; first++) {
        struct stream *s = stream_new(&vocabulary, resolve);
        memset(moved, 0, sizeof moved);
        for (unsigned i = 0; i < 4; i++) {
            append(s, (struct stream_test_kind){0, 1, i % 2 == first});
            append(s, (struct stream_test_kind){0, 2, i % 2 == first});
        }
        ck_assert_uint_eq(s->class_count, 4);
        stream_forget_moved(s); /* nothing has */
        append(s, (struct stream_test_kind){0, 1, true});
        append(s, (struct stream_test_kind){0, 1, false});
        ck_assert_uint_eq(s->class_count, 4);
        moved[1] = 1;
        stream_forget_moved(s);
        stream_forget_moved(s);
        for (unsigned i = 0; i < 3; i++) {
            append(s, (struct stream_test_kind){0, 1, true});
            append(s, (struct stream_test_kind){0, 1, false});
            append(s, (struct stream_test_kind){0, 2, true});
            append(s, (struct stream_test_kind){0, 2, false});
        }
        ck_assert_uint_eq(s->class_count, 6);
        ck_assert_uint_eq(sequence_length(&s->classes[5]->signatures.sequence), 3);
        ck_assert_uint_eq(s->classes[4]->frames[0].offset, 17);
        ck_assert_uint_eq(s->classes[5]->frames[0].offset, 17);
        stream_free(s);
    }
    memset(moved, 0, sizeof moved);
}
END_TEST

/* The bytes of the structure and value grammars of 9 episodes of COUNT failed polls, and what ends them. */
static size_t grammar_bytes(unsigned count)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes b = {0};
    for (unsigned episode = 0; episode < 9; episode++) {
        for (unsigned i = 0; i < count; i++)
            append(s, (struct stream_test_kind){0, 1, true});
        append(s, (struct stream_test_kind){0, 1, false});
    }
    ck_assert_uint_eq(s->class_count, 2);
    ck_assert_int_eq(sequence_serialise(&s->structure, &s->chunks, &b), PILGRIM_OK);
    for (unsigned i = 0; i < s->class_count; i++)
        ck_assert_int_eq(sequence_serialise(&s->classes[i]->signatures.sequence, &s->chunks, &b), PILGRIM_OK);
    size_t bytes = b.length;
    bytes_free(&b);
    stream_free(s);
    return bytes;
}

START_TEST(a_run_is_one_symbol)
{
    ck_assert_uint_le(grammar_bytes(1000000), grammar_bytes(10) + 6); /* exponents are longer */
}
END_TEST

/* All that is recorded of S: its grammars and signatures. */
static struct bytes recorded(const struct stream *s)
{
    struct bytes b = {0};
    bytes_put_varint(&b, stream_calls(s));
    bytes_put_varint(&b, s->key_bytes);
    ck_assert_int_eq(sequence_serialise(&s->structure, &s->chunks, &b), PILGRIM_OK);
    for (uint32_t i = 0; i < s->terminal_count; i++) {
        const struct stream_class *class = s->by_terminal[i];
        ck_assert_uint_eq(class->terminal, i);
        bytes_put_varint(&b, class->head.key.function << 1 | class->failed_poll);
        bytes_put_varint(&b, (uint64_t)((const char *)class->head.key.site - sites));
        ck_assert_int_eq(sequence_serialise(&class->signatures.sequence, &s->chunks, &b), PILGRIM_OK);
        for (uint32_t k = 0; k < class->signatures.count; k++) {
            size_t length;
            const uint8_t *key = signature_key(&class->signatures, k, &length);
            bytes_put(&b, key, length);
        }
    }
    return b;
}

static void require_equal(const struct stream *s, const struct stream *expected)
{
    struct bytes a = recorded(s), b = recorded(expected);
    ck_assert_uint_eq(a.length, b.length);
    ck_assert_mem_eq(a.data, b.data, a.length);
    bytes_free(&a);
    bytes_free(&b);
}

START_TEST(a_renewed_one_goes_on_as_a_new_one)
{
    for (unsigned round = 0; round < 20; round++) {
        struct stream *s = stream_new(&vocabulary, resolve), *fresh = stream_new(&vocabulary, resolve);
        uint32_t numbers[FUNCTIONS * SITES];
        bool seen[FUNCTIONS * SITES] = {0};
        random_state = 100 + round;
        for (unsigned i = 0; i < CALLS; i++) {
            struct stream_test_kind kind = draw_kind();
            unsigned at = kind.function * SITES + kind.site;
            uint32_t number;
            append(s, kind);
            append(fresh, kind);
            ck_assert_int_eq(stream_class(s, kind.function, sites + kind.site, false, &number), PILGRIM_OK);
            const struct stream_class *class = s->classes[number];
            number = class->twin && class->twin->head.number < number ? class->twin->head.number : number;
            ck_assert_msg(!seen[at] || numbers[at] == number, "round %u: a class has another number", round);
            numbers[at] = number;
            seen[at] = true;
            *stream_class_register(s, number) = 1;
            if (random_below(i < CALLS / 2 ? 30 : 1000))
                continue;
            require_equal(s, fresh);
            stream_renew(s);
            stream_free(fresh);
            fresh = stream_new(&vocabulary, resolve);
            require_equal(s, fresh);
            ck_assert_uint_eq(*stream_class_register(s, number), 0);
        }
        require_equal(s, fresh);
        stream_free(s);
        stream_free(fresh);
    }
}
END_TEST

/* A key of its own for each call: what takes memory. */
static void append_distinct(struct stream *s, unsigned i)
{
    uint32_t class;
    uint8_t key[64] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16)};
    if (stream_class(s, 0, sites, false, &class) != PILGRIM_OK ||
        stream_append(s, class, false, key, sizeof key, 0, 1) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
}

START_TEST(a_renewed_one_is_small)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    append_distinct(s, 0);
    size_t small = stream_memory_bytes(s);
    for (unsigned i = 0; i < CALLS; i++)
        append_distinct(s, i);
    ck_assert_uint_gt(stream_memory_bytes(s), CALLS * 64);
    stream_renew(s);
    ck_assert_uint_le(stream_memory_bytes(s), small);
    stream_free(s);
}
END_TEST

static unsigned watched; /* how often the watcher was called */

static void note(void *context)
{
    ck_assert_ptr_eq(context, &watched);
    watched++;
}

/* Whatever the calls are like, the watcher is called before more memory has been taken than was said. */
START_TEST(growth_is_seen_in_time)
{
    for (unsigned round = 0; round < 40; round++) {
        struct stream *s = stream_new(&vocabulary, resolve);
        size_t bytes = (size_t)20000 << round % 6, before = stream_memory_bytes(s), calls = 0;
        stream_watch(s, bytes, note, &watched);
        for (watched = 0; !watched; calls++) {
            /* A table grows at once by what the calls before it were counted for, so it may be a little late. */
            if (stream_memory_bytes(s) > before + bytes + bytes / 4)
                ck_abort_msg("round %u: %zu bytes more, not %zu, after %zu calls", round,
                             stream_memory_bytes(s) - before, bytes, calls);
            if (round % 2)
                append_distinct(s, (unsigned)calls);
            else
                append(s, draw_kind());
        }
        for (unsigned i = 0; i < CALLS; i++)
            append(s, draw_kind());
        ck_assert_uint_eq(watched, 1);
        stream_free(s);
    }
}
END_TEST

/* Calls of PATTERN, a letter each: function, or capital: a failed poll of it; REPEAT times. Returns how many were not
 * of the class that was expected. */
static unsigned surprises(const char *pattern, unsigned repeat)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    unsigned surprised = 0;
    for (unsigned i = 0; i < repeat; i++)
        for (const char *c = pattern; *c; c++) {
            bool failed = *c < 'a';
            unsigned function = (unsigned)(*c - (failed ? 'A' : 'a'));
            surprised += !class_is(stream_expected(s), function, sites + 1, false);
            append(s, (struct stream_test_kind){function, 1, failed});
        }
    ck_assert_uint_eq(stream_calls(s), repeat * strlen(pattern));
    stream_free(s);
    return surprised;
}

START_TEST(loops_are_expected)
{
    ck_assert_uint_le(surprises("caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1), 3);
    ck_assert_uint_le(surprises("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 1), 3);
    ck_assert_uint_le(surprises("ab", 1000), 6);
    ck_assert_uint_le(surprises("abcabcabcaab", 1000), 40);
    ck_assert_uint_le(surprises("aaaabbbbcc", 1000), 20);
    ck_assert_uint_le(surprises("AAAaBBbAAAac", 1000), 40);
}
END_TEST

/* ---- times ---- */

/* A call as it was recorded, and its times as they should be: in ns, as ticks are without a clock. */
struct timed {
    uint32_t class, predecessor, key;
    uint64_t start, end, last_end;
};

static struct timed timed[CALLS];
static struct bytes blocks; /* of the sink: u64 first, u64 length, content */
static unsigned sink_calls;
static uint64_t sink_next;

static enum pilgrim_status sink(void *context, uint64_t first, const struct bytes *content, const struct bytes *ends)
{
    ck_assert_ptr_eq(context, &blocks);
    ck_assert_uint_eq(ends->length % sizeof(size_t), 0);
    bytes_put_u64(&blocks, first);
    bytes_put_u64(&blocks, content->length);
    bytes_put(&blocks, content->data, content->length);
    sink_calls++;
    return PILGRIM_OK;
}

static enum pilgrim_status full(void *context, uint64_t first, const struct bytes *content, const struct bytes *ends)
{
    (void)context;
    (void)first;
    (void)content;
    (void)ends;
    return PILGRIM_IO;
}

static uint32_t base_of(uint32_t function)
{
    return function ? 1000 : 200000;
}

/* 0 ns, some ns, hours; backwards now and then. */
static uint64_t draw_step(void)
{
    unsigned kind = random_below(16);
    return kind == 0 ? 0 : kind == 1 ? (uint64_t)random_below(30000) * 1000000000 : random_below(1000);
}

/* One more call: appended to S with readings of a clock that may go backwards, noted in T. */
static void append_timed(struct stream *s, struct timed *t, uint64_t *now, uint64_t *last_end, uint32_t *predecessor)
{
    struct stream_test_kind kind = draw_kind();
    char key[] = {(char)kind.function, (char)kind.site, kind.failed ? 'f' : 's', (char)random_below(3)};
    uint32_t number;
    uint64_t start = *now + draw_step();
    uint64_t end = start + draw_step();
    if (random_below(20) == 0)
        end = end > 5000 ? end - 5000 : 0;
    *now = end;
    if (stream_class(s, kind.function, sites + kind.site, false, &number) != PILGRIM_OK ||
        stream_append(s, number, kind.failed, key, sizeof key, start, end) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
    start = start > *last_end ? start : *last_end;
    end = end > start ? end : start;
    *t = (struct timed){s->last->terminal, *predecessor, (unsigned char)key[3], start, end, *last_end};
    *last_end = end;
    *predecessor = t->class;
}

/* The statistics of the stream's round, in which there were the calls TIMED[0] to TIMED[COUNT - 1]. */
static void require_statistics(const struct stream *s, unsigned count)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < s->terminal_count; i++) {
        const struct statistics *of = &s->by_terminal[i]->statistics;
        for (uint32_t k = 0; k < of->count; k++) {
            const struct statistics_cell *cell = &of->cells[k];
            size_t length;
            const uint8_t *key = signature_key(&s->by_terminal[i]->signatures, cell->signature, &length);
            uint64_t gaps = 0, durations = 0, calls = 0;
            for (unsigned c = 0; c < count; c++)
                if (timed[c].class == i && timed[c].predecessor == cell->predecessor && timed[c].key == key[3]) {
                    gaps += timed[c].start - timed[c].last_end;
                    durations += timed[c].end - timed[c].start;
                    calls++;
                }
            EXPECT(cell->gaps.count == calls && cell->durations.count == calls, "other calls");
            EXPECT(cell->gaps.total[0] == gaps && cell->durations.total[0] == durations, "other times");
            found += calls;
        }
    }
    ck_assert_uint_eq(found, count);
}

/* What the sink got has the times of TIMED, exactly, or in bins: never later. */
static void require_blocks(unsigned count, bool exact)
{
    struct cursor c;
    unsigned i = 0;
    cursor_init(&c, blocks.data, blocks.length);
    while (cursor_left(&c)) {
        struct times_block *block;
        struct cursor content;
        const char *problem;
        ck_assert_uint_eq(cursor_u64(&c), sink_next);
        size_t length = cursor_u64(&c);
        cursor_init(&content, cursor_take(&c, length), length);
        ck_assert_int_eq(times_block_open(&content, 2 * FUNCTIONS * SITES, &block, &problem), PILGRIM_OK);
        sink_next += times_block_calls(block);
        for (uint64_t start, end; times_block_left(block); i++) {
            EXPECT(i < count, "times of more calls than there are");
            EXPECT(times_block_next(block, timed[i].class, &start, &end) == PILGRIM_OK, "call %u is of another class",
                   i);
            EXPECT(exact ? start == timed[i].start && end == timed[i].end
                         : start <= timed[i].start && end <= timed[i].end,
                   "call %u has other times", i);
        }
        times_block_free(block);
    }
    ck_assert_uint_eq(i, count);
    bytes_free(&blocks);
}

START_TEST(times_are_kept)
{
    static const enum times_kind kinds[] = {TIMES_NONE, TIMES_BINS, TIMES_EXACT};
    for (unsigned round = 0; round < 30; round++) {
        enum times_kind kind = kinds[round % 3];
        const struct stream_times times = {.kind = kind, .base = base_of, .sink = sink, .context = &blocks};
        struct stream *s = stream_new(&vocabulary, resolve);
        uint64_t now = 0, last_end = 0;
        random_state = 900 + round;
        sink_next = 0;
        sink_calls = 0;
        ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
        for (unsigned segment = 0; segment < 4; segment++) {
            unsigned count = segment == 2 ? 0 : 1 + random_below(CALLS);
            uint32_t predecessor = STATISTICS_FIRST;
            for (unsigned i = 0; i < count; i++) {
                append_timed(s, &timed[i], &now, &last_end, &predecessor);
                if (random_below(500) == 0)
                    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
            }
            ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
            require_statistics(s, count);
            if (kind != TIMES_NONE)
                require_blocks(count, kind == TIMES_EXACT);
            stream_renew(s);
            require_statistics(s, 0);
        }
        ck_assert(kind != TIMES_NONE || !sink_calls);
        stream_free(s);
    }
}
END_TEST

/* A stream that keeps no times has no statistics; what it records is the same. */
START_TEST(times_are_not_kept)
{
    struct stream *s = stream_new(&vocabulary, resolve), *with = stream_new(&vocabulary, resolve);
    const struct stream_times times = {.kind = TIMES_NONE};
    ck_assert_int_eq(stream_keep_times(with, &times), PILGRIM_OK);
    random_state = 5;
    for (unsigned i = 0; i < CALLS; i++) {
        struct stream_test_kind kind = draw_kind();
        append(s, kind);
        append(with, kind);
    }
    ck_assert_uint_gt(stream_memory_bytes(with), stream_memory_bytes(s));
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    ck_assert_int_eq(stream_flush_times(with), PILGRIM_OK);
    for (uint32_t i = 0; i < s->class_count; i++) {
        ck_assert_uint_eq(s->classes[i]->statistics.count, 0);
        ck_assert_uint_gt(with->classes[i]->statistics.count, 0);
    }
    ck_assert_uint_gt(stream_memory_bytes(with), stream_memory_bytes(s));
    require_equal(s, with);
    stream_free(s);
    stream_free(with);
}
END_TEST

/* Large blocks go to the sink while calls are recorded; what it says is said of the call. */
START_TEST(the_sink_is_heard)
{
    const struct stream_times times = {.kind = TIMES_BINS, .base = base_of, .sink = full, .context = NULL};
    struct stream *s = stream_new(&vocabulary, resolve);
    enum pilgrim_status status = PILGRIM_OK;
    unsigned calls = 0;
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (; status == PILGRIM_OK; calls++) {
        uint32_t class;
        ck_assert_int_eq(stream_class(s, 2, sites, false, &class), PILGRIM_OK);
        status = stream_append(s, class, false, "k", 1, calls, calls);
        EXPECT(calls <= TIMES_BLOCK_CALLS + 10000, "no block is taken");
    }
    ck_assert_int_eq(status, PILGRIM_IO);
    ck_assert_uint_ge(calls, TIMES_BLOCK_CALLS);
    stream_free(s);
}
END_TEST

/* Calls whose keys are equal have one signature's number, and no number comes back for another key: also where a
 * class's signatures are made anew because they are too many. */
START_TEST(numbers_of_signatures)
{
    enum { MANY = 6000 };
    static uint32_t keys[MANY], numbers[MANY];
    struct stream *s = stream_new(&vocabulary, resolve);
    const struct stream_times times = {.kind = TIMES_NONE};
    unsigned given_up = 0;
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    random_state = 77;
    for (unsigned i = 0; i < MANY; i++) {
        struct bytes key = {0};
        uint32_t class;
        keys[i] = i < 300 ? random_below(4) : random_below(100000);
        bytes_put_u8(&key, VALUE_INT);
        bytes_put_u64(&key, keys[i]);
        ck_assert_int_eq(stream_class(s, 2, sites, false, &class), PILGRIM_OK);
        given_up = s->classes[class]->signatures.number_base;
        ck_assert_int_eq(stream_append(s, class, false, key.data, key.length, i, i), PILGRIM_OK);
        numbers[i] = s->next == s->spans ? UINT32_MAX : s->next[-1].signature;
        bytes_free(&key);
    }
    ck_assert_uint_gt(given_up, 0); /* it came to that */
    for (unsigned i = 0; i < MANY; i++)
        for (unsigned k = 0; k < i; k++)
            EXPECT(keys[i] == keys[k] || numbers[i] != numbers[k] || numbers[i] >= given_up, "one number for two keys");
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    const struct statistics *of = &s->by_terminal[0]->statistics;
    ck_assert(of->one_signature);
    ck_assert_uint_eq(of->count, 2); /* the first call, and the others */
    ck_assert_uint_eq(of->cells[0].gaps.count + of->cells[1].gaps.count, MANY);
    stream_free(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stream");
    TCase *tests = tcase_create("stream");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, failed_polls_are_classes);
    tcase_add_test(tests, both_are_forgotten);
    tcase_add_test(tests, a_run_is_one_symbol);
    tcase_add_test(tests, a_renewed_one_goes_on_as_a_new_one);
    tcase_add_test(tests, a_renewed_one_is_small);
    tcase_add_test(tests, growth_is_seen_in_time);
    tcase_add_test(tests, loops_are_expected);
    tcase_add_test(tests, times_are_kept);
    tcase_add_test(tests, times_are_not_kept);
    tcase_add_test(tests, the_sink_is_heard);
    tcase_add_test(tests, numbers_of_signatures);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
