int MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Testany, CALL_SITE))
        return PMPI_Testany(count, array_of_requests, index, flag, status);
    MPI_Status *actual = call_status(&c, status);
    put_int(&c, count);
    put_requests(&c, array_of_requests, count);
    if (c.shadow)
        shadow_in_MPI_Testany(c.shadow, count, array_of_requests);
    call_enter(&c);
    int ret = PMPI_Testany(count, array_of_requests, index, flag, actual);
    call_leave(&c, ret);
    put_requests_after(&c, array_of_requests, count);
    if (c.ok) {
        put_enum(&c, ENUM_UNDEFINED, *index);
        put_bool(&c, *flag);
        if (*flag)
            put_status_of(&c, *index, actual, actual != status);
        else
            put_none(&c, 1);
    } else {
        put_none(&c, 3);
    }
    if (c.shadow)
        shadow_out_MPI_Testany(c.shadow, count, array_of_requests, index, flag, status, actual, ret);
    call_end(&c, ret);
    return ret;
}

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
