/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the shadow of the functions in the standard's chapter "pt2pt". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

static void shadow_in_MPI_Isend(struct shadow *s, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                                MPI_Comm comm)
{
    shadow_in(s, 0);
    shadow_buffer(s, buf);
    shadow_in(s, 1);
    shadow_int(s, count);
    shadow_in(s, 2);
    shadow_handle(s, KIND_DATATYPE, HANDLE(datatype));
    shadow_in(s, 3);
    shadow_rank(s, dest);
    shadow_in(s, 4);
    shadow_enum(s, ENUM_TAG, tag);
    shadow_in(s, 5);
    shadow_handle(s, KIND_COMM, HANDLE(comm));
}

static void shadow_out_MPI_Isend(struct shadow *s, MPI_Request *request, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 6);
    if (ok)
        shadow_new_request(s, *request);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

struct saved_MPI_Isend {
    MPI_Request *request;
    int ret;
};

static void after_MPI_Isend(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Isend *arguments = saved;
    shadow_out_MPI_Isend(s, arguments->request, arguments->ret);
}

int shadow_layer_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                           MPI_Request *request)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Isend);
    if (!s)
        return SHADOW_NEXT(MPI_Isend)(buf, count, datatype, dest, tag, comm, request);
    shadow_in_MPI_Isend(s, buf, count, datatype, dest, tag, comm);
    int ret = SHADOW_NEXT(MPI_Isend)(buf, count, datatype, dest, tag, comm, request);
    const struct saved_MPI_Isend saved = {.request = request, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Isend");
    shadow_save(s, &saved, sizeof saved, after_MPI_Isend);
    return ret;
}

static void shadow_in_MPI_Recv(struct shadow *s, void *buf, int count, MPI_Datatype datatype, int source, int tag,
                               MPI_Comm comm)
{
    shadow_in(s, 0);
    shadow_buffer(s, buf);
    shadow_in(s, 1);
    shadow_int(s, count);
    shadow_in(s, 2);
    shadow_handle(s, KIND_DATATYPE, HANDLE(datatype));
    shadow_in(s, 3);
    shadow_rank(s, source);
    shadow_in(s, 4);
    shadow_enum(s, ENUM_TAG, tag);
    shadow_in(s, 5);
    shadow_handle(s, KIND_COMM, HANDLE(comm));
}

static void shadow_out_MPI_Recv(struct shadow *s, MPI_Status *status, bool ignored, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 6);
    if (ok)
        shadow_status(s, status, ignored);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

struct saved_MPI_Recv {
    MPI_Status *status;
    bool ignored;
    int ret;
};

static void after_MPI_Recv(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Recv *arguments = saved;
    shadow_out_MPI_Recv(s, arguments->status, arguments->ignored, arguments->ret);
}

int shadow_layer_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                          MPI_Status *status)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Recv);
    if (!s)
        return SHADOW_NEXT(MPI_Recv)(buf, count, datatype, source, tag, comm, status);
    bool ignored = shadow_ignores(s, status);
    shadow_in_MPI_Recv(s, buf, count, datatype, source, tag, comm);
    int ret = SHADOW_NEXT(MPI_Recv)(buf, count, datatype, source, tag, comm, status);
    const struct saved_MPI_Recv saved = {.status = status, .ignored = ignored, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Recv");
    shadow_save(s, &saved, sizeof saved, after_MPI_Recv);
    return ret;
}

static void shadow_in_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

static void shadow_out_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[], int *index, int *flag,
                                   MPI_Status *status, bool ignored, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_enum(s, ENUM_UNDEFINED, *index);
    else
        shadow_null(s);
    shadow_out(s, 3);
    if (ok)
        shadow_bool(s, *flag);
    else
        shadow_null(s);
    shadow_out(s, 4);
    if (ok && *flag)
        shadow_status_of(s, *index, status, ignored);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

struct saved_MPI_Testany {
    int count;
    MPI_Request (*array_of_requests);
    int *index;
    int *flag;
    MPI_Status *status;
    bool ignored;
    int ret;
};

static void after_MPI_Testany(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Testany *arguments = saved;
    shadow_out_MPI_Testany(s, arguments->count, arguments->array_of_requests, arguments->index, arguments->flag,
                           arguments->status, arguments->ignored, arguments->ret);
}

int shadow_layer_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Testany);
    if (!s)
        return SHADOW_NEXT(MPI_Testany)(count, array_of_requests, index, flag, status);
    bool ignored = shadow_ignores(s, status);
    shadow_in_MPI_Testany(s, count, array_of_requests);
    int ret = SHADOW_NEXT(MPI_Testany)(count, array_of_requests, index, flag, status);
    const struct saved_MPI_Testany saved = {.count = count, .array_of_requests = array_of_requests, .index = index,
                                            .flag = flag, .status = status, .ignored = ignored, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Testany");
    shadow_save(s, &saved, sizeof saved, after_MPI_Testany);
    return ret;
}

static void shadow_in_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

static void shadow_out_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[],
                                   MPI_Status *array_of_statuses, bool ignored, int ret)
{
    bool ok = ret == MPI_SUCCESS || shadow_in_status(ret);
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_statuses(s, array_of_statuses, count, ignored);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

struct saved_MPI_Waitall {
    int count;
    MPI_Request (*array_of_requests);
    MPI_Status *array_of_statuses;
    bool ignored;
    int ret;
};

static void after_MPI_Waitall(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Waitall *arguments = saved;
    shadow_out_MPI_Waitall(s, arguments->count, arguments->array_of_requests, arguments->array_of_statuses,
                           arguments->ignored, arguments->ret);
}

int shadow_layer_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Waitall);
    if (!s)
        return SHADOW_NEXT(MPI_Waitall)(count, array_of_requests, array_of_statuses);
    bool ignored = shadow_ignores(s, array_of_statuses);
    shadow_in_MPI_Waitall(s, count, array_of_requests);
    int ret = SHADOW_NEXT(MPI_Waitall)(count, array_of_requests, array_of_statuses);
    const struct saved_MPI_Waitall saved = {.count = count, .array_of_requests = array_of_requests,
                                            .array_of_statuses = array_of_statuses, .ignored = ignored, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Waitall");
    shadow_save(s, &saved, sizeof saved, after_MPI_Waitall);
    return ret;
}
