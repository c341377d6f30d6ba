/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that the calls of `every` are made with. */
#include "every.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct argument_pool s;

enum { TAG = 7 };

/* ---- callbacks ---- */

void every_reduce(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

void every_comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

void every_win_error(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
}

void every_file_error(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
}

/* ---- error handlers that count ---- */

int handled;

static void count_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

static void count_win(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
    handled++;
}

static void count_file(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
    handled++;
}

void arguments_count_errors(void)
{
    MPI_Errhandler comm, win, file;
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF, s.comm, s.cart, s.graph, s.dist};
    MPI_Win wins[] = {s.win, s.shared, s.dynamic, s.pscw};
    MPI_Comm_create_errhandler(count_comm, &comm);
    MPI_Win_create_errhandler(count_win, &win);
    MPI_File_create_errhandler(count_file, &file);
    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++)
        MPI_Comm_set_errhandler(comms[i], comm);
    for (size_t i = 0; i < sizeof wins / sizeof *wins; i++)
        MPI_Win_set_errhandler(wins[i], win);
    MPI_File_set_errhandler(s.file, file);
    MPI_Errhandler_free(&file); /* not for MPI_FILE_NULL too: MPICH 4.0.2 loses count of its references */
    MPI_Errhandler_free(&win);
    MPI_Errhandler_free(&comm);
}

