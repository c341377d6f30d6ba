/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks are compared; see rank_pairs.h. */
#include "rank_pairs.h"

/* Returns the end of the threads of the rank that begin at AT. */
static size_t rank_end(const struct diff_side *s, size_t at)
{
    size_t end = at;
    while (end < s->thread_count && s->threads[end].rank == s->threads[at].rank)
        end++;
    return end;
}

/* Compares the threads of two ranks, by their numbers. */
static enum pilgrim_status compare_ranks(struct comparison *c, size_t a, size_t b, uint32_t rank,
                                         struct pilgrim_error *error)
{
    size_t a_end = rank_end(c->sides[0], a), b_end = rank_end(c->sides[1], b);
    enum pilgrim_status status = PILGRIM_OK;
    for (; (a < a_end || b < b_end) && status == PILGRIM_OK; a += a < a_end, b += b < b_end)
        status = threads_compare(c, a < a_end ? &c->sides[0]->threads[a] : NULL,
                                 b < b_end ? &c->sides[1]->threads[b] : NULL, rank, error);
    return status;
}

enum pilgrim_status ranks_compare(struct comparison *c, bool two_ranks, const char **note, struct pilgrim_error *error)
{
    const struct diff_side *a = c->sides[0], *b = c->sides[1];
    uint32_t ranks_a = pilgrim_rank_count(a->trace), ranks_b = pilgrim_rank_count(b->trace);
    enum pilgrim_status status = PILGRIM_OK;
    *note = NULL;
    if (two_ranks)
        return compare_ranks(c, 0, 0, a->thread_count ? a->threads[0].rank : 0, error);
    if (ranks_a != ranks_b)
        *note = "the numbers of ranks differ";
    for (uint32_t r = 0; r < ranks_a && r < ranks_b && status == PILGRIM_OK; r++)
        status = compare_ranks(c, side_rank(a, r), side_rank(b, r), r, error);
    return status;
}
