/* How much of a random or exhaustive test to do. */
#ifndef PILGRIM_TESTS_TRIALS_H
#define PILGRIM_TESTS_TRIALS_H

#include <stdlib.h>

/* Of N trials: all with LONG=1, a sixth else. */
static inline unsigned trials(unsigned n)
{
    const char *all = getenv("LONG");
    return all && *all ? n : (n + 5) / 6;
}

#endif
