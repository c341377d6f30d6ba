/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls of two traces are the same; see call_kinds.h.
 *
 * A frame is interned by its module, build and offset; a path by its innermost frame and the path around it; a class by
 * its path and function. To match, each frame gets the number of a frame that it equals, and paths and classes are
 * interned again with these numbers. */
#include "call_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/key_table.h"
#include "frame_match.h"
#include "interned_texts.h"

#define NONE UINT32_MAX

struct kept_path {
    uint32_t frame, around; /* NONE: there is none */
};

struct kept_class {
    uint32_t function, path, flags;
    uint32_t kind;
};

/* A table that grows. */
struct grown {
    void *items;
    size_t count, capacity;
};

struct call_kinds {
    const struct pilgrim_trace *traces[2];
    struct source_lines *lines[2];
    struct interned_texts texts; /* of functions and modules, and keys of frames */
    struct key_table frame_of;   /* text of the key -> frame */
    struct key_table paths, classes, kinds;
    struct grown frame_list, path_list, class_list, kind_list;
    bool rebuilt, matched, ignore_sites;
};

struct call_kinds *call_kinds_new(const struct pilgrim_trace *const traces[2], struct source_lines *const lines[2])
{
    struct call_kinds *k = calloc(1, sizeof *k);
    for (int i = 0; k && i < 2; i++) {
        k->traces[i] = traces[i];
        k->lines[i] = lines[i];
    }
    return k;
}

void call_kinds_free(struct call_kinds *k)
{
    if (!k)
        return;
    struct call_kind *kinds = k->kind_list.items;
    for (size_t i = 0; i < k->kind_list.count; i++)
        for (int side = 0; side < 2; side++) {
            free(kinds[i].site[side]);
            free(kinds[i].caller[side]);
            free(kinds[i].via[side]);
        }
    key_table_clear(&k->frame_of);
    key_table_clear(&k->paths);
    key_table_clear(&k->classes);
    key_table_clear(&k->kinds);
    interned_texts_free(&k->texts);
    free(k->frame_list.items);
    free(k->path_list.items);
    free(k->class_list.items);
    free(k->kind_list.items);
    free(k);
}

/* Appends an item of SIZE bytes, all 0. Returns its number; NONE: no memory. */
static uint32_t grow(struct grown *g, size_t size)
{
    if (g->count == g->capacity) {
        size_t capacity = 2 * g->capacity + 16;
        void *items = capacity < NONE ? realloc(g->items, capacity * size) : NULL;
        if (!items)
            return NONE;
        g->items = items;
        g->capacity = capacity;
    }
    memset((char *)g->items + g->count * size, 0, size);
    return (uint32_t)g->count++;
}

/* Returns the number that KEY has in TABLE; if it is new, that of a new item of LIST. NONE: no memory. */
static uint32_t find(struct key_table *table, struct key key, struct grown *list, size_t size, bool *is_new)
{
    uint64_t *number = key_table_put(table, key, list->count);
    *is_new = number && *number == list->count;
    if (!number || (*is_new && grow(list, size) == NONE))
        return NONE;
    return (uint32_t)*number;
}

/* ---- what the traces have ---- */

/* Returns the line that FRAME calls at; 0: it is not known. */
static uint32_t line_of(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    const char *place = lines ? source_lines_find(lines, frame) : NULL, *colon = place ? strrchr(place, ':') : NULL;
    return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

/* Returns the number of a text of the places that FRAME is at, from the innermost function on. */
static uint32_t place_text(struct call_kinds *k, unsigned side, const struct pilgrim_frame *frame)
{
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    char text[SOURCE_FUNCTIONS_MAX * (sizeof(struct source_function) + sizeof " at ;")] = "";
    const size_t count = k->lines[side] ? source_lines_functions(k->lines[side], frame, functions) : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s at %s;", functions[i].name, functions[i].place);
    }
    return interned_text(&k->texts, text);
}

/* Returns the number of the name of a function, without what an optimizer adds to that of a part or a copy of it. */
static uint32_t function_text(struct call_kinds *k, const char *name)
{
    static const char *const added[] = {".isra.", ".constprop.", ".part.", ".cold", ".lto_priv."};
    char text[256];
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        const char *at = strstr(name, added[i]);
        length = at && (size_t)(at - name) < length ? (size_t)(at - name) : length;
    }
    if (!name[length] || length >= sizeof text)
        return interned_text(&k->texts, name);
    memcpy(text, name, length);
    text[length] = 0;
    return interned_text(&k->texts, text);
}

