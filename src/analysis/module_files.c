/* SPDX-License-Identifier: BSD-3-Clause */
/* Where files of programs and libraries are searched; see module_files.h. */
#include "analysis/module_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, BUILD_ID_BYTES_MAX = 64, BUILD_ID_BYTES_MIN = 2, ENTRIES_MAX = 100000 };

struct file_search {
    const struct module_wanted *wanted;
    module_file_try *try;
    void *data;
};

static bool try_folder(const struct file_search *s, const char *folder, size_t length, bool asked)
{
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, s->wanted->name);
    return n > 0 && (size_t)n < sizeof path && s->try(s->data, path, asked);
}

/* Tries FOLDERS, with colons between them. Relative ones count only if they are ASKED for. */
static bool try_folders(const struct file_search *s, const char *folders, bool asked)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (length && (asked || *folders == '/') && try_folder(s, folders, length, asked))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* ---- by build-id ---- */

/* Writes the build-id, from byte FROM on, in hexadecimal digits. */
static void put_build_id(char text[2 * BUILD_ID_BYTES_MAX + 1], const struct module_wanted *w, size_t from)
{
    *text = 0;
    for (size_t i = from; i < w->build_id_length; i++)
        snprintf(text + 2 * (i - from), 3, "%02x", w->build_id[i]);
}

/* Tries FOLDER/ENTRY/FILES[] (or FOLDER/ENTRY, if FILES[0] is NULL) for each entry whose name begins with PREFIX. */
static bool try_entries(const struct file_search *s, const char *folder, const char *prefix, const char *const files[])
{
    static const char *const itself[] = {"", NULL};
    char path[2 * PATH_BYTES];
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool found = false;
    for (int i = 0; entries && !found && i < ENTRIES_MAX && (entry = readdir(entries)); i++) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        for (const char *const *file = files ? files : itself; *file && !found; file++) {
            int n = snprintf(path, sizeof path, "%s/%s%s", folder, entry->d_name, *file);
            found = n > 0 && (size_t)n < sizeof path && s->try(s->data, path, false);
        }
    }
    if (entries)
        closedir(entries);
    return found;
}

/* Tries the cache of debuginfod, FOLDER with MORE behind it. */
static bool try_cache(const struct file_search *s, const char *folder, const char *more)
{
    static const char *const files[] = {"/executable", "/debuginfo", NULL};
    char path[PATH_BYTES], id[2 * BUILD_ID_BYTES_MAX + 1];
    int n = folder && *folder == '/' ? snprintf(path, sizeof path, "%s%s", folder, more) : 0;
    put_build_id(id, s->wanted, 0);
    return n > 0 && (size_t)n < sizeof path && try_entries(s, path, id, files);
}

static bool try_build_id(const struct file_search *s)
{
    char folder[64], rest[2 * BUILD_ID_BYTES_MAX + 1];
    const char *cache = getenv("DEBUGINFOD_CACHE_PATH");
    snprintf(folder, sizeof folder, "/usr/lib/debug/.build-id/%02x", s->wanted->build_id[0]);
    put_build_id(rest, s->wanted, 1);
    if (try_entries(s, folder, rest, NULL))
        return true;
    if (cache && *cache)
        return try_cache(s, cache, "");
    return try_cache(s, getenv("XDG_CACHE_HOME"), "/debuginfod_client") ||
           try_cache(s, getenv("HOME"), "/.cache/debuginfod_client");
}

bool module_files_search(const struct module_wanted *w, module_file_try *try, void *data)
{
    const struct file_search s = {w, try, data};
    if (!*w->name || strchr(w->name, '/'))
        return false;
    if (try_folders(&s, w->folders, true))
        return true;
    if (w->build_id_length < BUILD_ID_BYTES_MIN || w->build_id_length > BUILD_ID_BYTES_MAX)
        return false;
    return (w->ran_in && *w->ran_in == '/' && try_folder(&s, w->ran_in, strlen(w->ran_in), false)) ||
           try_folders(&s, getenv("PATH"), false) || try_folders(&s, getenv("LD_LIBRARY_PATH"), false) ||
           try_folders(&s,
                       "/lib:/usr/lib:/usr/local/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                       "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu",
                       false) ||
           try_build_id(&s);
}
