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
    struct shadow_python python; /* behind the addresses; of a call inside another one also the rest, as texts */
};

/* Takes the stack from the return address SITE outwards, at most DEPTH frames. */
void shadow_site_take(struct shadow_site *s, const void *site, unsigned depth);

/* The same for a call inside one of FUNCTION, whose stack is OUTER. */
void shadow_site_take_inside(struct shadow_site *s, const void *site, unsigned depth, const char *function,
                             const struct shadow_site *outer);

/* Appends ,"site":"MODULE+0xOFFSET", or ,"site":"FILE:LINE:FUNCTION" in Python, and, if there are more frames,
 * ,"stack":[...]. */
void shadow_site_put(const struct shadow_site *s, struct bytes *line);

#endif
