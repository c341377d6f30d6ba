/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths, on stacks that are made here: a walk by any rules finds the frames that were laid out, and the trail
 * compares all words that it went by, and no others. No word outside of the range is read. What is known of code that
 * was unloaded is forgotten. A trail counts for as many bytes wherever the stack lies in its pages. The rules are not
 * from .eh_frame, so call_path.c is compiled in here. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS */
#include "../../src/unwind/call_path.c"

#include <check.h>
#include <sys/mman.h>

#include "random.h"

enum { ADDRESSES = 1 << 15, FRAMES_MOST = 40, PAGES = 64, PAGE = 4096, BYTES = PAGES * PAGE, TRIALS = 300 };

static struct frame_rule rules[ADDRESSES]; /* by address; 0 is none */
static uintptr_t addresses_used;
static uintptr_t last_address; /* starts the program */
static struct code_module modules[2] = {{.name = "one"}, {.name = "two"}};
static uintptr_t moved_from = UINTPTR_MAX; /* addresses from here on are in the second module */
static uintptr_t lower;                    /* so many bytes below the end of the stack layouts end */
static char *stack;                        /* BYTES, and behind them a page that cannot be read */

struct frame_rule frame_rule_of(const void *address)
{
    return rules[(uintptr_t)address];
}

static bool frame_of(const void *address, struct code_frame *frame)
{
    uintptr_t a = (uintptr_t)address;
    *frame = (struct code_frame){&modules[a >= moved_from], a};
    return a < ADDRESSES;
}

static bool is_last(const void *address, const struct code_frame *frame)
{
    (void)frame;
    return (uintptr_t)address == last_address;
}

static bool is_never(const void *address)
{
    (void)address;
    return false;
}

/* A stack, as it was laid out. */
struct layout {
    uintptr_t frame; /* the wrapper's */
    uintptr_t sites[FRAMES_MOST + 1];
    unsigned count;                          /* of sites */
    const uintptr_t *words[3 * FRAMES_MOST]; /* that tell the path */
    unsigned word_count;
    struct stack_range range;
};

static void put(struct layout *l, uintptr_t at, uintptr_t value)
{
    *(uintptr_t *)at = value;
    l->words[l->word_count++] = (const uintptr_t *)at;
}

static uintptr_t new_address(struct frame_rule rule)
{
    ck_assert_uint_lt(addresses_used + 1, ADDRESSES);
    rules[++addresses_used] = rule;
    return addresses_used;
}

/* Lays out a frame of some kind from *SP on. *SLOT: where the caller's FP is; 0: lost. Returns its rule. */
static struct frame_rule put_frame(struct layout *l, uintptr_t *sp, uintptr_t *slot, unsigned bytes)
{
    uintptr_t cfa = *sp + 64 + random_below(bytes / 8) * 8, fp = cfa - 40;
    struct frame_rule rule = {
        .cfa = FRAME_SP, .cfa_offset = (int32_t)(cfa - *sp), .return_offset = -8, .fp_offset = -16};
    unsigned kind = random_below(*slot ? 4 : 2);
    *sp = cfa;
    if (kind == 3) { /* an aligned stack */
        put(l, *slot, fp);
        put(l, fp - 8, cfa);
        *slot = fp;
        return (struct frame_rule){.cfa = FRAME_AT_FP, .cfa_offset = -8, .return_offset = -8, .saved = SAVED_AT_FP};
    }
    if (kind == 2) {
        put(l, *slot, cfa - 16);
        rule = (struct frame_rule){.cfa = FRAME_FP, .cfa_offset = 16, .return_offset = -8, .fp_offset = -16};
    }
    rule.saved = kind == 0 ? SAVED_NOT : SAVED_AT_CFA;
    *slot = kind == 0 ? *slot : cfa - 16;
    return rule;
}