/* Returns the number of FRAME. CALLEE: what it calls. */
static uint32_t take_frame(struct call_kinds *k, unsigned side, const struct pilgrim_frame *frame, uint32_t callee)
{
    char build[2 * 32 + 1] = "", key[64];
    uint64_t offset;
    bool is_new;
    for (size_t i = 0; i < frame->build_id_length && i < 32; i++)
        snprintf(build + 2 * i, 3, "%02x", frame->build_id[i]);
    uint32_t module = interned_text(&k->texts, frame->module), build_text = interned_text(&k->texts, build);
    snprintf(key, sizeof key, "%u %u %llx", module, build_text, (unsigned long long)frame->offset);
    uint32_t text = interned_text(&k->texts, key);
    uint32_t number =
        text == NONE ? NONE
                     : find(&k->frame_of, (struct key){{text}}, &k->frame_list, sizeof(struct matched_frame), &is_new);
    if (number == NONE)
        return NONE;
    struct matched_frame *f = (struct matched_frame *)k->frame_list.items + number;
    if (is_new) {
        const char *symbol = pilgrim_frame_function(k->traces[side], frame, &offset);
        *f = (struct matched_frame){.module = module,
                                    .build = build_text,
                                    .function = function_text(k, symbol ? symbol : ""),
                                    .callee = callee,
                                    .offset = frame->offset,
                                    .line = line_of(k->lines[side], frame),
                                    .place = place_text(k, side, frame),
                                    .same_as = number};
    }
    f->in[side] = true;
    return number;
}

/* Returns the number of the path that ends at SITE. It is taken from its outermost frame on. */
static uint32_t take_path(struct call_kinds *k, unsigned side, const struct pilgrim_frame *site, uint32_t function)
{
    enum { DEPTH_MAX = 256 };
    uint32_t frames[DEPTH_MAX], depth = 0, path = NONE, callee = function;
    bool is_new;
    for (const struct pilgrim_frame *f = site; f && depth < DEPTH_MAX; f = source_lines_caller(k->lines[side], f)) {
        frames[depth] = take_frame(k, side, f, callee);
        if (frames[depth] == NONE)
            return NONE - 1;
        callee = ((struct matched_frame *)k->frame_list.items)[frames[depth++]].function;
    }
    while (depth-- > 0) {
        uint32_t around = path;
        path =
            find(&k->paths, (struct key){{0, frames[depth], around}}, &k->path_list, sizeof(struct kept_path), &is_new);
        if (path == NONE)
            return NONE - 1;
        ((struct kept_path *)k->path_list.items)[path] = (struct kept_path){frames[depth], around};
    }
    return path;
}

/* Returns the places that call the function that has SITE; NULL: none is known. */
static char *places_around(const struct call_kinds *k, unsigned side, const struct pilgrim_frame *site)
{
    char *text = NULL;
    const struct pilgrim_frame *f = site ? source_lines_caller(k->lines[side], site) : NULL;
    for (int i = 0; i < VIA_MOST && f; i++, f = source_lines_caller(k->lines[side], f)) {
        char *place = source_lines_place(k->lines[side], f), *longer = NULL;
        const size_t used = text ? strlen(text) : 0, more = place ? strlen(place) + sizeof " < " : 0;
        if (place && (longer = realloc(text, used + more)) != NULL) {
            text = longer;
            snprintf(text + used, more, "%s%s", used ? " < " : "", place);
        }
        free(place);
        if (!longer)
            break;
    }
    return text;
}

/* Keeps what a person reads of CLASS, for the kind that it will be of. */
static bool describe(struct call_kinds *k, unsigned side, const struct pilgrim_class *class, struct call_kind *kind)
{
    const struct pilgrim_frame *site = class->site;
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    if (kind->site[side])
        return true;
    kind->site[side] = source_lines_place(k->lines[side], site);
    if (site && source_lines_functions(k->lines[side], site, functions) > 0)
        kind->caller[side] = strdup(functions[0].name);
    kind->via[side] = places_around(k, side, site);
    return kind->site[side];
}

static bool match_class(struct call_kinds *k, uint32_t number);

