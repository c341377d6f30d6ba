/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the terminal. */
#ifndef DECODER_TERMINAL_H
#define DECODER_TERMINAL_H

/* Returns how many columns a line on DESCRIPTOR should have: those of the terminal, 60 to 120; 80 if it is none. */
unsigned terminal_columns(int descriptor);

#endif
