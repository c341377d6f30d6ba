/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard input as a trace, and what is chosen of a trace; see trace_input.h. */
#include "trace_input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode_errors.h"

/* Copies the standard input to FILE. False: errno says why. */
static bool copy_input(FILE *file)
{
    char bytes[1 << 16];
    ssize_t count;
    while ((count = read(STDIN_FILENO, bytes, sizeof bytes)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || fwrite(bytes, 1, (size_t)count, file) != (size_t)count)
            return false;
    }
    return fflush(file) == 0;
}

const char *input_path(const char *path, char place[INPUT_PATH_MAX], FILE **copy)
{
    struct stat file;
    *copy = NULL;
    if (strcmp(path, "-") != 0)
        return path;
    if (fstat(STDIN_FILENO, &file) != 0)
        return NULL;
    int descriptor = STDIN_FILENO;
    if (!S_ISREG(file.st_mode)) {
        *copy = tmpfile();
        if (!*copy || !copy_input(*copy))
            return NULL;
        descriptor = fileno(*copy);
    }
    snprintf(place, INPUT_PATH_MAX, "/proc/self/fd/%d", descriptor);
    return place;
}

/* Prints that the trace has COUNT of WHAT, of which NUMBER is none. */
static void complain_none(const char *option, const struct number_list *list, const char *what, uint32_t count)
{
    char range[32];
    snprintf(range, sizeof range, count > 1 ? "%ss 0-%u" : "%s 0", what, count - 1);
    const struct number_range first = list->ranges[0];
    if (list->count > 1 || first.first != first.last)
        complain("%s: no such %s: the trace has %s", option, what, range);
    else
        complain("%s: no %s %u: the trace has %s", option, what, first.first, range);
}

bool input_has_chosen(const struct pilgrim_trace *trace, const struct options *o)
{
    const uint32_t ranks = pilgrim_rank_count(trace);
    uint32_t most = 0;
    bool has_rank = false, has_thread = false;
    for (uint32_t rank = 0; rank < ranks && !has_thread; rank++) {
        if (!list_has(&o->ranks, rank))
            continue;
        has_rank = true;
        const uint32_t threads = pilgrim_thread_count(trace, rank);
        most = threads > most ? threads : most;
        for (uint32_t thread = 0; thread < threads && !has_thread; thread++)
            has_thread = list_has(&o->threads, thread);
    }
    if (o->ranks.count && ranks && !has_rank)
        complain_none("--rank", &o->ranks, "rank", ranks);
    else if (o->threads.count && most && !has_thread)
        complain_none("--thread", &o->threads, "thread", most);
    else
        return true;
    return false;
}
