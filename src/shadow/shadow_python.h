/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions in Python that a thread is in, for the shadow, by the interpreter's public functions and under its
 * lock. Shares nothing with the recorder (python_frames.c). Slow. */
#ifndef PILGRIM_SHADOW_PYTHON_H
#define PILGRIM_SHADOW_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

/* Frames as FILE:LINE:FUNCTION, each with a 0 byte behind it. */
struct shadow_python {
    char texts[32768];
    unsigned count;
};

/* True if ADDRESS is in the interpreter. */
bool shadow_python_interprets(const void *address);

/* Takes at most DEPTH frames, the innermost first. */
void shadow_python_take(struct shadow_python *p, unsigned depth);

#endif
