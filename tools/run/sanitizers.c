/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtimes of sanitizers: the NEEDED entries in the dynamic section of an ELF file; see sanitizers.h.
 *
 * The file may be anything: each offset is checked against its length. */
#define _GNU_SOURCE 1 /* memmem, strchrnul */
#include "sanitizers.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory. */
struct image {
    const uint8_t *data;
    size_t length;
};

bool sanitizer_runtime(const char *library, unsigned long length)
{
    /* GCC's, and those of clang with -shared-libsan. UBSan's replaces nothing. */
    static const char *const names[] = {"libasan.so",       "libtsan.so",         "liblsan.so",
                                        "libhwasan.so",     "libclang_rt.asan",   "libclang_rt.tsan",
                                        "libclang_rt.lsan", "libclang_rt.hwasan", "libclang_rt.msan"};
    const char *slash = memrchr(library, '/', length);
    const char *name = slash ? slash + 1 : library;
    size_t left = length - (size_t)(name - library);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (left >= strlen(names[i]) && !memcmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Returns the BYTES bytes at OFFSET, or NULL if the file is shorter or they are not aligned for numbers. */
static const void *image_at(const struct image *f, uint64_t offset, uint64_t bytes)
{
    bool inside = offset <= f->length && bytes <= f->length - offset && offset % sizeof(ElfW(Addr)) == 0;
    return inside ? f->data + offset : NULL;
}

/* Returns the program headers, *COUNT of them, or NULL if F is no dynamic ELF file of this machine. */
static const ElfW(Phdr) * headers_of(const struct image *f, size_t *count)
{
    const ElfW(Ehdr) *head = image_at(f, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != (sizeof(ElfW(Addr)) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        return NULL;
    *count = head->e_phnum;
    return image_at(f, head->e_phoff, *count * sizeof(ElfW(Phdr)));
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

static void each_needed(const struct image *f, void (*each)(void *, const char *), void *context)
{
    size_t count = 0, entries = 0;
    const ElfW(Phdr) *headers = headers_of(f, &count);
    const ElfW(Dyn) *dynamic = NULL;
    uint64_t texts = 0;
    bool known = false;
    for (size_t i = 0; headers && i < count && !dynamic; i++)
        if (headers[i].p_type == PT_DYNAMIC) {
            entries = headers[i].p_filesz / sizeof *dynamic;
            dynamic = image_at(f, headers[i].p_offset, headers[i].p_filesz);
        }
    for (size_t i = 0; dynamic && i < entries && dynamic[i].d_tag != DT_NULL; i++)
        if (dynamic[i].d_tag == DT_STRTAB)
            known = offset_of(headers, count, dynamic[i].d_un.d_ptr, &texts);
    for (size_t i = 0; known && i < entries && dynamic[i].d_tag != DT_NULL; i++) {
        uint64_t at = texts + dynamic[i].d_un.d_val;
        if (dynamic[i].d_tag != DT_NEEDED || at < texts || at >= f->length)
            continue;
        const char *name = (const char *)f->data + at;
        size_t length = strnlen(name, f->length - at);
        if (length < f->length - at && !strpbrk(name, " :") && sanitizer_runtime(name, length))
            each(context, name);
    }
}

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

void sanitizers_of(const char *program, void (*each)(void *context, const char *name), void *context)
{
    struct stat found;
    int file = open_program(program);
    if (file >= 0 && !fstat(file, &found) && S_ISREG(found.st_mode) && found.st_size > 0) {
        struct image f = {.length = (size_t)found.st_size};
        void *data = mmap(NULL, f.length, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED) {
            f.data = data;
            each_needed(&f, each, context);
            munmap(data, f.length);
        }
    }
    if (file >= 0)
        close(file);
}
