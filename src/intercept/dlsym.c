/* SPDX-License-Identifier: BSD-3-Clause */
/* dlsym and dlvsym, interposed. Python's ctypes and cffi, Julia, Lua and R look the functions of MPI up in the library
 * that they have opened, where nobody else's names are seen. They get ours.
 *
 * The loader looks at the return address, for RTLD_NEXT. So ours jump to the next function with the arguments and the
 * stack as they were, unless the answer is one of ours. interpose.h says why dlsym does not find them. */
#define _GNU_SOURCE 1 /* RTLD_NEXT, dladdr1 */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/loader.h"
#include "intercept/interpose.h"
#include "libc_version.h" /* generated */
#include "mpi/entry.h"
#include "mpi/mpi_library.h"
#include "process/capture.h"
#include "process/python_interpreter.h"

/* Not in libpilgrim.a: a static program has no such library. */
#if !defined PILGRIM_STATIC && defined ENTRY_JUMP

#define GLIBC_WITHOUT_LIBDL "GLIBC_2.34" /* where the functions have their present version */

/* The next functions. */
void *pilgrim_next_dlsym __attribute__((visibility("hidden")));
void *pilgrim_next_dlvsym __attribute__((visibility("hidden")));

void *pilgrim_dlsym_answer(void *handle, const char *name) __attribute__((visibility("hidden")));
void *pilgrim_dlvsym_answer(void *handle, const char *name, const char *version) __attribute__((visibility("hidden")));

/* Finds the functions of the first object behind this one that has them. */
static void find_next(void)
{
    static const char here;
    Dl_info info;
    struct link_map *object = NULL;
    if (!dladdr1(&here, &info, (void **)&object, RTLD_DL_LINKMAP) || !object)
        return;
    for (object = object->l_next; object && !pilgrim_next_dlsym; object = object->l_next) {
        pilgrim_next_dlvsym = loader_symbol_of(object, "dlvsym");
        __atomic_store_n(&pilgrim_next_dlsym, loader_symbol_of(object, "dlsym"), __ATOMIC_RELEASE);
    }
}

/* Returns this library's handle. */
static void *own_handle(void)
{
    static _Atomic(void *) handle;
    Dl_info info;
    if (!atomic_load(&handle) && dladdr(&pilgrim_next_dlsym, &info))
        atomic_store(&handle, loader_loaded(info.dli_fname, 0));
    return atomic_load(&handle);
}

/* By itself: a sanitizer's functions in place of the C library's may not be ready yet. */
static bool begins_with(const char *name, const char *with)
{
    while (*with)
        if (*name++ != *with++)
            return false;
    return true;
}

/* Returns our function in place of NAME in HANDLE. NULL: the loader is to answer. The program may be in a constructor,
 * or in a function of the C library that asks for another one, so nothing is done for other names. */
void *pilgrim_dlsym_answer(void *handle, const char *name)
{
    static _Thread_local __attribute__((tls_model("initial-exec"))) bool asking; /* us, on the way to the answer */
    if (!__atomic_load_n(&pilgrim_next_dlsym, __ATOMIC_ACQUIRE))
        find_next();
    if ((!begins_with(name, "MPI") && !begins_with(name, "mpi_")) || handle == RTLD_NEXT || handle == RTLD_DEFAULT ||
        asking || atomic_load(&capture.off) & (OFF_UNLOADED | OFF_SETTING | OFF_OTHER))
        return NULL;
    asking = true;
    void *ours = own_handle() ? loader_find(own_handle(), name) : NULL;
    if (ours && !mpi_library_asked(handle, name))
        ours = NULL;
    if (ours && capture.settings.stack > 1)
        python_asks();
    asking = false;
    return ours;
}

/* The same for a NAME with VERSION. */
void *pilgrim_dlvsym_answer(void *handle, const char *name, const char *version)
{
    void *ours = pilgrim_dlsym_answer(handle, name);
    void *(*next)(void *, const char *, const char *);
    memcpy(&next, &pilgrim_next_dlvsym, sizeof next);
    return ours && next(handle, name, version) ? ours : NULL;
}

#if defined __x86_64__
#define ANSWER_OR_JUMP(function)                                                                                       \
    "    push %rdi\n    .cfi_adjust_cfa_offset 8\n    push %rsi\n    .cfi_adjust_cfa_offset 8\n"                       \
    "    push %rdx\n    .cfi_adjust_cfa_offset 8\n    call pilgrim_" function "_answer\n"                              \
    "    pop %rdx\n    .cfi_adjust_cfa_offset -8\n    pop %rsi\n    .cfi_adjust_cfa_offset -8\n"                       \
    "    pop %rdi\n    .cfi_adjust_cfa_offset -8\n"                                                                    \
    "    test %rax, %rax\n    jz 1f\n    ret\n1:  jmp *pilgrim_next_" function "(%rip)\n"
#else
#define ANSWER_OR_JUMP(function)                                                                                       \
    "    stp x29, x30, [sp, #-48]!\n    .cfi_adjust_cfa_offset 48\n    .cfi_rel_offset x30, 8\n"                       \
    "    stp x0, x1, [sp, #16]\n    str x2, [sp, #32]\n    bl pilgrim_" function "_answer\n    mov x16, x0\n"          \
    "    ldp x0, x1, [sp, #16]\n    ldr x2, [sp, #32]\n    ldp x29, x30, [sp], #48\n"                                  \
    "    .cfi_adjust_cfa_offset -48\n    .cfi_restore x30\n    cbz x16, 1f\n    mov x0, x16\n    ret\n"                \
    "1:  adrp x16, pilgrim_next_" function "\n    ldr x16, [x16, #:lo12:pilgrim_next_" function "]\n    br x16\n"
#endif

#if defined __CET__ && (__CET__ & 1)
#define LANDING "    endbr64\n"
#elif defined __aarch64__
#define LANDING "    hint #34\n"
#else
#define LANDING ""
#endif

#define DEFINE(function)                                                                                               \
    __asm__("    .pushsection .text\n    .p2align 4\n    .globl followed_" #function "\n    .type followed_" #function \
            ", %function\nfollowed_" #function ":\n    .cfi_startproc\n" LANDING ANSWER_OR_JUMP(                       \
                #function) "    .cfi_endproc\n    .size followed_" #function ", . - followed_" #function               \
                           "\n    .popsection\n");                                                                     \
    INTERPOSE(function, LIBC_VERSION);                                                                                 \
    INTERPOSE_ALSO(function, "_2", GLIBC_WITHOUT_LIBDL)

DEFINE(dlsym);
DEFINE(dlvsym);

#endif
