/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over frames of Python, and the table of functions; see python_frames.h. */
#include "unwind/python_frames.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_set.h"

enum { FUNCTIONS_MAX = 1 << 16, CODES_MAX = 1 << 18, NAME_BYTES = 1024, FILE_BYTES = 4096 };

/* From the headers of each version; for 64 bits. */
static const struct python_layout layouts[] = {
    {9, 24, -1, 32, 24, 104, 1, -1, 0, 0, 104, 112, 48, 72},
    {10, 24, -1, 32, 24, 96, 2, -1, 0, 0, 104, 112, 48, 72},
    {11, 56, 8, 32, 48, 56, 0, 69, 184, 168, 112, 128, 48, 72},
    {12, 56, 0, 0, 8, 56, 0, 70, 192, 176, 112, 128, 40, 56},
    {13, 72, -1, 0, 8, 56, 0, 70, 200, 184, 112, 128, 40, 56},
};

const struct python_layout *python_layout_of(unsigned minor)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0] && sizeof(void *) == 8; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

/* What is known of a code object. */
struct python_code {
    struct shared_item item;                          /* must be first; the hash is the address */
    _Atomic(const struct python_function *) function; /* NULL: the object is gone */
};

struct function_item {
    struct shared_item item; /* must be first */
    struct python_function function;
};

static struct python_source source;
static _Atomic(const struct python_layout *) active; /* NULL: there is no source */
static atomic_uint rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Added to under the lock: */
static struct shared_set codes, functions;

void python_frames_begin(const struct python_source *s)
{
    if (s)
        source = *s;
    atomic_store_explicit(&active, s ? s->layout : NULL, memory_order_release);
}

/* ---- frames ---- */

static inline const char *pointer_at(const char *at, size_t offset)
{
    const char *p;
    memcpy(&p, at + offset, sizeof p);
    return p;
}

static inline uint64_t instruction_of(const struct python_layout *l, const char *frame)
{
    uint32_t index;
    if (!l->index_unit)
        return (uintptr_t)pointer_at(frame, l->instruction);
    memcpy(&index, frame + l->instruction, sizeof index);
    return index;
}

/* Returns the innermost frame of the calling thread; NULL: there is none. */
static inline const char *innermost(const struct python_layout *l)
{
    const char *thread = source.thread();
    const char *at = thread ? pointer_at(thread, l->thread_frame) : NULL;
    return at && l->indirect >= 0 ? pointer_at(at, (size_t)l->indirect) : at;
}

/* False: Python itself does not show FRAME: it stands for C code, or has not begun. */
static bool is_shown(const struct python_layout *l, const char *frame)
{
    if (l->owner < 0)
        return true;
    const char owner = frame[l->owner], *code = pointer_at(frame, l->code);
    int32_t first;
    if (owner == PYTHON_OWNER_GENERATOR || owner == PYTHON_OWNER_C || !code)
        return owner == PYTHON_OWNER_GENERATOR && code;
    memcpy(&first, code + l->first_traceable, sizeof first);
    return instruction_of(l, frame) >= (uintptr_t)code + l->code_start + 2 * (uint64_t)(uint32_t)first;
}

bool python_chain_take(struct python_chain *chain, unsigned depth)
{
    const struct python_layout *l = atomic_load_explicit(&active, memory_order_acquire);
    const char *frame = l ? innermost(l) : NULL;
    chain->count = chain->shown = 0;
    while (frame && chain->count < PYTHON_FRAMES_MAX && chain->shown < depth && chain->shown < SITE_FRAMES_MAX) {
        if (is_shown(l, frame))
            chain->shown_frames[chain->shown++] = (uint8_t)chain->count;
        chain->frames[chain->count++] = (struct python_frame){pointer_at(frame, l->code), instruction_of(l, frame)};
        frame = pointer_at(frame, l->previous);
    }
    chain->whole = !frame;
    return chain->shown > 0;
}

/* ---- trails ---- */

size_t python_trail_bytes(const struct python_chain *chain)
{
    return sizeof(struct python_trail) + chain->count * sizeof chain->frames[0];
}

void python_trail_set(struct python_trail *t, const struct python_chain *chain)
{
    t->round = atomic_load_explicit(&rounds, memory_order_relaxed);
    t->count = chain->count;
    t->whole = chain->whole;
    memcpy(t->frames, chain->frames, chain->count * sizeof chain->frames[0]);
}

bool python_trail_ended(const struct python_trail *t)
{
    return t->round != atomic_load_explicit(&rounds, memory_order_relaxed);
}

bool python_trail_is(const struct python_trail *t)
{
    const struct python_layout *l = atomic_load_explicit(&active, memory_order_acquire);
    if (!l || python_trail_ended(t))
        return false;
    const char *frame = innermost(l);
    for (const struct python_frame *f = t->frames, *end = f + t->count; f != end; f++) {
        if (!frame || pointer_at(frame, l->code) != f->code || instruction_of(l, frame) != f->instruction)
            return false;
        frame = pointer_at(frame, l->previous);
    }
    return !frame == t->whole;
}

/* ---- texts ---- */

enum { KIND_SHIFT = 2, KIND_MASK = 7, IS_COMPACT = 1 << 5, IS_ASCII = 1 << 6 }; /* of the state of a text */
enum { TEXT_LENGTH = 16, TEXT_STATE = 32 };

