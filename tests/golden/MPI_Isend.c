static int wrapper_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_REQUESTS))
        return call_untracked(NEXT_MPI_Isend(buf, count, datatype, dest, tag, comm, request), request, REQUEST_SEND,
                              false, KIND_COMM, HANDLE(comm));
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Isend, FOLLOWS_REQUESTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_untracked(call_passed(&c, NEXT_MPI_Isend(buf, count, datatype, dest, tag, comm, request)), request,
                              REQUEST_SEND, false, KIND_COMM, HANDLE(comm));
    const struct short_token base_token = call_rank_base(&c, KIND_COMM, HANDLE(comm));
    at = store_buffer(&c, at, buf);
    at = store_int(at, count);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(datatype));
    at = store_rank(&c, at, dest);
    at = store_enum(at, ENUM_TAG, tag);
    at = store_with_base(&c, at, &base_token, KIND_COMM, HANDLE(comm));
    call_enter(&c, at);
    int ret = NEXT_MPI_Isend(buf, count, datatype, dest, tag, comm, request);
    call_leave(&c, ret);
    if (c.ok)
        at = store_new_request(&c, at, *request, REQUEST_SEND, false);
    else
        at = store_none(at, 1);
    call_end(&c, at, ret);
    return ret;
}

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
