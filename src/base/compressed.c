/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed sizes by zstd; see compressed.h. */
#include "base/compressed.h"

#include <zstd.h>

enum {
    LEVEL = 3,
    FRAME_BYTES = 9 /* magic number, descriptor, window, block header: a larger frame has them anyway */
};

size_t compressed_length(struct compressor *c, const void *data, size_t length)
{
    size_t bound = ZSTD_compressBound(length);
    c->scratch.length = 0;
    if (!c->context)
        c->context = ZSTD_createCCtx();
    uint8_t *to = bytes_reserve(&c->scratch, bound);
    if (!c->context || !to) {
        c->scratch.failed = true;
        return length;
    }
    size_t found = ZSTD_compressCCtx(c->context, to, bound, data, length, LEVEL);
    if (ZSTD_isError(found) || found >= length + FRAME_BYTES)
        return length;
    return found > FRAME_BYTES ? found - FRAME_BYTES : 1;
}

void compressor_free(struct compressor *c)
{
    ZSTD_freeCCtx(c->context);
    bytes_free(&c->scratch);
    *c = (struct compressor){0};
}
