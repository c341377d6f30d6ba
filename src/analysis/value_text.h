/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of calls as text, as pilgrim-decode prints them, and the different texts of a column. */
#ifndef ANALYSIS_VALUE_TEXT_H
#define ANALYSIS_VALUE_TEXT_H

#include <pilgrim/reader.h>

/* A text that grows. All zero: it is empty. */
struct value_text {
    char *text; /* no NUL behind it */
    size_t used, capacity;
    bool failed; /* no memory */
};

/* Appends a value, whatever its size; a text as it may be printed (pilgrim_printable). */
void value_text_add(struct value_text *t, const struct pilgrim_value *v);

/* Appends a text in the same way. */
void value_text_name(struct value_text *t, const char *text, size_t length);

struct text_set_entry {
    char *text; /* a NUL behind it */
    size_t length;
    uint64_t hash;
};

/* Different texts, numbered from 0. All zero: none. */
struct text_set {
    struct text_set_entry *entries;
    size_t count, capacity;
    uint32_t *slots; /* numbers + 1; 0: free */
    size_t slot_count;
};

/* Returns the number of a text, which is added if it is new; -1: no memory, -2: there would be more than 2^31 - 1. */
int64_t text_set_number(struct text_set *s, const char *text, size_t length);
void text_set_free(struct text_set *s);

#endif
