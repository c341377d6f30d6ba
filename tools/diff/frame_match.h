/* SPDX-License-Identifier: BSD-3-Clause */
/* Which frames of different builds of a module are the same. */
#ifndef PILGRIM_DIFF_FRAME_MATCH_H
#define PILGRIM_DIFF_FRAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame of either trace, or of both. Texts are numbers, equal for equal ones. */
struct matched_frame {
    uint32_t module, build, function;
    uint32_t callee;  /* the function that is called from there */
    uint32_t same_as; /* the number of a frame of the first trace that it is the same as; else its own */
    uint64_t offset;
    uint32_t line;  /* of the call; 0: not known */
    uint32_t place; /* a text: that line, and those of the functions around that became part of others; only if LINE */
    bool in[2];     /* by trace */
};

/* Sets same_as; calls of one function from one place are the same, which a compiler has made several. Frames are
 * numbered in the order in which their calls are first made. *REBUILT: a module of both traces is not of the same
 * build, or each trace has a module that the other one has not. False: no memory. */
bool frames_match(struct matched_frame *frames, size_t count, bool *rebuilt);

#endif
