/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-top: shows what the ranks of a running or hung job are in; pilgrim-top(1). It reads the journals that the
 * ranks write, and nothing else touches the job. Here are the arguments and the terminal.
 *
 * Exit status: 0; 1 nothing could be shown; 2 wrong use. */
#define _GNU_SOURCE 1 /* readlink */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "../../decoder/decode_errors.h"
#include "format/run_folder.h"
#include "pilgrim/version.h"
#include "show.h"
#include "top_message.h"
#include "unit_loops.h"

enum {
    EXIT_USAGE = 2,
    PATH_BYTES = 4096,
    LOOK_APART_MS = 500,
    SCREEN_ROWS = 24,
    SCREEN_COLUMNS = 80,
    GROUPS_SHOWN = 100,
    INDENT = 13 /* of the rest of a long line */
};

static const char usage[] =
    "usage: pilgrim-top [--once] [--format=text|json] [--interval=SECONDS] [--patience=SECONDS]\n"
    "                   [--modules=FOLDERS] FOLDER|FILE...\n";
static const char help[] =
    "Shows what the ranks of a running or hung job are in, and deadlocks.\n"
    "FOLDER is the one that a traced run makes beside its trace: app.pilgrim.fragments; app.pilgrim stands for it.\n"
    "  --once              print once, after two looks half a second apart\n"
    "  --format=json       one JSON object for each look\n"
    "  --interval=SECONDS  how often to look; default 2\n"
    "  --patience=SECONDS  how long a call may take before it can be part of a deadlock; default 10\n"
    "  --modules=FOLDERS   where programs and libraries are, for source lines (with colons between)\n"
    "  q, Ctrl-C           end\n";

struct top_options {
    bool once, json;
    double interval, patience;
    const char *modules;
    char *const *paths;
    size_t path_count;
};

static volatile sig_atomic_t stop;
static struct termios before;
static bool screen; /* the terminal is ours */

struct pilgrim_frame show_frame(const struct code_frame *site)
{
    const struct code_module *m = site->module;
    return (struct pilgrim_frame){.module = m->name,
                                  .build_id = m->build_id,
                                  .build_id_length = m->build_id_length,
                                  .offset = site->offset,
                                  .python = m->python};
}

const char *show_line(const struct show *s, const struct code_frame *site)
{
    const struct pilgrim_frame frame = show_frame(site);
    return s->lines ? source_lines_find(s->lines, &frame) : NULL;
}

/* ---- the terminal ---- */

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void screen_begin(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return;
    struct termios keys = before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    screen = tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
}

static void screen_end(void)
{
    if (screen)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* Returns how many of the LENGTH bytes of TEXT, a line, fit into COLUMNS; ends at a blank if there is one. */
static size_t fitting(const char *text, size_t length, unsigned columns)
{
    size_t blank = 0, i = 0;
    for (unsigned column = 0; i < length; i++) {
        column += ((unsigned char)text[i] & 0xc0) != 0x80; /* the others continue a character */
        if (column > columns)
            return blank ? blank : i;
        if (text[i] == ' ' && column > INDENT)
            blank = i;
    }
    return i;
}

/* Prints the LENGTH bytes of TEXT over what was there, in the terminal's size. */
static void screen_put(struct output *o, const char *text, size_t length)
{
    struct winsize size = {.ws_row = SCREEN_ROWS, .ws_col = SCREEN_COLUMNS};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 3 || size.ws_col < 2 * INDENT)
        size = (struct winsize){.ws_row = SCREEN_ROWS, .ws_col = SCREEN_COLUMNS};
    const char *end = text + length;
    unsigned rows = 0, indent = 0;
    out_text(o, "\033[H");
    for (; text < end && rows + 2 < size.ws_row; rows++) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t left = (size_t)((line ? line : end) - text), part = fitting(text, left, size.ws_col - indent);
        for (unsigned i = 0; i < indent; i++)
            out_char(o, ' ');
        out_bytes(o, text, part);
        out_text(o, "\033[K\n");
        text += part + (part == left || text[part] == ' ');
        indent = part == left ? 0 : INDENT;
    }
    out_text(o, text < end ? "(more with a larger window, or with --once)\033[K\n\033[J" : "\033[J");
    out_flush(o);
}