/* The frames end at the end of the stack, or before. */
static struct layout lay_out(unsigned frames, unsigned bytes)
{
    struct layout l = {.count = frames + 1, .range = {(uintptr_t)stack, BYTES}};
    uintptr_t size = 128 + frames * (64 + bytes);
    l.frame = (uintptr_t)stack + BYTES - lower - size;
    for (uintptr_t *word = (uintptr_t *)l.frame; word < (uintptr_t *)(l.frame + size); word++)
        *word = (uintptr_t)random_below(UINT32_MAX) << 20 | 1; /* no address, no place */
    uintptr_t sp = l.frame + FIRST_CFA, slot = FIRST_SLOT < 0 ? 0 : l.frame + FIRST_SLOT;
    uintptr_t returns[FRAMES_MOST];
    for (unsigned i = 0; i < frames; i++) {
        l.sites[i] = new_address(put_frame(&l, &sp, &slot, bytes));
        returns[i] = sp - 8;
        l.words[l.word_count++] = (const uintptr_t *)returns[i];
    }
    l.sites[frames] = last_address = new_address((struct frame_rule){.cfa = FRAME_OUTERMOST});
    for (unsigned i = 0; i < frames; i++)
        *(uintptr_t *)returns[i] = l.sites[i + 1];
    return l;
}

static const struct call_path *find(struct path_walk *w, const struct layout *l)
{
    return path_of(w, (const void *)l->sites[0], (const void *)l->frame, &l->range);
}

static const struct path_source from = {.frame = frame_of, .starts = is_last, .is_entry = is_never};

static void begin(void)
{
    random_state = 1;
    stack = mmap(NULL, BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(stack, MAP_FAILED);
    ck_assert_int_eq(mprotect(stack + BYTES, PAGE, PROT_NONE), 0);
    paths_begin(&from, SITE_FRAMES_MAX, SIZE_MAX);
}

static bool is_one_of(const struct layout *l, const uintptr_t *word)
{
    for (unsigned i = 0; i < l->word_count; i++)
        if (l->words[i] == word)
            return true;
    return false;
}

/* Each word of the stack is changed, and back. */
static void check_trail(const struct path_trail *t, const struct layout *l)
{
    const void *frame = (const void *)l->frame;
    ck_assert(path_trail_is(t, frame));
    for (uintptr_t *word = (uintptr_t *)l->frame; word < (uintptr_t *)(stack + BYTES); word++) {
        uintptr_t before = *word;
        *word = before ^ (UINT64_C(1) << random_below(64));
        if (path_trail_is(t, frame) == is_one_of(l, word))
            ck_abort_msg("word %zu of the stack", (size_t)(word - (uintptr_t *)l->frame));
        *word = before;
    }
}

START_TEST(trail_has_all_words)
{
    static struct path_walk w;
    struct code_frame frames[SITE_FRAMES_MAX];
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct layout l = lay_out(1 + random_below(FRAMES_MOST), trial % 10 ? 64 : 3000);
        const struct call_path *p = find(&w, &l);
        ck_assert_ptr_nonnull(p);
        ck_assert(p->certain);
        ck_assert_uint_eq(path_frames(p, frames), l.count - 1); /* the last one starts the program */
        for (unsigned i = 0; i + 1 < l.count; i++)
            ck_assert_uint_eq(frames[i].offset, l.sites[i]);
        struct path_trail *t = path_trail_new(&w);
        ck_assert_ptr_nonnull(t);
        check_trail(t, &l);
        ck_assert(!path_trail_is(t, (const void *)(l.frame - 8)));
        free(t);
        ck_assert_ptr_eq(find(&w, &l), p);
    }
}
END_TEST

