/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: a CLOCK_MONOTONIC that knows no load. The processes of a run share it, as a file that
 * LOGICAL_CLOCK names. It goes on by a tick with each reading, and by what the program sleeps in nanosleep; nothing
 * else moves it. It is the clock of libpilgrim.so and of Pilgrim's own programs; everyone else has the true one.
 *
 * A program sleeps when all other processes of the run, LOGICAL_PROCESSES, wait for something: so who waits for a
 * process that sleeps has begun to wait before, and waits as long as that sleeps. Of several that sleep, the one that
 * wakes first goes on. A process waits if it has used the
 * processor for a while without a reading: MPIs wait in a loop, and between two calls there is no such work; with naps
 * in that loop (naps.c) a shorter while will do, because who computes takes none. It waits if the kernel says again and
 * again that it is asleep and it uses no processor, as in MPI_Init for the launcher. And it waits if it reads the clock
 * again and again, as in a loop of polls; then the clock goes on in steps that are shorter than what counts as a pause
 * between two polls. A process that does not get the processor does none of all that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT    __attribute__((visibility("default")))
#define SECOND_NS INT64_C(1000000000)

enum {
    PROCESSES_MAX = 64,
    TICK_NS = 1000,
    STEP_NS = 4000,
    WAITS_CPU_NS = 10000000,
    NAPS_CPU_NS = 1000000,
    NAPS = 20,
    WAITS_READINGS = 64,
    LOOK_NS = 200000,
    ASLEEP_TIMES = 100,
    YIELDS = 100
};

/* FIRST_NS: the clock's first reading is not 0. */
static const int64_t FIRST_NS = 1000 * SECOND_NS;

struct process {
    atomic_int pid;
    atomic_uint readings;
    _Atomic int64_t wakes_ns; /* until when it sleeps; 0: it does not */
};

static struct shared {
    _Atomic int64_t ns;
    atomic_uint count;
    struct process processes[PROCESSES_MAX];
} * shared;

/* What a process that sleeps has seen of another one: since when it has not read the clock. */
struct watched {
    unsigned first, last;
    int64_t cpu_ns, last_cpu_ns;
    unsigned asleep; /* so often one after another, without using the processor */
    unsigned naps;   /* so often it was asleep at all */
    bool seen;
};

static unsigned expected;
static struct process *own;
static int late_readings; /* so many readings before the one that LATE_NS come before */
static int64_t late_ns;

EXPORT int clock_gettime(clockid_t clock, struct timespec *time);
EXPORT int nanosleep(const struct timespec *time, struct timespec *left);
EXPORT void logical_sleep_late(int readings, long ns);

static int read_clock(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, time);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("LOGICAL_CLOCK"), *processes = getenv("LOGICAL_PROCESSES");
    int file = path ? open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return;
    void *p = ftruncate(file, sizeof *shared) ? MAP_FAILED
                                              : mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    shared = p == MAP_FAILED ? NULL : p;
    expected = processes ? (unsigned)atoi(processes) : 1;
}

/* True if the processor time of a process can be read: it lives. */
static bool cpu_of(int pid, int64_t *ns)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) || read_clock(clock, &t))
        return false;
    *ns = t.tv_sec * SECOND_NS + t.tv_nsec;
    return true;
}

static bool is_asleep(int pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = 0;
    const char *behind_name = strrchr(text, ')');
    return behind_name && strncmp(behind_name, ") S", 3) == 0;
}

/* True if a process polls: it reads the clock again and again. */
static bool polls(const struct process *process, const struct watched *w)
{
    return atomic_load(&process->readings) - w->first >= WAITS_READINGS;
}

static bool waits(const struct process *process, struct watched *w)
{
    const unsigned readings = atomic_load(&process->readings);
    const int pid = atomic_load(&process->pid);
    int64_t cpu_ns;
    if (!pid)
        return false; /* it has just begun */
    if (!cpu_of(pid, &cpu_ns))
        return true; /* it has ended */
    if (!w->seen)
        w->first = readings;
    if (!w->seen || readings != w->last) {
        w->last = readings;
        w->cpu_ns = w->last_cpu_ns = cpu_ns;
        w->asleep = w->naps = 0;
        w->seen = true;
    }
    const bool asleep = is_asleep(pid);
    w->asleep = asleep && cpu_ns == w->last_cpu_ns ? w->asleep + 1 : 0;
    w->naps += asleep;
    w->last_cpu_ns = cpu_ns;
    return cpu_ns - w->cpu_ns >= (w->naps >= NAPS ? NAPS_CPU_NS : WAITS_CPU_NS) || w->asleep >= ASLEEP_TIMES ||
           polls(process, w);
}

