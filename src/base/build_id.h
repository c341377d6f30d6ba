/* SPDX-License-Identifier: BSD-3-Clause */
/* The build-id among the notes of an ELF file. */
#ifndef PILGRIM_BUILD_ID_H
#define PILGRIM_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* Returns the build-id in the BYTES of notes at AT, *LENGTH bytes of them; NULL: there is none. HEADER_ALIGNMENT:
 * p_align of their program header. Async-signal-safe. */
const uint8_t *build_id_in(const void *at, size_t bytes, size_t header_alignment, size_t *length);

#endif
