/* SPDX-License-Identifier: BSD-3-Clause */
/* Which module an address lies in: for call sites and for static data; see modules.h.
 *
 * The loader's list is copied as load segments in order of address. It is copied again when the loader has loaded or
 * unloaded something since, which the loader counts. The loader is never called under the lock of this file: it
 * holds a lock of its own while constructors run, and these may call free, which may wait for the lock of this file.
 * What the copy needs comes from malloc. A tool's malloc may call MPI, and so come here again, where the copy is being
 * made: the address of such a call is not looked up. */
#define _GNU_SOURCE 1
#include "objects/modules.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/build_id.h"
#include "objects/heap.h"
#include "symbols/elf_symbols.h"

/* A module that was seen is kept, with its id, and found again by its path and build-id. */
struct loaded_module {
    char *path;
    struct code_module *code; /* never moved or freed, because call sites refer to it */
    uintptr_t base;
    uint64_t headers; /* elf_headers_hash */
    int64_t since_ns; /* when it was first seen there */
    int64_t id;       /* -1: not named yet */
    bool loaded;
    bool seen; /* modules_frame has found it since it was loaded */
    bool ends; /* it is being unloaded */
};

struct load_segment {
    uintptr_t start;
    uintptr_t end;
    size_t module;
};

struct listing {
    struct found_module {
        char *path;
        uintptr_t base, start, end;
        uint64_t headers;
        struct code_module code; /* without its name */
    } * found;
    size_t count, capacity;
    unsigned long long loads, unloads;
    bool failed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct loaded_module *modules;
static size_t module_count;
static struct load_segment *load_segments;
static size_t load_segment_count;
static unsigned long long known_loads, known_unloads;
static int64_t next_id;

/* The thread is making the copy. */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool copying;

static atomic_bool any_seen;
static atomic_uint changes, moved;
static atomic_uint ending; /* how many modules have "ends" */

/* ---- asking the loader ---- */

static char *path_of(const char *path)
{
    char buffer[4096];
    if (path[0])
        return strdup(path);
    ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer - 1);
    if (length <= 0)
        return strdup("program");
    buffer[length] = 0;
    return strdup(buffer);
}

static bool listing_add(struct listing *l, struct found_module f)
{
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        struct found_module *found = realloc(l->found, capacity * sizeof *found);
        if (!found)
            return false;
        l->found = found;
        l->capacity = capacity;
    }
    l->found[l->count++] = f;
    return true;
}

/* True if what HEADER describes lies in a segment that can be read. */
static bool is_mapped(const struct dl_phdr_info *info, const ElfW(Phdr) * header)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *load = &info->dlpi_phdr[i];
        if (load->p_type == PT_LOAD && (load->p_flags & PF_R) && header->p_vaddr >= load->p_vaddr &&
            header->p_vaddr + header->p_memsz <= load->p_vaddr + load->p_filesz)
            return true;
    }
    return false;
}

/* Reads the build-id among the SIZE bytes of notes at AT. */
static void read_build_id(const char *at, size_t size, size_t alignment, struct code_module *code)
{
    size_t length;
    const uint8_t *id = build_id_in(at, size, alignment, &length);
    if (id) {
        code->build_id_length = length < SITE_BUILD_ID_BYTES ? (uint32_t)length : SITE_BUILD_ID_BYTES;
        memcpy(code->build_id, id, code->build_id_length);
    }
}

/* Returns where the module begins, and puts its build-id into CODE. */
static uintptr_t load_address(const struct dl_phdr_info *info, struct code_module *code)
{
    ElfW(Addr) low = UINTPTR_MAX;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const void *at = (const char *)info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_vaddr < low)
            low = header->p_vaddr;
        if (header->p_type == PT_NOTE && !code->build_id_length && is_mapped(info, header))
            read_build_id(at, header->p_memsz, header->p_align, code);
    }
    return info->dlpi_addr + (low & ~(ElfW(Addr))4095);
}

