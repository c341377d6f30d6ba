/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots are the numbers of a call's values. A series of alike values is stored slot by slot as first number and
 * differences (docs/FORMAT.md, sections 4 and 5).
 *
 * Differences and texts are stored once by content, in an intern table of "stored deltas". A slot refers to them by
 * hash. */
#ifndef PILGRIM_SLOTS_H
#define PILGRIM_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/intern.h"
#include "base/value.h"
#include "sequence/nested_runs.h"
#include "pilgrim/status.h"

/* Fewer consecutive signatures, and shorter arrays, are not stored as series: each of their slots may be regular over
 * the ranks where the differences are not. */
#define SLOT_SERIES_MIN VALUE_SERIES_MIN

enum slot_kind {
    SLOT_NUMBER,
    SLOT_RANK,  /* relative to the rank of its rank base */
    SLOT_DELTAS /* the hash of stored deltas, 0 if all differences are 0; or the hash of stored texts */
};

struct slot {
    int64_t value;
    uint32_t kind;
    int32_t base; /* SLOT_RANK: number of the current rank base */
};

/* A growing array. A struct of zeros is empty. */
struct slots {
    struct slot *items;
    size_t count;
    size_t capacity;
};

enum pilgrim_status slots_add(struct slots *s, struct slot slot) PILGRIM_CHECKED;
void slots_free(struct slots *s);

/* Consecutive values of one shape with WIDTH slots each. A struct with WIDTH, MIN and STORED_DELTAS set and all else
 * zero is empty. */
struct slot_series {
    size_t width;
    uint64_t min; /* from so many values on (1 or more) the series is stored as differences */
    uint64_t count;
    struct intern *stored_deltas;    /* the table that takes the differences */
    struct slots raw;                /* slots of the first values; of all values while they are fewer than MIN */
    struct nested_runs *differences; /* for each slot, once there are MIN values; else NULL */
    int64_t *last;
    int64_t *step; /* from the value before the last one, from the second value on */
};

/* Adds the slots of a value. *FITS false: a difference is too large; end the series and begin another one.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status slot_series_add(struct slot_series *s, const struct slot *slots, bool *fits) PILGRIM_CHECKED;

/* Adds COUNT values more, which go on by the step to the last value. There are two values, and MIN is at most 2.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status slot_series_go_on(struct slot_series *s, uint64_t count) PILGRIM_CHECKED;

/* True if slot_series_end will write two slots for each slot of a value: the first number and the hash of the
 * differences. Otherwise it writes WIDTH slots for each value. */
bool slot_series_has_deltas(const struct slot_series *s);

/* Appends the slots of the series to OUT and empties the series, but for WIDTH, MIN and STORED_DELTAS.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status slot_series_end(struct slot_series *s, struct slots *out) PILGRIM_CHECKED;
void slot_series_free(struct slot_series *s);

/* Closes DIFFERENCES and adds them to TABLE, of stored deltas. *HASH: their hash, 0 if all are 0.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status stored_deltas_add(struct intern *table, struct nested_runs *differences,
                                      int64_t *hash) PILGRIM_CHECKED;

/* Does the same for differences as a grammar over their codes, LENGTH serialised bytes (rules/rules.h). */
enum pilgrim_status stored_deltas_add_grammar(struct intern *table, const void *serialised, size_t length,
                                              int64_t *hash) PILGRIM_CHECKED;

/* Does the same for TEXTS, in the order of their numbers; none contains a 0 byte. *HASH is 0 if there are no texts.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status stored_deltas_add_texts(struct intern *table, const struct intern *texts,
                                            int64_t *hash) PILGRIM_CHECKED;

/* Returns the number of texts in an entry of the table, LENGTH bytes; 0 if it has differences. */
uint32_t stored_deltas_text_count(const uint8_t *data, size_t length);

/* The first byte of an entry of the table. It says what follows: nested runs, a serialised grammar, or texts with a 0
 * byte after each. */
enum stored_deltas_form { STORED_DELTAS_RUNS, STORED_DELTAS_GRAMMAR, STORED_DELTAS_TEXTS };

/* Returns the hash of an entry of the table, LENGTH bytes. It is never 0. */
int64_t stored_deltas_hash(const void *packed, size_t length);

#endif
