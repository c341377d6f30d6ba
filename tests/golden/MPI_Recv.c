int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Recv, CALL_SITE))
        return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
    call_view(&c, KIND_COMM, HANDLE(comm));
    MPI_Status *actual = call_status(&c, status);
    put_buffer(&c, buf);
    put_int(&c, count);
    put_handle(&c, KIND_DATATYPE, HANDLE(datatype));
    put_rank(&c, source);
    put_enum(&c, ENUM_TAG, tag);
    put_handle(&c, KIND_COMM, HANDLE(comm));
    if (c.shadow)
        shadow_in_MPI_Recv(c.shadow, buf, count, datatype, source, tag, comm);
    call_enter(&c);
    int ret = PMPI_Recv(buf, count, datatype, source, tag, comm, actual);
    call_leave(&c, ret);
    if (c.ok)
        put_status(&c, actual, actual != status);
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Recv(c.shadow, status, actual, ret);
    call_end(&c, ret);
    return ret;
}

void shadow_in_MPI_Recv(struct shadow *s, void *buf, int count, MPI_Datatype datatype, int source, int tag,
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

void shadow_out_MPI_Recv(struct shadow *s, MPI_Status *status, const MPI_Status *actual, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 6);
    if (ok)
        shadow_status(s, actual, actual != status);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}
