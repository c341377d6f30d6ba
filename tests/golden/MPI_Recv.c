static int wrapper_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                            MPI_Status *status)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return NEXT_MPI_Recv(buf, count, datatype, source, tag, comm, status);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Recv, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, NEXT_MPI_Recv(buf, count, datatype, source, tag, comm, status));
    const struct short_token base_token = call_rank_base(&c, KIND_COMM, HANDLE(comm));
    MPI_Status *actual = call_status(&c, status);
    at = store_buffer(&c, at, buf);
    at = store_int(at, count);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(datatype));
    at = store_rank(&c, at, source);
    at = store_enum(at, ENUM_TAG, tag);
    at = store_with_base(&c, at, &base_token, KIND_COMM, HANDLE(comm));
    call_enter(&c, at);
    int ret = NEXT_MPI_Recv(buf, count, datatype, source, tag, comm, actual);
    call_leave(&c, ret);
    if (c.ok)
        at = store_status(&c, at, actual, actual != status);
    else
        at = store_none(at, 1);
    call_end(&c, at, ret);
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
