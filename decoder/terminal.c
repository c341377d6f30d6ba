/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the terminal; see terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 60, COLUMNS_ORDINARY = 80, COLUMNS_MOST = 120 };

unsigned terminal_width(int descriptor)
{
    struct winsize size;
    return isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool terminal_has_colors(int descriptor)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(descriptor) && (!refused || !*refused) && terminal && strcmp(terminal, "dumb") != 0;
}

unsigned terminal_columns(int descriptor)
{
    const unsigned width = terminal_width(descriptor);
    if (width == 0)
        return COLUMNS_ORDINARY;
    return width < COLUMNS_LEAST ? COLUMNS_LEAST : width > COLUMNS_MOST ? COLUMNS_MOST : width;
}
