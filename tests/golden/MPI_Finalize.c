void shadow_out_MPI_Finalize(struct shadow *s)
{
    shadow_return(s);
    shadow_null(s);
}
