/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes for shares: a rank's time as a small number, with 16 steps for each doubling, so it is right to 2.2 %
 * (docs/FORMAT.md, section 6, "Shares"). It does without the mathematics library, which the traced program may not
 * have. */
#ifndef PILGRIM_SHARE_CODE_INLINE_H
#define PILGRIM_SHARE_CODE_INLINE_H

#include <stdint.h>

enum { SHARE_STEPS = 16, SHARE_CODE_MAX = 1 + 63 * SHARE_STEPS };

/* Returns 2^(i/32), for I below 32. With odd I it is the border between two steps. */
static inline double share_root(unsigned i)
{
    static const double powers[] = {1.0218971486541166, 1.0442737824274138, 1.0905077326652577, 1.189207115002721,
                                    1.4142135623730951};
    double root = 1;
    for (unsigned bit = 0; bit < 5; bit++)
        if (i >> bit & 1)
            root *= powers[bit];
    return root;
}

/* Returns the code of NS; 0 stands for no time. */
static inline unsigned share_code(double ns)
{
    if (!(ns > 0))
        return 0;
    unsigned doublings = 0, step = 0;
    for (; ns >= 2 && doublings < 63; doublings++)
        ns /= 2;
    while (step < SHARE_STEPS && ns >= share_root(2 * step + 1))
        step++;
    unsigned code = 1 + doublings * SHARE_STEPS + step;
    return code < SHARE_CODE_MAX ? code : SHARE_CODE_MAX;
}

static inline double share_ns(unsigned code)
{
    if (code == 0)
        return 0;
    return (double)(UINT64_C(1) << (code - 1) / SHARE_STEPS) * share_root(2 * ((code - 1) % SHARE_STEPS));
}

#endif
