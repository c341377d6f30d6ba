/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over stacks, and the table of paths; see call_path.h.
 *
 * A walk ends for one of these reasons. The first three follow from the words that were read, so the path is certain.
 *   - The rule of an address says that there is no caller, or cannot express where it is, or there is no rule.
 *   - So many frames were found as are asked for, and the last of them is not in code that starts programs.
 *   - So many were found as there is room for.
 *   - What is to be read next is outside of the stack, or an address is one too many that is in no module. Such a path
 * is right, maybe too short, and uncertain: it is walked again each time. */
#include "unwind/call_path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/frame_rule.h"

enum { STRANGE_MAX = 4096, PAGE_LEAST = 4096, SHAPE_FIRST = 1 };

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* From a wrapper's frame: its CFA, and where the caller's FP is. */
#if defined __aarch64__
enum { FIRST_CFA = 0, FIRST_SLOT = -1 };
#else
enum { FIRST_CFA = 16, FIRST_SLOT = 0 };
#endif

/* What is known of a return address. */
struct known_address {
    struct shared_item item; /* must be first; the hash is the address */
    struct frame_rule rule;
    struct code_frame frame; /* no module: the address is in none */
    bool starts;
    bool is_entry; /* see struct path_source */
    bool interprets;
    bool is_place; /* no address: a place in Python, whose hash is PYTHON_PLACE, the function's number and the line; or
                      a function of MPI that calls back, whose hash is MPI_PLACE and its number */
};

/* No address of a program has these bits. */
#define PYTHON_PLACE (UINT64_C(1) << 63)
#define MPI_PLACE    (UINT64_C(1) << 62)
enum { PYTHON_LINE_BITS = 32 };

static struct path_source source;
static atomic_uint depth; /* frames that are told apart */
static size_t paths_most;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Added to under the lock: */
static struct shared_set addresses, paths;
static unsigned strange;   /* addresses that are in no module */
static atomic_uint rounds; /* of paths_moved */

void paths_begin(const struct path_source *s, unsigned frames, size_t most)
{
    source = *s;
    atomic_store(&depth, frames);
    paths_most = most;
}

static unsigned depth_now(void)
{
    return atomic_load_explicit(&depth, memory_order_relaxed);
}

/* ---- addresses ---- */

/* NULL: no memory; or, if LIMITED, too many addresses that are in no module. */
static __attribute__((noinline)) const struct known_address *learn(const void *address, bool limited)
{
    unsigned round = atomic_load(&rounds);
    struct known_address *k = malloc(sizeof *k);
    if (!k)
        return NULL;
    *k = (struct known_address){.item.hash = (uintptr_t)address};
    bool in_module = address && source.frame(address, &k->frame);
    if (in_module)
        k->rule = frame_rule_of(address);
    else
        k->frame.module = NULL;
    k->starts = source.starts(address, in_module ? &k->frame : NULL);
    k->is_entry = k->starts && source.is_entry(address);
    k->interprets = in_module && source.interprets && source.interprets(&k->frame);
    pthread_mutex_lock(&lock);
    struct shared_item *other = shared_set_find(&addresses, k->item.hash, NULL, NULL);
    bool room = in_module || !limited || strange < STRANGE_MAX, late = round != atomic_load(&rounds);
    bool added = !other && room && !late && shared_set_add(&addresses, &k->item);
    strange += added && !in_module;
    pthread_mutex_unlock(&lock);
    if (added)
        return k;
    free(k);
    return late ? learn(address, limited) : (const struct known_address *)other;
}

static const struct known_address *know(const void *address, bool limited)
{
    const struct shared_item *item = shared_set_find(&addresses, (uintptr_t)address, NULL, NULL);
    return item ? (const struct known_address *)item : learn(address, limited);
}

/* ---- places in Python ---- */

/* Returns the place with HASH, which shows FRAME. NULL: no memory. */
static const struct known_address *know_frame(uint64_t hash, struct code_frame frame)
{
    struct shared_item *item = shared_set_find(&addresses, hash, NULL, NULL);
    if (item)
        return (const struct known_address *)item;
    struct known_address *k = malloc(sizeof *k);
    if (!k)
        return NULL;
    *k = (struct known_address){.item.hash = hash, .frame = frame, .is_place = true};
    pthread_mutex_lock(&lock);
    item = shared_set_find(&addresses, hash, NULL, NULL);
    bool added = !item && shared_set_add(&addresses, &k->item);
    pthread_mutex_unlock(&lock);
    if (added)
        return k;
    free(k);
    return (const struct known_address *)item;
}

