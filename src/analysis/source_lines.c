/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds source lines and functions with libdw (elfutils). Each module is searched once. Without libdw there are no
 * source lines.
 *
 * A wrong line is worse than none. So a file with the module's name counts only if its build-id begins as the trace
 * says. If the module has no build-id, only a file in the folders that the user names counts, and none that is newer
 * than the trace. */
#include "analysis/source_lines.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/function_names.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/module_files.h"

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
    const char *ran_in;
    const struct pilgrim_trace *trace;
    frame_function *function;
    source_lines_warning *warn;
    struct debug_module *modules;
    char text[512];
};

/* The search for one module. */
struct module_search {
    const struct source_lines *lines;
    struct debug_module *module;
    const char *path;
    bool asked;
    char other[4096]; /* the first file of that name that is another build; "": there is none */
};

struct source_lines *source_lines_new(const char *trace_path, const char *folders)
{
    struct source_lines *lines = calloc(1, sizeof *lines);
    if (lines)
        *lines = (struct source_lines){.trace_path = trace_path, .folders = folders};
    return lines;
}

bool source_lines_asked(const struct source_lines *lines)
{
    return lines && lines->trace_path && lines->folders;
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
        return s->asked && length <= 0 && module_is_older(s);
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

/* Tries the file at PATH. True: the search is over. */
static bool try_path(void *search, const char *path, bool asked)
{
    static char *debuginfo_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &debuginfo_path};
    struct module_search *s = search;
    struct debug_module *m = s->module;
    struct stat file;
    s->path = path;
    s->asked = asked;
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
        snprintf(s->other, sizeof s->other, "%s", path);
    return false;
}

static void open_module(const struct source_lines *lines, struct debug_module *m)
{
    struct module_search s = {.lines = lines, .module = m};
    const struct module_wanted wanted = {m->name, m->build_id, m->build_id_length, lines->folders, lines->ran_in};
    if (lines->trace_path && !module_files_search(&wanted, try_path, &s) && s.other[0] && lines->warn)
        lines->warn(
            "%s is not the %s that was traced, so its source lines are not printed; say where the traced one is "
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

/* Writes "FILE:LINE" without the file's folders. False: the line is not known. */
static bool put_line(char *text, size_t size, const char *file, int number)
{
    if (!file || number <= 0)
        return false;
    const char *slash = strrchr(file, '/');
    snprintf(text, size, "%s:%d", slash ? slash + 1 : file, number);
    return true;
}

/* Writes the line of the code at ADDRESS. False: it is not known. */
static bool put_line_of(char *text, size_t size, const struct debug_module *m, Dwarf_Addr address)
{
    Dwfl_Line *line = dwfl_module_getsrc(m->mod, address);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    return put_line(text, size, file, number);
}

/* Sets *M to FRAME's module. Returns the address of the call that returns to FRAME: the byte before the return address
 * lies in the call instruction. 0: the module was not found. */
static Dwarf_Addr address_of(struct source_lines *lines, const struct pilgrim_frame *frame, struct debug_module **m)
{
    *m = module_of(lines, frame);
    return *m && (*m)->dwfl && frame->offset > 0 ? (*m)->start + frame->offset - 1 : 0;
}

/* ---- functions ---- */

/* Writes the name of the function DIE, which may be an inlined copy. */
static bool put_name(char *text, size_t size, Dwarf_Die *die)
{
    static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
    Dwarf_Attribute attribute;
    for (unsigned i = 0; i < 2; i++) {
        const char *symbol = dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attribute));
        if (symbol && function_name_put(text, size, symbol))
            return true;
    }
    const char *name = dwarf_diename(die);
    if (name)
        snprintf(text, size, "%s", name);
    return name != NULL;
}

/* Writes where the inlined function DIE of UNIT was called. False: it is not known. */
static bool put_call(char *text, size_t size, Dwarf_Die *unit, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) != 0 || line > INT32_MAX ||
        dwarf_getsrcfiles(unit, &files, NULL) != 0)
        return false;
    return put_line(text, size, dwarf_filesrc(files, (size_t)file, NULL, NULL), (int)line);
}

/* Fills in FUNCTIONS from the COUNT scopes around an address, the innermost first, in which execution is at PLACE.
 * Returns how many there are; 0: what is known is not enough. */
