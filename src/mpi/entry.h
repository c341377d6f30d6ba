/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries: the names that the program calls. Each is a jump to the wrapper or, under an MPI of another family, past
 * it.
 *
 * A wrapper's parameters have the types of the MPI that it was compiled for. Under another MPI they would cut
 * handles in two: an int here, a pointer there. A jump touches no argument, so after entries_bypass the program's
 * calls reach its own MPI as they were made. The call site stays on top of the stack, where the wrapper looks for
 * it. */
#ifndef PILGRIM_ENTRY_H
#define PILGRIM_ENTRY_H

#if defined(__x86_64__)
#if defined(__CET__) && (__CET__ & 1)
#define ENTRY_JUMP(name) "    endbr64\n    jmp *entry_" #name "(%rip)\n"
#else
#define ENTRY_JUMP(name) "    jmp *entry_" #name "(%rip)\n"
#endif
#elif defined(__aarch64__)
#define ENTRY_JUMP(name)                                                                                               \
    "    hint #34\n    adrp x16, entry_" #name "\n    ldr x16, [x16, #:lo12:entry_" #name "]\n    br x16\n"
#endif

/* Defines NAME as a jump to wrapper_NAME, which is defined before it. On other processors NAME is the wrapper
 * itself. */
#ifdef ENTRY_JUMP
#define ENTRY(name)                                                                                                    \
    extern void *entry_##name __attribute__((visibility("hidden")));                                                   \
    void *entry_##name __attribute__((used)) = (void *)wrapper_##name;                                                 \
    __asm__("    .pushsection .text\n    .p2align 4\n    .globl " #name "\n    .type " #name ", %function\n" #name     \
            ":\n    .cfi_startproc\n" ENTRY_JUMP(name) "    .cfi_endproc\n    .size " #name ", . - " #name             \
                                                       "\n    .popsection\n")
#else
#define ENTRY(name)                                                                                                    \
    extern void *entry_##name __attribute__((visibility("hidden")));                                                   \
    void *entry_##name = (void *)wrapper_##name;                                                                       \
    extern __typeof__(wrapper_##name) name __attribute__((alias("wrapper_" #name)))
#endif

/* Makes the program's calls go straight to the next library that has them. Before the first MPI call. */
void entries_bypass(void);

#endif
