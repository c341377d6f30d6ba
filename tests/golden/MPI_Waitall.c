int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Waitall, CALL_SITE))
        return PMPI_Waitall(count, array_of_requests, array_of_statuses);
    MPI_Status *actual = call_statuses(&c, array_of_statuses, count);
    put_int(&c, count);
    put_requests(&c, array_of_requests, count);
    if (c.shadow)
        shadow_in_MPI_Waitall(c.shadow, count, array_of_requests);
    call_enter(&c);
    int ret = PMPI_Waitall(count, array_of_requests, actual);
    call_leave_statuses(&c, ret);
    put_requests_after(&c, array_of_requests, count);
    if (c.ok)
        put_statuses(&c, actual, count, actual != array_of_statuses);
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Waitall(c.shadow, count, array_of_requests, array_of_statuses, actual, ret);
    call_end(&c, ret);
    return ret;
}

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
