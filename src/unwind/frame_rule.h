/* SPDX-License-Identifier: BSD-3-Clause */
/* How to get from a frame of the stack to its caller's: what .eh_frame says for a return address.
 *
 * CFA is the value that the stack pointer had before the call that made the frame; the caller's stack pointer is that
 * again when the call returns. FP is the register that a function may keep its frame's address in: rbp, x29. All other
 * registers are of no interest, so a rule is a few numbers. What they cannot express is FRAME_UNKNOWN. */
#ifndef PILGRIM_FRAME_RULE_H
#define PILGRIM_FRAME_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_cfa {
    FRAME_UNKNOWN,   /* no description, or one that a rule cannot express */
    FRAME_OUTERMOST, /* the frame has no caller */
    FRAME_SP,        /* CFA = stack pointer + cfa_offset */
    FRAME_FP,        /* CFA = FP + cfa_offset */
    FRAME_AT_FP      /* CFA is the word at FP + cfa_offset: a function that aligned its stack */
};

/* Where the caller's FP is. */
enum frame_saved {
    SAVED_NOT,    /* unchanged, in the register */
    SAVED_AT_CFA, /* at CFA + fp_offset */
    SAVED_AT_FP,  /* at FP + fp_offset */
    SAVED_NOWHERE /* lost, or not to be expressed */
};

struct frame_rule {
    uint8_t cfa;   /* enum frame_cfa; the rest has a meaning if that is neither unknown nor outermost */
    uint8_t saved; /* enum frame_saved */
    int32_t cfa_offset;
    int32_t fp_offset;
    int32_t return_offset; /* the return address is at CFA + return_offset */
};

/* Where a module's unwind tables are: its .eh_frame_hdr and .eh_frame lie between LOW and HIGH, which can be read. */
struct frame_tables {
    const uint8_t *low, *high;
    const uint8_t *header; /* .eh_frame_hdr */
};

/* Returns the rule for the frame that ADDRESS, a return address, is in. Asks the loader which module that is, so this
 * takes a microsecond. */
struct frame_rule frame_rule_of(const void *address);

/* The same for the instruction at PC, which is in the module whose ELF header is mapped at HEADER, with its program
 * headers. Asks nobody: async-signal-safe. */
struct frame_rule frame_rule_in(const void *header, uintptr_t pc);

/* The same for the instruction at PC, which is in the module of TABLES. Damaged tables give some rule. */
struct frame_rule frame_rule_at(const struct frame_tables *tables, uintptr_t pc);

#endif
