/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of processes that died, and what they say of the ends; see merge_job.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge_job.h"
#include "merge_message.h"
#include "pilgrim/version.h"

#define TRACER "pilgrim " PILGRIM_VERSION_TEXT

enum { RANGES_ALL = 1 << 20 };

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

bool job_add_journal(struct job *job, const char *path)
{
    char *copy = reserve_journal(job) ? strdup(path) : NULL;
    if (!copy)
        return fail_status(path, PILGRIM_NOMEM);
    struct read_journal *j = &job->journals[job->journal_count];
    enum pilgrim_status status = journal_read(path, j);
    job->journal_paths[job->journal_count++] = copy;
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
            struct rank_file *file = file_of(job, count, p->rank);
            if (!file) {
                TRY(job_add_rank(job, job->journal_paths[i], p->rank, 0));
                file = &job->files[job->count - 1];
                file->only_journal = true;
            }
            file->journal = j;
            file->process = p;
            file->whole = true;
        }
    }
    return PILGRIM_OK;
}

/* ---- endings ---- */

static bool same_ending(const struct read_process *a, const struct read_process *b)
{
    return a->ending == b->ending && a->ending_number == b->ending_number;
}

/* Appends how P ended. pilgrim-decode reads this (decoder/endings.c). */
static void put_ending(struct bytes *text, const struct read_process *p)
{
    static const char *const names[JOURNAL_ENDING_COUNT] = {[JOURNAL_RUNNING] = "killed",
                                                            [JOURNAL_FINALIZE] = "finalize",
                                                            [JOURNAL_EXIT] = "exit",
                                                            [JOURNAL_ABORT] = "abort",
                                                            [JOURNAL_SIGNAL] = "signal"};
    char number[16];
    bytes_put(text, names[p->ending], strlen(names[p->ending]));
    if (p->ending != JOURNAL_ABORT && p->ending != JOURNAL_SIGNAL)
        return;
    int length = snprintf(number, sizeof number, " %" PRId32, p->ending_number);
    bytes_put(text, number, (size_t)length);
}

enum pilgrim_status job_find_endings(struct job *job)
{
    struct bytes text = {0};
    bool *done = calloc(job->count + 1, 1);
    for (size_t i = 0; done && i < job->count; i++) {
        const struct read_process *p = job->files[i].process;
        if (!p || done[i])
            continue;
        struct ranges ranks = {.shown = RANGES_ALL};
        for (size_t k = i; k < job->count; k++)
            if (job->files[k].process && same_ending(job->files[k].process, p)) {
                ranges_add(&ranks, job->files[k].rank, job->files[k].rank + 1);
                done[k] = true;
            }
        ranges_end(&ranks);
        bytes_put(&text, "; ", text.length ? 2 : 0);
        put_ending(&text, p);
        bytes_put_u8(&text, ':');
        bytes_put_u8(&text, ' ');
        bytes_put(&text, ranks.text.data, ranks.text.length);
        bytes_free(&ranks.text);
    }
    bool good = done;
    free(done);
    if (text.length)
        bytes_put_u8(&text, 0);
    job->endings = (char *)text.data;
    return good ? bytes_status(&text) : PILGRIM_NOMEM;
}
