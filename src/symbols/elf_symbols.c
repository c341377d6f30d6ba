/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds functions by symbols; see elf_symbols.h.
 *
 * The symbol table is read once, from its beginning to its end, a piece at a time. Each symbol is offered to the
 * addresses that it covers, which are found by binary search: addresses are few and symbols are many. A piece that
 * cannot be read whole ends the search. */
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/hash.h"

enum {
    PIECE_BYTES = 1 << 16,
    HEADERS_MAX = 4096, /* program headers, sections */
    NOTES_MAX = 1 << 16,
    SYMBOLS_MAX = 1 << 21,
    OFFERS_MAX = 1 << 24 /* of symbols to addresses; in a real file symbols hardly overlap */
};

struct elf_reader {
    int file;
    uint8_t *piece; /* PIECE_BYTES */
    uint64_t base;  /* the address that offsets count from */
};

/* A section with entries of one size. */
struct elf_table {
    uint64_t at, bytes;
};

/* What is best for an address so far. */
struct best_symbol {
    uint64_t size;
    uint32_t name; /* in the table of strings */
    uint8_t rank;
};

uint64_t elf_headers_hash(const void *headers, size_t bytes)
{
    uint64_t hash = XXH3_64bits(headers, bytes);
    return hash + !hash;
}

/* Reads up to BYTES at OFFSET. Returns how many there are, fewer at the end of the file and after an error. */
static size_t read_at(const struct elf_reader *r, uint64_t offset, void *to, size_t bytes)
{
    size_t length = 0;
    while (length < bytes && offset <= INT64_MAX - bytes) {
        ssize_t got = pread(r->file, (uint8_t *)to + length, bytes - length, (off_t)(offset + length));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    return length;
}

static bool read_whole(const struct elf_reader *r, uint64_t offset, void *to, size_t bytes)
{
    return read_at(r, offset, to, bytes) == bytes;
}

/* ---- is it the file? ---- */

static bool read_head(const struct elf_reader *r, ElfW(Ehdr) * head)
{
    static const unsigned char kind[] = {ELFMAG0,
                                         ELFMAG1,
                                         ELFMAG2,
                                         ELFMAG3,
                                         sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
                                         __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB};
    return read_whole(r, 0, head, sizeof *head) && !memcmp(head->e_ident, kind, sizeof kind) &&
           head->e_phentsize == sizeof(ElfW(Phdr)) && head->e_shentsize == sizeof(ElfW(Shdr)) && head->e_phnum > 0 &&
           head->e_phnum <= HEADERS_MAX && head->e_shnum <= HEADERS_MAX;
}

/* True if the BYTES of notes at AT have the build-id that is wanted. *HAS_ONE: they have some build-id. */
static bool check_notes(const uint8_t *at, size_t bytes, size_t alignment, const struct elf_identity *wanted,
                        bool *has_one)
{
    size_t length;
    const uint8_t *id = build_id_in(at, bytes, alignment, &length);
    *has_one = id != NULL;
    return id && wanted->build_id_length > 0 && length >= wanted->build_id_length &&
           !memcmp(id, wanted->build_id, wanted->build_id_length);
}

/* Reads the program headers. False: it is another file. */
static bool check_identity(struct elf_reader *r, const ElfW(Ehdr) * head, const struct elf_identity *wanted)
{
    const size_t bytes = head->e_phnum * sizeof(ElfW(Phdr));
    ElfW(Phdr) *headers = malloc(bytes);
    bool good = headers && read_whole(r, head->e_phoff, headers, bytes), found = false, has_one = false;
    good =
        good && (wanted->headers ? elf_headers_hash(headers, bytes) == wanted->headers : wanted->build_id_length > 0);
    r->base = UINT64_MAX;
    for (size_t i = 0; good && i < head->e_phnum; i++) {
        const ElfW(Phdr) *h = &headers[i];
        if (h->p_type == PT_LOAD && (h->p_vaddr & ~UINT64_C(4095)) < r->base)
            r->base = h->p_vaddr & ~UINT64_C(4095);
        if (h->p_type == PT_NOTE && !has_one && h->p_filesz <= NOTES_MAX &&
            read_whole(r, h->p_offset, r->piece, h->p_filesz))
            found = check_notes(r->piece, h->p_filesz, h->p_align, wanted, &has_one);
    }
    free(headers);
    return good && r->base != UINT64_MAX && (found || (!has_one && wanted->build_id_length == 0));
}

/* ---- the tables ---- */

static struct elf_table table_of(const ElfW(Shdr) * section)
{
    return (struct elf_table){section->sh_offset, section->sh_size};
}

/* Finds the symbols, those for debuggers if there are some, and their strings. */
static bool find_tables(const struct elf_reader *r, const ElfW(Ehdr) * head, struct elf_table *symbols,
                        struct elf_table *strings)
{
    ElfW(Shdr) section;
    uint32_t link = 0, type = SHT_NULL;
    for (uint32_t i = 0; i < head->e_shnum && type != SHT_SYMTAB; i++) {
        if (!read_whole(r, head->e_shoff + i * sizeof section, &section, sizeof section))
            return false;
        if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) || section.sh_size < sizeof(ElfW(Sym)))
            continue;
        type = section.sh_type;
        link = section.sh_link;
        *symbols = table_of(&section);
    }
    if (type == SHT_NULL || link >= head->e_shnum || symbols->bytes / sizeof(ElfW(Sym)) > SYMBOLS_MAX ||
        !read_whole(r, head->e_shoff + link * sizeof section, &section, sizeof section) ||
        section.sh_type != SHT_STRTAB)
        return false;
    *strings = table_of(&section);
    return true;
}

