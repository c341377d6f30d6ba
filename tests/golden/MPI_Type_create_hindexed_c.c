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
