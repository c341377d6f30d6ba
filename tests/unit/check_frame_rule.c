/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of frames, compared with what readelf says of the same tables: at the first and the last address of each
 * row of each description. Damaged tables must give rules, no matter which, and no access outside of the tables.
 *
 * FRAME_RULE_FILES, if it is set, has other files than the C library and this program, between spaces. */
#define _GNU_SOURCE 1 /* dladdr */
#include <check.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"
#include "trials.h"
#include "unwind/frame_rule.h"

/* ---- a file, mapped as the loader would ---- */

struct image {
    uint8_t *memory;
    size_t size;
    struct frame_tables tables;
};

static bool image_load(struct image *image, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    *image = (struct image){0};
    if (fd < 0 || fstat(fd, &status) != 0)
        return false;
    uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    const ElfW(Ehdr) *head = (const void *)file;
    const ElfW(Phdr) *headers = (const void *)(file + head->e_phoff);
    uint64_t base = UINT64_MAX, end = 0, header = 0;
    for (int i = 0; i < head->e_phnum; i++) {
        if (headers[i].p_type == PT_GNU_EH_FRAME)
            header = headers[i].p_vaddr;
        if (headers[i].p_type != PT_LOAD)
            continue;
        base = headers[i].p_vaddr < base ? headers[i].p_vaddr : base;
        end = headers[i].p_vaddr + headers[i].p_memsz;
    }
    image->size = end;
    image->memory = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; i < head->e_phnum; i++) {
        const ElfW(Phdr) *p = &headers[i];
        if (p->p_type != PT_LOAD)
            continue;
        memcpy(image->memory + p->p_vaddr, file + p->p_offset, p->p_filesz);
        if (header - p->p_vaddr < p->p_filesz)
            image->tables = (struct frame_tables){image->memory + p->p_vaddr, image->memory + p->p_vaddr + p->p_filesz,
                                                  image->memory + header};
    }
    munmap(file, (size_t)status.st_size);
    return image->tables.header;
}

static void image_free(struct image *image)
{
    munmap(image->memory, image->size);
}

/* ---- readelf's rows ---- */

enum { COLUMNS_MAX = 24, SIGNALS_MAX = 16 };

struct listing {
    char names[COLUMNS_MAX][32];
    int columns;
    uint64_t begin, end; /* of the description */
    uint64_t signals[SIGNALS_MAX];
    int signal_count;
    bool is_signal;
    uint64_t last; /* location of the row before; UINT64_MAX: none */
    struct frame_rule wanted;
    bool expression; /* CFA is one, so the rule may be unknown */
    bool fp_expression;
    size_t rows, at_fp, unknown;
};

static struct frame_rule rule_of_row(struct listing *l, char words[][32], int count)
{
    struct frame_rule rule = {.cfa = FRAME_UNKNOWN, .saved = SAVED_NOT};
    const char *cfa = words[1];
    l->expression = !strcmp(cfa, "exp");
    l->fp_expression = false;
    if (!strncmp(cfa, "rsp+", 4) || !strncmp(cfa, "rbp+", 4)) {
        rule.cfa = cfa[1] == 's' ? FRAME_SP : FRAME_FP;
        rule.cfa_offset = atoi(cfa + 4);
    }
    for (int i = 2; i < count; i++) {
        bool ra = !strcmp(l->names[i], "ra"), at_cfa = words[i][0] == 'c';
        if (ra && words[i][0] == 'u') {
            l->expression = false;
            return (struct frame_rule){.cfa = FRAME_OUTERMOST};
        }
        if (ra && !at_cfa) {
            l->expression = false;
            return (struct frame_rule){.cfa = FRAME_UNKNOWN};
        }
        if (ra)
            rule.return_offset = atoi(words[i] + 1);
        if (strcmp(l->names[i], "rbp") != 0)
            continue;
        rule.saved = at_cfa ? SAVED_AT_CFA : strchr("us", words[i][0]) ? SAVED_NOT : SAVED_NOWHERE;
        rule.fp_offset = at_cfa ? atoi(words[i] + 1) : 0;
        l->fp_expression = !strcmp(words[i], "exp");
    }
    return rule;
}

