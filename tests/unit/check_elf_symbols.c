/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of return addresses, from ELF files that are made here: right ones, others than those that are wanted,
 * damaged ones, and the file of this program itself. */
#define _GNU_SOURCE 1 /* memfd_create, dladdr */
#include <check.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "random.h"
#include "symbols/elf_symbols.h"
#include "trials.h"

/* ---- made files ---- */

enum { BASE = 0x400000, SYMBOLS = 11, NAMES_AT = 4096, LONG_NAME = SYMBOL_NAME_MAX, NAMES_BYTES = 2 * SYMBOL_NAME_MAX };

static const uint8_t build_id[] = {1, 2, 3, 4, 5, 6, 7, 8};

struct made_symbol {
    const char *name;
    uint64_t start, size;
    unsigned char binding, type;
};

static const struct made_symbol made_symbols[SYMBOLS] = {
    {"", 0, 0, STB_LOCAL, STT_NOTYPE},
    {"one", 0x100, 0x40, STB_GLOBAL, STT_FUNC},
    {"one_alias", 0x100, 0x40, STB_WEAK, STT_FUNC},
    {"local_first", 0x200, 0x10, STB_LOCAL, STT_FUNC},
    {"global_then", 0x200, 0x10, STB_GLOBAL, STT_FUNC},
    {"outer", 0x300, 0x100, STB_GLOBAL, STT_FUNC},
    {"inner", 0x340, 0x20, STB_LOCAL, STT_FUNC},
    {"table", 0x500, 0x100, STB_GLOBAL, STT_OBJECT},
    {"resolver", 0x600, 8, STB_GLOBAL, STT_GNU_IFUNC},
    {"empty", 0x700, 0, STB_GLOBAL, STT_FUNC},
    {"shorter", 0x300, 0x10, STB_GLOBAL, STT_FUNC},
};

struct made_file {
    ElfW(Ehdr) head;
    ElfW(Phdr) program[2];
    struct {
        ElfW(Nhdr) head;
        char name[4];
        uint8_t id[sizeof build_id];
    } note;
    ElfW(Shdr) sections[3]; /* none, symbols, strings */
    ElfW(Sym) symbols[SYMBOLS];
    char names[NAMES_BYTES];
};

static void make(struct made_file *m, uint32_t table)
{
    size_t name = 1;
    memset(m, 0, sizeof *m);
    m->head = (ElfW(Ehdr)){.e_phoff = offsetof(struct made_file, program),
                           .e_shoff = offsetof(struct made_file, sections),
                           .e_phentsize = sizeof m->program[0],
                           .e_phnum = 2,
                           .e_shentsize = sizeof m->sections[0],
                           .e_shnum = 3};
    memcpy(m->head.e_ident, ELFMAG, SELFMAG);
    m->head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    m->head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    m->program[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_vaddr = BASE + 0x80};
    m->program[1] = (ElfW(Phdr)){
        .p_type = PT_NOTE, .p_offset = offsetof(struct made_file, note), .p_filesz = sizeof m->note, .p_align = 4};
    m->note.head = (ElfW(Nhdr)){4, sizeof build_id, NT_GNU_BUILD_ID};
    memcpy(m->note.name, "GNU", 4);
    memcpy(m->note.id, build_id, sizeof build_id);
    m->sections[1] = (ElfW(Shdr)){
        .sh_type = table, .sh_link = 2, .sh_offset = offsetof(struct made_file, symbols), .sh_size = sizeof m->symbols};
    m->sections[2] =
        (ElfW(Shdr)){.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct made_file, names), .sh_size = sizeof m->names};
    for (unsigned i = 1; i < SYMBOLS; i++) {
        const struct made_symbol *from = &made_symbols[i];
        m->symbols[i].st_name = (ElfW(Word))name;
        m->symbols[i].st_value = BASE + from->start;
        m->symbols[i].st_size = from->size;
        m->symbols[i].st_info = (unsigned char)(from->binding << 4 | from->type);
        m->symbols[i].st_shndx = 1;
        strcpy(m->names + name, from->name);
        name += strlen(from->name) + 1;
    }
}

/* Returns a descriptor of a file of the first LENGTH bytes of M. */
static int file_of(const void *m, size_t length)
{
    int file = memfd_create("made", MFD_CLOEXEC);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, m, length), (ssize_t)length);
    return file;
}

/* ---- searching ---- */

static const uint64_t offsets[] = {0x50,  0x100, 0x101, 0x140, 0x141, 0x201, 0x301, 0x310, 0x311, 0x340,
                                   0x341, 0x360, 0x361, 0x400, 0x401, 0x501, 0x604, 0x700, 0x701};
