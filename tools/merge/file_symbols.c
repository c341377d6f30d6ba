/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions from files that are found by their names; see file_symbols.h. */
#include "file_symbols.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/module_files.h"
#include "write/paths_writer.h"

static const char *module_folders, *trace_path;

struct symbol_search {
    struct elf_identity wanted;
    struct elf_address *addresses;
    size_t count;
    struct bytes *names;
};

static bool try_file(void *data, const char *path)
{
    const struct symbol_search *s = data;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool found = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                 elf_symbols_find(file, &s->wanted, s->addresses, s->count, s->names);
    if (file >= 0)
        close(file);
    return found;
}

static bool find(const char *module, const uint8_t *build_id, size_t build_id_length, struct elf_address *addresses,
                 size_t count, struct bytes *names)
{
    struct symbol_search s = {{build_id, build_id_length, 0}, addresses, count, names};
    return build_id_length > 0 && module_files_search(module, module_folders, trace_path, try_file, &s);
}

void file_symbols_use(const char *folders, const char *trace)
{
    module_folders = folders;
    trace_path = trace;
    paths_name_functions(find);
}