/* ---- symbols ---- */

/* Returns the first address that a function from START on may cover: it is above START. */
static size_t first_above(const struct elf_address *addresses, size_t count, uint64_t start)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (addresses[middle].offset <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_better(const struct elf_address *a, const struct best_symbol *best, uint64_t start,
                      const struct best_symbol *other)
{
    if (!a->known || start != a->start)
        return !a->known || start > a->start;
    return other->rank != best->rank ? other->rank > best->rank : other->size < best->size;
}

/* Offers SYMBOL to the addresses that it covers. Returns how many they are. */
static size_t offer(uint64_t base, const ElfW(Sym) * symbol, struct elf_address *addresses, struct best_symbol *best,
                    size_t count)
{
    const unsigned type = symbol->st_info & 15, binding = symbol->st_info >> 4;
    const struct best_symbol this = {symbol->st_size, symbol->st_name,
                                     binding == STB_GLOBAL ? 2
                                     : binding == STB_WEAK ? 1
                                                           : 0};
    const uint64_t start = symbol->st_value - base;
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF || symbol->st_value < base ||
        start + this.size < start || !symbol->st_name)
        return 0;
    const size_t first = first_above(addresses, count, start);
    size_t i = first;
    for (; i < count && addresses[i].offset <= start + this.size; i++) {
        if (!is_better(&addresses[i], &best[i], start, &this))
            continue;
        addresses[i].known = true;
        addresses[i].start = start;
        best[i] = this;
    }
    return i - first;
}

/* Reads all symbols. False: a piece could not be read. */
static bool take_symbols(const struct elf_reader *r, const struct elf_table *symbols, struct elf_address *addresses,
                         struct best_symbol *best, size_t count)
{
    size_t offers = 0;
    for (uint64_t at = 0; at + sizeof(ElfW(Sym)) <= symbols->bytes;) {
        uint64_t left = symbols->bytes - at;
        size_t bytes = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        bytes -= bytes % sizeof(ElfW(Sym));
        if (!read_whole(r, symbols->at + at, r->piece, bytes))
            return false;
        for (size_t i = 0; i < bytes; i += sizeof(ElfW(Sym))) {
            ElfW(Sym) symbol;
            memcpy(&symbol, r->piece + i, sizeof symbol);
            offers += offer(r->base, &symbol, addresses, best, count);
        }
        if (offers > OFFERS_MAX)
            return false;
        at += bytes;
    }
    return true;
}

/* Appends the names. An address whose function's name cannot be read, or is too long, has none. */
static void take_names(const struct elf_reader *r, const struct elf_table *strings, struct elf_address *addresses,
                       const struct best_symbol *best, size_t count, struct bytes *names)
{
    for (size_t i = 0; i < count; i++) {
        struct elf_address *a = &addresses[i];
        if (!a->known)
            continue;
        if (i > 0 && addresses[i - 1].known && best[i - 1].name == best[i].name) {
            a->name = addresses[i - 1].name;
            continue;
        }
        uint64_t left = best[i].name < strings->bytes ? strings->bytes - best[i].name : 0;
        size_t got = read_at(r, strings->at + best[i].name, r->piece, left < SYMBOL_NAME_MAX ? left : SYMBOL_NAME_MAX);
        const uint8_t *end = got ? memchr(r->piece, 0, got) : NULL;
        a->known = end && end > r->piece;
        a->name = names->length;
        if (a->known)
            bytes_put(names, r->piece, (size_t)(end - r->piece) + 1);
    }
}

static bool find(struct elf_reader *r, const struct elf_identity *wanted, struct elf_address *addresses,
                 struct best_symbol *best, size_t count, struct bytes *names)
{
    ElfW(Ehdr) head;
    struct elf_table symbols = {0}, strings = {0};
    if (!read_head(r, &head) || !check_identity(r, &head, wanted) || !find_tables(r, &head, &symbols, &strings) ||
        !take_symbols(r, &symbols, addresses, best, count))
        return false;
    take_names(r, &strings, addresses, best, count, names);
    return !names->failed;
}

bool elf_symbols_find(int file, const struct elf_identity *wanted, struct elf_address *addresses, size_t count,
                      struct bytes *names)
{
    struct elf_reader r = {.file = file, .piece = malloc(PIECE_BYTES)};
    struct best_symbol *best = calloc(count + 1, sizeof *best);
    for (size_t i = 0; i < count; i++)
        addresses[i].known = false;
    bool found = r.piece && best && find(&r, wanted, addresses, best, count, names);
    for (size_t i = 0; i < count && !found; i++)
        addresses[i].known = false;
    free(r.piece);
    free(best);
    return found;
}
