/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of pilgrim-merge: which fragment files there are, of which ranks. */
#ifndef PILGRIM_MERGE_JOB_H
#define PILGRIM_MERGE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "merge/fragment_file.h"
#include "recover/journal_reader.h"

/* A fragment file. */
struct rank_file {
    uint32_t rank;
    char *path;
    size_t begin;      /* offset of the first segment or times section */
    size_t at;         /* offset of the next segment */
    size_t end;        /* the file's length */
    uint32_t segments; /* segments that were not read yet */
    uint32_t all_segments;
    bool cut; /* the file ends before its rank did */
    /* If the rank died: its journal, which has the calls behind those of the file. `path` is the journal's if there is
     * no fragment file. */
    const struct read_journal *journal;
    const struct read_process *process;
    char state; /* of PROCESS, as journal_process_state */
    bool only_journal;
    bool whole; /* the journal gave all of its calls */
};

struct job {
    struct rank_file *files; /* sorted by rank once all are known */
    size_t count;
    size_t capacity;
    struct fragment_head head; /* of the first file that was added; from prepare() on, of the lowest rank */
    struct bytes texts;        /* HEAD's texts */
    char *missing;             /* text: ranks without a file; NULL: none */
    char *endings;             /* text: how ranks ended that died; NULL: none did */
    char *crashes;             /* text: where signals ended them; NULL: nowhere, or it is not known */
    char *in_flight;           /* text: when the calls began that they were in; NULL: it is not known */
    char *cut;                 /* text: ranks whose file is cut off; NULL: none */
    uint32_t missing_count, cut_count;
    struct read_journal *journals;
    char **journal_paths;
    size_t journal_count;
    const char *empty; /* a folder without fragment files and journals; borrowed */
    bool apart;        /* each rank is a shard of its own */
    char *problem;     /* why the first form of the trace could not be read (fragment_problem); NULL: it could */
};

/* Maps the file at PATH into memory. C is at offset AT; the caller passes it to close_file. errors: PILGRIM_IO (errno)
 */
enum pilgrim_status open_file(const char *path, size_t at, struct cursor *c) PILGRIM_CHECKED;
void close_file(const struct cursor *c);

bool has_suffix(const char *name, const char *suffix);

/* Adds the fragment file or journal PATH, or those in the folder PATH. False after a message. */
bool job_add(struct job *job, const char *path);

/* Sorts and checks the files that were added. False after a message. */
bool job_prepare(struct job *job);

/* Adds the journal PATH. False after a message. NAMED: the user named it. Else it is left out, with a message, if
 * something else has overwritten it. */
bool job_add_journal(struct job *job, const char *path, bool named);

/* Gives each rank that died its journal. Ranks that have nothing but a journal join the files, which were sorted by
 * rank. */
enum pilgrim_status job_join_journals(struct job *job) PILGRIM_CHECKED;

/* Appends a file for RANK, whose first segment is at offset AT. Copies PATH. errors: PILGRIM_NOMEM */
enum pilgrim_status job_add_rank(struct job *job, const char *path, uint32_t rank, size_t at) PILGRIM_CHECKED;

/* Sets job->endings, job->crashes and job->in_flight. errors: PILGRIM_NOMEM */
enum pilgrim_status job_find_endings(struct job *job) PILGRIM_CHECKED;

/* Returns the folder in which the program ran; NULL: unknown. Borrowed from JOB. */
const char *job_folder(const struct job *job);

/* Prints how ranks ended, and in which calls. */
void job_print_endings(const struct job *job);

/* Appends RANK to a list of ranges in TEXT, which ends with ranks below RANK. */
struct ranges {
    struct bytes text;
    uint32_t first, end; /* the last range, which may still grow */
    unsigned count;
    unsigned shown; /* how many ranges the text may have */
};
void ranges_add(struct ranges *r, uint32_t first, uint32_t end);
void ranges_end(struct ranges *r);

/* Prints what is wrong with COUNT ranks. Returns false. */
bool fail_ranks(const struct job *job, const char *ranks, uint32_t count, const char *what);

/* Merges the files and writes the trace to PATH. False after a message. */
bool job_write(struct job *job, const char *path);

/* Makes the fragment of rank 0 that does nothing in a segment: no threads, and a process stream without calls. The
 * caller frees *F, also after an error. errors: PILGRIM_NOMEM */
enum pilgrim_status make_idle(struct fragment **f) PILGRIM_CHECKED;

/* Frees what JOB has. */
void job_free(struct job *job);

#endif
