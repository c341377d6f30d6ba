int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Isend, CALL_SITE))
        return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
    call_view(&c, KIND_COMM, HANDLE(comm));
    put_buffer(&c, buf);
    put_int(&c, count);
    put_handle(&c, KIND_DATATYPE, HANDLE(datatype));
    put_rank(&c, dest);
    put_enum(&c, ENUM_TAG, tag);
    put_handle(&c, KIND_COMM, HANDLE(comm));
    if (c.shadow)
        shadow_in_MPI_Isend(c.shadow, buf, count, datatype, dest, tag, comm);
    call_enter(&c);
    int ret = PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
    call_leave(&c, ret);
    if (c.ok)
        put_new_request(&c, *request, REQUEST_SEND, false);
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Isend(c.shadow, request, ret);
    call_end(&c, ret);
    return ret;
}

void shadow_in_MPI_Isend(struct shadow *s, const void *buf, int count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm)
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

void shadow_out_MPI_Isend(struct shadow *s, MPI_Request *request, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 6);
    if (ok)
        shadow_new_request(s, *request);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}
