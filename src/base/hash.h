/* SPDX-License-Identifier: BSD-3-Clause */
/* The one hash function: XXH3, 64 bits. Also gives uthash its hash, so include this before uthash.h. */
#ifndef PILGRIM_HASH_H
#define PILGRIM_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_FUNCTION(key, length, value) ((value) = (unsigned)XXH3_64bits((key), (length)))
#define HASH_NONFATAL_OOM                 1 /* a failed insertion leaves the element's hh.tbl NULL */
#define uthash_nonfatal_oom(element)      ((void)(element))
#include <uthash.h>

/* There are many tables, and most have a few entries: they are small at first, and grow before chains are long. */
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_INITIAL_NUM_BUCKETS      8u
#define HASH_INITIAL_NUM_BUCKETS_LOG2 3u
#define HASH_BKT_CAPACITY_THRESH      4u

#endif
