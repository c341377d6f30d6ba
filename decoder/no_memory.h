/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said where memory is short. */
#ifndef DECODER_NO_MEMORY_H
#define DECODER_NO_MEMORY_H

#include <pilgrim/reader.h>

/* PILGRIM_NOMEM, and *ERROR says so. */
static inline enum pilgrim_status no_memory(struct pilgrim_error *error)
{
    *error = (struct pilgrim_error){.status = PILGRIM_NOMEM, .message = "not enough memory"};
    return PILGRIM_NOMEM;
}

#endif
