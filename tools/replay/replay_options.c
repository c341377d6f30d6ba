/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line; see replay_options.h. */
#include "replay_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: mpiexec -n RANKS pilgrim-replay [OPTION...] TRACE\n"
    "Performs the MPI calls of a trace again, without the program.\n"
    "\n"
    "  --speed=X            computing is X times as fast (default 1)\n"
    "  --compute=spin       between calls, wait in a loop (default); sleep: give up the processor; none: do not wait\n"
    "  --order=recorded     receives, MPI_Waitany and the like get what they got then (default); free: what comes\n"
    "  --polls=until        repeat a poll until it finds what it found then (default); count: failed polls, too\n"
    "  --strings=replaced   names of objects and info values are replaced (default); recorded: used as they are\n"
    "  --files=scratch      files are made in a folder of the replay's (default); none: calls on files are left out\n"
    "  --errors=skip        calls that failed then are left out (default); make: they are made\n"
    "  --stuck=SECONDS      how long no rank may go on before the deadlock is named (default 60)\n"
    "  --verify[=PATH]      record the replay, and compare both traces by pilgrim-diff; PATH: where to keep the new "
    "one\n"
    "  --loop=NUMBER        repeat this loop of pilgrim-decode --loops, and time it; what is before it is made "
    "without\n"
    "                       waiting, what is behind it is left out\n"
    "  --trips=N            so many trips of the loop (default 1)\n"
    "  --threads            each thread of a rank is a thread of the replay (MPI_THREAD_MULTIPLE)\n"
    "  --quiet              no summary\n"
    "  --help, --version\n";

void replay_options_help(void)
{
    fputs(help, stdout);
}

/* Returns the index of VALUE among the words, which end with NULL; -1: it is none of them. */
static int word_of(const char *value, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

static bool number_of(const char *value, double *number)
{
    char *end;
    *number = strtod(value, &end);
    return end != value && !*end && isfinite(*number) && *number > 0;
}

static bool is_whole(double number)
{
    return number < 1e15 && number == (double)(uint64_t)number;
}

const char *replay_options_parse(struct replay_options *options, int argc, char **argv)
{
    static char message[200];
    static const struct {
        const char *name;
        const char *words[4]; /* none: a number */
    } known[] = {{"--speed=", {NULL}},
                 {"--stuck=", {NULL}},
                 {"--loop=", {NULL}},
                 {"--trips=", {NULL}},
                 {"--compute=", {"spin", "sleep", "none", NULL}},
                 {"--order=", {"recorded", "free", NULL}},
                 {"--polls=", {"until", "count", NULL}},
                 {"--strings=", {"replaced", "recorded", NULL}},
                 {"--files=", {"scratch", "none", NULL}},
                 {"--errors=", {"skip", "make", NULL}}};
    *options = (struct replay_options){.speed = 1, .stuck_s = 60, .trips = 1};
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i], *value = NULL;
        size_t row = 0, rows = sizeof known / sizeof *known;
        while (row < rows && strncmp(argument, known[row].name, strlen(known[row].name)))
            row++;
        if (row < rows)
            value = argument + strlen(known[row].name);
        int word = value ? word_of(value, known[row].words) : -1;
        double number = 0;
        const bool whole = row == 2 || row == 3;
        if (value && (known[row].words[0] ? word < 0 : !number_of(value, &number) || (whole && !is_whole(number)))) {
            snprintf(message, sizeof message, "%.100s: wrong value", argument);
            return message;
        }
        if (row == 0)
            options->speed = number;
        else if (row == 1)
            options->stuck_s = number;
        else if (row == 2)
            options->loop = (uint64_t)number;
        else if (row == 3)
            options->trips = (uint64_t)number;
        else if (row == 4)
            options->compute = (enum replay_compute)word;
        else if (row == 5)
            options->free_order = word == 1;
        else if (row == 6)
            options->count_polls = word == 1;
        else if (row == 7)
            options->keep_strings = word == 1;
        else if (row == 8)
            options->no_files = word == 1;
        else if (row == 9)
            options->make_errors = word == 1;
        else if (strncmp(argument, "--verify", 8) == 0 && (!argument[8] || (argument[8] == '=' && argument[9]))) {
            options->verify = true;
            options->recorded = argument[8] ? argument + 9 : NULL;
        } else if (strcmp(argument, "--threads") == 0)
            options->threads = true;
        else if (strcmp(argument, "--quiet") == 0)
            options->quiet = true;
        else if (strcmp(argument, "--help") == 0)
            options->help = true;
        else if (strcmp(argument, "--version") == 0)
            options->version = true;
        else if (argument[0] == '-' || options->path) {
            snprintf(message, sizeof message, argument[0] == '-' ? "%.100s: unknown option" : "%.100s: a second trace",
                     argument);
            return message;
        } else
            options->path = argument;
    }
    if (options->trips > 1 && !options->loop)
        return "--trips: of which loop? give --loop";
    if (options->loop && (options->verify || options->threads))
        return "--loop goes neither with --verify nor with --threads";
    return options->path || options->help || options->version ? NULL : "no trace is given; see --help";
}
