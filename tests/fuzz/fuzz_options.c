/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines of pilgrim-decode, settings of the recorder, and patterns of names, all of any bytes. The input is the
 * words, with a 0 byte between them. */
#define _GNU_SOURCE 1 /* memfd_create, which fuzz.h may use */
#include <stdlib.h>

#include "../../decoder/decode_options.h"
#include "format/trace_path.h"
#include "fuzz.h"
#include "process/settings.h"

enum { WORDS_MAX = 16 };

static void read_options(int argc, char **words)
{
    struct options options;
    optind = 0;
    int result = options_parse(argc, words, &options);
    ck_assert(result >= -1 && result <= 2);
    if (result == -1)
        list_has(&options.ranks, 3);
    options_free(&options);
}

static void read_settings(char **words)
{
    struct settings settings;
    struct settings_pattern pattern;
    settings_read(&settings, words);
    ck_assert(settings.memory_bytes >= SETTINGS_MEMORY_MIN && settings.memory_bytes <= SETTINGS_MEMORY_MAX);
    const char *list = settings.filter;
    while (list && *list && settings_filter_next(&list, &pattern))
        settings_pattern_fits(&pattern, "MPI_Send");
    settings_records(&settings, "MPI_Send");
    if (settings.timing == TIMING_BINS)
        ck_assert(settings_base(&settings, "MPI_Send") >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char *text = malloc(length + 1), *words[WORDS_MAX + 2] = {"pilgrim-decode"};
    struct bytes path = {0};
    int count = 1;
    memcpy(text, data, length);
    text[length] = 0;
    for (size_t at = 0; at < length && count <= WORDS_MAX; at += strlen(text + at) + 1)
        words[count++] = text + at;
    words[count] = NULL;
    read_settings(words + 1);
    const struct trace_path_job job = {.id = "7", .array = "5", .task = "2"};
    if (count > 1 && trace_path_expand(words[1], "program", &job, 0, &path) == PILGRIM_OK)
        ck_assert(path.length > 0);
    bytes_free(&path);
    read_options(count, words);
    free(text);
    return 0;
}
