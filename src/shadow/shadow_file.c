/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow's lines and its file; see shadow_file.h.
 *
 * A line is written at once, at the end of its call. A released object is written when it is released, so that no line
 * of another thread can use its name before. So objects that a call releases (MPI_Comm_free) stand before the call's
 * own line. Until the rank is known, lines wait in memory without rank and thread number, because both may still
 * change. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/capture.h"
#include "shadow/shadow_file.h"
#include "shadow/shadow_text.h"
#include "process/thread.h"
#include "functions.h"
#include "objects/sharing.h"

/* A waiting line, of a call of THREAD, or of a released object if THREAD is NULL. */
struct waiting_line {
    const struct thread *thread;
    struct bytes text;
};

static struct {
    pthread_mutex_t lock;
    int file; /* -1: not open yet */
    int rank;
    bool stopped;
    struct waiting_line *waiting;
    size_t count, capacity;
} out = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

struct shadow *shadow_new(struct thread *t)
{
    struct shadow *s = calloc(1, sizeof *s);
    if (s)
        s->thread = t;
    return s;
}

void shadow_begin(struct shadow *s, uint32_t function, const void *site, bool fortran, const struct shadow *outer)
{
    const unsigned depth = s->thread->stacks ? capture.settings.stack : 1;
    s->function = function;
    s->fortran = fortran;
    if (outer)
        shadow_site_take_inside(&s->site, site, depth, vocabulary.functions[outer->function].name, &outer->site);
    else
        shadow_site_take(&s->site, site, depth);
    s->text.length = s->raw.length = 0;
    memset(s->in, 0, sizeof s->in);
    memset(s->out, 0, sizeof s->out);
    memset(&s->result, 0, sizeof s->result);
    s->slot = NULL;
    s->operation_count = 0;
}

/* ---- the file; with the lock held ---- */

static bool write_whole(const void *data, size_t length)
{
    const uint8_t *at = data;
    while (length) {
        ssize_t done = write(out.file, at, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            capture_fail("the shadow cannot be written");
            out.stopped = true;
            return false;
        }
        at += done;
        length -= (size_t)done;
    }
    return true;
}

/* Writes a line. If T is not NULL, TEXT lacks the rank and the thread number. */
static void write_line(const struct thread *t, const struct bytes *text)
{
    char head[64];
    int length = t ? snprintf(head, sizeof head, "{\"rank\":%d,\"thread\":%" PRIu32 ",", out.rank, t->index) : 0;
    struct bytes line = {0};
    bytes_put(&line, head, (size_t)length);
    bytes_put(&line, text->data, text->length);
    bytes_put(&line, "\n", 1);
    if (line.failed)
        out.stopped = true;
    else
        write_whole(line.data, line.length);
    bytes_free(&line);
}

static void wait_line(const struct thread *t, const struct bytes *text)
{
    if (out.count == out.capacity) {
        size_t capacity = out.capacity * 2 + 64;
        struct waiting_line *grown = realloc(out.waiting, capacity * sizeof *grown);
        if (!grown) {
            out.stopped = true;
            return;
        }
        out.waiting = grown;
        out.capacity = capacity;
    }
    struct waiting_line *w = &out.waiting[out.count++];
    *w = (struct waiting_line){.thread = t};
    bytes_put(&w->text, text->data, text->length);
}

static void emit(const struct thread *t, const struct bytes *text)
{
    if (out.stopped)
        return;
    if (out.file < 0)
        wait_line(t, text);
    else
        write_line(t, text);
}

