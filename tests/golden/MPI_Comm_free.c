void shadow_in_MPI_Comm_free(struct shadow *s, MPI_Comm *comm)
{
    shadow_in(s, 0);
    if (comm)
        shadow_handle(s, KIND_COMM, HANDLE(*comm));
    else
        shadow_name(s, "NULL");
}

void shadow_out_MPI_Comm_free(struct shadow *s, MPI_Comm *comm, int ret)
{
    shadow_out(s, 0);
    if (comm)
        shadow_handle(s, KIND_COMM, HANDLE(*comm));
    else
        shadow_name(s, "NULL");
    shadow_ret(s, ret);
}
