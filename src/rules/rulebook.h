/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules that all sequences of a trace share: from the grammars of its parts to the file's table `rules`
 * (docs/FORMAT.md, "Rules and sequences").
 *
 * Rules and sequences are added, each equal one once; then the table is finished and written. */
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

/* The rule with these COUNT >= 1 symbols (copied) in *RULE; equal symbols give the same number.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^32 - 1 bytes or rules); the rulebook is as it was */
enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count,
                                  uint32_t *rule) PILGRIM_CHECKED;

/* The sequence with these symbols (copied; none: the empty one) in *SEQUENCE; equal ones give the same number.
 * RAMPS: its terminals are plain numbers. Else they are codes of differences, and no ramp comes into it, nor into the
 * rules that it uses. errors: as rulebook_rule */
enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count,
                                      bool ramps, uint32_t *sequence) PILGRIM_CHECKED;

/* The same from a grammar as grammar_serialise writes it (rules.h).
 * errors: as rulebook_rule, but rules may have been added; PILGRIM_DAMAGED, PILGRIM_TRUNCATED: not a grammar */
enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps,
                                        uint32_t *sequence) PILGRIM_CHECKED;

/* After the last addition, once: finds ramps, packs what is irregular (pack.h), dissolves rules that do not pay
 * (factor.h), numbers the others. Near-linear; up to about a second. errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the rulebook
 * can then only be freed */
enum pilgrim_status rulebook_finish(struct rulebook *p) PILGRIM_CHECKED;

/* The same, but that nothing is packed: larger, and little can be wrong with it. */
enum pilgrim_status rulebook_finish_plain(struct rulebook *p) PILGRIM_CHECKED;

/* The file's table `rules`, appended to OUT: count, each a rule. */
void rulebook_write(const struct rulebook *p, struct bytes *out);

/* What the file calls SEQUENCE (docs/FORMAT.md, section 4). */
uint64_t rulebook_reference(const struct rulebook *p, uint32_t sequence);

#endif
