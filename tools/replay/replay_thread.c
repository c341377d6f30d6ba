/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop over a thread's calls: wait for the gap, make the arguments, call MPI, learn what it made. */
#include "replay_thread.h"

#include <mpi.h>
#include <string.h>

#include "replay_actions.h"
#include "replay_ending.h"
#include "replay_files.h"
#include "replay_persistent.h"
#include "replay_recorder.h"
#include "replay_uses.h"

static const struct pilgrim_value NOTHING = {.type = PILGRIM_NONE};

static const struct replay_action *action_named(const char *name)
{
    size_t low = 0, high = replay_action_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, replay_actions[middle].name);
        if (order == 0)
            return &replay_actions[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Returns true if the function has in the trace the parameters that it has here. */
static bool fits(const struct replay_action *action, const struct pilgrim_function *f)
{
    const char *at = action->parameters;
    if (f->parameter_count > REPLAY_PARAMETERS_MAX)
        return false;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct pilgrim_parameter *p = &f->parameters[i];
        const char mark = p->direction == PILGRIM_IN ? ',' : p->direction == PILGRIM_OUT ? '>' : '&';
        const size_t length = strlen(p->name);
        if (*at != mark || strncmp(at + 1, p->name, length))
            return false;
        at += 1 + length;
    }
    return !*at;
}

static int first_of(const struct pilgrim_function *f, const char *const *names)
{
    int at = -1;
    for (; *names && at < 0; names++)
        at = step_find(f, *names);
    return at;
}

/* Returns what is known of a function. Its address is that of another one in other segments. */
static const struct replay_known *known_of(struct replay_thread *t, const struct pilgrim_function *f)
{
    static const char *const peers[] = {"source", "dest", "root", "target_rank", NULL};
    static const char *const tags[] = {"recvtag", "tag", NULL};
    static const char *const found[] = {"flag", "outcount", NULL};
    uint32_t segment = pilgrim_cursor_segment(t->cursor);
    if (segment != t->segment) {
        memset(t->known, 0, sizeof t->known);
        memset(t->names, 0, sizeof t->names);
        memset(t->sites, 0, sizeof t->sites);
        t->segment = segment;
    }
    struct replay_known *k = &t->known[((uintptr_t)f >> 4) % REPLAY_CACHE];
    if (k->function != f) {
        *k = (struct replay_known){.function = f,
                                   .action = action_named(f->name),
                                   .peer_at = first_of(f, peers),
                                   .tag_at = first_of(f, tags),
                                   .flag_at = first_of(f, found),
                                   .status_at = step_find(f, "status"),
                                   .request_at = step_find(f, "request"),
                                   .index_at = step_find(f, "index"),
                                   .indices_at = step_find(f, "array_of_indices"),
                                   .requests_at = step_find(f, "array_of_requests"),
                                   .displaced_at = step_find(f, "target_disp") >= 0 ? step_find(f, "win") : -1,
                                   .bounds = bounds_plan(f),
                                   .starts = strncmp(f->name, "MPI_Start", 9) == 0,
                                   .makes_persistent = strncmp(f->name, "MPI_Recv_init", 13) == 0};
        k->receives = k->peer_at >= 0 && k->tag_at >= 0 && strcmp(f->parameters[k->peer_at].name, "source") == 0 &&
                      !strstr(f->name, "_init"); /* see persistent_start */
        if (k->action && !fits(k->action, f))
            k->action = NULL;
    }
    return k;
}

static const struct pilgrim_value *out_at(const struct pilgrim_call *call, int at)
{
    return at >= 0 ? &call->out[at] : &NOTHING;
}

/* Puts what was received in the place of wildcards. */
static void follow_wildcards(struct replay_step *s, const struct replay_known *k)
{
    struct replay_thread *t = s->thread;
    const struct pilgrim_call *call = s->call;
    if (!k->receives)
        return;
    bool any_source = order_wildcard(&call->in[k->peer_at]), any_tag = order_wildcard(&call->in[k->tag_at]);
    if (!any_source && !any_tag)
        return;
    const struct pilgrim_value *status = out_at(call, k->status_at);
    bool found = false;
    if (status->type == PILGRIM_STATUS && status->count >= 2 && status->items[0].type != PILGRIM_NONE) {
        s->source = step_number(s, &status->items[0]);
        s->tag = step_number(s, &status->items[1]);
        found = true;
    } else if (out_at(call, k->request_at)->type == PILGRIM_REQUEST) {
        found = order_received(&t->order, call->seq, 0, &s->source, &s->tag);
    }
    if (!found) {
        t->counts.free_wildcards++;
        return;
    }
    s->source_at = any_source ? k->peer_at : -1;
    s->tag_at = any_tag ? k->tag_at : -1;
}

