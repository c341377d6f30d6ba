/* The call is recorded before the function runs, without a return value, because the trace is written first. */
static int wrapper_MPI_Finalize(void)
{
    struct call c;
    uint8_t *at = call_begin(&c, call_off(), FUNCTION_MPI_Finalize, FOLLOWS_OBJECTS, CALL_SITE, CALL_FRAME);
    if (at) {
        call_enter(&c, at);
        call_leave_value(&c);
        at = store_none(at, 1);
        call_done(&c, at);
    }
    capture_before_finalize();
    return NEXT_MPI_Finalize();
}