/* Returns the place that frame I of CHAIN shows. NULL: no memory, or too many functions. */
static const struct known_address *know_place(const struct python_chain *chain, unsigned i)
{
    uint64_t line;
    const struct python_function *f = python_chain_function(chain, i, &line);
    if (!f)
        return NULL;
    return know_frame(PYTHON_PLACE | (uint64_t)f->number << PYTHON_LINE_BITS | line,
                      (struct code_frame){&f->module, line});
}

/* Goes on with the functions in Python that the thread is in, from the last address of W, which is in the interpreter.
 * False: it is in none, so it goes on as in C. *LATER: it may be in some. */
static bool go_on_in_python(struct path_walk *w, bool *later)
{
    const enum python_state state = source.python();
    *later |= state == PYTHON_LATER;
    if (state != PYTHON_READY || !python_chain_take(&w->python, w->depth))
        return false;
    const uint32_t machine = w->count - 1;
    for (unsigned i = 0; i < w->python.shown; i++) {
        const struct known_address *place = machine + i < PATH_WALK_MAX ? know_place(&w->python, i) : NULL;
        if (!place)
            return false;
        w->places[i] = place;
    }
    memcpy(w->known + machine, w->places, w->python.shown * sizeof w->places[0]);
    w->in_python = true;
    w->machine = machine;
    w->count = machine + w->python.shown;
    w->certain = true;
    return true;
}

/* ---- walking ---- */

/* Notes that the word at ADDRESS is read. A word on another page than the one before begins another group. */
static void note_word(struct path_walk *w, uintptr_t address)
{
    const uintptr_t *before = w->word_count ? w->words[w->word_count - 1] : NULL;
    if (((uintptr_t)before ^ address) >= PAGE_LEAST)
        while (w->word_count % PATH_TOGETHER)
            w->words[w->word_count++] = before;
    w->words[w->word_count++] = (const uintptr_t *)address;
}

/* Reads the word at ADDRESS and notes it. False: it is outside of RANGE, or too much has been read. */
static bool read_word(struct path_walk *w, const struct stack_range *range, uintptr_t address, uintptr_t *word)
{
    if (range->size < sizeof *word || address - range->low > range->size - sizeof *word || address % sizeof *word ||
        w->word_count + PATH_TOGETHER > PATH_WORDS_MAX)
        return false;
    note_word(w, address);
    *word = *(const uintptr_t *)address;
    return true;
}

/* Where a walk is. */
struct position {
    uintptr_t base; /* the last frame address that was read; at first the wrapper's frame */
    uintptr_t sp;
    uintptr_t slot; /* where the caller's FP is; 0: lost */
};

/* Goes to the caller by RULE. False: it is not known where it is. W->certain says if that follows from the rules. */
static bool go_out(struct path_walk *w, struct position *p, const struct frame_rule *rule,
                   const struct stack_range *range)
{
    uintptr_t cfa = p->sp + (uintptr_t)(intptr_t)rule->cfa_offset, fp = 0;
    w->certain = true;
    if (rule->cfa == FRAME_UNKNOWN || rule->cfa == FRAME_OUTERMOST || (rule->cfa != FRAME_SP && !p->slot))
        return false;
    w->certain = false;
    if (rule->cfa != FRAME_SP) {
        if (!read_word(w, range, p->slot, &fp) || fp <= p->base)
            return false;
        cfa = fp + (uintptr_t)(intptr_t)rule->cfa_offset;
        if (rule->cfa == FRAME_AT_FP && (!read_word(w, range, cfa, &cfa) || cfa <= fp))
            return false;
        p->base = rule->cfa == FRAME_AT_FP ? cfa : fp;
    }
    uintptr_t offset = (uintptr_t)(intptr_t)rule->fp_offset;
    if (rule->saved == SAVED_AT_CFA)
        p->slot = cfa + offset;
    else if (rule->saved == SAVED_AT_FP && fp)
        p->slot = fp + offset;
    else if (rule->saved != SAVED_NOT || rule->cfa != FRAME_SP)
        p->slot = 0;
    p->sp = cfa;
    return true;
}