/* True if the poll found what it asked for, by the trace (its outputs) or here. */
static bool found_then(const struct pilgrim_call *call, const struct replay_known *k)
{
    const struct pilgrim_value *v = &call->out[k->flag_at];
    return v->type == PILGRIM_NAME || v->integer != 0;
}

static bool found_now(const struct replay_step *s, const struct replay_known *k)
{
    return !s->rooms[k->flag_at] || *(int *)s->rooms[k->flag_at] != 0;
}

/* The requests that ended, where the call chose. */
static const struct pilgrim_value *chosen_of(const struct pilgrim_call *call, const struct replay_known *k)
{
    const struct pilgrim_value *index = out_at(call, k->index_at), *indices = out_at(call, k->indices_at);
    if (index->type == PILGRIM_INT && index->integer >= 0)
        return index;
    return indices->type == PILGRIM_ARRAY && indices->count ? indices : NULL;
}

/* True if a call that failed then is made all the same: it took a message or ended requests. */
static bool repeats(const struct replay_step *s)
{
    if (!(s->action->flags & REPLAY_REPEATS_ERROR) || s->call->ret.type != PILGRIM_INT)
        return false;
    /* MPICH's codes have their class in the lowest bits. The library that knows the codes is gone. */
    const char *library = pilgrim_property(s->thread->replay->trace, "library");
    bool open_mpi = library && strncmp(library, "Open MPI", 8) == 0;
    int64_t class = open_mpi ? s->call->ret.integer : s->call->ret.integer & 0x7f;
    return open_mpi ? class == 15 || class == 18 : class == 14 || class == 17; /* MPI_ERR_TRUNCATE, MPI_ERR_IN_STATUS */
}

static bool failed(const struct pilgrim_call *call)
{
    if (!call->function->returns_error_code)
        return false;
    if (call->ret.type == PILGRIM_NAME)
        return strcmp(call->ret.text, "MPI_SUCCESS") != 0;
    return call->ret.type != PILGRIM_INT || call->ret.integer != MPI_SUCCESS;
}

static void impossible(struct replay_thread *t, const struct replay_step *s)
{
    if (!t->counts.impossible++) {
        t->counts.first_problem = s->problem;
        strncpy(t->counts.first_name, s->call->function->name, sizeof t->counts.first_name - 1);
    }
}

/* Makes files and ports known that the call needs or made. */
static void before_call(struct replay_step *s)
{
    int at = step_find(s->call->function, "filename");
    if (s->action->flags & REPLAY_OPENS_FILE && at >= 0) {
        int amode_at = step_find(s->call->function, "amode");
        const struct pilgrim_value *mode = amode_at >= 0 ? &s->call->in[amode_at] : &NOTHING;
        const char *path = step_text(s, (size_t)at, REPLAY_FILE_NAME);
        if (path && !(step_number(s, mode) & MPI_MODE_CREATE))
            files_make(path);
    }
}

static void after_call(struct replay_step *s)
{
    int at = step_find(s->call->function, "port_name");
    if (s->action->flags & REPLAY_OPENS_PORT && at >= 0 && s->rooms[at] && s->call->out[at].type == PILGRIM_STRING)
        files_port_opened(s->thread->replay->folder, s->call->out[at].text, s->call->out[at].length, s->rooms[at]);
}

static void show(struct replay_thread *t, struct replay_step *s, const struct replay_known *k)
{
    bool peer = k->peer_at >= 0 && s->call->in[k->peer_at].type != PILGRIM_NONE;
    atomic_store_explicit(&t->peer, peer ? step_integer(s, (size_t)k->peer_at) : INT64_MIN, memory_order_relaxed);
    atomic_store_explicit(&t->tag, peer && k->tag_at >= 0 ? step_integer(s, (size_t)k->tag_at) : -1,
                          memory_order_relaxed);
    atomic_store_explicit(&t->in, s->action->name, memory_order_relaxed);
    atomic_store_explicit(&t->seq, s->call->seq, memory_order_relaxed);
    atomic_store_explicit(&t->since_ns, replay_now(), memory_order_release);
}

