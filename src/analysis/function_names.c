/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns symbols into names; see function_names.h.
 *
 * C++ symbols are demangled by the C++ library of the machine if it has one. Nothing is linked for it, since most
 * machines with C++ programs have one, and the others need none. */
#include "analysis/function_names.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *symbol, char *room, size_t *length, int *status);

/* Returns the demangler; NULL: there is none. */
static demangle_function *find_demangler(void)
{
    static demangle_function *found;
    static bool searched;
    if (!searched) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &symbol, sizeof found);
        searched = true;
    }
    return found;
}

/* Returns how many bytes of NAME an operator's name takes that begins there: "operator<<"; 0: there is none. Behind it
 * parameters may begin. */
static size_t operator_length(const char *name)
{
    static const char word[] = "operator";
    size_t length = sizeof word - 1;
    if (strncmp(name, word, length) != 0 || isalnum((unsigned char)name[length]) || name[length] == '_')
        return 0;
    if (strncmp(name + length, "()", 2) == 0)
        return length + 2;
    return length + strspn(name + length, "<>=!+-*/%&|^~,[] ");
}

/* Writes NAME, which was demangled, without its return type and its parameters. Templates keep their arguments; a
 * parenthesis in the name itself, as in "(anonymous namespace)", is followed by "::". */
static void put_short(char *text, size_t size, const char *name)
{
    size_t begin = 0, end = 0, depth = 0;
    while (name[end]) {
        size_t word = depth == 0 && (end == begin || name[end - 1] == ':') ? operator_length(name + end) : 0;
        if (word > 0) {
            end += word;
            continue;
        }
        char c = name[end];
        if (c == '(' && depth == 0) {
            size_t close = end;
            for (size_t open = 0; name[close]; close++) {
                open += name[close] == '(';
                if (name[close] == ')' && --open == 0)
                    break;
            }
            if (strncmp(name + close, ")::", 3) != 0)
                break;
            end = close;
        } else if (c == '<' || c == '{') {
            depth++;
        } else if ((c == '>' || c == '}') && depth > 0) {
            depth--;
        } else if (c == ' ' && depth == 0) {
            begin = end + 1;
        }
        end++;
    }
    snprintf(text, size, "%.*s", (int)(end - begin), name + begin);
}

/* Writes the name of a procedure of a Fortran module, as gfortran and ifort make symbols of it. False: it is none. */
static bool put_fortran(char *text, size_t size, const char *symbol)
{
    static const char *const middles[] = {"_MOD_", "_mp_"};
    static const char *const begins[] = {"__", ""};
    for (int i = 0; i < 2; i++) {
        size_t skip = strlen(begins[i]);
        const char *middle = strncmp(symbol, begins[i], skip) == 0 ? strstr(symbol, middles[i]) : NULL;
        if (!middle || middle <= symbol + skip)
            continue;
        const char *name = middle + strlen(middles[i]);
        size_t length = strcspn(name, ".");
        if (i == 1 && length > 1 && name[length - 1] == '_')
            length--;
        snprintf(text, size, "%.*s::%.*s", (int)(middle - symbol - (ptrdiff_t)skip), symbol + skip, (int)length, name);
        return true;
    }
    return false;
}

bool function_name_put(char *text, size_t size, const char *symbol)
{
    demangle_function *demangle = strncmp(symbol, "_Z", 2) == 0 ? find_demangler() : NULL;
    int status;
    char *name = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
    bool known = true;
    if (name)
        put_short(text, size, name);
    else
        known = put_fortran(text, size, symbol);
    if (!known)
        snprintf(text, size, "%.*s", (int)strcspn(symbol + (*symbol == '.'), ".") + (*symbol == '.'), symbol);
    free(name);
    return known;
}
