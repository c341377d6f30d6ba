/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites for the shadow, by the C library's unwinder and the dynamic linker. Shares nothing with the recorder
 * (stack.h, modules.c). Slow. */
#ifndef PILGRIM_SHADOW_SITE_H
#define PILGRIM_SHADOW_SITE_H

#include "base/bytes.h"
#include "base/site.h"
#include "shadow/shadow_python.h"

struct shadow_site {
    const void *addresses[SITE_FRAMES_MAX];
    unsigned count;
    struct shadow_python python; /* behind the addresses */
};

/* Takes the stack from the return address SITE outwards, at most DEPTH frames. */
void shadow_site_take(struct shadow_site *s, const void *site, unsigned depth);

/* Appends ,"site":"MODULE+0xOFFSET", or ,"site":"FILE:LINE:FUNCTION" in Python, and, if there are more frames,
 * ,"stack":[...]. */
void shadow_site_put(const struct shadow_site *s, struct bytes *line);

#endif
