/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-merge: makes the trace from fragment files, the same one that the run would have made; pilgrim-merge(1).
 *
 * Fragments are merged segment by segment, in the order of the tree at MPI_Finalize. This order is that of a binary
 * counter: after rank r, as many pairs merge as r has 1 bits at its end. So at most one fragment for each bit is in
 * memory, and the trace has the same bytes. Times sections are copied unchanged, behind all segments.
 *
 * The file has more than 400 lines; its parts follow the way from arguments to the trace.
 *
 * Exit status: 0 the trace is written; 1 it is not; 2 wrong use. */
#define _GNU_SOURCE 1 /* asprintf */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "format/trace_output.h"
#include "merge/fragment_file.h"
#include "write/trace_writer.h"
#include "pilgrim/version.h"

enum { EXIT_USAGE = 2, LEVELS = 34, RANGES_SHOWN = 16 };

#define TRACER "pilgrim " PILGRIM_VERSION_TEXT

static const char usage[] = "usage: pilgrim-merge [-o TRACE] [--partial] FOLDER|FILE...\n";

static const char help[] =
    "\n"
    "Makes a trace from the fragment files of a run whose processes could not merge them in MPI_Finalize.\n"
    "\n"
    "    pilgrim-merge app.pilgrim.fragments\n"
    "\n"
    "  -o, --output=TRACE  the path of the trace; default: that of the folder, without .fragments\n"
    "      --partial       goes on if fragment files are missing or cut off: the trace has the calls that they have\n"
    "  -h, --help          this text\n"
    "  -V, --version       the version\n"
    "\n"
    "Exit status: 0 the trace is written, 1 it is not, 2 wrong use. It never overwrites a file.\n";

/* A fragment file. */
struct rank_file {
    uint32_t rank;
    char *path;
    size_t begin;      /* offset of the first segment or times section */
    size_t at;         /* offset of the next segment */
    uint32_t segments; /* segments that were not read yet */
    uint32_t all_segments;
    bool cut; /* the file ends before its rank did */
};

struct job {
    struct rank_file *files; /* sorted by rank once all are known */
    size_t count;
    size_t capacity;
    struct fragment_head head; /* of the first file that was added; from prepare() on, of the lowest rank */
    struct bytes texts;        /* HEAD's texts */
    char *missing;             /* text: ranks without a file; NULL: none */
    char *cut;                 /* text: ranks whose file is cut off; NULL: none */
    uint32_t missing_count, cut_count;
    bool apart;    /* each rank is a shard of its own */
    char *problem; /* why the first form of the trace could not be read (fragment_problem); NULL: it could */
};

/* Prints a message. Returns false, for the caller to return. */
static bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pilgrim-merge: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

static bool fail_status(const char *path, enum pilgrim_status status)
{
    static const char *const reasons[] = {
        [PILGRIM_NOMEM] = "out of memory",
        [PILGRIM_LIMIT] = "the ranks together are more than a trace can hold",
        [PILGRIM_NOT_TRACE] = "not a fragment file",
        [PILGRIM_VERSION] = "made by another version of Pilgrim",
        [PILGRIM_DAMAGED] = "damaged",
        [PILGRIM_TRUNCATED] = "cut off",
        [PILGRIM_INVALID] = "damaged: not the fragment of its rank",
    };
    return fail("%s: %s", path, status == PILGRIM_IO ? strerror(errno) : reasons[status]);
}

/* Maps the file at PATH into memory. C is at offset AT; the caller passes it to close_file. */
static enum pilgrim_status open_file(const char *path, size_t at, struct cursor *c)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *data = NULL;
    bool good = file >= 0 && !fstat(file, &found);
    size_t length = good ? (size_t)found.st_size : 0;
    if (good && length)
        data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    if (!good || data == MAP_FAILED)
        return PILGRIM_IO;
    cursor_init(c, data, length);
    c->position = at < length ? at : length;
    return PILGRIM_OK;
}

static void close_file(const struct cursor *c)
{
    if (c->length)
        munmap((void *)(uintptr_t)c->data, c->length);
}

/* *SEGMENTS: offset of the first segment. */
static enum pilgrim_status read_head(const char *path, struct fragment_head *head, struct bytes *texts,
                                     size_t *segments)
{
    struct cursor c;
    TRY(open_file(path, 0, &c));
    enum pilgrim_status status = fragment_file_head(c.data, c.length, head, texts, segments);
    close_file(&c);
    return status;
}

