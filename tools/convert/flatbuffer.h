/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes FlatBuffers from front to back: a table before what it refers to. https://flatbuffers.dev/internals/
 * Positions are those in the buffer, which begins with the offset of the root table. */
#ifndef CONVERT_FLATBUFFER_H
#define CONVERT_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct flatbuffer {
    unsigned char *bytes;
    size_t used, capacity;
    bool short_of_memory; /* what was put since is lost */
};

enum { FLAT_FIELDS_MAX = 8 };

/* A table that was put: where its fields are. */
struct flat_table {
    size_t at, fields[FLAT_FIELDS_MAX];
};

/* Empties the buffer and keeps its memory; then the root table is put first. */
void flat_begin(struct flatbuffer *f);
void flat_free(struct flatbuffer *f);

/* Puts a table with a field for each character of SIZES: 1, 2, 4 or 8 bytes, or - for one that is left out. References
 * have 4. All fields are 0. */
struct flat_table flat_table(struct flatbuffer *f, const char *sizes);

/* Sets a number; each field once. */
void flat_set(struct flatbuffer *f, const struct flat_table *t, unsigned field, uint64_t value, size_t size);

/* Makes the 4 bytes at POSITION, a field or an element of a vector, refer to what is at TO, which is behind them. */
void flat_refer(struct flatbuffer *f, size_t position, size_t to);

/* Each returns the position of what it puts: of a text; of a vector of COUNT references, whose first is at that + 4; of
 * a vector of structs, to be filled at *FIRST. */
size_t flat_text(struct flatbuffer *f, const char *text);
size_t flat_vector(struct flatbuffer *f, size_t count);
size_t flat_structs(struct flatbuffer *f, size_t count, size_t size, size_t *first);

/* Puts a number at a position. */
void flat_number(struct flatbuffer *f, size_t position, uint64_t value, size_t size);

/* Fills up to a multiple of 8 bytes. */
void flat_end(struct flatbuffer *f);

#endif
