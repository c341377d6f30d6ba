/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads symbols, and call classes with their paths; see class_paths.h.
 *
 * A path is stored as what it adds to the path of the class before. So each frame of the section becomes one node of a
 * tree, and memory grows with the section's bytes, not with classes times their depths. */
#include "read/table/class_paths.h"

#include "base/site.h"

static const char no_module[] = "a module that does not exist", no_function[] = "a function that does not exist",
                  many_frames[] = "a path of too many frames";

/* Sets the frame's address, as the API shows it. */
static void place_frame(struct stored_frame *f, const struct stored_module *m, uint64_t offset)
{
    f->shown.module = m->name;
    f->shown.build_id = m->build_id;
    f->shown.build_id_length = m->build_id_length;
    f->shown.python = m->python;
    f->shown.offset = offset;
}

/* Puts F, which is new, inside of CALLER, or makes it an outermost frame. */
static void join_frame(struct parser *p, struct stored_frame *f, const struct stored_frame *caller)
{
    f->shown.caller = caller ? &caller->shown : NULL;
    f->depth = 1 + (caller ? caller->depth : 0);
    if (f->depth > SITE_FRAMES_MAX)
        parser_fail(p, many_frames);
}

static void set_function(struct parser *p, struct class *class)
{
    struct shard *v = p->shard;
    uint32_t function = parser_index(p, 2 * v->function_count, no_function);
    if (!parser_good(p))
        return;
    class->function = function >> 1;
    class->shown.function = &v->functions[class->function].shown;
    class->shown.fortran = function & 1;
}

/* ---- symbols and paths ---- */

static void parse_symbols(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 4, "more symbols than bytes");
    uint64_t start = 0;
    v->symbols = parser_take(p, count, sizeof *v->symbols);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        v->symbols[i].module = parser_index(p, v->module_count, no_module);
        if (parser_good(p) && v->modules[v->symbols[i].module].python)
            parser_fail(p, "a symbol of a function in Python");
    }
    for (size_t i = 0; i < count && parser_good(p); i++)
        v->symbols[i].start = start += (uint64_t)cursor_svarint(&p->in);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        const struct string name = parser_text(p);
        v->symbols[i].name = name.text;
        if (name.length == 0)
            parser_fail(p, "a symbol without a name");
    }
    v->symbol_count = count;
}

/* Reads which frames each path has that the one before has not. Returns how many there are of all paths. */
static size_t parse_steps(struct parser *p)
{
    struct shard *v = p->shard;
    size_t depth = 0, total = 0;
    for (size_t i = 0; i < v->class_count && parser_good(p); i++) {
        struct class *class = &v->classes[i];
        class->dropped = (uint8_t)parser_index(p, depth + 1, "more frames dropped than the path has");
        depth -= class->dropped;
        class->added = (uint8_t)parser_index(p, SITE_FRAMES_MAX - depth + 1, many_frames);
        depth += class->added;
        total += class->added;
    }
    return total;
}

/* Reads which address each of COUNT frames has. */
static void parse_frames(struct parser *p, size_t count)
{
    struct shard *v = p->shard;
    uint32_t next = 0;
    if (count > cursor_left(&p->in))
        parser_fail(p, "more frames than bytes");
    v->frames = parser_take(p, count, sizeof *v->frames);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        uint64_t code = cursor_varint(&p->in);
        v->frames[i].address = parser_resolve(p, code, code ? next : next + 1, &next, "an address that does not exist");
    }
    v->frame_count = count;
    v->address_count = next;
}

/* Reads where each address is. The module of one that is stored like its elder stays NULL. */
static void parse_kinds(struct parser *p)
{
    struct shard *v = p->shard;
    uint32_t next = 0;
    v->addresses = parser_take(p, v->address_count, sizeof *v->addresses);
    for (size_t i = 0; i < v->address_count && parser_good(p); i++) {
        struct stored_address *a = &v->addresses[i];
        uint64_t kind = cursor_varint(&p->in);
        uint32_t module = 0;
        if (kind == ADDRESS_IN_MODULE) {
            module = parser_index(p, v->module_count, no_module);
        } else if (kind >= ADDRESS_IN_SYMBOL) {
            a->symbol = v->symbols + parser_resolve(p, kind - ADDRESS_IN_SYMBOL, v->symbol_count, &next,
                                                    "a symbol that does not exist");
            module = parser_good(p) ? a->symbol->module : 0;
        }
        if (parser_good(p) && kind != ADDRESS_LIKE_ELDER)
            a->module = &v->modules[module];
    }
}

/* Reads the offset of A. ELDER: the address that was last seen in its place, or NULL. *OFFSET: of the address before.
 */