static int open_new(const char *folder, int rank, bool numbered)
{
    char path[4096];
    int flags = O_CREAT | O_WRONLY | O_CLOEXEC | (numbered ? O_EXCL : O_TRUNC);
    for (unsigned number = 0;; number++) {
        int length = number ? snprintf(path, sizeof path, "%s/shadow.%d.%u.jsonl", folder, rank, number)
                            : snprintf(path, sizeof path, "%s/shadow.%d.jsonl", folder, rank);
        if (length < 0 || (size_t)length >= sizeof path)
            return -1;
        int file = open(path, flags, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
}

bool shadow_open_file(const char *folder, int rank, bool numbered)
{
    pthread_mutex_lock(&out.lock);
    out.rank = rank;
    if (out.file < 0)
        out.file = open_new(folder, rank, numbered);
    for (size_t i = 0; i < out.count; i++) {
        if (out.file >= 0)
            write_line(out.waiting[i].thread, &out.waiting[i].text);
        bytes_free(&out.waiting[i].text);
    }
    free(out.waiting);
    out.waiting = NULL;
    out.count = out.capacity = 0;
    bool good = out.file >= 0 && !out.stopped;
    pthread_mutex_unlock(&out.lock);
    return good;
}

void shadow_stop(void)
{
    pthread_mutex_lock(&out.lock);
    out.stopped = true;
    if (out.file >= 0)
        close(out.file);
    out.file = -1;
    pthread_mutex_unlock(&out.lock);
}

/* ---- releases ---- */

static void released(const char *name)
{
    if (atomic_load(&capture.off) & (OFF_FINISHED | OFF_CHILD))
        return;
    struct bytes event = {0};
    text_print(&event, "{\"released\":\"%s\"}", name);
    pthread_mutex_lock(&out.lock);
    emit(NULL, &event);
    pthread_mutex_unlock(&out.lock);
    bytes_free(&event);
}

void shadow_follow(void)
{
    objects_release_hook = released;
}

/* ---- a call's line ---- */

static void put_text(struct bytes *b, const char *text)
{
    bytes_put(b, text, strlen(text));
}

static void put_slice(struct shadow *s, const struct shadow_slot *slot)
{
    if (slot->value.length)
        bytes_put(&s->line, s->text.data + slot->value.start, slot->value.length);
    else
        put_text(&s->line, "null");
}

static void put_arguments(struct shadow *s, const struct function_descriptor *f)
{
    put_text(&s->line, "\"args\":{");
    for (unsigned i = 0; i < f->parameter_count; i++) {
        const struct parameter_descriptor *p = &f->parameters[i];
        text_print(&s->line, "%s\"%s\":", i ? "," : "", p->name);
        if (p->direction == DIRECTION_INOUT)
            put_text(&s->line, "{\"in\":");
        if (p->direction & DIRECTION_IN)
            put_slice(s, &s->in[i]);
        if (p->direction == DIRECTION_INOUT)
            put_text(&s->line, ",\"out\":");
        if (p->direction & DIRECTION_OUT)
            put_slice(s, &s->out[i]);
        if (p->direction == DIRECTION_INOUT)
            put_text(&s->line, "}");
    }
    put_text(&s->line, "},\"ret\":");
    put_slice(s, &s->result);
}

static void put_raw(struct shadow *s, const char *name, const char *mark, const struct shadow_slot *slot, bool *first)
{
    if (!slot->raw.length)
        return;
    text_print(&s->line, "%s\"%s%s\":%s", *first ? "" : ",", name, mark, slot->raw_list ? "[" : "");
    bytes_put(&s->line, s->raw.data + slot->raw.start, slot->raw.length);
    if (slot->raw_list)
        put_text(&s->line, "]");
    *first = false;
}

/* Computes the times from the clock readings alone, not from what the stream made of them. */
static void put_times(struct shadow *s, uint64_t start, uint64_t end)
{
    if (clock_source == CLOCK_SOURCE_NONE)
        return;
    uint64_t start_ns = clock_time_ns(start), end_ns = clock_time_ns(end);
    if (start_ns < s->end_ns)
        start_ns = s->end_ns;
    s->end_ns = end_ns > start_ns ? end_ns : start_ns;
    text_print(&s->line, ",\"start\":%" PRIu64 ",\"end\":%" PRIu64, start_ns, s->end_ns);
}

void shadow_end(struct shadow *s, uint64_t seq, uint64_t start, uint64_t end)
{
    const struct function_descriptor *f = &vocabulary.functions[s->function];
    bool first = true;
    s->line.length = 0;
    text_print(&s->line, "\"seq\":%" PRIu64 ",\"func\":\"%s\",%s", seq, f->name,
               s->fortran ? "\"lang\":\"fortran\"," : "");
    put_arguments(s, f);
    shadow_site_put(&s->site, &s->line);
    put_times(s, start, end);
    put_text(&s->line, ",\"raw\":{");
    for (unsigned i = 0; i < f->parameter_count; i++) {
        put_raw(s, f->parameters[i].name, "", &s->in[i], &first);
        put_raw(s, f->parameters[i].name, ">", &s->out[i], &first);
    }
    put_text(&s->line, "}}");
    if (s->text.failed || s->raw.failed || s->line.failed) {
        capture_fail("out of memory for the shadow");
        return;
    }
    pthread_mutex_lock(&out.lock);
    emit(s->thread, &s->line);
    pthread_mutex_unlock(&out.lock);
}
