/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints which threads share something, as ranges of ranks and of threads (--loops). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "print.h"
#include "rank_words.h"
#include "analysis/thread_loops.h"

enum {
    LIST_MAX = 60,   /* a list of at most so many characters is printed whole ... */
    LIST_HEAD = 40,  /* ... and so many characters of the beginning of a longer one */
    LIST_PLAIN = 24, /* of a longer one words are tried first */
    LISTS_MAX = 8
};

/* Prints a list of ranges with commas between them. IS_SHORT: of a long list only the beginning and the last range. */
static void out_ranges(struct output *o, const char *text, size_t length, bool is_short)
{
    size_t head = LIST_HEAD, tail = length;
    if (!is_short || length <= LIST_MAX) {
        out_bytes(o, text, length);
        return;
    }
    while (head > 1 && text[head - 1] != ',')
        head--;
    while (tail > head && text[tail - 1] != ',')
        tail--;
    out_bytes(o, text, head);
    out_text(o, "...,");
    out_bytes(o, text + tail, length - tail);
}

/* Returns NUMBERS as ranges, "0-8,12", for the caller to free. NULL: no memory. */
static char *fold_numbers(const uint32_t *numbers, size_t count)
{
    enum { DIGITS = 12 };
    char(*digits)[DIGITS] = malloc((count + 1) * sizeof *digits);
    const char **names = malloc((count + 1) * sizeof *names);
    char *folded = NULL;
    for (size_t i = 0; i < count && digits && names; i++) {
        snprintf(digits[i], DIGITS, "%u", numbers[i]);
        names[i] = digits[i];
    }
    if (digits && names)
        folded = fold_names(names, count);
    if (folded && folded[0] == '[') {
        size_t length = strlen(folded);
        memmove(folded, folded + 1, length - 2);
        folded[length - 2] = 0;
    }
    free(digits);
    free(names);
    return folded;
}

/* Prints "rank 3", or "ranks 0-8 (9)". False: no memory. */
static bool out_numbers(struct output *o, const char *what, const uint32_t *numbers, size_t count, bool is_short)
{
    char *folded = fold_numbers(numbers, count);
    if (!folded)
        return false;
    out_text(o, what);
    out_text(o, count == 1 ? " " : "s ");
    out_ranges(o, folded, strlen(folded), is_short);
    if (count > 1) {
        out_text(o, " (");
        out_uint(o, count);
        out_char(o, ')');
    }
    free(folded);
    return true;
}

/* The ranks that have a thread of this number among the threads that are shown together. `ranks` points into an array
 * of all. */
struct thread_ranks {
    uint32_t thread;
    const uint32_t *ranks;
    size_t count;
};

static int compare_threads(const void *a, const void *b)
{
    const struct shown_thread *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_ranks(const struct thread_ranks *a, const struct thread_ranks *b)
{
    size_t count = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < count; i++)
        if (a->ranks[i] != b->ranks[i])
            return a->ranks[i] < b->ranks[i] ? -1 : 1;
    return (a->count < b->count) - (a->count > b->count);
}

