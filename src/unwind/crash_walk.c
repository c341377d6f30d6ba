/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks in signal handlers; see crash_walk.h. What a walk needs is static: the stack of a handler may be small. */
#define _GNU_SOURCE 1 /* REG_RIP, process_vm_readv */
#include "unwind/crash_walk.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/spare_files.h"
#include "unwind/frame_rule.h"

enum { LINE_BYTES = 4096 + 128, STACK_MAX = 64 << 20 }; /* a path, and what stands before it */

/* A file that is mapped, and the part of it that an address lies in. */
struct mapped_file {
    uintptr_t base;      /* where its beginning is mapped; 0: nowhere */
    uintptr_t base_end;  /* the end of what can be read there; 0: nothing */
    uintptr_t low, high; /* of the part */
    char path[LINE_BYTES];
};

struct machine_registers {
    uintptr_t pc, sp, fp;
};

static struct mapped_file current;

/* ---- which file an address lies in ---- */

static uintptr_t take_hex(const char **at)
{
    uintptr_t value = 0;
    for (;; ++*at) {
        unsigned digit = (unsigned)(**at | 32);
        if (digit - '0' < 10)
            digit -= '0';
        else if (digit - 'a' < 6)
            digit -= 'a' - 10;
        else
            return value;
        value = value << 4 | digit;
    }
}

/* Looks at a line of /proc/self/maps: "LOW-HIGH PERMISSIONS OFFSET DEVICE INODE     PATH". True if ADDRESS lies there.
 */
static bool look_at(const char *line, uintptr_t address, struct mapped_file *file)
{
    const char *at = line, *path = strchr(line, '/');
    uintptr_t low = take_hex(&at);
    at += *at == '-';
    uintptr_t high = take_hex(&at);
    if (strlen(at) < 6)
        return false;
    bool readable = at[1] == 'r', executable = at[3] == 'x', found = address - low < high - low;
    at += 6;
    if (!path || strncmp(path, file->path, sizeof file->path - 1) != 0 || take_hex(&at) == 0) {
        file->base = path ? low : 0;
        file->base_end = readable ? high : 0;
        strncpy(file->path, path ? path : "", sizeof file->path - 1);
    }
    file->low = low;
    file->high = high;
    if (found && !executable)
        file->base = 0;
    return found;
}

/* Sets `current` to the file whose code is mapped at ADDRESS. False: there is none. */
static bool find_file(uintptr_t address)
{
    static char buffer[4096], line[LINE_BYTES];
    size_t length = 0;
    if (current.base && address - current.low < current.high - current.low)
        return true;
    int maps = spare_open(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    bool found = false;
    memset(&current, 0, sizeof current);
    for (ssize_t count; maps >= 0 && !found && (count = read(maps, buffer, sizeof buffer)) > 0;) {
        for (ssize_t i = 0; i < count && !found; i++) {
            if (buffer[i] != '\n') {
                line[length] = buffer[i];
                length += length < sizeof line - 1;
                continue;
            }
            line[length] = 0;
            length = 0;
            found = look_at(line, address, &current);
        }
    }
    if (maps >= 0)
        spare_close(maps);
    if (!found)
        current.base = 0;
    return current.base != 0;
}

/* True if the BYTES from OFFSET on of FILE can be read where it begins. */
static bool has_bytes(const struct mapped_file *file, uint64_t offset, uint64_t bytes)
{
    uint64_t there = file->base_end > file->base ? file->base_end - file->base : 0;
    return offset <= there && bytes <= there - offset;
}

/* Returns the header of FILE, if that and the program headers can be read; else NULL. */
static const ElfW(Ehdr) * elf_header(const struct mapped_file *file)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file->base;
    return has_bytes(file, 0, sizeof *header) && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
                   has_bytes(file, header->e_phoff, header->e_phnum * sizeof(ElfW(Phdr)))
               ? header
               : NULL;
}

static void find_build_id(const struct mapped_file *file, struct crash_module *m)
{
    const ElfW(Ehdr) *header = elf_header(file);
    const ElfW(Phdr) *p = header ? (const ElfW(Phdr) *)(file->base + header->e_phoff) : NULL;
    for (size_t i = 0; p && i < header->e_phnum && !m->build_id_length; i++) {
        size_t length = 0;
        const uint8_t *id =
            p[i].p_type == PT_NOTE && has_bytes(file, p[i].p_offset, p[i].p_filesz)
                ? build_id_in((const void *)(file->base + p[i].p_offset), p[i].p_filesz, p[i].p_align, &length)
                : NULL;
        m->build_id_length = id ? (uint32_t)(length < sizeof m->build_id ? length : sizeof m->build_id) : 0;
        for (uint32_t k = 0; k < m->build_id_length; k++)
            m->build_id[k] = id[k];
    }
}

