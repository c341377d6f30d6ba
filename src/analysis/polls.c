/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises failed polls; see polls.h. */
#include "analysis/polls.h"

#include <string.h>

#include "analysis/call_values.h"

/* The functions that ask if something has happened, and the parameter that tells: a flag, or a number of things that
 * have. */
static const struct {
    const char *function, *parameter;
} polls[] = {
    {"MPI_Improbe", "flag"},
    {"MPI_Iprobe", "flag"},
    {"MPI_Parrived", "flag"},
    {"MPI_Request_get_status", "flag"},
    {"MPI_Request_get_status_all", "flag"},
    {"MPI_Request_get_status_any", "flag"},
    {"MPI_Request_get_status_some", "outcount"},
    {"MPI_Test", "flag"},
    {"MPI_Testall", "flag"},
    {"MPI_Testany", "flag"},
    {"MPI_Testsome", "outcount"},
    {"MPI_Win_test", "flag"},
};

int call_poll_parameter(const struct pilgrim_function *f)
{
    size_t poll = 0;
    while (poll < sizeof polls / sizeof *polls && strcmp(polls[poll].function, f->name) != 0)
        poll++;
    for (size_t i = 0; poll < sizeof polls / sizeof *polls && i < f->parameter_count; i++)
        if (strcmp(f->parameters[i].name, polls[poll].parameter) == 0)
            return (int)i;
    return -1;
}

bool call_is_failed_poll(const struct pilgrim_call *call)
{
    const int at = call_poll_parameter(call->function);
    bool done;
    return at >= 0 && value_truth(&call->out[at], &done) && !done;
}
