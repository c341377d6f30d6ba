/* The call is recorded without a return value, because the trace is written before it returns. */
static int wrapper_MPI_Finalize(void)
{
    struct call c;
    uint8_t *at = call_begin(&c, call_off(), FUNCTION_MPI_Finalize, FOLLOWS_OBJECTS, CALL_SITE, CALL_FRAME);
    if (at)
        call_enter(&c, at);
    capture_finalize(at ? &c : NULL, at);
    int ret = NEXT_MPI_Finalize();
    capture_finalized();
    return ret;
}

static void shadow_out_MPI_Finalize(struct shadow *s, int ret)
{
    shadow_ret(s, ret);
}

static void after_MPI_Finalize(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Finalize *arguments = saved;
    shadow_out_MPI_Finalize(s, arguments->ret);
}

int shadow_layer_MPI_Finalize(void)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Finalize);
    if (!s)
        return SHADOW_NEXT(MPI_Finalize)();
    int ret = SHADOW_NEXT(MPI_Finalize)();
    const struct saved_MPI_Finalize saved = {.ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Finalize");
    shadow_save(s, &saved, sizeof saved, after_MPI_Finalize);
    return ret;
}