static void parse_offset(struct parser *p, struct stored_address *a, const struct stored_address *elder,
                         uint64_t *offset)
{
    if (!a->module && !elder) {
        parser_fail(p, "an address like that before it, but there is none");
        return;
    }
    if (a->symbol)
        a->offset = a->symbol->start + cursor_varint(&p->in);
    else
        a->offset = (a->module ? *offset : elder->offset) + (uint64_t)cursor_svarint(&p->in);
    if (!a->module) {
        a->module = elder->module;
        a->symbol = elder->symbol;
    }
    if (a->symbol && a->offset < a->symbol->start)
        parser_fail(p, "an address before its symbol");
    *offset = a->offset;
}

/* Makes the paths of the classes: a node for each frame. */
static void make_paths(struct parser *p)
{
    struct shard *v = p->shard;
    const struct stored_frame *inner = NULL;
    uint64_t offset = 0;
    uint32_t known = 0, youngest = 0; /* of the outermost frames */
    struct stored_frame *f = v->frames;
    for (size_t i = 0; i < v->class_count && parser_good(p); i++) {
        struct class *class = &v->classes[i];
        for (unsigned k = class->dropped; k > 0; k--)
            inner = (const struct stored_frame *)inner->shown.caller;
        for (unsigned k = class->added; k > 0 && parser_good(p); k--, f++) {
            struct stored_address *a = &v->addresses[f->address];
            uint32_t *last = inner ? &v->addresses[inner->address].youngest : &youngest;
            if (f->address == known) {
                parse_offset(p, a, *last ? &v->addresses[*last - 1] : NULL, &offset);
                known++;
            }
            if (!parser_good(p))
                return;
            *last = f->address + 1;
            place_frame(f, a->module, a->offset);
            join_frame(p, f, inner);
            inner = f;
        }
        class->shown.site = inner ? &inner->shown : NULL;
    }
}

void class_paths_parse(struct parser *p)
{
    struct shard *v = p->shard;
    parse_symbols(p);
    v->class_count = parser_count(p, 3, "more call classes than bytes");
    v->classes = parser_take(p, v->class_count, sizeof *v->classes);
    for (size_t i = 0; i < v->class_count && parser_good(p); i++)
        set_function(p, &v->classes[i]);
    parse_frames(p, parse_steps(p));
    parse_kinds(p);
    make_paths(p);
}

/* ---- version 6 and before ---- */

/* Reads a frame of MODULE. Its offset is stored as the difference from *OFFSET. */
static void parse_frame(struct parser *p, struct stored_frame *f, size_t module, uint64_t *offset)
{
    *offset += (uint64_t)cursor_svarint(&p->in);
    place_frame(f, &p->shard->modules[module], *offset);
}

/* Reads the callers. Each refers to an earlier one, so there are no cycles. */
static void parse_callers(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 3, "more callers than bytes");
    uint64_t offset = 0;
    v->frames = parser_take(p, count, sizeof *v->frames);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        struct stored_frame *f = &v->frames[i];
        uint32_t module = parser_index(p, v->module_count, no_module);
        if (!parser_good(p))
            return;
        parse_frame(p, f, module, &offset);
        uint32_t caller = parser_index(p, i + 1, "a caller that does not come before");
        if (!parser_good(p))
            return;
        join_frame(p, f, caller ? &v->frames[caller - 1] : NULL);
        if (f->depth >= SITE_FRAMES_MAX)
            parser_fail(p, "too many callers, one after the other");
    }
    v->frame_count = count;
}

/* Reads a call site: nothing, or module and offset, and a caller if its number is even. */
static void parse_site(struct parser *p, struct class *class, uint64_t *offset)
{
    struct shard *v = p->shard;
    uint32_t module = parser_index(p, 2 * v->module_count + 1, no_module), caller = 0;
    struct stored_frame *site = module ? parser_take(p, 1, sizeof *site) : NULL;
    if (!parser_good(p) || !site)
        return;
    parse_frame(p, site, (module - 1) / 2, offset);
    if (module % 2 == 0)
        caller = 1 + parser_index(p, v->frame_count, "a caller that does not exist");
    if (!parser_good(p))
        return;
    join_frame(p, site, caller ? &v->frames[caller - 1] : NULL);
    class->shown.site = &site->shown;
}

void class_paths_parse_old(struct parser *p)
{
    struct shard *v = p->shard;
    uint64_t offset = 0;
    parse_callers(p);
    size_t count = parser_count(p, 2, "more call classes than bytes");
    v->classes = parser_take(p, count, sizeof *v->classes);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        set_function(p, &v->classes[i]);
        parse_site(p, &v->classes[i], &offset);
    }
    if (!parser_good(p))
        parser_fail(p, "a call class that is not complete");
    v->class_count = count;
}