static void compare_at(struct listing *l, const struct image *image, uint64_t at)
{
    struct frame_rule rule = frame_rule_at(&image->tables, (uintptr_t)image->memory + at), wanted = l->wanted;
    if (l->expression && rule.cfa == FRAME_AT_FP) {
        l->at_fp++;
        wanted.cfa = rule.cfa;
        wanted.cfa_offset = rule.cfa_offset;
    }
    if (l->fp_expression && rule.saved == SAVED_AT_FP) {
        wanted.saved = rule.saved;
        wanted.fp_offset = rule.fp_offset;
    }
    if (l->is_signal)
        wanted.cfa = FRAME_UNKNOWN;
    bool same =
        rule.cfa == wanted.cfa && (rule.cfa == FRAME_UNKNOWN || rule.cfa == FRAME_OUTERMOST ||
                                   (rule.cfa_offset == wanted.cfa_offset && rule.saved == wanted.saved &&
                                    rule.fp_offset == wanted.fp_offset && rule.return_offset == wanted.return_offset));
    l->unknown += rule.cfa == FRAME_UNKNOWN;
    if (!same)
        ck_abort_msg("at %lx: kind %d CFA%+d saved %d %+d return %+d; readelf: kind %d CFA%+d saved %d %+d return %+d",
                     (unsigned long)at, rule.cfa, rule.cfa_offset, rule.saved, rule.fp_offset, rule.return_offset,
                     wanted.cfa, wanted.cfa_offset, wanted.saved, wanted.fp_offset, wanted.return_offset);
}

/* The row before ends at END. */
static void end_row(struct listing *l, const struct image *image, uint64_t end)
{
    if (l->last == UINT64_MAX || end <= l->last)
        return;
    compare_at(l, image, l->last);
    compare_at(l, image, end - 1);
    l->rows++;
    l->last = UINT64_MAX;
}

static void take_head(struct listing *l, const struct image *image, const char *line)
{
    unsigned long begin, end, cie, at;
    const char *pc = strstr(line, " pc=");
    end_row(l, image, l->end);
    if (strstr(line, " CIE \"") && sscanf(line, "%lx", &at) == 1) {
        const char *text = strstr(line, "\"") + 1;
        const char *s = strchr(text, 'S');
        if (s && s < strchr(text, '"') && l->signal_count < SIGNALS_MAX)
            l->signals[l->signal_count++] = at;
        l->begin = l->end = 0;
    } else if (pc && sscanf(strstr(line, "cie="), "cie=%lx", &cie) == 1 &&
               sscanf(pc, " pc=%lx..%lx", &begin, &end) == 2) {
        l->begin = begin;
        l->end = end;
        l->is_signal = false;
        for (int i = 0; i < l->signal_count; i++)
            l->is_signal |= l->signals[i] == cie;
    }
}

static void take_line(struct listing *l, const struct image *image, char *line)
{
    char words[COLUMNS_MAX][32];
    int count = 0;
    if (strstr(line, " CIE ") || strstr(line, " FDE ")) {
        take_head(l, image, line);
        return;
    }
    for (char *word = strtok(line, " \n"); word && count < COLUMNS_MAX; word = strtok(NULL, " \n"))
        snprintf(words[count++], sizeof words[0], "%s", word);
    if (count >= 2 && !strcmp(words[0], "LOC")) {
        l->columns = count;
        for (int i = 0; i < count; i++)
            snprintf(l->names[i], sizeof l->names[i], "%s", words[i]);
    } else if (count >= 2 && l->end && strlen(words[0]) == 16) {
        uint64_t at = strtoul(words[0], NULL, 16);
        end_row(l, image, at);
        if (count != l->columns) /* registers in registers, as "r9 (r9)" in longjmp */
            return;
        l->last = at;
        l->wanted = rule_of_row(l, words, count);
    }
}