static void perform(struct replay_thread *t, struct replay_step *s, const struct replay_known *k)
{
    const struct replay_options *options = t->replay->options;
    bool poll = s->action->flags & REPLAY_POLLS && k->flag_at >= 0;
    if (poll && !found_then(s->call, k) && !options->count_polls)
        return;
    if (!options->free_order) {
        follow_wildcards(s, k);
        if (k->starts)
            persistent_start(s);
        if (s->action->flags & REPLAY_CHOOSES)
            s->chosen = chosen_of(s->call, k);
    }
    if (k->displaced_at >= 0 && step_dynamic(s, (size_t)k->displaced_at))
        s->problem = "a displacement is an address of the recorded run";
    show(t, s, k);
    if (s->chosen && k->requests_at >= 0)
        step_await_chosen(s, (size_t)k->requests_at);
    if (s->action->flags & REPLAY_OPENS_FILE)
        before_call(s);
    uses_await(s);
    const char *broken = k->bounds.any && !s->problem ? bounds_broken(s, &k->bounds) : NULL;
    if (broken)
        replay_fail("rank %d: call %llu, %s, %s: nothing more is replayed", t->replay->rank,
                    (unsigned long long)s->call->seq, s->action->name, broken);
    int code = s->action->perform(s);
    while (poll && !s->problem && code == MPI_SUCCESS && found_then(s->call, k) && !found_now(s, k)) {
        gaps_poll(&t->gaps, s->call);
        code = s->action->perform(s);
    }
    if (s->chosen && k->requests_at >= 0 && !s->problem && code == MPI_SUCCESS)
        t->counts.parted += step_end_chosen(s, (size_t)k->requests_at);
    atomic_store_explicit(&t->since_ns, 0, memory_order_release);
    if (s->problem) {
        impossible(t, s);
        step_learn(s, false);
        return;
    }
    if (k->bounds.makes && code == MPI_SUCCESS)
        bounds_learn(s);
    if (k->makes_persistent && code == MPI_SUCCESS && !options->free_order)
        persistent_made(s);
    t->counts.calls++;
    if (code != MPI_SUCCESS && !failed(s->call))
        t->counts.new_errors++;
    if (s->action->flags & REPLAY_OPENS_PORT)
        after_call(s);
    step_learn(s, code == MPI_SUCCESS);
}

/* Tells the recorder where the program made the call. */
static void tell_site(struct replay_thread *t, const struct pilgrim_class *class)
{
    size_t at = ((uintptr_t) class >> 4) % REPLAY_CACHE;
    if (t->sites[at].class != class) {
        t->sites[at].class = class;
        t->sites[at].site = recorder_site(class->site);
    }
    recorder_call_at(t->sites[at].site, class->fortran);
}

/* MPI_Init, MPI_Finalize, and what is not replayed at all. */
static void begin_or_end(struct replay_thread *t, const struct pilgrim_call *call)
{
    if (strcmp(call->function->name, "MPI_Finalize") == 0)
        pool_finalize(t);
    recorder_begin_or_end(call);
    if (strncmp(call->function->name, "MPI_Init", 8) == 0)
        pool_initialized(t, call->end_ns);
}

static void replay_call(struct replay_thread *t, const struct pilgrim_call *call)
{
    const struct replay_known *k = known_of(t, call->function);
    struct replay_step s = {.thread = t, .call = call, .action = k->action, .source_at = -1, .tag_at = -1};
    if (t->recorded)
        tell_site(t, call->class_);
    if (!t->began)
        pool_thread_began(t);
    t->began = true;
    gaps_wait(&t->gaps, call, t->replay->thread_count > 1 ? NULL : &t->replay->warm);
    const bool in_flight = ending_in_flight(t->replay, call);
    if (in_flight) {
        pool_finalize(t);
        ending_arrive(t->replay, &t->counts, true);
    }
    if (!k->action || !k->action->perform) {
        bool ours =
            strncmp(call->function->name, "MPI_Init", 8) == 0 || strcmp(call->function->name, "MPI_Finalize") == 0;
        t->counts.not_replayed += !ours;
        begin_or_end(t, call);
    } else if (failed(call) && !in_flight && !t->replay->options->make_errors && !repeats(&s))
        t->counts.failed++;
    else
        perform(t, &s, k);
    atomic_store_explicit(&t->done, call->seq + 1, memory_order_release);
    scratch_reset(&t->scratch);
    gaps_ended(&t->gaps);
}

