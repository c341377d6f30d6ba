/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites that the caller tells. pilgrim-replay makes the calls of a program, and all from the same lines of its
 * own. If its trace is to be compared with the program's, it says before each call where the program made it. */
#ifndef PILGRIM_TOLD_SITE_H
#define PILGRIM_TOLD_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/site.h"
#include "pilgrim/reader.h"

/* What the calling thread has told of its next calls. */
struct told_call {
    bool told;
    bool fortran;
    const void *site; /* of told_site; NULL: it is not known */
};

extern _Thread_local struct told_call told_now __attribute__((tls_model("initial-exec")));

/* Returns what stands for SITE and its callers in a call class, the same for equal ones, for the rest of the process.
 * It is no address of code. NULL: SITE is NULL, or there is no memory. Any thread. */
const void *told_site(const struct pilgrim_frame *site);

/* Fills FRAMES, which has room for SITE_FRAMES_MAX, if SITE is of told_site; else returns 0. Any thread. */
size_t told_frames(const void *site, struct code_frame *frames);

#endif