static int list_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct listing *l = data;
    l->loads = info->dlpi_adds;
    l->unloads = info->dlpi_subs;
    struct code_module code = {0};
    uintptr_t base = load_address(info, &code);
    uint64_t headers = elf_headers_hash(info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
    for (size_t i = 0; i < info->dlpi_phnum && !l->failed; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD)
            continue;
        struct found_module f = {path_of(info->dlpi_name), base, info->dlpi_addr + header->p_vaddr, 0, headers, code};
        f.end = f.start + header->p_memsz;
        if (!f.path || !listing_add(l, f)) {
            free(f.path);
            l->failed = true;
        }
    }
    return l->failed;
}

static int list_counts(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct listing *l = data;
    l->loads = info->dlpi_adds;
    l->unloads = info->dlpi_subs;
    return 1;
}

/* ---- the copy ---- */

static bool same_build(const struct code_module *a, const struct code_module *b)
{
    return a->build_id_length == b->build_id_length && !memcmp(a->build_id, b->build_id, a->build_id_length);
}

static void module_stays(struct loaded_module *m)
{
    atomic_fetch_sub(&ending, m->ends);
    m->ends = false;
}

static void module_gone(struct loaded_module *m)
{
    atomic_fetch_add(&moved, m->seen);
    m->seen = false;
    module_stays(m);
}

/* Returns the time of day: files have such times. */
static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static size_t module_add(const struct found_module *f)
{
    struct loaded_module *more = realloc(modules, (module_count + 1) * sizeof *modules);
    if (!more)
        return module_count;
    modules = more;
    char *path = strdup(f->path);
    struct code_module *code = malloc(sizeof *code);
    if (!path || !code) {
        free(path);
        free(code);
        return module_count;
    }
    const char *slash = strrchr(path, '/');
    *code = f->code;
    code->name = slash ? slash + 1 : path;
    modules[module_count] = (struct loaded_module){path, code, f->base, f->headers, now_ns(), -1, true, false, false};
    return module_count++;
}

/* Returns the index of module F, which is added if it is new; module_count where memory is short. */
static size_t module_at(const struct found_module *f)
{
    size_t unloaded = module_count;
    for (size_t i = 0; i < module_count; i++) {
        if (strcmp(modules[i].path, f->path) != 0 || !same_build(modules[i].code, &f->code))
            continue;
        if (modules[i].loaded && modules[i].base == f->base)
            return i;
        if (!modules[i].loaded && (unloaded == module_count || modules[i].base == f->base))
            unloaded = i;
    }
    if (unloaded == module_count)
        return module_add(f);
    if (modules[unloaded].base != f->base)
        module_gone(&modules[unloaded]);
    modules[unloaded].base = f->base;
    modules[unloaded].headers = f->headers;
    modules[unloaded].since_ns = now_ns();
    modules[unloaded].loaded = true;
    return unloaded;
}

