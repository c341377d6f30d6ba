/* SPDX-License-Identifier: BSD-3-Clause */
/* Where files of programs and libraries are searched; see module_files.h. */
#include "analysis/module_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file_search {
    const char *name;
    module_file_try *try;
    void *data;
};

static bool try_folder(const struct file_search *s, const char *folder, size_t length)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, s->name);
    return n > 0 && (size_t)n < sizeof path && s->try(s->data, path);
}

static bool try_folders(const struct file_search *s, const char *folders)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (length && try_folder(s, folders, length))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

bool module_files_search(const char *name, const char *folders, const char *trace_path, module_file_try *try,
                         void *data)
{
    const struct file_search s = {name, try, data};
    const char *slash = strrchr(trace_path, '/');
    if (strchr(name, '/'))
        return false;
    return try_folders(&s, folders) || (slash && try_folder(&s, trace_path, (size_t)(slash - trace_path))) ||
           try_folder(&s, ".", 1) || try_folders(&s, getenv("PATH")) || try_folders(&s, getenv("LD_LIBRARY_PATH")) ||
           try_folders(&s,
                       "/lib:/usr/lib:/usr/local/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                       "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu");
}
