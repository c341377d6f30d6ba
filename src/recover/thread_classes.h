/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process's journal says of its threads' call classes: functions and call paths. Nothing of it is trusted. */
#ifndef PILGRIM_THREAD_CLASSES_H
#define PILGRIM_THREAD_CLASSES_H

#include "recover/journal_reader.h"
#include "recover/log_records.h"

/* A class of a thread. */
struct class_site {
    uint32_t function;
    bool has_site;
    struct code_frame site;
    struct code_frame *callers; /* from the innermost outwards */
    size_t caller_count;
};

struct thread_classes {
    struct class_site *items; /* by class index */
    size_t count, capacity;
};

/* Reads what P's threads share, and their classes: *CLASSES is by position of the thread in P. Functions are below
 * FUNCTIONS. Where a log is damaged, what is before is taken. To be freed in any case. errors: PILGRIM_NOMEM */
enum pilgrim_status process_facts_read(const struct read_process *p, uint32_t functions, struct shared_facts *facts,
                                       struct thread_classes **classes) PILGRIM_CHECKED;
void process_facts_free(const struct read_process *p, struct shared_facts *facts, struct thread_classes *classes);

/* Returns the class of the call that T entered last; NULL: it is not known. */
const struct class_site *thread_last_class(const struct read_thread *t, const struct thread_classes *classes);

#endif
