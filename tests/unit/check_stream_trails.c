/* SPDX-License-Identifier: BSD-3-Clause */
/* Trails of a stream: a class is that of the path that the words on the stack say, whatever came before; a path that
 * was there lately is found without a walk; a walk whose answer is uncertain is made each time; a thread that takes
 * over a stream begins without trails. The stack is an array here, and a path is told by two words of it. */
#include <check.h>
#include <stdlib.h>

#include "record/stream_trails.h"
#include "random.h"

enum { WORDS = 4096, VALUES = 5, CALLS = 20000, DEEPEST = 60 };

static const struct function_descriptor functions[] = {
    {"MPI_Barrier", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE},
    {"MPI_Iprobe", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
};
static const struct vocabulary vocabulary = {functions, 2, NULL, 0};
static const char sites[2];
static uintptr_t words[WORDS];
static _Alignas(struct call_path) char paths[VALUES][VALUES][sizeof(struct call_path)]; /* all 0: of no frames */
static unsigned walks;
static bool uncertain, lasting;

static size_t resolve(const void *site, struct code_frame *frames)
{
    (void)site;
    (void)frames;
    return 0;
}

static const struct call_path *path_at(uintptr_t first, uintptr_t second)
{
    return (const struct call_path *)(const void *)paths[first][second];
}

/* The words of a path: the second lies where the first says. */
static const struct call_path *find(const void *site, const void *frame, const struct path_walk **found)
{
    static struct path_walk walk;
    const uintptr_t *first = frame, *second = first + 1 + first[0] + (site == &sites[1]);
    walks++;
    walk.frame = frame;
    walk.certain = !uncertain;
    walk.lasting = lasting;
    walk.words[0] = first;
    walk.words[1] = second;
    walk.word_count = 2;
    *found = &walk;
    return path_at(*first, *second);
}

/* Makes a call with FRAME. Returns its class, which must be the right one. */
static const struct class_head *call(struct stream *s, unsigned function, unsigned site, const uintptr_t *frame,
                                     bool failed_poll)
{
    const struct class_head *class = stream_expected(s);
    const struct call_path *path = path_at(frame[0], frame[1 + frame[0] + site]);
    if (!class_is(class, function, &sites[site], false) || (class->trail && !path_trail_is(class->trail, frame)))
        class = stream_class_head(s, function, &sites[site], frame, false);
    if (!class || class->key.path != path || class->key.site != &sites[site] || class->key.function != function)
        ck_abort_msg("another class");
    if (stream_append(s, class->number, failed_poll, "key", 3, 0, 1) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
    return class;
}

static struct stream *begin(bool stack_lasts)
{
    lasting = stack_lasts;
    struct stream *s = stream_new(&vocabulary, resolve);
    ck_assert_ptr_nonnull(s);
    stream_set_paths(s, find);
    walks = 0;
    uncertain = false;
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = 0;
    return s;
}

START_TEST(class_is_that_of_the_words)
{
    for (unsigned round = 0; round < 20; round++) {
        struct stream *s = begin(round % 2);
        unsigned frames = 1 + random_below(round < 10 ? 4 : WORDS / 2);
        for (unsigned i = 0; i < CALLS; i++) {
            unsigned function = random_below(2), frame = random_below(frames);
            words[frame + random_below(VALUES + 2)] = random_below(VALUES);
            (void)call(s, function, random_below(2), words + frame, function && random_below(2));
        }
        ck_assert_uint_gt(walks, 0);
        ck_assert_uint_le(s->trail_bytes,
                          TRAIL_SETS * TRAIL_WAYS * (sizeof(struct path_trail) + sizeof(struct path_words)));
        stream_free(s);
    }
}
END_TEST

START_TEST(recent_paths_are_not_walked)
{
    struct stream *s = begin(false);
    for (unsigned i = 0; i < CALLS; i++) {
        words[1] = random_below(TRAIL_WAYS / 2);
        (void)call(s, 1, 0, words, random_below(2));
        (void)call(s, 0, 0, words + 8, false);
    }
    ck_assert_uint_eq(walks, TRAIL_WAYS / 2 + 1);
    stream_free(s);
}
END_TEST

/* As many as there are, drawn at random. The second word has its place by the site alone. */
START_TEST(paths_of_one_shape_are_walked_once)
{
    enum { FIRST = 3, PATHS = 2 * VALUES * TRAIL_WAYS };
    struct stream *s = begin(true);
    for (unsigned i = 0; i < CALLS; i++) {
        for (unsigned frame = 0; frame < TRAIL_WAYS; frame++)
            words[frame * WORDS / TRAIL_WAYS + 1 + FIRST] = random_below(VALUES);
        unsigned frame = random_below(TRAIL_WAYS);
        words[frame * WORDS / TRAIL_WAYS] = FIRST;
        (void)call(s, random_below(2), 0, words + frame * WORDS / TRAIL_WAYS, false);
    }
    /* Where the stack lies decides which of them share a set; before there are more sets, some may be forgotten. */
    ck_assert_uint_ge(walks, PATHS);
    ck_assert_uint_le(walks, 2 * PATHS);
    stream_free(s);
}
END_TEST

START_TEST(uncertain_paths_are_walked_each_time)
{
    struct stream *s = begin(false);
    uncertain = true;
    for (unsigned i = 0; i < DEEPEST; i++)
        (void)call(s, 0, 0, words, false);
    ck_assert_uint_eq(walks, DEEPEST);
    ck_assert_uint_eq(s->trail_bytes, 0);
    stream_free(s);
}
END_TEST

START_TEST(another_thread_begins_without_trails)
{
    struct stream *s = begin(false);
    for (unsigned i = 0; i < DEEPEST; i++) {
        (void)call(s, 0, 0, words, false);
        (void)call(s, 1, 1, words, i % 3 == 0);
        ck_assert_uint_eq(walks, 2 * (i + 1));
        stream_restart(s);
        ck_assert_uint_eq(s->trail_bytes, 0);
    }
    stream_free(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stream_trails");
    TCase *tests = tcase_create("stream_trails");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, class_is_that_of_the_words);
    tcase_add_test(tests, recent_paths_are_not_walked);
    tcase_add_test(tests, paths_of_one_shape_are_walked_once);
    tcase_add_test(tests, uncertain_paths_are_walked_each_time);
    tcase_add_test(tests, another_thread_begins_without_trails);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
