void shadow_in_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

void shadow_out_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[],
                            MPI_Status *array_of_statuses, const MPI_Status *actual, int ret)
{
    bool ok = ret == MPI_SUCCESS || shadow_in_status(ret);
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_statuses(s, actual, count, actual != array_of_statuses);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}
