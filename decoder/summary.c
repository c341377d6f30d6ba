/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers the summary of a run; see summary.h. Times come from the profile; the calls are read once for what they sent.
 */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "decode_errors.h"
#include "analysis/call_timing.h"
#include "analysis/counted_calls.h"
#include "analysis/polls.h"
#include "analysis/table.h"
#include "analysis/thread_span.h"
#include "analysis/thread_twins.h"
#include "analysis/volume.h"
#include "print.h"

enum {
    FACTS = 4096,
    TWINS_KEPT_MAX = 4096,
    ENTERED_BY = 2, /* a loop is entered by few iterations: one of so many at most */
    FEW = 10        /* iterations of a loop around others */
};

/* What the calls of a thread add up to. */
struct summary_sums {
    bool known;
    uint64_t calls, failed, polls, unsized, begun, ended;
    struct messages_count sent;
    uint64_t collective_bytes, window_bytes, file_bytes, sizes[SUMMARY_SIZES];
};

/* What calls of one identity have in common. */
struct call_facts {
    uint64_t identity; /* 0: the entry is empty */
    bool poll;
    uint32_t begun, ended; /* requests */
};

struct summary_walk {
    struct summary *s;
    struct volumes *volumes;
    struct counted_calls *calls;
    struct call_facts facts[FACTS]; /* by identity modulo FACTS, of the cursor that is read */
    size_t facts_used;              /* so many of them at most, from the first one */
    uint64_t begun, ended;          /* requests of the rank */
    double first_ns, last_ns;       /* of the rank, if its calls have times */
    bool has_times;
    struct thread_twins *twins;
    struct summary_sums *sums; /* of twins, by their number */
    size_t sum_count;
};

/* ---- calls ---- */

/* Counts requests that went IN and are none any more in OUT. */
static void count_ended(const struct pilgrim_value *in, const struct pilgrim_value *out, uint32_t *ended)
{
    if (in->type == PILGRIM_REQUEST && out->type == PILGRIM_NAME)
        ++*ended;
    if (in->type == PILGRIM_ARRAY && out->type == PILGRIM_ARRAY)
        for (size_t i = 0; i < in->count && i < out->count; i++)
            count_ended(&in->items[i], &out->items[i], ended);
}

static struct call_facts look(const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    struct call_facts facts = {.identity = call->identity, .poll = call_is_failed_poll(call)};
    for (size_t i = 0; i < f->parameter_count; i++) {
        if (f->parameters[i].direction == PILGRIM_OUT && call->out[i].type == PILGRIM_REQUEST)
            facts.begun++;
        if (f->parameters[i].direction == PILGRIM_INOUT)
            count_ended(&call->in[i], &call->out[i], &facts.ended);
    }
    return facts;
}

/* Counts the messages of a call that stands for CALLS calls. */
static void count_sizes(struct summary_walk *w, uint64_t calls)
{
    size_t count;
    struct summary *s = w->s;
    const struct messages_transfer *transfers = messages_transfers(volumes_messages(w->volumes), &count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bytes = transfers[i].bytes;
        if (transfers[i].kind != MESSAGES_SEND)
            continue;
        if (!transfers[i].sized)
            continue;
        s->sizes[bytes ? 64 - __builtin_clzll(bytes) : 0] += calls;
        s->least_bytes = bytes < s->least_bytes ? bytes : s->least_bytes;
        s->most_bytes = bytes > s->most_bytes ? bytes : s->most_bytes;
    }
}

/* Takes a call that stands for CALLS calls. */
static enum pilgrim_status take_call(struct summary_walk *w, const struct pilgrim_call *call, uint64_t calls,
                                     struct pilgrim_error *error)
{
    struct summary *s = w->s;
    struct call_facts *facts = &w->facts[call->identity % FACTS];
    if (!call->identity || facts->identity != call->identity) {
        *facts = look(call);
        w->facts_used = (size_t)(facts - w->facts) >= w->facts_used ? (size_t)(facts - w->facts) + 1 : w->facts_used;
    }
    if (volumes_see(w->volumes, call, error) != PILGRIM_OK)
        return no_memory(error);
    const struct volume_parts *moved = volumes_parts(w->volumes, call);
    if (moved->failed && !s->failed) {
        struct class_copy *copy = copy_class(&s->classes, call->class_);
        s->failed_rank = call->rank;
        s->failed_function = copy ? copy->class.function->name : NULL;
    }
    s->failed += moved->failed ? calls : 0;
    s->polls += facts->poll ? calls : 0;
    w->begun += calls * facts->begun;
    w->ended += calls * facts->ended;
    s->calls += calls;
    s->sent.messages += calls * moved->messages;
    s->sent.bytes += calls * moved->message_bytes;
    s->unsized += calls * moved->unsized;
    s->collective_bytes += calls * moved->collective_bytes;
    s->window_bytes += calls * moved->window_bytes;
    s->file_bytes += calls * moved->file_bytes;
    if (moved->messages > 0)
        count_sizes(w, calls);
    return PILGRIM_OK;
}

