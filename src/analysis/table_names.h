/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for texts, communicators and datatypes of calls, which tables (table.c) have as keys. */
#ifndef ANALYSIS_TABLE_NAMES_H
#define ANALYSIS_TABLE_NAMES_H

#include <pilgrim/reader.h>

#include "analysis/key_table.h"
#include "analysis/messages.h"
#include "analysis/object_names.h"

/* Texts by number; 0 is no text. All zero: there are none. */
struct texts {
    char **texts;
    char **given;    /* what the program named it; NULL: nothing */
    uint64_t *marks; /* what else tells equal texts apart: the identity of a communicator, or a datatype's name */
    size_t count, capacity;
    struct key_table numbers;
};

/* Sets *NUMBER to that of TEXT with MARK. False: no memory, or there are 2^23. */
bool texts_add(struct texts *t, const char *text, uint64_t mark, uint32_t *number);
const char *texts_at(const struct texts *t, uint32_t number); /* NULL: no text */
uint64_t texts_mark(const struct texts *t, uint32_t number);
const char *texts_given(const struct texts *t, uint32_t number); /* NULL: the program gave it no name */
void texts_free(struct texts *t);

/* What names of a process's objects stand for, as its calls are read: communicators, and what was made with one. */
struct table_names {
    const struct pilgrim_trace *trace;
    bool given;                   /* names that the program gave are wanted */
    struct object_names *objects; /* those, if wanted */
    struct texts communicators, datatypes;
    struct key_table bound;  /* by kind and id: numbers of communicators; of requests: also of datatypes */
    struct key_table common; /* the same, of communicators that no recorded call of the thread made */
    struct pilgrim_communicators *created;
    struct pilgrim_communicator next; /* that the thread creates, if has_next */
    char next_name[48];
    bool has_next;
    uint32_t rank, thread;
    uint64_t changes; /* grows whenever equal calls may have other numbers than before */
};

/* The next calls are those of THREAD of RANK. errors: as pilgrim_communicators_next */
enum pilgrim_status table_names_begin(struct table_names *n, uint32_t rank, uint32_t thread,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;

/* Takes the next call: what it makes is known from then on. errors: PILGRIM_NOMEM */
enum pilgrim_status table_names_see(struct table_names *n, const struct pilgrim_call *call,
                                    struct messages *messages) PILGRIM_CHECKED;

/* Sets the number of the communicator, or the datatype, of message MESSAGE of the call; 0: it has none. False: no
 * memory. */
bool table_names_communicator(struct table_names *n, const struct pilgrim_call *call, size_t message, uint32_t *number);
bool table_names_datatype(struct table_names *n, const struct pilgrim_call *call, size_t message,
                          struct messages *messages, uint32_t *number);

void table_names_free(struct table_names *n);

#endif
