/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates the compressed size of bytes, to choose between two ways to write the same data. */
#ifndef PILGRIM_COMPRESSED_H
#define PILGRIM_COMPRESSED_H

#include <stddef.h>

#include "base/bytes.h"

/* A compressor of zeros is ready for use. It keeps its memory from one use to the next. */
struct compressor {
    void *context;
    struct bytes scratch;
};

/* Returns about how many bytes DATA takes inside a larger compressed frame, at most LENGTH. Takes some 10 ms a
 * megabyte. If memory is short, sets c->scratch.failed and returns LENGTH. */
size_t compressed_length(struct compressor *c, const void *data, size_t length);

void compressor_free(struct compressor *c);

#endif
