/* SPDX-License-Identifier: BSD-3-Clause */
/* How long bytes are once they are compressed: to choose between two ways to write the same. */
#ifndef PILGRIM_COMPRESSED_H
#define PILGRIM_COMPRESSED_H

#include <stddef.h>

#include "base/bytes.h"

/* All zero at first; what is needed is kept from one use to the next. */
struct compressor {
    void *context;
    struct bytes scratch;
};

/* Bytes of DATA inside a larger frame, about: at most LENGTH. In some 10 ms a megabyte. b->scratch.failed: no memory;
 * LENGTH is returned then. */
size_t compressed_length(struct compressor *c, const void *data, size_t length);

void compressor_free(struct compressor *c);

#endif
