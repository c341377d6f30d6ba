/* objects: objects that are made, shared, freed while in use, and freed by callbacks.
 *
 *     objects [ROUNDS]     1 if not given
 *
 * Exercises: attributes of communicators, windows and datatypes; one of them holds a communicator that its delete
 * callback frees, as libraries do that have a communicator of their own; a reduction, and error handlers of
 * communicators, windows and files, that call MPI; datatypes and communicators freed while operations use them; groups,
 * infos and error handlers that several handles share; performance variables. */
#include "expect.h"

#include <string.h>

static int world_rank, world_size, deleted, handled;

/* ---- callbacks, all of which call MPI ---- */

static int free_inner(MPI_Comm comm, int key, void *value, void *extra)
{
    MPI_Comm *inner = value;

    (void)comm;
    (void)key;
    (void)extra;
    deleted++;
    MPI_Comm_free(inner);
    return MPI_SUCCESS;
}

static int copy_type(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    int size;
    MPI_Datatype twice;

    (void)key;
    (void)extra;
    MPI_Type_contiguous(2, type, &twice); /* made and freed here */
    MPI_Type_size(twice, &size);
    MPI_Type_free(&twice);
    EXPECT(size == 16);
    memcpy(out, &in, sizeof in);
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_win(MPI_Win win, int key, void *value, void *extra)
{
    (void)win;
    (void)key;
    (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void longest(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    MPI_Datatype copy;

    MPI_Type_dup(*type, &copy);
    MPI_Type_get_extent(copy, &lower, &extent);
    MPI_Type_free(&copy);
    for (int i = 0; i < *count; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

static void note(int *code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(*code, text, &length);
    handled += length > 0;
}

static void comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    note(code);
}

static void win_error(MPI_Win *win, int *code, ...)
{
    (void)win;
    note(code);
}

static void file_error(MPI_File *file, int *code, ...)
{
    (void)file;
    note(code);
}

/* ---- what the program does ---- */

/* A communicator of the library's own, kept by the program's and freed with it. */
static void use_inner(void)
{
    static MPI_Comm inner;
    MPI_Comm outer;
    int key, sum = 0, before = deleted;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    MPI_Comm_dup(outer, &inner);
    MPI_Comm_set_attr(outer, key, &inner);
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inner);
    EXPECT(sum == world_size * (world_size - 1) / 2);
    MPI_Comm_free(&outer);
    EXPECT(deleted == before + 1);
    MPI_Comm_free_keyval(&key);
}

static void use_types(void)
{
    MPI_Datatype pair, copy;
    int key, flag, *got, value = 3;

    MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, key, &value);
    MPI_Type_dup(pair, &copy);
    MPI_Type_get_attr(copy, key, &got, &flag);
    EXPECT(flag && *got == 3);
    MPI_Type_delete_attr(copy, key);
    MPI_Type_free(&copy);
    MPI_Type_free(&pair);
    MPI_Type_free_keyval(&key);
}

/* What is freed here lives on in the library until the operations are done; the names are free for others. */
static void use_freed(void)
{
    int in[4] = {-1, -1, -1, -1}, out[4] = {1, 2, 3, 4};
    MPI_Request requests[2];
    MPI_Datatype type;
    MPI_Comm comm;

    for (int round = 0; round < 3; round++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Type_vector(2, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Irecv(in, 1, type, 0, round, comm, &requests[0]);
        MPI_Isend(out, 1, type, 0, round, comm, &requests[1]);
        MPI_Type_free(&type);
        MPI_Comm_free(&comm);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT(in[0] == 1 && in[1] == -1 && in[2] == 3);
    }
}

static void use_op(void)
{
    int greatest = -1;
    MPI_Op op;

    MPI_Op_create(longest, 1, &op);
    MPI_Allreduce(&world_rank, &greatest, 1, MPI_INT, op, MPI_COMM_WORLD);
    EXPECT(greatest == world_size - 1);
    MPI_Op_free(&op);
}

static void use_errors(void)
{
    MPI_Errhandler handlers[3], same;
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
    int value = 0, key, one = 1, before = handled, *base;

    MPI_Comm_create_errhandler(comm_error, &handlers[0]);
    MPI_Win_create_errhandler(win_error, &handlers[1]);
    MPI_File_create_errhandler(file_error, &handlers[2]);

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, handlers[0]);
    MPI_Comm_get_errhandler(comm, &same);
    EXPECT(same == handlers[0]);
    MPI_Errhandler_free(&same);
    EXPECT(MPI_Send(&value, 1, MPI_INT, 7, 0, comm) != MPI_SUCCESS);
    MPI_Comm_free(&comm);

    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, &key, NULL);
    MPI_Win_set_attr(win, key, &one);
    MPI_Win_set_errhandler(win, handlers[1]);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    MPI_Win_free(&win);
    MPI_Win_free_keyval(&key);

    MPI_File_set_errhandler(MPI_FILE_NULL, handlers[2]);
    EXPECT(MPI_File_open(MPI_COMM_SELF, "no/such/folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    EXPECT(handled == before + 3);
    for (int i = 0; i < 3; i++)
        MPI_Errhandler_free(&handlers[i]);
}

static void use_shared(void)
{
    MPI_Group world, again, none;
    MPI_Info info, copy;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(MPI_COMM_WORLD, &again);
    MPI_Group_difference(world, again, &none);
    EXPECT(none == MPI_GROUP_EMPTY);
    MPI_Group_free(&world);
    MPI_Group_free(&again);
    MPI_Info_create(&info);
    MPI_Info_dup(info, &copy);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
}

static void use_variables(void)
{
    MPI_T_pvar_session session;
    int provided, count = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_get_num(&count);
    MPI_T_pvar_session_create(&session);
    EXPECT(session != MPI_T_PVAR_SESSION_NULL);
    MPI_T_pvar_session_free(&session);
    EXPECT(session == MPI_T_PVAR_SESSION_NULL);
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int i = 0; i < rounds; i++) {
        use_inner();
        use_types();
        use_freed();
        use_op();
        use_shared();
    }
    use_errors();
    use_variables();
    verdict = expect_verdict("objects", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
