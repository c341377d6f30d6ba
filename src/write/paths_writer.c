/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes symbols, and call classes with their paths; see paths_writer.h.
 *
 * Classes come in the order in which they were first met. So two in a row often share most of their path, and a path is
 * stored as what it adds to the one before. An address is stored where it is new, as the difference from the last one
 * that stood in its place: behind the same call, so mostly in the same function. Numbers of a kind stand together,
 * which zstd needs: of 17 programs these tables take 13.0 KB, and 13.5 KB with the numbers of each address together. */
#include "write/paths_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/site.h"
#include "base/try.h"
#include "format/trace_format.h"
#include "merge/fragment_data.h"

/* A return address. Numbers of addresses are + 1 here, so that 0 is none. */
struct path_address {
    uint64_t module, offset;
    uint64_t start;    /* of its symbol */
    uint32_t symbol;   /* 0: none; the number + 1, too */
    uint32_t elder;    /* the address that was in its place before it was met */
    uint32_t youngest; /* the address that was last directly inside of it */
};

struct path_tables {
    struct intern known; /* module and offset of each address, which has the same number in the next one */
    struct path_address *addresses;
    uint32_t capacity;
    uint32_t youngest;              /* the last outermost address */
    uint32_t path[SITE_FRAMES_MAX]; /* of the last class, the outermost address first */
    uint32_t depth;
    struct bytes functions, steps, frames; /* of all classes */
    struct intern symbols;                 /* module and start of each, in the order of their first addresses */
    struct bytes symbol_names;
};

static module_symbols_find *find_symbols;

void paths_name_functions(module_symbols_find *find)
{
    find_symbols = find;
}

/* ---- paths ---- */

/* Sets *NUMBER to the address that stands inside of CALLER (0: it is an outermost one), and adds it if it is new. */
static enum pilgrim_status find_address(struct path_tables *t, const uint64_t address[2], uint32_t caller,
                                        uint32_t *number)
{
    const uint32_t before = t->known.count;
    TRY(intern_add(&t->known, address, 2 * sizeof *address, number));
    if (before == t->capacity) {
        uint32_t capacity = before ? 2 * before : 256;
        struct path_address *more = realloc(t->addresses, capacity * sizeof *more);
        if (!more)
            return PILGRIM_NOMEM;
        t->addresses = more;
        t->capacity = capacity;
    }
    uint32_t *youngest = caller ? &t->addresses[caller - 1].youngest : &t->youngest;
    bytes_put_varint(&t->frames, *number < before ? 1 + (uint64_t)*number : 0);
    if (*number == before)
        t->addresses[before] = (struct path_address){.module = address[0], .offset = address[1], .elder = *youngest};
    *youngest = ++*number;
    return PILGRIM_OK;
}

/* Adds the path of a class, whose COUNT addresses in MODULES modules stand in C, the innermost first. */
static enum pilgrim_status add_path(struct path_tables *t, struct cursor *c, size_t count, size_t modules)
{
    uint64_t address[SITE_FRAMES_MAX][2];
    uint32_t same = 0;
    for (size_t i = count; i-- > 0;) {
        address[i][0] = cursor_index(c, modules);
        address[i][1] = cursor_varint(c);
    }
    TRY(c->status);
    while (same < t->depth && same < count) {
        const struct path_address *a = &t->addresses[t->path[same] - 1];
        if (a->module != address[same][0] || a->offset != address[same][1])
            break;
        same++;
    }
    bytes_put_varint(&t->steps, t->depth - same);
    bytes_put_varint(&t->steps, count - same);
    for (t->depth = same; t->depth < count; t->depth++)
        TRY(find_address(t, address[t->depth], t->depth ? t->path[t->depth - 1] : 0, &t->path[t->depth]));
    return PILGRIM_OK;
}

static enum pilgrim_status collect_paths(const struct fragment *f, struct path_tables *t)
{
    for (uint32_t i = 0; i < f->classes.count; i++) {
        struct cursor c;
        size_t length;
        const uint8_t *data = intern_get(&f->classes, i, &length);
        cursor_init(&c, data, length);
        bytes_put_varint(&t->functions, cursor_varint(&c));
        TRY(add_path(t, &c, cursor_index(&c, SITE_FRAMES_MAX + 1), f->modules.count));
    }
    return PILGRIM_OK;
}

/* ---- symbols ---- */

