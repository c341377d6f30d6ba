/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a journal's logs that stand for themselves: what the threads of a process share, and classes. Nothing of
 * them is trusted. */
#ifndef PILGRIM_LOG_RECORDS_H
#define PILGRIM_LOG_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/site.h"
#include "journal/journal_format.h"
#include "pilgrim/status.h"

/* What a process's log says of modules. */
struct replay_modules {
    struct code_module *items;
    size_t count, capacity;
};

/* What the threads of a process share. A struct of zeros knows nothing. */
struct shared_facts {
    struct replay_modules modules;
    struct journal_rank_base *bases;
    size_t base_count, base_capacity;
    struct journal_clock clock; /* rate 0: there is none */
};

/* Takes the payload at C of a record of TYPE from the log JOURNAL_SHARED. Other types are passed over.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status shared_facts_take(struct shared_facts *facts, enum journal_record type,
                                      struct cursor *c) PILGRIM_CHECKED;
void shared_facts_free(struct shared_facts *facts);

/* A class as a log tells it (record/stream_journal.h). */
struct class_record {
    unsigned flags;                            /* TOLD_... */
    uint32_t function;                         /* below the count that class_record_take was given */
    size_t twin;                               /* class index, with TOLD_TWIN */
    struct code_frame frames[SITE_FRAMES_MAX]; /* the modules are those of `facts` */
    size_t frame_count;
};

/* Takes a class at C. FUNCTIONS and CLASSES: how many there are. errors: PILGRIM_DAMAGED */
enum pilgrim_status class_record_take(struct cursor *c, const struct replay_modules *modules, uint32_t functions,
                                      size_t classes, struct class_record *class) PILGRIM_CHECKED;

/* Returns ITEMS, an array of *CAPACITY items of SIZE bytes, with room for item INDEX; new items are 0. NULL: no
 * memory; ITEMS stays. */
void *array_reserve(void *items, size_t *capacity, size_t index, size_t size);

#endif
