/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the content of a section into a shard: memory and time within a budget, counts, indexes, sequences.
 *
 * The first problem sticks, like the status of a struct cursor. After it all functions do nothing and return 0, false
 * or NULL, so a caller may check once, behind a loop's condition. */
#ifndef PILGRIM_PARSER_H
#define PILGRIM_PARSER_H

#include "read/table/shard.h"

/* What opening a file may still take. */
struct budget {
    uint64_t bytes;
    uint64_t steps;
    const char *problem; /* if it takes more bytes: one of the next two */
};

extern const char too_much_for_file[];   /* a file of its length may not need so much */
extern const char too_much_for_caller[]; /* the caller of pilgrim_open_limited allows less */

struct parser {
    struct cursor in;
    struct shard *shard;
    struct budget *budget;
    uint8_t stored_type; /* of the section */
    const char *problem; /* a constant, or NULL */
};

/* Returns COUNT zeroed entries of SIZE bytes that live as long as the shard. NULL: the parser's status says why. */
void *parser_take(struct parser *p, size_t count, size_t size);

/* Takes BYTES, which were allocated elsewhere, off the budget. False: it is too much. */
bool parser_charge(struct parser *p, uint64_t bytes);

/* Takes STEPS off the budget. False: opening would take too long. */
bool parser_work(struct parser *p, uint64_t steps);

/* Fails with PILGRIM_DAMAGED, or with STATUS. PROBLEM: a constant. Only the first problem is kept. */
void parser_fail(struct parser *p, const char *problem);
void parser_fail_with(struct parser *p, enum pilgrim_status status, const char *problem);

/* True if there was no problem. */
bool parser_good(const struct parser *p);

/* Reads a count of entries that take MINIMUM bytes each, or more. WHAT: the problem if the count is wrong. */
size_t parser_count(struct parser *p, size_t minimum, const char *what);

/* Reads an index below LIMIT. WHAT: the problem if it is not. */
uint32_t parser_index(struct parser *p, size_t limit, const char *what);

/* Reads a text and its 0 byte. The text is borrowed from the content; after a problem it is "". */
struct string parser_text(struct parser *p);

/* Reads a sequence and returns it as rules/rules.h numbers it. */
uint64_t parser_sequence(struct parser *p);

/* Returns the index, below LIMIT, that the reference CODE stands for. *NEXT: what a code of 0 means. */
uint32_t parser_resolve(struct parser *p, uint64_t code, size_t limit, uint32_t *next, const char *what);

/* Reads a reference and resolves it. */
uint32_t parser_reference(struct parser *p, size_t limit, uint32_t *next, const char *what);

/* As parser_resolve, for a reference that was checked before. */
static inline uint32_t reference_resolve(uint64_t code, uint32_t *next)
{
    uint32_t number = code ? (uint32_t)(code - 1) : *next;
    if (number >= *next)
        *next = number + 1;
    return number;
}

#endif
