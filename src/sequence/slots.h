/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots: the numbers of a call's values, and how a series of alike values becomes a vector (docs/FORMAT.md, sections 4
 * and 5): for each slot the first number and the list of differences. */
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

/* Fewer signatures in a row, and shorter arrays, stay as they are: over ranks each of their slots may be regular where
 * the lists are not. */
#define SLOT_SERIES_MIN VALUE_SERIES_MIN

enum slot_kind {
    SLOT_NUMBER,
    SLOT_RANK,  /* relative to the rank base's */
    SLOT_DELTAS /* the hash of a list of differences, 0: they are all 0; or of texts */
};

struct slot {
    int64_t value;
    uint32_t kind;
    int32_t base; /* SLOT_RANK: number of the current one */
};

/* A growing array; all zero is an empty one. */
struct slots {
    struct slot *items;
    size_t count;
    size_t capacity;
};

enum pilgrim_status slots_add(struct slots *s, struct slot slot) PILGRIM_CHECKED;
void slots_free(struct slots *s);

/* Values of one shape with WIDTH slots each, in a row. All zero but WIDTH, MIN and LISTS is an empty one. */
struct slot_series {
    size_t width;
    uint64_t min; /* values that make a vector, 1 or more */
    uint64_t count;
    struct intern *stored_deltas;    /* where vectors put their lists */
    struct slots raw;                /* of the first values; all of them while there are fewer than MIN */
    struct nested_runs *differences; /* for each slot, once it is a vector */
    int64_t *last;
};

/* Adds a value's slots if the series can have them; *FITS false: it cannot, end it and begin another one.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status slot_series_add(struct slot_series *s, const struct slot *slots, bool *fits) PILGRIM_CHECKED;

/* Whether slot_series_end will give a vector: two slots for each of a value, else WIDTH for each value. */
bool slot_series_has_deltas(const struct slot_series *s);

/* Appends the series' slots to OUT and empties it, but for WIDTH, MIN and LISTS. errors: PILGRIM_NOMEM */
enum pilgrim_status slot_series_end(struct slot_series *s, struct slots *out) PILGRIM_CHECKED;
void slot_series_free(struct slot_series *s);

/* A list of DIFFERENCES, which are closed, in LISTS: *HASH is what stands for it, 0 if all are 0. errors: PILGRIM_NOMEM
 */
enum pilgrim_status stored_deltas_add(struct intern *lists, struct nested_runs *differences,
                                      int64_t *hash) PILGRIM_CHECKED;

/* The same for differences that are a grammar over their codes, LENGTH bytes as serialised (rules/rules.h). */
enum pilgrim_status stored_deltas_add_grammar(struct intern *lists, const void *serialised, size_t length,
                                              int64_t *hash) PILGRIM_CHECKED;

/* TEXTS, which have no 0 byte in them, in the order of their numbers. *HASH is 0 if there are none. errors:
 * PILGRIM_NOMEM */
enum pilgrim_status stored_deltas_add_texts(struct intern *lists, const struct intern *texts,
                                            int64_t *hash) PILGRIM_CHECKED;

/* How many texts an entry of LISTS with LENGTH bytes has; 0 if it has differences. */
uint32_t stored_deltas_text_count(const uint8_t *data, size_t length);

/* How an entry of LISTS is written: this byte, then the list; texts have a 0 byte each at their ends. */
enum stored_deltas_form { STORED_DELTAS_RUNS, STORED_DELTAS_GRAMMAR, STORED_DELTAS_TEXTS };

/* What stands for an entry of LISTS, LENGTH bytes. */
int64_t stored_deltas_hash(const void *packed, size_t length);

#endif