START_TEST(too_many_paths_end_at_the_site)
{
    static struct path_walk w;
    struct code_frame frames[SITE_FRAMES_MAX];
    paths_begin(&from, SITE_FRAMES_MAX, 1);
    struct layout last = lay_out(20, 64);
    ck_assert_uint_eq(path_frames(find(&w, &last), frames), last.count - 1);
    struct layout l = lay_out(20, 64);
    const struct call_path *p = find(&w, &l);
    ck_assert(p->certain);
    ck_assert_uint_eq(path_frames(p, frames), 1);
    ck_assert_uint_eq(frames[0].offset, l.sites[0]);
    struct path_trail *t = path_trail_new(&w);
    for (unsigned i = 0; i < l.word_count; i++)
        *(uintptr_t *)(uintptr_t)l.words[i] = 0; /* its callers do not matter */
    ck_assert(path_trail_is(t, (const void *)l.frame));
    ck_assert(!path_trail_is(t, (const void *)(l.frame - 8)));
    ck_assert_ptr_eq(find(&w, &l), p);
    free(t);
    paths_begin(&from, SITE_FRAMES_MAX, SIZE_MAX);
}
END_TEST

START_TEST(groups_are_on_one_page)
{
    static struct path_walk w;
    size_t paired = 0, single = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct layout l = lay_out(30, (unsigned[]){6000, 1000, 100}[trial % 3]);
        ck_assert_ptr_nonnull(find(&w, &l));
        for (uint32_t i = 0; i < w.word_count; i++) {
            const uintptr_t first = (uintptr_t)w.words[i / PATH_TOGETHER * PATH_TOGETHER];
            ck_assert_uint_eq((uintptr_t)w.words[i] / PAGE, first / PAGE);
        }
        struct path_trail *t = path_trail_new(&w);
        ck_assert_ptr_nonnull(t);
        for (const struct path_words *group = t->words; group < t->pairs_end; group += 2)
            for (int i = 0; i < 2 * PATH_TOGETHER; i++) {
                const uint32_t offset = group[i / PATH_TOGETHER].offsets[i % PATH_TOGETHER];
                ck_assert_uint_eq((l.frame + offset) / PAGE, (l.frame + group->offsets[0]) / PAGE);
            }
        paired += (size_t)(t->pairs_end - t->words);
        single += (size_t)(t->end - t->pairs_end);
        free(t);
    }
    ck_assert_uint_gt(paired, TRIALS);
    ck_assert_uint_gt(single, TRIALS);
}
END_TEST

/* Where a page ends in a trail, words are there again, to fill the group. They do not count. */
START_TEST(trails_count_alike_on_all_pages)
{
    static struct path_walk w;
    unsigned filled = 0, places = 0;
    for (unsigned trial = 0; trial < 20; trial++) {
        const uint64_t seed = random_state;
        for (lower = 0; lower < PAGE; lower += 256, places++) {
            random_state = seed; /* the same frames, elsewhere */
            struct layout l = lay_out(1 + trial * 2, trial % 2 ? 64 : 1000);
            ck_assert_ptr_nonnull(find(&w, &l));
            struct path_trail *t = path_trail_new(&w);
            ck_assert_ptr_nonnull(t);
            const size_t groups = (l.word_count + PATH_TOGETHER - 1) / PATH_TOGETHER;
            ck_assert_uint_eq(path_trail_bytes_alike(t), sizeof *t + groups * sizeof t->words[0]);
            ck_assert_uint_ge(path_trail_bytes(t), path_trail_bytes_alike(t));
            filled += path_trail_bytes(t) > path_trail_bytes_alike(t);
            free(t);
        }
    }
    lower = 0;
    ck_assert_uint_gt(filled, places / 20);
    ck_assert_uint_lt(filled, places);
}
END_TEST

