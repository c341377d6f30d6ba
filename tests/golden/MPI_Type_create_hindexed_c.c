int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                               const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                               MPI_Datatype *newtype)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Type_create_hindexed_c, CALL_SITE))
        return PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                           newtype);
    put_int(&c, count);
    put_counts(&c, array_of_blocklengths, count);
    put_large_addresses(&c, array_of_displacements, count);
    put_handle(&c, KIND_DATATYPE, HANDLE(oldtype));
    if (c.shadow)
        shadow_in_MPI_Type_create_hindexed_c(c.shadow, count, array_of_blocklengths, array_of_displacements,
                                             oldtype);
    call_enter(&c);
    int ret = PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                          newtype);
    call_leave(&c, ret);
    if (c.ok)
        put_new(&c, KIND_DATATYPE, HANDLE(*newtype));
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Type_create_hindexed_c(c.shadow, newtype, ret);
    call_end(&c, ret);
    return ret;
}

void shadow_in_MPI_Type_create_hindexed_c(struct shadow *s, MPI_Count count,
                                          const MPI_Count array_of_blocklengths[],
                                          const MPI_Count array_of_displacements[], MPI_Datatype oldtype)
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    if (array_of_blocklengths) {
        shadow_open(s);
        for (int64_t i = 0, end = count; i < end; i++)
            shadow_int(s, array_of_blocklengths[i]);
        shadow_close(s);
    } else {
        shadow_name(s, "NULL");
    }
    shadow_in(s, 2);
    if (array_of_displacements) {
        shadow_open(s);
        for (int64_t i = 0, end = count; i < end; i++)
            shadow_address(s, array_of_displacements[i]);
        shadow_close(s);
    } else {
        shadow_name(s, "NULL");
    }
    shadow_in(s, 3);
    shadow_handle(s, KIND_DATATYPE, HANDLE(oldtype));
}

void shadow_out_MPI_Type_create_hindexed_c(struct shadow *s, MPI_Datatype *newtype, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 4);
    if (ok)
        shadow_handle(s, KIND_DATATYPE, HANDLE(*newtype));
    else
        shadow_null(s);
    shadow_ret(s, ret);
}