/* Counts the segments of FILE. */
static enum pilgrim_status scan(struct rank_file *file)
{
    struct cursor c;
    TRY(open_file(file->path, file->at, &c));
    enum pilgrim_status status = fragment_file_scan(&c, &file->segments);
    close_file(&c);
    return status;
}

/* ---- which files ---- */

/* Adds a file. Copies PATH. */
static enum pilgrim_status add_rank_file(struct job *job, const char *path, uint32_t rank, size_t at)
{
    if (job->count == job->capacity) {
        size_t capacity = job->capacity * 2 + 64;
        struct rank_file *files = realloc(job->files, capacity * sizeof *files);
        if (!files)
            return PILGRIM_NOMEM;
        job->files = files;
        job->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy)
        return PILGRIM_NOMEM;
    job->files[job->count++] = (struct rank_file){.rank = rank, .path = copy, .begin = at, .at = at};
    return PILGRIM_OK;
}

static bool add_file(struct job *job, const char *path)
{
    struct fragment_head head;
    struct bytes texts = {0};
    size_t at = 0;
    enum pilgrim_status status = read_head(path, &head, &texts, &at);
    bool good = status == PILGRIM_OK || fail_status(path, status);
    if (good && strcmp(head.tracer, TRACER) != 0)
        good = fail("%s: made by %s, this is " TRACER, path, head.tracer);
    if (good && job->count && (head.run != job->head.run || head.ranks != job->head.ranks))
        good = fail("%s: not of the same run as %s", path, job->files[0].path);
    if (good) {
        status = add_rank_file(job, path, head.rank, at);
        good = status == PILGRIM_OK || fail_status(path, status);
    }
    if (good && job->count == 1) {
        job->head = head;
        job->texts = texts;
    } else {
        bytes_free(&texts);
    }
    return good;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix);
}

static bool add_folder(struct job *job, const char *path)
{
    DIR *folder = opendir(path);
    size_t before = job->count;
    bool good = folder || fail_status(path, PILGRIM_IO);
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        if (!has_suffix(entry->d_name, FRAGMENT_FILE_SUFFIX))
            continue;
        char *file = NULL;
        good =
            asprintf(&file, "%s/%s", path, entry->d_name) >= 0 ? add_file(job, file) : fail_status(path, PILGRIM_NOMEM);
        free(file);
    }
    if (folder)
        closedir(folder);
    return good && (job->count > before || fail("%s: no fragment files", path));
}

static bool add_path(struct job *job, const char *path)
{
    struct stat found;
    if (stat(path, &found))
        return fail_status(path, PILGRIM_IO);
    return S_ISDIR(found.st_mode) ? add_folder(job, path) : add_file(job, path);
}