static void walk(struct path_walk *w, const void *site, const void *frame, const struct stack_range *range)
{
    struct position p = {.base = (uintptr_t)frame, .sp = (uintptr_t)frame + FIRST_CFA};
    p.slot = FIRST_SLOT < 0 ? 0 : (uintptr_t)frame + FIRST_SLOT;
    w->frame = frame;
    w->depth = depth_now();
    w->known[0] = know(site, false);
    w->count = 1;
    w->word_count = 0;
    w->certain = false;
    w->in_python = false;
    bool in_c = false, later = false;
    while (w->known[w->count - 1]) {
        const struct known_address *k = w->known[w->count - 1];
        uintptr_t address;
        if (k->interprets && !in_c) {
            in_c = true;
            if (go_on_in_python(w, &later))
                return;
        }
        if (w->count == PATH_WALK_MAX || (w->count >= w->depth && !k->starts && (in_c || !source.is_python))) {
            w->certain = !later;
            return;
        }
        if (!go_out(w, &p, &k->rule, range) ||
            !read_word(w, range, p.sp + (uintptr_t)(intptr_t)k->rule.return_offset, &address))
            break;
        w->known[w->count] = know((const void *)address, true);
        if (!w->known[w->count])
            break;
        w->count++;
    }
    w->certain &= !later;
}

/* Returns how many of the GROUPS of W, from the first one on, are two and two on one page. */
static uint32_t count_paired(const struct path_walk *w, uint32_t groups)
{
    uint32_t paired = 0;
    while (paired + 2 <= groups && ((uintptr_t)w->words[paired * PATH_TOGETHER] ^
                                    (uintptr_t)w->words[(paired + 1) * PATH_TOGETHER]) < PAGE_LEAST)
        paired += 2;
    return paired;
}

/* The return address to the program's entry point is left out: nobody overwrites it. */
struct path_trail *path_trail_new(const struct path_walk *w)
{
    uint32_t count = w->word_count - (w->count > 1 && w->known[w->count - 1]->is_entry);
    uint32_t groups = (count + PATH_TOGETHER - 1) / PATH_TOGETHER;
    const bool python = w->in_python;
    const size_t more = python ? python_trail_bytes(&w->python) : 0;
    struct path_trail *t = w->certain ? malloc(sizeof *t + groups * sizeof t->words[0] + more) : NULL;
    if (!t)
        return NULL;
    t->frame = python ? NULL : w->frame;
    t->pairs_end = t->words + count_paired(w, groups);
    t->end = t->words + groups;
    t->python = python ? (void *)(t->words + groups) : NULL;
    t->began = w->frame;
    t->shape = w->lasting ? SHAPE_FIRST : 0;
    if (python)
        python_trail_set((void *)(t->words + groups), &w->python);
    for (uint32_t i = 0; i < groups * PATH_TOGETHER; i++) {
        const uintptr_t *word = w->words[i < count ? i : count - 1];
        struct path_words *group = &t->words[i / PATH_TOGETHER];
        uint64_t offset = (uintptr_t)word - (uintptr_t)w->frame;
        group->offsets[i % PATH_TOGETHER] = (uint32_t)offset;
        group->values[i % PATH_TOGETHER] = *word;
        if (w->lasting)
            t->shape = ((t->shape ^ offset) * HASH_FACTOR) | 1;
        if (offset > UINT32_MAX) {
            free(t);
            return NULL;
        }
    }
    return t;
}

size_t path_trail_bytes_alike(const struct path_trail *t)
{
    const size_t all = (size_t)(t->end - t->words) * PATH_TOGETHER;
    size_t count = 0;
    uint64_t last = UINT64_MAX;
    for (size_t i = 0; i < all; i++) {
        const uint64_t offset = t->words[i / PATH_TOGETHER].offsets[i % PATH_TOGETHER];
        count += offset != last;
        last = offset;
    }
    const size_t groups = (count + PATH_TOGETHER - 1) / PATH_TOGETHER, here = (size_t)(t->end - t->words);
    return path_trail_bytes(t) - (here - groups) * sizeof t->words[0];
}

