/* Programs that know the names of their own buffers: each says what has to be recorded, and a test compares.
 *
 * A line `want THREAD FUNCTION PARAMETER VALUE` on stdout: in the calls of FUNCTION by THREAD, in order, PARAMETER is
 * VALUE. It is said by rank 0, for all ranks, for each call of the function. */
#ifndef TESTS_MPI_PLACES_H
#define TESTS_MPI_PLACES_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

static int place_silent; /* 1 on ranks other than 0 */

__attribute__((format(printf, 4, 5))) static inline void place_want(int thread, const char *function,
                                                                    const char *parameter, const char *format, ...)
{
    va_list arguments;

    if (place_silent)
        return;
    printf("want %d %s %s ", thread, function, parameter);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

/* P is recorded as TEXT. */
static inline void place_of_thread(int thread, const void *p, const char *text)
{
    MPI_Aint address;

    MPI_Get_address(p, &address);
    place_want(thread, "MPI_Get_address", "location", "\"%s\"", text);
}

static inline void place(const void *p, const char *text)
{
    place_of_thread(0, p, text);
}

#endif
/* SPDX-License-Identifier: BSD-3-Clause */