uint32_t call_kinds_take(struct call_kinds *k, unsigned side, const struct pilgrim_class *class, bool failed_poll)
{
    bool is_new;
    uint32_t function = interned_text(&k->texts, class->function->name);
    uint32_t path = function == NONE ? NONE - 1 : take_path(k, side, class->site, function);
    if (path == NONE - 1)
        return NONE;
    uint32_t flags = (uint32_t) class->fortran << 1 | failed_poll;
    uint32_t number =
        find(&k->classes, (struct key){{function, path, flags}}, &k->class_list, sizeof(struct kept_class), &is_new);
    if (number == NONE)
        return NONE;
    struct kept_class *c = (struct kept_class *)k->class_list.items + number;
    if (is_new) { /* until the match, its kind is its own */
        uint32_t kind = grow(&k->kind_list, sizeof(struct call_kind));
        *c = (struct kept_class){function, path, flags, kind};
        if (kind == NONE)
            return NONE;
        struct call_kind *new_kind = (struct call_kind *)k->kind_list.items + kind;
        new_kind->failed_poll = failed_poll;
        new_kind->function = interned_text_at(&k->texts, function);
        if (k->matched && !match_class(k, number))
            return NONE;
    }
    return describe(k, side, class, (struct call_kind *)k->kind_list.items + c->kind) ? number : NONE;
}

/* ---- which of them are the same ---- */

/* Returns the number of PATH with frames that are the same as one. */
static uint32_t same_path(struct call_kinds *k, uint32_t path)
{
    enum { DEPTH_MAX = 256 };
    uint32_t frames[DEPTH_MAX], depth = 0, same = NONE;
    bool is_new;
    for (; path != NONE && depth < DEPTH_MAX; depth++) {
        const struct kept_path *p = (const struct kept_path *)k->path_list.items + path;
        frames[depth] = ((const struct matched_frame *)k->frame_list.items)[p->frame].same_as;
        path = p->around;
    }
    while (depth-- > 0) {
        uint32_t around = same;
        same =
            find(&k->paths, (struct key){{0, frames[depth], around}}, &k->path_list, sizeof(struct kept_path), &is_new);
        if (same == NONE)
            return NONE - 1;
        ((struct kept_path *)k->path_list.items)[same] = (struct kept_path){frames[depth], around};
    }
    return same;
}

/* Gives kind TO what FROM knows of it. */
static void join_kinds(struct call_kind *to, struct call_kind *from)
{
    for (int side = 0; side < 2; side++) {
        if (!to->site[side]) {
            to->site[side] = from->site[side];
            to->caller[side] = from->caller[side];
            to->via[side] = from->via[side];
            from->site[side] = from->caller[side] = from->via[side] = NULL;
        }
    }
}

/* Gives class NUMBER the kind of the first class that is the same. */
static bool match_class(struct call_kinds *k, uint32_t number)
{
    struct kept_class *c = (struct kept_class *)k->class_list.items + number;
    uint32_t path = k->ignore_sites ? NONE : same_path(k, c->path), flags = k->ignore_sites ? c->flags & 1 : c->flags;
    if (path == NONE - 1)
        return false;
    uint64_t *kind = key_table_put(&k->kinds, (struct key){{c->function, path, flags}}, c->kind);
    if (!kind)
        return false;
    struct call_kind *kinds = k->kind_list.items;
    if (*kind != c->kind)
        join_kinds(&kinds[*kind], &kinds[c->kind]);
    c->kind = (uint32_t)*kind;
    return true;
}

/* ---- paths that a compiler shortened: functions that became part of their callers, calls that became jumps ---- */

enum { PATH_MAX_DEPTH = 64, PAIRS_MAX = 1 << 20 };

/* Sets NAMES to the functions of PATH, the innermost first. Returns how many. */
static uint32_t path_functions(const struct call_kinds *k, uint32_t path, uint32_t names[PATH_MAX_DEPTH])
{
    uint32_t depth = 0;
    for (; path != NONE && depth < PATH_MAX_DEPTH; depth++) {
        const struct kept_path *p = (const struct kept_path *)k->path_list.items + path;
        names[depth] = ((const struct matched_frame *)k->frame_list.items)[p->frame].function;
        path = p->around;
    }
    return depth;
}