/* Makes the calls up to number END. Returns PILGRIM_OK, or why there are no more. */
static enum pilgrim_status replay_calls(struct replay_thread *t, uint64_t end, struct pilgrim_error *error)
{
    struct pilgrim_call call;
    enum pilgrim_status status = PILGRIM_OK;
    while (t->next < end && (status = pilgrim_cursor_next(t->cursor, &call, error)) == PILGRIM_OK) {
        t->next = call.seq + 1;
        replay_call(t, &call);
    }
    return status;
}

static void begin_order(struct replay_thread *t)
{
    t->order = (struct replay_order){.trace = t->replay->trace, .rank = (uint32_t)t->replay->rank, .thread = t->number};
}

/* Goes back to call SEQ. */
static enum pilgrim_status go_back(struct replay_thread *t, uint64_t seq, struct pilgrim_error *error)
{
    const uint32_t rank = (uint32_t)t->replay->rank;
    pilgrim_cursor_close(t->cursor);
    memset(t->bounds, 0, sizeof t->bounds); /* identities are the cursor's */
    order_close(&t->order);
    begin_order(t);
    enum pilgrim_status status = pilgrim_cursor_open(t->replay->trace, rank, t->number, &t->cursor, error);
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_skip(t->cursor, seq);
    if (status == PILGRIM_OK && !gaps_go_to(&t->gaps, t->replay->trace, seq))
        replay_fail("rank %d: no memory", t->replay->rank);
    t->next = seq;
    return status;
}

/* --loop: makes what is before the loop, then its trips. */
static enum pilgrim_status replay_loop(struct replay_thread *t, struct pilgrim_error *error)
{
    const struct replay_loop *loop = &t->replay->loop;
    t->gaps.pressed = true;
    enum pilgrim_status status = replay_calls(t, loop->first, error);
    t->gaps.pressed = false;
    PMPI_Barrier(MPI_COMM_WORLD);
    uint64_t start = replay_now();
    gaps_ended(&t->gaps);
    for (uint64_t i = 0; i < loop->passes && status == PILGRIM_OK; i++) {
        if (i)
            status = go_back(t, loop->first, error);
        if (status == PILGRIM_OK)
            status = replay_calls(t, loop->end, error);
    }
    if (loop->rest > loop->first && status == PILGRIM_OK) {
        if (loop->passes)
            status = go_back(t, loop->first, error);
        if (status == PILGRIM_OK)
            status = replay_calls(t, loop->rest, error);
    }
    t->replay->loop_ns = replay_now() - start;
    return status == PILGRIM_OK ? PILGRIM_END : status;
}

void replay_begin(struct replay_process *r)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    r->start_ns = replay_now();
}

void replay_thread_run(struct replay_thread *t)
{
    struct pilgrim_error error;
    t->recorded = recorder_is_there();
    enum pilgrim_status status =
        pilgrim_cursor_open(t->replay->trace, (uint32_t)t->replay->rank, t->number, &t->cursor, &error);
    if (status == PILGRIM_OK &&
        !gaps_open(&t->gaps, t->replay->options, t->replay->trace, (uint32_t)t->replay->rank, t->number))
        replay_fail("rank %d: no memory", t->replay->rank);
    begin_order(t);
    if (t->number == 0)
        replay_begin(t->replay);
    if (status == PILGRIM_OK)
        status = t->replay->options->loop ? replay_loop(t, &error) : replay_calls(t, UINT64_MAX, &error);
    if (status != PILGRIM_END)
        replay_fail("rank %d: %s", t->replay->rank, error.message);
    order_close(&t->order);
    gaps_close(&t->gaps);
    pilgrim_cursor_close(t->cursor);
    scratch_free(scratch_take(&t->scratch));
    atomic_store(&t->in, "MPI_Finalize");
    atomic_store(&t->peer, INT64_MIN);
    atomic_store(&t->since_ns, replay_now());
}
