/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the options of pilgrim-decode; see decode_options.h. */
#include "decode_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_errors.h"
#include "pilgrim/version.h"

static const char usage[] =
    "usage: pilgrim-decode [--format=text|json|folded] [--rank=LIST] [--thread=LIST] [--func=GLOBS] [--site=PLACES]\n"
    "                      [--comm=NAME] [--peer=LIST] [--tag=LIST] [--bytes=SIZE] [--failed] [--phase=TEXT]\n"
    "                      [--loop=LIST [--iteration=LIST]] [--call=LIST] [--since=TIME] [--until=TIME]\n"
    "                      [--from=N] [--limit=N] [--no-polls] [--clock=local|common] [--timeline]\n"
    "                      [--loops | --stats[=histograms] [--by=rank|path] | --matrix[=rma] | --grammar |\n"
    "                       --communicators | --system | --properties | --endings]\n"
    "                      [--depth=N] [--modules=FOLDERS] [--memory=SIZE] TRACE\n";

static const char help[] =
    "\n"
    "Prints the MPI calls of a Pilgrim trace, rank by rank, thread by thread, in the order in which they returned.\n"
    "\n"
    "Which calls, and how:\n"
    "  --format=text|json  a line for people (the default), or one JSON object a line\n"
    "  --rank=LIST         only these ranks of MPI_COMM_WORLD, such as 0,3,8-15\n"
    "  --thread=LIST       only these threads of each rank\n"
    "  --func=GLOBS        only functions whose name matches, such as 'MPI_I*'; with - before it: all others\n"
    "  --site=PLACES       only calls from there: FILE:LINE, FILE, a function, or MODULE+0xOFFSET\n"
    "  --comm=NAME         only calls with this communicator, such as MPI_COMM_WORLD or comm:3\n"
    "  --peer=LIST         only calls that send to, receive from or access these ranks of MPI_COMM_WORLD\n"
    "  --tag=LIST          only calls with such a tag, of their own or in a status\n"
    "  --bytes=SIZE        only calls that move at least so many bytes, such as 4096 or 64K\n"
    "  --failed            only calls that returned an error\n"
    "  --phase=TEXT        only calls behind the marker TEXT, until the next other marker\n"
    "  --loop=LIST         only calls in these loops of their thread, which count from 1 as --loops prints them\n"
    "  --iteration=LIST    with --loop: only these iterations, from 1, each time that it is entered\n"
    "  --call=LIST         of each thread, only the calls with these numbers\n"
    "  --since=TIME, --until=TIME\n"
    "                      only calls between these times on the common axis, such as 10s, 10.5s or 250ms\n"
    "  --from=N            of each thread, only the calls with number N and up\n"
    "  --limit=N           print at most N calls in all\n"
    "  --no-polls          leave out failed polls, such as an MPI_Test that found nothing\n"
    "  --clock=local|common  times by the clock of each process (the default), or on one time axis for all ranks\n"
    "  --timeline          calls of all ranks in the order in which they began, on the common axis\n"
    "  --modules=FOLDERS   folders to search first for the program and its libraries, for source lines; colons between "
    "them\n"
    "  --memory=SIZE       memory that reading the trace may take, such as 512M or 4G; 1G if not given\n"
    "\n"
    "Instead of calls:\n"
    "  --loops             the program: its functions and loops, how often they repeat, and the calls in them\n"
    "  --stats[=histograms]\n"
    "                      what calls cost, by function and call site: calls, times, messages, bytes;\n"
    "                      =histograms: also how times are distributed\n"
    "  --by=rank           with --stats: what each rank did with its time\n"
    "  --by=path           with --stats: what calls cost, by the functions that lead to them;\n"
    "                      --format=folded: as input of flame graph tools, in microseconds\n"
    "  --depth=N           at most N frames of each call path: of calls the innermost (3 in text), with --loops and\n"
    "                      --by=path the outermost (all)\n"
    "  --matrix[=rma]      messages and bytes from rank to rank, as CSV; =rma: operations on windows\n"
    "  --grammar           the call-signature tables and the grammars\n"
    "  --communicators     the communicators that each rank created\n"
    "  --system            the machine: switches, hosts, processes, threads; with --rank: where these ranks ran\n"
    "  --properties        what the trace says of the whole run: program, MPI library, what was left out\n"
    "  --endings           how ranks ended that did not reach the end of MPI_Finalize, and the calls that they were "
    "in\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all printed; 1 the trace is damaged or cannot be read, or the output cannot be written; 2 wrong "
    "use.\n";

static bool parse_number(const char *text, const char **end, uint64_t *number)
{
    if (*text < '0' || *text > '9')
        return false;
    char *after;
    errno = 0;
    *number = strtoull(text, &after, 10);
    *end = after;
    return errno == 0;
}

