/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the end of runs of up to a million ranks, without MPI. What each of the ranks does is recorded, and the
 * fragments are merged as at MPI_Finalize. The trace is written, read again and compared with what the pattern
 * defines.
 *
 * usage: scale [--ranks=N,...] [--iterations=N] [--pairs=N] [--folder=FOLDER] [--odd-pids] [--levels] [--check]
 *              [PATTERN...]
 *
 *   --ranks=N,...     powers of two from 64 on (64,1024,16384); 2^20 ranks take minutes a pattern
 *   --iterations=N    of each rank's loop (10)
 *   --pairs=N         calls compared with the truth, besides one whole rank (1000)
 *   --folder=FOLDER   where the traces PATTERN-RANKS.pilgrim are left (.)
 *   --odd-pids        each host counts its processes from a different number
 *   --levels          prints also what each step of the tree took
 *   --check           only compares the traces that are in FOLDER
 *
 * The columns of a row:
 *   * structure groups;
 *   * bytes of the file, and their ratio to the bytes on 1024 ranks;
 *   * the longest chain of merges, and the most memory that one process had of fragments and messages, without
 *     its recording;
 *   * the slowest rank's time from what it recorded to its fragment, and the most memory for that;
 *   * the time of writing the file, and the memory for it;
 *   * the time of recording, all ranks one after another, and the most memory that one rank had for it;
 *   * the calls compared.
 *
 * Times are CPU times, so other load on the machine matters little.
 *
 * Exit status: 0; 1 if a trace has other calls than were made; 2 for wrong use. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "scale_check.h"
#include "scale_tree.h"

enum { SIZES_MAX = 16, TABLE_BASE_RANKS = 1024, ZSTD_LEVEL = 19 };

struct options {
    uint64_t ranks[SIZES_MAX];
    size_t size_count;
    uint32_t iterations;
    uint64_t pairs;
    const char *folder;
    bool odd_pids;
    bool levels;
    bool check;
};

static void die(const char *what)
{
    fprintf(stderr, "scale: %s\n", what);
    exit(2);
}

/* Returns the number at *TEXT, and moves *TEXT behind it and a comma. */
static uint64_t next_number(const char **text)
{
    char *end;
    uint64_t n = strtoull(*text, &end, 10);
    if (end == *text || !n || (*end && *end != ','))
        die("not a number");
    *text = end + (*end == ',');
    return n;
}

static uint64_t number(const char *text)
{
    uint64_t n = next_number(&text);
    if (*text)
        die("not a number");
    return n;
}

static void parse_ranks(const char *text, struct options *o)
{
    for (o->size_count = 0; *text; o->size_count++) {
        if (o->size_count == SIZES_MAX)
            die("too many sizes");
        o->ranks[o->size_count] = next_number(&text);
        if (!pattern_fits(pattern_at(0), o->ranks[o->size_count]))
            die("ranks are powers of two, 64 or more");
    }
}

