/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions from the files of this process's modules; see frame_symbols.h.
 *
 * A file may have been replaced since it was loaded. So it counts only if its program headers, and its build-id if it
 * has one, are those in memory. Without a build-id another build may still look the same: then it must not have changed
 * since. The program itself can be opened even if its file is gone, by a link that leads to no other file. */
#include "process/frame_symbols.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "objects/modules.h"

static const char own_program[] = "/proc/self/exe";

/* Searches the file at PATH, if it has not changed since SINCE_NS. What is no regular file is not opened for longer
 * than it takes to see that. */
static bool search(const char *path, int64_t since_ns, const struct elf_identity *wanted, struct elf_address *addresses,
                   size_t count, struct bytes *names)
{
    struct stat info;
    int file = spare_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    bool found = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                 (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec <= since_ns &&
                 elf_symbols_find(file, wanted, addresses, count, names);
    if (file >= 0)
        spare_close(file);
    return found;
}

bool frame_symbols_find(const char *module, const uint8_t *build_id, size_t build_id_length,
                        struct elf_address *addresses, size_t count, struct bytes *names)
{
    struct code_module wanted = {.name = module, .build_id_length = (uint32_t)build_id_length};
    struct elf_identity identity = {.build_id = build_id, .build_id_length = build_id_length};
    struct module_file file;
    if (build_id_length > sizeof wanted.build_id)
        return false;
    memcpy(wanted.build_id, build_id, build_id_length);
    for (size_t at = 0; modules_file(&at, &wanted, &file);) {
        identity.headers = file.headers;
        if (search(file.path, build_id_length ? INT64_MAX : file.since_ns, &identity, addresses, count, names) ||
            search(own_program, INT64_MAX, &identity, addresses, count, names))
            return true;
    }
    return false;
}
