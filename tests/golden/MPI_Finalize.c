/* Recorded before it runs, without a return value: the trace is written before it returns. */
int MPI_Finalize(void)
{
    struct call c;
    if (call_begin(&c, FUNCTION_MPI_Finalize, CALL_SITE)) {
        call_enter(&c);
        call_leave_value(&c);
        put_none(&c, 1);
        if (c.shadow)
            shadow_out_MPI_Finalize(c.shadow);
        call_done(&c);
    }
    capture_before_finalize();
    return PMPI_Finalize();
}

void shadow_out_MPI_Finalize(struct shadow *s)
{
    shadow_return(s);
    shadow_null(s);
}
