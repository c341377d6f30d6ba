/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the times of the calls are: which thread and which of its calls each times section is of (docs/FORMAT.md,
 * section 6).
 *
 * There may be any number of these sections, and they may be most of the file, so no more of them is read when a trace
 * is opened than the beginning, without a look at its checksum; but for those of several threads, which are small. Who
 * reads a section (call_times.h) checks it; those of calls that are not there, which nobody would read, are checked as
 * soon as that is known: it may be what is damaged. */
#ifndef PILGRIM_TIME_SECTIONS_H
#define PILGRIM_TIME_SECTIONS_H

#include "pilgrim/reader.h"
#include "read/file/source.h"

struct time_section {
    uint64_t offset;       /* in the file */
    uint64_t first, calls; /* of the thread, over all segments */
    uint32_t rank, thread;
    uint32_t checksum;
    uint32_t of_common; /* 0; or of a section of several threads: which one of them, from 1 on */
};

/* All zero: there are none. */
struct time_sections {
    struct time_section *list; /* by rank and thread; those of a thread as they stand in the file */
    size_t count, capacity;
    void *context;     /* while a trace is being opened */
    struct bytes room; /* idem */
};

/* Adds SECTION, whose head was read from SOURCE, where what is stored stands at STORED_AT; *BUDGET: bytes that opening
 * may still take. errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status time_sections_add(struct time_sections *t, const struct trace_source *source,
                                      const struct section *section, uint64_t stored_at, uint64_t *budget,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;

/* All of TRACE is there. Of a thread, those sections whose calls are not behind those of the sections before are left
 * out, and all of threads that are not there. errors: PILGRIM_DAMAGED: something is wrong with one of those; ERROR has
 * the first in the file */
enum pilgrim_status time_sections_settle(struct pilgrim_trace *trace, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Reads the section at S, as it was when it was added: *CONTENT, to be freed, is what is in it.
 * errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED with *PROBLEM set to a constant */
enum pilgrim_status time_section_read(const struct trace_source *source, const struct time_section *s,
                                      struct bytes *content, const char **problem) PILGRIM_CHECKED;

/* Those of a thread: *COUNT of them. */
const struct time_section *time_sections_of(const struct time_sections *t, uint32_t rank, uint32_t thread,
                                            size_t *count);

/* The one of COUNT sections at LIST that has call NUMBER; NULL if there is none. */
const struct time_section *time_section_with(const struct time_section *list, size_t count, uint64_t number);

void time_sections_free(struct time_sections *t);

#endif
