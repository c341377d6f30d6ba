/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths: the return addresses from a call site outwards to main, or to the first function of the thread.
 *
 * A path is found by a walk over the stack, with a rule for each return address (frame_rule.h). The walk begins at the
 * wrapper's frame and reads some words of the stack: return addresses, and frame addresses that were saved. What it
 * reads next follows from the site, from where the frame is, and from the words before. So the next call has the same
 * path if it has the same site and frame, and these words have the same values. The list of the words is the trail of
 * the path. It takes a compare for each word to see that a path is the same, and the answer is certain. A path has
 * another trail for each place of the stack that it was seen at, and where functions vary the size of their frames.
 *
 * Where a walk comes to code of Python's interpreter, the functions of the script follow in place of the interpreter's
 * (python_frames.h), and the path ends with them. Frames of mpi4py itself are left out before them. The trail of such a
 * path also has what identifies the frames of Python; it is compared out of line.
 *
 * A path is there once in the process, so its address stands for it. It is never freed. */
#ifndef PILGRIM_CALL_PATH_H
#define PILGRIM_CALL_PATH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/shared_set.h"
#include "base/site.h"
#include "unwind/python_frames.h"

/* In a wrapper: the frame that path_of and path_is take. The words at it are the caller's frame address register and
 * the return address. On AArch64 it is the CFA. */
#if defined __aarch64__
#define CALL_PATH_FRAME __builtin_dwarf_cfa()
#else
#define CALL_PATH_FRAME __builtin_frame_address(0)
#endif

/* The memory that may be read as a stack. */
struct stack_range {
    uintptr_t low;
    size_t size;
};

/* Words of a trail, which are compared together, without a branch between them. All are on one page of the stack, so
 * that they can be read if the first one can: behind a word that differs there may be the end of another stack. A word
 * may be there several times to fill the group. What a compare takes is loads, so it has few of them: one for two
 * offsets, and where the processor can, one for two values. */
enum { PATH_TOGETHER = 4 };

struct path_words {
    _Alignas(16) uintptr_t values[PATH_TOGETHER];
    uint32_t offsets[PATH_TOGETHER]; /* from the frame */
};

/* All words that a walk has read, in order. */
struct path_trail {
    const void *frame; /* where it began: CALL_PATH_FRAME; NULL, which no call has, if there are frames of Python */
    const struct path_words *pairs_end; /* up to here two groups are on one page, and are compared together */
    const struct path_words *end;
    const struct python_trail *python; /* behind the words; NULL: there are none */
    const void *began;                 /* where it began, in any case */
    uint64_t shape; /* hash of the offsets; 0: the words may be read only if those before are the same */
    struct path_words words[];
};

struct call_path {
    struct shared_item item; /* must be first */
    uint32_t count;          /* return addresses, site included, and places in Python */
    uint32_t hidden;         /* of them, the innermost ones, which are in mpi4py */
    uint32_t shown;          /* behind these, those up to main; 0 if the site is in no module */
    bool certain;            /* it follows from the words of the stack; else maybe too short, to be walked each time */
    atomic_bool gone;        /* a module that it goes through was unloaded */
    atomic_uint checked;     /* in which round of paths_moved that was looked at */
    const struct known_address *known[];
};

enum { PATH_WALK_MAX = 2 * SITE_FRAMES_MAX, PATH_WORDS_MAX = 8 * PATH_WALK_MAX };

/* A walk, and memory for it: too much for the program's stack. */
struct path_walk {
    uint32_t count;
    uint32_t word_count;
    uint32_t depth; /* frames that are told apart */
    bool certain;
    bool lasting; /* to be set by who called path_of: at the frame there is this stack, as long as the thread lives */
    const void *frame;
    const struct known_address *known[PATH_WALK_MAX];
    const uintptr_t *words[PATH_WORDS_MAX]; /* in groups; some of them several times */
    uint32_t hidden, shown;                 /* as in the path */
    bool in_python;
    uint32_t machine; /* if so: of `known`, those that are return addresses; the others are in Python */
    struct python_chain python;
    const struct known_address *places[SITE_FRAMES_MAX]; /* of it */
};

/* What is known of the calling thread's frames of Python. */
enum python_state {
    PYTHON_NONE,  /* there are none */
    PYTHON_LATER, /* it cannot be told yet */
    PYTHON_READY  /* python_chain_take finds them */
};

/* What a path must be told about an address. */
struct path_source {
    /* Fills in FRAME. False: ADDRESS is in no module. */
    bool (*frame)(const void *address, struct code_frame *frame);
    /* True if ADDRESS may be in the code that starts the program or a thread. FRAME: the same address; NULL: it is in
     * no module. */
    bool (*starts)(const void *address, const struct code_frame *frame);
    /* True if ADDRESS is in the code at the program's entry point, which makes one call, once. */
    bool (*is_entry)(const void *address);
    /* True if FRAME is in the MPI library, or in this one. NULL: none is. */
    bool (*carries)(const struct code_frame *frame);
    /* True if FRAME is in Python's interpreter. NULL: none is. */
    bool (*interprets)(const struct code_frame *frame);
    /* A walk has met such a frame. */
    enum python_state (*python)(void);
    bool is_python; /* the program is an interpreter, so walks go on beyond the frames that are told apart */
};

