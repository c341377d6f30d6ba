/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of Python: which functions of a script a thread is in, read from CPython's memory without its lock.
 *
 * A thread's frames do not change while it is in a call of C, and nobody else changes them. A code object stays where
 * it is as long as a frame has it. So what identifies a path in Python is the code object and the instruction of each
 * frame. When a code object is freed, another may come to its place: python_code_gone tells of each. docs/design/
 * python.md has the reasons. */
#ifndef PILGRIM_PYTHON_FRAMES_H
#define PILGRIM_PYTHON_FRAMES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/site.h"

/* Where a version of CPython has what is needed: offsets in bytes. */
struct python_layout {
    unsigned minor;              /* of version 3.MINOR */
    uint16_t thread_frame;       /* in the thread's state: the innermost frame, or where it is */
    int16_t indirect;            /* not -1: it is at this offset of what the thread's state has */
    uint16_t code, previous;     /* in a frame */
    uint16_t instruction;        /* in a frame: a pointer, or an index */
    uint16_t index_unit;         /* bytes of code that an index of 1 stands for; 0: it is a pointer */
    int16_t owner;               /* in a frame: a byte, enum python_owner; -1: there is none */
    uint16_t code_start;         /* in a code object: where its instructions begin, if `instruction` is a pointer */
    uint16_t first_traceable;    /* in a code object: before this instruction a frame is not complete (int) */
    uint16_t file, name;         /* in a code object: texts */
    uint16_t ascii, other_texts; /* in a text: where its characters begin */
};

enum python_owner { PYTHON_OWNER_GENERATOR = 1, PYTHON_OWNER_C = 3 };

/* Returns the layout of CPython 3.MINOR; NULL: it is not known. */
const struct python_layout *python_layout_of(unsigned minor);

/* A frame as it identifies itself. Its code may be NULL. */
struct python_frame {
    const void *code;
    uint64_t instruction;
};

enum { PYTHON_FRAMES_MAX = 2 * SITE_FRAMES_MAX };

/* The innermost frames of a thread, the innermost first. */
struct python_chain {
    uint32_t count;
    bool whole; /* there are no more */
    uint32_t shown;
    uint8_t shown_frames[SITE_FRAMES_MAX]; /* those that Python itself shows, by their number */
    struct python_frame frames[PYTHON_FRAMES_MAX];
};

/* The interpreter of this process. */
struct python_source {
    const struct python_layout *layout;
    const void *(*thread)(void); /* returns the state of the calling thread; NULL: it has none */
    int (*line)(void *code, int offset);
};

/* Sets the source. Before that, and after it is set to NULL, no thread has frames. */
void python_frames_begin(const struct python_source *source);

/* Fills in CHAIN with the frames of the calling thread, until DEPTH are shown. False: it is in no function of Python.
 */
bool python_chain_take(struct python_chain *chain, unsigned depth);

/* A function in Python. Never freed. */
struct python_function {
    struct code_module module;
    uint32_t number;
};

/* Returns the function of frame I that CHAIN shows, and sets *LINE; 0: it is not known. The frame must be there still.
 * NULL: no memory, or there are too many functions. Any thread. */
const struct python_function *python_chain_function(const struct python_chain *chain, unsigned i, uint64_t *line);

/* A code object is about to be freed. Any thread; those that later find another object there do so after this. */
void python_code_gone(const void *code);

/* What is compared to see that a thread has the same frames. */
struct python_trail {
    unsigned round; /* of code objects that were freed */
    uint32_t count;
    bool whole;
    struct python_frame frames[];
};

size_t python_trail_bytes(const struct python_chain *chain);

/* Makes a trail of CHAIN, which was just taken, in the memory at T. */
void python_trail_set(struct python_trail *t, const struct python_chain *chain);

/* True if the calling thread has the frames of T. */
bool python_trail_is(const struct python_trail *t);

/* True if python_trail_is is false from now on. */
bool python_trail_ended(const struct python_trail *t);

/* Writes the text that an object at TEXT has, in UTF-8, and a 0 byte: at most SIZE bytes. False: it has another form
 * than names have. */
bool python_text(const struct python_layout *layout, const void *text, char *out, size_t size);

#endif
