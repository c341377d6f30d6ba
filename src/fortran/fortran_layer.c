/* SPDX-License-Identifier: BSD-3-Clause */
/* Redirects the calls of MPI's Fortran layer to Pilgrim; see fortran.h.
 *
 * Fortran layers call PMPI_X. Pilgrim must not define PMPI_X, because other tools and Pilgrim itself call it and expect
 * MPI's function. So the calls of this one library are redirected, in the table through which a shared library calls
 * functions of others. No other call is changed. C programs never get here. */
#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#include "fortran/fortran_layer.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Relocations that set a pointer to the address of a function. */
#if defined(__x86_64__)
enum { SLOT_CALL = R_X86_64_JUMP_SLOT, SLOT_TABLE = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { SLOT_CALL = R_AARCH64_JUMP_SLOT, SLOT_TABLE = R_AARCH64_GLOB_DAT };
#elif defined(__powerpc64__)
enum { SLOT_CALL = R_PPC64_JMP_SLOT, SLOT_TABLE = R_PPC64_GLOB_DAT };
#elif defined(__riscv)
enum { SLOT_CALL = R_RISCV_JUMP_SLOT, SLOT_TABLE = R_RISCV_64 };
#else
enum { SLOT_CALL = -1, SLOT_TABLE = -1 };
#endif

/* A loaded library, as its dynamic section describes it. */
struct layer {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2];
    size_t bytes[2];
};

static int compare_slot(const void *name, const void *slot)
{
    return strcmp(name, ((const struct fortran_slot *)slot)->name);
}

/* Returns where calls of SYMBOL must go; NULL: they stay as they are. */
static void *target_of(const char *symbol)
{
    if (strncmp(symbol, "PMPI_", 5))
        return NULL;
    const struct fortran_slot *slot =
        bsearch(symbol + 1, fortran_slots, fortran_slot_count, sizeof *slot, compare_slot);
    return slot ? slot->target : NULL;
}

static void redirect(const struct layer *layer)
{
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < layer->bytes[t] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *r = &layer->tables[t][i];
            int type = (int)ELF64_R_TYPE(r->r_info);
            if (type != SLOT_CALL && type != SLOT_TABLE)
                continue;
            void *target = target_of(layer->strings + layer->symbols[ELF64_R_SYM(r->r_info)].st_name);
            if (target)
                __atomic_store_n((void **)(layer->base + r->r_offset), target, __ATOMIC_RELEASE);
        }
}

/* Returns ADDRESS, of the dynamic section, as an absolute one: some loaders have made it absolute, some have not. */
static const void *absolute(uintptr_t base, uintptr_t address)
{
    return (const void *)(address < base ? base + address : address);
}

static bool read_dynamic(struct layer *layer, const ElfW(Dyn) * d)
{
    for (; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            layer->symbols = absolute(layer->base, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            layer->strings = absolute(layer->base, d->d_un.d_ptr);
            break;
        case DT_JMPREL:
            layer->tables[0] = absolute(layer->base, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            layer->bytes[0] = d->d_un.d_val;
            break;
        case DT_RELA:
            layer->tables[1] = absolute(layer->base, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            layer->bytes[1] = d->d_un.d_val;
            break;
        case DT_PLTREL:
            if (d->d_un.d_val != DT_RELA)
                return false;
            break;
        default:
            break;
        }
    for (size_t t = 0; t < 2; t++)
        if (!layer->tables[t])
            layer->bytes[t] = 0;
    return layer->symbols && layer->strings;
}

/* Sets the protection of what the linker protects after relocation. The table is there if functions are bound when the
 * library is loaded. */
static bool protect(uintptr_t base, const ElfW(Phdr) * relro, int protection)
{
    if (!relro)
        return true;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (base + relro->p_vaddr) & ~(page - 1), to = (base + relro->p_vaddr + relro->p_memsz) & ~(page - 1);
    return to <= from || !mprotect((void *)from, to - from, protection);
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    const uintptr_t *address = data;
    const ElfW(Phdr) *dynamic = NULL, *relro = NULL;
    struct layer layer = {.base = info->dlpi_addr};
    bool holds = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && *address - layer.base - p->p_vaddr < p->p_memsz)
            holds = true;
        else if (p->p_type == PT_DYNAMIC)
            dynamic = p;
        else if (p->p_type == PT_GNU_RELRO)
            relro = p;
    }
    if (!holds)
        return 0;
    if (dynamic && read_dynamic(&layer, (const void *)(layer.base + dynamic->p_vaddr)) &&
        protect(layer.base, relro, PROT_READ | PROT_WRITE)) {
        redirect(&layer);
        (void)protect(layer.base, relro, PROT_READ);
    }
    return 1;
}

void fortran_layer_bind(const void *address)
{
    static const void *done[16]; /* libraries; if there are more, they are only redirected again */
    static size_t count;
    uintptr_t wanted = (uintptr_t)address;
    Dl_info info;
    if (!dladdr(address, &info))
        return;
    for (size_t i = 0; i < count; i++)
        if (done[i] == info.dli_fbase)
            return;
    if (count < sizeof done / sizeof *done)
        done[count++] = info.dli_fbase;
    dl_iterate_phdr(visit, &wanted);
}