/* Sets the source, how many frames of a path are told apart, and how many paths there are at most. When there are MOST,
 * walks end at the site, or with the innermost function in Python: a program with paths without end would spend its
 * memory and time on them. To be called once, before the first path. */
void paths_begin(const struct path_source *source, unsigned depth, size_t most);

/* Returns the path from SITE outwards. W is filled in. FRAME: CALL_PATH_FRAME of the function that returns to SITE.
 * Only RANGE is read, which FRAME is in. NULL: no memory. Any thread. */
const struct call_path *path_of(struct path_walk *w, const void *site, const void *frame,
                                const struct stack_range *range);

/* A call in progress that another one is made inside of, by a callback. */
struct outer_call {
    const struct call_path *path; /* NULL: its site is all that is known */
    const void *site;
    const struct code_module *function; /* its function, as a module: each has one, in which the offset is 0 */
    uint32_t number;                    /* of that function */
};

/* Returns the path of a call that is made inside OUTER: what path_of found of it, up to MPI; then the function of
 * OUTER; then OUTER's path. W: as path_of has left it. NULL: no memory. */
const struct call_path *path_inside(struct path_walk *w, const struct outer_call *outer);

/* Returns the trail of W, which has just been walked, for free. NULL: no memory, or the path is uncertain. */
struct path_trail *path_trail_new(const struct path_walk *w);

static inline size_t path_trail_bytes(const struct path_trail *t)
{
    size_t python = t->python ? sizeof *t->python + t->python->count * sizeof t->python->frames[0] : 0;
    return (size_t)((const char *)t->end - (const char *)t) + python;
}

/* Returns the same without words that are there again. How many these are depends on where the stack lies in its pages,
 * which differs from process to process: segments of processes that do the same would end at different calls. */
size_t path_trail_bytes_alike(const struct path_trail *t);

/* Returns a hash of the words at FRAME that have the places of those of T, which has a shape. Trails of one shape whose
 * words are the same have the same hash. */
uint64_t path_words_hash(const struct path_trail *t, const void *frame);

/* True if no call will have the path of T. */
static inline bool path_trail_ended(const struct path_trail *t)
{
    return t->python && python_trail_ended(t->python);
}

#ifdef __SSE2__
typedef __m128i path_bits; /* all are set while words are the same */

static inline path_bits path_two_words(const struct path_words *w, int i, const void *frame)
{
    uint64_t two;
    memcpy(&two, &w->offsets[i], sizeof two);
    __m128d first = _mm_load_sd((const double *)((uintptr_t)frame + (uint32_t)two));
    __m128d both = _mm_loadh_pd(first, (const double *)((uintptr_t)frame + (two >> 32)));
    return _mm_cmpeq_epi32(_mm_castpd_si128(both), _mm_load_si128((const __m128i *)&w->values[i]));
}

/* Compares the words of a group. */
static inline path_bits path_compare(const struct path_words *w, const void *frame)
{
    return _mm_and_si128(path_two_words(w, 0, frame), path_two_words(w, 2, frame));
}

static inline path_bits path_both(path_bits a, path_bits b)
{
    return _mm_and_si128(a, b);
}

static inline bool path_same(path_bits bits)
{
    return __builtin_expect(_mm_movemask_epi8(bits) == 0xffff, 1);
}
#else
typedef uintptr_t path_bits; /* none is set while words are the same */

static inline path_bits path_compare(const struct path_words *w, const void *frame)
{
    uintptr_t other = 0;
    for (int i = 0; i < PATH_TOGETHER; i++)
        other |= *(const uintptr_t *)((uintptr_t)frame + w->offsets[i]) ^ w->values[i];
    return other;
}

static inline path_bits path_both(path_bits a, path_bits b)
{
    return a | b;
}

static inline bool path_same(path_bits bits)
{
    return __builtin_expect(bits == 0, 1);
}
#endif

/* True if the words of T are the same, counted from FRAME. */
static inline bool path_words_are(const struct path_trail *t, const void *frame)
{
    const struct path_words *w = t->words;
    for (; w != t->pairs_end; w += 2)
        if (!path_same(path_both(path_compare(w, frame), path_compare(w + 1, frame))))
            return false;
    for (; w != t->end; w++)
        if (!path_same(path_compare(w, frame)))
            return false;
    return true;
}

/* True if a call has the path of T; provided that its site is that of T. FRAME is as for path_of. */
static inline bool path_trail_is(const struct path_trail *t, const void *frame)
{
    return __builtin_expect(t->frame == frame, 1) && path_words_are(t, frame);
}

/* The same for any trail. Out of line for those with frames of Python, for which path_trail_is is false. */
bool path_trail_is_python(const struct path_trail *t, const void *frame);

static inline bool path_trail_matches(const struct path_trail *t, const void *frame)
{
    return path_trail_is(t, frame) || (t->python && path_trail_is_python(t, frame));
}

/* Fills FRAMES, which has room for SITE_FRAMES_MAX, with the frames of P, innermost first, up to the first that is in
 * no module. Returns how many there are; 0 too if one of their modules was unloaded. */
size_t path_frames(const struct call_path *p, struct code_frame *frames);

/* True if P, as path_of found it, goes through the return address OUTER, outside of its site. */
bool path_leads_to(const struct call_path *p, const void *outer);

/* Modules were unloaded. Forgets the paths through them, and all rules. */
void paths_moved(void);

#endif