/* Waits until all others do, or sleep for longer than until WAKES_NS. Returns one of them that polls, or NULL. */
static struct process *wait_for_all(int64_t wakes_ns)
{
    struct watched watched[PROCESSES_MAX] = {{0}};
    for (;;) {
        const unsigned count = atomic_load(&shared->count);
        bool all = count + !own >= expected;
        struct process *polling = NULL;
        for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
            struct process *other = &shared->processes[i];
            if (other == own)
                continue;
            const int64_t other_ns = atomic_load(&other->wakes_ns);
            if (other_ns) {
                all = all && (other_ns > wakes_ns || (other_ns == wakes_ns && other > own));
                watched[i].seen = false;
                continue;
            }
            all = waits(other, &watched[i]) && all;
            if (polls(other, &watched[i]))
                polling = other;
        }
        if (all)
            return polling;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_NS}, NULL); /* by the true clock */
    }
}

static void sleep_logically(int64_t ns)
{
    const int64_t wakes_ns = atomic_load(&shared->ns) + ns;
    if (own)
        atomic_store(&own->wakes_ns, wakes_ns);
    const struct process *polling = wait_for_all(wakes_ns);
    int64_t now_ns = atomic_load(&shared->ns);
    while (polling && now_ns < wakes_ns) {
        struct watched watched = {0};
        const unsigned before = atomic_load(&polling->readings);
        bool ended = false;
        for (unsigned i = 0; atomic_load(&polling->readings) == before && !ended; i++) {
            if (i < YIELDS) {
                sched_yield();
                continue;
            }
            clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_NS}, NULL); /* by the true clock */
            ended = waits(polling, &watched);
        }
        if (ended)
            break;
        now_ns = atomic_fetch_add(&shared->ns, STEP_NS) + STEP_NS;
    }
    now_ns = atomic_load(&shared->ns);
    while (now_ns < wakes_ns && !atomic_compare_exchange_weak(&shared->ns, &now_ns, wakes_ns))
        ;
    if (own)
        atomic_store(&own->wakes_ns, 0);
}

static bool begins_with(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, name, strlen(name)) == 0;
}

/* True if CALLER is in libpilgrim.so or a program of Pilgrim's. */
static bool is_pilgrim(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname &&
           (begins_with(info.dli_fname, "libpilgrim") || begins_with(info.dli_fname, "pilgrim-"));
}

/* True if CALLER is in the program, which is no library. */
static bool is_program(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && !strstr(info.dli_fname, ".so");
}

static void take_place(void)
{
    const unsigned place = atomic_fetch_add(&shared->count, 1);
    if (place >= PROCESSES_MAX)
        abort();
    own = &shared->processes[place];
    atomic_store(&own->pid, getpid());
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock != CLOCK_MONOTONIC || !shared || !is_pilgrim(__builtin_return_address(0)))
        return read_clock(clock, time);
    if (!own)
        take_place();
    if (late_readings > 0 && --late_readings == 0)
        sleep_logically(late_ns);
    const int64_t ns = FIRST_NS + TICK_NS + atomic_fetch_add(&shared->ns, TICK_NS);
    atomic_fetch_add(&own->readings, 1);
    time->tv_sec = ns / SECOND_NS;
    time->tv_nsec = ns % SECOND_NS;
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    static int (*real)(const struct timespec *, struct timespec *);
    if (!real)
        real = (int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "nanosleep");
    if (!shared || !is_program(__builtin_return_address(0)))
        return real(time, left);
    sleep_logically(time->tv_sec * SECOND_NS + time->tv_nsec);
    return 0;
}

/* Sleeps NS when the process is about to read the clock for the READINGS-th time from now on. */
void logical_sleep_late(int readings, long ns)
{
    late_ns = ns;
    late_readings = readings;
}
