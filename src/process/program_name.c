/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the script among Python's arguments; see program_name.h. */
#define _GNU_SOURCE 1 /* program_invocation_short_name */
#include "process/program_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_BYTES = 1 << 16, NAME_BYTES = 256 };

struct arguments {
    const char *at, *end;
};

/* Returns the next argument; NULL: there is none that is whole. */
static const char *next_argument(struct arguments *a)
{
    const char *argument = a->at, *zero = a->at < a->end ? memchr(a->at, 0, (size_t)(a->end - a->at)) : NULL;
    if (!zero)
        return NULL;
    a->at = zero + 1;
    return argument;
}

static bool is_one_of(const char *text, const char *const *names)
{
    while (*names && strcmp(*names, text) != 0)
        names++;
    return *names != NULL;
}

/* Looks at ARGUMENT, which begins with "-". Sets *MODULE to the module that it names, if it is -m. False: what follows
 * is no script. */
static bool pass_option(struct arguments *a, const char *argument, const char **module)
{
    static const char *const followed[] = {"--check-hash-based-pycs", "-rc", "--rc", "-profile", "--profile", NULL};
    if (is_one_of(argument, followed))
        return next_argument(a) != NULL;
    if (argument[1] == '-' || strncmp(argument, "-rc=", 4) == 0 || strncmp(argument, "-profile=", 9) == 0)
        return true;
    for (const char *letter = argument + 1; *letter; letter++) {
        const char *rest = letter[1] ? letter + 1 : NULL;
        if (*letter == 'c')
            return false;
        if (*letter == 'm')
            return (*module = rest ? rest : next_argument(a)) != NULL;
        if (*letter == 'W' || *letter == 'X')
            return rest || next_argument(a);
    }
    return argument[1] != 0; /* "-" is standard input */
}

/* Copies the file name of SCRIPT without its suffix. */
static bool put_script(const char *script, char *name, size_t size)
{
    static const char suffix[] = ".py";
    size_t length = strlen(script);
    while (length > 0 && script[length - 1] == '/')
        length--;
    const char *slash = memrchr(script, '/', length), *begin = slash ? slash + 1 : script;
    length -= (size_t)(begin - script);
    if (length >= sizeof suffix && memcmp(begin + length - (sizeof suffix - 1), suffix, sizeof suffix - 1) == 0)
        length -= sizeof suffix - 1;
    if (length == 0 || length >= size || *begin == '.')
        return false;
    memcpy(name, begin, length);
    name[length] = 0;
    return true;
}

bool program_name_of_script(const char *program, const char *arguments, size_t length, char *name, size_t size)
{
    static const char python[] = "python";
    static const char *const runners[] = {"mpi4py", "mpi4py.run", "mpi4py.futures", NULL}; /* of another script */
    struct arguments a = {arguments, arguments + length};
    const char *argument = next_argument(&a);
    if (strncmp(program, python, sizeof python - 1) != 0)
        return false;
    while (argument && (argument = next_argument(&a))) {
        const char *module = NULL;
        if (*argument != '-')
            return put_script(argument, name, size);
        if (!pass_option(&a, argument, &module))
            return false;
        if (module && !is_one_of(module, runners))
            return put_script(module, name, size);
    }
    return false;
}

const char *program_name(void)
{
    static char name[NAME_BYTES];
    static char arguments[ARGUMENTS_BYTES];
    if (name[0])
        return name;
    int error = errno, file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = 0, got = 0;
    while (file >= 0 && length < ARGUMENTS_BYTES &&
           (got = read(file, arguments + length, (size_t)(ARGUMENTS_BYTES - length))) > 0)
        length += got;
    if (file >= 0)
        close(file);
    errno = error;
    if (!program_name_of_script(program_invocation_short_name, arguments, (size_t)length, name, sizeof name))
        strncat(name, program_invocation_short_name, sizeof name - 1);
    return name;
}
