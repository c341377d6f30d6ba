/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the profile section of a trace (docs/FORMAT.md, section 6). */
#ifndef PILGRIM_PROFILE_WRITER_H
#define PILGRIM_PROFILE_WRITER_H

#include "base/bytes.h"
#include "merge/fragment.h"
#include "pilgrim/status.h"

/* Appends the content of the section to OUT. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status profile_write(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

#endif