uint64_t path_words_hash(const struct path_trail *t, const void *frame)
{
    uint64_t hashes[PATH_TOGETHER] = {1, 2, 3, 4}, hash = t->shape;
    for (const struct path_words *w = t->words; w != t->end; w++)
        for (int i = 0; i < PATH_TOGETHER; i++)
            hashes[i] = (hashes[i] ^ *(const uintptr_t *)((uintptr_t)frame + w->offsets[i])) * HASH_FACTOR;
    for (int i = 0; i < PATH_TOGETHER; i++)
        hash = (hash ^ hashes[i] ^ hashes[i] >> 32) * HASH_FACTOR;
    return hash ^ hash >> 32;
}

bool path_trail_is_python(const struct path_trail *t, const void *frame)
{
    return t->began == frame && path_words_are(t, frame) && python_trail_is(t->python);
}

/* ---- the table ---- */

static uint64_t walk_hash(const struct path_walk *w)
{
    uint64_t hash = w->certain;
    for (uint32_t i = 0; i < w->count; i++)
        hash = (hash ^ w->known[i]->item.hash) * HASH_FACTOR, hash ^= hash >> 29;
    return hash;
}

static bool is_path_of(const struct shared_item *item, const void *key)
{
    const struct call_path *p = (const struct call_path *)item;
    const struct path_walk *w = key;
    if (p->count != w->count || p->certain != w->certain)
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->known[i]->item.hash != w->known[i]->item.hash)
            return false;
    return true;
}

/* Returns how many frames, the innermost ones, are only there to get from Python to MPI: if all are that are not in
 * Python, and these are in mpi4py's module, MPI.*.so. */
static uint32_t count_hidden(const struct path_walk *w)
{
    static const char mpi4py[] = "MPI.";
    if (!w->in_python)
        return 0;
    for (uint32_t i = 0; i < w->machine; i++)
        if (!w->known[i]->frame.module || strncmp(w->known[i]->frame.module->name, mpi4py, sizeof mpi4py - 1) != 0)
            return 0;
    return w->machine;
}

static uint32_t count_shown(const struct path_walk *w, uint32_t hidden)
{
    uint32_t count = w->count - hidden, shown = 0;
    const struct known_address *const *known = w->known + hidden;
    while (count > 1 && known[count - 1]->starts)
        count--;
    while (shown < count && shown < w->depth && known[shown]->frame.module)
        shown++;
    return shown;
}

/* NULL: no memory. */
static struct call_path *path_new(const struct path_walk *w, uint64_t hash)
{
    struct call_path *p = calloc(1, sizeof *p + w->count * sizeof p->known[0]);
    if (!p)
        return NULL;
    p->item.hash = hash;
    p->count = w->count;
    p->certain = w->certain;
    p->hidden = w->hidden;
    p->shown = w->shown;
    memcpy(p->known, w->known, w->count * sizeof p->known[0]);
    return p;
}

/* NULL: no memory. */
static __attribute__((noinline)) const struct call_path *path_add(const struct path_walk *w, uint64_t hash)
{
    struct call_path *p = path_new(w, hash);
    if (!p)
        return NULL;
    atomic_store(&p->checked, atomic_load(&rounds));
    pthread_mutex_lock(&lock);
    struct shared_item *other = shared_set_find(&paths, hash, is_path_of, w);
    bool added = !other && shared_set_add(&paths, &p->item);
    if (paths.count >= paths_most)
        atomic_store(&depth, 1);
    pthread_mutex_unlock(&lock);
    if (added)
        return p;
    free(p);
    return (const struct call_path *)other;
}

/* Returns the path with what is in W. NULL: no memory. */
static const struct call_path *path_find(const struct path_walk *w)
{
    const uint64_t hash = walk_hash(w);
    const struct shared_item *item = shared_set_find(&paths, hash, is_path_of, w);
    return item ? (const struct call_path *)item : path_add(w, hash);
}

const struct call_path *path_of(struct path_walk *w, const void *site, const void *frame,
                                const struct stack_range *range)
{
    walk(w, site, frame, range);
    if (!w->known[0])
        return NULL;
    w->hidden = count_hidden(w);
    w->shown = count_shown(w, w->hidden);
    return path_find(w);
}

