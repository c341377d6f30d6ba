/* SPDX-License-Identifier: BSD-3-Clause */
/* Many predicted calls at once; see stream_journal.h. */
#include <stdlib.h>

#include "record/stream_journal.h"

enum { ITERATIONS_MIN = 4 }; /* fewer are told one by one */

/* Sets COUNTS, by terminal, to the calls of what comes again and again. Returns how many calls that are in all; 0: it
 * is not known. */
static uint64_t repeated(const struct stream *s, uint64_t *counts)
{
    const struct grammar *g = s->structure.grammar;
    if (!g || s->predicted->terminal >= s->terminal_count)
        return 0;
    if (grammar_in_loop(g))
        return grammar_iteration(g, counts, s->terminal_count);
    counts[s->predicted->terminal] = 1;
    return 1;
}

static bool can_skip(const struct stream *s, const uint64_t *counts)
{
    for (uint32_t i = 0; i < s->terminal_count; i++)
        if (counts[i] && !signature_can_skip(&s->by_terminal[i]->signatures))
            return false;
    return true;
}

enum pilgrim_status stream_be_told_iterations(struct stream *s, uint64_t count, uint64_t *done)
{
    uint64_t *counts = calloc((size_t)s->terminal_count + 1, sizeof *counts);
    uint64_t length = counts ? repeated(s, counts) : 0;
    uint64_t iterations = length ? count / length : 0;
    bool good = counts != NULL;
    *done = 0;
    if (iterations >= ITERATIONS_MIN && can_skip(s, counts)) {
        for (uint32_t i = 0; good && i < s->terminal_count; i++)
            if (counts[i])
                good = signature_skip(&s->by_terminal[i]->signatures, counts[i] * iterations);
        *done = iterations * length;
        good = good && grammar_skip(s->structure.grammar, *done);
    }
    free(counts);
    return good ? PILGRIM_OK : PILGRIM_NOMEM;
}
