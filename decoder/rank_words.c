/* SPDX-License-Identifier: BSD-3-Clause */
/* See rank_words.h. */
#include "rank_words.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WORLD_MAX = 1 << 16, /* more ranks are not looked at */
    CANDIDATES_MAX = 256
};

/* Sets FROM and UNTIL of a digit to those that ranks of the set have. False: these are none of the sets of digits that
 * have words. */
static bool find_digits(const bool *in, uint32_t world, struct rank_digit *d)
{
    uint32_t least = d->extent, most = 0;
    for (uint32_t rank = 0; rank < world; rank++) {
        const uint32_t digit = rank / d->step % d->extent;
        if (in[rank]) {
            least = digit < least ? digit : least;
            most = digit > most ? digit : most;
        }
    }
    d->from = least;
    d->until = most + 1;
    const uint32_t last = d->extent - 1;
    const bool edge = least == most && (least == 0 || least == last);
    return edge || (least <= 1 && most + 1 >= last && (least > 0 || most < last));
}

/* Returns true if all ranks that have these digits are in the set, which has COUNT. Each rank of the set has them. */
static bool are_all(uint32_t world, uint32_t count, const struct rank_digit *digits, size_t digit_count)
{
    uint64_t ranks = world;
    for (size_t i = 0; i < digit_count; i++)
        ranks = ranks / digits[i].extent * (digits[i].until - digits[i].from);
    return ranks == count;
}

/* Chooses MOST digits of CANDIDATES, from FIRST on, behind those that are chosen: one that begins where the last one
 * ends, or behind that. False: there are none that say it. */
static bool choose(const struct rank_digit *candidates, size_t first, size_t candidate_count, uint32_t world,
                   uint32_t count, struct rank_digit *digits, size_t chosen, size_t most)
{
    if (chosen == most)
        return are_all(world, count, digits, chosen);
    for (size_t i = first; i < candidate_count; i++) {
        const struct rank_digit *before = chosen ? &digits[chosen - 1] : NULL;
        if (before && candidates[i].step % ((uint64_t)before->step * before->extent) != 0)
            continue;
        digits[chosen] = candidates[i];
        if (choose(candidates, i + 1, candidate_count, world, count, digits, chosen + 1, most))
            return true;
    }
    return false;
}

size_t rank_words_find(const bool *in, uint32_t world, uint32_t count, struct rank_digit digits[RANK_DIGITS_MAX])
{
    struct rank_digit candidates[CANDIDATES_MAX];
    size_t candidate_count = 0;
    if (world > WORLD_MAX || count == 0 || count == world)
        return 0;
    for (uint32_t step = 1; step < world; step++) {
        for (uint32_t extent = 2; world % step == 0 && extent <= world / step; extent++) {
            struct rank_digit d = {.step = step, .extent = extent};
            if (world / step % extent == 0 && candidate_count < CANDIDATES_MAX && find_digits(in, world, &d))
                candidates[candidate_count++] = d;
        }
    }
    for (size_t most = 1; most <= RANK_DIGITS_MAX; most++)
        if (choose(candidates, 0, candidate_count, world, count, digits, 0, most))
            return most;
    return 0;
}

static void write_digit(const struct rank_digit *d, uint32_t world, char *text, size_t size)
{
    const uint32_t last = d->extent - 1;
    const bool is_first = d->until == 1, is_last = d->from == last;
    const char *which = is_first                              ? "the first"
                        : is_last                             ? "the last"
                        : d->from > 0 && d->until < d->extent ? "neither the first nor the last"
                        : d->from > 0                         ? "not the first"
                                                              : "not the last";
    char steps[16] = "", every[32] = "";
    if (d->step > 1)
        snprintf(steps, sizeof steps, " %u", d->step);
    if ((uint64_t)d->step * d->extent < world)
        snprintf(every, sizeof every, " of every %u", d->step * d->extent);
    snprintf(text, size, "%s%s%s", which, steps, every);
}

void rank_words_write(const struct rank_digit *digits, size_t count, uint32_t world, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < count && length < size; i++) {
        char words[96];
        write_digit(&digits[i], world, words, sizeof words);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", words);
    }
}
