/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's name; see machine_name.h. */
#define _GNU_SOURCE 1 /* gethostname */
#include "journal/machine_name.h"

#include <stdio.h>
#include <unistd.h>

#include "journal/journal_format.h"

enum { BOOT_DIGITS = 8 };

void machine_name(char *name, size_t size)
{
    char host[JOURNAL_TEXT / 2] = "", boot[BOOT_DIGITS + 1] = "";
    if (gethostname(host, sizeof host - 1) || !*host)
        snprintf(host, sizeof host, "host");
    for (char *at = host; *at; at++)
        if (*at == '/')
            *at = '_';
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(boot, sizeof boot, file))
        *boot = 0;
    if (file)
        fclose(file);
    snprintf(name, size, "%s-%s", host, boot);
}
