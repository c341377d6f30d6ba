static double wrapper_MPI_Wtime(void)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return NEXT_MPI_Wtime();
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Wtime, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        CALL_PASSED(&c, double, NEXT_MPI_Wtime());
    c.base = capture.world;
    call_enter(&c, at);
    double ret = NEXT_MPI_Wtime();
    call_leave_value(&c);
    at = store_time(&c, at, ret);
    call_done(&c, at);
    return ret;
}

static void shadow_out_MPI_Wtime(struct shadow *s, double ret)
{
    shadow_return(s);
    shadow_real(s, ret);
}

static void after_MPI_Wtime(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Wtime *arguments = saved;
    shadow_out_MPI_Wtime(s, arguments->ret);
}

double shadow_layer_MPI_Wtime(void)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Wtime);
    if (!s)
        return SHADOW_NEXT(MPI_Wtime)();
    double ret = SHADOW_NEXT(MPI_Wtime)();
    const struct saved_MPI_Wtime saved = {.ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Wtime");
    shadow_save(s, &saved, sizeof saved, after_MPI_Wtime);
    return ret;
}
