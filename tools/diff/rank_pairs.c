/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks are compared; see rank_pairs.h.
 *
 * If the numbers of ranks differ, each rank of B is compared with the rank of A at the same place from the first to the
 * last, or with the nearest one from there that makes the same calls. */
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

enum { NEAREST_MAX = 4096 }; /* so many ranks are looked at, in each direction */

/* Reads the structures of all groups of a trace, so that their hashes are known. */
static enum pilgrim_status read_groups(struct diff_side *s, struct pilgrim_error *error)
{
    for (size_t i = 0; i < s->thread_count; i++) {
        struct pilgrim_cursor *cursor;
        if (s->threads[i].group == NO_GROUP || s->groups[s->threads[i].group].read)
            continue;
        enum pilgrim_status status =
            pilgrim_cursor_open(s->trace, s->threads[i].rank, s->threads[i].thread, &cursor, error);
        if (status != PILGRIM_OK)
            return status;
        bool good = side_group(s, s->threads[i].group, cursor, error);
        pilgrim_cursor_close(cursor);
        if (!good)
            return error->status;
    }
    return PILGRIM_OK;
}

/* Returns a hash of what thread AT does; 0: it is not known. */
static uint64_t structure_hash(const struct diff_side *s, size_t at)
{
    uint32_t group = at < s->thread_count ? s->threads[at].group : NO_GROUP;
    return group == NO_GROUP ? 0 : s->groups[group].structure.rules[0].hash;
}

/* Returns the rank of A that RANK of B is compared with. */
static uint32_t partner_of(const struct diff_side *a, const struct diff_side *b, uint32_t rank)
{
    uint64_t ranks_a = pilgrim_rank_count(a->trace), ranks_b = pilgrim_rank_count(b->trace);
    uint32_t middle = ranks_b > 1 ? (uint32_t)(rank * (ranks_a - 1) / (ranks_b - 1)) : 0;
    uint64_t wanted = structure_hash(b, side_rank(b, rank));
    for (uint32_t away = 0; away < NEAREST_MAX && wanted; away++) {
        if (away <= middle && structure_hash(a, side_rank(a, middle - away)) == wanted)
            return middle - away;
        if (away < ranks_a - middle && structure_hash(a, side_rank(a, middle + away)) == wanted)
            return middle + away;
    }
    return middle;
}

enum pilgrim_status ranks_compare(struct comparison *c, bool two_ranks, const char **note, struct pilgrim_error *error)
{
    struct diff_side *a = c->sides[0], *b = c->sides[1];
    uint32_t ranks_a = pilgrim_rank_count(a->trace), ranks_b = pilgrim_rank_count(b->trace);
    enum pilgrim_status status = PILGRIM_OK;
    *note = NULL;
    if (two_ranks)
        return compare_ranks(c, 0, 0, a->thread_count ? a->threads[0].rank : 0, error);
    if (ranks_a != ranks_b) {
        *note = "The numbers of ranks differ: each rank of B is compared with one of A that does the same, if there is "
                "one.";
        status = read_groups(a, error);
        if (status == PILGRIM_OK)
            status = read_groups(b, error);
    }
    for (uint32_t r = 0; r < ranks_b && status == PILGRIM_OK; r++)
        status =
            compare_ranks(c, side_rank(a, ranks_a == ranks_b ? r : partner_of(a, b, r)), side_rank(b, r), r, error);
    return status;
}