static size_t take_scopes(Dwarf_Die *unit, Dwarf_Die *scopes, int count, const char *place,
                          struct source_function functions[SOURCE_FUNCTIONS_MAX])
{
    size_t found = 0;
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        struct source_function *f = &functions[found];
        if (found == 0)
            snprintf(f->place, sizeof f->place, "%s", place);
        if (!put_name(f->name, sizeof f->name, &scopes[i]))
            return 0;
        found++;
        if (tag == DW_TAG_subprogram)
            return found;
        if (found == SOURCE_FUNCTIONS_MAX || !put_call(f[1].place, sizeof f[1].place, unit, &scopes[i]))
            return 0;
    }
    return 0;
}

/* Finds functions by the debug information of UNIT. Returns as take_scopes. ADDRESS is as in the file. */
static size_t find_scopes(Dwarf_Die *unit, Dwarf_Addr address, const char *place,
                          struct source_function functions[SOURCE_FUNCTIONS_MAX])
{
    Dwarf_Die *inner = NULL, *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &inner), i = 0;
    while (i < count && dwarf_tag(&inner[i]) != DW_TAG_inlined_subroutine && dwarf_tag(&inner[i]) != DW_TAG_subprogram)
        i++;
    /* Behind an inlined function, `inner` has the scopes in which it was written; those are wanted that it is in. */
    int outer = i < count ? dwarf_getscopes_die(&inner[i], &scopes) : 0;
    size_t found = take_scopes(unit, scopes, outer, place, functions);
    free(inner);
    free(scopes);
    return found;
}

/* pilgrim/pilgrim.h has it, always inlined: a marker's place is the one that it was inlined at. */
static const char marker_function[] = "pilgrim_marker", marker_file[] = "pilgrim.h:";

/* As source_lines_functions, from the module's file. */
static size_t find_functions(struct source_lines *lines, const struct pilgrim_frame *frame,
                             struct source_function functions[SOURCE_FUNCTIONS_MAX])
{
    struct debug_module *m;
    Dwarf_Addr address = address_of(lines, frame, &m), bias = 0;
    GElf_Off offset;
    GElf_Sym symbol;
    char place[sizeof functions->place];
    if (!address)
        return 0;
    bool has_line = put_line_of(place, sizeof place, m, address);
    Dwarf_Die *unit = has_line ? dwfl_module_addrdie(m->mod, address, &bias) : NULL;
    size_t found = unit ? find_scopes(unit, address - bias, place, functions) : 0;
    if (found > 1 && strcmp(functions->name, marker_function) == 0)
        memmove(functions, functions + 1, --found * sizeof *functions);
    if (found > 0)
        return found;
    const char *name = dwfl_module_addrinfo(m->mod, address, &offset, &symbol, NULL, NULL, NULL);
    if (!name)
        return 0;
    function_name_put(functions->name, sizeof functions->name, name);
    if (has_line)
        memcpy(functions->place, place, sizeof place);
    else
        snprintf(functions->place, sizeof functions->place, "%.200s+0x%llx", functions->name,
                 (unsigned long long)offset + 1);
    return 1;
}

static bool find_line(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    struct debug_module *m;
    Dwarf_Addr address = address_of(lines, frame, &m);
    if (!address || !put_line_of(lines->text, sizeof lines->text, m, address))
        return false;
    if (strncmp(lines->text, marker_file, strlen(marker_file)) == 0 && find_functions(lines, frame, functions) > 0)
        snprintf(lines->text, sizeof lines->text, "%s", functions->place);
    return true;
}

#else

struct source_lines {
    const char *ran_in;
    const struct pilgrim_trace *trace;
    frame_function *function;
    source_lines_warning *warn;
    char text[512];
};

struct source_lines *source_lines_new(const char *trace_path, const char *folders)
{
    (void)trace_path, (void)folders;
    return calloc(1, sizeof(struct source_lines));
}

void source_lines_free(struct source_lines *lines)
{
    free(lines);
}

bool source_lines_asked(const struct source_lines *lines)
{
    (void)lines;
    return false;
}

static bool find_line(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    (void)lines, (void)frame;
    return false;
}

static size_t find_functions(struct source_lines *lines, const struct pilgrim_frame *frame,
                             struct source_function functions[SOURCE_FUNCTIONS_MAX])
{
    (void)lines, (void)frame, (void)functions;
    return 0;
}

#endif

void source_lines_warn(struct source_lines *lines, source_lines_warning *warn)
{
    lines->warn = warn;
}

