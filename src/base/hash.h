/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash function of all tables: XXH3, 64 bits. It also configures uthash, so include this header instead of
 * uthash.h. */
#ifndef PILGRIM_HASH_H
#define PILGRIM_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_FUNCTION(key, length, value) ((value) = (unsigned)XXH3_64bits((key), (length)))
#define HASH_NONFATAL_OOM                 1 /* after a failed insertion the element's hh.tbl is NULL */
#define uthash_nonfatal_oom(element)      ((void)(element))
#include <uthash.h>

/* Most tables have few entries, so they begin small and grow before chains get long. */
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_INITIAL_NUM_BUCKETS      8u
#define HASH_INITIAL_NUM_BUCKETS_LOG2 3u
#define HASH_BKT_CAPACITY_THRESH      4u

#endif
