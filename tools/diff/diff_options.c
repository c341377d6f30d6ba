/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of pilgrim-diff; see diff_options.h. */
#include "diff_options.h"

#include <getopt.h>
#include <pilgrim/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"

static const char usage[] = "usage: pilgrim-diff [OPTION...] TRACE TRACE\n"
                            "       pilgrim-diff [OPTION...] --ranks=N:N TRACE\n"
                            "       pilgrim-diff [OPTION...] --iterations=N:N [--loop=N] TRACE\n";
static const char help[] =
    "Compare two traces as programs: which calls they make, with which values, and how long these take.\n\n"
    "  --structure          only which calls are made, in which order\n"
    "  --ignore=WHAT,...    leave out: times, sizes, tags, peers, hosts, polls, buffers, objects, texts,\n"
    "                       results, sites\n"
    "  --format=text|json   how to print (text)\n"
    "  --all                print all rows, not the first of each part\n"
    "  --ranks=N:N          compare two ranks, of one trace or of two\n"
    "  --iterations=N:N     compare two iterations of a loop, of one trace or of two\n"
    "  --loop=N             with --iterations: the loop, in the order of pilgrim-decode --loops (1)\n"
    "  --replay[=FUNCTION,...]\n"
    "                       the second trace is a replay of the first, by pilgrim-replay, which did not replay these\n"
    "                       functions: what a replay does not repeat is left out\n"
    "  --modules=FOLDER:... where programs and libraries are, for source lines\n"
    "  --memory=BYTES       that reading a trace may take, with K, M or G (1G)\n"
    "  -h, --help           this text\n"
    "  -V, --version        the version\n\n"
    "Exit status: 0 equal, 1 they differ, 2 wrong use or a trace that cannot be read.\n";

static const struct {
    const char *name;
    unsigned ignore;
} ignored[] = {{"times", IGNORE_TIMES},     {"sizes", IGNORE_SIZES},     {"tags", IGNORE_TAGS},
               {"peers", IGNORE_PEERS},     {"hosts", IGNORE_HOSTS},     {"polls", IGNORE_POLLS},
               {"buffers", IGNORE_BUFFERS}, {"objects", IGNORE_OBJECTS}, {"texts", IGNORE_TEXTS},
               {"results", IGNORE_RESULTS}, {"sites", IGNORE_SITES}};

static bool take_ignored(const char *text, unsigned *bits)
{
    while (*text) {
        size_t length = strcspn(text, ","), i = 0, count = sizeof ignored / sizeof *ignored;
        while (i < count && (strlen(ignored[i].name) != length || strncmp(ignored[i].name, text, length) != 0))
            i++;
        if (i == count) {
            complain("--ignore: '%.*s' is not one of times, sizes, tags, peers, hosts, polls, buffers, objects, texts, "
                     "results, sites",
                     (int)length, text);
            return false;
        }
        *bits |= ignored[i].ignore;
        text += length + (text[length] == ',');
    }
    return true;
}

/* Takes "N:N". */
static bool take_pair(const char *name, const char *text, uint64_t most, uint64_t pair[2])
{
    char *end = NULL;
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        good = *text >= '0' && *text <= '9';
        pair[i] = good ? strtoull(text, &end, 10) : 0;
        good = good && pair[i] <= most && *end == (i ? '\0' : ':');
        text = good ? end + 1 : text;
    }
    if (!good)
        complain("%s: two numbers with a colon between them are expected", name);
    return good;
}

/* Takes a number from 1 on. */
static bool take_loop(const char *text, uint64_t *loop)
{
    char *end = NULL;
    *loop = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    bool good = *loop > 0 && *loop < UINT64_MAX && *end == '\0';
    if (!good)
        complain("--loop: a number from 1 on is expected");
    return good;
}

static bool take_iterations(const char *text, uint64_t iterations[2])
{
    if (!take_pair("--iterations", text, UINT64_MAX - 1, iterations))
        return false;
    if (iterations[0] == 0 || iterations[1] == 0)
        complain("--iterations: they count from 1");
    return iterations[0] > 0 && iterations[1] > 0;
}