/* Writes C in UTF-8. Returns the bytes it takes; 0: there is no room. */
static size_t put_character(uint32_t c, char *out, size_t room)
{
    static const struct {
        uint32_t below;
        uint8_t lead, more;
    } forms[] = {{0x80, 0, 0}, {0x800, 0xc0, 1}, {0x10000, 0xe0, 2}, {0x110000, 0xf0, 3}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (c >= forms[i].below)
            continue;
        size_t more = forms[i].more;
        if (more + 1 > room)
            return 0;
        out[0] = (char)(forms[i].lead | c >> 6 * more);
        for (size_t k = 1; k <= more; k++)
            out[k] = (char)(0x80 | (c >> 6 * (more - k) & 0x3f));
        return more + 1;
    }
    return 0;
}

bool python_text(const struct python_layout *layout, const void *text, char *out, size_t size)
{
    int64_t length;
    uint32_t state;
    memcpy(&length, (const char *)text + TEXT_LENGTH, sizeof length);
    memcpy(&state, (const char *)text + TEXT_STATE, sizeof state);
    const size_t width = state >> KIND_SHIFT & KIND_MASK;
    const char *at = (const char *)text + (state & IS_ASCII ? layout->ascii : layout->other_texts);
    if (length < 0 || !(state & IS_COMPACT) || (width != 1 && width != 2 && width != 4))
        return false;
    for (int64_t i = 0; i < length; i++) {
        uint32_t c = 0; /* little-endian */
        memcpy(&c, at + (size_t)i * width, width);
        size_t put = put_character(c, out, size - 1);
        if (!put)
            break;
        out += put;
        size -= put;
    }
    *out = 0;
    return true;
}

/* ---- functions ---- */

/* Returns the part of the path FILE that stands for it: without folders, but for that of __init__.py and its like. */
static const char *short_file(const char *file)
{
    const char *slash = file[0] == '<' ? NULL : strrchr(file, '/');
    if (!slash || strncmp(slash + 1, "__", 2) != 0 || slash == file)
        return slash ? slash + 1 : file;
    while (slash > file && slash[-1] != '/')
        slash--;
    return slash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (hash ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_function(const struct shared_item *item, const void *key)
{
    const struct code_module *a = &((const struct function_item *)item)->function.module, *b = key;
    return strcmp(a->name, b->name) == 0 && strcmp(a->python, b->python) == 0;
}

/* Returns the function NAME of FILE, adding it if it is new. Under the lock. NULL: no memory, or too many. */
static const struct python_function *function_of(const char *file, const char *name)
{
    const struct code_module key = {.name = file, .python = name};
    const uint64_t hash = hash_text(hash_text(0, file), name);
    const struct shared_item *known = shared_set_find(&functions, hash, is_function, &key);
    if (known)
        return &((const struct function_item *)known)->function;
    struct function_item *f = functions.count < FUNCTIONS_MAX ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->item.hash = hash;
    f->function.module.name = strdup(file);
    f->function.module.python = strdup(name);
    f->function.number = (uint32_t)functions.count;
    if (f->function.module.name && f->function.module.python && shared_set_add(&functions, &f->item))
        return &f->function;
    free((char *)(uintptr_t)f->function.module.name);
    free((char *)(uintptr_t)f->function.module.python);
    free(f);
    return NULL;
}

/* Finds the function of CODE, which is not known. */
static const struct python_function *learn(const struct python_layout *l, const char *code)
{
    char file[FILE_BYTES], name[NAME_BYTES];
    if (!python_text(l, pointer_at(code, l->file), file, sizeof file) ||
        !python_text(l, pointer_at(code, l->name), name, sizeof name))
        return NULL;
    pthread_mutex_lock(&lock);
    struct python_code *c = (struct python_code *)shared_set_find(&codes, (uintptr_t)code, NULL, NULL);
    const struct python_function *f = function_of(short_file(file), name);
    if (!c && f && codes.count < CODES_MAX) {
        c = calloc(1, sizeof *c);
        if (c)
            c->item.hash = (uintptr_t)code;
        if (c && !shared_set_add(&codes, &c->item)) {
            free(c);
            c = NULL;
        }
    }
    if (c)
        atomic_store_explicit(&c->function, f, memory_order_release);
    pthread_mutex_unlock(&lock);
    return c ? f : NULL;
}

const struct python_function *python_chain_function(const struct python_chain *chain, unsigned i, uint64_t *line)
{
    const struct python_layout *l = atomic_load_explicit(&active, memory_order_acquire);
    const struct python_frame *f = &chain->frames[chain->shown_frames[i]];
    const char *code = f->code;
    if (!l)
        return NULL;
    const struct python_code *known = (const struct python_code *)shared_set_find(&codes, (uintptr_t)code, NULL, NULL);
    const struct python_function *function =
        known ? atomic_load_explicit(&known->function, memory_order_acquire) : NULL;
    if (!function)
        function = learn(l, code);
    int offset = l->index_unit ? (int32_t)f->instruction * (int)l->index_unit
                               : (int)(f->instruction - ((uintptr_t)code + l->code_start));
    int number = function ? source.line((void *)(uintptr_t)code, offset) : 0;
    *line = number > 0 ? (uint64_t)number : 0;
    return function;
}

void python_code_gone(const void *code)
{
    struct python_code *c = (struct python_code *)shared_set_find(&codes, (uintptr_t)code, NULL, NULL);
    if (!c || !atomic_load_explicit(&c->function, memory_order_acquire))
        return;
    atomic_store_explicit(&c->function, NULL, memory_order_release);
    atomic_fetch_add(&rounds, 1);
}
