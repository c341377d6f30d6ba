/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: libpilgrim.so is told that it runs on a host of the name FAKE_HOST, with the process number
 * FAKE_PID, where these are set. Everyone else, MPI above all, gets the true answers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

__attribute__((visibility("default"))) int gethostname(char *name, size_t length);
__attribute__((visibility("default"))) pid_t getpid(void);

static const char *fake(const char *variable, void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "libpilgrim"))
        return NULL;
    return getenv(variable);
}

int gethostname(char *name, size_t length)
{
    struct utsname system;
    const char *host = fake("FAKE_HOST", __builtin_return_address(0));
    if (!host) {
        if (uname(&system) != 0)
            return -1;
        host = system.nodename;
    }
    if (strlen(host) >= length) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(name, host);
    return 0;
}

pid_t getpid(void)
{
    const char *pid = fake("FAKE_PID", __builtin_return_address(0));
    return pid ? (pid_t)atol(pid) : (pid_t)syscall(SYS_getpid);
}
