/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts: strings of keys that are replaced by numbers. A table of the thread has each string once. */
#ifndef PILGRIM_TEXTS_H
#define PILGRIM_TEXTS_H

#include "record/signature.h"

/* Strings leave the keys if there are more distinct ones than this among signatures that keep being new. Fewer
 * strings distinguish few signatures. */
#define TEXTS_DISTINCT 8

/* Sets *VARY to true if the signatures of S from number FIRST on have more than TEXTS_DISTINCT distinct strings.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status texts_vary(const struct signatures *s, uint32_t first, bool *vary) PILGRIM_CHECKED;

/* Writes KEY to OUT with VALUE_TEXT in place of each string. Strings get numbers in TEXTS. A string that contains a 0
 * byte stays as it is.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status texts_number(struct intern *texts, const uint8_t *key, size_t length,
                                 struct bytes *out) PILGRIM_CHECKED;

/* Returns the length that KEY had before texts_number. */
size_t texts_plain_length(const struct intern *texts, const uint8_t *key, size_t length);

#endif
