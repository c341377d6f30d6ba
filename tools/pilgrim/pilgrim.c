/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim: the one word to remember. `pilgrim COMMAND ...` becomes pilgrim-COMMAND, from the folder that this
 * executable lies in, else from PATH; `pilgrim TRACE` becomes pilgrim-decode --summary. Nothing of it is left after
 * exec: the exit status is the command's. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "pilgrim/version.h"

enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, COMMAND_MAX = 32, SHOWN_BYTES = 1024 };

static const char usage[] = "usage: pilgrim TRACE\n"
                            "       pilgrim COMMAND [ARGUMENTS...]\n";

/* What one wants to do. A row without words is a title. */
static const struct {
    const char *command, *words, *says;
} help[] = {
    {NULL, NULL, "Record a program"},
    {"run", "mpiexec -n 4 pilgrim run ./app", "behind the launcher"},
    {NULL, NULL, "See a run on one page"},
    {NULL, "pilgrim TRACE", "what ran, where time went, what is odd"},
    {"report", "pilgrim report TRACE", "the same and more, as one HTML file"},
    {NULL, NULL, "Ask what it did"},
    {"decode", "pilgrim decode TRACE", "its calls, one a line"},
    {"decode", "pilgrim decode --stats TRACE", "what calls cost, and where"},
    {"decode", "pilgrim decode --stats --by=rank TRACE", "which ranks are slow, and in what"},
    {"decode", "pilgrim decode --loops TRACE", "the program, as loops and functions"},
    {"decode", "pilgrim decode --matrix TRACE", "messages and bytes from rank to rank"},
    {"decode", "pilgrim decode --system TRACE", "hosts, processes, threads"},
    {NULL, NULL, "Ask why it was slow, and what changed"},
    {"waits", "pilgrim waits TRACE", "who waited where, for whom"},
    {"decode", "pilgrim decode --messages TRACE", "each message, with both its calls"},
    {"diff", "pilgrim diff BEFORE AFTER", "what the second run does otherwise"},
    {NULL, NULL, "Look at it in another tool"},
    {"convert", "pilgrim convert --to=perfetto TRACE", "for ui.perfetto.dev; --to=otf2: Vampir"},
    {NULL, NULL, "Run it again without the program"},
    {"replay", "mpiexec -n 4 pilgrim replay TRACE", "a benchmark with its calls and times"},
    {"generate", "pilgrim generate TRACE > proxy.c", "a C program that makes its calls"},
    {NULL, NULL, "Look at a job that runs or hangs"},
    {"top", "pilgrim top FOLDER", "what each rank is in, and deadlocks"},
    {NULL, NULL, "Get the trace of a run that died, or left parts"},
    {"merge", "pilgrim merge FOLDER", "makes a trace of app.pilgrim.fragments"},
    {"decode", "pilgrim decode --endings TRACE", "how ranks died, and in which calls"},
};

/* ---- where commands are ---- */

/* Writes the folder of this executable to PATH. False: it is not known. */
static bool find_own_folder(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    return slash != NULL;
}

/* Writes the file of COMMAND in this executable's folder to PATH. False: it is not there. */
static bool find_command(const char *command, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    if (!find_own_folder(folder))
        return false;
    const int length = snprintf(path, PATH_MAX, "%s/pilgrim-%s", folder, command);
    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0;
}

/* Executes pilgrim-COMMAND with ARGUMENTS, whose first element becomes its name. Returns the exit status of a failure.
 */
static int execute(const char *command, char **arguments)
{
    static char name[COMMAND_MAX + 16];
    char path[PATH_MAX];
    snprintf(name, sizeof name, "pilgrim-%s", command);
    arguments[0] = name;
    if (find_command(command, path))
        execv(path, arguments);
    else
        execvp(name, arguments);
    const int reason = errno;
    fprintf(stderr, "pilgrim: cannot execute %s: %s\n", name, strerror(reason));
    return reason == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* True if WORD could be the name of a command, and there is one of that name. */
static bool is_command(const char *word)
{
    char path[PATH_MAX], file[PATH_MAX];
    const size_t length = strlen(word);
    if (length == 0 || length > COMMAND_MAX || strspn(word, "abcdefghijklmnopqrstuvwxyz-") != length || *word == '-')
        return false;
    if (find_command(word, path))
        return true;
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const size_t count = strcspn(folders, ":");
        if (snprintf(file, sizeof file, "%.*s/pilgrim-%s", (int)count, folders, word) < (int)sizeof file && count > 0 &&
            access(file, X_OK) == 0)
            return true;
        folders += count + (folders[count] == ':');
    }
    return false;
}

/* ---- help ---- */

static bool is_in_help(const char *command)
{
    bool found = strcmp(command, "gen") == 0; /* a build folder has the generator, too */
    for (size_t i = 0; i < sizeof help / sizeof *help; i++)
        found = found || (help[i].command && strcmp(help[i].command, command) == 0);
    return found;
}

/* Prints the commands beside this one that the help does not have. */
static void print_others(void)
{
    char folder[PATH_MAX];
    struct dirent *entry;
    DIR *directory = find_own_folder(folder) ? opendir(folder) : NULL;
    bool begun = false;
    while (directory && (entry = readdir(directory))) {
        const char *command = entry->d_name + strlen("pilgrim-");
        if (strncmp(entry->d_name, "pilgrim-", strlen("pilgrim-")) != 0 || !is_command(command) || is_in_help(command))
            continue;
        printf("%s  pilgrim %s\n", begun ? "" : "\nOthers\n", command);
        begun = true;
    }
    if (directory)
        closedir(directory);
}

