/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank of one trace is compared with which of the other. */
#ifndef PILGRIM_DIFF_RANK_PAIRS_H
#define PILGRIM_DIFF_RANK_PAIRS_H

#include "thread_compare.h"

/* Compares all ranks: with the one of the same number; if the numbers of ranks differ, with one that does the most
 * similar. TWO_RANKS: each side has one rank, they are compared. *NOTE: how ranks were compared, if not by number;
 * static. errors: as threads_compare */
enum pilgrim_status ranks_compare(struct comparison *c, bool two_ranks, const char **note, struct pilgrim_error *error);

#endif