static int by_place(const void *a, const void *b)
{
    const struct path_address *const *x = a, *const *y = b;
    if ((*x)->module != (*y)->module)
        return (*x)->module < (*y)->module ? -1 : 1;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

/* Finds the symbols of addresses of MODULE, which are COUNT and sorted. Sets `start`, and `symbol` to where the name
 * stands in NAMES, + 1. */
static void find_in_module(const struct fragment *f, uint64_t module, struct path_address **sorted, size_t count,
                           struct elf_address *room, struct bytes *names)
{
    struct cursor c;
    size_t length;
    const uint8_t *data = intern_get(&f->modules, (uint32_t)module, &length);
    cursor_init(&c, data, length);
    const size_t name = cursor_index(&c, f->strings.count);
    const uint64_t id_length = cursor_varint(&c);
    if (id_length == MODULE_IN_PYTHON)
        return;
    const uint8_t *id = cursor_take(&c, (size_t)id_length);
    for (size_t i = 0; i < count; i++)
        room[i] = (struct elf_address){.offset = sorted[i]->offset};
    if (c.status != PILGRIM_OK || !find_symbols((const char *)intern_get(&f->strings, (uint32_t)name, NULL), id,
                                                (size_t)id_length, room, count, names))
        return;
    for (size_t i = 0; i < count; i++)
        if (room[i].known && room[i].name < UINT32_MAX) {
            sorted[i]->start = room[i].start;
            sorted[i]->symbol = (uint32_t)room[i].name + 1;
        }
}

/* Numbers the symbols that were found. */
static enum pilgrim_status number_symbols(struct path_tables *t, const struct bytes *names)
{
    for (uint32_t i = 0; i < t->known.count; i++) {
        struct path_address *a = &t->addresses[i];
        const uint64_t key[2] = {a->module, a->start};
        const uint32_t before = t->symbols.count;
        if (!a->symbol)
            continue;
        const char *name = (const char *)names->data + (a->symbol - 1);
        TRY(intern_add(&t->symbols, key, sizeof key, &a->symbol));
        if (a->symbol++ == before)
            bytes_put(&t->symbol_names, name, strlen(name) + 1);
    }
    return bytes_status(&t->symbol_names);
}

/* Finds the symbols of all addresses, module by module. */
static enum pilgrim_status name_addresses(const struct fragment *f, struct path_tables *t)
{
    const size_t count = t->known.count;
    struct bytes names = {0};
    struct path_address **sorted = malloc((count + 1) * sizeof *sorted);
    struct elf_address *room = malloc((count + 1) * sizeof *room);
    enum pilgrim_status status = sorted && room ? PILGRIM_OK : PILGRIM_NOMEM;
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = &t->addresses[i];
    if (sorted)
        qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t first = 0, end; first < count && status == PILGRIM_OK; first = end) {
        for (end = first + 1; end < count && sorted[end]->module == sorted[first]->module; end++)
            ;
        find_in_module(f, sorted[first]->module, sorted + first, end - first, room, &names);
        status = bytes_status(&names);
    }
    if (status == PILGRIM_OK)
        status = number_symbols(t, &names);
    free(sorted);
    free(room);
    bytes_free(&names);
    return status;
}

static void write_symbols(const struct path_tables *t, struct bytes *out)
{
    uint64_t symbol[2], last = 0;
    bytes_put_varint(out, t->symbols.count);
    for (uint32_t i = 0; i < t->symbols.count; i++) {
        memcpy(symbol, intern_get(&t->symbols, i, NULL), sizeof symbol);
        bytes_put_varint(out, symbol[0]);
    }
    for (uint32_t i = 0; i < t->symbols.count; i++, last = symbol[1]) {
        memcpy(symbol, intern_get(&t->symbols, i, NULL), sizeof symbol);
        bytes_put_svarint(out, (int64_t)(symbol[1] - last));
    }
    bytes_put(out, t->symbol_names.data, t->symbol_names.length);
}

/* ---- addresses ---- */

/* Writes the kind of A to OUT and its offset to OFFSETS. *SYMBOLS: symbols that were referred to. LAST: the offset of
 * the address before. */
static void write_address(const struct path_tables *t, const struct path_address *a, uint32_t *symbols, uint64_t last,
                          struct bytes *out, struct bytes *offsets)
{
    const struct path_address *elder = a->elder ? &t->addresses[a->elder - 1] : NULL;
    if (elder && elder->module == a->module && elder->symbol == a->symbol) {
        bytes_put_varint(out, ADDRESS_LIKE_ELDER);
        bytes_put_svarint(offsets, (int64_t)(a->offset - elder->offset));
    } else if (a->symbol) {
        const bool next = a->symbol > *symbols;
        bytes_put_varint(out, ADDRESS_IN_SYMBOL + (next ? 0 : (uint64_t)a->symbol));
        bytes_put_varint(offsets, a->offset - a->start);
        *symbols += next;
    } else {
        bytes_put_varint(out, ADDRESS_IN_MODULE);
        bytes_put_varint(out, a->module);
        bytes_put_svarint(offsets, (int64_t)(a->offset - last));
    }
}

static void write_addresses(const struct path_tables *t, struct bytes *out)
{
    struct bytes offsets = {0};
    uint32_t symbols = 0;
    for (uint32_t i = 0; i < t->known.count; i++)
        write_address(t, &t->addresses[i], &symbols, i ? t->addresses[i - 1].offset : 0, out, &offsets);
    bytes_put(out, offsets.data, offsets.length);
    out->failed |= offsets.failed;
    bytes_free(&offsets);
}

static enum pilgrim_status write_tables(const struct fragment *f, const struct path_tables *t, struct bytes *out)
{
    const struct bytes *const columns[] = {&t->functions, &t->steps, &t->frames};
    write_symbols(t, out);
    bytes_put_varint(out, f->classes.count);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        TRY(bytes_status(columns[i]));
        bytes_put(out, columns[i]->data, columns[i]->length);
    }
    write_addresses(t, out);
    return bytes_status(out);
}

enum pilgrim_status paths_write(const struct fragment *f, struct bytes *out)
{
    struct path_tables t = {0};
    enum pilgrim_status status = collect_paths(f, &t);
    if (status == PILGRIM_OK && find_symbols)
        status = name_addresses(f, &t);
    if (status == PILGRIM_OK)
        status = write_tables(f, &t, out);
    intern_free(&t.known);
    intern_free(&t.symbols);
    bytes_free(&t.symbol_names);
    free(t.addresses);
    bytes_free(&t.functions);
    bytes_free(&t.steps);
    bytes_free(&t.frames);
    return status;
}