/* Returns how many letters of WORD must be changed, added, left out or exchanged with the next one to make COMMAND of
 * it (Damerau, in the restricted form); COMMAND_MAX if one of them is too long. */
static size_t distance(const char *word, const char *command)
{
    const size_t width = strlen(word), height = strlen(command);
    size_t rows[COMMAND_MAX + 1][COMMAND_MAX + 1];
    if (width > COMMAND_MAX || height > COMMAND_MAX)
        return COMMAND_MAX;
    for (size_t i = 0; i <= height; i++)
        for (size_t j = 0; j <= width; j++) {
            if (!i || !j) {
                rows[i][j] = i + j;
                continue;
            }
            size_t least = rows[i - 1][j - 1] + (command[i - 1] != word[j - 1]);
            least = rows[i - 1][j] + 1 < least ? rows[i - 1][j] + 1 : least;
            least = rows[i][j - 1] + 1 < least ? rows[i][j - 1] + 1 : least;
            if (i > 1 && j > 1 && command[i - 1] == word[j - 2] && command[i - 2] == word[j - 1] &&
                rows[i - 2][j - 2] + 1 < least)
                least = rows[i - 2][j - 2] + 1;
            rows[i][j] = least;
        }
    return rows[height][width];
}

enum { ABBREVIATED_MIN = 3, MISTAKES_MAX = 2 };

/* Returns the command that WORD may stand for: it begins with WORD, or is written nearly so. NULL: none. */
static const char *meant(const char *word)
{
    const char *nearest = NULL;
    const size_t length = strlen(word);
    size_t least = MISTAKES_MAX + 1;
    for (size_t i = 0; i < sizeof help / sizeof *help; i++) {
        if (!help[i].command)
            continue;
        const size_t mistakes = distance(word, help[i].command);
        if (length >= ABBREVIATED_MIN && strncmp(word, help[i].command, length) == 0)
            return help[i].command;
        if (mistakes < least && mistakes < strlen(help[i].command) / 2) {
            nearest = help[i].command;
            least = mistakes;
        }
    }
    return nearest;
}

/* True if there is a file at WORD. */
static bool is_file(const char *word)
{
    struct stat status;
    return stat(word, &status) == 0 && !S_ISDIR(status.st_mode);
}

static int print_help(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; i < sizeof help / sizeof *help; i++) {
        if (help[i].words)
            printf("  %-39s %s\n", help[i].words, help[i].says);
        else
            printf("\n%s\n", help[i].says);
    }
    print_others();
    puts("\n`pilgrim COMMAND --help` lists the options of a command; `man pilgrim-COMMAND`\n"
         "explains them.\n"
         "  -h, --help     print this\n"
         "  -V, --version  print the version");
    return fflush(stdout) == 0 || errno == EPIPE ? 0 : 1;
}

/* ---- all ---- */

static int summarise(int argc, char **argv)
{
    static char option[] = "--summary";
    char **arguments = malloc(((size_t)argc + 2) * sizeof *arguments);
    if (!arguments) {
        fputs("pilgrim: not enough memory\n", stderr);
        return 1;
    }
    arguments[1] = option;
    memcpy(arguments + 2, argv + 1, (size_t)argc * sizeof *arguments); /* with the NULL at the end */
    const int result = execute("decode", arguments);
    free(arguments);
    return result;
}

int main(int argc, char **argv)
{
    struct stat status;
    char shown[2][SHOWN_BYTES]; /* the first two words */
    if (argc < 2) {
        fprintf(stderr, "%ssee pilgrim --help\n", usage);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    printable_copy(shown[0], SHOWN_BYTES, word);
    printable_copy(shown[1], SHOWN_BYTES, argc > 2 ? argv[2] : "");
    const bool asks = strcmp(word, "help") == 0;
    if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0)
        return puts("pilgrim " PILGRIM_VERSION_TEXT) < 0 || fflush(stdout) != 0;
    if (asks && argc == 3 && is_command(argv[2])) {
        char option[] = "--help", *arguments[] = {NULL, option, NULL};
        return execute(argv[2], arguments);
    }
    if (asks || strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        return print_help();
    if (is_command(word))
        return execute(word, argv + 1);
    const bool exists = stat(word, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        fprintf(
            stderr,
            "pilgrim: %s is a folder; if a traced run left it: `pilgrim merge %s` makes a trace of it, `pilgrim top "
            "%s` shows a job that runs\n",
            shown[0], shown[0], shown[0]);
        return EXIT_USAGE;
    }
    if (exists && argc == 3 && is_file(argv[2])) {
        fprintf(stderr, "pilgrim: one trace at a time; `pilgrim diff %s %s` says what the second run does otherwise\n",
                shown[0], shown[1]);
        return EXIT_USAGE;
    }
    if (exists || *word == '-' || strchr(word, '/') || strchr(word, '.'))
        return summarise(argc, argv);
    const char *command = meant(word);
    fprintf(stderr, "pilgrim: there is no command and no trace '%s'%s%s%s\nsee pilgrim --help\n", shown[0],
            command ? "; did you mean `pilgrim " : "", command ? command : "", command ? "`?" : "");
    return EXIT_USAGE;
}
