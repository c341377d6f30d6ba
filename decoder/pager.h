/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that shows long output page by page on a terminal. */
#ifndef DECODER_PAGER_H
#define DECODER_PAGER_H

#include <stdbool.h>

/* If the standard output is a terminal, starts the pager, as git does, and makes the standard output its input: the
 * command PAGER, else less, which leaves what fits on a screen, with its colours (LESS=FRX, unless it is set). Returns
 * true if it was started. It is not if PAGER is empty or cat, or if there is no such program. */
bool pager_begin(void);

/* Closes the standard output and waits until the user is done with the pager. Without one: does nothing. */
void pager_end(void);

#endif
