/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions and names that the patterns need, described as the generator does it, and calls made of them. */
#include "scale_calls.h"

#include <stdio.h>
#include <stdlib.h>

#define IN(name)                                                                                                       \
    {                                                                                                                  \
        name, DIRECTION_IN                                                                                             \
    }
#define OUT(name)                                                                                                      \
    {                                                                                                                  \
        name, DIRECTION_OUT                                                                                            \
    }
#define INOUT(name)                                                                                                    \
    {                                                                                                                  \
        name, DIRECTION_INOUT                                                                                          \
    }
#define FUNCTION(name, parameters, returns, activity)                                                                  \
    {                                                                                                                  \
        name, parameters, sizeof parameters / sizeof parameters[0], returns, activity                                  \
    }

static const struct parameter_descriptor process[] = {IN("views_rank"), IN("views_size"), IN("pid"), IN("place")};
static const struct parameter_descriptor communicator[] = {
    IN("communicator"), IN("thread"), IN("parent"),      IN("inter"),  IN("topology"),
    IN("size"),         IN("rank"),   IN("remote_size"), IN("leader"), IN("key")};
static const struct parameter_descriptor init[] = {INOUT("argc"), INOUT("argv")};
static const struct parameter_descriptor comm_rank[] = {IN("comm"), OUT("rank")};
static const struct parameter_descriptor comm_size[] = {IN("comm"), OUT("size")};
static const struct parameter_descriptor cart_create[] = {IN("comm_old"), IN("ndims"),   IN("dims"),
                                                          IN("periods"),  IN("reorder"), OUT("comm_cart")};
static const struct parameter_descriptor irecv[] = {IN("buf"), IN("count"), IN("datatype"), IN("source"),
                                                    IN("tag"), IN("comm"),  OUT("request")};
static const struct parameter_descriptor isend[] = {IN("buf"), IN("count"), IN("datatype"), IN("dest"),
                                                    IN("tag"), IN("comm"),  OUT("request")};
static const struct parameter_descriptor waitall[] = {IN("count"), INOUT("array_of_requests"),
                                                      OUT("array_of_statuses")};
static const struct parameter_descriptor allreduce[] = {IN("sendbuf"),  IN("recvbuf"), IN("count"),
                                                        IN("datatype"), IN("op"),      IN("comm")};
static const struct parameter_descriptor sendrecv[] = {IN("sendbuf"), IN("sendcount"), IN("sendtype"),  IN("dest"),
                                                       IN("sendtag"), IN("recvbuf"),   IN("recvcount"), IN("recvtype"),
                                                       IN("source"),  IN("recvtag"),   IN("comm"),      OUT("status")};
static const struct parameter_descriptor recv[] = {IN("buf"), IN("count"), IN("datatype"), IN("source"),
                                                   IN("tag"), IN("comm"),  OUT("status")};
static const struct parameter_descriptor send[] = {IN("buf"),  IN("count"), IN("datatype"),
                                                   IN("dest"), IN("tag"),   IN("comm")};
static const struct parameter_descriptor alltoallv[] = {IN("sendbuf"),  IN("sendcounts"), IN("sdispls"),
                                                        IN("sendtype"), IN("recvbuf"),    IN("recvcounts"),
                                                        IN("rdispls"),  IN("recvtype"),   IN("comm")};
static const struct parameter_descriptor alltoallw[] = {IN("sendbuf"),   IN("sendcounts"), IN("sdispls"),
                                                        IN("sendtypes"), IN("recvbuf"),    IN("recvcounts"),
                                                        IN("rdispls"),   IN("recvtypes"),  IN("comm")};