static int compare_lists(const void *a, const void *b)
{
    const struct thread_ranks *x = a, *y = b;
    int order = compare_ranks(x, y);
    return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Fills LISTS with the ranks of each thread number, and RANKS with the ranks themselves. Sorts the lists so that equal
 * ones are neighbours. Returns how many lists there are. */
static size_t list_ranks(const struct shown_thread *threads, size_t count, struct thread_ranks *lists, uint32_t *ranks)
{
    size_t lists_count = 0;
    for (size_t i = 0; i < count; i++) {
        ranks[i] = threads[i].rank;
        if (i == 0 || threads[i].thread != threads[i - 1].thread)
            lists[lists_count++] = (struct thread_ranks){.thread = threads[i].thread, .ranks = &ranks[i]};
        lists[lists_count - 1].count++;
    }
    qsort(lists, lists_count, sizeof *lists, compare_lists);
    return lists_count;
}

/* Prints "ranks 0-8 (9), threads 1-3 (3); rank 9, thread 1". NUMBERS: room for COUNT numbers. False: no memory. */
static bool out_lists(struct output *o, const struct thread_ranks *lists, size_t count, uint32_t *numbers)
{
    size_t i = 0;
    for (unsigned printed = 0; i < count && printed < LISTS_MAX; printed++) {
        const struct thread_ranks *list = &lists[i];
        size_t alike = 0;
        for (; i < count && compare_ranks(list, &lists[i]) == 0; i++)
            numbers[alike++] = lists[i].thread;
        if (printed > 0)
            out_text(o, "; ");
        if (!out_numbers(o, "rank", list->ranks, list->count, false))
            return false;
        out_text(o, ", ");
        if (!out_numbers(o, "thread", numbers, alike, true))
            return false;
    }
    size_t left = 0;
    for (; i < count; i++)
        left += lists[i].count;
    if (left) {
        out_text(o, "; ");
        out_uint(o, left);
        out_text(o, left == 1 ? " thread more" : " threads more");
    }
    return true;
}

bool threads_print(struct output *o, const struct shown_thread *list, size_t count)
{
    struct shown_thread *threads = malloc((count + 1) * sizeof *threads);
    struct thread_ranks *lists = malloc((count + 1) * sizeof *lists);
    uint32_t *ranks = malloc((count + 1) * sizeof *ranks), *numbers = malloc((count + 1) * sizeof *numbers);
    bool good = threads && lists && ranks && numbers;
    if (good) {
        memcpy(threads, list, count * sizeof *threads);
        qsort(threads, count, sizeof *threads, compare_threads);
        good = out_lists(o, lists, list_ranks(threads, count, lists, ranks), numbers);
    }
    free(threads);
    free(lists);
    free(ranks);
    free(numbers);
    return good;
}

/* Fills RANKS with those of SOME, and MISSING with those of AROUND that SOME lacks. False: not all threads are thread
 * 0, or SOME are not among AROUND. */
static bool list_missing(const struct shown_thread *some, size_t count, const struct shown_thread *around,
                         size_t around_count, uint32_t *ranks, uint32_t *missing)
{
    size_t found = 0, lacks = 0;
    for (size_t i = 0; i < around_count; i++) {
        if (around[i].thread != 0)
            return false;
        if (found < count && some[found].rank == around[i].rank && some[found].thread == 0)
            ranks[found++] = around[i].rank;
        else
            missing[lacks++] = around[i].rank;
    }
    return found == count;
}

/* Prints in words which of the ranks COUNT ranks are, if these are from 0 on, and there are words. */
static bool out_words(struct output *o, const uint32_t *ranks, size_t count, const struct shown_thread *around,
                      size_t around_count)
{
    struct rank_digit digits[RANK_DIGITS_MAX];
    bool *in = around[around_count - 1].rank == around_count - 1 ? calloc(around_count, sizeof *in) : NULL;
    char text[256];
    for (size_t i = 0; in && i < count; i++)
        in[ranks[i]] = true;
    const size_t found = in ? rank_words_find(in, (uint32_t)around_count, (uint32_t)count, digits) : 0;
    free(in);
    if (!found)
        return false;
    rank_words_write(digits, found, (uint32_t)around_count, text, sizeof text);
    out_uint(o, count);
    out_text(o, " of ");
    out_uint(o, around_count);
    out_text(o, " ranks: ");
    out_text(o, text);
    return true;
}

bool threads_print_some(struct output *o, const struct shown_thread *some, size_t count,
                        const struct shown_thread *around, size_t around_count)
{
    uint32_t *ranks = malloc((around_count + 1) * sizeof *ranks),
             *missing = malloc((around_count + 1) * sizeof *missing);
    char *folded = NULL, *others = NULL;
    bool good = ranks && missing;
    out_text(o, "on ");
    if (good && count < around_count && list_missing(some, count, around, around_count, ranks, missing)) {
        folded = fold_numbers(ranks, count);
        others = fold_numbers(missing, around_count - count);
        good = folded && others;
        const size_t shorter = good ? (strlen(others) < strlen(folded) ? strlen(others) : strlen(folded)) : 0;
        if (shorter > LIST_PLAIN && out_words(o, ranks, count, around, around_count)) {
            /* said */
        } else if (good && strlen(others) < strlen(folded)) {
            out_text(o, around_count - count == 1 ? "all ranks but " : "all but ranks ");
            out_ranges(o, others, strlen(others), true);
        } else if (good && count == 1) {
            out_text(o, "rank ");
            out_text(o, folded);
        } else if (good) {
            out_uint(o, count);
            out_text(o, " of ");
            out_uint(o, around_count);
            out_text(o, " ranks: ");
            out_ranges(o, folded, strlen(folded), true);
        }
    } else {
        out_uint(o, count);
        out_text(o, count == 1 ? " thread" : " threads");
    }
    free(ranks);
    free(missing);
    free(folded);
    free(others);
    return good;
}
