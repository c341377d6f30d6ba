/* Which module an address lies in; memory_module of memory.h and static data.
 *
 * The loader's list is copied, as segments in order of address, and copied anew when the loader has loaded or
 * unloaded something since (it counts). The loader is never called under our lock: it holds a lock of its own
 * while constructors run, which may call free, and so wait for us. */
#define _GNU_SOURCE 1
#include "objects/modules.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects/memory.h"
#include "objects/sharing.h"

/* A module once seen is kept, with its id, and found again by its path. */
struct module {
    char *path;
    const char *name; /* path without folders */
    uintptr_t base;
    int64_t id; /* -1: not named yet */
    bool loaded;
};

struct segment {
    uintptr_t start;
    uintptr_t end;
    size_t module;
};

struct listing {
    struct found {
        char *path;
        uintptr_t base, start, end;
    } *found;
    size_t count, capacity;
    unsigned long long loads, unloads;
    bool failed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct module *modules;
static size_t module_count;
static struct segment *segments;
static size_t segment_count;
static unsigned long long known_loads, known_unloads;
static int64_t next_id;

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

static bool listing_add(struct listing *l, struct found f)
{
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        struct found *found = realloc(l->found, capacity * sizeof *found);
        if (!found)
            return false;
        l->found = found;
        l->capacity = capacity;
    }
    l->found[l->count++] = f;
    return true;
}

static int list_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct listing *l = data;
    l->loads = info->dlpi_adds;
    l->unloads = info->dlpi_subs;
    for (size_t i = 0; i < info->dlpi_phnum && !l->failed; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD)
            continue;
        struct found f = {path_of(info->dlpi_name), info->dlpi_addr, info->dlpi_addr + header->p_vaddr, 0};
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

/* ---- our copy ---- */

/* The index of the module at PATH and BASE, new or known. Returns module_count where memory is short. */
static size_t module_at(const char *path, uintptr_t base)
{
    size_t unloaded = module_count;
    for (size_t i = 0; i < module_count; i++) {
        if (strcmp(modules[i].path, path) != 0)
            continue;
        if (modules[i].loaded && modules[i].base == base)
            return i;
        if (!modules[i].loaded && (unloaded == module_count || modules[i].base == base))
            unloaded = i;
    }
    if (unloaded < module_count) {
        modules[unloaded].base = base;
        modules[unloaded].loaded = true;
        return unloaded;
    }
    struct module *more = realloc(modules, (module_count + 1) * sizeof *modules);
    if (!more)
        return module_count;
    modules = more;
    char *copy = strdup(path);
    if (!copy)
        return module_count;
    const char *slash = strrchr(copy, '/');
    modules[module_count] = (struct module){copy, slash ? slash + 1 : copy, base, -1, true};
    return module_count++;
}

static int by_start(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Under the lock. */
static void copy_listing(const struct listing *l)
{
    struct segment *fresh = malloc((l->count + 1) * sizeof *fresh);
    size_t count = 0;
    if (!fresh)
        return;
    for (size_t i = 0; i < module_count; i++)
        modules[i].loaded = false;
    for (size_t i = 0; i < l->count; i++) {
        const struct found *f = &l->found[i];
        size_t before = module_count, module = module_at(f->path, f->base);
        if (module < before || module_count > before)
            fresh[count++] = (struct segment){f->start, f->end, module};
    }
    qsort(fresh, count, sizeof *fresh, by_start);
    free(segments);
    segments = fresh;
    segment_count = count;
    known_loads = l->loads;
    known_unloads = l->unloads;
}

static void refresh(void)
{
    struct listing l = {0};
    (void)dl_iterate_phdr(list_counts, &l);
    pthread_mutex_lock(&lock);
    bool current = segment_count && l.loads == known_loads && l.unloads == known_unloads;
    pthread_mutex_unlock(&lock);
    if (current)
        return;
    (void)dl_iterate_phdr(list_module, &l);
    if (!l.failed) {
        pthread_mutex_lock(&lock);
        copy_listing(&l);
        pthread_mutex_unlock(&lock);
    }
    for (size_t i = 0; i < l.count; i++)
        free(l.found[i].path);
    free(l.found);
}

/* Under the lock. */
static struct module *find(uintptr_t address)
{
    size_t low = 0, high = segment_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (segments[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < segment_count && segments[low].start <= address ? &modules[segments[low].module] : NULL;
}

bool modules_name(const void *address, int64_t *id, int64_t *offset)
{
    refresh();
    pthread_mutex_lock(&lock);
    struct module *m = find((uintptr_t)address);
    if (m) {
        if (m->id < 0)
            m->id = next_id++;
        *id = m->id;
        *offset = (int64_t)((uintptr_t)address - m->base);
    }
    pthread_mutex_unlock(&lock);
    return m;
}

const char *memory_module(const void *address, uint64_t *offset)
{
    refresh();
    pthread_mutex_lock(&lock);
    const struct module *m = find((uintptr_t)address);
    const char *name = m ? m->name : NULL;
    if (m)
        *offset = (uintptr_t)address - m->base;
    pthread_mutex_unlock(&lock);
    return name;
}

void modules_fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

void modules_fork_done(void)
{
    pthread_mutex_unlock(&lock);
}
