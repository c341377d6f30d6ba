void shadow_in_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

void shadow_out_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[], int *index,
                            int *flag, MPI_Status *status, const MPI_Status *actual, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_enum(s, ENUM_UNDEFINED, *index);
    else
        shadow_null(s);
    shadow_out(s, 3);
    if (ok)
        shadow_bool(s, *flag);
    else
        shadow_null(s);
    shadow_out(s, 4);
    if (ok && *flag)
        shadow_status_of(s, *index, actual, actual != status);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}
