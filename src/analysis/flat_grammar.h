/* SPDX-License-Identifier: BSD-3-Clause */
/* A stored grammar with the place of each symbol, so that any element of its sequence is found at once. */
#ifndef ANALYSIS_FLAT_GRAMMAR_H
#define ANALYSIS_FLAT_GRAMMAR_H

#include <stddef.h>

#include <pilgrim/reader.h>

enum { FLAT_GRAMMAR_DEPTH_MAX = 64 /* of rules in rules, the first one too */ };

/* All zero: there is none. */
struct flat_grammar {
    uint32_t rules;
    size_t *first;                  /* of each rule, and behind the last: its first symbol */
    struct pilgrim_symbol *symbols; /* of all rules */
    uint64_t *end;                  /* of each symbol: the elements of its rule up to there */
};

/* Reads the grammar of SEQUENCE. *FLAT has no rules if it is so large or nested that it is not worth it. errors:
 * PILGRIM_NOMEM, as pilgrim_grammar_open */
enum pilgrim_status flat_grammar_read(struct flat_grammar *flat, const struct pilgrim_cursor *cursor, uint64_t sequence,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;
void flat_grammar_free(struct flat_grammar *flat);

/* Returns how many elements a rule has. */
uint64_t flat_grammar_length(const struct flat_grammar *flat, uint32_t rule);

/* A symbol that stands for one of the elements of the sequence. */
struct flat_place {
    const struct pilgrim_symbol *symbol;
    uint64_t size;   /* elements of the symbol without its exponent */
    uint64_t inside; /* the element's number among those of the symbol, exponent and all */
};

/* Sets *PLACE to the symbol of RULE that has its element INDEX; false: there is none. */
bool flat_grammar_find(const struct flat_grammar *flat, uint32_t rule, uint64_t index, struct flat_place *place);

/* Returns element INDEX of RULE, which has it. */
uint64_t flat_grammar_at(const struct flat_grammar *flat, uint32_t rule, uint64_t index);

#endif
