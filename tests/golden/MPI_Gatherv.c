static int wrapper_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                               const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root,
                               MPI_Comm comm)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return NEXT_MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Gatherv, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, NEXT_MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                           root, comm));
    const struct short_token base_token = call_rank_base(&c, KIND_COMM, HANDLE(comm));
    at = store_buffer(&c, at, sendbuf);
    at = store_int(at, sendcount);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(sendtype));
    if (call_at_root(&c, root)) {
        at = store_buffer(&c, at, recvbuf);
        call_flush(&c, at);
        put_ints(&c, recvcounts, length_peers(&c));
        at = call_resume(&c);
        call_flush(&c, at);
        put_ints(&c, displs, length_peers(&c));
        at = call_resume(&c);
        at = store_handle(&c, at, KIND_DATATYPE, HANDLE(recvtype));
    } else {
        at = store_none(at, 4);
    }
    at = store_enum(at, ENUM_RANK, root);
    at = store_with_base(&c, at, &base_token, KIND_COMM, HANDLE(comm));
    call_enter(&c, at);
    int ret = NEXT_MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    call_leave(&c, ret);
    call_end(&c, at, ret);
    return ret;
}

static void shadow_in_MPI_Gatherv(struct shadow *s, const struct rank_base *rank_base, const void *sendbuf,
                                  int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                  const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    shadow_in(s, 0);
    shadow_buffer(s, sendbuf);
    shadow_in(s, 1);
    shadow_int(s, sendcount);
    shadow_in(s, 2);
    shadow_handle(s, KIND_DATATYPE, HANDLE(sendtype));
    shadow_in(s, 3);
    if (shadow_at_root(rank_base, root))
        shadow_buffer(s, recvbuf);
    else
        shadow_null(s);
    shadow_in(s, 4);
    if (shadow_at_root(rank_base, root)) {
        if (recvcounts) {
            shadow_open(s);
            for (int64_t i = 0, end = rank_base->size; i < end; i++)
                shadow_int(s, recvcounts[i]);
            shadow_close(s);
        } else {
            shadow_name(s, "NULL");
        }
    } else {
        shadow_null(s);
    }
    shadow_in(s, 5);
    if (shadow_at_root(rank_base, root)) {
        if (displs) {
            shadow_open(s);
            for (int64_t i = 0, end = rank_base->size; i < end; i++)
                shadow_int(s, displs[i]);
            shadow_close(s);
        } else {
            shadow_name(s, "NULL");
        }
    } else {
        shadow_null(s);
    }
    shadow_in(s, 6);
    if (shadow_at_root(rank_base, root))
        shadow_handle(s, KIND_DATATYPE, HANDLE(recvtype));
    else
        shadow_null(s);
    shadow_in(s, 7);
    shadow_rank(s, root);
    shadow_in(s, 8);
    shadow_handle(s, KIND_COMM, HANDLE(comm));
}

static void shadow_out_MPI_Gatherv(struct shadow *s, int ret)
{
    shadow_ret(s, ret);
}

static void after_MPI_Gatherv(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Gatherv *arguments = saved;
    shadow_out_MPI_Gatherv(s, arguments->ret);
}

int shadow_layer_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Gatherv);
    if (!s)
        return SHADOW_NEXT(MPI_Gatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                           comm);
    shadow_in_MPI_Gatherv(s, shadow_rank_base(s), sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                          root, comm);
    int ret = SHADOW_NEXT(MPI_Gatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    const struct saved_MPI_Gatherv saved = {.ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Gatherv");
    shadow_save(s, &saved, sizeof saved, after_MPI_Gatherv);
    return ret;
}
