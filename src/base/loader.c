/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "base/loader.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static void use_allocator(void)
{
    static atomic_bool used;
    if (atomic_exchange(&used, true))
        return;
    void *volatile block = malloc(1);
    free(block);
}

static void *forget_error(void *found)
{
    if (!found) {
        (void)dlerror(); /* returns the text */
        (void)dlerror(); /* frees it */
    }
    return found;
}

void *loader_find(void *handle, const char *name)
{
    use_allocator();
    return forget_error(dlsym(handle, name));
}

void *loader_loaded(const char *path, int flags)
{
    use_allocator();
    return forget_error(dlopen(path, RTLD_LAZY | RTLD_NOLOAD | flags));
}

/* Returns how many symbols there are before the end of the last chain of a GNU hash table. */
static size_t gnu_hash_count(const uint32_t *table)
{
    uint32_t buckets = table[0], first = table[1], words = table[2], last = 0;
    const uint32_t *bucket = table + 4 + words * (sizeof(ElfW(Addr)) / sizeof *table), *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return 0;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

struct loader_symbols loader_symbols_of(const struct link_map *object)
{
    struct loader_symbols found = {0};
    for (const ElfW(Dyn) *d = object->l_ld; d->d_tag != DT_NULL; d++) {
        uintptr_t address = d->d_un.d_ptr;
        const void *at = (const void *)(address < object->l_addr ? object->l_addr + address : address);
        if (d->d_tag == DT_SYMTAB)
            found.symbols = at;
        else if (d->d_tag == DT_STRTAB)
            found.strings = at;
        else if (d->d_tag == DT_HASH)
            found.count = ((const uint32_t *)at)[1];
        else if (d->d_tag == DT_GNU_HASH && !found.count)
            found.count = gnu_hash_count(at);
    }
    if (!found.symbols || !found.strings)
        found.count = 0;
    return found;
}

/* By itself, because a function of the C library may be one that is looked for. */
static bool is_name(const char *one, const char *other)
{
    while (*one && *one == *other)
        one++, other++;
    return *one == *other;
}

void *loader_symbol_of(const struct link_map *object, const char *name)
{
    const struct loader_symbols all = loader_symbols_of(object);
    for (size_t i = 0; i < all.count; i++)
        if (all.symbols[i].st_shndx != SHN_UNDEF && is_name(all.strings + all.symbols[i].st_name, name))
            return (void *)(object->l_addr + all.symbols[i].st_value); /* NOLINT(performance-no-int-to-ptr) */
    return NULL;
}