/* True if the functions of one path are those of the other one, some left out. */
static bool paths_agree(const struct call_kinds *k, uint32_t a, uint32_t b)
{
    uint32_t names[2][PATH_MAX_DEPTH], depth[2];
    depth[0] = path_functions(k, a, names[0]);
    depth[1] = path_functions(k, b, names[1]);
    unsigned longer = depth[1] > depth[0];
    uint32_t met = 0;
    for (uint32_t i = 0; i < depth[longer] && met < depth[!longer]; i++)
        met += names[longer][i] == names[!longer][met];
    return met == depth[!longer];
}

/* True if two classes, of A and of B, may be the same call. */
static bool classes_agree(const struct call_kinds *k, uint32_t a, uint32_t b)
{
    const struct kept_class *x = (const struct kept_class *)k->class_list.items + a,
                            *y = (const struct kept_class *)k->class_list.items + b;
    return x->function == y->function && x->flags == y->flags && paths_agree(k, x->path, y->path);
}

/* Sets LIST to the classes that only trace SIDE has, in the order of their first calls. Returns how many. */
static size_t find_lone(const struct call_kinds *k, unsigned side, uint32_t *list)
{
    const struct call_kind *kinds = k->kind_list.items;
    size_t count = 0;
    for (uint32_t i = 0; i < k->class_list.count; i++) {
        const struct call_kind *kind = &kinds[((const struct kept_class *)k->class_list.items)[i].kind];
        if (kind->site[side] && !kind->site[!side])
            list[count++] = i;
    }
    return count;
}

/* Matches the classes A and B, in their order: as many as can be. BEST: of what is behind i and j. */
static void align_classes(struct call_kinds *k, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                          uint32_t *best)
{
    struct kept_class *classes = k->class_list.items;
    struct call_kind *kinds = k->kind_list.items;
    size_t width = m + 1;
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t down = best[(i + 1) * width + j], right = best[i * width + j + 1];
            uint32_t both = classes_agree(k, a[i], b[j]) ? best[(i + 1) * width + j + 1] + 1 : 0;
            best[i * width + j] = both > down && both > right ? both : down > right ? down : right;
        }
    for (size_t i = 0, j = 0; i < n && j < m;) {
        if (best[i * width + j] == best[(i + 1) * width + j]) {
            i++;
        } else if (best[i * width + j] == best[i * width + j + 1]) {
            j++;
        } else {
            uint32_t kind = classes[a[i++]].kind, other = classes[b[j]].kind;
            join_kinds(&kinds[kind], &kinds[other]);
            classes[b[j++]].kind = kind;
        }
    }
}

static bool match_lone(struct call_kinds *k)
{
    uint32_t *lone[2] = {calloc(k->class_list.count + 1, sizeof **lone),
                         calloc(k->class_list.count + 1, sizeof **lone)};
    size_t counts[2] = {0, 0};
    bool good = lone[0] && lone[1];
    for (unsigned side = 0; side < 2 && good; side++)
        counts[side] = find_lone(k, side, lone[side]);
    if (good && counts[0] && counts[1] && counts[0] * counts[1] <= PAIRS_MAX) {
        uint32_t *best = calloc((counts[0] + 1) * (counts[1] + 1), sizeof *best);
        good = best;
        if (good)
            align_classes(k, lone[0], counts[0], lone[1], counts[1], best);
        free(best);
    }
    free(lone[0]);
    free(lone[1]);
    return good;
}

bool call_kinds_match(struct call_kinds *k, bool ignore_sites)
{
    bool good = frames_match(k->frame_list.items, k->frame_list.count, &k->rebuilt);
    k->ignore_sites = ignore_sites;
    for (uint32_t i = 0; i < k->class_list.count && good; i++)
        good = match_class(k, i);
    if (good && k->rebuilt && !ignore_sites)
        good = match_lone(k);
    k->matched = true;
    return good;
}

uint32_t call_kinds_of(const struct call_kinds *k, uint32_t class)
{
    return ((const struct kept_class *)k->class_list.items)[class].kind;
}

bool call_kinds_same_call(const struct call_kinds *k, uint32_t class_a, uint32_t class_b)
{
    const struct kept_class *a = (const struct kept_class *)k->class_list.items + class_a;
    const struct kept_class *b = (const struct kept_class *)k->class_list.items + class_b;
    return a->function == b->function && a->path == b->path;
}

const struct call_kind *call_kinds_at(const struct call_kinds *k, uint32_t number)
{
    return number < k->kind_list.count ? (const struct call_kind *)k->kind_list.items + number : NULL;
}

bool call_kinds_rebuilt(const struct call_kinds *k)
{
    return k->rebuilt;
}