static bool take_memory(const char *text, uint64_t *bytes)
{
    char *end;
    uint64_t n = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    unsigned shift = n ? *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0 : 0;
    bool good = n && end[shift != 0] == '\0' && n <= UINT64_MAX >> shift;
    *bytes = n << shift;
    if (!good)
        complain("--memory: a number of bytes is expected, with K, M or G behind it");
    return good;
}

static bool take_format(const char *text, bool *json)
{
    *json = !strcmp(text, "json");
    bool good = *json || !strcmp(text, "text");
    if (!good)
        complain("--format: '%s' is neither text nor json", text);
    return good;
}

/* Takes an option. Returns -1 if there are more to take, or the exit status. */
static int take_option(int option, struct diff_options *o)
{
    uint64_t pair[2];
    bool good = true;
    switch (option) {
    case 's':
        o->ignored |= IGNORE_VALUES | IGNORE_TIMES;
        break;
    case 'i':
        good = take_ignored(optarg, &o->ignored);
        break;
    case 'f':
        good = take_format(optarg, &o->json);
        break;
    case 'a':
        o->all = true;
        break;
    case 'r':
        o->two_ranks = good = take_pair("--ranks", optarg, UINT32_MAX - 1, pair);
        o->ranks[0] = (uint32_t)pair[0];
        o->ranks[1] = (uint32_t)pair[1];
        break;
    case 'n':
        o->two_iterations = good = take_iterations(optarg, o->iterations);
        break;
    case 'l':
        good = take_loop(optarg, &o->loop);
        break;
    case 'm':
        o->modules = optarg;
        break;
    case 'M':
        good = take_memory(optarg, &o->memory);
        break;
    case 'R':
        o->not_replayed = optarg ? optarg : "";
        o->ignored |= IGNORE_TIMES;
        break;
    case 'h':
        printf("%s\n%s", usage, help);
        return EXIT_EQUAL;
    case 'V':
        puts("pilgrim-diff " PILGRIM_VERSION_TEXT);
        return EXIT_EQUAL;
    default:
        fputs(usage, stderr);
        return EXIT_WRONG;
    }
    return good ? -1 : EXIT_WRONG;
}

int diff_options_parse(int argc, char **argv, struct diff_options *o)
{
    static const struct option names[] = {{"structure", no_argument, NULL, 's'},
                                          {"ignore", required_argument, NULL, 'i'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"all", no_argument, NULL, 'a'},
                                          {"ranks", required_argument, NULL, 'r'},
                                          {"modules", required_argument, NULL, 'm'},
                                          {"memory", required_argument, NULL, 'M'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"iterations", required_argument, NULL, 'n'},
                                          {"loop", required_argument, NULL, 'l'},
                                          {"version", no_argument, NULL, 'V'},
                                          {"replay", optional_argument, NULL, 'R'},
                                          {NULL, 0, NULL, 0}};
    *o = (struct diff_options){.memory = PILGRIM_MEMORY_DEFAULT};
    int status = -1;
    for (int option; status < 0 && (option = getopt_long(argc, argv, "hV", names, NULL)) != -1;)
        status = take_option(option, o);
    if (status >= 0)
        return status;
    int count = argc - optind;
    if (count != 2 && !(count == 1 && (o->two_ranks || o->two_iterations))) {
        fputs(usage, stderr);
        return EXIT_WRONG;
    }
    if ((o->two_ranks && o->two_iterations) || (o->loop && !o->two_iterations)) {
        complain(o->loop && !o->two_iterations ? "--loop goes with --iterations"
                                               : "--ranks and --iterations do not go together");
        return EXIT_WRONG;
    }
    if (o->not_replayed && o->two_iterations) {
        complain("--replay and --iterations do not go together");
        return EXIT_WRONG;
    }
    if (!o->loop)
        o->loop = 1;
    o->paths[0] = argv[optind];
    o->paths[1] = argv[optind + (count == 2)];
    return -1;
}
