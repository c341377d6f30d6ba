/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a call came from, for the shadow: by the C library's unwinder and the loader's own answers, so that it shares
 * nothing with what the trace has (stack.h, modules.c). Slow. */
#ifndef PILGRIM_SHADOW_SITE_H
#define PILGRIM_SHADOW_SITE_H

#include "base/bytes.h"
#include "base/site.h"

struct shadow_site {
    const void *addresses[SITE_FRAMES_MAX];
    unsigned count;
};

/* The stack from the return address SITE outwards, DEPTH frames at most. */
void shadow_site_take(struct shadow_site *s, const void *site, unsigned depth);

/* Appends ,"site":"MODULE+0xOFFSET" and, if there are further frames, ,"stack":[...]. */
void shadow_site_put(const struct shadow_site *s, struct bytes *line);

#endif