static void parse_options(int argc, char **argv, struct options *o)
{
    static const struct option table[] = {
        {"ranks", required_argument, NULL, 'r'}, {"iterations", required_argument, NULL, 'i'},
        {"pairs", required_argument, NULL, 'p'}, {"folder", required_argument, NULL, 'f'},
        {"odd-pids", no_argument, NULL, 'o'},    {"levels", no_argument, NULL, 'l'},
        {"check", no_argument, NULL, 'c'},       {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        switch (option) {
        case 'r':
            parse_ranks(optarg, o);
            break;
        case 'i':
            o->iterations = (uint32_t)number(optarg);
            break;
        case 'p':
            o->pairs = number(optarg);
            break;
        case 'f':
            o->folder = optarg;
            break;
        case 'o':
            o->odd_pids = true;
            break;
        case 'l':
            o->levels = true;
            break;
        case 'c':
            o->check = true;
            break;
        default:
            exit(2);
        }
    }
}

static void save(const char *path, const struct bytes *file)
{
    FILE *to = fopen(path, "wb");
    bool good = to && fwrite(file->data, 1, file->length, to) == file->length;
    if (!to || fclose(to) || !good) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static double kib(size_t bytes)
{
    return (double)bytes / 1024;
}

static void print_head(void)
{
    printf("%-10s %8s %7s %9s %6s %8s %9s %8s %9s %8s %9s %8s %9s %7s\n", "pattern", "ranks", "groups", "bytes",
           "ratio", "path ms", "peak KiB", "own ms", "own KiB", "write ms", "write KiB", "record s", "rec. KiB",
           "checked");
}

/* Prints a row. RATIO: of bytes to those on TABLE_BASE_RANKS ranks; 0: not known. */
static void print_row(const struct world *w, const struct tree_result *t, const struct check_result *c, size_t bytes,
                      double ratio)
{
    char text[16] = "-";
    if (ratio > 0)
        snprintf(text, sizeof text, "%.2f", ratio);
    printf("%-10s %8" PRIu32 " %7" PRIu64 " %9zu %6s %8.2f %9.1f %8.2f %9.1f %8.2f %9.1f %8.2f %9.1f %7" PRIu64 "\n",
           pattern_name(w->pattern), w->ranks, c->groups, bytes, text, 1e3 * t->path_s, kib(t->peak_bytes),
           1e3 * t->own_longest_s, kib(t->own_bytes), 1e3 * t->write_s, kib(t->write_bytes), t->record_s,
           kib(t->record_bytes), c->pairs + c->whole);
    fflush(stdout);
}

static void print_levels(const struct tree_result *t)
{
    printf("    %8s %9s %10s %10s %12s\n", "step", "merges", "mean us", "longest us", "longest B");
    for (unsigned i = 0; i < t->levels; i++) {
        const struct tree_level *l = &t->level[i];
        printf("    %8u %9" PRIu64 " %10.1f %10.1f %12zu\n", 1u << i, l->merges, 1e6 * l->total_s / (double)l->merges,
               1e6 * l->longest_s, l->longest_bytes);
    }
}

/* Prints a row for the random graph itself: its neighbours as an array of ranks, compressed as a file. */
static void print_graph(const struct world *w, const struct tree_result *t, size_t bytes)
{
    size_t raw = (size_t)w->ranks * GRAPH_DEGREE * sizeof *w->neighbours, bound = ZSTD_compressBound(raw);
    void *packed = malloc(bound);
    if (!packed)
        die("out of memory");
    double began = cpu_seconds();
    size_t length = ZSTD_compress(packed, bound, w->neighbours, raw, ZSTD_LEVEL);
    double seconds = cpu_seconds() - began;
    free(packed);
    printf("    neighbour lists: %zu bytes, zstd -%d %zu in %.2f s; the trace is %.3f of that, path and writing took "
           "%.2f s\n",
           raw, ZSTD_LEVEL, length, seconds, (double)bytes / (double)length, t->path_s + t->write_s);
}

/* Does one run. True: what is read is what was made. *BASE: the bytes of the file on TABLE_BASE_RANKS ranks. */
static bool run(const struct options *o, const struct pattern *p, uint32_t ranks, size_t *base)
{
    struct world w;
    struct tree_result t = {0};
    struct check_result c;
    struct bytes file = {0};
    char path[4096];
    world_init(&w, p, ranks, o->iterations);
    w.odd_pids = o->odd_pids;
    snprintf(path, sizeof path, "%s/%s-%" PRIu32 ".pilgrim", o->folder, pattern_name(p), ranks);
    if (!o->check) {
        tree_run(&w, &t, &file);
        save(path, &file);
    }
    bool good = check_trace(&w, path, o->pairs, &c) && c.wrong == 0;
    if (o->check) {
        printf("%s %s-%" PRIu32 ": %" PRIu64 " calls and a whole rank of %" PRIu64 " compared, %" PRIu64
               " wrong, %.0f us a call\n",
               good ? "PASS" : "FAIL", pattern_name(p), ranks, c.pairs, c.whole, c.wrong,
               1e6 * c.seconds / (double)(c.pairs + !c.pairs));
    } else {
        if (ranks == TABLE_BASE_RANKS)
            *base = file.length;
        print_row(&w, &t, &c, file.length, *base ? (double)file.length / (double)*base : 0);
        if (o->levels)
            print_levels(&t);
        if (w.neighbours)
            print_graph(&w, &t, file.length);
    }
    bytes_free(&file);
    world_free(&w);
    return good;
}

static bool run_pattern(const struct options *o, const struct pattern *p)
{
    bool good = true;
    size_t base = 0;
    for (size_t i = 0; i < o->size_count; i++)
        if (pattern_fits(p, o->ranks[i]))
            good &= run(o, p, (uint32_t)o->ranks[i], &base);
    return good;
}

int main(int argc, char **argv)
{
    struct options o = {
        .ranks = {1 << 6, 1 << 10, 1 << 14}, .size_count = 3, .iterations = 10, .pairs = 1000, .folder = "."};
    bool good = true;
    parse_options(argc, argv, &o);
    for (int i = optind; i < argc; i++)
        if (!pattern_find(argv[i]))
            die("no such pattern");
    if (!o.check)
        print_head();
    for (size_t i = 0; pattern_at(i); i++) {
        bool wanted = optind == argc;
        for (int k = optind; k < argc; k++)
            wanted |= pattern_find(argv[k]) == pattern_at(i);
        if (wanted)
            good &= run_pattern(&o, pattern_at(i));
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
