/* SPDX-License-Identifier: BSD-3-Clause */
/* _exit and _Exit, interposed: the process ends at once, without the destructors that would say that its calls are in
 * the journal. And kill, by which a process ends itself after it has handled a signal, as Python does after an
 * unhandled KeyboardInterrupt. */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "process/capture.h"
#include "process/endings.h"

/* Not in libpilgrim.a: the C library there has them. */
#ifndef PILGRIM_STATIC

PILGRIM_API void _exit(int status);
PILGRIM_API void _Exit(int status);

PILGRIM_API void _exit(int status)
{
    endings_exit();
    for (;;)
        syscall(SYS_exit_group, status);
}

PILGRIM_API void _Exit(int status)
{
    _exit(status);
}

PILGRIM_API int kill(pid_t process, int number)
{
    if (process == getpid())
        endings_kill(number);
    return (int)syscall(SYS_kill, process, number);
}

#endif
