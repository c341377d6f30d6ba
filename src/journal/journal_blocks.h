/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of log records, of the process's journal file; for journal_log.c. Any thread. */
#ifndef PILGRIM_JOURNAL_BLOCKS_H
#define PILGRIM_JOURNAL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "journal/journal_format.h"
#include "journal/journal_log.h"
#include "journal/journal_mappings.h"

/* Returns the next block of LOG, with room for LENGTH bytes. It is larger than the last one. NULL: there is none. */
struct journal_block *journal_block_take(const struct journal_log *log, size_t length);

/* Returns a block for LENGTH bytes of statistics of the thread OWNER. NULL: there is none. */
struct journal_block *journal_statistics_block(uint64_t owner, size_t length);

/* Gives B to other logs. */
void journal_block_give(struct journal_block *b);

/* The bytes of a block that records may use, and where they begin: behind its head; in a process or thread block,
 * behind its first page. */
static inline size_t journal_block_head(const struct journal_block *b)
{
    uint32_t kind = atomic_load(&b->kind);
    return kind == JOURNAL_PROCESS || kind == JOURNAL_THREAD ? JOURNAL_PAGE : sizeof *b;
}

static inline size_t journal_block_room(const struct journal_block *b)
{
    return journal_mapped_length(b) - journal_block_head(b);
}

static inline uint8_t *journal_block_data(const struct journal_block *b)
{
    return (uint8_t *)(uintptr_t)b + journal_block_head(b);
}

/* Notes that a record could not be stored. */
void journal_cut(void);

#endif
