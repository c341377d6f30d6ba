/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the shadow of the functions in the standard's chapter "x". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

static void shadow_in_MPI_Wait(struct shadow *s, MPI_Request *request)
{
    shadow_in(s, 0);
    if (request)
        shadow_request(s, *request);
    else
        shadow_name(s, "NULL");
}

static void shadow_out_MPI_Wait(struct shadow *s, MPI_Request *request, MPI_Status *status, bool ignored, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 0);
    if (request)
        shadow_request_after(s, *request);
    else
        shadow_name(s, "NULL");
    shadow_out(s, 1);
    if (ok)
        shadow_status_of(s, 0, status, ignored);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

struct saved_MPI_Wait {
    MPI_Request *request;
    MPI_Status *status;
    bool ignored;
    int ret;
};

static void after_MPI_Wait(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Wait *arguments = saved;
    shadow_out_MPI_Wait(s, arguments->request, arguments->status, arguments->ignored, arguments->ret);
}

int shadow_layer_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Wait);
    if (!s)
        return SHADOW_NEXT(MPI_Wait)(request, status);
    bool ignored = shadow_ignores(s, status);
    shadow_in_MPI_Wait(s, request);
    int ret = SHADOW_NEXT(MPI_Wait)(request, status);
    const struct saved_MPI_Wait saved = {.request = request, .status = status, .ignored = ignored, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Wait");
    shadow_save(s, &saved, sizeof saved, after_MPI_Wait);
    return ret;
}
