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
