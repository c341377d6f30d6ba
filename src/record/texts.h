/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts: strings of keys that have a number, each once in a table of the thread's. */
#ifndef PILGRIM_TEXTS_H
#define PILGRIM_TEXTS_H

#include "record/signature.h"

/* More distinct strings than that among signatures that keep being new: they leave the keys. Fewer keep apart few
 * signatures. */
#define TEXTS_DISTINCT 8

/* *VARY: the signatures of S from number FIRST on have more distinct strings than TEXTS_DISTINCT. errors: PILGRIM_NOMEM
 */
enum pilgrim_status texts_vary(const struct signatures *s, uint32_t first, bool *vary) PILGRIM_CHECKED;

/* Puts KEY into OUT with VALUE_TEXT in place of each string, which gets a number in TEXTS. Strings that have a 0 byte
 * stay as they are. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status texts_number(struct intern *texts, const uint8_t *key, size_t length,
                                 struct bytes *out) PILGRIM_CHECKED;

#endif