static enum pilgrim_status take_thread(struct summary_walk *w, uint32_t rank, uint32_t thread,
                                       struct pilgrim_error *error)
{
    struct pilgrim_call call;
    const uint64_t before = w->s->calls;
    uint64_t calls;
    enum pilgrim_status status = volumes_begin_thread(w->volumes, rank, thread, error);
    if (status == PILGRIM_OK)
        status = counted_calls_begin(w->calls, rank, thread, COUNTED, error);
    if (status != PILGRIM_OK)
        return status;
    memset(w->facts, 0, w->facts_used * sizeof *w->facts);
    w->facts_used = 0;
    while ((status = counted_calls_next(w->calls, messages_changes(volumes_messages(w->volumes)), &call, &calls,
                                        error)) == PILGRIM_OK &&
           (status = take_call(w, &call, calls, error)) == PILGRIM_OK)
        ;
    w->s->threads += w->s->calls > before;
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- twins ---- */

static struct summary_sums sums_of(const struct summary_walk *w)
{
    const struct summary *s = w->s;
    struct summary_sums sums = {.known = true,
                                .calls = s->calls,
                                .failed = s->failed,
                                .polls = s->polls,
                                .unsized = s->unsized,
                                .begun = w->begun,
                                .ended = w->ended,
                                .sent = s->sent,
                                .collective_bytes = s->collective_bytes,
                                .window_bytes = s->window_bytes,
                                .file_bytes = s->file_bytes};
    memcpy(sums.sizes, s->sizes, sizeof sums.sizes);
    return sums;
}

/* Subtracts BEFORE. */
static void take_off(struct summary_sums *sums, const struct summary_sums *before)
{
    sums->calls -= before->calls;
    sums->failed -= before->failed;
    sums->polls -= before->polls;
    sums->unsized -= before->unsized;
    sums->begun -= before->begun;
    sums->ended -= before->ended;
    sums->sent.messages -= before->sent.messages;
    sums->sent.bytes -= before->sent.bytes;
    sums->collective_bytes -= before->collective_bytes;
    sums->window_bytes -= before->window_bytes;
    sums->file_bytes -= before->file_bytes;
    for (size_t i = 0; i < SUMMARY_SIZES; i++)
        sums->sizes[i] -= before->sizes[i];
}

static void add_sums(struct summary_walk *w, const struct summary_sums *sums)
{
    struct summary *s = w->s;
    s->threads += sums->calls > 0;
    s->calls += sums->calls;
    s->failed += sums->failed;
    s->polls += sums->polls;
    s->unsized += sums->unsized;
    w->begun += sums->begun;
    w->ended += sums->ended;
    s->sent.messages += sums->sent.messages;
    s->sent.bytes += sums->sent.bytes;
    s->collective_bytes += sums->collective_bytes;
    s->window_bytes += sums->window_bytes;
    s->file_bytes += sums->file_bytes;
    for (size_t i = 0; i < SUMMARY_SIZES; i++)
        s->sizes[i] += sums->sizes[i];
}

/* Takes the only thread of RANK, which is read unless it is a twin of an earlier one. */
static enum pilgrim_status take_alone(struct summary_walk *w, uint32_t rank, struct pilgrim_error *error)
{
    size_t number;
    enum pilgrim_status status = thread_twins_find(w->twins, rank, &number, error);
    if (status != PILGRIM_OK)
        return status;
    if (number < w->sum_count && w->sums[number].known) {
        add_sums(w, &w->sums[number]);
        return PILGRIM_OK;
    }
    const struct summary_sums before = sums_of(w);
    status = take_thread(w, rank, 0, error);
    if (status == PILGRIM_OK && number == w->sum_count && number < TWINS_KEPT_MAX) {
        struct summary_sums *grown = realloc(w->sums, (number + 1) * sizeof *grown);
        if (!grown)
            return no_memory(error);
        w->sums = grown;
        grown[number] = sums_of(w);
        take_off(&grown[number], &before);
        w->sum_count++;
    }
    return status;
}

/* ---- ranks ---- */

static void take_profile(struct summary *s, const struct pilgrim_rank_profile *rank)
{
    double sum = 0;
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        struct profile_activity *a = &s->activities[i];
        if (s->profiled_ranks == 0 || rank->ns[i] < a->least_ns) {
            a->least_ns = rank->ns[i];
            a->least_rank = rank->first_rank;
        }
        if (s->profiled_ranks == 0 || rank->most_ns[i] > a->most_ns) {
            a->most_ns = rank->most_ns[i];
            a->most_rank = rank->most_rank[i];
        }
        a->total_ns += rank->ns[i];
        sum += rank->ns[i];
    }
    s->run_ns += sum;
    s->profiled_ranks++;
}