void source_lines_ran_in(struct source_lines *lines, const char *folder)
{
    lines->ran_in = folder;
}

/* ---- what the trace knows ---- */

void source_lines_use_trace(struct source_lines *lines, const struct pilgrim_trace *trace, frame_function *function)
{
    lines->trace = trace;
    lines->function = function;
}

/* Sets FUNCTION to the one in Python that FRAME is in, or to MPI's that called back. False: it is in machine code. */
static bool python_function(const struct pilgrim_frame *frame, struct source_function *function)
{
    if (!frame->python)
        return false;
    snprintf(function->name, sizeof function->name, "%s", frame->python);
    if (strcmp(frame->module, PILGRIM_INSIDE_MPI) == 0)
        snprintf(function->place, sizeof function->place, "%s", function->name);
    else if (frame->offset > 0)
        snprintf(function->place, sizeof function->place, "%.200s:%llu", frame->module,
                 (unsigned long long)frame->offset);
    else
        snprintf(function->place, sizeof function->place, "%.200s", frame->module);
    return true;
}

/* Returns the symbol of the function that FRAME is in; "": it is not known, or there is no frame. */
static const char *symbol_of(const struct source_lines *lines, const struct pilgrim_frame *frame)
{
    uint64_t offset;
    const char *symbol = frame && !frame->python ? lines->function(lines->trace, frame, &offset) : NULL;
    return symbol ? symbol : "";
}

/* True if FRAME and its callers start the program. What is recorded of them may be the inner part only. */
static bool starts_program(const struct source_lines *lines, const struct pilgrim_frame *frame)
{
    static const char start[] = "__libc_start_main"; /* some C libraries append to the name */
    if (strcmp(symbol_of(lines, frame), "__libc_start_call_main") == 0 && !(frame = frame->caller))
        return true;
    return strncmp(symbol_of(lines, frame), start, sizeof start - 1) == 0 &&
           (!frame->caller || (strcmp(symbol_of(lines, frame->caller), "_start") == 0 && !frame->caller->caller));
}

/* True if FRAME and its caller start a thread. Programs name functions of their own like the first one, so the second
 * one must be there. */
static bool starts_thread(const struct source_lines *lines, const struct pilgrim_frame *frame)
{
    static const char *const names[] = {"clone3", "__clone3", "clone", "__clone"};
    if (strcmp(symbol_of(lines, frame), "start_thread") != 0 || !frame->caller || frame->caller->caller)
        return false;
    const char *outermost = symbol_of(lines, frame->caller);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(outermost, names[i]) == 0)
            return true;
    return false;
}

const struct pilgrim_frame *source_lines_caller(const struct source_lines *lines, const struct pilgrim_frame *frame)
{
    const struct pilgrim_frame *caller = frame->caller;
    bool starts = lines && lines->function && caller && (starts_program(lines, caller) || starts_thread(lines, caller));
    return starts ? NULL : caller;
}

bool source_lines_symbol(const struct source_lines *lines, const struct pilgrim_frame *frame,
                         struct source_function *function)
{
    if (python_function(frame, function))
        return true;
    uint64_t offset;
    const char *symbol = lines->function ? lines->function(lines->trace, frame, &offset) : NULL;
    if (!symbol)
        return false;
    function_name_put(function->name, sizeof function->name, symbol);
    snprintf(function->place, sizeof function->place, "%.200s+0x%llx", function->name, (unsigned long long)offset);
    return true;
}

const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    struct source_function function;
    if (!frame->python && find_line(lines, frame))
        return lines->text;
    if (!source_lines_symbol(lines, frame, &function))
        return NULL;
    snprintf(lines->text, sizeof lines->text, "%s", function.place);
    return lines->text;
}

char *source_lines_place(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    const char *line = frame && lines ? source_lines_find(lines, frame) : NULL;
    if (!frame || line)
        return strdup(line ? line : "?");
    const size_t size = strlen(frame->module) + 32;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s+0x%llx", frame->module, (unsigned long long)frame->offset);
    return text;
}

size_t source_lines_functions(struct source_lines *lines, const struct pilgrim_frame *frame,
                              struct source_function functions[SOURCE_FUNCTIONS_MAX])
{
    if (python_function(frame, functions))
        return 1;
    size_t found = lines ? find_functions(lines, frame, functions) : 0;
    return found > 0 || !lines ? found : source_lines_symbol(lines, frame, functions);
}
