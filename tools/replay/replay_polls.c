/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that poll; see replay_polls.h. */
#include "replay_polls.h"

#include "analysis/polls.h"

enum { CALLS_READ_MAX = 10000000 };

static struct poll_class *class_of(struct replay_polls *p, const struct pilgrim_class *class)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->classes[i].class == class)
            return &p->classes[i];
    return NULL;
}

/* Notes the classes that ask if something has happened. */
static void note_classes(struct replay_polls *p)
{
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    pilgrim_thread_info(p->held, &info);
    for (size_t i = 0; i < info.class_count && p->count < POLL_CLASSES_MAX; i++)
        if (pilgrim_class_info(p->held, i, &class) == PILGRIM_OK && !class.body &&
            call_poll_parameter(class.class_->function) >= 0)
            p->classes[p->count++] = (struct poll_class){.class = class.class_};
}

/* Learns which classes end runs of failed polls otherwise than by success. */
static void read_runs(struct replay_polls *p)
{
    struct pilgrim_call call;
    struct poll_class *failed = NULL; /* the class of the call before, a failed poll */
    for (uint64_t calls = 0;
         p->count && calls < CALLS_READ_MAX && pilgrim_cursor_next(p->held, &call, NULL) == PILGRIM_OK; calls++) {
        if (failed && failed->class != call.class_)
            failed->works = true;
        struct poll_class *c = class_of(p, call.class_);
        failed = c && call_is_failed_poll(&call) ? c : NULL;
    }
    if (failed)
        failed->works = true;
}

void polls_open(struct replay_polls *p, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    *p = (struct replay_polls){.count = 0};
    if (pilgrim_segment_count(trace) != 1 || pilgrim_cursor_open(trace, rank, thread, &p->held, NULL) != PILGRIM_OK)
        return;
    note_classes(p);
    read_runs(p);
}

void polls_close(struct replay_polls *p)
{
    pilgrim_cursor_close(p->held);
    *p = (struct replay_polls){.count = 0};
}

bool polls_come(struct replay_polls *p, const struct pilgrim_call *call, double gap)
{
    struct poll_class *c = p->count ? class_of(p, call->class_) : NULL;
    const bool again = c && c == p->in;
    if (again) {
        p->ns += gap;
        p->gaps++;
        c->interval_ns = p->ns / (double)p->gaps;
    } else {
        p->ns = 0;
        p->gaps = 0;
    }
    p->in = c && !c->works && call_is_failed_poll(call) ? c : NULL;
    return again;
}

double polls_interval(struct replay_polls *p, const struct pilgrim_call *call)
{
    const struct poll_class *c = p->count ? class_of(p, call->class_) : NULL;
    return c && !c->works ? c->interval_ns : 0;
}
