/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps members of groups to ranks; see world_ranks.h. */
#include "analysis/world_ranks.h"

static const uint64_t ambiguous = UINT64_MAX;

static struct key side_key(uint64_t group, uint64_t number)
{
    return (struct key){{group, number, 0}};
}

/* Adds SIDE to the sides of GROUP, of which there are one or two. false: no memory */
static bool add_side(struct world_ranks *w, uint64_t group, uint64_t side)
{
    uint64_t *first = key_table_put(&w->sides, side_key(group, 0), side);
    return first && (*first == side || key_table_put(&w->sides, side_key(group, 1), side));
}

bool world_ranks_add(struct world_ranks *w, uint64_t group, uint64_t side, int64_t rank, uint32_t world)
{
    uint64_t *known = key_table_put(&w->members, (struct key){{group, side, (uint64_t)rank}}, world);
    if (!known)
        return false;
    if (*known != world)
        *known = ambiguous;
    return side == 0 || add_side(w, group, side);
}

int64_t world_ranks_find(const struct world_ranks *w, const struct group_member *member, uint32_t rank_count)
{
    uint64_t side = member->side;
    if (member->group == GROUP_WORLD)
        return member->rank >= 0 && member->rank < rank_count ? member->rank : -1;
    for (uint64_t i = 0; member->side && i < 2 && side == member->side; i++) {
        const uint64_t *other = key_table_find(&w->sides, side_key(member->group, i));
        if (!other)
            return -1;
        side = *other;
    }
    if (member->side && side == member->side)
        return -1;
    const uint64_t *world = key_table_find(&w->members, (struct key){{member->group, side, (uint64_t)member->rank}});
    return world && *world != ambiguous ? (int64_t)*world : -1;
}

void world_ranks_free(struct world_ranks *w)
{
    key_table_clear(&w->members);
    key_table_clear(&w->sides);
}