static int file_order(const void *a, const void *b)
{
    const struct rank_file *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* ---- which ranks ---- */

static void put_range(struct bytes *text, uint32_t first, uint32_t end)
{
    char range[32];
    int length = snprintf(range, sizeof range, end - first > 1 ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32,
                          text->length ? ", " : "", first, end - 1);
    bytes_put(text, range, (size_t)length);
}

/* Ranges of ranks, in ascending order. */
struct ranges {
    struct bytes text;
    uint32_t first, end; /* the last range, which may still grow */
    unsigned count;
};

static void end_range(struct ranges *r)
{
    if (r->end > r->first && r->count++ < RANGES_SHOWN)
        put_range(&r->text, r->first, r->end);
    else if (r->end > r->first && r->count == RANGES_SHOWN + 1)
        bytes_put(&r->text, ", ...", strlen(", ..."));
}

/* Adds the ranks from FIRST to END - 1, which follow all ranks added so far. */
static void add_range(struct ranges *r, uint32_t first, uint32_t end)
{
    if (first > r->end || r->end == r->first) {
        end_range(r);
        r->first = first;
    }
    r->end = end;
}

/* *TEXT: the ranges, for the caller to free, or NULL if there are none. */
static bool finish_ranges(struct ranges *r, char **text)
{
    end_range(r);
    *text = NULL;
    if (!r->text.length)
        return true;
    bytes_put_u8(&r->text, 0);
    *text = (char *)r->text.data;
    return bytes_status(&r->text) == PILGRIM_OK || fail_status("ranks", PILGRIM_NOMEM);
}

/* Finds the ranks without a file. */
static bool find_missing(struct job *job)
{
    struct ranges found = {0};
    uint32_t next = 0;
    for (size_t i = 0; i <= job->count; i++) {
        uint32_t rank = i < job->count ? job->files[i].rank : job->head.ranks;
        if (rank > next)
            add_range(&found, next, rank);
        next = rank + 1;
    }
    job->missing_count = job->head.ranks - (uint32_t)job->count;
    return finish_ranges(&found, &job->missing);
}

/* Counts the segments of all files, and finds the files that end before their ranks did. These are an error unless
 * PARTIAL. */
static bool find_cut(struct job *job, bool partial)
{
    struct ranges found = {0};
    for (size_t i = 0; i < job->count; i++) {
        struct rank_file *file = &job->files[i];
        enum pilgrim_status status = scan(file);
        file->cut = status == PILGRIM_TRUNCATED;
        file->all_segments = file->segments;
        if (status != PILGRIM_OK && !(file->cut && partial)) {
            bytes_free(&found.text);
            return fail_status(file->path, status);
        }
        if (file->cut)
            add_range(&found, file->rank, file->rank + 1);
        job->cut_count += file->cut;
    }
    return finish_ranges(&found, &job->cut);
}

static bool fail_ranks(const struct job *job, const char *ranks, uint32_t count, const char *what)
{
    return fail("rank%s %s of %" PRIu32 " %s %s", count == 1 ? "" : "s", ranks, job->head.ranks,
                count == 1 ? "is" : "are", what);
}

/* Sorts and checks the files that were added. */
static bool prepare(struct job *job, bool partial)
{
    qsort(job->files, job->count, sizeof *job->files, file_order);
    for (size_t i = 1; i < job->count; i++)
        if (job->files[i].rank == job->files[i - 1].rank)
            return fail("rank %" PRIu32 " has two files: %s and %s", job->files[i].rank, job->files[i - 1].path,
                        job->files[i].path);
    if (!find_missing(job))
        return false;
    if (job->missing && !partial)
        return fail_ranks(job, job->missing, job->missing_count, "missing");
    if (!find_cut(job, partial))
        return false;
    size_t ignored;
    bytes_free(&job->texts);
    enum pilgrim_status status = read_head(job->files[0].path, &job->head, &job->texts, &ignored);
    return status == PILGRIM_OK || fail_status(job->files[0].path, status);
}

/* ---- the merge ---- */

/* Reads the next segment of FILE. */
static enum pilgrim_status read_fragment(struct rank_file *file, struct fragment **f)
{
    struct cursor c;
    TRY(open_file(file->path, file->at, &c));
    enum pilgrim_status status = fragment_file_next(&c, f);
    file->at = c.position;
    file->segments--;
    close_file(&c);
    return status == PILGRIM_OK && !*f ? PILGRIM_DAMAGED : status;
}

/* Makes the fragment of a rank that does nothing in a segment: no threads, and a process stream without calls. */
static enum pilgrim_status make_absent(uint32_t rank, struct fragment **f)
{
    static const struct vocabulary nothing;
    struct stream *process = stream_new(&nothing, NULL);
    enum pilgrim_status status = PILGRIM_NOMEM;
    *f = fragment_new(rank);
    if (process && *f)
        status = fragment_add_rank(*f, process, NULL, 0);
    stream_free(process);
    if (status != PILGRIM_OK) {
        fragment_free(*f);
        *f = NULL;
    }
    return status;
}

static void note_problem(struct job *job, const struct fragment *f)
{
    if (*fragment_problem(f) && !job->problem)
        job->problem = strdup(fragment_problem(f));
}

/* True if STATUS means that the trace could not be read and write_trace will be called again with each rank as a shard
 * of its own. It is no failure then. */
static bool tries_apart(const struct job *job, enum pilgrim_status status)
{
    return status == PILGRIM_DAMAGED && job->problem && !job->apart;
}

/* Returns true if STATUS is PILGRIM_OK, else prints what happened to NAME, unless it will be tried again. */
static bool came_well(const struct job *job, const char *name, enum pilgrim_status status)
{
    if (status == PILGRIM_OK)
        return true;
    if (tries_apart(job, status))
        return false;
    if (status == PILGRIM_DAMAGED && job->problem)
        return fail("%s: the trace could not be read back (%s), so none is written; the fragment files stay", name,
                    job->problem);
    return fail_status(name, status);
}

/* Merges the last two of *COUNT fragments. */
static enum pilgrim_status merge_last(struct job *job, struct fragment **stack, unsigned *count)
{
    struct fragment *last = stack[--*count];
    bool finalised;
    enum pilgrim_status status = job->apart ? fragment_finalise_now(last, job->head.times)
                                            : fragment_finalise(last, job->head.times, &finalised);
    note_problem(job, last);
    if (status == PILGRIM_OK)
        status = fragment_merge(stack[*count - 1], last);
    note_problem(job, stack[*count - 1]);
    fragment_free(last);
    return status;
}

/* Adds the next segment of RANK to the fragments on STACK. FILE is NULL if the rank has no further segment. */
static bool merge_rank(struct job *job, struct rank_file *file, uint32_t rank, struct fragment **stack, unsigned *count)
{
    const char *name = file ? file->path : "a rank without calls";
    enum pilgrim_status status = file ? read_fragment(file, &stack[*count]) : make_absent(rank, &stack[*count]);
    if (status == PILGRIM_OK)
        ++*count;
    for (uint32_t bits = rank; status == PILGRIM_OK && bits & 1; bits >>= 1)
        status = merge_last(job, stack, count);
    return came_well(job, name, status);
}

/* Returns the fragment of all ranks of the next segment, for the caller to free, or NULL after a message. */
static struct fragment *merge_segment(struct job *job)
{
    struct fragment *stack[LEVELS];
    unsigned count = 0;
    size_t next = 0;
    bool good = true;
    for (uint32_t rank = 0; good && rank < job->head.ranks; rank++) {
        bool there = next < job->count && job->files[next].rank == rank;
        good = merge_rank(job, there && job->files[next].segments ? &job->files[next] : NULL, rank, stack, &count);
        next += there;
    }
    while (good && count > 1) {
        enum pilgrim_status status = merge_last(job, stack, &count);
        good = came_well(job, "all ranks", status);
    }
    while (!good && count)
        fragment_free(stack[--count]);
    return good ? stack[0] : NULL;
}

/* ---- the trace ---- */

/* A trace that is being written. */
struct trace {
    struct trace_output file;
    uint64_t calls;
    uint32_t segments;
};

/* Begins the trace. Its first segment has the properties of the run. */
static enum pilgrim_status begin_trace(const struct job *job, struct fragment *f, struct bytes *out)
{
    for (size_t i = 0; i < job->head.property_count; i++)
        TRY(fragment_set_property(f, job->head.properties[i].key, job->head.properties[i].value));
    if (job->missing)
        TRY(fragment_set_property(f, "missing", job->missing));
    if (job->cut)
        TRY(fragment_set_property(f, "cut", job->cut));
    return trace_write_begin(out);
}

static enum pilgrim_status make_segment(const struct job *job, const struct trace *trace, struct fragment *f,
                                        struct bytes *out)
{
    if (!trace->segments)
        TRY(begin_trace(job, f, out));
    return trace_write_segment(f, job->head.times, trace->segments > 0, out);
}

static bool has_segments(const struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->files[i].segments)
            return true;
    return false;
}