static const char *const expected[] = {NULL,      NULL,    "one",      "one",   NULL,    "global_then", "shorter",
                                       "shorter", "outer", "outer",    "inner", "inner", "outer",       "outer",
                                       NULL,      NULL,    "resolver", NULL,    NULL};
enum { COUNT = sizeof offsets / sizeof *offsets };

static struct elf_address found[COUNT];
static struct bytes names;

static const struct elf_identity by_id = {build_id, sizeof build_id / 2, 0};

static bool find(const void *data, size_t length, const struct elf_identity *wanted)
{
    int file = file_of(data, length);
    names.length = 0;
    for (unsigned i = 0; i < COUNT; i++)
        found[i] = (struct elf_address){.offset = offsets[i], .known = true, .name = SIZE_MAX};
    bool good = elf_symbols_find(file, wanted, found, COUNT, &names);
    close(file);
    for (unsigned i = 0; i < COUNT; i++) {
        EXPECT(good || !found[i].known, "address %u is known in a file that was refused", i);
        EXPECT(!found[i].known || (found[i].name < names.length && found[i].start < offsets[i] &&
                                   strnlen((char *)names.data + found[i].name, names.length - found[i].name) > 0),
               "address %u has no name", i);
    }
    EXPECT(names.length == 0 || names.data[names.length - 1] == 0, "a name without an end");
    return good;
}

static void check_found(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert_int_eq(found[i].known, expected[i] != NULL);
        if (expected[i])
            ck_assert_str_eq((char *)names.data + found[i].name, expected[i]);
    }
}

START_TEST(right_files)
{
    static struct made_file m;
    make(&m, SHT_SYMTAB);
    ck_assert(find(&m, sizeof m, &by_id));
    check_found();
    ck_assert_uint_eq(found[2].start, 0x100);
    make(&m, SHT_DYNSYM);
    ck_assert(find(&m, sizeof m, &by_id));
    check_found();
}
END_TEST

START_TEST(other_files)
{
    static struct made_file m;
    static const uint8_t other[] = {1, 2, 3, 5};
    make(&m, SHT_SYMTAB);
    const uint64_t headers = elf_headers_hash(m.program, sizeof m.program);
    ck_assert(find(&m, sizeof m, &(struct elf_identity){build_id, 4, headers}));
    ck_assert(!find(&m, sizeof m, &(struct elf_identity){build_id, 4, headers + 1}));
    ck_assert(!find(&m, sizeof m, &(struct elf_identity){other, 4, headers}));
    ck_assert(!find(&m, sizeof m, &(struct elf_identity){build_id, 0, headers})); /* it has one */
    ck_assert(!find(&m, sizeof m, &(struct elf_identity){build_id, 0, 0}));
    m.note.head.n_type = 99;
    ck_assert(!find(&m, sizeof m, &(struct elf_identity){build_id, 4, headers}));
    ck_assert(find(&m, sizeof m, &(struct elf_identity){NULL, 0, headers}));
    ck_assert(!find(&m, sizeof m, &(struct elf_identity){NULL, 0, 0})); /* nothing says that it is the one */
    ck_assert(!find(&m, 0, &by_id));
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert(!elf_symbols_find(pipes[0], &by_id, found, COUNT, &names));
    ck_assert(!elf_symbols_find(-1, &by_id, found, COUNT, &names));
}
END_TEST

START_TEST(wrong_tables)
{
    static struct made_file m;
    make(&m, SHT_SYMTAB);
    m.sections[1].sh_link = 3;
    ck_assert(!find(&m, sizeof m, &by_id));
    make(&m, SHT_SYMTAB);
    m.sections[2].sh_type = SHT_PROGBITS;
    ck_assert(!find(&m, sizeof m, &by_id));
    make(&m, SHT_SYMTAB);
    m.sections[1].sh_size = ((1u << 21) + 1) * sizeof(ElfW(Sym));
    ck_assert(!find(&m, sizeof m, &by_id));
    make(&m, SHT_SYMTAB);
    m.sections[1].sh_offset = UINT64_MAX - 8;
    ck_assert(!find(&m, sizeof m, &by_id));
    make(&m, SHT_NOTE);
    ck_assert(!find(&m, sizeof m, &by_id));
    make(&m, SHT_SYMTAB);
    m.symbols[1].st_name = NAMES_BYTES; /* behind the strings */
    m.symbols[2].st_value = BASE + 0x101;
    ck_assert(find(&m, sizeof m, &by_id));
    ck_assert(!found[2].known && found[3].known && found[5].known);
    make(&m, SHT_SYMTAB);
    m.symbols[1].st_value = BASE - 1; /* before the module */
    m.symbols[2].st_size = UINT64_MAX;
    ck_assert(find(&m, sizeof m, &by_id));
    ck_assert(!found[2].known && found[5].known);
}
END_TEST