static int by_start(const void *a, const void *b)
{
    const struct load_segment *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Makes L the copy. Under the lock. */
static void copy_listing(const struct listing *l)
{
    struct load_segment *fresh = malloc((l->count + 1) * sizeof *fresh);
    size_t count = 0;
    if (!fresh)
        return;
    for (size_t i = 0; i < module_count; i++)
        modules[i].loaded = false;
    for (size_t i = 0; i < l->count; i++) {
        const struct found_module *f = &l->found[i];
        size_t before = module_count, module = module_at(f);
        if (module < before || module_count > before)
            fresh[count++] = (struct load_segment){f->start, f->end, module};
    }
    for (size_t i = 0; i < module_count; i++)
        if (!modules[i].loaded)
            module_gone(&modules[i]);
        else if (l->loads != known_loads)
            module_stays(&modules[i]); /* nothing is loaded while a module is being unloaded: it is there again */
    qsort(fresh, count, sizeof *fresh, by_start);
    free(load_segments);
    load_segments = fresh;
    load_segment_count = count;
    known_loads = l->loads;
    known_unloads = l->unloads;
    atomic_fetch_add(&changes, 1);
    atomic_fetch_add(&memory_generation, 1); /* a module may lie where there was none */
}

/* Makes the copy again if it is out of date. False: this thread is making it. */
static bool refresh(void)
{
    struct listing l = {0};
    if (copying)
        return false;
    copying = true;
    (void)dl_iterate_phdr(list_counts, &l);
    pthread_mutex_lock(&lock);
    bool current = load_segment_count && l.loads == known_loads && l.unloads == known_unloads;
    pthread_mutex_unlock(&lock);
    if (!current)
        (void)dl_iterate_phdr(list_module, &l);
    if (!current && !l.failed) {
        pthread_mutex_lock(&lock);
        copy_listing(&l);
        pthread_mutex_unlock(&lock);
    }
    for (size_t i = 0; i < l.count; i++)
        free(l.found[i].path);
    free(l.found);
    copying = false;
    return true;
}

/* Returns the module that ADDRESS lies in; NULL: none. Under the lock. */
static struct loaded_module *find(uintptr_t address)
{
    size_t low = 0, high = load_segment_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (load_segments[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < load_segment_count && load_segments[low].start <= address ? &modules[load_segments[low].module] : NULL;
}

bool modules_name(const void *address, int64_t *id, int64_t *offset)
{
    if (!refresh())
        return false;
    pthread_mutex_lock(&lock);
    struct loaded_module *m = find((uintptr_t)address);
    if (m) {
        if (m->id < 0)
            m->id = next_id++;
        *id = m->id;
        *offset = (int64_t)((uintptr_t)address - m->base);
    }
    pthread_mutex_unlock(&lock);
    return m;
}

bool modules_frame(const void *address, struct code_frame *frame)
{
    if (!refresh())
        return false;
    pthread_mutex_lock(&lock);
    struct loaded_module *m = find((uintptr_t)address);
    if (m) {
        *frame = (struct code_frame){m->code, (uintptr_t)address - m->base};
        m->seen = true;
        atomic_store(&any_seen, true);
    }
    pthread_mutex_unlock(&lock);
    return m;
}

bool modules_unloading(const void *address)
{
    if (!atomic_load(&any_seen) || !refresh())
        return false;
    pthread_mutex_lock(&lock);
    struct loaded_module *m = find((uintptr_t)address);
    bool seen = m && m->seen;
    if (seen) {
        atomic_fetch_add(&ending, !m->ends);
        m->ends = true;
    }
    pthread_mutex_unlock(&lock);
    return seen;
}

unsigned modules_moved(void)
{
    if (atomic_load(&ending))
        (void)refresh();
    return atomic_load(&moved);
}

unsigned modules_changes(void)
{
    (void)refresh();
    return atomic_load(&changes);
}

bool modules_path(const char *prefix, char *path, size_t size)
{
    bool found = false;
    if (!refresh())
        return false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < module_count && !found; i++) {
        size_t length = strlen(modules[i].path);
        found = modules[i].loaded && length < size && strncmp(modules[i].code->name, prefix, strlen(prefix)) == 0;
        if (found)
            memcpy(path, modules[i].path, length + 1);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool modules_file(size_t *at, const struct code_module *wanted, struct module_file *file)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (; *at < module_count && !found; ++*at) {
        const struct loaded_module *m = &modules[*at];
        size_t length = strlen(m->path);
        found = length < sizeof file->path && !strcmp(m->code->name, wanted->name) && same_build(m->code, wanted);
        if (found) {
            memcpy(file->path, m->path, length + 1);
            file->headers = m->headers;
            file->since_ns = m->since_ns;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void modules_fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

void modules_fork_done(void)
{
    pthread_mutex_unlock(&lock);
}
