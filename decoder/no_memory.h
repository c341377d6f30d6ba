/* SPDX-License-Identifier: BSD-3-Clause */
/* The error for a lack of memory, in one place. */
#ifndef DECODER_NO_MEMORY_H
#define DECODER_NO_MEMORY_H

#include <pilgrim/reader.h>

/* Returns PILGRIM_NOMEM, and fills in *ERROR. */
static inline enum pilgrim_status no_memory(struct pilgrim_error *error)
{
    *error = (struct pilgrim_error){.status = PILGRIM_NOMEM, .message = "not enough memory"};
    return PILGRIM_NOMEM;
}

#endif