/* Finds from when to when a rank has calls, if these have times. */
static enum pilgrim_status take_span(struct summary_walk *w, uint32_t rank, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t thread = 0; thread < pilgrim_thread_count(w->s->trace, rank) && status == PILGRIM_OK; thread++) {
        uint64_t first_ns, last_ns;
        bool timed;
        status = thread_span(w->s->trace, rank, thread, &first_ns, &last_ns, &timed, error);
        if (status != PILGRIM_OK || !timed)
            continue;
        w->first_ns = !w->has_times || (double)first_ns < w->first_ns ? (double)first_ns : w->first_ns;
        w->last_ns = !w->has_times || (double)last_ns > w->last_ns ? (double)last_ns : w->last_ns;
        w->has_times = true;
    }
    return status;
}

/* Times of a rank's threads are added up, so they tell how long it ran only if it has one. */
static void take_wall(struct summary *s, const struct summary_walk *w, uint32_t rank, double profiled_ns)
{
    double ns = w->has_times ? w->last_ns - w->first_ns : pilgrim_thread_count(s->trace, rank) == 1 ? profiled_ns : 0;
    s->wall_ns = ns > s->wall_ns ? ns : s->wall_ns;
}

static enum pilgrim_status take_rank(struct summary_walk *w, uint32_t rank, struct pilgrim_error *error)
{
    struct summary *s = w->s;
    struct pilgrim_rank_profile profile;
    enum pilgrim_status status = PILGRIM_OK;
    const double before = s->run_ns;
    w->begun = w->ended = 0;
    w->has_times = false;
    const uint32_t threads = pilgrim_thread_count(s->trace, rank);
    for (uint32_t thread = 0; thread < threads && status == PILGRIM_OK; thread++)
        status = threads == 1 ? take_alone(w, rank, error) : take_thread(w, rank, thread, error);
    if (status == PILGRIM_OK && calls_have_times(s->trace))
        status = take_span(w, rank, error);
    if (w->begun > w->ended) {
        if (s->pending == 0)
            s->pending_rank = rank;
        s->pending += w->begun - w->ended;
    }
    if (status == PILGRIM_OK)
        status = pilgrim_rank_profile(s->trace, rank, &profile, error);
    if (status == PILGRIM_OK)
        take_profile(s, &profile);
    take_wall(s, w, rank, s->run_ns - before);
    s->ranks++;
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- call sites ---- */

static int compare_sites(const void *x, const void *y)
{
    const struct summary_site *a = x, *b = y;
    return (a->ns < b->ns) - (a->ns > b->ns);
}

/* Adds the times of a class to its site in SITES, which grows. The copy's `first` is the number of its site. */
static bool add_site(struct summary *s, struct summary_site **sites, size_t *count,
                     const struct pilgrim_class_profile *class)
{
    struct class_copy *copy = copy_class(&s->classes, class->class_);
    if (!copy)
        return false;
    if (copy->thread == 0) {
        struct summary_site *grown = realloc(*sites, (*count + 1) * sizeof *grown);
        if (!grown)
            return false;
        *sites = grown;
        copy->thread = 1;
        copy->first = *count;
        grown[(*count)++] = (struct summary_site){.class = &copy->class};
    }
    (*sites)[copy->first].ns += class->durations.total_ns;
    (*sites)[copy->first].calls += class->durations.count;
    return true;
}

static enum pilgrim_status take_sites(struct summary *s, struct pilgrim_error *error)
{
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class;
    struct summary_site *sites = NULL;
    size_t count = 0;
    double all_ns = 0;
    enum pilgrim_status status = pilgrim_profile_open(s->trace, &profile, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = pilgrim_profile_next(profile, &class, error)) == PILGRIM_OK) {
        const char *name = class.class_->function->name;
        all_ns += class.durations.total_ns + class.gaps.total_ns;
        if (table_stands_apart(name) && strcmp(name, "MPI_Finalize") != 0) {
            s->init_name = strcmp(name, "MPI_Init_thread") == 0 ? "MPI_Init_thread" : "MPI_Init";
            pilgrim_statistic_add(&s->init, &class.durations);
        }
        if (!table_stands_apart(name) && !add_site(s, &sites, &count, &class)) {
            status = no_memory(error);
            break;
        }
    }
    pilgrim_profile_close(profile);
    if (count)
        qsort(sites, count, sizeof *sites, compare_sites);
    if (!s->profiled_ranks)
        s->run_ns = all_ns;
    for (s->site_count = 0; s->site_count < count && s->site_count < SUMMARY_SITES && sites[s->site_count].ns > 0;
         s->site_count++)
        s->sites[s->site_count] = sites[s->site_count];
    free(sites);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- loops ---- */

/* Returns the loop that is item I of SHOWN. */
static struct summary_loop loop_at(const struct shown_loops *shown, size_t i)
{
    struct summary_loop found = {.item = &shown->items[i],
                                 .thread_count = shown->thread_count,
                                 .rank = shown->threads[0].rank,
                                 .thread = shown->threads[0].thread};
    const size_t behind = nest_behind(shown->items, shown->count, i);
    for (size_t k = i + 1; k < behind; k++) {
        if (shown->items[k].is_loop)
            continue;
        found.ns += (shown->ns[k] + shown->gap_ns[k]) / (double)shown->thread_count;
        if (!found.call_sites++)
            found.class = shown->classes[k];
    }
    return found;
}

/* True if the work of the loop OUTER is that of INNER, which is in it: where few of its iterations enter that, as of a
 * loop that reads a program's commands, or where it has few itself, as one around time steps that ends with output. */
static bool works_inside(const struct summary_loop *outer, const struct summary_loop *inner)
{
    const struct nest_counts *around = &outer->item->counts, *in = &inner->item->counts;
    if (in->times * ENTERED_BY <= around->total)
        return inner->ns > outer->ns / 2;
    return around->total < FEW * around->times && in->total >= FEW * around->total && inner->ns > outer->ns * 0.9;
}

/* Compares the loop that is item I of SHOWN, and in no other loop, or the one in it that has its work, with the best so
 * far. */
static void take_loop(struct summary *s, const struct shown_loops *shown, size_t i)
{
    struct summary_loop found = loop_at(shown, i);
    const size_t behind = nest_behind(shown->items, shown->count, i);
    for (size_t k = i + 1; k < behind; k++) {
        if (!shown->items[k].is_loop || &shown->items[shown->items[k].loop] != found.item)
            continue;
        const struct summary_loop inner = loop_at(shown, k);
        if (inner.class && works_inside(&found, &inner))
            found = inner;
    }
    if (found.class && (!s->loop.item || found.ns > s->loop.ns))
        s->loop = found;
}

static enum pilgrim_status take_loops(struct summary *s, struct pilgrim_error *error)
{
    const struct shown_loops *shown;
    enum pilgrim_status status = PILGRIM_OK;
    s->loops = loops_list_new(s->trace, false);
    if (!s->loops)
        return no_memory(error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(s->trace) && status == PILGRIM_OK; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(s->trace, rank) && status == PILGRIM_OK; thread++)
            status = loops_list_add(s->loops, rank, thread, error);
    for (size_t i = 0; (shown = loops_list_shown(s->loops, i)); i++)
        for (size_t k = 0; k < shown->count; k++)
            if (shown->items[k].is_loop && shown->items[k].depth == 0)
                take_loop(s, shown, k);
    return status;
}

enum pilgrim_status summary_make(struct summary *s, const struct pilgrim_trace *trace, struct pilgrim_error *error)
{
    *s = (struct summary){.trace = trace, .classes.sites_only = true, .least_bytes = UINT64_MAX};
    struct summary_walk *walk = calloc(1, sizeof *walk);
    if (!walk)
        return no_memory(error);
    walk->s = s;
    walk->volumes = volumes_new(trace);
    walk->calls = counted_calls_new(trace);
    walk->twins = thread_twins_new(trace);
    enum pilgrim_status status = walk->volumes && walk->calls && walk->twins ? PILGRIM_OK : no_memory(error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && status == PILGRIM_OK; rank++)
        status = take_rank(walk, rank, error);
    volumes_free(walk->volumes);
    counted_calls_free(walk->calls);
    thread_twins_free(walk->twins);
    free(walk->sums);
    free(walk);
    if (status == PILGRIM_OK)
        status = take_sites(s, error);
    if (status == PILGRIM_OK)
        status = take_loops(s, error);
    if (status == PILGRIM_OK && s->pending)
        status = summary_find_leak(s, error);
    summary_find_odd(s);
    return status;
}

void summary_free(struct summary *s)
{
    loops_list_free(s->loops);
    class_copies_free(&s->classes);
}
