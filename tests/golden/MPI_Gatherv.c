void shadow_in_MPI_Gatherv(struct shadow *s, const struct view *view, const void *sendbuf, int sendcount,
                           MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int *displs,
                           MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    shadow_in(s, 0);
    shadow_buffer(s, sendbuf);
    shadow_in(s, 1);
    shadow_int(s, sendcount);
    shadow_in(s, 2);
    shadow_handle(s, KIND_DATATYPE, HANDLE(sendtype));
    shadow_in(s, 3);
    if (shadow_at_root(view, root))
        shadow_buffer(s, recvbuf);
    else
        shadow_null(s);
    shadow_in(s, 4);
    if (shadow_at_root(view, root)) {
        if (recvcounts) {
            shadow_open(s);
            for (int64_t i = 0, end = view->size; i < end; i++)
                shadow_int(s, recvcounts[i]);
            shadow_close(s);
        } else {
            shadow_name(s, "NULL");
        }
    } else {
        shadow_null(s);
    }
    shadow_in(s, 5);
    if (shadow_at_root(view, root)) {
        if (displs) {
            shadow_open(s);
            for (int64_t i = 0, end = view->size; i < end; i++)
                shadow_int(s, displs[i]);
            shadow_close(s);
        } else {
            shadow_name(s, "NULL");
        }
    } else {
        shadow_null(s);
    }
    shadow_in(s, 6);
    if (shadow_at_root(view, root))
        shadow_handle(s, KIND_DATATYPE, HANDLE(recvtype));
    else
        shadow_null(s);
    shadow_in(s, 7);
    shadow_rank(s, root);
    shadow_in(s, 8);
    shadow_handle(s, KIND_COMM, HANDLE(comm));
}

void shadow_out_MPI_Gatherv(struct shadow *s, int ret)
{
    shadow_ret(s, ret);
}