/* Returns the index of the module that is `current` in STACK; CRASH_MODULES_MAX: it has no room. */
static uint32_t module_of(struct crash_stack *stack, const struct mapped_file *file)
{
    const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
    const char *deleted = strstr(name, " (deleted)");
    size_t length = deleted ? (size_t)(deleted - name) : strlen(name);
    struct crash_module m = {.build_id_length = 0};
    length = length < sizeof m.name - 1 ? length : sizeof m.name - 1;
    memcpy(m.name, name, length);
    for (uint32_t i = 0; i < stack->module_count; i++)
        if (!strcmp(stack->modules[i].name, m.name))
            return i;
    if (stack->module_count == CRASH_MODULES_MAX)
        return CRASH_MODULES_MAX;
    find_build_id(file, &m);
    stack->modules[stack->module_count] = m;
    return stack->module_count++;
}

/* ---- from frame to frame ---- */

/* Reads the word at ADDRESS. False: it cannot be read. */
static bool read_word(uintptr_t address, uintptr_t *word)
{
    const struct iovec to = {word, sizeof *word}, from = {(void *)address, sizeof *word};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof *word;
}

/* Goes to the caller's frame, by what the unwind tables say. */
static bool step_by_rule(struct machine_registers *r, const struct frame_rule *rule)
{
    uintptr_t cfa = (rule->cfa == FRAME_SP ? r->sp : r->fp) + (uintptr_t)(intptr_t)rule->cfa_offset, fp = r->fp, pc;
    if (rule->cfa == FRAME_AT_FP && !read_word(cfa, &cfa))
        return false;
    uintptr_t saved = rule->saved == SAVED_AT_FP ? r->fp : cfa;
    if (rule->saved != SAVED_NOT && rule->saved != SAVED_NOWHERE &&
        !read_word(saved + (uintptr_t)(intptr_t)rule->fp_offset, &fp))
        return false;
    if (cfa - r->sp > STACK_MAX || !read_word(cfa + (uintptr_t)(intptr_t)rule->return_offset, &pc))
        return false;
    *r = (struct machine_registers){pc, cfa, fp};
    return true;
}

/* The same in code that has no tables: a frame address that was saved with the return address behind it. */
static bool step_by_frame(struct machine_registers *r)
{
    uintptr_t fp, pc;
    if (r->fp - r->sp > STACK_MAX || !read_word(r->fp, &fp) || !read_word(r->fp + sizeof fp, &pc))
        return false;
    *r = (struct machine_registers){pc, r->fp + 2 * sizeof fp, fp};
    return true;
}

/* The innermost frame of code that is not there: the program has called a wrong address. */
static bool step_to_caller(struct machine_registers *r, uintptr_t link)
{
    uintptr_t pc = link;
    if (!link && !read_word(r->sp, &pc))
        return false;
    *r = (struct machine_registers){pc, link ? r->sp : r->sp + sizeof pc, r->fp};
    return true;
}

static void walk(struct crash_stack *stack, struct machine_registers r, uintptr_t link)
{
    for (uint32_t i = 0; i < CRASH_FRAMES_MAX; i++) {
        uintptr_t pc = r.pc - (i > 0), sp = r.sp;
        struct crash_frame *f = &stack->frames[i];
        bool mapped = find_file(pc);
        if (!mapped && i > 0)
            return;
        *f = (struct crash_frame){.offset = pc + 1 - (mapped ? current.base : 0),
                                  .module = mapped ? module_of(stack, &current) : CRASH_MODULES_MAX};
        stack->frame_count = i + 1;
        const ElfW(Ehdr) *header = mapped ? elf_header(&current) : NULL;
        const struct frame_rule rule = header ? frame_rule_in(header, pc) : (struct frame_rule){.cfa = FRAME_UNKNOWN};
        bool good = rule.cfa == FRAME_UNKNOWN
                        ? (i == 0 && (!mapped || link) ? step_to_caller(&r, link) : step_by_frame(&r))
                        : rule.cfa != FRAME_OUTERMOST && step_by_rule(&r, &rule);
        if (!good || !r.pc || (r.sp <= sp && i > 0))
            return;
    }
}

/* True if little is left of the stack that the handler runs on. */
static bool stack_is_small(void)
{
    enum { NEEDED = 8 << 10 };
    stack_t s;
    return !sigaltstack(NULL, &s) && s.ss_flags & SS_ONSTACK && (uintptr_t)&s - (uintptr_t)s.ss_sp < NEEDED;
}

void crash_walk(const void *context, struct crash_stack *stack)
{
    const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;
    stack->frame_count = stack->module_count = 0;
    if (stack_is_small())
        return;
    memset(&current, 0, sizeof current);
#if defined __x86_64__
    walk(stack,
         (struct machine_registers){(uintptr_t)m->gregs[REG_RIP], (uintptr_t)m->gregs[REG_RSP],
                                    (uintptr_t)m->gregs[REG_RBP]},
         0);
#elif defined __aarch64__
    walk(stack, (struct machine_registers){m->pc, m->sp, m->regs[29]}, m->regs[30]);
#endif
}
