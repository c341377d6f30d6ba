/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences that are compared as grammars, without expanding them.
 *
 * Each rule has a hash of what it stands for, a polynomial modulo 2^61 - 1, so that the hash of any prefix is found by
 * one way down from the start rule. Where two sequences part is a binary search for the longest prefix with equal
 * hashes. So sequences are compared by what they say, whatever their rules are. */
#ifndef PILGRIM_DIFF_HASHED_SEQUENCE_H
#define PILGRIM_DIFF_HASHED_SEQUENCE_H

#include <pilgrim/reader.h>

struct hashed_symbol {
    uint64_t value, exponent;
    bool is_rule, is_ramp;
    uint64_t length, raw; /* of what is before it in its rule; without, and with, what is dropped */
    uint64_t hash;        /* of that */
};

struct hashed_rule {
    size_t first, count;  /* symbols */
    uint64_t length, raw; /* as above, of the rule */
    uint64_t hash, power; /* POWER: the base to the LENGTH */
};

struct hashed_sequence {
    struct hashed_rule *rules; /* rule 0 is the start */
    uint32_t rule_count;
    struct hashed_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    const uint32_t *names; /* by terminal; NULL: terminals are their own names */
    const bool *dropped;   /* by terminal; NULL: none is */
    size_t name_count;
};

/* Reads the sequence NUMBER of CURSOR's segment. Sequences are equal if the names of their terminals are; terminals
 * that are dropped count for nothing. NAMES and DROPPED are borrowed; both NULL: NAME_COUNT is not used. errors:
 * PILGRIM_NOMEM, PILGRIM_DAMAGED (a terminal has no name). *S is to be freed in any case. */
enum pilgrim_status hashed_sequence_read(struct hashed_sequence *s, const struct pilgrim_cursor *cursor,
                                         uint64_t number, const uint32_t *names, const bool *dropped, size_t name_count,
                                         struct pilgrim_error *error);
void hashed_sequence_free(struct hashed_sequence *s);

static inline uint64_t hashed_length(const struct hashed_sequence *s)
{
    return s->rules[0].length;
}

/* Returns how many terminals from AT on A and B have in common, or how many at their ends, MOST at most. */
uint64_t hashed_common_from(const struct hashed_sequence *a, const struct hashed_sequence *b, uint64_t at);
uint64_t hashed_common_suffix(const struct hashed_sequence *a, const struct hashed_sequence *b, uint64_t most);

/* Sets *TERMINAL to the one at AT, and *RAW to how many are before it, dropped ones included. False: AT is behind the
 * end; *RAW is set then, too. */
bool hashed_at(const struct hashed_sequence *s, uint64_t at, uint64_t *terminal, uint64_t *raw);

/* Sets COUNTS and FIRST, by terminal below COUNT: how often it comes, and how many terminals that are not dropped are
 * before the first one. Either may be NULL. False: no memory. */
bool hashed_occurrences(const struct hashed_sequence *s, uint64_t *counts, uint64_t *first, size_t count);

/* Sets *AT to the position of the N-th TERMINAL, from 0, which is not dropped. False: there are not so many; or no
 * memory. */
bool hashed_find(const struct hashed_sequence *s, uint64_t terminal, uint64_t n, uint64_t *at);

#endif
