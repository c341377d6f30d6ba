/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas; see replay_arenas.h.
 *
 * A tracer of the replay names them as the program's own: heap arenas are mappings that it sees, static ones lie in the
 * program's data, as long as they fit. */
#include "replay_arenas.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARENA_BYTES   (UINT64_C(1) << 33) /* the first ones; later ones are smaller */
#define LATER_BYTES   (UINT64_C(1) << 28)
#define LARGE_ONES    1024
#define ARENAS_MAX    (1 << 18)
#define MARGIN        (UINT64_C(1) << 26)
#define STATIC_BYTES  (UINT64_C(1) << 26) /* of each of the first modules */
#define STATIC_MARGIN (UINT64_C(1) << 23)
#define STATIC_COUNT  8

static char static_room[STATIC_BYTES * STATIC_COUNT];

static uint64_t arena_bytes(int64_t id)
{
    return id < LARGE_ONES ? ARENA_BYTES : LATER_BYTES;
}

/* Reserves an arena with its margins. The margins are asked for past the C library, so that a tracer sees the arena
 * alone. */
static char *reserve(uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long got = syscall(SYS_mmap, NULL, bytes + 2 * MARGIN, PROT_READ | PROT_WRITE, flags, -1, (off_t)0);
    if (got == -1)
        return NULL;
    void *base = (void *)(got + (long)MARGIN);
    base = mmap(base, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
    return base == MAP_FAILED ? NULL : base;
}

static struct replay_arena *find(struct replay_arena_list *list, int64_t id)
{
    if (id < 0 || id >= ARENAS_MAX)
        return NULL;
    if ((size_t)id >= list->count) {
        size_t count = list->count ? list->count : 16;
        while (count <= (size_t)id)
            count *= 2;
        struct replay_arena *larger = realloc(list->arenas, count * sizeof *larger);
        if (!larger)
            return NULL;
        memset(larger + list->count, 0, (count - list->count) * sizeof *larger);
        list->arenas = larger;
        list->count = count;
    }
    return &list->arenas[id];
}

static struct replay_arena_list *list_of(struct replay_arenas *arenas, enum replay_space space)
{
    return space == ARENA_HEAP ? &arenas->heap : space == ARENA_STATIC ? &arenas->statics : &arenas->devices;
}

bool arena_limits(struct replay_arenas *arenas, enum replay_space space, int64_t id, int64_t offset, char **low,
                  char **high)
{
    const char *at = arena_address(arenas, space, id, offset);
    const struct replay_arena *a = find(list_of(arenas, space), id);
    if (at >= static_room && at < static_room + sizeof static_room) {
        *low = static_room;
        *high = static_room + sizeof static_room;
        return true;
    }
    if (!at || !a)
        return false;
    *low = a->given ? a->low : a->base - MARGIN;
    *high = a->given ? a->high : a->base + arena_bytes(id) + MARGIN;
    return true;
}

char *arena_address(struct replay_arenas *arenas, enum replay_space space, int64_t id, int64_t offset)
{
    if (space == ARENA_STATIC && id >= 0 && id < STATIC_COUNT && offset >= 0 &&
        offset < (int64_t)(STATIC_BYTES - 2 * STATIC_MARGIN))
        return static_room + (uint64_t)id * STATIC_BYTES + STATIC_MARGIN + offset;
    struct replay_arena *a = find(list_of(arenas, space), id);
    if (!a)
        return NULL;
    if (a->given)
        return a->given + offset;
    if (!a->base)
        a->base = reserve(arena_bytes(id));
    if (!a->base || offset < -(int64_t)MARGIN || offset >= (int64_t)arena_bytes(id))
        return NULL;
    return a->base + offset;
}

void arena_release(struct replay_arenas *arenas, int64_t id)
{
    struct replay_arena *a = find(&arenas->heap, id);
    if (!a || !a->base)
        return;
    munmap(a->base, arena_bytes(id));
    syscall(SYS_munmap, a->base - MARGIN, MARGIN);
    syscall(SYS_munmap, a->base + arena_bytes(id), MARGIN);
    a->base = NULL;
}

void arena_bind(struct replay_arenas *arenas, int64_t id, int64_t offset, char *address, int64_t bytes, int64_t window)
{
    struct replay_arena *a = find(&arenas->heap, id);
    if (!a)
        return;
    a->given = address - offset;
    a->low = address;
    a->high = address + (bytes > 0 ? bytes : 0);
    a->window = window;
}

void arena_forget(struct replay_arenas *arenas, int64_t id)
{
    struct replay_arena *a = find(&arenas->heap, id);
    if (a)
        a->given = NULL;
}

void arena_forget_window(struct replay_arenas *arenas, int64_t window)
{
    for (size_t i = 0; i < arenas->heap.count; i++)
        if (arenas->heap.arenas[i].given && arenas->heap.arenas[i].window == window)
            arenas->heap.arenas[i].given = NULL;
}
