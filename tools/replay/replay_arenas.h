/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in place of the program's: an arena for each allocation that the trace names.
 *
 * A trace has no sizes of allocations. So an arena is address space without memory behind it: the system gives memory
 * where MPI reads or writes. In front of each arena and behind it is room, too, as datatypes may begin before their
 * buffer. */
#ifndef REPLAY_ARENAS_H
#define REPLAY_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_arena {
    char *base;       /* NULL: not used yet */
    char *given;      /* memory that MPI gave under this name; NULL: none */
    char *low, *high; /* from where to where it is */
    int64_t window;   /* that it was given with; -1: with none */
};

struct replay_arena_list {
    struct replay_arena *arenas;
    size_t count;
};

struct replay_arenas {
    struct replay_arena_list heap, statics, devices;
};

enum replay_space { ARENA_HEAP, ARENA_STATIC, ARENA_DEVICE };

/* Returns the address of byte OFFSET of an allocation; NULL: there is no such address, or no room. */
char *arena_address(struct replay_arenas *arenas, enum replay_space space, int64_t id, int64_t offset);

/* Says from where to where the memory is that has the address of byte OFFSET. Returns false if there is none. */
bool arena_limits(struct replay_arenas *arenas, enum replay_space space, int64_t id, int64_t offset, char **low,
                  char **high);

/* Gives up the arena of a heap allocation: the program has freed it. Nothing happens if there is none. */
void arena_release(struct replay_arenas *arenas, int64_t id);

/* From now on byte OFFSET of heap allocation ID is at ADDRESS, where BYTES are, until it is forgotten. WINDOW: whose
 * memory it is, or -1. */
void arena_bind(struct replay_arenas *arenas, int64_t id, int64_t offset, char *address, int64_t bytes, int64_t window);

/* The allocation, or those of a window, have arenas of their own again. */
void arena_forget(struct replay_arenas *arenas, int64_t id);
void arena_forget_window(struct replay_arenas *arenas, int64_t window);

#endif