/* There is another stack now, which ends on the page of a word that differs, or of one before it. */
START_TEST(nothing_is_read_behind_another_page)
{
    static struct path_walk w;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct layout l = lay_out(30, trial % 2 ? 6000 : 1000);
        ck_assert_ptr_nonnull(find(&w, &l));
        struct path_trail *t = path_trail_new(&w);
        const unsigned differs = random_below(l.word_count);
        uintptr_t *word = (uintptr_t *)(uintptr_t)l.words[differs], before = *word, last = 0;
        for (unsigned i = 0; i <= differs; i++)
            last = (uintptr_t)l.words[i] > last ? (uintptr_t)l.words[i] : last;
        char *end = (char *)(last / PAGE * PAGE) + PAGE;
        *word = ~before;
        ck_assert_int_eq(mprotect(end, (size_t)(stack + BYTES - end), PROT_NONE), 0);
        ck_assert(!path_trail_is(t, (const void *)l.frame));
        ck_assert_int_eq(mprotect(end, (size_t)(stack + BYTES - end), PROT_READ | PROT_WRITE), 0);
        *word = before;
        ck_assert(path_trail_is(t, (const void *)l.frame));
        free(t);
    }
}
END_TEST

/* The stack ends at each word. */
START_TEST(nothing_outside_is_read)
{
    static struct path_walk w;
    for (unsigned trial = 0; trial < TRIALS / 10; trial++) {
        struct layout l = lay_out(20, 64);
        const uintptr_t words = ((uintptr_t)stack + BYTES - l.frame) / 8;
        uint32_t longest = 0;
        for (uintptr_t i = 0; i <= words; i++) {
            l.range = (struct stack_range){l.frame, i * 8 + random_below(2) * 7};
            const struct call_path *p = find(&w, &l);
            ck_assert_ptr_nonnull(p);
            ck_assert(p->count >= longest && p->count <= l.count);
            ck_assert_int_eq(p->certain, p->count == l.count);
            longest = p->count;
            for (uint32_t j = 0; j < w.word_count; j++)
                ck_assert_uint_le((uintptr_t)(w.words[j] + 1), l.frame + l.range.size);
            struct path_trail *t = path_trail_new(&w);
            ck_assert(p->certain == (t != NULL));
            free(t);
        }
        ck_assert_uint_eq(longest, l.count);
        l.range = (struct stack_range){l.frame + 8, BYTES};
        ck_assert_uint_le(find(&w, &l)->count, l.count);
        for (uint32_t j = 0; j < w.word_count; j++)
            ck_assert_uint_ge((uintptr_t)w.words[j], l.frame + 8);
    }
}
END_TEST

START_TEST(unloaded_code_is_forgotten)
{
    static struct path_walk w;
    struct code_frame frames[SITE_FRAMES_MAX];
    struct layout stays = lay_out(5, 64);
    const struct call_path *first = find(&w, &stays);
    uintptr_t last_of_first = last_address;
    struct layout goes = lay_out(5, 64);
    const struct call_path *second = find(&w, &goes);
    ck_assert_uint_eq(path_frames(first, frames), 5);
    ck_assert_uint_eq(path_frames(second, frames), 5);
    moved_from = last_of_first + 1;
    paths_moved();
    ck_assert_uint_eq(path_frames(first, frames), 5);
    ck_assert_uint_eq(path_frames(second, frames), 0);
    const struct call_path *anew = find(&w, &goes);
    ck_assert_ptr_ne(anew, second);
    ck_assert_uint_eq(path_frames(anew, frames), 5);
    ck_assert_ptr_eq(frames[0].module, &modules[1]);
    rules[goes.sites[0]].cfa = FRAME_UNKNOWN; /* other code at the same address */
    moved_from = goes.sites[1];
    paths_moved();
    ck_assert_uint_eq(find(&w, &goes)->count, 1);
    ck_assert_uint_eq(path_frames(anew, frames), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("call_path");
    TCase *tests = tcase_create("call_path");
    tcase_add_checked_fixture(tests, begin, NULL);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, trail_has_all_words);
    tcase_add_test(tests, too_many_paths_end_at_the_site);
    tcase_add_test(tests, groups_are_on_one_page);
    tcase_add_test(tests, trails_count_alike_on_all_pages);
    tcase_add_test(tests, nothing_is_read_behind_another_page);
    tcase_add_test(tests, nothing_outside_is_read);
    tcase_add_test(tests, unloaded_code_is_forgotten);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
