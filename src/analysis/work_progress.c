/* SPDX-License-Identifier: BSD-3-Clause */
/* Who wants to know how far long work is; see work_progress.h. */
#include "analysis/work_progress.h"

void (*work_progress)(uint64_t done);