/* Returns how many frames of W, of the SHOWN ones that begin at FIRST, are inside OUTER: those before MPI's, and those
 * of Python that are not among OUTER's. */
static uint32_t count_inside(const struct known_address *const *first, uint32_t shown, const struct call_path *outer)
{
    uint32_t callers = outer ? outer->shown : 0, count = 1;
    while (shown > 1 && callers && first[shown - 1] == outer->known[outer->hidden + callers - 1])
        shown--, callers--;
    while (count < shown && !(source.carries && source.carries(&first[count]->frame)))
        count++;
    return count < shown ? count : shown;
}

const struct call_path *path_inside(struct path_walk *w, const struct outer_call *outer)
{
    enum { INNER_MAX = SITE_FRAMES_MAX / 2 };
    const struct known_address *const *callers = outer->path ? outer->path->known + outer->path->hidden : NULL;
    uint32_t caller_count = outer->path ? outer->path->shown : 0;
    const struct known_address *site = outer->path ? NULL : know(outer->site, false),
                               *function =
                                   know_frame(MPI_PLACE | outer->number, (struct code_frame){outer->function, 0});
    if (!function || (!outer->path && !site))
        return NULL;
    if (site && site->frame.module) {
        callers = &site;
        caller_count = 1;
    }
    uint32_t count = w->shown ? count_inside(w->known + w->hidden, w->shown, outer->path) : 0;
    count = count < INNER_MAX ? count : INNER_MAX;
    memmove(w->known, w->known + w->hidden, count * sizeof w->known[0]);
    w->known[count++] = function;
    for (uint32_t i = 0; i < caller_count && count < SITE_FRAMES_MAX; i++)
        w->known[count++] = callers[i];
    w->count = w->shown = count;
    w->hidden = 0;
    w->certain = true;
    w->in_python = false;
    return path_find(w);
}

size_t path_frames(const struct call_path *p, struct code_frame *frames)
{
    if (atomic_load_explicit(&p->gone, memory_order_relaxed))
        return 0;
    for (uint32_t i = 0; i < p->shown; i++)
        frames[i] = p->known[p->hidden + i]->frame;
    return p->shown;
}

bool path_leads_to(const struct call_path *p, const void *outer)
{
    for (uint32_t i = 1; i < p->count; i++)
        if (p->known[i]->item.hash == (uintptr_t)outer)
            return true;
    return false;
}

/* ---- modules that are unloaded ---- */

static bool has_moved(const struct call_path *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct known_address *k = p->known[i];
        struct code_frame now;
        const void *address = (const void *)(uintptr_t)k->item.hash;
        if (k->is_place)
            continue;
        bool found = address && source.frame(address, &now);
        if (found != (k->frame.module != NULL) ||
            (found && (now.module != k->frame.module || now.offset != k->frame.offset)))
            return true;
    }
    return false;
}

void paths_moved(void)
{
    unsigned round = atomic_fetch_add(&rounds, 1) + 1;
    struct shared_slots *slots = atomic_load_explicit(&paths.slots, memory_order_acquire);
    /* Not under the lock: the loader is asked, and it may have called who waits for the lock. */
    for (size_t i = 0; slots && i <= slots->mask; i++) {
        struct call_path *p = (struct call_path *)atomic_load_explicit(&slots->items[i], memory_order_acquire);
        if (p && has_moved(p))
            atomic_store(&p->gone, true);
        if (p)
            atomic_store(&p->checked, round);
    }
    pthread_mutex_lock(&lock);
    slots = atomic_load_explicit(&paths.slots, memory_order_acquire);
    shared_set_clear(&addresses);
    shared_set_clear(&paths);
    strange = 0;
    for (size_t i = 0; slots && i <= slots->mask; i++) {
        struct call_path *p = (struct call_path *)atomic_load_explicit(&slots->items[i], memory_order_acquire);
        bool stays = p && !atomic_load(&p->gone) && atomic_load(&p->checked) >= round;
        if (p && (!stays || !shared_set_add(&paths, &p->item)))
            atomic_store(&p->gone, true);
    }
    pthread_mutex_unlock(&lock);
}
