/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that are kept aside, so that a file of Pilgrim's can be opened when the program has opened as many as the
 * system lets it. They have high numbers, so the program gets the numbers that it would get without them, and it may
 * close them, or put files of its own in their place. Every function may be called by several threads at once, and in
 * signal handlers. */
#ifndef PILGRIM_BASE_SPARE_FILES_H
#define PILGRIM_BASE_SPARE_FILES_H

#include <sys/types.h>

/* Keeps them from now on. There are none where the process may have few descriptors anyway. */
void spare_files_begin(void);

/* Gives them back. */
void spare_files_end(void);

/* Moves FILE, which is to stay open, to a number as high as theirs. Returns it, or -1: there are none here, and FILE is
 * closed. */
int spare_raise(int file);

/* As openat, but gives up one that is kept where the process, or the system, may have no more. */
int spare_open(int in, const char *path, int flags, mode_t mode);

/* As close, of what spare_open has opened: keeps again what was given up for it. Keeps errno if it could be closed. */
int spare_close(int file);

#endif
