/* SPDX-License-Identifier: BSD-3-Clause */
/* Which thread, and which of its calls, each times section is of (docs/FORMAT.md, section 6).
 *
 * A trace may have any number of these sections, and they may be most of the file. So opening a trace reads only the
 * beginning of each, without verifying its checksum; it reads those of several threads whole, which are small.
 * call_times.h verifies a section when it reads it. A section of a thread that does not exist is never read later, so
 * time_sections_settle verifies it: its thread number may be what is damaged. Those of several threads were verified
 * when they were read whole. */
#ifndef PILGRIM_TIME_SECTIONS_H
#define PILGRIM_TIME_SECTIONS_H

#include "pilgrim/reader.h"
#include "read/file/source.h"

struct budget;

struct time_section {
    uint64_t offset;       /* in the file */
    uint64_t first, calls; /* calls of the thread, counted over all segments */
    uint32_t rank, thread;
    uint32_t checksum;
    uint32_t of_common; /* 0, or in a section of several threads: which thread, from 1 on */
};

/* All zero: there are none. */
struct time_sections {
    struct time_section *list; /* sorted by rank and thread; sections of a thread in the order of the file */
    size_t count, capacity;
    void *context;     /* used while a trace is being opened */
    struct bytes room; /* likewise */
};

/* Adds SECTION, whose head was read from SOURCE, and whose stored bytes are at STORED_AT. BUDGET: what opening may
 * still take.
 * errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status time_sections_add(struct time_sections *t, const struct trace_source *source,
                                      const struct section *section, uint64_t stored_at, struct budget *budget,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sorts the sections when all of TRACE was read. Leaves out sections whose calls are not behind those of the thread's
 * sections before, and sections of threads that do not exist.
 * errors: PILGRIM_DAMAGED: one of those is damaged; ERROR has the first in the file */
enum pilgrim_status time_sections_settle(struct pilgrim_trace *trace, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Reads section S again and checks that it has not changed. *CONTENT is its content, to be freed.
 * errors: PILGRIM_NOMEM, PILGRIM_IO; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status time_section_read(const struct trace_source *source, const struct time_section *s,
                                      struct bytes *content, const char **problem) PILGRIM_CHECKED;

/* Returns the sections of a thread, *COUNT of them. */
const struct time_section *time_sections_of(const struct time_sections *t, uint32_t rank, uint32_t thread,
                                            size_t *count);

/* Returns the one of COUNT sections at LIST that has call NUMBER. NULL: none has it. */
const struct time_section *time_section_with(const struct time_section *list, size_t count, uint64_t number);

void time_sections_free(struct time_sections *t);

#endif
