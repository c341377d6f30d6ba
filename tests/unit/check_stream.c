/* Streams: polls that fail and calls that do not are classes of their own, numbered by first appearance, wherever they stand; both
 * are forgotten when their site moves; a run of failed polls is one symbol. */
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
            if (class->number != t || class->failed_poll != calls[i].failed || class->key.function != calls[i].function ||
                class->key.site != sites + calls[i].site || class->signatures.count != 1)
                ck_abort_msg("round %u: call %u is of another class", round, i);
        }
        ck_assert_uint_eq(known, s->class_count);
        ck_assert_uint_le(resolved, FUNCTIONS * SITES); /* a twin has the site of its class */
        for (unsigned i = 0; i < s->class_count; i++) {
            const struct stream_class *class = s->classes[i];
            ck_assert_uint_eq(class->frame_count, 2);
            ck_assert_uint_eq(class->frames[0].offset, (uint64_t)((const char *)class->key.site - sites) * 16);
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

int main(void)
{
    Suite *suite = suite_create("stream");
    TCase *tests = tcase_create("stream");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, failed_polls_are_classes);
    tcase_add_test(tests, both_are_forgotten);
    tcase_add_test(tests, a_run_is_one_symbol);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
