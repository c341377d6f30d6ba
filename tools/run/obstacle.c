/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in the way of a preload; see obstacle.h. That a program calls MPI, and that it has MPI or Pilgrim in it,
 * is known by names in its file: of symbols, or of what it reads. */
#define _GNU_SOURCE 1 /* memmem */
#include "obstacle.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "program_file.h"

/* True if a text that ends with NAME is in the file behind OFFSET, in LENGTH bytes. Linkers let a name that is the end
 * of another one lie in it. */
static bool has_name(const struct program_file *f, uint64_t offset, size_t length, const char *name)
{
    return offset <= f->length && length <= f->length - offset &&
           memmem(f->data + offset, length, name, strlen(name) + 1);
}

/* True if the dynamic section has NAME: the program takes it from a library, or gives it to one. */
static bool has_dynamic_name(const struct program_file *f, const char *name)
{
    struct program_dynamic d;
    uint64_t length = 0;
    if (!program_dynamic(f, &d))
        return false;
    for (size_t i = 0; i < d.count && d.entries[i].d_tag != DT_NULL; i++)
        if (d.entries[i].d_tag == DT_STRSZ)
            length = d.entries[i].d_un.d_val;
    return has_name(f, d.texts, length, name);
}

/* True if the program takes MPI's functions from a library, in C or Fortran, as nearly all do. Then its file, which may
 * be large and far away, need not be searched. */
static bool loads_mpi(const struct program_file *f)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "mpi_init_", "mpi_init_thread_",
                                        "mpi_init_f08_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_dynamic_name(f, names[i]))
            return true;
    return false;
}

/* True if the kernel starts the program as another user, or with rights of its own. The loader then ignores preloads
 * with a slash in their paths. */
static bool is_secure(const struct program_file *f)
{
    char attribute[64];
    return (f->found.st_mode & S_ISUID && f->found.st_uid != getuid()) ||
           (f->found.st_mode & S_ISGID && f->found.st_gid != getgid()) ||
           (geteuid() && fgetxattr(f->file, "security.capability", attribute, sizeof attribute) > 0);
}

const char *obstacle_of(const struct program_file *f)
{
    size_t count = 0;
    bool loaded = false;
    const ElfW(Phdr) *headers = program_headers(f, &count);
    for (size_t i = 0; headers && i < count; i++)
        loaded |= headers[i].p_type == PT_INTERP;
    if (loaded && loads_mpi(f))
        return is_secure(f)
                   ? "runs as another user or has capabilities, so the system preloads nothing, and its calls are "
                     "not recorded; run a copy that has none"
                   : NULL;
    if (!headers || !has_name(f, 0, f->length, loaded ? "PMPI_Init" : "MPI_Init") ||
        has_name(f, 0, f->length, "PILGRIM_TRACE"))
        return NULL;
    return loaded
               ? "has MPI linked into it, so its calls do not come to a preloaded library and are not recorded; link "
                 "it with libpilgrim.a"
               : "is linked statically, so no library can be preloaded, and its calls are not recorded; link it with "
                 "libpilgrim.a";
}
