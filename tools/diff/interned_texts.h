/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts with numbers, from 0: equal texts have equal ones. */
#ifndef PILGRIM_DIFF_INTERNED_TEXTS_H
#define PILGRIM_DIFF_INTERNED_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct interned_text;

/* All zero: there are none. */
struct interned_texts {
    struct interned_text *table;
    struct interned_text **by_number;
    size_t count, capacity;
};

/* Returns the number of TEXT, which is copied. UINT32_MAX: no memory. */
uint32_t interned_text(struct interned_texts *t, const char *text);

/* Returns the number of TEXT, UINT32_MAX if it has none. */
uint32_t interned_text_known(const struct interned_texts *t, const char *text);

/* Returns the text with NUMBER; it must have been given out. Borrowed until interned_texts_free. */
const char *interned_text_at(const struct interned_texts *t, uint32_t number);
void interned_texts_free(struct interned_texts *t);

#endif