static void compare_file(const char *path)
{
    struct image image;
    struct listing l = {.last = UINT64_MAX};
    char command[4200], line[1024];
    ck_assert_msg(image_load(&image, path), "%s: no tables", path);
    snprintf(command, sizeof command, "readelf --debug-dump=frames-interp '%s' 2>/dev/null", path);
    FILE *in = popen(command, "r");
    bool wanted = false;
    while (fgets(line, sizeof line, in)) {
        if (!strncmp(line, "Contents of the ", 16))
            wanted = strstr(line, ".eh_frame ");
        else if (wanted)
            take_line(&l, &image, line);
    }
    end_row(&l, &image, l.end);
    pclose(in);
    ck_assert_msg(l.rows > 0, "%s: no rows", path);
    ck_assert_msg(l.unknown < l.rows / 20 + 20, "%s: %zu of %zu rows are unknown", path, l.unknown, l.rows);
    if (getenv("FRAME_RULE_FILES"))
        printf("%s: %zu rows, %zu rules of aligned stacks, %zu unknown\n", path, l.rows, l.at_fp, l.unknown);
    image_free(&image);
}

static const char *own_path(void)
{
    static char path[4096];
    ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof path - 1), 0);
    return path;
}

static const char *libc_path(void)
{
    static Dl_info info;
    ck_assert(dladdr((const void *)(uintptr_t)strtok, &info));
    return info.dli_fname;
}

#if defined __x86_64__
START_TEST(rules_are_those_of_readelf)
{
    char *files = getenv("FRAME_RULE_FILES") ? strdup(getenv("FRAME_RULE_FILES")) : NULL, *rest = NULL;
    for (const char *file = files ? strtok_r(files, " ", &rest) : NULL; file; file = strtok_r(NULL, " ", &rest))
        compare_file(file);
    if (!files) {
        compare_file(own_path());
        compare_file(libc_path());
    }
    free(files);
}
END_TEST
#endif

START_TEST(damage_is_survived)
{
    enum { LOOKS = 200 };
    struct image image;
    ck_assert(image_load(&image, own_path()));
    const struct frame_tables *t = &image.tables;
    size_t size = (size_t)(t->high - t->low), header = (size_t)(t->header - t->low);
    size_t known = 0;
    random_state = 7;
    for (unsigned round = 0; round < trials(3000); round++) {
        size_t cut = round % 3 ? size : header + random_below((uint32_t)(size - header)); /* or cut off */
        uint8_t *copy = malloc(cut);
        memcpy(copy, t->low, cut);
        for (uint32_t i = random_below(200); i > 0; i--) {
            size_t at = header + random_below((uint32_t)(size - header));
            if (at < cut)
                copy[at] = (uint8_t)random_below(256);
        }
        const struct frame_tables damaged = {copy, copy + cut, copy + header};
        for (int i = 0; i < LOOKS; i++) {
            uintptr_t pc = (uintptr_t)copy - (size_t)(t->low - image.memory) + random_below((uint32_t)image.size);
            known += frame_rule_at(&damaged, pc).cfa != FRAME_UNKNOWN;
        }
        free(copy);
    }
    ck_assert_uint_gt(known, 0);
    image_free(&image);
}
END_TEST

START_TEST(addresses_find_their_module)
{
    ck_assert_int_eq(frame_rule_of(__builtin_return_address(0)).cfa == FRAME_UNKNOWN, 0);
    ck_assert_int_eq(frame_rule_of(NULL).cfa, FRAME_UNKNOWN);
    ck_assert_int_eq(frame_rule_of(libc_path() + 1).cfa, FRAME_UNKNOWN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("frame_rule");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 600);
#if defined __x86_64__
    tcase_add_test(all, rules_are_those_of_readelf);
#endif
    tcase_add_test(all, damage_is_survived);
    tcase_add_test(all, addresses_find_their_module);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
