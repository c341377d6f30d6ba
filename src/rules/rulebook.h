/* SPDX-License-Identifier: BSD-3-Clause */
/* The rulebook: turns the grammars of a trace into the file's table `rules`, which all sequences share (docs/FORMAT.md,
 * "Rules and sequences").
 *
 * First rules and sequences are added, equal ones once; then the table is finished; then it is written. */
#ifndef PILGRIM_RULEBOOK_H
#define PILGRIM_RULEBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct rulebook;

struct rulebook_symbol {
    uint64_t value;    /* terminal below 2^62, or number of a rule from rulebook_rule */
    uint64_t exponent; /* 1 or more */
    bool is_rule;
};

struct rulebook *rulebook_new(void);    /* NULL: no memory */
void rulebook_free(struct rulebook *p); /* NULL is legal */

/* Sets *RULE to the rule with these COUNT >= 1 symbols (copied). Equal symbols give the same number.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^32 - 1 bytes or rules); the rulebook is then unchanged */
enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count,
                                  uint32_t *rule) PILGRIM_CHECKED;

/* Sets *SEQUENCE to the sequence with these symbols (copied; none: the empty sequence). Equal ones give the same
 * number. RAMPS: its terminals are plain numbers. Otherwise they are codes of differences, and neither the sequence nor
 * the rules that it uses get ramps.
 * errors: as rulebook_rule */
enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count,
                                      bool ramps, uint32_t *sequence) PILGRIM_CHECKED;

/* Does the same for a grammar as grammar_serialise writes it (rules.h).
 * errors: as rulebook_rule, but some rules may have been added; PILGRIM_DAMAGED, PILGRIM_TRUNCATED: not a grammar */
enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps,
                                        uint32_t *sequence) PILGRIM_CHECKED;

/* Finishes the table: finds ramps, packs what is irregular (pack.h), dissolves rules that do not pay (factor.h), and
 * numbers the others. Call it once, after the last addition. Near-linear; takes up to about a second.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the rulebook can then only be freed */
enum pilgrim_status rulebook_finish(struct rulebook *p) PILGRIM_CHECKED;

/* Does the same without packing. The table is larger, and less can go wrong. */
enum pilgrim_status rulebook_finish_plain(struct rulebook *p) PILGRIM_CHECKED;

/* Appends the file's table `rules` to OUT: the count, then each rule. */
void rulebook_write(const struct rulebook *p, struct bytes *out);

/* Returns the file's number for SEQUENCE (docs/FORMAT.md, section 4). */
uint64_t rulebook_reference(const struct rulebook *p, uint32_t sequence);

#endif