static bool parse_list(const char *text, struct number_list *list)
{
    free(list->ranges);
    list->count = 0;
    list->ranges = malloc((strlen(text) / 2 + 1) * sizeof *list->ranges);
    while (list->ranges) {
        uint64_t first, last;
        if (!parse_number(text, &text, &first))
            return false;
        last = first;
        if (*text == '-' && !parse_number(text + 1, &text, &last))
            return false;
        if (first > last || last > UINT32_MAX)
            return false;
        list->ranges[list->count++] = (struct number_range){(uint32_t)first, (uint32_t)last};
        if (*text == 0)
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

bool list_has(const struct number_list *list, uint32_t number)
{
    for (size_t i = 0; i < list->count; i++)
        if (number >= list->ranges[i].first && number <= list->ranges[i].last)
            return true;
    return list->count == 0;
}

static bool parse_whole(const char *text, uint64_t *number)
{
    const char *end;
    return parse_number(text, &end, number) && *end == 0;
}

/* Parses a size: a number of bytes, or of KiB, MiB, GiB, TiB with K, M, G or T behind it. */
static bool parse_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMGT";
    const char *unit;
    if (!parse_number(text, &text, size))
        return false;
    unsigned shift = *text && (unit = strchr(units, *text)) ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*size > UINT64_MAX >> shift)
        return false;
    *size <<= shift;
    return text[shift > 0] == 0;
}

enum { SELECTS = 1000 }; /* the letter of options that are names of criteria */

/* Adds what the option NAME says to the selection, if that has a criterion of this name. */
static bool select_calls(const char *name, const char *argument, struct options *o)
{
    struct pilgrim_error error;
    if (pilgrim_selection_add(o->selection, name, argument, &error) == PILGRIM_OK)
        return true;
    complain("%s; see pilgrim-decode --help", error.message);
    return false;
}

/* Says which option does not apply to what is printed. True: all do. */
static bool applies(const struct options *o)
{
    static const enum criterion_name threads[] = {SELECT_RANK, SELECT_THREAD};
    const char *view = o->grammar         ? "grammar"
                       : o->communicators ? "communicators"
                       : o->system        ? "system"
                       : o->properties    ? "properties"
                       : o->endings       ? "endings"
                       : o->loops         ? "loops"
                       : o->by_rank       ? "by=rank"
                                          : NULL;
    const char *other = view ? selection_besides(o->selection, threads, 2) : NULL;
    if (other && strcmp(other, "func") != 0)
        complain("--%s does not apply to --%s; see pilgrim-decode --help", other, view);
    if (o->timeline && (view || o->stats || o->matrix))
        complain("--timeline is an order of calls, which --%s does not print", view       ? view
                                                                               : o->stats ? "stats"
                                                                                          : "matrix");
    return (!other || strcmp(other, "func") == 0) && !(o->timeline && (view || o->stats || o->matrix));
}

/* Parses an option that chooses what is printed instead of calls. False: it takes no such ARGUMENT. */
static bool parse_view(int option, const char *argument, struct options *o)
{
    switch (option) {
    case 'l':
        o->loops = true;
        return true;
    case 'T':
        o->stats = true;
        o->histograms = argument;
        return !argument || strcmp(argument, "histograms") == 0;
    case 'b':
        o->by_rank = strcmp(argument, "rank") == 0;
        o->by_path = strcmp(argument, "path") == 0;
        return o->by_rank || o->by_path;
    case 'x':
        o->matrix = true;
        o->windows = argument;
        return !argument || strcmp(argument, "rma") == 0;
    case 'g':
        o->grammar = true;
        return true;
    case 'c':
        o->communicators = true;
        return true;
    case 'P':
        o->properties = true;
        return true;
    case 'E':
        o->endings = true;
        return true;
    default:
        o->system = true;
        return true;
    }
}

/* Returns what the argument of OPTION may be. */
static const char *expected(int option)
{
    switch (option) {
    case 'f':
        return "text, json or folded";
    case 'r':
    case 't':
        return "numbers and ranges, such as 0,3,8-15";
    case 's':
    case 'n':
    case 'd':
        return "a number";
    case 'M':
        return "a size, such as 512M or 4G";
    case 'C':
        return "local or common";
    case 'T':
        return "histograms, or nothing";
    case 'x':
        return "rma, or nothing";
    default:
        return "rank or path";
    }
}

