/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an ELF file; see program_file.h. Each offset is checked against the file's length. */
#define _GNU_SOURCE 1 /* strchrnul */
#include "program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Opens the file that execvp would execute. Returns -1 if there is none. */
static int open_program(const char *program)
{
    if (strchr(program, '/'))
        return open(program, O_RDONLY | O_CLOEXEC);
    const char *folders = getenv("PATH");
    for (const char *end; folders; folders = *end ? end + 1 : NULL) {
        char path[PATH_MAX];
        end = strchrnul(folders, ':');
        int length =
            snprintf(path, sizeof path, "%.*s%s%s", (int)(end - folders), folders, end > folders ? "/" : "", program);
        if (length > 0 && (size_t)length < sizeof path && !access(path, X_OK))
            return open(path, O_RDONLY | O_CLOEXEC);
    }
    return -1;
}

bool program_open(struct program_file *f, const char *program)
{
    *f = (struct program_file){.file = open_program(program)};
    void *data = MAP_FAILED;
    if (f->file >= 0 && !fstat(f->file, &f->found) && S_ISREG(f->found.st_mode) && f->found.st_size > 0) {
        f->length = (size_t)f->found.st_size;
        data = mmap(NULL, f->length, PROT_READ, MAP_PRIVATE, f->file, 0);
    }
    if (data == MAP_FAILED) {
        if (f->file >= 0)
            close(f->file);
        return false;
    }
    f->data = data;
    return true;
}

void program_close(struct program_file *f)
{
    munmap((void *)(uintptr_t)f->data, f->length);
    close(f->file);
}

const void *program_at(const struct program_file *f, uint64_t offset, uint64_t bytes)
{
    bool inside = offset <= f->length && bytes <= f->length - offset && offset % sizeof(ElfW(Addr)) == 0;
    return inside ? f->data + offset : NULL;
}

const ElfW(Phdr) * program_headers(const struct program_file *f, size_t *count)
{
    const ElfW(Ehdr) *head = program_at(f, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != (sizeof(ElfW(Addr)) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        return NULL;
    *count = head->e_phnum;
    return program_at(f, head->e_phoff, *count * sizeof(ElfW(Phdr)));
}

/* Finds where ADDRESS, of the running program, is in the file. */
static bool offset_of(const ElfW(Phdr) * headers, size_t count, uint64_t address, uint64_t *offset)
{
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD || address < headers[i].p_vaddr ||
            address - headers[i].p_vaddr >= headers[i].p_filesz)
            continue;
        *offset = headers[i].p_offset + (address - headers[i].p_vaddr);
        return true;
    }
    return false;
}

bool program_dynamic(const struct program_file *f, struct program_dynamic *d)
{
    size_t count = 0;
    const ElfW(Phdr) *headers = program_headers(f, &count);
    bool known = false;
    *d = (struct program_dynamic){0};
    for (size_t i = 0; headers && i < count && !d->entries; i++)
        if (headers[i].p_type == PT_DYNAMIC) {
            d->count = headers[i].p_filesz / sizeof *d->entries;
            d->entries = program_at(f, headers[i].p_offset, headers[i].p_filesz);
        }
    for (size_t i = 0; d->entries && i < d->count && d->entries[i].d_tag != DT_NULL; i++)
        if (d->entries[i].d_tag == DT_STRTAB)
            known = offset_of(headers, count, d->entries[i].d_un.d_ptr, &d->texts);
    return known;
}
