/* SPDX-License-Identifier: BSD-3-Clause */
/* The structure of a stream as a tree of elements, and several such trees laid over each other.
 *
 * An element is a call class, or a block of elements, repeated. How often it comes in each block around it is a number
 * for each of the structure groups that the tree has. 0: the group has no such element. */
#ifndef PILGRIM_ELEMENTS_H
#define PILGRIM_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "pilgrim/status.h"

#define ELEMENT_BLOCK UINT32_MAX

enum {
    ELEMENTS_MAX = 4096,      /* of a tree */
    ELEMENTS_DEPTH_MAX = 64,  /* blocks in blocks, and rules in rules */
    TEMPLATE_GROUPS_MAX = 256 /* of a tree */
};

struct element {
    uint32_t key;   /* of a call: its number among the calls of all groups; ELEMENT_BLOCK: a block */
    uint32_t count; /* of ITEMS */
    struct element **items;
    uint64_t *times; /* by group of the tree */
    uint64_t *keys;  /* of a block: the set of keys in it, as bits */
};

/* A tree. All of it is in MEMORY, and the tree of the group that is being added in SCRATCH; its elements have one
 * number of times each. */
struct elements {
    struct arena memory;
    struct arena scratch;
    uint32_t room;        /* for so many groups */
    uint32_t group_count; /* those that are in it */
    uint32_t words;       /* of each set of keys */
    uint32_t left;        /* so many more elements it may get */
    uint64_t *work;       /* what may still be done, in comparisons of two elements */
    struct element *root; /* a block that comes once; NULL: the tree has no group */
    bool failed;          /* the last group did not fit after all; the tree is of no use any more */
};

/* Adds the structure DATA, a serialised grammar (rules/rules.h) whose terminal i is key KEYS[i], below 64 x words, as
 * the next group of T. *ADDED false: it is too large, or not alike enough, and T is as it was; or T has failed.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (no grammar); T is of no use then */
enum pilgrim_status elements_add(struct elements *t, const void *data, size_t length, const uint32_t *keys,
                                 bool *added) PILGRIM_CHECKED;

void elements_free(struct elements *t);

/* Lays FROM, a block in T's scratch, over INTO, as group T->group_count. *FITS false: it would be too large, or too
 * much work; INTO is then half done. errors: PILGRIM_NOMEM */
enum pilgrim_status elements_align(struct elements *t, struct element *into, struct element *from,
                                   bool *fits) PILGRIM_CHECKED;

/* Returns a new element without items, that comes 0 times, in T's memory or in its scratch; NULL: no memory. */
struct element *element_new(struct elements *t, bool scratch, uint32_t key);

/* Adds the keys of E to those of BLOCK. */
void element_note_keys(const struct elements *t, struct element *block, const struct element *e);

/* Returns how many keys both blocks have. */
uint32_t element_common_keys(const struct elements *t, const struct element *a, const struct element *b);

/* True if half of the keys of one block are in the other. */
bool element_alike(const struct elements *t, const struct element *a, const struct element *b);

#endif
