/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput, its name in FUZZERS in the
 * Makefile, and its share of the time and a function make_NAME, for its corpus, in tests/fuzz/run. Tools are compiled
 * in whole, with another name for main (the Makefile gives it). An input that has found something goes to
 * found/NAME-..., if it is tiny, or becomes a unit test. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <check.h>
#include <fcntl.h>
#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length,
                                 uint8_t *out, size_t max, unsigned seed);

enum { FUZZ_PATH_MAX = 64 };

/* Makes a file in memory with these bytes, or writes them into the one that was made before. PATH is its path. */
static inline void fuzz_file(int *descriptor, const uint8_t *data, size_t length, char path[FUZZ_PATH_MAX])
{
    if (*descriptor <= 0)
        *descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    ck_assert(*descriptor > 0 && ftruncate(*descriptor, 0) == 0);
    ck_assert(pwrite(*descriptor, data, length, 0) == (ssize_t)length);
    snprintf(path, FUZZ_PATH_MAX, "/proc/self/fd/%d", *descriptor);
}

/* Runs a tool's MAIN with the words of TEXT, which blanks separate, and PATH as the last argument if it is not NULL. */
static inline int fuzz_main(int (*main_of_tool)(int, char **), const char *text, char *path)
{
    enum { WORDS_MAX = 32, TEXT_MAX = 256 };
    static char words[TEXT_MAX];
    char *argv[WORDS_MAX + 2] = {NULL}, *rest;
    int argc = 0;
    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok_r(words, " ", &rest); word && argc < WORDS_MAX; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    if (path)
        argv[argc++] = path;
    optind = 0; /* getopt begins anew */
    return main_of_tool(argc, argv);
}

#endif