/* Parses the option NAME. False: it is wrong, and a message was printed. */
static bool parse_option(int option, const char *name, const char *argument, struct options *o)
{
    bool good = true;
    switch (option) {
    case 'f':
        o->json = strcmp(argument, "json") == 0;
        o->folded = strcmp(argument, "folded") == 0;
        good = o->json || o->folded || strcmp(argument, "text") == 0;
        break;
    case 'r':
        good = parse_list(argument, &o->ranks);
        break;
    case 't':
        good = parse_list(argument, &o->threads);
        break;
    case SELECTS:
        break; /* options_parse adds it to the selection */
    case 'O':
        o->timeline = o->common = true;
        break;
    case 'C':
        o->common = strcmp(argument, "common") == 0;
        good = o->common || strcmp(argument, "local") == 0;
        break;
    case 's':
        good = parse_whole(argument, &o->from);
        break;
    case 'n':
        good = parse_whole(argument, &o->limit);
        break;
    case 'd':
        good = parse_whole(argument, &o->depth);
        break;
    case 'm':
        o->modules = argument;
        break;
    case 'M':
        good = parse_size(argument, &o->memory);
        break;
    case 'p':
        o->no_polls = true;
        break;
    case '?':
        fputs(usage, stderr);
        return false;
    default:
        good = parse_view(option, argument, o);
    }
    if (!good)
        complain("--%s takes %s, not '%s'; see pilgrim-decode --help", name, expected(option), argument);
    return good;
}

static int wrong_use(const char *why)
{
    fprintf(stderr, "pilgrim-decode: %s\n%s", why, usage);
    return EXIT_USAGE;
}

int options_parse(int argc, char **argv, struct options *o)
{
    static const struct option names[] = {
        {"format", required_argument, NULL, 'f'},
        {"rank", required_argument, NULL, 'r'},
        {"thread", required_argument, NULL, 't'},
        {"func", required_argument, NULL, SELECTS},
        {"site", required_argument, NULL, SELECTS},
        {"comm", required_argument, NULL, SELECTS},
        {"peer", required_argument, NULL, SELECTS},
        {"tag", required_argument, NULL, SELECTS},
        {"bytes", required_argument, NULL, SELECTS},
        {"failed", no_argument, NULL, SELECTS},
        {"phase", required_argument, NULL, SELECTS},
        {"loop", required_argument, NULL, SELECTS},
        {"iteration", required_argument, NULL, SELECTS},
        {"call", required_argument, NULL, SELECTS},
        {"since", required_argument, NULL, SELECTS},
        {"until", required_argument, NULL, SELECTS},
        {"timeline", no_argument, NULL, 'O'},
        {"from", required_argument, NULL, 's'},
        {"limit", required_argument, NULL, 'n'},
        {"grammar", no_argument, NULL, 'g'},
        {"communicators", no_argument, NULL, 'c'},
        {"system", no_argument, NULL, 'S'},
        {"modules", required_argument, NULL, 'm'},
        {"no-polls", no_argument, NULL, 'p'},
        {"loops", no_argument, NULL, 'l'},
        {"stats", optional_argument, NULL, 'T'},
        {"matrix", optional_argument, NULL, 'x'},
        {"clock", required_argument, NULL, 'C'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {"by", required_argument, NULL, 'b'},
        {"properties", no_argument, NULL, 'P'},
        {"endings", no_argument, NULL, 'E'},
        {"memory", required_argument, NULL, 'M'},
        {"depth", required_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    *o = (struct options){.limit = UINT64_MAX, .depth = UINT64_MAX, .memory = PILGRIM_MEMORY_DEFAULT};
    int option, index = 0;
    if (pilgrim_selection_new(&o->selection) != PILGRIM_OK) {
        complain("out of memory");
        return EXIT_DAMAGED;
    }
    while ((option = getopt_long(argc, argv, "", names, &index)) != -1) {
        if (option == 'h' || option == 'v') {
            fputs(option == 'h' ? usage : "pilgrim-decode " PILGRIM_VERSION_TEXT "\n", stdout);
            fputs(option == 'h' ? help : "", stdout);
            return fflush(stdout) == 0 ? 0 : EXIT_DAMAGED;
        }
        if (!parse_option(option, names[index].name, optarg, o))
            return EXIT_USAGE;
        bool selects = option == SELECTS || option == 'r' || option == 't';
        if (selects && !select_calls(names[index].name, optarg, o))
            return EXIT_USAGE;
    }
    static const enum criterion_name always[] = {SELECT_RANK, SELECT_THREAD, SELECT_FUNC};
    o->function = o->selection->criteria[SELECT_FUNC].text;
    o->selects = selection_besides(o->selection, always, 3) != NULL;
    if ((o->by_rank || o->by_path) && !o->stats)
        return wrong_use("--by needs --stats");
    if (o->folded && !o->by_path)
        return wrong_use("--format=folded needs --stats --by=path");
    bool other = o->grammar || o->communicators || o->system || o->properties || o->matrix;
    if (o->depth != UINT64_MAX && (other || (o->stats && !o->by_path)) && !o->loops)
        return wrong_use("--depth is for calls, --loops and --stats --by=path");
    if (!applies(o))
        return EXIT_USAGE;
    if (optind == argc)
        return wrong_use("no trace is given");
    if (optind + 1 < argc)
        return wrong_use("more than one trace is given");
    o->path = argv[optind];
    return -1;
}

void options_free(struct options *o)
{
    free(o->ranks.ranges);
    free(o->threads.ranges);
    pilgrim_selection_free(o->selection);
}
