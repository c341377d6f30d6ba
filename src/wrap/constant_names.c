/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of constants, by binary search in the generated tables, and of callbacks.
 *
 * Some constants are addresses of functions in the MPI library (MPI_COMM_DUP_FN). They are recognised by their symbol:
 * if this library referred to them, it could not be loaded where there is no MPI. */
#define _GNU_SOURCE 1 /* dladdr */
#include "wrap/constant_names.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "functions.h"

const struct constant *constant_find(unsigned enumeration, int64_t v)
{
    const struct enumeration *e = &enumerations[enumeration];
    unsigned low = 0, high = e->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (e->constants[middle].value < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < e->count && e->constants[low].value == v ? &e->constants[low] : NULL;
}

struct flags flags_of(unsigned enumeration, int64_t v)
{
    const struct enumeration *e = &enumerations[enumeration];
    struct flags flags = {.rest = v};
    for (unsigned i = 0; i < e->count && flags.count < FLAGS_MAX; i++) {
        int64_t flag = e->constants[i].value;
        if (flag > 0 && (flags.rest & flag) == flag) {
            flags.names[flags.count++] = e->constants[i].name;
            flags.rest &= ~flag;
        }
    }
    return flags;
}

/* Returns the number of NAME in the vocabulary; NAME_COUNT if it is not there. */
static unsigned name_find(const char *name)
{
    for (unsigned i = 0; i < NAME_COUNT; i++)
        if (!strcmp(vocabulary.names[i], name))
            return i;
    return NAME_COUNT;
}

/* Returns the name of the constant for duplication that CALLED takes. */
static unsigned duplication_name(uint32_t called)
{
    const char *function = vocabulary.functions[called].name;
    unsigned name = NAME_COUNT;
    if (strstr(function, "Comm_"))
        name = name_find("MPI_COMM_DUP_FN");
    else if (strstr(function, "Type_"))
        name = name_find("MPI_TYPE_DUP_FN");
    else if (strstr(function, "Win_"))
        name = name_find("MPI_WIN_DUP_FN");
    return name == NAME_COUNT ? name_find("MPI_DUP_FN") : name;
}

/* Returns the constant whose Fortran function is SYMBOL: mpi_comm_dup_fn_, PMPI_COMM_DUP_FN, ..._MOD_mpi_comm_dup_fn,
 * ompi_comm_dup_fn_, ompi_comm_dup_fn_f. NAME_COUNT: none. */
static unsigned fortran_name(const char *symbol)
{
    char name[64];
    const char *module = strstr(symbol, "_MOD_");
    const char *from = module ? module + 5 : symbol;
    from += *from == 'p' || *from == 'P' || (*from == 'o' && !module);
    if (strncasecmp(from, "mpi_", 4) || strlen(from) >= sizeof name)
        return NAME_COUNT;
    size_t length = strlen(from);
    while (length && from[length - 1] == '_')
        length--;
    for (size_t i = 0; i < length; i++)
        name[i] = (char)toupper((unsigned char)from[i]);
    if (length > 5 && !strncmp(name + length - 5, "_FN_F", 5))
        length -= 2;
    name[length] = 0;
    return length > 3 && strstr(name, "_FN") ? name_find(name) : NAME_COUNT;
}

/* Returns the symbol that the dynamic linker has for exactly this address, or NULL. */
static const char *symbol_of(const void *function)
{
    Dl_info info;
    return dladdr(function, &info) && info.dli_sname && info.dli_saddr == function ? info.dli_sname : NULL;
}

/* Functions without a symbol, in order of first use. */
static struct {
    pthread_mutex_t lock;
    const void **functions;
    size_t count, capacity;
} unknown = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t function_id(const void *function)
{
    int64_t id = -1;
    pthread_mutex_lock(&unknown.lock);
    for (size_t i = 0; i < unknown.count && id < 0; i++)
        if (unknown.functions[i] == function)
            id = (int64_t)i;
    if (id < 0 && unknown.count == unknown.capacity) {
        size_t capacity = unknown.capacity * 2 + 16;
        const void **functions = realloc(unknown.functions, capacity * sizeof *functions);
        if (functions) {
            unknown.functions = functions;
            unknown.capacity = capacity;
        }
    }
    if (id < 0 && unknown.count < unknown.capacity) {
        unknown.functions[unknown.count] = function;
        id = (int64_t)unknown.count++;
    }
    pthread_mutex_unlock(&unknown.lock);
    return id;
}

struct function_name function_name_of(uint32_t called, const void *function)
{
    struct function_name f = {.name = NAME_COUNT};
    if (!function) {
        f.name = NAME_NULL;
        return f;
    }
    f.symbol = symbol_of(function);
    if (f.symbol && !strcmp(f.symbol, "MPIR_Dup_fn"))
        f.name = duplication_name(called);
    if (f.name == NAME_COUNT && f.symbol)
        f.name = fortran_name(f.symbol);
    if (f.name == NAME_COUNT && !f.symbol)
        f.id = function_id(function);
    return f;
}