int every_query(void *state, MPI_Status *status)
{
    (void)state;
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

int every_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

int every_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int every_wait(int count, void **states, double timeout, MPI_Status *status)
{
    (void)count, (void)states, (void)timeout, (void)status;
    return MPI_SUCCESS;
}

int every_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type, (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}

#if EVERY_SESSIONS
void every_session_error(MPI_Session *session, int *code, ...)
{
    (void)session, (void)code;
}

void every_reduce_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
#endif

/* ---- messages ---- */

MPI_Datatype type_fresh(void)
{
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

void arguments_drain(void)
{
    int flag;
    MPI_Status status;
    while (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s.comm, &flag, &status) == MPI_SUCCESS && flag)
        MPI_Recv(s.in, NUMBERS, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, s.comm, MPI_STATUS_IGNORE);
}

void peer_send(MPI_Request *request)
{
    MPI_Isend(s.out, 2, MPI_INT, s.next, TAG, s.comm, request);
}

void peer_receive(MPI_Request *request)
{
    MPI_Irecv(s.both, 2, MPI_INT, s.previous, TAG, s.comm, request);
    MPI_Barrier(s.comm);
}

void peer_send_end(MPI_Request *request, int wrong)
{
    if (wrong)
        arguments_drain();
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

void peer_receive_end(MPI_Request *request, int wrong)
{
    if (wrong) {
        MPI_Cancel(request);
        arguments_drain();
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

void requests_begin(int persistent)
{
    if (persistent) {
        MPI_Recv_init(s.both, 2, MPI_INT, s.previous, TAG, s.comm, &s.requests[0]);
        MPI_Send_init(s.out, 2, MPI_INT, s.next, TAG, s.comm, &s.requests[1]);
    } else {
        MPI_Irecv(s.both, 2, MPI_INT, s.previous, TAG, s.comm, &s.requests[0]);
        MPI_Isend(s.out, 2, MPI_INT, s.next, TAG, s.comm, &s.requests[1]);
    }
}

void requests_end(void)
{
    for (int i = 0; i < 2; i++)
        if (s.requests[i] != MPI_REQUEST_NULL)
            MPI_Wait(&s.requests[i], MPI_STATUS_IGNORE);
}

void own_file_make(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, s.own_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

#if EVERY_SESSIONS
enum { PART_TAG = TAG + 2 }; /* as in the table */

MPI_Request *partitioned_send(MPI_Request *request)
{
    MPI_Psend_init(s.out, 2, 2, MPI_INT, s.next, PART_TAG, s.comm, MPI_INFO_NULL, request);
    return request;
}

MPI_Request *partitioned_receive(MPI_Request *request)
{
    MPI_Precv_init(s.both, 2, 2, MPI_INT, s.previous, PART_TAG, s.comm, MPI_INFO_NULL, request);
    return request;
}

void partitioned_begin(void)
{
    partitioned_send(&s.pair[0]);
    partitioned_receive(&s.pair[1]);
    MPI_Startall(2, s.pair);
}

void partitioned_end(int wrong)
{
    if (wrong)
        MPI_Pready_range(0, 1, s.pair[0]);
    MPI_Waitall(2, s.pair, MPI_STATUSES_IGNORE);
    MPI_Request_free(&s.pair[0]);
    MPI_Request_free(&s.pair[1]);
}
#endif

/* ---- tools ---- */

void cvar_begin(void)
{
    int count, scope, bind, elements;
    MPI_Datatype type;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        MPI_T_cvar_get_info(i, NULL, NULL, NULL, &type, NULL, NULL, NULL, &bind, &scope);
        if (type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT || scope == MPI_T_SCOPE_CONSTANT ||
            scope == MPI_T_SCOPE_READONLY)
            continue;
        MPI_T_cvar_handle_alloc(i, NULL, &s.cvar, &elements);
        if (MPI_T_cvar_read(s.cvar, s.both) == MPI_SUCCESS && MPI_T_cvar_write(s.cvar, s.both) == MPI_SUCCESS)
            return;
        MPI_T_cvar_handle_free(&s.cvar);
    }
}

void cvar_end(void)
{
    if (s.cvar != MPI_T_CVAR_HANDLE_NULL)
        MPI_T_cvar_handle_free(&s.cvar);
}

void enumeration_find(void)
{
    int count;
    MPI_T_cvar_get_num(&count);
    s.enumeration = MPI_T_ENUM_NULL;
    for (int i = 0; i < count && s.enumeration == MPI_T_ENUM_NULL; i++)
        MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, &s.enumeration, NULL, NULL, NULL, NULL);
}

void pvar_begin(void)
{
    int count = 0;
    s.pvar = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session_create(&s.pvars);
    MPI_T_pvar_get_num(&count);
    if (count > 0) {
        int length = (int)sizeof s.name;
        MPI_T_pvar_get_info(0, s.name, &length, NULL, &s.pvar_class, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        MPI_T_pvar_handle_alloc(s.pvars, 0, NULL, &s.pvar, &count);
    }
}

void pvar_end(void)
{
    if (s.pvar != MPI_T_PVAR_HANDLE_NULL)
        MPI_T_pvar_handle_free(s.pvars, &s.pvar);
    MPI_T_pvar_session_free(&s.pvars);
}

/* ---- processes ---- */

void port_begin(int other)
{
    MPI_Comm comm;
    if (s.rank == 0)
        MPI_Open_port(MPI_INFO_NULL, s.port);
    MPI_Bcast(s.port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, s.comm);
    if (s.rank != other)
        return;
    if (other == 0)
        MPI_Comm_accept(s.port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    else
        MPI_Comm_connect(s.port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    MPI_Comm_disconnect(&comm);
}

void port_end(void)
{
    MPI_Barrier(s.comm);
    if (s.rank == 0)
        MPI_Close_port(s.port);
}

/* What is spawned: this program, not traced, as a trace of its own would only be in the way. */
static void spawn_make(void)
{
    static char unset[] = "-u", variable[] = "LD_PRELOAD", child[] = "child", command[] = "/usr/bin/env";
    ssize_t length = readlink("/proc/self/exe", s.executable, sizeof s.executable - 1);
    s.executable[length > 0 ? length : 0] = 0;
    s.spawn_commands[0] = command;
    s.spawn_arguments[0] = unset;
    s.spawn_arguments[1] = variable;
    s.spawn_arguments[2] = s.executable;
    s.spawn_arguments[3] = child;
    s.spawn_arguments[4] = NULL;
    s.spawn_lists[0] = s.spawn_arguments;
}

void socket_begin(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = -1;
    s.descriptor = -1;
    if (s.size < 2)
        return;
    snprintf(address.sun_path, sizeof address.sun_path, "every.socket");
    if (s.rank == 0) {
        unlink(address.sun_path);
        listening = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(listening, (struct sockaddr *)&address, sizeof address);
        listen(listening, 1);
    }
    MPI_Barrier(s.comm);
    if (s.rank == 0)
        s.descriptor = accept(listening, NULL, NULL);
    if (s.rank == 1) {
        s.descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
        connect(s.descriptor, (struct sockaddr *)&address, sizeof address);
    }
    if (s.rank == 0) {
        close(listening);
        unlink(address.sun_path);
    }
}

/* ---- making and freeing ---- */

static void numbers_make(void)
{
    for (int i = 0; i < NUMBERS; i++)
        s.out[i] = i;
    for (int i = 0; i < RANKS_MAX; i++) {
        s.counts_int[i] = 2;
        s.counts_MPI_Count[i] = 2;
        s.ones_int[i] = 1;
        s.ones_MPI_Count[i] = 1;
        s.places_int[i] = 2 * i;
        s.places_MPI_Count[i] = s.places_MPI_Aint[i] = 2 * i;
        s.bytes_int[i] = 8 * i;
        s.bytes_MPI_Count[i] = s.bytes_MPI_Aint[i] = 8 * i;
        s.types[i] = MPI_INT;
        s.graph_index[i] = i + 1;
        s.edges[i] = (i + 1) % s.size;
    }
    s.sizes_int[0] = s.sizes_int[1] = 4;
    s.sizes_MPI_Count[0] = s.sizes_MPI_Count[1] = 4;
    s.ranks[0] = 0;
    s.dims[0] = s.size;
    s.periods[0] = 1;
    s.ranges[0][2] = 1;
    s.distribs[0] = MPI_DISTRIBUTE_BLOCK;
    s.dargs[0] = MPI_DISTRIBUTE_DFLT_DARG;
    s.infos[0] = MPI_INFO_NULL;
    snprintf(s.command, sizeof s.command, "every");
    s.strings[0] = s.command;
    s.requests[0] = s.requests[1] = MPI_REQUEST_NULL;
}

static void communicators_make(MPI_Comm base)
{
    MPI_Comm_dup(base, &s.comm);
    MPI_Comm_set_errhandler(s.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(s.comm, &s.rank);
    MPI_Comm_size(s.comm, &s.size);
    s.next = (s.rank + 1) % s.size;
    s.previous = (s.rank + s.size - 1) % s.size;
    numbers_make();
    MPI_Comm_group(s.comm, &s.group);
    MPI_Cart_create(s.comm, 1, s.dims, s.periods, 0, &s.cart);
    MPI_Graph_create(s.comm, s.size, s.graph_index, s.edges, 0, &s.graph);
    MPI_Dist_graph_create_adjacent(s.comm, 1, &s.previous, s.ones_int, 1, &s.next, s.ones_int, MPI_INFO_NULL, 0,
                                   &s.dist);
    s.inter = s.half = MPI_COMM_NULL;
    s.other = 0;
    if (s.size < 2) {
        MPI_Comm_group(s.comm, &s.half_group);
        MPI_Comm_group(s.comm, &s.far_group);
    } else {
        s.other = s.rank % 2 ? 0 : 1;
        MPI_Comm_split(s.comm, s.rank % 2, s.rank, &s.half);
        MPI_Intercomm_create(s.half, 0, s.comm, s.other, 9, &s.inter);
        MPI_Comm_group(s.half, &s.half_group);
        MPI_Comm_remote_group(s.inter, &s.far_group);
    }
}

static void windows_make(void)
{
    MPI_Win_allocate(WINDOW_BYTES, 4, MPI_INFO_NULL, s.comm, &s.window, &s.win);
    MPI_Win_allocate(WINDOW_BYTES, 4, MPI_INFO_NULL, s.comm, &s.pointer, &s.pscw);
    MPI_Win_allocate_shared(WINDOW_BYTES, 4, MPI_INFO_NULL, s.comm, &s.pointer, &s.shared);
    MPI_Win_create_dynamic(MPI_INFO_NULL, s.comm, &s.dynamic);
    memset(s.window, 0, WINDOW_BYTES);
    MPI_Win_set_errhandler(s.win, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(s.pscw, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(s.shared, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(s.dynamic, MPI_ERRORS_RETURN);
}

static void file_make(MPI_Comm base)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(base, &size);
    snprintf(s.file_name, sizeof s.file_name, "every.%d", size > 1 ? 0 : rank);
    snprintf(s.service, sizeof s.service, "every.%d", rank);
    snprintf(s.own_name, sizeof s.own_name, "every.own.%d", rank);
    MPI_File_open(s.comm, s.file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &s.file);
    MPI_File_set_errhandler(s.file, MPI_ERRORS_RETURN);
    MPI_File_write_at_all(s.file, 0, s.out, NUMBERS, MPI_INT, MPI_STATUS_IGNORE);
}

void arguments_make(MPI_Comm base)
{
    communicators_make(base);
    spawn_make();
    windows_make();
    file_make(base);
    MPI_Info_create(&s.info);
    MPI_Info_set(s.info, "key", "value");
    MPI_Type_vector(2, 1, 2, MPI_INT, &s.type);
    MPI_Type_commit(&s.type);
    MPI_Op_create(every_reduce, 1, &s.op);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &s.comm_keyval, NULL);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &s.type_keyval, NULL);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &s.win_keyval, NULL);
    MPI_Comm_create_errhandler(every_comm_error, &s.errhandler);
#if EVERY_SESSIONS
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s.session);
    MPI_Session_set_errhandler(s.session, MPI_ERRORS_RETURN);
#endif
    peer_send(&s.requests[0]);
    MPI_Recv(s.in, NUMBERS, MPI_INT, s.previous, TAG, s.comm, &s.status);
    requests_end();
    MPI_Status_c2f(&s.status, s.f_status);
}

void arguments_free(void)
{
#if EVERY_SESSIONS
    MPI_Session_finalize(&s.session);
#endif
    MPI_Errhandler_free(&s.errhandler);
    MPI_Win_free_keyval(&s.win_keyval);
    MPI_Type_free_keyval(&s.type_keyval);
    MPI_Comm_free_keyval(&s.comm_keyval);
    MPI_Op_free(&s.op);
    MPI_Type_free(&s.type);
    MPI_Info_free(&s.info);
    MPI_File_close(&s.file);
    MPI_Win_free(&s.dynamic);
    MPI_Win_free(&s.shared);
    MPI_Win_free(&s.pscw);
    MPI_Win_free(&s.win);
    if (s.inter != MPI_COMM_NULL) {
        MPI_Comm_free(&s.inter);
        MPI_Comm_free(&s.half);
    }
    MPI_Comm_free(&s.dist);
    MPI_Comm_free(&s.graph);
    MPI_Comm_free(&s.cart);
    MPI_Group_free(&s.far_group);
    MPI_Group_free(&s.half_group);
    MPI_Group_free(&s.group);
    MPI_Comm_free(&s.comm);
}
