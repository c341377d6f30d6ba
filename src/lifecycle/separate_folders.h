/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs whose machines do not share the folder of the trace. */
#ifndef PILGRIM_SEPARATE_FOLDERS_H
#define PILGRIM_SEPARATE_FOLDERS_H

/* Finds out if the run has a folder for its journals on more than one machine, and tells journaling.h where. Collective
 * over capture.comm, behind journaling_begin. */
void separate_folders_find(void);

#endif
