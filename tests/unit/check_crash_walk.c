/* SPDX-License-Identifier: BSD-3-Clause */
/* The stack that a handler walks is the one that the compiler's unwinder finds there, through frames of several kinds.
 */
#define _GNU_SOURCE 1
#include "unwind/crash_walk.h"

#include <alloca.h>
#include <check.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "random.h"

enum { TRIALS = 200, DEEPEST = 20, FOUND_MAX = 64 };

static sigjmp_buf back;
static struct crash_stack walked;
static void *found[FOUND_MAX];
static int found_count;
static volatile int *nowhere;
static volatile int sink;

/* AddressSanitizer has words of its own on the stack, but the tables are as true. */
static void handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    crash_walk(context, &walked);
    found_count = info->si_addr ? 0 : backtrace(found, FOUND_MAX); /* it cannot go on from a wrong address */
    siglongjmp(back, 1);
}

static void deeper(unsigned depth);

static __attribute__((noinline)) void with_locals(unsigned depth)
{
    volatile char bytes[300];
    bytes[depth] = 1;
    deeper(depth);
    sink += bytes[depth];
}

static __attribute__((noinline)) void with_alloca(unsigned depth)
{
    volatile char *bytes = alloca(17 * depth + 1);
    bytes[0] = 1;
    deeper(depth);
    sink += bytes[0];
}

static __attribute__((noinline)) void aligned(unsigned depth)
{
    _Alignas(64) volatile char bytes[64] = {0};
    deeper(depth);
    sink += bytes[depth];
}

static unsigned compared_depth;

static int compare(const void *a, const void *b)
{
    (void)a;
    (void)b;
    deeper(compared_depth);
    return 0;
}

static __attribute__((noinline)) void through_library(unsigned depth)
{
    int numbers[2] = {1, 2};
    compared_depth = depth;
    qsort(numbers, 2, sizeof numbers[0], compare);
    sink += numbers[0];
}

static __attribute__((noinline)) void deeper(unsigned depth)
{
    static void (*const kinds[])(unsigned) = {with_locals, with_alloca, aligned, through_library};
    if (!depth)
        *nowhere = 1;
    kinds[random_below(4)](depth - 1);
    sink++;
}

/* The offset of a return address in its module. */
static uint64_t offset_of(const void *address)
{
    Dl_info info;
    ck_assert(dladdr(address, &info));
    return (uint64_t)((const char *)address - (const char *)info.dli_fbase);
}

static const char *name_of(const void *address)
{
    Dl_info info;
    ck_assert(dladdr(address, &info));
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

/* The frames behind the handler's and the kernel's. */
static void compare_stacks(void)
{
    int at = 0;
    while (at < found_count && (offset_of(found[at]) + 1 != walked.frames[0].offset))
        at++;
    ck_assert_int_lt(at, found_count);
    uint32_t count = (uint32_t)(found_count - at) < CRASH_FRAMES_MAX ? (uint32_t)(found_count - at) : CRASH_FRAMES_MAX;
    ck_assert_uint_eq(walked.frame_count, count);
    for (uint32_t i = 1; i < count; i++, at++) {
        ck_assert_uint_eq(walked.frames[i].offset, offset_of(found[at + 1]));
        const char *module = walked.modules[walked.frames[i].module].name, *name = name_of(found[at + 1]);
        ck_assert_msg(!strncmp(module, name, 4), "%s and %s", module, name); /* a file may have several names */
    }
}

START_TEST(stacks_are_those_of_the_unwinder)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    (void)backtrace(found, 1); /* loads the unwinder */
    for (unsigned i = 0; i < TRIALS; i++) {
        if (!sigsetjmp(back, 1))
            deeper(random_below(DEEPEST));
        compare_stacks();
    }
}
END_TEST

/* A call of an address where no code is: the caller is found all the same. */
START_TEST(wrong_calls_have_callers)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    void (*volatile wrong)(void) = (void (*)(void))0x1234;
    sigaction(SIGSEGV, &action, NULL);
    if (!sigsetjmp(back, 1))
        wrong();
    ck_assert_uint_gt(walked.frame_count, 2);
    ck_assert_uint_eq(walked.frames[0].module, CRASH_MODULES_MAX);
    ck_assert_str_eq(walked.modules[walked.frames[1].module].name, "check_crash_walk");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("crash_walk");
    TCase *c = tcase_create("crash_walk");
    tcase_add_test(c, stacks_are_those_of_the_unwinder);
    tcase_add_test(c, wrong_calls_have_callers);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
