/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-generate: writes a C program that makes the MPI calls of a trace. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "generate.h"

enum { EXIT_USAGE = 2 };

static const char usage[] = "usage: pilgrim-generate [OPTION...] TRACE > proxy.c\n";
static const char help[] =
    "Write a C program that makes the MPI calls of a trace.\n\n"
    "  --strings            keep the program's texts: info values, names of objects\n"
    "  --ranks=N            a program for N ranks, where what was recorded says what others do\n"
    "  --modules=FOLDER:... where programs and libraries are, for source lines\n"
    "  -h, --help           this text\n"
    "  -V, --version        the version\n\n"
    "Exit status: 0 written, 1 the trace cannot be read or no program made of it, 2 wrong use.\n";

static int wrong_use(const char *why)
{
    fprintf(stderr, "pilgrim-generate: %s\n%s", why, usage);
    return EXIT_USAGE;
}

static void generate(const struct generate_options *options, struct pilgrim_trace *trace)
{
    struct proxy p = {.options = options, .trace = trace, .rank_count = pilgrim_rank_count(trace)};
    for (int i = 0; i < 4; i++)
        p.most_memory[i] = -1;
    proxy_read(&p);
    proxy_write(&p);
    if (p.uncertain)
        complain("%s: %s, and other threads use it: which they use when is not in a trace, and the program may not end",
                 options->path, p.uncertain);
    if (p.left_out)
        complain("%s: %llu calls are left out, the first: %s", options->path, (unsigned long long)p.left_out,
                 p.first_left_out);
}

static bool parse_ranks(const char *text, uint32_t *ranks)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *ranks = (uint32_t)number;
    return *text >= '0' && *text <= '9' && !*end && number >= 4 && number <= 1000000;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"strings", no_argument, NULL, 's'},     {"modules", required_argument, NULL, 'm'},
        {"ranks", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},     {0}};
    struct generate_options options = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    int option;
    signal(SIGPIPE, SIG_IGN);
    complain_as = "pilgrim-generate";
    while ((option = getopt_long(argc, argv, "hV", long_options, NULL)) != -1)
        switch (option) {
        case 's':
            options.keep_strings = true;
            break;
        case 'm':
            options.modules = optarg;
            break;
        case 'r':
            if (!parse_ranks(optarg, &options.ranks))
                return wrong_use("--ranks wants a number of ranks from 4 to 1000000");
            break;
        case 'h':
            printf("%s%s", usage, help);
            return 0;
        case 'V':
            puts("pilgrim-generate " PILGRIM_VERSION_TEXT);
            return 0;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    if (optind + 1 != argc)
        return wrong_use(optind == argc ? "no trace is given" : "more than one trace is given");
    options.path = argv[optind];
    if (pilgrim_open(options.path, &trace, &error) != PILGRIM_OK || error.status != PILGRIM_OK)
        generate_fail("%s: %s", options.path, error.message);
    generate(&options, trace);
    pilgrim_close(trace);
    if (fflush(stdout) || ferror(stdout))
        generate_fail("cannot write the output, which is incomplete: %s", strerror(errno));
    return 0;
}
