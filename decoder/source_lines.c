/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds source lines with libdw (elfutils). Each module is searched once. Without libdw there are no source lines.
 *
 * A wrong line is worse than none. So a file with the module's name counts only if its build-id begins as the trace
 * says. If the module has no build-id, a file that is newer than the trace does not count. */
#include "source_lines.h"

#include <stddef.h>

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode_errors.h"

struct debug_module {
    struct debug_module *next;
    char *name;
    unsigned char *build_id;
    size_t build_id_length;
    Dwfl *dwfl; /* NULL: the file was not found or cannot be read */
    Dwfl_Module *mod;
    uint64_t start; /* the address of its beginning, as dwfl numbers addresses */
};

struct source_lines {
    const char *trace_path;
    const char *folders;
    struct debug_module *modules;
    char text[512];
};

/* The search for one module. */
struct module_search {
    const struct source_lines *lines;
    struct debug_module *module;
    char path[4096];
    char other[4096]; /* the first file of that name that is another build; "": there is none */
};

struct source_lines *source_lines_new(const char *trace_path, const char *folders)
{
    struct source_lines *lines = calloc(1, sizeof *lines);
    if (lines)
        *lines = (struct source_lines){.trace_path = trace_path, .folders = folders};
    return lines;
}

static void module_close(struct debug_module *m)
{
    if (m->dwfl)
        dwfl_end(m->dwfl);
    m->dwfl = NULL;
}

static void module_free(struct debug_module *m)
{
    free(m->build_id);
    free(m->name);
    free(m);
}

void source_lines_free(struct source_lines *lines)
{
    while (lines && lines->modules) {
        struct debug_module *m = lines->modules;
        lines->modules = m->next;
        module_close(m);
        module_free(m);
    }
    free(lines);
}

/* ---- is a file the module that was traced? ---- */

static bool module_is_older(const struct module_search *s)
{
    struct stat file, trace;
    return stat(s->path, &file) == 0 && stat(s->lines->trace_path, &trace) == 0 && file.st_mtime <= trace.st_mtime;
}

static bool module_is_traced(const struct module_search *s)
{
    const struct debug_module *m = s->module;
    const unsigned char *bits;
    GElf_Addr address;
    int length = dwfl_module_build_id(m->mod, &bits, &address);
    if (m->build_id_length == 0)
        return length <= 0 && module_is_older(s);
    return length > 0 && (size_t)length >= m->build_id_length && memcmp(bits, m->build_id, m->build_id_length) == 0;
}

/* Sets m->start to the address of the first segment, as dwfl numbers addresses, rounded down to a page of 4096. */
static bool find_start(struct debug_module *m)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    size_t count = 0;
    m->start = UINT64_MAX;
    if (!elf || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
            (header.p_vaddr & ~UINT64_C(4095)) < m->start)
            m->start = header.p_vaddr & ~UINT64_C(4095);
    }
    if (m->start == UINT64_MAX)
        return false;
    m->start += bias;
    return true;
}

/* Tries the file s->path. True: the search is over. */
static bool try_path(struct module_search *s)
{
    static char *debuginfo_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &debuginfo_path};
    struct debug_module *m = s->module;
    struct stat file;
    if (stat(s->path, &file) != 0 || !S_ISREG(file.st_mode) || access(s->path, R_OK) != 0)
        return false;
    m->dwfl = dwfl_begin(&callbacks);
    if (!m->dwfl)
        return true;
    m->mod = dwfl_report_offline(m->dwfl, m->name, s->path, -1);
    if (!m->mod || dwfl_report_end(m->dwfl, NULL, NULL) != 0 || !find_start(m)) {
        module_close(m);
        return false;
    }
    if (module_is_traced(s))
        return true;
    module_close(m);
    if (!s->other[0])
        memcpy(s->other, s->path, sizeof s->other);
    return false;
}

/* ---- where to look ---- */

static bool try_folder(struct module_search *s, const char *folder, size_t length)
{
    int n = snprintf(s->path, sizeof s->path, "%.*s/%s", (int)length, folder, s->module->name);
    return n > 0 && (size_t)n < sizeof s->path && try_path(s);
}

static bool try_folders(struct module_search *s, const char *folders)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (length && try_folder(s, folders, length))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool try_all(struct module_search *s)
{
    const char *trace = s->lines->trace_path, *slash = strrchr(trace, '/');
    return try_folders(s, s->lines->folders) || (slash && try_folder(s, trace, (size_t)(slash - trace))) ||
           try_folder(s, ".", 1) || try_folders(s, getenv("PATH")) || try_folders(s, getenv("LD_LIBRARY_PATH")) ||
           try_folders(s,
                       "/lib:/usr/lib:/usr/local/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                       "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu");
}

static void open_module(const struct source_lines *lines, struct debug_module *m)
{
    struct module_search s = {.lines = lines, .module = m};
    if (strchr(m->name, '/'))
        return; /* a module's name has no folders; a damaged trace must not lead anywhere else */
    if (!try_all(&s) && s.other[0])
        complain("%s is not the %s that was traced, so its source lines are not printed; say where the traced one is "
                 "with --modules=FOLDER",
                 s.other, m->name);
}

static bool is_module(const struct debug_module *m, const struct pilgrim_frame *frame)
{
    return strcmp(m->name, frame->module) == 0 && m->build_id_length == frame->build_id_length &&
           memcmp(m->build_id, frame->build_id, m->build_id_length) == 0;
}

static struct debug_module *module_of(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    for (struct debug_module *m = lines->modules; m; m = m->next)
        if (is_module(m, frame))
            return m;
    struct debug_module *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->name = strdup(frame->module);
    m->build_id = malloc(frame->build_id_length + 1);
    if (!m->name || !m->build_id) {
        module_free(m);
        return NULL;
    }
    if (frame->build_id_length > 0)
        memcpy(m->build_id, frame->build_id, frame->build_id_length);
    m->build_id_length = frame->build_id_length;
    open_module(lines, m);
    m->next = lines->modules;
    lines->modules = m;
    return m;
}

const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    struct debug_module *m = module_of(lines, frame);
    if (!m || !m->dwfl || frame->offset == 0)
        return NULL;
    /* The byte before the return address lies in the call instruction. */
    Dwfl_Line *line = dwfl_module_getsrc(m->mod, m->start + frame->offset - 1);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file || number <= 0)
        return NULL;
    const char *slash = strrchr(file, '/');
    snprintf(lines->text, sizeof lines->text, "%s:%d", slash ? slash + 1 : file, number);
    return lines->text;
}

#else

struct source_lines *source_lines_new(const char *trace_path, const char *folders)
{
    (void)trace_path, (void)folders;
    return NULL;
}

void source_lines_free(struct source_lines *lines)
{
    (void)lines;
}

const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    (void)lines, (void)frame;
    return NULL;
}

#endif