START_TEST(long_names)
{
    static struct made_file m;
    for (unsigned longer = 0; longer < 2; longer++) {
        make(&m, SHT_SYMTAB);
        const size_t at = SYMBOL_NAME_MAX - 1;
        memset(m.names + at, 'x', SYMBOL_NAME_MAX - 1 + longer);
        m.symbols[1].st_name = (ElfW(Word))at;
        ck_assert(find(&m, sizeof m, &by_id));
        ck_assert_int_eq(found[2].known, !longer);
        ck_assert(longer || strlen((char *)names.data + found[2].name) == SYMBOL_NAME_MAX - 1);
        ck_assert(found[5].known);
    }
}
END_TEST

/* Symbols that all cover all addresses end the search, not the program. */
START_TEST(overlapping_symbols)
{
    enum { MANY = 1 << 20 };
    static struct made_file m;
    static struct elf_address addresses[1000];
    make(&m, SHT_SYMTAB);
    m.sections[1].sh_offset = sizeof m;
    m.sections[1].sh_size = MANY * sizeof m.symbols[0];
    int file = file_of(&m, sizeof m);
    ck_assert_int_eq(lseek(file, 0, SEEK_END), sizeof m);
    ElfW(Sym) *symbols = calloc(MANY, sizeof *symbols);
    for (unsigned i = 0; i < MANY; i++)
        symbols[i] =
            (ElfW(Sym)){.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = BASE, .st_size = 1 << 20};
    ck_assert_int_eq(write(file, symbols, MANY * sizeof *symbols), MANY * (ssize_t)sizeof *symbols);
    for (unsigned i = 0; i < 1000; i++)
        addresses[i].offset = i + 1;
    ck_assert(!elf_symbols_find(file, &by_id, addresses, 1000, &names));
    ck_assert(!addresses[5].known);
    ck_assert(elf_symbols_find(file, &by_id, addresses, 2, &names));
    ck_assert_str_eq((char *)names.data + addresses[1].name, "one");
    free(symbols);
    close(file);
}
END_TEST

START_TEST(damage_is_survived)
{
    static struct made_file m, changed;
    make(&m, SHT_SYMTAB);
    const size_t interesting = offsetof(struct made_file, names) + 100;
    unsigned good = 0;
    for (size_t length = 0; length < interesting; length += 7)
        good += find(&m, length, &by_id);
    random_state = 5;
    for (unsigned i = 0; i < trials(20000); i++) {
        changed = m;
        for (unsigned k = 1 + random_below(3); k > 0; k--)
            ((uint8_t *)&changed)[random_below((uint32_t)interesting)] ^= (uint8_t)(1u << random_below(8));
        good += find(&changed, sizeof changed, &by_id);
    }
    ck_assert_uint_gt(good, 0);
}
END_TEST

/* ---- the file of this program ---- */

static int note_headers(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uint64_t *)data = elf_headers_hash(info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
    return 1; /* the program is the first module */
}

static __attribute__((noinline)) void *here(void)
{
    return __builtin_return_address(0);
}

START_TEST(own_file)
{
    uint64_t headers = 0;
    Dl_info info;
    void *address = here();
    ck_assert_int_ne(dladdr(address, &info), 0);
    dl_iterate_phdr(note_headers, &headers);
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct elf_address a = {.offset = (uintptr_t)address - (uintptr_t)info.dli_fbase};
    uint8_t id[4];
    /* The build-id, if there is one, is not known here: its first bytes are those that the file is accepted with. */
    bool good = elf_symbols_find(file, &(struct elf_identity){NULL, 0, headers}, &a, 1, &names);
    for (unsigned i = 0; i < 256 && !good; i++) {
        id[0] = (uint8_t)i;
        good = elf_symbols_find(file, &(struct elf_identity){id, 1, headers}, &a, 1, &names);
    }
    ck_assert(good && a.known);
    ck_assert_ptr_nonnull(strstr((char *)names.data + a.name, "own_file"));
    close(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("elf_symbols");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, right_files);
    tcase_add_test(all, other_files);
    tcase_add_test(all, wrong_tables);
    tcase_add_test(all, long_names);
    tcase_add_test(all, overlapping_symbols);
    tcase_add_test(all, damage_is_survived);
    tcase_add_test(all, own_file);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
