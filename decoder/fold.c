/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortens lists of names; see fold.h.
 *
 * Names with the same text around their numbers form a family. If a family has every combination of the numbers at each
 * position, it becomes one expression. Otherwise, names that differ only in the last number become one expression. */
#define _GNU_SOURCE 1 /* open_memstream */
#include "fold.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 18, NUMBERS_MAX = 8, RUN_MIN = 3 };

/* A group of digits in a name. */
struct number {
    const char *digits;
    size_t length;
    uint64_t value;
};

struct name {
    const char *text;
    size_t count; /* of numbers; the text behind the last one may have digits, too */
    struct number numbers[NUMBERS_MAX];
};

/* ---- names ---- */

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

static void split(struct name *name, const char *text)
{
    *name = (struct name){.text = text};
    for (text += strcspn(text, "0123456789"); *text && name->count < NUMBERS_MAX; text += strcspn(text, "0123456789")) {
        size_t length = count_digits(text);
        if (length <= DIGITS_MAX)
            name->numbers[name->count++] = (struct number){text, length, strtoull(text, NULL, 10)};
        text += length;
    }
}

/* Returns the text before number I; for I = count, the text behind the last number. */
static const char *text_before(const struct name *name, size_t i, size_t *length)
{
    const char *start = i ? name->numbers[i - 1].digits + name->numbers[i - 1].length : name->text;
    *length = i < name->count ? (size_t)(name->numbers[i].digits - start) : strlen(start);
    return start;
}

static int compare_numbers(const struct number *a, const struct number *b)
{
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->length > b->length) - (a->length < b->length);
}

/* Compares the texts around the numbers: 0 within a family. */
static int compare_texts(const struct name *a, const struct name *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = 0; i <= a->count; i++) {
        size_t length_a, length_b;
        const char *text_a = text_before(a, i, &length_a), *text_b = text_before(b, i, &length_b);
        int order = memcmp(text_a, text_b, length_a < length_b ? length_a : length_b);
        if (order || length_a != length_b)
            return order ? order : length_a < length_b ? -1 : 1;
    }
    return 0;
}

static int compare_names(const void *x, const void *y)
{
    const struct name *a = x, *b = y;
    int order = compare_texts(a, b);
    for (size_t i = 0; i < a->count && !order; i++)
        order = compare_numbers(&a->numbers[i], &b->numbers[i]);
    return order;
}

static int compare_number_entries(const void *x, const void *y)
{
    return compare_numbers(x, y);
}

/* ---- numbers in brackets ---- */

/* True if B is as wide as a range that begins with A would write it. */
static bool same_width(const struct number *a, const struct number *b)
{
    if (a->length > 1 && *a->digits == '0')
        return b->length == a->length || (b->length > a->length && *b->digits != '0');
    return b->length == 1 || *b->digits != '0';
}

/* Returns how many of the COUNT numbers at N, sorted, form one range from the first on; *STEP is its step. */
static size_t run_of(const struct number *n, size_t count, uint64_t *step)
{
    size_t length = 1;
    *step = count > 1 ? n[1].value - n[0].value : 1;
    if (*step == 0)
        return 1;
    while (length < count && n[length].value - n[length - 1].value == *step && same_width(n, &n[length]))
        length++;
    return *step > 1 && length < RUN_MIN ? 1 : length;
}

static void print_number(FILE *to, const struct number *n)
{
    fprintf(to, "%.*s", (int)n->length, n->digits);
}

/* Prints COUNT numbers, sorted, none twice. */
static void print_numbers(FILE *to, const struct number *n, size_t count)
{
    if (count == 1) {
        print_number(to, n);
        return;
    }
    for (size_t i = 0; i < count;) {
        uint64_t step;
        size_t length = run_of(n + i, count - i, &step);
        fputc(i ? ',' : '[', to);
        print_number(to, &n[i]);
        if (length > 1) {
            fputc('-', to);
            print_number(to, &n[i + length - 1]);
        }
        if (length > 1 && step > 1)
            fprintf(to, "/%llu", (unsigned long long)step);
        i += length;
    }
    fputc(']', to);
}

/* ---- families ---- */

/* Collects the different numbers that COUNT names have at position I, sorted, in ROOM; returns how many there are. */
static size_t numbers_at(const struct name *names, size_t count, size_t i, struct number *room)
{
    size_t different = 0;
    for (size_t n = 0; n < count; n++)
        room[n] = names[n].numbers[i];
    qsort(room, count, sizeof *room, compare_number_entries);
    for (size_t n = 0; n < count; n++)
        if (!different || compare_numbers(&room[different - 1], &room[n]) != 0)
            room[different++] = room[n];
    return different;
}

/* True if COUNT names of a family are all combinations of their numbers. */
static bool is_product(const struct name *names, size_t count, struct number *room)
{
    size_t product = 1;
    for (size_t i = 0; i < names->count && product <= count; i++)
        product *= numbers_at(names, count, i, room);
    return product == count;
}

static void print_product(FILE *to, const struct name *names, size_t count, struct number *room)
{
    for (size_t i = 0; i <= names->count; i++) {
        size_t length;
        const char *text = text_before(names, i, &length);
        fwrite(text, 1, length, to);
        if (i < names->count)
            print_numbers(to, room, numbers_at(names, count, i, room));
    }
}

/* Returns how many of COUNT names, sorted, equal the first one but for the last number. */
static size_t alike(const struct name *names, size_t count)
{
    size_t n = 1, before = names->count ? names->count - 1 : 0;
    for (; n < count; n++)
        for (size_t i = 0; i < before; i++)
            if (compare_numbers(&names[0].numbers[i], &names[n].numbers[i]) != 0)
                return n;
    return n;
}

/* Prints COUNT names of a family, sorted, none twice. */
static void print_family(FILE *to, const struct name *names, size_t count, struct number *room)
{
    if (is_product(names, count, room)) {
        print_product(to, names, count, room);
        return;
    }
    for (size_t n = 0; n < count;) {
        size_t length = alike(names + n, count - n);
        if (n)
            fputc(',', to);
        print_product(to, names + n, length, room);
        n += length;
    }
}

static void print_all(FILE *to, struct name *names, size_t count, struct number *room)
{
    size_t different = 0;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t n = 0; n < count; n++)
        if (!different || compare_names(&names[different - 1], &names[n]) != 0)
            names[different++] = names[n];
    for (size_t n = 0; n < different;) {
        size_t length = 1;
        while (n + length < different && compare_texts(&names[n], &names[n + length]) == 0)
            length++;
        if (n)
            fputc(',', to);
        print_family(to, names + n, length, room);
        n += length;
    }
}

char *fold_names(const char *const *texts, size_t count)
{
    char *folded = NULL;
    size_t length;
    struct name *names = malloc((count + 1) * sizeof *names);
    struct number *room = malloc((count + 1) * sizeof *room);
    FILE *to = names && room ? open_memstream(&folded, &length) : NULL;
    if (to) {
        for (size_t n = 0; n < count; n++)
            split(&names[n], texts[n]);
        print_all(to, names, count, room);
        if (fclose(to) != 0) {
            free(folded);
            folded = NULL;
        }
    }
    free(names);
    free(room);
    return folded;
}
