/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the terminal. */
#ifndef DECODER_TERMINAL_H
#define DECODER_TERMINAL_H

#include <stdbool.h>

/* Returns how many columns a line on DESCRIPTOR should have: those of the terminal, 60 to 120; 80 if it is none. */
unsigned terminal_columns(int descriptor);

/* Returns how many columns it has; 0: it is no terminal, or that is not known. */
unsigned terminal_width(int descriptor);

/* True if it is a terminal that shows colours, and the user has not refused them (NO_COLOR). */
bool terminal_has_colors(int descriptor);

#endif