static const struct function_descriptor functions[MADE_FUNCTION_COUNT] = {
    [MADE_PROCESS] = FUNCTION("pilgrim_process", process, RETURNS_VALUE, ACTIVITY_OTHER),
    [MADE_COMMUNICATOR] = FUNCTION("pilgrim_communicator", communicator, RETURNS_VALUE, ACTIVITY_OTHER),
    [MADE_INIT] = FUNCTION("MPI_Init", init, RETURNS_ERROR_CODE, ACTIVITY_OTHER),
    [MADE_COMM_RANK] = FUNCTION("MPI_Comm_rank", comm_rank, RETURNS_ERROR_CODE, ACTIVITY_OTHER),
    [MADE_COMM_SIZE] = FUNCTION("MPI_Comm_size", comm_size, RETURNS_ERROR_CODE, ACTIVITY_OTHER),
    [MADE_CART_CREATE] = FUNCTION("MPI_Cart_create", cart_create, RETURNS_ERROR_CODE, ACTIVITY_OTHER),
    [MADE_IRECV] = FUNCTION("MPI_Irecv", irecv, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT),
    [MADE_ISEND] = FUNCTION("MPI_Isend", isend, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT),
    [MADE_WAITALL] = FUNCTION("MPI_Waitall", waitall, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT),
    [MADE_ALLREDUCE] = FUNCTION("MPI_Allreduce", allreduce, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE),
    [MADE_SENDRECV] = FUNCTION("MPI_Sendrecv", sendrecv, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT),
    [MADE_RECV] = FUNCTION("MPI_Recv", recv, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT),
    [MADE_SEND] = FUNCTION("MPI_Send", send, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT),
    [MADE_ALLTOALLV] = FUNCTION("MPI_Alltoallv", alltoallv, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE),
    [MADE_ALLTOALLW] = FUNCTION("MPI_Alltoallw", alltoallw, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE),
    [MADE_FINALIZE] = {"MPI_Finalize", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_OTHER},
};

static const char *const names[MADE_NAME_COUNT] = {
    [NAME_COMM] = "comm",
    [NAME_DATATYPE] = "datatype",
    [NAME_WORLD] = "MPI_COMM_WORLD",
    [NAME_DOUBLE] = "MPI_DOUBLE",
    [NAME_BYTE] = "MPI_BYTE",
    [NAME_SUM] = "MPI_SUM",
    [NAME_PROC_NULL] = "MPI_PROC_NULL",
    [NAME_ANY_TAG] = "MPI_ANY_TAG",
    [NAME_REQUEST_NULL] = "MPI_REQUEST_NULL",
    [NAME_CART] = "MPI_CART",
};

const struct vocabulary made_vocabulary = {functions, MADE_FUNCTION_COUNT, names, MADE_NAME_COUNT};

const struct code_module made_module = {"application", {0x5c, 0xa1, 0xe0, 0x01}, 4, NULL};

uint64_t made_site_offset(unsigned site)
{
    return 0x1180 + 0x2d * (uint64_t)site;
}

void made_call_start(struct made_call *c, enum made_function function, unsigned site)
{
    c->function = function;
    c->site = site;
    c->count = 0;
}

void made_call_free(struct made_call *c)
{
    free(c->values);
    *c = (struct made_call){0};
}

static struct made_value *add(struct made_call *c, uint8_t tag)
{
    if (c->count == c->capacity) {
        size_t capacity = c->capacity * 2 + 64;
        struct made_value *values = realloc(c->values, capacity * sizeof *values);
        if (!values) {
            fprintf(stderr, "scale: out of memory\n");
            exit(EXIT_FAILURE);
        }
        c->values = values;
        c->capacity = capacity;
    }
    struct made_value *v = &c->values[c->count++];
    v->tag = tag;
    return v;
}

static void add_slots(struct made_call *c, uint8_t tag, int64_t a, int64_t b)
{
    struct made_value *v = add(c, tag);
    v->slots[0] = a;
    v->slots[1] = b;
}

void make_none(struct made_call *c)
{
    add(c, VALUE_NONE);
}

void make_name(struct made_call *c, enum made_name name)
{
    add(c, VALUE_NAME)->name = (uint16_t)name;
}

void make_int(struct made_call *c, int64_t v)
{
    add_slots(c, VALUE_INT, v, 0);
}

void make_bool(struct made_call *c, int v)
{
    add_slots(c, VALUE_BOOL, v != 0, 0);
}

void make_rank(struct made_call *c, int64_t view, int64_t rank)
{
    if (rank < 0)
        make_name(c, NAME_PROC_NULL);
    else
        add_slots(c, VALUE_RANK, rank, view);
}

void make_object(struct made_call *c, enum made_name kind, int64_t id)
{
    struct made_value *v = add(c, VALUE_OBJECT);
    v->name = (uint16_t)kind;
    v->slots[0] = id;
}

void make_request(struct made_call *c, int64_t class, int64_t place)
{
    add_slots(c, VALUE_REQUEST, class, place);
}

void make_heap(struct made_call *c, int64_t id, int64_t offset)
{
    add_slots(c, VALUE_HEAP, id, offset);
}

void make_string(struct made_call *c, const char *text)
{
    add(c, VALUE_STRING)->text = text;
}

void make_array(struct made_call *c, uint32_t count)
{
    add(c, VALUE_ARRAY)->count = count;
}

void make_status(struct made_call *c, unsigned bits)
{
    add(c, VALUE_STATUS)->count = bits;
}
