/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow's call sites; see shadow_site.h. */
#define _GNU_SOURCE 1 /* dladdr1 */
#include "shadow/shadow_site.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "mpi/mpi_library.h"
#include "shadow/shadow_text.h"

enum { WHOLE_MAX = 1024 };

/* True if ADDRESS is in the C library, or at the program's entry point. */
static bool begins_stack(const void *address)
{
    static const char *const symbols[] = {"gnu_get_libc_version", "_dl_find_object"}; /* in libc.so and ld.so */
    Dl_info here, there;
    if ((uintptr_t)address - getauxval(AT_ENTRY) <= 64)
        return true;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        const void *symbol = dlsym(RTLD_DEFAULT, symbols[i]);
        if (symbol && dladdr(symbol, &there) && dladdr(address, &here) && here.dli_fbase == there.dli_fbase)
            return true;
    }
    return false;
}

/* True if ADDRESS is in mpi4py. */
static bool is_mpi4py(const void *address)
{
    Dl_info here;
    const char *slash = dladdr(address, &here) ? strrchr(here.dli_fname, '/') : NULL;
    return slash && !strncmp(slash + 1, "MPI.", 4);
}

/* Replaces the frames from the interpreter outwards, in the COUNT addresses at WHOLE, by those of Python, if there are
 * any; and mpi4py's before them. */
static bool take_python(struct shadow_site *s, void *const *whole, int count, unsigned depth)
{
    int machine = 0, own = 0;
    while (machine < count && !shadow_python_interprets(whole[machine]))
        machine++;
    if (machine == count)
        return false;
    shadow_python_take(&s->python, depth);
    if (!s->python.count)
        return false;
    while (own < machine && is_mpi4py(whole[own]))
        own++;
    s->count = 0;
    for (int i = own < machine ? 0 : machine; i < machine && s->count < depth; i++)
        s->addresses[s->count++] = whole[i];
    if (s->count + s->python.count > depth)
        s->python.count = depth - s->count;
    return true;
}

void shadow_site_take(struct shadow_site *s, const void *site, unsigned depth)
{
    void *whole[WHOLE_MAX];
    s->addresses[0] = site;
    s->count = 1;
    s->python.count = 0;
    if (depth == 1)
        return;
    int length = backtrace(whole, WHOLE_MAX), first = 0;
    while (first < length && whole[first] != site)
        first++;
    if (take_python(s, whole + first, length - first, depth))
        return;
    if (length < WHOLE_MAX)
        while (length > first && (!whole[length - 1] || begins_stack(whole[length - 1])))
            length--;
    for (int i = first + 1; i < length && s->count < depth; i++)
        s->addresses[s->count++] = whole[i];
}

/* Prints MODULE+0xOFFSET into TEXT. False: ADDRESS is in no module. */
static bool name_frame(const void *address, char *text, size_t size)
{
    Dl_info info;
    struct link_map *map;
    char program[4096];
    if (!address || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    const char *path = map->l_name;
    if (!path[0]) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = 0;
        path = program;
    }
    const char *slash = strrchr(path, '/');
    snprintf(text, size, "%s+0x%tx", slash ? slash + 1 : path, (const char *)address - (const char *)info.dli_fbase);
    return true;
}

/* True if ADDRESS is in the MPI library, or in this one. */
static bool carries(const void *address)
{
    const void *const known[] = {(const void *)(uintptr_t)PMPI_Init, (const void *)(uintptr_t)shadow_site_take};
    Dl_info here, there;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (dladdr(known[i], &there) && dladdr(address, &here) && here.dli_fbase == there.dli_fbase)
            return true;
    return false;
}

/* Returns frame I of P. */
static const char *text_at(const struct shadow_python *p, unsigned i)
{
    const char *text = p->texts;
    while (i--)
        text += strlen(text) + 1;
    return text;
}

/* Appends TEXT as a frame, if there is room. */
static void add_text(struct shadow_python *p, const char *text)
{
    char *const end = (char *)(uintptr_t)text_at(p, p->count);
    const size_t length = strlen(text) + 1;
    if (length > sizeof p->texts - (size_t)(end - p->texts))
        return;
    memcpy(end, text, length);
    p->count++;
}

void shadow_site_take_inside(struct shadow_site *s, const void *site, unsigned depth, const char *function,
                             const struct shadow_site *outer)
{
    char text[4200];
    unsigned callers = outer->python.count, count = 1;
    shadow_site_take(s, site, depth);
    while (s->python.count && callers &&
           !strcmp(text_at(&s->python, s->python.count - 1), text_at(&outer->python, callers - 1)))
        s->python.count--, callers--;
    while (count < s->count && !carries(s->addresses[count]))
        count++;
    if (!s->python.count)
        s->count = count;
    if (s->count > SITE_FRAMES_MAX / 2)
        s->count = SITE_FRAMES_MAX / 2;
    if (s->count + s->python.count > SITE_FRAMES_MAX / 2)
        s->python.count = SITE_FRAMES_MAX / 2 - s->count;
    snprintf(text, sizeof text, "MPI:0:%s", function);
    add_text(&s->python, text);
    for (unsigned i = 0; i < outer->count && s->count + s->python.count < SITE_FRAMES_MAX; i++) {
        if (!name_frame(outer->addresses[i], text, sizeof text))
            return;
        add_text(&s->python, text);
    }
    for (unsigned i = 0; i < outer->python.count && s->count + s->python.count < SITE_FRAMES_MAX; i++)
        add_text(&s->python, text_at(&outer->python, i));
}

/* Appends TEXT, which is frame I. */
static void put_frame(struct bytes *line, unsigned i, const char *text)
{
    text_print(line, "%s", i == 0 ? ",\"site\":" : i == 1 ? ",\"stack\":[" : ",");
    text_string(line, text, strlen(text));
}

void shadow_site_put(const struct shadow_site *s, struct bytes *line)
{
    char text[4200];
    unsigned put = 0;
    while (put < s->count && name_frame(s->addresses[put], text, sizeof text))
        put_frame(line, put++, text);
    const char *python = s->python.texts;
    for (unsigned i = 0; i < s->python.count && put == s->count + i; i++, python += strlen(python) + 1)
        put_frame(line, put++, python);
    if (put > 1)
        text_print(line, "]");
}
