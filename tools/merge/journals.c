/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of processes that died; see merge_job.h. */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge_job.h"
#include "merge_message.h"
#include "pilgrim/version.h"
#include "recover/recover.h"

#define TRACER "pilgrim " PILGRIM_VERSION_TEXT

/* Makes room for one more journal. False: no memory. */
static bool reserve_journal(struct job *job)
{
    size_t count = job->journal_count + 1;
    struct read_journal *journals = realloc(job->journals, count * sizeof *journals);
    if (journals)
        job->journals = journals;
    char **paths = realloc(job->journal_paths, count * sizeof *paths);
    if (paths)
        job->journal_paths = paths;
    return journals && paths;
}

bool job_add_journal(struct job *job, const char *path, bool named)
{
    char *copy = reserve_journal(job) ? strdup(path) : NULL;
    if (!copy)
        return fail_status(path, PILGRIM_NOMEM);
    struct read_journal *j = &job->journals[job->journal_count];
    enum pilgrim_status status = journal_read(path, j);
    job->journal_paths[job->journal_count++] = copy;
    if (status == PILGRIM_NOT_TRACE && !named) {
        free(job->journal_paths[--job->journal_count]);
        (void)fail("%s: not a journal; the trace is made without it", path);
        return true;
    }
    if (status == PILGRIM_NOT_TRACE)
        return fail("%s: not a journal", path);
    if (status != PILGRIM_OK)
        return fail_status(path, status);
    if (strcmp(j->tracer, TRACER) != 0)
        return fail("%s: made by %.100s, this is " TRACER, path, j->tracer);
    if (job->journals[0].run != j->run)
        return fail("%s: not of the same run as %s", path, job->journal_paths[0]);
    if (job->count && job->head.run != j->run)
        return fail("%s: not of the same run as %s", path, job->files[0].path);
    return true;
}

/* Finds the file of RANK among the first COUNT ones, which are sorted; NULL: there is none. */
static struct rank_file *file_of(struct job *job, size_t count, uint32_t rank)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (job->files[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && job->files[low].rank == rank ? &job->files[low] : NULL;
}

enum pilgrim_status job_join_journals(struct job *job)
{
    size_t count = job->count;
    for (size_t i = 0; i < job->journal_count; i++) {
        const struct read_journal *j = &job->journals[i];
        if (job->head.run && job->head.run != j->run)
            return PILGRIM_INVALID;
        for (size_t k = 0; k < j->process_count; k++) {
            const struct read_process *p = &j->processes[k];
            if (!recover_is_begun(p))
                continue;
            struct rank_file *file = file_of(job, count, p->rank);
            if (!file && recover_file_length(p))
                continue; /* its first calls were in a file that is gone */
            if (!file) {
                TRY(job_add_rank(job, job->journal_paths[i], p->rank, 0));
                file = &job->files[job->count - 1];
                file->only_journal = true;
            }
            file->journal = j;
            file->process = p;
            file->state = journal_process_state(j, p);
            file->whole = true;
        }
    }
    return PILGRIM_OK;
}
