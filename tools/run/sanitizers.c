/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtimes of sanitizers: the NEEDED entries in the dynamic section of an ELF file; see sanitizers.h. */
#define _GNU_SOURCE 1 /* memrchr */
#include "sanitizers.h"

#include <elf.h>
#include <string.h>

#include "program_file.h"

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

void sanitizers_of(const struct program_file *f, void (*each)(void *context, const char *name), void *context)
{
    struct program_dynamic d;
    if (!program_dynamic(f, &d))
        return;
    for (size_t i = 0; i < d.count && d.entries[i].d_tag != DT_NULL; i++) {
        uint64_t at = d.texts + d.entries[i].d_un.d_val;
        if (d.entries[i].d_tag != DT_NEEDED || at < d.texts || at >= f->length)
            continue;
        const char *name = (const char *)f->data + at;
        size_t length = strnlen(name, f->length - at);
        if (length < f->length - at && !strpbrk(name, " :") && sanitizer_runtime(name, length))
            each(context, name);
    }
}
