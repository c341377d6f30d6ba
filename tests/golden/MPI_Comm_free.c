int MPI_Comm_free(MPI_Comm *comm)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Comm_free, CALL_SITE))
        return PMPI_Comm_free(comm);
    uint64_t before = comm ? HANDLE(*comm) : 0;
    if (comm)
        put_handle(&c, KIND_COMM, HANDLE(*comm));
    else
        put_name(&c, NAME_NULL);
    if (c.shadow)
        shadow_in_MPI_Comm_free(c.shadow, comm);
    call_enter(&c);
    int ret = PMPI_Comm_free(comm);
    call_leave(&c, ret);
    if (comm)
        put_released(&c, KIND_COMM, before, HANDLE(*comm));
    else
        put_name(&c, NAME_NULL);
    if (c.shadow)
        shadow_out_MPI_Comm_free(c.shadow, comm, ret);
    call_end(&c, ret);
    return ret;
}

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
