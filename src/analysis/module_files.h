/* SPDX-License-Identifier: BSD-3-Clause */
/* Where files of programs and libraries are searched.
 *
 * A trace may come from anybody, and so may the files beside it. So nothing is opened from the trace's own folder or
 * the working directory, unless it is among the folders that the user names. */
#ifndef ANALYSIS_MODULE_FILES_H
#define ANALYSIS_MODULE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* The module that is wanted. */
struct module_wanted {
    const char *name; /* of its file, without folders; one with folders in it is not searched */
    const unsigned char *build_id;
    size_t build_id_length; /* bytes; the first ones of it. 0: it has none */
    const char *folders;    /* that the user names, with colons between them; NULL: none */
    const char *ran_in;     /* the folder of the program, as the trace has it; NULL: unknown */
};

/* Returns true if the file at PATH ends the search. It may not be there. ASKED: it is in one of the folders that the
 * user names; any other file must have the module's build-id to count. */
typedef bool module_file_try(void *data, const char *path, bool asked);

/* Tries files, until one ends the search: those of the module's name in the named folders; and if the module has a
 * build-id, in the folder where the program ran, in absolute folders of PATH and LD_LIBRARY_PATH and in the loader's
 * usual folders, and those of the build-id under /usr/lib/debug and in debuginfod's cache. False: none did. */
bool module_files_search(const struct module_wanted *wanted, module_file_try *try, void *data);

#endif
