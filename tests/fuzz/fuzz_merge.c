/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragment files of any bytes through pilgrim-merge; what it makes of them can be read. The input is one file, or
 * several behind each other: each begins with the magic number. */
#define _GNU_SOURCE 1 /* memmem */
#include <stdlib.h>

#include "fuzz.h"
#include "merge/fragment_file.h"
#include "sections.h"
#include "read_trace.h"

enum { HEAD = 10, FILES_MAX = 8, RANKS_MAX = 64 };

int merge_main(int argc, char **argv);

static char folder[FUZZ_PATH_MAX - 32];
static const uint8_t magic[] = {0x89, 'P', 'L', 'F', 0x0d, 0x0a, 0x1a, 0x0a};

/* Returns the length of the first file. */
static size_t first_file(const uint8_t *data, size_t length)
{
    const uint8_t *next = length > sizeof magic ? memmem(data + 1, length - 1, magic, sizeof magic) : NULL;
    return next ? (size_t)(next - data) : length;
}

/* Sets *RANK to the rank of the file. False: the merge would refuse it, or takes a step for each of many ranks. */
static bool is_wanted(const uint8_t *data, size_t length, uint32_t *rank)
{
    struct fragment_head head;
    struct bytes texts = {0};
    size_t segments;
    enum pilgrim_status status = fragment_file_head(data, length, &head, &texts, &segments);
    bool good = status != PILGRIM_OK || head.ranks <= RANKS_MAX;
    *rank = status == PILGRIM_OK ? head.rank : 0;
    bytes_free(&texts);
    return good;
}

static void write_file(unsigned number, const uint8_t *data, size_t length)
{
    char path[FUZZ_PATH_MAX];
    snprintf(path, sizeof path, "%s/%u.fragment", folder, number);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert(file >= 0 && write(file, data, length) == (ssize_t)length);
    close(file);
}

static void remove_files(unsigned count)
{
    char path[FUZZ_PATH_MAX];
    for (unsigned i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%u.fragment", folder, i);
        unlink(path);
    }
}

static void remove_folder(void)
{
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char path[FUZZ_PATH_MAX], command[2 * FUZZ_PATH_MAX];
    unsigned count = 0;
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/fuzz.XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
        atexit(remove_folder);
    }
    while (length > 0 && count < FILES_MAX) {
        size_t file = first_file(data, length);
        uint32_t rank;
        if (!is_wanted(data, file, &rank))
            break;
        write_file(count++, data, file);
        data += file;
        length -= file;
    }
    snprintf(path, sizeof path, "%s/trace", folder);
    snprintf(command, sizeof command, "pilgrim-merge --partial --output=%s", path);
    if (count > 0 && fuzz_main(merge_main, command, folder) == 0)
        read_trace(path);
    remove_files(count);
    return 0;
}

/* Changes one of the files. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max, unsigned seed)
{
    size_t at = 0, file = first_file(data, length);
    for (unsigned skipped = seed % 4; skipped > 0 && at + file < length; skipped--) {
        at += file;
        file = first_file(data + at, length - at);
    }
    const size_t behind = length - at - file;
    uint8_t *rest = malloc(behind + 1);
    memcpy(rest, data + at + file, behind);
    size_t changed = sections_mutate(data + at, file, max - at - behind, seed, HEAD);
    memcpy(data + at + changed, rest, behind);
    free(rest);
    return at + changed + behind;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length,
                                 uint8_t *out, size_t max, unsigned seed)
{
    return sections_cross(one, first_file(one, one_length), other, first_file(other, other_length), out, max, seed,
                          HEAD);
}
