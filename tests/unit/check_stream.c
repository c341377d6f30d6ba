/* Streams: polls that fail and calls that do not are classes of their own, numbered by first appearance, wherever they stand; both
 * are forgotten when their site moves; a run of failed polls is one symbol. A stream that is renewed goes on as a new one would. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/rules.h"
#include "merge/stream_data.h"

enum { FUNCTIONS = 3, SITES = 4, CALLS = 3000 };

static const struct function_descriptor functions[FUNCTIONS] = {
    {"MPI_Test", NULL, 0, RETURNS_ERROR_CODE},
    {"MPI_Iprobe", NULL, 0, RETURNS_ERROR_CODE},
    {"MPI_Barrier", NULL, 0, RETURNS_ERROR_CODE},
};
static const struct vocabulary vocabulary = {functions, FUNCTIONS, NULL, 0};
static const char sites[SITES];
static uint64_t moved[SITES]; /* added to the site's offset */
static unsigned resolved;     /* how often */

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module program = {"program", {1, 2, 3, 4}, 4};
    size_t i = (size_t)((const char *)site - sites);
    frames[0] = (struct code_frame){&program, i * 16 + moved[i]};
    frames[1] = (struct code_frame){&program, 4096};
    resolved++;
    return 2;
}

struct kind {
    unsigned function, site;
    bool failed;
};

static uint32_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % below;
}

/* Check writes a line for each assertion: too slow for many calls. */
static void append(struct stream *s, struct kind kind)
{
    uint32_t class;
    char key[] = {(char)kind.function, (char)kind.site, kind.failed ? 'f' : 's'};
    if (stream_class(s, kind.function, sites + kind.site, false, &class) != PILGRIM_OK ||
        stream_append(s, class, kind.failed, key, sizeof key, 1) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
}

static struct kind draw_kind(void)
{
    struct kind kind = {draw(FUNCTIONS), draw(SITES), false};
    kind.failed = kind.function != 2 && draw(3) > 0;
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
        static struct kind calls[CALLS];
        unsigned known = 0;
        random_state = round;
        resolved = 0;
        for (unsigned i = 0; i < CALLS; i++) {
            /* runs of what came before, or of the other kind at the same place */
            calls[i] = i && draw(4) ? calls[i - 1] : draw_kind();
            if (calls[i].function != 2 && draw(8) == 0)
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
            if (class->head.number != t || class->failed_poll != calls[i].failed || class->head.key.function != calls[i].function ||
                class->head.key.site != sites + calls[i].site || class->signatures.count != 1)
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
            append(s, (struct kind){0, 1, i % 2 == first});
            append(s, (struct kind){0, 2, i % 2 == first});
        }
        ck_assert_uint_eq(s->class_count, 4);
        stream_forget_moved(s); /* nothing has */
        append(s, (struct kind){0, 1, true});
        append(s, (struct kind){0, 1, false});
        ck_assert_uint_eq(s->class_count, 4);
        moved[1] = 1;
        stream_forget_moved(s);
        stream_forget_moved(s);
        for (unsigned i = 0; i < 3; i++) {
            append(s, (struct kind){0, 1, true});
            append(s, (struct kind){0, 1, false});
            append(s, (struct kind){0, 2, true});
            append(s, (struct kind){0, 2, false});
        }
        ck_assert_uint_eq(s->class_count, 6);
        ck_assert_uint_eq(s->classes[5]->timing.count, 3);
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
            append(s, (struct kind){0, 1, true});
        append(s, (struct kind){0, 1, false});
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
    for (uint32_t i = 0; i < s->segment_count; i++) {
        const struct stream_class *class = s->segment[i];
        ck_assert_uint_eq(class->terminal, i);
        bytes_put_varint(&b, class->head.key.function << 1 | class->failed_poll);
        bytes_put_varint(&b, (uint64_t)((const char *)class->head.key.site - sites));
        bytes_put_varint(&b, class->timing.count);
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
            struct kind kind = draw_kind();
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
            if (draw(i < CALLS / 2 ? 30 : 1000))
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
        stream_append(s, class, false, key, sizeof key, 1) != PILGRIM_OK)
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
                ck_abort_msg("round %u: %zu bytes more, not %zu, after %zu calls", round, stream_memory_bytes(s) - before, bytes, calls);
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

/* Calls of PATTERN, a letter each: function, or capital: a failed poll of it; REPEAT times. Returns how many were not of the class that was
 * expected. */
static unsigned surprises(const char *pattern, unsigned repeat)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    unsigned surprised = 0;
    for (unsigned i = 0; i < repeat; i++)
        for (const char *c = pattern; *c; c++) {
            bool failed = *c < 'a';
            unsigned function = (unsigned)(*c - (failed ? 'A' : 'a'));
            surprised += !class_is(stream_expected(s), function, sites + 1, false);
            append(s, (struct kind){function, 1, failed});
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
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
