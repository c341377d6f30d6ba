double MPI_Wtime(void)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Wtime, CALL_SITE))
        return PMPI_Wtime();
    call_enter(&c);
    double ret = PMPI_Wtime();
    call_leave_value(&c);
    if (c.shadow)
        shadow_out_MPI_Wtime(c.shadow, ret);
    put_real(&c, ret);
    call_done(&c);
    return ret;
}

void shadow_out_MPI_Wtime(struct shadow *s, double ret)
{
    shadow_return(s);
    shadow_real(s, ret);
}
