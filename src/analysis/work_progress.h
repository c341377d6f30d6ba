/* SPDX-License-Identifier: BSD-3-Clause */
/* Long work says how far it is, to a tool that wants to know. */
#ifndef ANALYSIS_WORK_PROGRESS_H
#define ANALYSIS_WORK_PROGRESS_H

#include <stdint.h>

/* Set once, by the main program of a tool, before the work begins; NULL: nobody wants to know. Called by the thread
 * that works, with the ranks that are done. */
extern void (*work_progress)(uint64_t done);

static inline void work_done(uint64_t done)
{
    if (work_progress)
        work_progress(done);
}

#endif
