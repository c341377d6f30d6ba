/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded names: expressions written by hand, and random sets of names that an expander of the test's own gives back.
 * The decoder's files are not in the library of the modules; they are compiled in here. */
#include "../../decoder/fold.c"

#include <check.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void check_folded(const char *const *names, size_t count, const char *expected)
{
    char *folded = fold_names(names, count);
    ck_assert_ptr_nonnull(folded);
    ck_assert_str_eq(folded, expected);
    free(folded);
}

START_TEST(by_eye)
{
    check_folded((const char *[]){"a"}, 1, "a");
    check_folded((const char *[]){"a", "a"}, 2, "a");
    check_folded((const char *[]){"b", "a"}, 2, "a,b");
    check_folded((const char *[]){"n10", "n9", "n8"}, 3, "n[8-10]");
    check_folded((const char *[]){"n08", "n09", "n10"}, 3, "n[08-10]");
    check_folded((const char *[]){"n99", "n100"}, 2, "n[99-100]");
    check_folded((const char *[]){"n0999", "n1000"}, 2, "n[0999-1000]");
    check_folded((const char *[]){"n1", "n02"}, 2, "n[1,02]");
    check_folded((const char *[]){"n1", "n01", "n001"}, 3, "n[1,01,001]");
    check_folded((const char *[]){"n01", "n2"}, 2, "n[01,2]");
    check_folded((const char *[]){"n1", "n3", "n5", "n7"}, 4, "n[1-7/2]");
    check_folded((const char *[]){"n1", "n3", "n5", "n6"}, 4, "n[1-5/2,6]");
    check_folded((const char *[]){"n1", "n3", "n4"}, 3, "n[1,3-4]");
    check_folded((const char *[]){"r0n0", "r0n1", "r1n0", "r1n1"}, 4, "r[0-1]n[0-1]");
    check_folded((const char *[]){"r0n0", "r0n1", "r1n0"}, 3, "r0n[0-1],r1n0");
    check_folded((const char *[]){"c1-ib0", "c2-ib0", "login", "c1"}, 4, "login,c1,c[1-2]-ib0");
    check_folded((const char *[]){"x1234567890123456789", "x1234567890123456780"}, 2,
                 "x1234567890123456780,x1234567890123456789");
    check_folded((const char *[]){"x999999999999999998", "x999999999999999999"}, 2,
                 "x[999999999999999998-999999999999999999]");
    check_folded(NULL, 0, "");
}
END_TEST

/* ---- expanding ---- */

enum { NAME_BYTES = 64, NAMES_MAX = 4000 };

static char expanded[NAMES_MAX][NAME_BYTES];
static size_t expanded_count;

/* Appends all that EXPRESSION, up to a comma or the end, stands for behind HEAD; returns its end. */
static const char *expand(const char *head, const char *expression)
{
    char name[2 * NAME_BYTES];
    size_t plain = strcspn(expression, "[,");
    const char *end = expression + plain;
    if (*end != '[') {
        ck_assert_uint_lt(expanded_count, NAMES_MAX);
        snprintf(expanded[expanded_count++], NAME_BYTES, "%s%.*s", head, (int)plain, expression);
        return end;
    }
    const char *behind = strchr(end, ']') + 1;
    do {
        int width = (int)strspn(++end, "0123456789");
        unsigned long first = strtoul(end, NULL, 10), last = first, step = 1;
        if (*end != '0')
            width = 1;
        end += strspn(end, "0123456789");
        if (*end == '-') {
            char *after;
            last = strtoul(end + 1, &after, 10);
            end = after;
        }
        if (*end == '/') {
            char *after;
            step = strtoul(end + 1, &after, 10);
            end = after;
        }
        for (unsigned long n = first; n <= last; n += step) {
            snprintf(name, sizeof name, "%s%.*s%0*lu", head, (int)plain, expression, width, n);
            expand(name, behind);
        }
    } while (*end == ',');
    ck_assert_ptr_eq(end + 1, behind);
    while (*behind && *behind != ',') /* commas in later brackets belong to these */
        behind += *behind == '[' ? strcspn(behind, "]") + 1 : 1;
    return behind;
}

static void expand_list(const char *list)
{
    expanded_count = 0;
    for (;; list++) {
        list = expand("", list);
        if (!*list)
            return;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static uint64_t state = 1;

static unsigned draw(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % limit;
}

START_TEST(sets_come_back)
{
    static const char *const forms[] = {"n%u", "n%03u", "r%ui%un%u", "r%ui%02un%u", "x%u-%u", "%u", "%02u.dom"};
    static char names[NAMES_MAX / 4][NAME_BYTES];
    const char *texts[COUNT(names)];
    for (unsigned round = 0; round < 1000; round++) {
        size_t count = 1 + draw(round % 50 ? 40 : COUNT(names) - 1);
        unsigned limit = 1 + draw(round % 3 ? 12 : 300), families = 1 + draw(3), family = draw(COUNT(forms));
        for (size_t i = 0; i < count; i++) {
            const char *form = forms[(family + draw(families)) % COUNT(forms)];
            snprintf(names[i], NAME_BYTES, form, draw(limit), draw(limit), draw(limit));
            texts[i] = names[i];
        }
        char *folded = fold_names(texts, count);
        ck_assert_ptr_nonnull(folded);
        expand_list(folded);
        qsort(names, count, NAME_BYTES, by_text);
        qsort(expanded, expanded_count, NAME_BYTES, by_text);
        size_t different = 0;
        for (size_t i = 0; i < count; i++) {
            if (i && !strcmp(names[i - 1], names[i]))
                continue;
            ck_assert_msg(different < expanded_count && !strcmp(names[i], expanded[different]), "%s is not in %s",
                          names[i], folded);
            different++;
        }
        ck_assert_msg(different == expanded_count, "%zu names, %zu in %s", different, expanded_count, folded);
        free(folded);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fold");
    TCase *names = tcase_create("names");
    tcase_add_test(names, by_eye);
    tcase_add_test(names, sets_come_back);
    suite_add_tcase(suite, names);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