/* Waits. False: it is time to end. */
static bool wait_for(double seconds)
{
    struct pollfd keys = {.fd = screen ? STDIN_FILENO : -1, .events = POLLIN};
    char key;
    int got = poll(&keys, 1, (int)(seconds * 1000));
    if (got > 0 && read(STDIN_FILENO, &key, 1) == 1 && key == 'q')
        stop = 1;
    if (got > 0 && keys.revents & (POLLHUP | POLLERR))
        stop = 1;
    return !stop;
}

/* ---- looks ---- */

/* Returns the folder of the program that a rank runs on this machine, for the caller to free; NULL: unknown. */
static char *program_folder(const struct look *look)
{
    char link[64], path[PATH_BYTES];
    for (size_t i = 0; i < look->process_count; i++) {
        if (!look->processes[i].seen || look->processes[i].gone)
            continue;
        snprintf(link, sizeof link, "/proc/%" PRIu32 "/exe", look->processes[i].read->pid);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        char *slash = strrchr(path, '/');
        if (slash) {
            *slash = 0;
            return strdup(path);
        }
    }
    return NULL;
}

/* What lasts from look to look. */
struct watch {
    const struct top_options *options;
    struct look last;
    bool looked;
    char *folders, *path; /* for source lines, which borrow them */
    struct source_lines *lines;
    struct output o;
};

static void watch_lines(struct watch *w, const struct look *look)
{
    const char *modules = w->options->modules;
    if (w->lines)
        return;
    char *folder = modules ? strdup(modules) : program_folder(look);
    w->folders = folder;
    w->path = strdup(look->path);
    w->lines = w->path ? source_lines_new(w->path, w->folders) : NULL;
    if (w->lines)
        source_lines_warn(w->lines, complain);
}

/* Looks once more. False after a message; *NONE: there is nothing to look at. */
static bool watch_look(struct watch *w, struct look *look, bool *none)
{
    bool good = look_take(look, w->options->paths, w->options->path_count, none);
    if (good && w->looked)
        look_compare(look, &w->last);
    return good;
}

/* Keeps LOOK as the last one. */
static void watch_keep(struct watch *w, const struct look *look)
{
    if (w->looked)
        look_free(&w->last);
    w->last = *look;
    w->looked = true;
}

static bool watch_print(struct watch *w, struct look *look, size_t groups_shown)
{
    struct deadlocks found = {0};
    struct groups groups = {0};
    find_unit_loops(look);
    bool good = deadlocks_find(look, w->options->patience, &found) && groups_make_all(&groups, look);
    const struct show show = {
        .o = &w->o, .lines = w->lines, .look = look, .groups = &groups, .found = &found, .groups_shown = groups_shown};
    if (!good)
        top_fail("out of memory");
    else if (w->options->json)
        show_json(&show);
    else
        show_text(&show);
    groups_free(&groups);
    deadlocks_free(&found);
    return good;
}

/* Prints a look on the terminal. What does not fit into the buffer would not fit onto the screen. */
static bool watch_refresh(struct watch *w, struct look *look)
{
    static struct output screen_output = {.descriptor = STDOUT_FILENO};
    w->o.descriptor = -1;
    w->o.used = 0;
    out_text(&w->o, "pilgrim-top ");
    out_json_escaped(&w->o, w->options->paths[0], strlen(w->options->paths[0]));
    out_text(&w->o, ": q ends it\n");
    bool good = watch_print(w, look, GROUPS_SHOWN);
    screen_put(&screen_output, w->o.buffer, w->o.used);
    return good && !screen_output.error;
}

/* True if a process may still run. */
static bool can_move(const struct look *look)
{
    for (size_t i = 0; i < look->process_count; i++)
        if (!look->processes[i].gone)
            return true;
    return false;
}

/* Says what to do with what a run has left that has ended. */
static void say_ended(const struct top_options *o)
{
    struct output line = {.descriptor = STDERR_FILENO};
    out_text(
        &line,
        "pilgrim-top: the run has ended, and not by MPI_Finalize; for a trace of the calls until then: pilgrim-merge");
    for (size_t i = 0; i < o->path_count; i++) {
        out_char(&line, ' ');
        out_json_escaped(&line, o->paths[i], strlen(o->paths[i]));
    }
    out_char(&line, '\n');
    out_flush(&line);
}

