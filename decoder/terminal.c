/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the terminal; see terminal.h. */
#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 60, COLUMNS_ORDINARY = 80, COLUMNS_MOST = 120 };

unsigned terminal_columns(int descriptor)
{
    struct winsize size;
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS_ORDINARY;
    return size.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : size.ws_col > COLUMNS_MOST ? COLUMNS_MOST : size.ws_col;
}
