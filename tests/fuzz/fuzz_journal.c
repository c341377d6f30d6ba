/* SPDX-License-Identifier: BSD-3-Clause */
/* A journal of any bytes is read, and fragments are recovered from it. One of MERGED inputs goes through pilgrim-merge,
 * which takes longer; what it makes of it can be read. */
#define _GNU_SOURCE 1 /* memfd_create, which fuzz.h may use */
#include <stdlib.h>

#include "fuzz.h"
#include "journal/journal_log.h"
#include "journal_blocks.h"
#include "merge/fragment.h"
#include "recover/recover.h"
#include "read_trace.h"

/* CALLS_MAX: of a thread; they are not always told at once. */
enum { RANKS_MAX = 64, CALLS_MAX = 1 << 20, MERGED = 16 };

int merge_main(int argc, char **argv);

static char folder[FUZZ_PATH_MAX - 32];

static void remove_folder(void)
{
    rmdir(folder);
}

static bool is_small(const struct read_process *p)
{
    bool small = p->ranks <= RANKS_MAX;
    for (size_t i = 0; small && i < p->thread_count; i++)
        small = p->threads[i].calls <= CALLS_MAX;
    return small;
}

static void recover(const struct read_journal *j, const struct read_process *p)
{
    struct fragment *f;
    struct bytes packed = {0};
    bool whole;
    if (recover_fragment(j, p, &f, &whole) == PILGRIM_OK)
        fragment_pack(f, &packed);
    (void)!recover_times(p, &packed);
    bytes_free(&packed);
    fragment_free(f);
}

/* Reads the journal at PATH. True if it can be merged soon. */
static bool read_journal(const char *path)
{
    struct read_journal j;
    bool small = true;
    enum pilgrim_status status = journal_read(path, &j);
    for (size_t i = 0; status == PILGRIM_OK && i < j.process_count; i++) {
        bool this_one = is_small(&j.processes[i]);
        small = small && this_one;
        if (this_one)
            recover(&j, &j.processes[i]);
    }
    journal_read_free(&j);
    return small;
}

static void merge(const char *trace)
{
    char command[2 * FUZZ_PATH_MAX];
    snprintf(command, sizeof command, "pilgrim-merge --output=%s", trace);
    if (fuzz_main(merge_main, command, folder) == 0)
        read_trace(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char path[FUZZ_PATH_MAX], trace[FUZZ_PATH_MAX];
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/fuzz.XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/0.journal", folder);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert(file >= 0 && write(file, data, length) == (ssize_t)length);
    close(file);
    snprintf(trace, sizeof trace, "%s/trace", folder);
    if (read_journal(path) && journal_statistics_check(data, length) % MERGED == 0)
        merge(trace);
    unlink(path);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max, unsigned seed)
{
    return journal_mutate(data, length, max, seed);
}