static int watch_once(struct watch *w)
{
    struct look look = {0};
    bool none = false;
    for (int i = 0; i < 2 && !none; i++) {
        if (!watch_look(w, &look, &none) && !none) {
            look_free(&look);
            return EXIT_FAILURE;
        }
        if (none)
            break;
        watch_keep(w, &look);
        if (i == 0)
            look_forget_logs(&w->last);
        if (i == 0 && can_move(&look))
            (void)poll(NULL, 0, LOOK_APART_MS);
    }
    if (!w->looked) {
        top_fail("%s: there are no journals: the run has not begun, has ended well, or has PILGRIM_JOURNAL=off",
                 w->options->paths[0]);
        return EXIT_FAILURE;
    }
    watch_lines(w, &w->last);
    bool good = watch_print(w, &w->last, 0);
    out_flush(&w->o);
    if (good && !can_move(&w->last))
        say_ended(w->options);
    return good && !w->o.error ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int watch_go_on(struct watch *w)
{
    bool none = false, ended = false, terminal = !w->options->json && isatty(STDOUT_FILENO);
    if (terminal)
        out_text(&w->o, "\033[2J");
    out_flush(&w->o);
    do {
        struct look look = {0};
        bool good = watch_look(w, &look, &none);
        if (none)
            break;
        if (good) {
            watch_lines(w, &look);
            good = terminal ? watch_refresh(w, &look) : watch_print(w, &look, 0);
            if (!terminal)
                out_flush(&w->o);
        }
        if (!good || (!terminal && w->o.error)) {
            look_free(&look);
            return EXIT_FAILURE;
        }
        watch_keep(w, &look);
        look_forget_logs(&w->last);
        ended = !can_move(&w->last);
    } while (!ended && wait_for(w->looked ? w->options->interval : 0));
    if (ended)
        say_ended(w->options);
    if (none && w->looked)
        top_fail("the run has ended, and its trace is written");
    if (none && !w->looked)
        top_fail("%s: there are no journals: the run has not begun, has ended well, or has PILGRIM_JOURNAL=off",
                 w->options->paths[0]);
    return none && !w->looked ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- arguments ---- */

static bool take_seconds(const char *text, double *seconds)
{
    char *end;
    double v = strtod(text, &end);
    bool good = end != text && !*end && v >= 0.1 && v <= 86400;
    *seconds = good ? v : *seconds;
    return good;
}

/* Returns the folder of the run that will write the trace PATH, if there is one, else PATH. */
static char *run_folder_of(char *path)
{
    struct stat status;
    char *folder = malloc(strlen(path) + sizeof RUN_FOLDER_SUFFIX);
    if (folder)
        sprintf(folder, "%s" RUN_FOLDER_SUFFIX, path);
    const bool found = folder && stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
    if (!found)
        free(folder);
    return found ? folder : path;
}

/* Sets *O. Returns -1, or the exit status. */
static int take_options(int argc, char **argv, struct top_options *o)
{
    static const struct option names[] = {
        {"once", no_argument, NULL, '1'},           {"format", required_argument, NULL, 'f'},
        {"interval", required_argument, NULL, 'i'}, {"patience", required_argument, NULL, 'p'},
        {"modules", required_argument, NULL, 'm'},  {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},        {NULL, 0, NULL, 0}};
    bool good = true;
    for (int option; good && (option = getopt_long(argc, argv, "hV", names, NULL)) != -1;)
        switch (option) {
        case '1':
            o->once = true;
            break;
        case 'f':
            o->json = !strcmp(optarg, "json");
            good = o->json || !strcmp(optarg, "text");
            break;
        case 'i':
            good = take_seconds(optarg, &o->interval);
            break;
        case 'p':
            good = take_seconds(optarg, &o->patience);
            break;
        case 'm':
            o->modules = optarg;
            break;
        case 'h':
            printf("%s%s", usage, help);
            return EXIT_SUCCESS;
        case 'V':
            puts("pilgrim-top " PILGRIM_VERSION_TEXT);
            return EXIT_SUCCESS;
        default:
            good = false;
        }
    for (int i = optind; i < argc; i++)
        argv[i] = run_folder_of(argv[i]);
    o->paths = argv + optind;
    o->path_count = (size_t)(argc - optind);
    if (good && o->path_count)
        return -1;
    fputs(usage, stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct top_options options = {.interval = 2, .patience = 10};
    static struct watch w = {.o = {.descriptor = STDOUT_FILENO}};
    int status = take_options(argc, argv, &options);
    if (status >= 0)
        return status;
    w.options = &options;
    if (!options.once)
        screen_begin();
    status = options.once ? watch_once(&w) : watch_go_on(&w);
    screen_end();
    if (w.looked)
        look_free(&w.last);
    source_lines_free(w.lines);
    free(w.folders);
    free(w.path);
    return status;
}
