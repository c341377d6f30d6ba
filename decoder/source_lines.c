/* Source lines by libdw (elfutils), module by module, found once and kept. Without libdw there are none. */
#include "source_lines.h"

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct module {
    struct module *next;
    char *name;
    Dwfl *dwfl;        /* NULL: not found, or nothing to read in it */
    Dwfl_Module *mod;
    uint64_t bias;     /* from an offset in the module to an address of dwfl's */
};

struct source_lines {
    const char *trace_path;
    struct module *modules;
    char text[512];
};

struct source_lines *source_lines_new(const char *trace_path)
{
    struct source_lines *lines = calloc(1, sizeof *lines);
    if (lines)
        lines->trace_path = trace_path;
    return lines;
}

void source_lines_free(struct source_lines *lines)
{
    while (lines && lines->modules) {
        struct module *m = lines->modules;
        lines->modules = m->next;
        if (m->dwfl)
            dwfl_end(m->dwfl);
        free(m->name);
        free(m);
    }
    free(lines);
}

static bool readable(char *path, size_t size, const char *folder, size_t length, const char *name)
{
    int n = snprintf(path, size, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
    return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

static bool find_in(const char *folders, const char *name, char *path, size_t size)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (length && readable(path, size, folders, length, name))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool find_module(const struct source_lines *lines, const char *name, char *path, size_t size)
{
    if (strchr(name, '/'))
        return false; /* a module's name has no folders; do not follow what a broken trace says */
    const char *slash = strrchr(lines->trace_path, '/');
    if (slash && readable(path, size, lines->trace_path, (size_t)(slash - lines->trace_path), name))
        return true;
    return readable(path, size, ".", 1, name) || find_in(getenv("PATH"), name, path, size) ||
           find_in(getenv("LD_LIBRARY_PATH"), name, path, size) ||
           find_in("/lib:/usr/lib:/usr/local/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                   "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu",
                   name, path, size);
}

static void open_module(const struct source_lines *lines, struct module *m)
{
    static char *debuginfo_path;
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &debuginfo_path};
    char path[4096];
    if (!find_module(lines, m->name, path, sizeof path))
        return;
    m->dwfl = dwfl_begin(&callbacks);
    if (!m->dwfl)
        return;
    m->mod = dwfl_report_offline(m->dwfl, m->name, path, -1);
    Dwarf_Addr bias = 0;
    if (!m->mod || dwfl_report_end(m->dwfl, NULL, NULL) != 0 || !dwfl_module_getdwarf(m->mod, &bias)) {
        dwfl_end(m->dwfl);
        m->dwfl = NULL;
        return;
    }
    m->bias = bias;
}

static struct module *module_of(struct source_lines *lines, const char *name)
{
    for (struct module *m = lines->modules; m; m = m->next)
        if (strcmp(m->name, name) == 0)
            return m;
    struct module *m = calloc(1, sizeof *m);
    if (m)
        m->name = strdup(name);
    if (!m || !m->name) {
        free(m);
        return NULL;
    }
    open_module(lines, m);
    m->next = lines->modules;
    lines->modules = m;
    return m;
}

const char *source_lines_find(struct source_lines *lines, const char *name, uint64_t offset)
{
    struct module *m = module_of(lines, name);
    if (!m || !m->dwfl || offset == 0)
        return NULL;
    /* One byte before the return address lies in the call instruction. */
    Dwfl_Line *line = dwfl_module_getsrc(m->mod, m->bias + offset - 1);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file)
        return NULL;
    const char *slash = strrchr(file, '/');
    snprintf(lines->text, sizeof lines->text, "%s:%d", slash ? slash + 1 : file, number);
    return lines->text;
}

#else

#include <stddef.h>

struct source_lines *source_lines_new(const char *trace_path)
{
    (void)trace_path;
    return NULL;
}

void source_lines_free(struct source_lines *lines)
{
    (void)lines;
}

const char *source_lines_find(struct source_lines *lines, const char *module, uint64_t offset)
{
    (void)lines, (void)module, (void)offset;
    return NULL;
}

#endif
