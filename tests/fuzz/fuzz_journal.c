/* SPDX-License-Identifier: BSD-3-Clause */
/* A journal of any bytes through pilgrim-merge; what it makes of it can be read. */
#define _GNU_SOURCE 1 /* memfd_create, which fuzz.h may use */
#include <stdlib.h>

#include "fuzz.h"
#include "journal_blocks.h"
#include "recover/journal_reader.h"
#include "walk_trace.h"

enum { RANKS_MAX = 64 };

int merge_main(int argc, char **argv);

static char folder[FUZZ_PATH_MAX - 32];

static void remove_folder(void)
{
    rmdir(folder);
}

/* The trace that was made can be read. */
static void read_trace(const char *path)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_open(path, &trace, &error);
    ck_assert_msg(status == PILGRIM_OK && (error.status == PILGRIM_OK || strstr(error.message, "times")),
                  "the trace that was made: %s\n", error.message);
    walk_trace(trace);
    pilgrim_close(trace);
    unlink(path);
}

/* True if the merge takes few steps for each of many ranks. */
static bool is_wanted(const char *path)
{
    struct read_journal j;
    bool wanted = true;
    if (journal_read(path, &j) == PILGRIM_OK)
        for (size_t i = 0; i < j.process_count; i++)
            wanted = wanted && j.processes[i].ranks <= RANKS_MAX;
    journal_read_free(&j);
    return wanted;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char path[FUZZ_PATH_MAX], command[2 * FUZZ_PATH_MAX];
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/fuzz.XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/0.journal", folder);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert(file >= 0 && write(file, data, length) == (ssize_t)length);
    close(file);
    if (is_wanted(path)) {
        char trace[FUZZ_PATH_MAX];
        snprintf(trace, sizeof trace, "%s/trace", folder);
        snprintf(command, sizeof command, "pilgrim-merge --output=%s", trace);
        if (fuzz_main(merge_main, command, folder) == 0)
            read_trace(trace);
    }
    unlink(path);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max, unsigned seed)
{
    return journal_mutate(data, length, max, seed);
}