/* Merges and writes the next segment. */
static bool write_segment(struct job *job, struct trace *trace)
{
    struct bytes made = {0};
    struct fragment *f = merge_segment(job);
    if (!f)
        return false;
    enum pilgrim_status status = make_segment(job, trace, f, &made);
    trace->calls += fragment_calls(f);
    trace->segments++;
    note_problem(job, f);
    fragment_free(f);
    if (status == PILGRIM_OK)
        status = output_append(&trace->file, made.data, made.length);
    bytes_free(&made);
    return came_well(job, (const char *)trace->file.path.data, status);
}

static enum pilgrim_status copy_sections(struct trace *trace, const struct rank_file *file, struct cursor *c)
{
    const uint8_t *times;
    size_t length;
    for (;;) {
        enum pilgrim_status status = fragment_file_times(c, &times, &length);
        if (status == PILGRIM_TRUNCATED && file->cut)
            return PILGRIM_OK;
        TRY(status);
        if (!times)
            return PILGRIM_OK;
        TRY(output_append(&trace->file, times, length));
    }
}

/* Copies all times sections of FILE. Some may be of calls that the file does not have. */
static enum pilgrim_status copy_times(struct trace *trace, const struct rank_file *file)
{
    struct cursor c;
    TRY(open_file(file->path, file->begin, &c));
    enum pilgrim_status status = copy_sections(trace, file, &c);
    close_file(&c);
    return status;
}

