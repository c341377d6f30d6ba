/* SPDX-License-Identifier: BSD-3-Clause */
/* The filter of functions; see filter.h. */
#include "process/filter.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "process/capture.h"

bool filter_left_out[FUNCTION_COUNT];
static atomic_bool noted[FILTER_REASONS][FUNCTION_COUNT];

/* Recording begins and ends with these functions, so they are always recorded. */
static const uint32_t always[] = {FUNCTION_MPI_Init, FUNCTION_MPI_Init_thread,
#if HAS_MPI_Session_init
                                  FUNCTION_MPI_Session_init,
#endif
                                  FUNCTION_MPI_Finalize};

enum { ALWAYS_COUNT = sizeof always / sizeof *always };

static bool is_mpi(uint32_t function)
{
    return function < FUNCTION_pilgrim_marker;
}

void filter_begin(void)
{
    for (uint32_t f = 0; is_mpi(f) && capture.settings.filter; f++)
        filter_left_out[f] = !settings_records(&capture.settings, vocabulary.functions[f].name);
    for (size_t i = 0; i < ALWAYS_COUNT; i++)
        filter_left_out[always[i]] = false;
}

static bool fits_any(const struct settings_pattern *p)
{
    for (uint32_t f = 0; is_mpi(f); f++)
        if (settings_pattern_fits(p, vocabulary.functions[f].name))
            return true;
    return false;
}

/* True if P names one of these functions itself. A pattern with * may include them without a warning. */
static bool names_always(const struct settings_pattern *p)
{
    for (size_t i = 0; p->leaves_out && !memchr(p->text, '*', p->length) && i < ALWAYS_COUNT; i++)
        if (settings_pattern_fits(p, vocabulary.functions[always[i]].name))
            return true;
    return false;
}

void filter_check(void (*warn)(const char *line))
{
    struct settings_pattern p;
    for (const char *list = capture.settings.filter; list && *list && settings_filter_next(&list, &p);) {
        char line[256];
        int shown = p.length < 100 ? (int)p.length : 100;
        const char *problem = names_always(&p) ? "is always recorded, because a trace begins or ends with it"
                              : fits_any(&p)   ? NULL
                                               : "fits no MPI function of this library";
        if (!problem)
            continue;
        snprintf(line, sizeof line, "PILGRIM_FILTER: %.*s %s", shown, p.text, problem);
        warn(line);
    }
}

void filter_note(enum filter_reason reason, uint32_t function)
{
    atomic_store_explicit(&noted[reason][function], true, memory_order_relaxed);
}

bool filter_is_noted(enum filter_reason reason, uint32_t function)
{
    return atomic_load_explicit(&noted[reason][function], memory_order_relaxed);
}

const char *filter_noted_name(enum filter_reason reason, size_t i)
{
    for (uint32_t f = 0; f < FUNCTION_COUNT; f++)
        if (atomic_load(&noted[reason][f]) && i-- == 0)
            return vocabulary.functions[f].name;
    return NULL;
}