/* Writes what follows the segments: times and the end. */
static bool write_rest(const struct job *job, struct trace *trace)
{
    struct bytes end = {0};
    for (size_t i = 0; i < job->count; i++) {
        enum pilgrim_status status = copy_times(trace, &job->files[i]);
        if (status != PILGRIM_OK)
            return fail_status(job->files[i].path, status);
    }
    enum pilgrim_status status = trace_write_end(&end);
    if (status == PILGRIM_OK)
        status = output_append(&trace->file, end.data, end.length);
    bytes_free(&end);
    return status == PILGRIM_OK || fail_status((const char *)trace->file.path.data, status);
}

static bool end_trace(const struct job *job, struct trace *trace)
{
    struct bytes written = {0};
    uint64_t length = trace->file.length;
    enum pilgrim_status status = output_end(&trace->file, &written);
    bool good =
        status == PILGRIM_OK || fail_status(status == PILGRIM_IO ? (const char *)written.data : "the trace", status);
    if (good && job->missing)
        (void)fail_ranks(job, job->missing, job->missing_count, "missing; the trace has none of their calls");
    if (good && job->cut)
        (void)fail_ranks(job, job->cut, job->cut_count, "cut off; the trace has only their first calls");
    if (good)
        printf("%" PRIu64 " calls of %" PRIu32 " ranks in %s, %" PRIu64 " bytes\n", trace->calls, job->head.ranks,
               (const char *)written.data, length);
    bytes_free(&written);
    return good;
}

/* Starts again with the first segment, with each rank as a shard of its own. */
static void begin_apart(struct job *job)
{
    (void)fail("the merged trace could not be read back (%s); now each rank is written as a shard of its own",
               job->problem);
    free(job->problem);
    job->problem = NULL;
    job->apart = true;
    for (size_t i = 0; i < job->count; i++) {
        job->files[i].at = job->files[i].begin;
        job->files[i].segments = job->files[i].all_segments;
    }
}

static bool write_trace(struct job *job, const char *path)
{
    struct trace trace = {0};
    enum pilgrim_status status = output_begin(&trace.file, path);
    bool good = status == PILGRIM_OK || fail_status(path, status);
    do
        good = good && write_segment(job, &trace);
    while (good && has_segments(job));
    good = good && write_rest(job, &trace) && end_trace(job, &trace);
    output_cancel(&trace.file);
    if (good && job->problem)
        (void)fail("a shard could not be read back (%s), so it is written in another form; please report this",
                   job->problem);
    return good;
}

/* Returns the path of the trace if no option gives it: the folder's name without the suffix, or else the last part of
 * the name that the run would have used. The caller frees it. */
static char *default_path(const struct job *job, const char *argument)
{
    size_t length = strlen(argument);
    while (length > 1 && argument[length - 1] == '/')
        length--;
    char *path = strndup(argument, length);
    if (path && has_suffix(path, OUTPUT_FOLDER_SUFFIX)) {
        path[length - strlen(OUTPUT_FOLDER_SUFFIX)] = 0;
        return path;
    }
    const char *slash = strrchr(job->head.trace, '/');
    free(path);
    return strdup(slash ? slash + 1 : job->head.trace);
}

static bool run(struct job *job, char **arguments, const char *output, bool partial)
{
    bool good = true;
    for (char **argument = arguments; good && *argument; argument++)
        good = add_path(job, *argument);
    if (!good || !prepare(job, partial))
        return false;
    char *path = output ? strdup(output) : default_path(job, arguments[0]);
    good = path ? write_trace(job, path) : fail_status(arguments[0], PILGRIM_NOMEM);
    if (!good && tries_apart(job, PILGRIM_DAMAGED)) {
        begin_apart(job);
        good = write_trace(job, path);
    }
    free(path);
    return good;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"partial", no_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'V'},
                                            {NULL, 0, NULL, 0}};
    const char *output = NULL;
    bool partial = false;
    for (int option; (option = getopt_long(argc, argv, "o:hV", options, NULL)) != -1;)
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'p':
            partial = true;
            break;
        case 'h':
            printf("%s%s", usage, help);
            return EXIT_SUCCESS;
        case 'V':
            puts("pilgrim-merge " PILGRIM_VERSION_TEXT);
            return EXIT_SUCCESS;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    if (optind == argc || (output && !*output)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    struct job job = {0};
    bool good = run(&job, argv + optind, output, partial);
    for (size_t i = 0; i < job.count; i++)
        free(job.files[i].path);
    free(job.files);
    free(job.missing);
    free(job.cut);
    free(job.problem);
    bytes_free(&job.texts);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
